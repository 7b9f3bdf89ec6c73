//! Exact test whether a closed segment and a closed triangle meet: slow, but complete.
//!
//! All inputs may be degenerate: the segment a point, the triangle a segment or a point. No
//! projection axis has to be chosen: coplanar input is tested in all three axis projections. At
//! least one of them is injective on the common plane and decides; sets that meet in space meet in
//! all three.

use std::cmp::Ordering;

use glam::{DVec2, DVec3, Vec3Swizzles};

use super::predicate::{orient2d, orient3d};

/// The projections along the three axes.
pub(super) const PROJECTIONS: [fn(DVec3) -> DVec2; 3] = [|p| p.yz(), |p| p.zx(), |p| p.xy()];

/// The pairs of corner values for the three edges of a triangle, all in the same orientation.
pub(super) fn edges<T: Copy>(&[a, b, c]: &[T; 3]) -> [(T, T); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Whether the closed segment `pq` and a closed triangle have a point in common. `sides` are the
/// signs of orient3d for the triangle's corners with `p` and with `q`.
pub(super) fn segment_meets_triangle(
    (p, q): (DVec3, DVec3),
    sides: (Ordering, Ordering),
    triangle: &[DVec3; 3],
) -> bool {
    if sides == (Ordering::Equal, Ordering::Equal) {
        // Everything is coplanar, or the triangle is degenerate and equals its edges.
        return edges(triangle).iter().any(|&(r, s)| segments_meet(p, q, r, s))
            || strictly_inside(p, triangle);
    }
    if sides.0 == sides.1 {
        return false;
    }
    // The segment has one point in the triangle's plane. The orientations of the segment's line
    // relative to the three edges have the signs of that point's barycentric coordinates.
    let turns = edges(triangle).map(|(r, s)| orient3d(p, q, r, s));
    !(turns.contains(&Ordering::Less) && turns.contains(&Ordering::Greater))
}

/// Whether two closed segments have a point in common.
fn segments_meet(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> bool {
    // A zero determinant takes the longest to compute, so it is tested last.
    PROJECTIONS.iter().all(|flat| segments_meet_2d(flat(p), flat(q), flat(r), flat(s)))
        && orient3d(p, q, r, s).is_eq()
}

/// Whether a point of a triangle's plane lies in its interior; never if the triangle has no area.
fn strictly_inside(p: DVec3, triangle: &[DVec3; 3]) -> bool {
    PROJECTIONS.iter().any(|flat| {
        let turns = edges(triangle).map(|(r, s)| orient2d(flat(r), flat(s), flat(p)));
        turns == [Ordering::Less; 3] || turns == [Ordering::Greater; 3]
    })
}

/// Whether two closed segments of the plane have a point in common.
/// They do if neither lies strictly on one side of the other's line and their boxes overlap. The
/// boxes matter where all four points are collinear: there the order along the line is the order of
/// the coordinates.
fn segments_meet_2d(p: DVec2, q: DVec2, r: DVec2, s: DVec2) -> bool {
    let not_on_one_side = |first: Ordering, second: Ordering| first != second || first.is_eq();
    p.min(q).cmple(r.max(s)).all()
        && r.min(s).cmple(p.max(q)).all()
        && not_on_one_side(orient2d(p, q, r), orient2d(p, q, s))
        && not_on_one_side(orient2d(r, s, p), orient2d(r, s, q))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle in the plane x + y + z = 3, which contains no axis direction.
    const OBLIQUE: [DVec3; 3] =
        [DVec3::new(3.0, 0.0, 0.0), DVec3::new(0.0, 3.0, 0.0), DVec3::new(0.0, 0.0, 3.0)];

    fn meets(p: [f64; 3], q: [f64; 3], triangle: &[DVec3; 3]) -> bool {
        let (p, q) = (DVec3::from(p), DVec3::from(q));
        let &[a, b, c] = triangle;
        let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
        let forth = segment_meets_triangle((p, q), (side_p, side_q), triangle);
        assert_eq!(forth, segment_meets_triangle((q, p), (side_q, side_p), triangle));
        forth
    }

    #[test]
    fn across_the_plane() {
        assert!(meets([0.0; 3], [2.0; 3], &OBLIQUE));
        assert!(meets([0.0; 3], [1.0; 3], &OBLIQUE)); // ends inside
        assert!(meets([0.0; 3], [3.0, 0.0, 0.0], &OBLIQUE)); // ends on a corner
        assert!(meets([0.0; 3], [3.0, 3.0, 0.0], &OBLIQUE)); // passes an edge
        assert!(!meets([0.0; 3], [1.0f64.next_down(); 3], &OBLIQUE)); // stops short
        assert!(!meets([0.0; 3], [3.0, 3.0, -1e-300], &OBLIQUE)); // passes an edge by
    }

    #[test]
    fn within_the_plane() {
        assert!(meets([1.0; 3], [1.0; 3], &OBLIQUE)); // a point
        assert!(meets([1.0; 3], [1.5, 0.5, 1.0], &OBLIQUE)); // wholly inside
        assert!(meets([-3.0, 3.0, 3.0], [3.0, 0.0, 0.0], &OBLIQUE)); // right across
        assert!(meets([6.0, -3.0, 0.0], [3.0, 0.0, 0.0], &OBLIQUE)); // along an edge's line
        assert!(!meets([6.0, -3.0, 0.0], [4.0, -1.0, 0.0], &OBLIQUE)); // along it, but off
        assert!(!meets([4.0, 0.0, -1.0], [0.0, 4.0, -1.0], &OBLIQUE)); // beside an edge
    }

    #[test]
    fn a_triangle_that_is_a_segment_or_a_point() {
        let segment = [DVec3::ZERO, DVec3::splat(4.0), DVec3::splat(1.0)];
        assert!(meets([3.0; 3], [3.0; 3], &segment));
        assert!(meets([1.0, 3.0, 2.0], [3.0, 1.0, 2.0], &segment)); // crosses
        assert!(meets([4.0; 3], [5.0; 3], &segment)); // end to end
        assert!(!meets([4.0f64.next_up(); 3], [5.0; 3], &segment));
        assert!(!meets([1.0, 3.0, 2.5], [3.0, 1.0, 2.5], &segment)); // skew
        let point = [DVec3::ONE; 3];
        assert!(meets([1.0; 3], [1.0; 3], &point));
        assert!(meets([0.0; 3], [7.0; 3], &point));
        assert!(!meets([0.0; 3], [7.0, 7.0, 7.0f64.next_up()], &point));
    }
}
