//! A run as it is written and read again: what every report is made of.
//!
//! Reports are functions of these rows alone, so that the parts of a divided run give, put together,
//! the reports of the whole (`pliant merge`).

use serde::{Deserialize, Serialize};

/// The version of the JSON of `check`. It grows when a field changes its meaning or goes.
pub(crate) const SCHEMA: u32 = 2;

/// What a run looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct RunRow {
    /// The version of the program.
    pub(crate) pliant: String,
    /// The version of this form.
    pub(crate) schema: u32,
    pub(crate) method: String,
    /// The part of a divided run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<ShardRow>,
    pub(crate) files: Vec<String>,
    pub(crate) objects: Vec<ObjectRow>,
    pub(crate) animations: Vec<AnimationRow>,
}

/// Which part of a divided run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShardRow {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) of: usize,
}

/// An object of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ObjectRow {
    pub(crate) id: usize,
    pub(crate) name: String,
    /// A place in the list of files.
    pub(crate) file: usize,
    pub(crate) vertices: usize,
    pub(crate) triangles: usize,
    pub(crate) deformation: String,
    /// The diagonal of its box at rest.
    pub(crate) size: f64,
}

/// Something that was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnimationRow {
    /// Empty if nothing moves.
    pub(crate) name: String,
    /// The files that play it: a range of the list of files.
    pub(crate) files: [usize; 2],
    pub(crate) frames: usize,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrameRow {
    /// Its number in the whole run.
    pub(crate) number: usize,
    /// A place in the list of animations.
    pub(crate) animation: usize,
    /// Its number in the animation; of keyframes and caches, that of the file.
    pub(crate) frame: usize,
    pub(crate) time: f64,
    /// Object, triangle, object, triangle: ascending, the smaller (object, triangle) first.
    pub(crate) pairs: Vec<[u32; 4]>,
    /// The same by pairs of objects, ascending.
    pub(crate) contacts: Vec<ContactRow>,
    pub(crate) work: WorkRow,
}

/// How two objects meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Meeting {
    /// Nearer than the margin, but apart.
    Near,
    /// Triangles have points in common, but none runs through another.
    Touching,
    /// Triangles run through one another.
    Crossing,
    /// One lies inside the other.
    Inside,
}

/// Two objects in contact, or one with itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContactRow {
    pub(crate) objects: [u32; 2],
    pub(crate) kind: Meeting,
    /// Pairs of triangles that touch.
    pub(crate) pairs: usize,
    /// Of the deepest region; `None` where it cannot be told.
    pub(crate) depth: Option<f64>,
    /// The distance of two that are only near; 0 for all others.
    pub(crate) distance: f64,
    /// Where it is deepest, or nearest.
    pub(crate) at: [f64; 3],
    /// The joint that moves the place, for each of the two that has joints.
    pub(crate) bones: [Option<String>; 2],
    /// The material there, for each of the two that has one.
    pub(crate) materials: [Option<String>; 2],
    /// The longest segment that two triangles share.
    pub(crate) longest_cut: f64,
    /// Its middle.
    pub(crate) cut_at: [f64; 3],
    /// Connected pieces of the contact, the deepest first.
    pub(crate) regions: Vec<RegionRow>,
}

impl ContactRow {
    /// A contact of which nothing is known but who, how and how many.
    pub(crate) fn unmeasured(objects: [u32; 2], kind: Meeting, pairs: usize) -> Self {
        Self {
            objects,
            kind,
            pairs,
            depth: None,
            distance: 0.0,
            at: [0.0; 3],
            bones: [None, None],
            materials: [None, None],
            longest_cut: 0.0,
            cut_at: [0.0; 3],
            regions: Vec::new(),
        }
    }
}

/// One connected piece of a contact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RegionRow {
    pub(crate) kind: Meeting,
    pub(crate) depth: Option<f64>,
    pub(crate) at: [f64; 3],
    /// The way out for the first object; zero where it cannot be told.
    pub(crate) direction: [f64; 3],
    pub(crate) area: f64,
    pub(crate) pairs: usize,
    /// Vertices of each object inside the other.
    pub(crate) vertices: [usize; 2],
}

/// What it took to find them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct WorkRow {
    pub(crate) bounds: u64,
    pub(crate) overlap_tests: u64,
    pub(crate) primitive_tests: u64,
    pub(crate) seconds: f64,
}

impl ContactRow {
    /// An order of badness: how two meet, how deep, how many pairs. What cannot be told counts as
    /// deeper than a touch, and as less than any depth.
    pub(crate) fn badness(&self) -> (f64, usize) {
        let depth = match (self.kind, self.depth) {
            (Meeting::Near, _) => -1.0 - self.distance,
            (Meeting::Touching, _) => 0.0,
            (_, depth) => depth.unwrap_or(f64::MIN_POSITIVE),
        };
        (depth, self.pairs)
    }

    /// Whether a region of it crosses and its depth cannot be told.
    pub(crate) fn is_partly_unknown(&self) -> bool {
        self.regions.iter().any(|region| region.depth.is_none())
    }

    /// Whether it is worse than another.
    pub(crate) fn is_worse_than(&self, other: &Self) -> bool {
        let ((a, pairs_a), (b, pairs_b)) = (self.badness(), other.badness());
        a.total_cmp(&b).then(pairs_a.cmp(&pairs_b)).is_gt()
    }
}

impl RunRow {
    /// The names of two objects.
    pub(crate) fn names(&self, objects: [u32; 2]) -> [&str; 2] {
        objects.map(|id| self.objects.get(id as usize).map_or("", |object| &object.name))
    }
}
