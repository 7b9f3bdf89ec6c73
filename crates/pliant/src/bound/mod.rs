//! What encloses a node now: a volume as a function of node and state.
//!
//! A new method is one new file here that implements [`Bounds`]. Every query works with it
//! at once.

mod affine;
mod bottom_up;
mod flight;
mod free;
mod kinetic;
mod patches;
mod reduced;
mod refit_plan;
mod rigid;
mod skinned;
mod skinned_all;
mod skinned_bend;
mod skinned_blended;
mod skinned_grouping;
mod skinned_links;
mod skinned_parts;
mod skinned_place;
mod skinned_pose;
mod skinned_rest;
mod skinned_sight;
mod skinned_slopes;
mod skinned_turned;
mod skinned_volume;
mod skinned_whole;

pub use affine::{AffineBody, AffineBoxes};
pub use bottom_up::{BottomUp, SphereForm};
pub use flight::{Expiring, FlightBounds, KeyframedBody};
pub use free::FreeBody;
pub use kinetic::{EventCount, KineticAabb, KineticBox};
pub use reduced::{
    Anchored, BoundedDeformation, BoxTable, ReducedBody, RestTable, SphereCenter, Table,
};
pub use rigid::{RigidBody, RigidBounds};
pub use skinned::{Skinned, SkinnedBody};

pub use crate::body::{Bounds, FewTriangles, NodeEntry, RayBounds};
