//! Bodies that joints move: constructors and setters.

use std::sync::Arc;

use glam::{DAffine3, DVec3};

use super::{RefitPolicy, SkinBoxes, SkinSpheres};
use crate::deform::{Binding, Blending, Skin};
use crate::tree::{BuildSettings, Tree, build_over_mesh};
use crate::{Body, Mesh, Result};

/// A body that joints move, bounded by boxes: what [`Body::skinned`] makes.
pub type SkinnedBody = Body<Skin, SkinBoxes>;

impl SkinnedBody {
    /// A skinned body at rest, bounded by boxes.
    ///
    /// ```
    /// use pliant::deform::{Binding, Blending, Influence, SkinWeights};
    /// use pliant::{Body, Mesh, glam::{DAffine3, DVec3}, volume::Ray};
    ///
    /// // A triangle whose last corner follows a second joint.
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut weights = SkinWeights::default();
    /// for joint in [0, 0, 1] {
    ///     weights.push(&[Influence { joint, weight: 1.0 }]);
    /// }
    /// let mut body = Body::skinned(mesh, Binding::new(weights, 2)?, Blending::Linear)?;
    ///
    /// let lifted = DAffine3::from_translation(DVec3::Z);
    /// body.set_pose(&[DAffine3::IDENTITY, lifted], &[])?; // touches no vertex
    /// let ray = Ray::new(DVec3::new(0.25, 0.5, 9.0), -DVec3::Z)?;
    /// let (triangle, hit) = pliant::ray_cast(&body, &ray).hit.expect("a hit");
    /// assert_eq!((triangle, hit.t), (0, 8.5));
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CountMismatch`](crate::Error::CountMismatch) if the binding has another
    /// number of vertices.
    pub fn skinned(mesh: Mesh, binding: Binding, blending: Blending) -> Result<Self> {
        Self::skinned_with(mesh, binding, blending, &BuildSettings::default())
    }

    /// As [`Body::skinned`], with these settings for the tree.
    ///
    /// # Errors
    /// Those of [`Body::skinned`], and [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn skinned_with(
        mesh: Mesh,
        binding: Binding,
        blending: Blending,
        settings: &BuildSettings,
    ) -> Result<Self> {
        let (mesh, tree, deformation) = bind(mesh, binding, blending, settings)?;
        let bounds = SkinBoxes::new(&mesh, &tree, &deformation);
        Ok(Self { mesh, tree, deformation, bounds })
    }

    /// Takes a pose: the joints, each a map from the mesh at rest to the world, and the weights of the
    /// morph targets. On an error nothing has changed.
    ///
    /// Costs nothing per vertex and nothing per node, unless the [policy](RefitPolicy) refits the pose as a
    /// whole. By default it does so if queries looked at a large part of the body in the last pose.
    ///
    /// # Errors
    /// [`Error::CountMismatch`](crate::Error::CountMismatch);
    /// [`Error::InvalidJoint`](crate::Error::InvalidJoint) for a joint that is not finite or, unless
    /// blending is linear, not rigid;
    /// [`Error::NonFiniteMorphWeight`](crate::Error::NonFiniteMorphWeight).
    pub fn set_pose(&mut self, joints: &[DAffine3], morph_weights: &[f64]) -> Result<()> {
        self.deformation.set_pose(joints, morph_weights)?;
        if self.bounds.update(&self.deformation) {
            self.deformation.compute_all(&self.mesh);
            let positions = self.deformation.all_positions();
            self.bounds.refits.refit_all(&self.tree, &self.mesh, positions);
        }
        Ok(())
    }

    /// When the boxes of this body are computed.
    #[must_use]
    pub fn policy(&self) -> RefitPolicy {
        self.bounds.refits.policy()
    }

    /// Changes when the boxes of this body are computed, from the next pose on. Also
    /// [resets the history](Self::reset_refit_history).
    ///
    /// ```
    /// use pliant::bound::RefitPolicy;
    /// # use pliant::deform::{Binding, Blending, Influence, SkinWeights};
    /// # use pliant::{Body, Mesh, glam::{DAffine3, DVec3}};
    /// # let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// # let mut weights = SkinWeights::default();
    /// # for joint in [0, 0, 0] {
    /// #     weights.push(&[Influence { joint, weight: 1.0 }]);
    /// # }
    /// # let mut body = Body::skinned(mesh, Binding::new(weights, 1)?, Blending::Linear)?;
    /// assert_eq!(body.policy(), RefitPolicy::Adaptive);
    /// body.set_policy(RefitPolicy::AllAtOnce);
    /// body.set_pose(&[DAffine3::IDENTITY], &[])?; // computes all vertices and all boxes
    /// assert_eq!(body.deformation().computed_vertices(), 3);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn set_policy(&mut self, policy: RefitPolicy) {
        self.bounds.refits.set_policy(policy);
    }

    /// Lets [`RefitPolicy::Adaptive`] decide the next pose as if no query had been asked before.
    ///
    /// For a program that hands frames to threads in blocks: if it calls this before each block, the work
    /// counts of a frame do not depend on which body computed the frames before it.
    pub fn reset_refit_history(&mut self) {
        self.bounds.refits.reset_history();
    }
}

impl Body<Skin, SkinSpheres> {
    /// A skinned body at rest, bounded by spheres as in the paper of Kavan & Žára (2006).
    ///
    /// # Errors
    /// Those of [`Body::skinned_with`].
    pub fn skinned_spheres(
        mesh: Mesh,
        binding: Binding,
        blending: Blending,
        settings: &BuildSettings,
    ) -> Result<Self> {
        let (mesh, tree, deformation) = bind(mesh, binding, blending, settings)?;
        let bounds = SkinSpheres::new(&mesh, &tree, &deformation);
        Ok(Self { mesh, tree, deformation, bounds })
    }

    /// Takes a pose, as [`SkinnedBody::set_pose`]. Costs nothing per vertex and nothing per node.
    ///
    /// # Errors
    /// Those of [`SkinnedBody::set_pose`].
    pub fn set_pose(&mut self, joints: &[DAffine3], morph_weights: &[f64]) -> Result<()> {
        self.deformation.set_pose(joints, morph_weights)?;
        self.bounds.update(&self.deformation);
        Ok(())
    }
}

impl<B> Body<Skin, B> {
    /// The positions of all vertices in the current pose, computed anew, for drawing or export. No query
    /// needs them.
    pub fn positions(&self) -> impl Iterator<Item = DVec3> {
        let vertices = 0..self.mesh.positions().len();
        vertices.map(|vertex| self.deformation.compute(&self.mesh, vertex))
    }
}

/// The tree over a mesh, and the deformation.
fn bind(
    mesh: Mesh,
    binding: Binding,
    blending: Blending,
    settings: &BuildSettings,
) -> Result<(Arc<Mesh>, Arc<Tree>, Skin)> {
    let tree = build_over_mesh(&mesh, settings)?;
    let deformation = Skin::new(binding, blending, &mesh)?;
    Ok((Arc::new(mesh), Arc::new(tree), deformation))
}
