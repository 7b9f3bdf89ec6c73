//! Questions about bodies, and their answers.
//!
//! Every query takes bodies by shared reference, evaluates only the bounds of the nodes that
//! it visits, and returns its [`Work`] beside its result. [`brute_force`] has for each query a
//! function of the same signature that looks at every primitive.

mod any_body;
mod ball_cast;
pub mod brute_force;
mod closest;
mod closest_many;
mod descent;
mod distance;
mod first_contact;
pub(crate) mod frames;
pub(crate) mod front;
mod inside;
mod nearest;
pub(crate) mod pair_limit;
mod pair_list;
mod pairs;
mod penetration;
mod proxies;
mod ray;
pub(crate) mod self_pairs;
pub(crate) mod share;
pub(crate) mod sweep;
pub(crate) mod touching;
pub(crate) mod traverse;
mod watched;
pub(crate) mod within;
mod work;

pub use ball_cast::{
    BallCast, DescentStack, TrianglesNear, ball_cast, ball_cast_in, triangles_near,
    triangles_near_in,
};
pub(crate) use closest::check_point;
pub use closest::{ClosestPoint, closest_point};
pub use closest_many::{ClosestPoints, closest_points};
pub use descent::{descent, self_descent};
pub use distance::{Distance, distance};
pub use first_contact::{FirstContact, first_contact};
pub use inside::{Inside, PointLocation, PointLocations, inside, inside_many, winding_number};
pub(crate) use pairs::intersections_within;
pub use pairs::{FoundPair, Intersections, intersections, intersections_up_to, intersects};
pub use penetration::{
    Cut, Deepest, Depth, Penetration, Region, RegionKind, penetration, self_penetration,
};
pub use proxies::{ProxyContact, ProxyContacts, proxy_contacts};
pub use ray::{RayCast, RayHits, ray_cast, ray_hits};
pub(crate) use self_pairs::self_intersections_within;
pub use self_pairs::{self_intersections, self_intersections_up_to};
pub use sweep::{
    Adjacency, Certainty, Farther, Features, Impact, Impacts, Sag, Step, Strays, SweepSettings,
    Swept, first_impact, first_self_impact, self_sweep, self_sweep_candidates, self_sweep_streamed,
    self_sweep_up_to, sweep, sweep_streamed, sweep_up_to,
};
pub use watched::Watched;
pub use within::{Within, WithinPair, self_within, within};
pub use work::Work;
