//! What encloses a node now: a volume as a function of node and state.
//!
//! A new method is one new file here that answers [`Bounds::bound`]; every
//! query works with it at once.

mod affine;
mod bottom_up;
mod flight;
mod free;
mod kinetic;
mod reduced;
mod refit_plan;
mod rigid;
mod skin;
mod small_subtrees;

pub use affine::{AffineBody, AffineBoxes};
pub use bottom_up::{BottomUp, SphereForm};
pub use flight::{Expiring, FlightBounds, KeyframedBody};
pub use free::FreeBody;
pub use kinetic::{EventCount, KineticAabb, KineticBox};
pub use reduced::{
    Anchored, BoundedDeformation, BoxTable, ReducedBody, RestTable, SphereCenter, Table,
};
pub use rigid::{RigidBody, RigidBounds};
pub(crate) use skin::{Entry, FewTriangles};
pub use skin::{RayFrame, RefitPolicy, SkinBoxes, SkinSpheres, SkinnedBody};

use crate::Mesh;
use crate::volume::{Ray, Volume};

/// Volumes of a tree's nodes for the state of a deformation `D`.
///
/// As long as a body keeps its state, the same node has the same volume: asking costs what it costs,
/// changes no answer, and may be done from any number of threads. Which volume that is may depend
/// on what was asked in the states before (it does for skins with an adaptive [`RefitPolicy`]).
///
/// Guarantee: the volume of a node contains every vertex of every triangle
/// below it as [`Deformation::position`](crate::deform::Deformation::position)
/// computes it, rounding included.
pub trait Bounds<D>: Send + Sync {
    /// The kind of volume.
    type Volume: Volume;

    /// The volume of a node of the tree that these bounds were made for.
    fn bound(&self, deformation: &D, node: u32) -> Self::Volume;

    /// What a ray is to ask instead of these bounds; `None` is always right.
    fn sight<'a>(&'a self, mesh: &'a Mesh, deformation: &'a D, ray: &Ray) -> Option<RayFrame<'a>> {
        let _ = (mesh, deformation, ray);
        None
    }
}
