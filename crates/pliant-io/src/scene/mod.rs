//! What a file holds, whatever its format: nodes, objects, skins and animations.
//!
//! A [`Scene`] is made from [`SceneParts`], which are plain data; [`Scene::new`]
//! checks them once, so that nothing after it can meet an index out of range.
//! [`Scene::pose`] then gives the numbers that drive every deformation at one
//! time, and [`Scene::posed`] says where the vertices of one object are in it.

mod animation;
mod check;
mod keyframes;
mod material;
mod node;
mod pose;
mod posed;
mod sag;
mod sag_past_key;
mod shape_key;
mod standing;
mod state;
mod stray;

use std::fmt;
use std::sync::Arc;

use pliant::Mesh;
use pliant::deform::Blending;
pub use pliant::deform::{Influence, SkinWeights};
use pliant::glam::{DAffine3, DVec3};

pub use animation::{Animation, Channel, Interpolation, Property, Sampler};
pub(crate) use keyframes::keyframes_to_morph_targets;
pub use material::MaterialRun;
pub(crate) use material::extend_runs;
pub use node::{Node, NodeTransform};
pub(crate) use node::{parents_first, topmost};
pub use pose::{FrameBlend, Pose};
pub use posed::Posed;
pub use sag::Sags;
pub use shape_key::ShapeKey;
pub use state::{ObjectState, affine_rows};
pub use stray::RestReaches;

use crate::printable;

/// Why a scene or a pose was refused: the element in it and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", printable(element), printable(reason))]
pub struct SceneError {
    /// The element at fault, such as `node 3` or `animation 0 channel 2`.
    pub element: String,
    /// What is wrong with it.
    pub reason: String,
}

impl SceneError {
    pub(crate) fn new(element: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { element: element.into(), reason: reason.into() }
    }
}

/// Something in a file that was mended or left out, and that the user should know of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The element concerned, such as `mesh 2 primitive 0`.
    pub element: String,
    /// What was done and why.
    pub reason: String,
}

impl Warning {
    pub(crate) fn new(element: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { element: element.into(), reason: reason.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", printable(&self.element), printable(&self.reason))
    }
}

/// The contents of a [`Scene`], as plain data, not yet checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SceneParts {
    /// Every node; a node names its parent.
    pub nodes: Vec<Node>,
    /// The things with a surface; no two hang from one node.
    pub objects: Vec<Object>,
    /// The skins that objects name.
    pub skins: Vec<Skin>,
    /// The motions that [`Scene::pose`] chooses from.
    pub animations: Vec<Animation>,
    /// What the loader mended or left out.
    pub warnings: Vec<Warning>,
}

/// A checked scene.
///
/// ```
/// use pliant::{Mesh, glam::{DAffine3, DVec3}};
/// use pliant_io::{Deformation, Node, NodeTransform, Object, Scene, SceneParts};
///
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let lifted = NodeTransform::Matrix(DAffine3::from_translation(DVec3::Z));
/// let scene = Scene::new(SceneParts {
///     nodes: vec![Node { name: None, parent: None, transform: lifted }],
///     objects: vec![Object::new("sheet", 0, mesh, Deformation::Rigid)],
///     ..SceneParts::default()
/// })?;
/// let pose = scene.pose(None, 0.0)?;
/// let mut corners = Vec::new();
/// scene.posed(0, &pose)?.positions(&mut corners);
/// assert_eq!(corners[1], DVec3::new(1.0, 0.0, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    parts: SceneParts,
    /// Every node, parents before children.
    order: Vec<usize>,
    /// For each node the object that hangs from it.
    object_on: Vec<Option<usize>>,
}

impl Scene {
    /// Checks the parts and takes them.
    ///
    /// # Errors
    /// A [`SceneError`] that names the element: an index out of range, a loop of
    /// nodes, two objects on one node, counts that do not match, keys that do not
    /// increase, a number that is not finite.
    pub fn new(parts: SceneParts) -> Result<Self, SceneError> {
        let order = parents_first(&parts.nodes)?;
        check::check(&parts)?;
        let mut object_on = vec![None; parts.nodes.len()];
        for (index, object) in parts.objects.iter().enumerate() {
            object_on[object.node] = Some(index);
        }
        Ok(Self { parts, order, object_on })
    }

    /// Every node, numbered as in the file.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.parts.nodes
    }

    /// The numbers of all nodes, parents before children.
    #[must_use]
    pub fn parents_first(&self) -> &[usize] {
        &self.order
    }

    /// The objects; for glTF, one for each mesh node, in node order.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.parts.objects
    }

    /// Names the shape of an object, for what can be shared between objects of the same shape;
    /// `None` if there is no such object.
    #[must_use]
    pub fn shape_key(&self, object: usize) -> Option<ShapeKey> {
        self.objects().get(object).map(|object| ShapeKey::new(object, self.skins()))
    }

    /// The skins.
    #[must_use]
    pub fn skins(&self) -> &[Skin] {
        &self.parts.skins
    }

    /// The animations, numbered as in the file.
    #[must_use]
    pub fn animations(&self) -> &[Animation] {
        &self.parts.animations
    }

    /// What the loader mended or left out.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.parts.warnings
    }

    /// The animation of this name or, if none has it, of this number.
    #[must_use]
    pub fn find_animation(&self, name_or_number: &str) -> Option<usize> {
        let animations = &self.parts.animations;
        animations.iter().position(|animation| animation.name == name_or_number).or_else(|| {
            name_or_number.parse().ok().filter(|&number: &usize| number < animations.len())
        })
    }

    /// Gives the contents back, to change them and make another scene.
    #[must_use]
    pub fn into_parts(self) -> SceneParts {
        self.parts
    }
}

/// Something with a surface: a mesh at rest and how it deforms.
///
/// The large arrays are shared, so that a mesh used by many nodes is stored once.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// Its name: the node's, else the mesh's, else made from the node's number.
    pub name: String,
    /// The node that it hangs from.
    pub node: usize,
    /// The mesh at rest, in its own space.
    pub mesh: Arc<Mesh>,
    /// How it deforms.
    pub deformation: Deformation,
    /// Weights of the morph targets where no animation sets them; empty without targets.
    pub default_weights: Vec<f64>,
    /// The materials of its triangles, in order; empty if the file names none.
    pub materials: Arc<[MaterialRun]>,
}

impl Object {
    /// An object without materials, whose morph targets, if it has any, rest at weight 0.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        node: usize,
        mesh: impl Into<Arc<Mesh>>,
        deformation: Deformation,
    ) -> Self {
        let targets = deformation.morph_targets().map_or(0, |targets| targets.deltas.len());
        let default_weights = vec![0.0; targets];
        let (name, mesh, materials) = (name.into(), mesh.into(), Arc::default());
        Self { name, node, mesh, deformation, default_weights, materials }
    }
}

/// How an object deforms.
#[derive(Debug, Clone, PartialEq)]
pub enum Deformation {
    /// Not at all: its node moves it.
    Rigid,
    /// By a weighted sum of displacements, then its node moves it.
    Morph(Arc<MorphTargets>),
    /// By joints, after its morph targets if it has any. Its node's own
    /// transform does not count.
    Skin {
        /// The skin, a number into [`Scene::skins`].
        skin: usize,
        /// Which joints move each vertex.
        weights: Arc<SkinWeights>,
        /// Displacements added before skinning.
        morph: Option<Arc<MorphTargets>>,
    },
    /// By stored positions of every vertex, then its node moves it.
    Keyframes(Arc<Keyframes>),
}

impl Deformation {
    /// Its name in reports: `rigid`, `morph`, `skin-linear`, `skin-linear+morph`, `keyframes`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.blended_name(Blending::Linear)
    }

    /// The same with the joints of skins blended in some way: `skin-spherical`,
    /// `skin-dual-quaternion+morph`.
    #[must_use]
    pub fn blended_name(&self, blending: Blending) -> &'static str {
        match (self, blending) {
            (Self::Rigid, _) => "rigid",
            (Self::Morph(_), _) => "morph",
            (Self::Keyframes(_), _) => "keyframes",
            (Self::Skin { morph: None, .. }, Blending::Linear) => "skin-linear",
            (Self::Skin { morph: None, .. }, Blending::Spherical) => "skin-spherical",
            (Self::Skin { morph: None, .. }, Blending::DualQuaternion) => "skin-dual-quaternion",
            (Self::Skin { .. }, Blending::Linear) => "skin-linear+morph",
            (Self::Skin { .. }, Blending::Spherical) => "skin-spherical+morph",
            (Self::Skin { .. }, Blending::DualQuaternion) => "skin-dual-quaternion+morph",
        }
    }

    /// The morph targets, if there are any.
    #[must_use]
    pub fn morph_targets(&self) -> Option<&MorphTargets> {
        match self {
            Self::Morph(targets) | Self::Skin { morph: Some(targets), .. } => Some(targets),
            _ => None,
        }
    }
}

/// Displacements of every vertex, one set a target.
#[derive(Debug, Clone, PartialEq)]
pub struct MorphTargets {
    /// For each target, one displacement a vertex. They count in `f32`, as files hold them.
    pub deltas: Vec<Vec<DVec3>>,
}

/// A skin: the nodes that act as joints, and their transforms at bind time.
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// The joint nodes.
    pub joints: Vec<usize>,
    /// For each joint the matrix from mesh space to the joint's space at bind time.
    pub inverse_bind: Vec<DAffine3>,
}

/// Positions of every vertex at given times, linear in between.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframes {
    /// The times in seconds, strictly increasing.
    pub times: Vec<f64>,
    /// For each time, one position a vertex, in the object's own space.
    pub frames: Vec<Vec<DVec3>>,
}
