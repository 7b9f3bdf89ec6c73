//! Small numerics that several modules share: directed rounding, lengths of any size, rounding
//! allowances, powers of two, smallest spheres, small eigenproblems, exact integers.
//!
//! Nothing here knows of volumes, meshes or bodies.

mod allowances;
mod ball;
mod double_double;
mod eigenvalue;
pub(crate) mod exact_integer;
mod length;
mod pivot;
mod power_of_two;
mod principal_axes;
mod round;
mod smallest_sphere;
mod tangent_sphere;
mod wide_integer;

pub(crate) use allowances::*;
pub use ball::Ball;
pub(crate) use double_double::{DOUBLE_DOUBLE_ERROR, DoubleDouble};
pub(crate) use eigenvalue::{largest_eigenvalue, largest_stretch};
pub(crate) use length::{distance_up, length, scaled_length};
pub(crate) use pivot::{Farthest, Pivot, pivot};
pub(crate) use power_of_two::PowerOfTwo;
pub(crate) use principal_axes::principal_axes;
pub use round::{round_down, round_up};
pub(crate) use smallest_sphere::smallest_ball_center;
pub use smallest_sphere::{SmallestSphere, SphereBasis, smallest_sphere, smallest_sphere_from};
pub(crate) use wide_integer::Wide;
