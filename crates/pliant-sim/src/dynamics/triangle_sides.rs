//! A triangle seen from a body: how far spheres are from it at least, by a few products each.
//!
//! Every half space that contains the triangle gives a lower bound of the distance to it. Four directions
//! are used: that of its plane, which counts both ways, and those across its edges. Where the half spaces end
//! follows from all three corners, so that a direction that is wrong, as that of a sliver may be, makes the
//! bound worse and never too large.

use pliant::glam::{DVec3, Vec3, Vec4};

use super::pair_search::SLACK;

/// Half spaces around a triangle, in the axes of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct TriangleSides {
    /// The directions, by axis: along the plane's normal, then outward across each edge.
    directions: [Vec4; 3],
    /// How far the half spaces reach along them; of the plane, the middle.
    offsets: Vec4,
    /// Half the thickness along the plane's normal, and what roundings add everywhere.
    thickness: Vec4,
}

/// Turns the direction of the plane around, and no other.
const BOTH_WAYS: Vec4 = Vec4::new(-1.0, 1.0, 1.0, 1.0);

/// Whether the plane of a triangle alone tells that it is farther than a pad from a box, by its middle and half
/// its size, of a body that reaches so far from its middle. Costs less than [`TriangleSides`].
pub(super) fn is_beyond(
    corners: &[DVec3; 3],
    [middle, half]: [Vec3; 2],
    reach: f64,
    pad: f64,
) -> bool {
    let (middle, half) = (middle.as_dvec3(), half.as_dvec3());
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    // The normal of a sliver may be any: all three corners count.
    let along = corners.map(|corner| normal.dot(corner - middle));
    let (low, high) = (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]));
    let size = a.length() + b.length() + c.length() + reach;
    low.max(-high) - normal.abs().dot(half) > (pad + SLACK * size) * normal.length()
}

impl TriangleSides {
    /// Of corners in the axes of a body that reaches so far from its middle.
    pub(super) fn new(corners: &[DVec3; 3], reach: f64) -> Self {
        let [a, b, c] = *corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let across = |from: DVec3, to: DVec3| (to - from).cross(normal).normalize_or_zero();
        let directions = [normal, across(a, b), across(b, c), across(c, a)];
        let highest = |direction: DVec3| {
            let along = corners.map(|corner| direction.dot(corner));
            along[0].max(along[1]).max(along[2])
        };
        let [top, ends @ ..] = directions.map(highest);
        let bottom = -highest(-normal);
        let size = a.length().max(b.length()).max(c.length()) + reach;
        let slack = SLACK * size;
        let lanes = |lanes: [f64; 4]| Vec4::from_array(lanes.map(|lane| lane as f32));
        Self {
            directions: [
                lanes(directions.map(|way| way.x)),
                lanes(directions.map(|way| way.y)),
                lanes(directions.map(|way| way.z)),
            ],
            offsets: lanes([0.5 * (top + bottom), ends[0], ends[1], ends[2]]),
            thickness: lanes([0.5 * (top - bottom) + slack, slack, slack, slack]),
        }
    }

    /// A lower bound of the distance of a point of the body; not above zero if it may lie in the triangle.
    #[inline]
    pub(super) fn distance(&self, point: Vec4) -> f32 {
        let [x, y, z] = self.directions;
        let along = x * point.x + y * point.y + z * point.z - self.offsets;
        (along.max(along * BOTH_WAYS) - self.thickness).max_element()
    }

    /// A lower bound of the distance of a box, by its middle and half its size.
    pub(super) fn distance_of_box(&self, [middle, half]: [Vec3; 2]) -> f32 {
        let [x, y, z] = self.directions;
        let along = x * middle.x + y * middle.y + z * middle.z - self.offsets;
        let size = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z;
        (along.max(along * BOTH_WAYS) - self.thickness - size).max_element()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::contact::closest_point_on_triangle;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array)
    }

    proptest! {
        /// Also of slivers, needles and triangles of one point, large and far away.
        #[test]
        fn it_is_never_farther_than_the_triangle(
            corners in prop::array::uniform3(point()),
            at in point(),
            flat in prop::sample::select(vec![1.0, 1e-3, 1e-9, 0.0]),
            size in prop::sample::select(vec![1.0, 1e3, 1e-3]),
            far in prop::sample::select(vec![0.0, 30.0]),
        ) {
            let [a, b, c] = corners;
            let corners = [a, b, a.lerp(b, 0.3) + flat * c].map(|p| size * (p + DVec3::splat(far)));
            let sides = TriangleSides::new(&corners, 4.0);
            let at = at.as_vec3();
            let away = closest_point_on_triangle(at.as_dvec3(), &corners).distance_squared.sqrt();
            let bound = f64::from(sides.distance(at.extend(0.0)));
            prop_assert!(bound <= away, "{bound} {away}");
            // A box with that point in a corner.
            let half = at.abs() * 0.5;
            let around = f64::from(sides.distance_of_box([at + half * at.signum(), half]));
            prop_assert!(around <= away, "{around} {away}");
            prop_assert!(!is_beyond(&corners, [at + half * at.signum(), half], 4.0, away));
        }
    }

    #[test]
    fn it_tells_what_is_above_and_beside() {
        let sides = TriangleSides::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], 1.0);
        for (point, distance) in [
            ([0.2, 0.2, 0.5], 0.5),
            ([0.2, 0.2, -0.5], 0.5),
            ([0.2, -2.0, 0.0], 2.0),
            ([-3.0, 0.5, 1.0], 3.0),
            ([1.5, 1.5, 0.0], 2.0 * std::f32::consts::SQRT_2 / 2.0),
        ] {
            let [x, y, z] = point;
            let found = sides.distance(Vec4::new(x, y, z, 0.0));
            assert!((found - distance).abs() < 1e-4, "{point:?}: {found}");
        }
        assert!(sides.distance(Vec4::new(0.2, 0.2, 0.0, 0.0)) <= 0.0);
        let above = [Vec3::new(0.2, 0.2, 0.5), Vec3::splat(0.1)];
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(is_beyond(&corners, above, 1.0, 0.39) && !is_beyond(&corners, above, 1.0, 0.41));
    }
}
