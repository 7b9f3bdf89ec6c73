//! What encloses a node now: a volume as a function of node and state.
//!
//! A new method is one new file here that implements [`Bounds`]. Every query works with it
//! at once.

mod affine;
mod bottom_up;
mod covered;
mod dop_hulls;
mod flight;
mod free;
mod kinetic;
pub(crate) mod one_map;
mod positions_mut;
mod reduced;
mod refit_plan;
mod rigid;
mod skin;
mod small_subtrees;

pub use affine::{AffineBody, AffineBoxes};
pub use bottom_up::{BottomUp, SphereForm};
pub use covered::{CoveredBody, MAX_CELLS};
pub use dop_hulls::DopHulls;
pub use flight::{Expiring, FlightBounds, KeyframedBody};
pub use free::{FreeBody, FreeBodyF32};
pub use kinetic::{EventCount, KineticAabb, KineticBox, MeshEdit};
pub use positions_mut::PositionsMut;
pub use reduced::{
    Anchored, BoundedDeformation, BoxTable, ReducedBody, RestTable, SphereCenter, Table,
};
pub use rigid::{RigidBody, RigidBounds};
pub use skin::{RefitPolicy, SkinBoxes, SkinSpheres, SkinnedBody};

pub use crate::body::{Bounds, FewTriangles, NodeEntry, RayBounds, Refitted};
