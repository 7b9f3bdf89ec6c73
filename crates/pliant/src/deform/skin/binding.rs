//! What binds a mesh to joints, and how the joints are blended.

use super::{JointSets, SkinWeights};
use crate::deform::Modes;
use crate::{Error, Mesh, Result};

/// How the joints of a vertex are blended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Blending {
    /// The images of a vertex are blended. glTF prescribes this, and most programs do it. Joints may
    /// be any affine maps. Twisted joints lose volume.
    #[default]
    Linear,
    /// Rotations are blended, about a centre that the joints of a vertex share
    /// (Kavan & Žára 2006). Joints must be rigid.
    Spherical,
    /// Rigid motions are blended as dual quaternions. Joints must be rigid.
    DualQuaternion,
}

/// How a mesh is bound to joints: influences and, if it has any, morph targets that are
/// applied before the joints.
///
/// ```
/// use pliant::deform::{Binding, Influence, SkinWeights};
/// let mut weights = SkinWeights::default();
/// weights.push(&[Influence { joint: 0, weight: 0.5 }, Influence { joint: 1, weight: 0.25 }]);
/// let error = Binding::new(weights, 2).unwrap_err();
/// assert_eq!(error.to_string(), "the influences of vertex 0 are not usable: its weights do not sum to 1");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    pub(crate) weights: SkinWeights,
    pub(crate) sets: JointSets,
    pub(crate) joints: usize,
    pub(crate) morph: Option<Modes>,
}

impl Binding {
    /// Checks the influences of a skin with this many joints.
    ///
    /// # Errors
    /// [`Error::InvalidInfluences`] for a joint out of range, a weight that is negative or
    /// not a number, weights that do not sum to 1 within
    /// [`WEIGHT_SUM_SLACK`](crate::limits::WEIGHT_SUM_SLACK): normalise them before.
    pub fn new(weights: SkinWeights, joints: usize) -> Result<Self> {
        weights.check(joints)?;
        let sets = JointSets::new(&weights, joints);
        Ok(Self { weights, sets, joints, morph: None })
    }

    /// The same with morph targets.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the targets have another number of vertices.
    pub fn with_morph(self, morph: Modes) -> Result<Self> {
        let (expected, given) = (self.weights.vertices(), morph.vertices());
        if expected != given {
            return Err(Error::CountMismatch { what: "vertices of the morph", expected, given });
        }
        Ok(Self { morph: Some(morph), ..self })
    }

    /// The number of joints.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// The number of morph targets.
    #[must_use]
    pub fn targets(&self) -> usize {
        self.morph.as_ref().map_or(0, Modes::count)
    }

    /// The morph targets, if it has any.
    #[must_use]
    pub fn morph(&self) -> Option<&Modes> {
        self.morph.as_ref()
    }

    /// The number of different joint sets. The joint set of a vertex is the set of joints that have
    /// weight in it.
    #[must_use]
    pub fn joint_sets(&self) -> usize {
        self.sets.len()
    }

    /// The influences.
    #[must_use]
    pub fn weights(&self) -> &SkinWeights {
        &self.weights
    }

    /// For each vertex the first one at the same place at rest, if the same influences and targets move it:
    /// then both have the same position in every pose, bit for bit. Else the vertex itself.
    ///
    /// Meshes with seams, or without an index, repeat vertices.
    pub(crate) fn twins(&self, mesh: &Mesh) -> Vec<u32> {
        let bits = |vertex: usize| mesh.positions()[vertex].to_array().map(f64::to_bits);
        let weights = |vertex: usize| {
            let own = self.weights.of(vertex).iter();
            own.map(|influence| (influence.joint, influence.weight.to_bits()))
        };
        let targets = |vertex: usize| {
            let own = self.morph.as_ref().map_or(&[][..], |modes| modes.of(vertex)).iter();
            own.flat_map(|mode| mode.to_array().map(f32::to_bits))
        };
        let is_twin = |a: usize, b: usize| {
            bits(a) == bits(b) && weights(a).eq(weights(b)) && targets(a).eq(targets(b))
        };
        let first = |(vertex, &place): (usize, &u32)| {
            if is_twin(vertex, place as usize) { place } else { vertex as u32 }
        };
        mesh.places().iter().enumerate().map(first).collect()
    }

    /// Completes the joint sets with the rest positions of a mesh.
    pub(super) fn bind_to(mut self, mesh: &Mesh) -> Result<Self> {
        let (given, expected) = (self.weights.vertices(), mesh.positions().len());
        if expected != given {
            let what = "vertices with influences";
            return Err(Error::CountMismatch { what, expected, given });
        }
        self.sets.measure(mesh.positions());
        Ok(self)
    }
}
