//! Skinning: joints carry the vertices.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::skin_blend::{
    RigidJoint, blend_dual_quaternions, blend_linear, blend_spherical, rotation_center,
};
use super::skin_sets::JointSets;
use super::{Deformation, Modes, SkinWeights};
use crate::limits::RIGID_JOINT_SLACK;
use crate::memo::Memo;
use crate::{Error, Mesh, Result};

/// How the joints of a vertex are blended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Blending {
    /// Images are blended: what glTF prescribes and most programs do. Joints may be any
    /// affine maps. Twisted joints lose volume.
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
    /// Checks the influences of a skin with so many joints.
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
    /// [`Error::CountMismatch`] if they are of another number of vertices.
    pub fn with_morph(self, morph: Modes) -> Result<Self> {
        let (expected, given) = (self.weights.vertices(), morph.vertices());
        if expected != given {
            return Err(Error::CountMismatch { what: "vertices of the morph", expected, given });
        }
        Ok(Self { morph: Some(morph), ..self })
    }

    /// How many joints there are.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// How many morph targets there are.
    #[must_use]
    pub fn targets(&self) -> usize {
        self.morph.as_ref().map_or(0, Modes::count)
    }

    /// How many different sets of joints move the vertices.
    #[must_use]
    pub fn joint_sets(&self) -> usize {
        self.sets.len()
    }

    /// The influences.
    #[must_use]
    pub fn weights(&self) -> &SkinWeights {
        &self.weights
    }

    /// Ties it to a mesh.
    fn tie(mut self, mesh: &Mesh) -> Result<Self> {
        let (given, expected) = (self.weights.vertices(), mesh.positions().len());
        if expected != given {
            let what = "vertices with influences";
            return Err(Error::CountMismatch { what, expected, given });
        }
        self.sets.anchor(mesh.positions());
        Ok(self)
    }
}

/// A skin in a pose: the deformation of a [`SkinnedBody`](crate::bound::SkinnedBody).
///
/// The binding is shared between clones; the pose is each one's own. Vertices are computed
/// when they are asked for, and remembered for the pose.
#[derive(Debug, Clone)]
pub struct Skin {
    binding: Arc<Binding>,
    blending: Blending,
    /// The pose as it was set.
    joints: Vec<DAffine3>,
    weights: Vec<f64>,
    /// The joints as rigid motions; empty for linear blending.
    rigid: Vec<RigidJoint>,
    vertices: Memo,
    /// All vertices, if they were moved at once; else empty.
    moved: Vec<DVec3>,
    /// Rotation centres, one a joint set.
    centers: Memo,
}

impl Skin {
    /// A skin at rest: all joints are the identity, all morph weights 0.
    pub(crate) fn new(binding: Binding, blending: Blending, mesh: &Mesh) -> Result<Self> {
        let binding = binding.tie(mesh)?;
        let still = RigidJoint::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        let rigid = if blending == Blending::Linear { 0 } else { binding.joints };
        let centers = if blending == Blending::Spherical { binding.sets.len() } else { 0 };
        Ok(Self {
            blending,
            joints: vec![DAffine3::IDENTITY; binding.joints],
            weights: vec![0.0; binding.targets()],
            rigid: vec![still; rigid],
            vertices: Memo::new(mesh.positions().len()),
            moved: Vec::new(),
            centers: Memo::new(centers),
            binding: Arc::new(binding),
        })
    }

    /// Takes a pose, or refuses it and keeps the old one.
    pub(crate) fn set_pose(&mut self, joints: &[DAffine3], weights: &[f64]) -> Result<()> {
        let expect = |what, expected, given| match given == expected {
            true => Ok(()),
            false => Err(Error::CountMismatch { what, expected, given }),
        };
        expect("joints", self.joints.len(), joints.len())?;
        expect("morph weights", self.weights.len(), weights.len())?;
        if let Some(joint) = joints.iter().position(|joint| !joint.is_finite()) {
            return Err(Error::InvalidJoint { joint, reason: "it is not finite" });
        }
        if let Some(target) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::NonFiniteMorphWeight { target, weight: weights[target] });
        }
        if self.blending != Blending::Linear {
            let sets = &self.binding.sets;
            // Collecting results would not know how many there are.
            let mut rigid = Vec::with_capacity(joints.len());
            for (joint, map) in joints.iter().enumerate() {
                rigid.push(rigid_joint(joint, map, sets.joint_anchor(joint))?);
            }
            self.rigid = rigid;
        }
        self.joints.copy_from_slice(joints);
        self.weights.copy_from_slice(weights);
        self.vertices.forget();
        self.moved.clear();
        self.centers.forget();
        Ok(())
    }

    /// Moves all vertices at once; none is computed when it is asked for then.
    pub(crate) fn move_all(&mut self, mesh: &Mesh) {
        let mut moved = std::mem::take(&mut self.moved);
        moved.clear();
        moved.extend((0..mesh.positions().len()).map(|vertex| self.compute(mesh, vertex)));
        self.moved = moved;
    }

    /// All vertices, if they were moved at once.
    pub(crate) fn moved(&self) -> &[DVec3] {
        &self.moved
    }

    /// How joints are blended.
    #[must_use]
    pub fn blending(&self) -> Blending {
        self.blending
    }

    /// What binds the mesh to the joints.
    #[must_use]
    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// The joints of the current pose.
    #[must_use]
    pub fn joints(&self) -> &[DAffine3] {
        &self.joints
    }

    /// The morph weights of the current pose.
    #[must_use]
    pub fn morph_weights(&self) -> &[f64] {
        &self.weights
    }

    /// How many vertices were computed for the current pose so far: a look at how little a query
    /// needs.
    #[must_use]
    pub fn computed_vertices(&self) -> usize {
        if self.moved.is_empty() { self.vertices.known() } else { self.moved.len() }
    }

    /// The joints as rigid motions; empty for linear blending.
    #[inline]
    pub(crate) fn rigid(&self) -> &[RigidJoint] {
        &self.rigid
    }

    /// The rotation centre of a joint set, for spherical blending.
    #[inline]
    pub(crate) fn center(&self, set: u32) -> DVec3 {
        let sets = &self.binding.sets;
        self.centers.get_or(set as usize, || {
            let (anchor, limit) = (sets.anchor_of(set), sets.reach(set));
            rotation_center(sets.joints(set), &self.rigid, anchor, limit)
        })
    }

    /// Where a vertex is, computed anew.
    #[inline(never)]
    pub(crate) fn compute(&self, mesh: &Mesh, vertex: usize) -> DVec3 {
        let Binding { weights, sets, morph, .. } = &*self.binding;
        let rest = mesh.positions()[vertex];
        let own = match morph {
            Some(modes) => modes.displaced(rest, vertex, &self.weights),
            None => rest,
        };
        let influences = weights.of(vertex);
        if self.blending == Blending::Linear {
            return blend_linear(influences, &self.joints, own);
        }
        let set = sets.of_vertex(vertex);
        let pivot = sets.joints(set)[0];
        if self.blending == Blending::Spherical {
            blend_spherical(influences, &self.rigid, pivot, self.center(set), own)
        } else {
            blend_dual_quaternions(influences, &self.rigid, pivot, own)
        }
    }
}

impl Deformation for Skin {
    #[inline]
    fn position(&self, mesh: &Mesh, vertex: u32) -> DVec3 {
        let vertex = vertex as usize;
        if let Some(moved) = self.moved.get(vertex) {
            return *moved;
        }
        self.vertices.get_or(vertex, || self.compute(mesh, vertex))
    }
}

/// A joint as a rotation and a translation, if it is one up to
/// [`RIGID_JOINT_SLACK`]. What it deviates by is dropped where it matters least:
/// the middle of the vertices that it moves keeps its image.
fn rigid_joint(joint: usize, map: &DAffine3, anchor: DVec3) -> Result<RigidJoint> {
    let matrix = map.matrix3;
    let off = matrix.transpose() * matrix - DMat3::IDENTITY;
    let largest = off.to_cols_array().iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest > RIGID_JOINT_SLACK {
        let reason = "it scales or shears, which only linear blending knows";
        return Err(Error::InvalidJoint { joint, reason });
    }
    if matrix.determinant() < 0.0 {
        let reason = "it mirrors, which only linear blending knows";
        return Err(Error::InvalidJoint { joint, reason });
    }
    let rotation = DQuat::from_mat3(&matrix).normalize();
    let made = RigidJoint::new(rotation, anchor, map.transform_point3(anchor));
    if !made.map.is_finite() || !made.dual.is_finite() {
        return Err(Error::InvalidJoint { joint, reason: "its numbers are too large" });
    }
    Ok(made)
}
