//! Collision detection for things that bend.
//!
//! pliant answers one question, exactly and fast: **where do things that bend
//! touch?** A body is a mesh with a deformation in some state. A query evaluates
//! the bounds of the nodes that it visits, moves the vertices of the triangles
//! that it tests at the end, and decides those with exact arithmetic: what it finds
//! is what testing every pair of triangles would find, as a set.
//!
//! ```
//! use pliant::{Body, Isometry, Mesh, glam::DVec3};
//!
//! // A square of two triangles in the plane z = 0, and a tent above it.
//! let square = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
//! let tent = vec![DVec3::Z, DVec3::X + DVec3::Z, DVec3::new(0.5, 0.5, 2.0)];
//! let mut floor = Body::rigid(Mesh::new(square, vec![[0, 1, 3], [0, 3, 2]])?)?;
//! let mut cloth = Body::free(Mesh::new(tent.clone(), vec![[0, 1, 2]])?)?;
//!
//! assert!(pliant::intersects(&floor, &cloth).pair.is_none());
//! assert_eq!(pliant::distance(&floor, &cloth).length(), 1.0);
//!
//! // Move one, deform the other.
//! floor.set_isometry(Isometry::from_translation(DVec3::new(0.0, 0.0, 0.5))?);
//! let fallen: Vec<DVec3> = tent.iter().map(|&p| p - DVec3::new(0.0, 0.0, 0.75)).collect();
//! cloth.set_positions(&fallen)?;
//!
//! let hit = pliant::intersections(&floor, &cloth);
//! assert_eq!(hit.pairs, [[0, 0], [1, 0]]);
//! println!("{} bounds evaluated, {} triangle tests", hit.work.bounds, hit.work.primitive_tests);
//! # Ok::<(), pliant::Error>(())
//! ```
//!
//! # The parts
//!
//! | module | what it says |
//! | --- | --- |
//! | [`volume`] | what encloses, rounded outward, and which two overlap |
//! | [`shape`] | rest geometry, validated |
//! | [`deform`] | where a vertex is now |
//! | [`tree`] | who contains whom, without geometry |
//! | [`contact`] | exact tests between triangles; distances, rays, points of contact |
//! | [`bound`] | what encloses a node now |
//! | [`query`] | the questions, and a brute-force twin of each |
//! | [`PreparedSelfContact`] | what keeps clear of itself, prepared once |
//! | [`world`] | many bodies by id, filters, and the questions over all of them |
//! | [`necklace`] | chains of beads: hierarchies over chain order, clashes, a cell list |
//! | [`power`] | power diagrams of balls: exact regular triangulations, the closest pair, updates |
//! | [`limits`] | limits that bound the input, with their reasons |
//!
//! # What is guaranteed
//!
//! - Bounds contain every vertex as it is computed, rounding included.
//! - Pairs found are those that brute force finds, for every kind of body and bound.
//! - Results are in canonical order and the same bits for any number of threads.
//! - Wrong input is an [`Error`] that names the element; no query or setter panics.

mod body;
pub mod bound;
pub mod contact;
pub mod deform;
mod error;
pub mod limits;
mod memo;
pub mod necklace;
mod numeric;
mod parallel;
pub mod power;
pub mod query;
mod self_contact;
pub mod shape;
mod simd;
#[cfg(test)]
mod test_meshes;
pub mod tree;
pub mod volume;
pub mod world;

pub use body::{AnyBody, AsBody, Body, Collide, Surface};
pub use bound::{AffineBody, FreeBody, KeyframedBody, ReducedBody, RigidBody, SkinnedBody};
pub use deform::Isometry;
pub use error::{Error, Result};
pub use glam;
pub use query::{
    ClosestPoint, ClosestPoints, Depth, Distance, Features, FirstContact, FoundPair, Impact,
    Inside, Intersections, Penetration, PointLocation, RayCast, RayHits, Region, Step, Swept,
    Within, WithinPair, Work, closest_point, closest_points, distance, first_contact, first_impact,
    first_self_impact, inside, intersections, intersects, penetration, ray_cast, ray_hits,
    self_intersections, self_penetration, self_sweep, self_within, sweep, within,
};
pub use self_contact::{AnySelfContact, PreparedSelfContact, PreparedSelfSweep};
pub use shape::{Mesh, Necklace};
pub use world::{BodyId, NecklaceId, World};

/// Compiles and runs the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
