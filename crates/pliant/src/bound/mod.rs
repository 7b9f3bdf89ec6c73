//! What encloses a node now: a volume as a function of node and state.
//!
//! A new method is one new file here that implements [`Bounds`]. Every query works with it
//! at once.

mod affine;
mod bottom_up;
mod bounded_deformation;
mod expiring;
mod expiring_ends;
mod expiring_extremes;
mod expiring_turned;
mod flight_body;
mod free;
mod kinetic_aabb;
mod kinetic_box;
mod kinetic_crossing;
mod kinetic_leaves;
mod kinetic_queue;
mod kinetic_tournament;
mod patches;
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
pub use bounded_deformation::{
    Anchored, BoundedDeformation, BoxTable, Center, ReducedBody, SphereTable, Table, Weights,
};
pub use expiring::Expiring;
pub(crate) use expiring::blend_at;
pub use expiring_extremes::ExpiringExtremes;
pub use flight_body::{FlightBounds, KeyframedBody};
pub use free::FreeBody;
pub use kinetic_aabb::KineticAabb;
pub use kinetic_box::KineticBox;
pub use kinetic_queue::{EventQueue, IndexedHeap};
pub use kinetic_tournament::EventCount;
pub use rigid::{Carried, CenteredBox, RigidBody};
pub use skinned::{Skinned, SkinnedBody};

pub use crate::body::{Bounds, FewTriangles, NodeEntry, RayBounds};
