//! k-DOPs of a rigid body, from the vertices of those at rest.

use std::sync::Arc;

use glam::{DAffine3, Vec3A};

use super::rigid::largest_coordinate;
use super::{BottomUp, Bounds, SphereForm};
use crate::deform::{Isometry, Rigid};
use crate::tree::{BuildSettings, build_over_mesh};
use crate::volume::{Dop, Fit as _, Motion};
use crate::{Body, Mesh, Result};

/// The vertices of the k-DOPs of a mesh at rest, and the current motion (Klosowski et al. 1998,
/// section 5.2: the tighter and dearer way; [`RigidBounds`](super::RigidBounds) has the cheaper one).
///
/// The k-DOP of a node is computed when it is asked for: around the images of the vertices of the one at
/// rest. An 18-DOP has up to 32 of them.
#[derive(Debug, Clone)]
pub struct DopHulls<const N: usize> {
    /// For each node where its vertices begin, and where the last ends.
    starts: Arc<[u32]>,
    vertices: Arc<[Vec3A]>,
    /// No coordinate at rest is larger.
    reach: f64,
    motion: Motion,
}

impl<const N: usize> Body<Rigid, DopHulls<N>> {
    /// A rigid body at rest, bounded by k-DOPs of `N` slabs that are turned by their vertices.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn rigid_dop_hulls(mesh: Mesh, settings: &BuildSettings) -> Result<Self> {
        let tree = build_over_mesh(&mesh, settings)?;
        let form = SphereForm::Layered;
        let fitted: BottomUp<Dop<N>> = BottomUp::new(&tree, &mesh, mesh.positions(), form);
        let reach = largest_coordinate(fitted.volumes());
        let (mut starts, mut vertices) = (vec![0], Vec::new());
        for dop in fitted.volumes() {
            vertices.extend(dop.vertices().into_iter().map(|p| p.as_vec3a()));
            starts.push(vertices.len() as u32);
        }
        let motion = Motion::rigid(DAffine3::IDENTITY, reach);
        let (starts, vertices) = (starts.into(), vertices.into());
        Ok(Self {
            mesh: Arc::new(mesh),
            tree: Arc::new(tree),
            deformation: Rigid { isometry: Isometry::IDENTITY },
            bounds: DopHulls { starts, vertices, reach, motion },
        })
    }

    /// Places the body. Costs nothing per vertex and nothing per node.
    pub fn set_isometry(&mut self, isometry: Isometry) {
        self.deformation.isometry = isometry;
        let (matrix3, translation) = (isometry.rotation(), isometry.translation());
        self.bounds.motion = Motion::rigid(DAffine3 { matrix3, translation }, self.bounds.reach);
    }
}

impl<const N: usize> Bounds<Rigid> for DopHulls<N> {
    type Volume = Dop<N>;

    /// Around the images of the vertices, and the allowance of the motion along each direction.
    ///
    /// With w = 2^-24 and M the largest magnitude of a coordinate on the way, a vertex at rest is off by
    /// w M (to `f32`) and 1e-11 M; its image passes at most six roundings of w M per axis, a sum
    /// along a direction two more of at most three times M, the ends one. The allowance is 32w M per axis.
    #[inline]
    fn bound(&self, _: &Rigid, node: u32) -> Dop<N> {
        let node = node as usize;
        let own = &self.vertices[self.starts[node] as usize..self.starts[node + 1] as usize];
        if !self.motion.is_bounded() || own.is_empty() {
            return Dop::EVERYWHERE;
        }
        let (linear, translation) = (*self.motion.linear(), self.motion.translation());
        Dop::around_images(own.iter().map(|&p| linear * p + translation), self.motion.allowance())
    }
}
