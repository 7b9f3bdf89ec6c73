//! Skinning: joints carry the vertices.

use std::sync::{Arc, OnceLock};

use glam::{DAffine3, DVec3};

use super::skin_blend::{
    RigidJoint, blend_dual_quaternions, blend_linear, blend_spherical, rotation_center,
};
use super::skin_rigid::{MOST_SKEW, exact_skew, made_rigid, rigid_joint, skew};
use super::skin_sets::JointSets;
use super::{Deformation, Modes, SkinWeights};
use crate::memo::{Memo, Remember as _};
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
    /// The joints as rigid motions, all of them when the first is asked for. Linear blending
    /// does not ask.
    rigid: OnceLock<Vec<RigidJoint>>,
    /// How far the joints are from rigid, as [`skew`] has it; 0 for linear blending.
    skew: f32,
    /// The same, as [`exact_skew`] has it, when it is asked for.
    exact_skew: OnceLock<f32>,
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
        let centers = if blending == Blending::Spherical { binding.sets.len() } else { 0 };
        Ok(Self {
            blending,
            joints: vec![DAffine3::IDENTITY; binding.joints],
            weights: vec![0.0; binding.targets()],
            rigid: OnceLock::new(),
            skew: 0.0,
            exact_skew: OnceLock::new(),
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
        if !all_finite(joints) {
            let joint = joints.iter().position(|joint| !joint.is_finite()).unwrap_or(0);
            return Err(Error::InvalidJoint { joint, reason: "it is not finite" });
        }
        if let Some(target) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::NonFiniteMorphWeight { target, weight: weights[target] });
        }
        if self.blending != Blending::Linear {
            let sets = &self.binding.sets;
            match skew(joints).filter(|_| sets.joint_anchors_are_modest()) {
                Some(skew) => {
                    self.rigid.take();
                    self.skew = skew;
                }
                None => {
                    let rigid = joints.iter().enumerate();
                    let rigid = rigid.map(|(at, map)| rigid_joint(at, map, sets.joint_anchor(at)));
                    self.rigid = OnceLock::from(rigid.collect::<Result<Vec<_>>>()?);
                    self.skew = MOST_SKEW;
                }
            }
        }
        self.exact_skew.take();
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
        let Binding { weights, morph, .. } = &*self.binding;
        let rest = mesh.positions().iter().enumerate();
        if self.blending == Blending::Linear && morph.is_none() {
            moved.extend(rest.map(|(at, &rest)| blend_linear(weights.of(at), &self.joints, rest)));
        } else {
            moved.extend(rest.map(|(at, _)| self.compute(mesh, at)));
        }
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

    /// The joints as rigid motions; of no meaning for linear blending.
    #[inline]
    pub(crate) fn rigid(&self) -> &[RigidJoint] {
        self.rigid.get_or_init(|| {
            let joints = self.joints.iter().enumerate();
            let sets = &self.binding.sets;
            joints.map(|(at, map)| made_rigid(map, sets.joint_anchor(at))).collect()
        })
    }

    /// How far R^T R of the joints is from the identity, entry by entry, at the most; of no meaning
    /// for linear blending.
    #[inline]
    pub(crate) fn skew(&self) -> f32 {
        self.skew
    }

    /// The same, from the joints in `f64`: it takes a while, and is less by far.
    #[inline]
    pub(crate) fn exact_skew(&self) -> f32 {
        *self.exact_skew.get_or_init(|| exact_skew(&self.joints))
    }

    /// The rotation centre of a joint set, for spherical blending.
    #[inline]
    pub(crate) fn center(&self, set: u32) -> DVec3 {
        let sets = &self.binding.sets;
        self.centers.get_or(set as usize, || {
            let (anchor, limit) = (sets.anchor_of(set), sets.reach(set));
            rotation_center(sets.joints(set), self.rigid(), anchor, limit)
        })
    }

    /// Where each of some vertices is, by [`Deformation::position`].
    #[inline]
    pub(crate) fn positions_of<'a>(
        &'a self,
        mesh: &'a Mesh,
        vertices: &'a [u32],
    ) -> impl Iterator<Item = DVec3> + 'a {
        let Binding { weights, morph, .. } = &*self.binding;
        let plain = self.blending == Blending::Linear && morph.is_none() && self.moved.is_empty();
        vertices.iter().map(move |&vertex| {
            if !plain {
                return self.position(mesh, vertex);
            }
            // The usual case, without a call.
            let at = vertex as usize;
            let blend = || blend_linear(weights.of(at), &self.joints, mesh.positions()[at]);
            DVec3::from_words(self.vertices.words_or(at, || blend().to_words()))
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
            blend_spherical(influences, self.rigid(), pivot, self.center(set), own)
        } else {
            blend_dual_quaternions(influences, self.rigid(), pivot, own)
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
        let words = self.vertices.words_or(vertex, || self.compute(mesh, vertex).to_words());
        DVec3::from_words(words)
    }
}

/// Whether all numbers of all joints are finite, without a branch a number: an exponent of all ones
/// and one more carries over into the sign.
#[inline]
fn all_finite(joints: &[DAffine3]) -> bool {
    const EXPONENT: u64 = f64::INFINITY.to_bits();
    const ONE_MORE: u64 = 1 << 52;
    let mut carried = 0;
    for joint in joints {
        for number in joint.to_cols_array() {
            carried |= (number.to_bits() & EXPONENT).wrapping_add(ONE_MORE);
        }
    }
    carried >> 63 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_finite_is_found_wherever_it_is() {
        let large = DAffine3::from_cols_array(
            &[f64::MAX, -f64::MAX, 1e-310, -0.0].repeat(3).try_into().unwrap(),
        );
        assert!(all_finite(&[large; 5]) && all_finite(&[]));
        for bad in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in 0..36 {
                let mut joints = [large; 3];
                let mut numbers = large.to_cols_array();
                numbers[place % 12] = bad;
                joints[place / 12] = DAffine3::from_cols_array(&numbers);
                assert!(!all_finite(&joints), "{bad} at {place}");
            }
        }
    }
}
