//! What encloses: boxes, spheres, k-DOPs, oriented boxes, capsules and hulls in `f32`, always rounded outward.
//!
//! A volume is a closed set of points of real coordinates. What is made from `f64` geometry
//! contains that geometry: constructors round outward, never to nearest. Overlap tests err in one
//! direction only: `false` means that the two sets have no point in common; `true` may be spurious
//! by a relative error of about a millionth.
//!
//! A number that is NaN excludes nothing: such a volume overlaps everything that its other numbers
//! allow, is at no distance along that axis, and a ray enters it at once. Bounds of bodies have no NaN;
//! debug builds check that wherever one is read.
//!
//! A new kind of volume is one file, in this crate or another, that implements [`Volume`], its
//! [`Overlap`] with itself and with [`Aabb`], [`RayEntry`] and [`Fit`], and [`Apart`] for distances.
//! `capsule.rs` is an example. [`Convex`] tells it from all other kinds.

mod aabb;
mod apart;
mod capsule;
mod convex;
mod fit;
mod hull;
mod kdop;
mod motion;
mod moving_box;
#[cfg(test)]
mod nan_tests;
mod obb;
mod overlap;
mod ray;
mod ray_entry;
mod sphere;

pub use aabb::Aabb;
pub use apart::Apart;
pub use capsule::Capsule;
pub use convex::Convex;
pub(crate) use fit::rest_sphere;
pub use fit::{CenteredBox, Fit, UnitCost};
pub use hull::Hull;
pub use kdop::{CenteredDop, Dop, Dop6, Dop14, Dop18, Dop26, DopMap};
pub use motion::Motion;
pub use moving_box::MovingBox;
pub(crate) use moving_box::may_close;
pub use obb::{Obb, ObbMap};
pub use overlap::Overlap;
pub use ray::Ray;
pub use ray_entry::RayEntry;
pub use sphere::Sphere;

pub use crate::memo::{Remember, Words};
pub use crate::numeric::{
    Ball, SmallestSphere, SphereBasis, round_down, round_up, smallest_sphere, smallest_sphere_from,
};

use glam::DVec3;

/// A volume that a tree's nodes may have: what queries ask of it.
///
/// All but [`Volume::corners`] is answered for the box around the volume where a kind has nothing
/// better.
pub trait Volume: Copy + Send + Sync + Overlap<Aabb> + RayEntry {
    /// The lowest and the highest corner of a box around the volume, in `f64`.
    fn corners(&self) -> [DVec3; 2];

    /// A box around the volume, rounded outward.
    #[inline]
    fn bounding_box(&self) -> Aabb {
        let [min, max] = self.corners();
        Aabb::from_corners(min, max)
    }

    /// Boxes around the volume at both ends of a step: the same, unless the volume moves.
    #[inline]
    fn moving(&self) -> MovingBox {
        let around = self.bounding_box();
        MovingBox { start: around, end: around }
    }

    /// A length that orders volumes of any kind by their size: the longest side of a box, the
    /// diameter of a sphere. Of two nodes at a distance the larger one is opened first.
    #[inline]
    fn extent(&self) -> f32 {
        self.bounding_box().extent()
    }

    /// The squared distance to a point, never more than the true one.
    #[inline]
    fn distance_squared_to_point(&self, point: DVec3) -> f64 {
        self.bounding_box().distance_squared_to_point(point)
    }

    /// How far outside the volume a point may lie that was computed on a triangle inside it,
    /// because it was rounded: an argument of
    /// [`computed_distance_floor`](crate::contact::computed_distance_floor). It is zero if
    /// distances are those of a box, since computed points are clamped to the triangle's box. A
    /// kind that measures distances by its own shape must override this too.
    #[inline]
    fn point_error(&self) -> f64 {
        0.0
    }
}
