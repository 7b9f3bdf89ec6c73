//! Skinning: joints move the vertices.

mod binding;
mod blend;
mod joint_sets;
mod rigid_joint;
mod weights;

pub use binding::{Binding, Blending};
pub use blend::blend_linear;
pub(crate) use joint_sets::JointSets;
pub(crate) use rigid_joint::RigidJoint;
pub use weights::{Influence, SkinWeights};

use std::sync::{Arc, OnceLock};

use glam::{DAffine3, DVec3};

use super::Deformation;
use super::at_once::blend_linear_all;
use crate::memo::{Memo, Remember as _};
use crate::{Error, Mesh, Result};
use blend::{blend_dual_quaternions, blend_spherical, rotation_center};
use rigid_joint::{MAX_SKEW, exact_skew, nearest_rigid, quick_skew, rigid_joint};

/// A skin in a pose: the deformation of a [`SkinnedBody`](crate::bound::SkinnedBody).
///
/// Clones share the binding; each has its own pose. A vertex is computed when it is asked for, and
/// remembered until the pose changes.
#[derive(Debug, Clone)]
pub struct Skin {
    binding: Arc<Binding>,
    blending: Blending,
    /// The pose as it was set.
    joints: Vec<DAffine3>,
    morph_weights: Vec<f64>,
    /// The joints as rigid motions. All are computed when the first is asked for. Linear blending
    /// does not use them.
    rigid_joints: OnceLock<Vec<RigidJoint>>,
    /// How far the joints are from rigid, by [`quick_skew`]; 0 for linear blending.
    quick_skew: f32,
    /// The same by [`exact_skew`], computed when it is asked for.
    exact_skew: OnceLock<f32>,
    vertices: Memo<DVec3>,
    /// All vertices, if they were computed at once; else empty.
    all_positions: Vec<DVec3>,
    /// Rotation centres, one per joint set.
    rotation_centers: Memo<DVec3>,
}

impl Skin {
    /// A skin at rest: all joints are the identity, all morph weights 0.
    pub(crate) fn new(binding: Binding, blending: Blending, mesh: &Mesh) -> Result<Self> {
        let binding = binding.bind_to(mesh)?;
        let centers = if blending == Blending::Spherical { binding.sets.len() } else { 0 };
        Ok(Self {
            blending,
            joints: vec![DAffine3::IDENTITY; binding.joints],
            morph_weights: vec![0.0; binding.targets()],
            rigid_joints: OnceLock::new(),
            quick_skew: 0.0,
            exact_skew: OnceLock::new(),
            vertices: Memo::new(mesh.positions().len()),
            all_positions: Vec::new(),
            rotation_centers: Memo::new(centers),
            binding: Arc::new(binding),
        })
    }

    /// Takes a pose. On an error the old pose stays.
    pub(crate) fn set_pose(&mut self, joints: &[DAffine3], morph_weights: &[f64]) -> Result<()> {
        let expect = |what, expected, given| match given == expected {
            true => Ok(()),
            false => Err(Error::CountMismatch { what, expected, given }),
        };
        expect("joints", self.joints.len(), joints.len())?;
        expect("morph weights", self.morph_weights.len(), morph_weights.len())?;
        if !all_finite(joints) {
            let joint = joints.iter().position(|joint| !joint.is_finite()).unwrap_or(0);
            return Err(Error::InvalidJoint { joint, reason: "it is not finite" });
        }
        if let Some(target) = morph_weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::NonFiniteMorphWeight { target, weight: morph_weights[target] });
        }
        if self.blending != Blending::Linear {
            let sets = &self.binding.sets;
            match quick_skew(joints).filter(|_| sets.joint_anchors_are_moderate()) {
                Some(skew) => {
                    self.rigid_joints.take();
                    self.quick_skew = skew;
                }
                None => {
                    let rigid = joints.iter().enumerate();
                    let rigid = rigid.map(|(at, map)| rigid_joint(at, map, sets.joint_anchor(at)));
                    self.rigid_joints = OnceLock::from(rigid.collect::<Result<Vec<_>>>()?);
                    self.quick_skew = MAX_SKEW;
                }
            }
        }
        self.exact_skew.take();
        self.joints.copy_from_slice(joints);
        self.morph_weights.copy_from_slice(morph_weights);
        self.vertices.forget();
        self.all_positions.clear();
        self.rotation_centers.forget();
        Ok(())
    }

    /// Computes all vertices at once. None is computed on demand afterwards.
    pub(crate) fn compute_all(&mut self, mesh: &Mesh) {
        let mut all = std::mem::take(&mut self.all_positions);
        all.clear();
        all.extend_from_slice(mesh.positions());
        let Binding { weights, morph, .. } = &*self.binding;
        if self.blending == Blending::Linear {
            if let Some(modes) = morph {
                modes.displace_all(&self.morph_weights, &mut all);
            }
            blend_linear_all(weights, &self.joints, &mut all);
        } else {
            for (at, position) in all.iter_mut().enumerate() {
                *position = self.compute(mesh, at);
            }
        }
        self.all_positions = all;
    }

    /// All vertices, if they were computed at once; else empty.
    pub(crate) fn all_positions(&self) -> &[DVec3] {
        &self.all_positions
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

    /// The binding, shared between clones.
    pub(crate) fn shared_binding(&self) -> &Arc<Binding> {
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
        &self.morph_weights
    }

    /// The number of vertices that were computed for the current pose so far. It shows how little a
    /// query needs.
    #[must_use]
    pub fn computed_vertices(&self) -> usize {
        match self.all_positions.is_empty() {
            true => self.vertices.known(),
            false => self.all_positions.len(),
        }
    }

    /// The joints as rigid motions; without meaning for linear blending.
    #[inline]
    pub(crate) fn rigid_joints(&self) -> &[RigidJoint] {
        self.rigid_joints.get_or_init(|| {
            let joints = self.joints.iter().enumerate();
            let sets = &self.binding.sets;
            joints.map(|(at, map)| nearest_rigid(map, sets.joint_anchor(at))).collect()
        })
    }

    /// An upper bound of how far any entry of R^T R of any joint is from the identity; without
    /// meaning for linear blending.
    #[inline]
    pub(crate) fn quick_skew(&self) -> f32 {
        self.quick_skew
    }

    /// The same from the joints in `f64`: much smaller, but it takes longer.
    #[inline]
    pub(crate) fn exact_skew(&self) -> f32 {
        *self.exact_skew.get_or_init(|| exact_skew(&self.joints))
    }

    /// The rotation centre of a joint set, for spherical blending.
    #[inline]
    pub(crate) fn rotation_center(&self, set: u32) -> DVec3 {
        let sets = &self.binding.sets;
        self.rotation_centers.get_or(set as usize, || {
            let (anchor, limit) = (sets.anchor(set), sets.reach(set));
            rotation_center(sets.joints(set), self.rigid_joints(), anchor, limit)
        })
    }

    /// The point about which joints turn a vertex in the current pose (Kavan and Žára 2006, equation
    /// 1); `None` if there is no such vertex, or if blending is not spherical.
    #[must_use]
    pub fn rotation_center_of(&self, vertex: u32) -> Option<DVec3> {
        let known = (vertex as usize) < self.binding.weights.vertices();
        (known && self.blending == Blending::Spherical)
            .then(|| self.rotation_center(self.binding.sets.of_vertex(vertex as usize)))
    }

    /// The positions of some vertices, as [`Deformation::position`] computes them.
    #[inline]
    pub(crate) fn positions_of<'a>(
        &'a self,
        mesh: &'a Mesh,
        vertices: &'a [u32],
    ) -> impl Iterator<Item = DVec3> + 'a {
        let Binding { weights, morph, .. } = &*self.binding;
        let on_demand = self.all_positions.is_empty();
        let plain = self.blending == Blending::Linear && morph.is_none() && on_demand;
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

    /// The position of a vertex, computed anew.
    #[inline(never)]
    pub(crate) fn compute(&self, mesh: &Mesh, vertex: usize) -> DVec3 {
        let Binding { weights, sets, morph, .. } = &*self.binding;
        let rest = mesh.positions()[vertex];
        let morphed = match morph {
            Some(modes) => modes.displaced(rest, vertex, &self.morph_weights),
            None => rest,
        };
        let influences = weights.of(vertex);
        if self.blending == Blending::Linear {
            return blend_linear(influences, &self.joints, morphed);
        }
        let set = sets.of_vertex(vertex);
        let pivot = sets.joints(set)[0];
        let joints = self.rigid_joints();
        if self.blending == Blending::Spherical {
            blend_spherical(influences, joints, pivot, self.rotation_center(set), morphed)
        } else {
            blend_dual_quaternions(influences, joints, pivot, morphed)
        }
    }
}

impl Deformation for Skin {
    #[inline]
    fn position(&self, mesh: &Mesh, vertex: u32) -> DVec3 {
        let vertex = vertex as usize;
        if let Some(position) = self.all_positions.get(vertex) {
            return *position;
        }
        let words = self.vertices.words_or(vertex, || self.compute(mesh, vertex).to_words());
        DVec3::from_words(words)
    }
}

/// Whether all numbers of all joints are finite, without a branch per number. Adding 1 to an exponent
/// of all ones carries into the sign bit.
#[inline]
fn all_finite(joints: &[DAffine3]) -> bool {
    const EXPONENT: u64 = f64::INFINITY.to_bits();
    const EXPONENT_STEP: u64 = 1 << 52;
    let mut signs = 0;
    for joint in joints {
        for number in joint.to_cols_array() {
            signs |= (number.to_bits() & EXPONENT).wrapping_add(EXPONENT_STEP);
        }
    }
    signs >> 63 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_finite_is_found_at_any_place() {
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
