//! Which point of a body is closest to a given point.

use glam::DVec3;

use super::Work;
use super::nearest::nearest_first;
use super::traverse::Descent;
use crate::body::Collide;
use crate::contact::{PointOnTriangle, closest_point_on_triangle, computed_distance_floor};
use crate::volume::Volume;
use crate::{Error, Result};

/// The point of a body that is closest to a given point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// The triangle that it lies on; of several at the same computed distance the
    /// smallest number.
    pub triangle: u32,
    /// The point, its weights and its squared distance.
    pub found: PointOnTriangle,
    /// What the query did.
    pub work: Work,
}

impl ClosestPoint {
    /// Farther than any point, on a triangle with a number above all others.
    pub(super) const FARTHEST: Self = Self {
        triangle: u32::MAX,
        found: PointOnTriangle {
            point: DVec3::ZERO,
            barycentric: [0.0; 3],
            distance_squared: f64::INFINITY,
        },
        work: Work { bounds: 0, overlap_tests: 0, primitive_tests: 0 },
    };

    /// Takes a triangle into account. The order of triangles does not matter.
    #[inline]
    pub(super) fn consider<A: Collide>(&mut self, body: &A, point: DVec3, triangle: u32) {
        self.work.primitive_tests += 1;
        let found = closest_point_on_triangle(point, &body.triangle(triangle));
        let best = (self.found.distance_squared, self.triangle);
        if (found.distance_squared, triangle) < best {
            *self = Self { triangle, found, work: self.work };
        }
    }
}

/// The point of a body's surface that is closest to a given point.
///
/// Guarantee: the minimum over all triangles of the distance as
/// [`closest_point_on_triangle`] computes it, bit for bit what
/// [`brute_force::closest_point`](super::brute_force::closest_point) finds.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let body = Body::rigid(mesh)?;
/// let closest = pliant::closest_point(&body, DVec3::new(0.25, 0.25, -2.0))?;
/// assert_eq!(closest.found.point, DVec3::new(0.25, 0.25, 0.0));
/// assert_eq!(closest.found.distance_squared, 4.0);
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidVector`] if the point is not finite.
pub fn closest_point<A: Collide>(body: &A, point: DVec3) -> Result<ClosestPoint> {
    check_point(point)?;
    Ok(closest_among(body, point, f64::NEG_INFINITY, |_| true))
}

/// As [`closest_point`], among the triangles that count. If none does, the triangle does not exist
/// and the distance is infinite. Once a point is found whose squared distance is below `enough`, that
/// is the answer.
#[inline]
pub(super) fn closest_among<A: Collide>(
    body: &A,
    point: DVec3,
    enough: f64,
    counts: impl Fn(u32) -> bool,
) -> ClosestPoint {
    let mut nearest = ClosestPoint::FARTHEST;
    nearest_first(
        body,
        &mut nearest,
        |nearest, node| {
            let volume = body.bound(node);
            nearest.work.bounds += 1;
            nearest.work.overlap_tests += 1;
            let apart = volume.distance_squared_to_point(point);
            let floor = computed_distance_floor(apart, volume.point_error());
            (floor <= nearest.found.distance_squared).then_some(floor)
        },
        |nearest, floor| {
            let best = nearest.found.distance_squared;
            floor <= best && best >= enough
        },
        |nearest, _, node| {
            if !node.is_leaf() {
                return Descent::Descend;
            }
            let triangles = body.tree().leaf_primitives(node);
            for &triangle in triangles.iter().filter(|&&triangle| counts(triangle)) {
                nearest.consider(body, point, triangle);
            }
            Descent::Prune
        },
    );
    nearest
}

/// Refuses a point that is not finite.
pub(crate) fn check_point(point: DVec3) -> Result<()> {
    if point.is_finite() {
        return Ok(());
    }
    Err(Error::InvalidVector { what: "point", vector: point.to_array(), reason: "not finite" })
}
