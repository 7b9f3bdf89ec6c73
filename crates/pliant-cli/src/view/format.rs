//! What travels to the page: `docs/view-format.md` as types.

use serde::Serialize;

use crate::check::row::Meeting;
use crate::sweep::row::ImpactRow;

/// All that a page shows. Numbers in bulk are texts of base64.
#[derive(Debug, Serialize)]
pub(crate) struct View {
    format: &'static str,
    version: u32,
    pliant: &'static str,
    pub(crate) title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) command: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) method: String,
    /// Of times.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) unit: &'static str,
    /// The names of what is played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) animations: Vec<String>,
    pub(crate) objects: Vec<ViewObject>,
    /// What meshes look like in their files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) looks: Vec<ViewLook>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) materials: Vec<ViewMaterial>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<ViewImage>,
    /// What the page does not show, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) beads: Option<Beads>,
    /// The number of frames of the run, shown or not.
    pub(crate) frames_run: usize,
    pub(crate) frames: Vec<ViewFrame>,
}

impl View {
    /// A view of nothing yet.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Self {
            format: "pliant-view",
            version: 1,
            pliant: env!("CARGO_PKG_VERSION"),
            title: title.into(),
            command: String::new(),
            method: String::new(),
            unit: "",
            animations: Vec::new(),
            objects: Vec::new(),
            looks: Vec::new(),
            materials: Vec::new(),
            images: Vec::new(),
            notes: Vec::new(),
            beads: None,
            frames_run: 0,
            frames: Vec::new(),
        }
    }
}

/// A mesh and what moves it.
#[derive(Debug, Serialize)]
pub(crate) struct ViewObject {
    pub(crate) name: String,
    pub(crate) vertices: usize,
    pub(crate) triangles: usize,
    pub(crate) deformation: &'static str,
    pub(crate) method: String,
    pub(crate) mesh: usize,
    pub(crate) tree_nodes: usize,
    /// What it looks like, a place in the list of looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) look: Option<usize>,
    pub(crate) states: States,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) levels: Vec<Level>,
}

/// What a mesh looks like in its file.
#[derive(Debug, Serialize)]
pub(crate) struct ViewLook {
    /// The triangle after the last one of a run, and its material.
    pub(crate) runs: Vec<(usize, Option<usize>)>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) coordinates: String,
}

/// A base colour.
#[derive(Debug, Serialize)]
pub(crate) struct ViewMaterial {
    pub(crate) color: [f32; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) image: Option<usize>,
    pub(crate) wrap: [&'static str; 2],
    pub(crate) pixelated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cutoff: Option<f32>,
}

/// A picture, compressed.
#[derive(Debug, Serialize)]
pub(crate) struct ViewImage {
    #[serde(rename = "type")]
    pub(crate) media_type: &'static str,
    pub(crate) bytes: String,
}

/// Numbers that drive an object, frame after frame.
#[derive(Debug, Default, Serialize)]
pub(crate) struct States {
    pub(crate) frames: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) weights: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) joints: String,
}

/// Bounds of one level of a tree, frame after frame.
#[derive(Debug, Serialize)]
pub(crate) struct Level {
    pub(crate) kind: &'static str,
    pub(crate) nodes: String,
    pub(crate) rest: String,
    pub(crate) volumes: String,
    pub(crate) visited: String,
}

/// A necklace.
#[derive(Debug, Serialize)]
pub(crate) struct Beads {
    pub(crate) radii: String,
    pub(crate) chains: Vec<(usize, usize, bool)>,
    /// The names of the chains, as long as `chains`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) chain_names: Vec<String>,
    /// The number of each bead's residue.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) residues: String,
    /// Pairs of beads that follow each other along a backbone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) trace: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) names: Vec<String>,
    pub(crate) positions: String,
}

/// What was found at one time.
#[derive(Debug, Serialize)]
pub(crate) struct ViewFrame {
    pub(crate) time: f64,
    /// What is played, a place in the list of animations.
    pub(crate) animation: usize,
    /// The frame's number in it.
    pub(crate) frame: usize,
    pub(crate) pairs: String,
    pub(crate) pairs_found: usize,
    pub(crate) nodes_visited: usize,
    pub(crate) segments: String,
    pub(crate) contacts: Vec<ViewContact>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) clashes: String,
    /// The overlap of each clash, where it is not the sum of the radii less the distance.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) overlaps: String,
    /// What touches between this frame and the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) impacts: Option<ViewImpacts>,
    pub(crate) work: ViewWork,
}

/// Features that touch between two frames.
#[derive(Debug, Serialize)]
pub(crate) struct ViewImpacts {
    pub(crate) found: usize,
    /// Moments of the step, from 0 to 1.
    pub(crate) times: Vec<f64>,
    pub(crate) features: Vec<ImpactRow>,
    /// For each that is listed and each moment, four places.
    pub(crate) places: String,
}

/// Two objects in contact.
#[derive(Debug, Serialize)]
pub(crate) struct ViewContact {
    pub(crate) objects: [u32; 2],
    pub(crate) pairs: usize,
    pub(crate) length: f64,
    pub(crate) middle: [f64; 3],
    pub(crate) kind: Meeting,
    pub(crate) depth: Option<f64>,
    pub(crate) at: [f64; 3],
    /// The joints that move the place; missing if neither object has joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bones: Option<[Option<String>; 2]>,
}

/// What it took.
#[derive(Debug, Serialize)]
pub(crate) struct ViewWork {
    pub(crate) bounds: u64,
    pub(crate) overlap_tests: u64,
    pub(crate) primitive_tests: u64,
    pub(crate) seconds: f64,
}
