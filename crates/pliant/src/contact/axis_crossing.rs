//! Exact tests of a point against a triangle: whether it lies on it, and whether a ray from it
//! along an axis passes through it.

use std::cmp::Ordering;

use glam::{DVec2, DVec3};

use super::predicate::{orient2d, orient3d};
use super::segment_triangle::{PROJECTIONS, edges, segment_meets_triangle};

/// Returns whether a point lies on a closed triangle.
///
/// Exact for all finite coordinates. The triangle may be a segment or a point.
///
/// ```
/// use pliant::{contact::point_on_triangle, glam::DVec3};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert!(point_on_triangle(DVec3::new(0.5, 0.5, 0.0), &triangle));
/// assert!(!point_on_triangle(DVec3::new(0.5, 0.5, 1e-300), &triangle));
/// ```
#[must_use]
pub fn point_on_triangle(point: DVec3, triangle: &[DVec3; 3]) -> bool {
    let [a, b, c] = *triangle;
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    min.cmple(point).all()
        && point.cmple(max).all()
        && orient3d(a, b, c, point).is_eq()
        && segment_meets_triangle((point, point), (Ordering::Equal, Ordering::Equal), triangle)
}

/// A triangle through which the line along an axis through a point passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AxisCrossing {
    /// Whether the triangle lies ahead of the point, in the direction of the axis.
    pub(crate) ahead: bool,
    /// 1 if the triangle's front faces in the direction of the axis, -1 if its back does.
    pub(crate) facing: i64,
}

/// Whether the line along an axis (0, 1, 2) through a point passes through a triangle that the
/// point does not lie on.
///
/// The line is moved aside by (e, e^2) in its projection, for an infinitely small e > 0. So it
/// meets no edge and no corner, and no line is moved differently for another triangle. The crossings
/// of a closed surface with a ray therefore add up to the winding number of the moved point, which
/// is that of the point: the surface does not pass between the two.
///
/// If the moved line passes through the triangle, the line meets the closed triangle, and the
/// triangle is not parallel to it. The point is not on the triangle, so it is not on its plane
/// either, and the side on which it lies is that of the moved point.
#[inline]
pub(crate) fn axis_crossing(
    point: DVec3,
    axis: usize,
    triangle: &[DVec3; 3],
) -> Option<AxisCrossing> {
    let flat = PROJECTIONS[axis];
    let (p, corners) = (flat(point), triangle.map(flat));
    let [a, b, c] = corners;
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    if !(min.cmple(p).all() && p.cmple(max).all()) {
        return None;
    }
    let [first, second, third] = edges(&corners).map(|(from, to)| moved_side(from, to, p));
    if first.is_eq() || first != second || first != third {
        return None;
    }
    // The sign of the normal's component along the axis, and the side of the point.
    let [a, b, c] = *triangle;
    let side = orient3d(a, b, c, point);
    Some(AxisCrossing { ahead: side != first, facing: first as i64 })
}

/// On which side of a line a point of the plane lies after it is moved by (e, e^2): the sign of
/// orient2d, or else of its change. `Equal` only if the line is a point.
#[inline]
fn moved_side(from: DVec2, to: DVec2, p: DVec2) -> Ordering {
    let compare = |x: f64, y: f64| x.partial_cmp(&y).unwrap_or(Ordering::Equal);
    orient2d(from, to, p).then_with(|| compare(from.y, to.y)).then_with(|| compare(to.x, from.x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A tetrahedron with integer corners; small, so that lines meet edges and corners.
    fn corners() -> impl Strategy<Value = [DVec3; 4]> {
        let point = || [-2..=2i32, -2..=2, -2..=2].prop_map(|p| DVec3::from(p.map(f64::from)));
        [point(), point(), point(), point()]
    }

    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// A point is in a tetrahedron if it is on the inner side of all four faces; the rays in all
        /// six directions count that.
        #[test]
        fn all_rays_count_the_tetrahedron(
            corners in corners(), at in [-4..=4i32, -4..=4, -4..=4],
        ) {
            let point = DVec3::from(at.map(f64::from)) * 0.5;
            let faces = FACES.map(|face| face.map(|i| corners[i]));
            let [a, b, c, d] = corners;
            let volume = orient3d(a, b, c, d);
            let on = faces.iter().any(|face| point_on_triangle(point, face));
            let sides = faces.map(|[a, b, c]| orient3d(a, b, c, point));
            if volume.is_ne() {
                // The faces look outward if the volume is positive.
                let inner = volume.reverse();
                prop_assert_eq!(
                    on,
                    sides.iter().all(|&s| s == inner || s.is_eq()) && sides.contains(&Ordering::Equal)
                );
                let inside = sides.iter().all(|&s| s == inner);
                for (axis, ahead) in (0..3).flat_map(|axis| [(axis, true), (axis, false)]) {
                    if on {
                        continue;
                    }
                    let crossings = faces.iter().filter_map(|face| axis_crossing(point, axis, face));
                    let count: i64 = crossings
                        .filter(|crossing| crossing.ahead == ahead)
                        .map(|crossing| if ahead { crossing.facing } else { -crossing.facing })
                        .sum();
                    prop_assert_eq!(count, if inside { volume as i64 } else { 0 });
                }
            }
        }
    }

    #[test]
    fn degenerate_triangles_are_met_where_they_are() {
        let segment = [DVec3::ZERO, DVec3::splat(2.0), DVec3::ONE];
        assert!(point_on_triangle(DVec3::splat(1.5), &segment));
        assert!(!point_on_triangle(DVec3::splat(2.5), &segment));
        assert!(!point_on_triangle(DVec3::new(1.0, 1.0, 1.5), &segment));
        assert!(point_on_triangle(DVec3::ONE, &[DVec3::ONE; 3]));
        assert_eq!(axis_crossing(DVec3::new(-1.0, 0.5, 0.5), 0, &segment), None);
    }
}
