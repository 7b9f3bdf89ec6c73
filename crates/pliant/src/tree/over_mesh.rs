//! A tree over the triangles of a mesh at rest.

use crate::parallel::*;

use super::{BuildSettings, Tree, build};
use crate::volume::Aabb;
use crate::{Mesh, Result};

/// Builds a tree over the triangles of a mesh at rest.
///
/// # Errors
/// The same as for [`build`].
pub fn build_over_mesh(mesh: &Mesh, settings: &BuildSettings) -> Result<Tree> {
    let position = |vertex: u32| mesh.positions()[vertex as usize];
    let around = |corners: &[u32; 3]| Aabb::around(corners.map(position));
    // Small meshes are finished before another thread wakes up.
    let boxes: Vec<Aabb> = mesh.triangles().par_iter().with_min_len(1 << 14).map(around).collect();
    build(&boxes, settings)
}
