//! Where a vertex is now: a function of the rest shape and of a few numbers.

mod affine;
mod at_once;
mod flight;
mod free;
mod modes;
mod reduced;
mod rigid;
mod skin;

pub use affine::Affine;
pub use at_once::{blend_linear_all, map_all};
pub(crate) use flight::Moment;
pub use flight::{Course, Flight, Keyframes, Plan};
pub use free::Free;
pub use modes::Modes;
pub use reduced::Reduced;
pub(crate) use reduced::row_sums;
pub use rigid::{Isometry, Rigid};
pub(crate) use skin::RigidJoint;
pub use skin::{Binding, Blending, Influence, Skin, SkinWeights, blend_linear};

use glam::DVec3;

use crate::Mesh;

/// Where the vertices of a mesh are for the current state.
///
/// Asking twice gives the same bits: bounds and exact tests rely on it.
pub trait Deformation: Send + Sync {
    /// The current position of one vertex of `mesh`.
    fn position(&self, mesh: &Mesh, vertex: u32) -> DVec3;

    /// The current corners of one triangle of `mesh`.
    #[inline]
    fn triangle(&self, mesh: &Mesh, triangle: u32) -> [DVec3; 3] {
        let [a, b, c] = mesh.triangles()[triangle as usize];
        [self.position(mesh, a), self.position(mesh, b), self.position(mesh, c)]
    }
}
