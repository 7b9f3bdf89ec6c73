//! Small numerics that several rooms share.

mod ball;
pub(crate) mod exact_integer;
pub(crate) mod principal_axes;
mod round;
mod smallest_sphere;
mod tangent_sphere;
pub(crate) mod wide_integer;

pub use ball::Ball;
pub use round::{round_down, round_up};
pub(crate) use smallest_sphere::{Farthest, Pivot, pivot};
pub use smallest_sphere::{SmallestSphere, SphereBasis, smallest_sphere, smallest_sphere_from};
