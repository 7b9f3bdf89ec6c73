//! Questions about bodies, and their answers.
//!
//! Every query takes bodies by shared reference, evaluates the bounds of the
//! nodes that it visits and nothing else, and returns its [`Work`] beside its
//! result. [`brute_force`] holds a twin of each that looks at every primitive.

pub mod brute_force;
mod clearance;
mod closest;
mod descent;
mod distance;
mod first_contact;
mod nearest;
mod pairs;
mod proxies;
mod ray;
mod self_pairs;
mod traverse;
mod watched;
mod work;

pub use clearance::Clearance;
pub(crate) use clearance::Prepared;
pub(crate) use closest::check_point;
pub use closest::{ClosestPoint, closest_point};
pub use descent::{descent, self_descent};
pub use distance::{Distance, distance};
pub use first_contact::{FirstContact, first_contact};
pub use pairs::{FoundPair, Intersections, intersections, intersects};
pub use proxies::{ProxyContact, ProxyContacts, proxy_contacts};
pub use ray::{RayCast, ray_cast};
pub use self_pairs::self_intersections;
pub use watched::Watched;
pub use work::Work;
