//! How an edge meets a triangle, exactly.

use std::cmp::Ordering;

use glam::DVec3;

use super::predicate::{orient2d, orient3d};
use super::segment_triangle::{PROJECTIONS, edges, segment_meets_triangle};

/// How a segment meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeHit {
    /// It passes through the interior from strictly before the triangle to strictly behind it.
    Inward,
    /// It passes through the interior from strictly behind the triangle to strictly before it.
    Outward,
    /// They have a point in common, and the segment ends on the triangle, lies in its plane, or
    /// meets its border.
    Touch,
}

/// How the segment from `p` to `q` meets a triangle, if it does. `sides` are the signs of orient3d for
/// the triangle's corners with `p` and with `q`. Exact for all finite coordinates.
pub(crate) fn edge_hit(
    (p, q): (DVec3, DVec3),
    sides: (Ordering, Ordering),
    triangle: &[DVec3; 3],
) -> Option<EdgeHit> {
    if sides.0 == sides.1 && sides.0.is_ne() {
        return None;
    }
    let [a, b, c] = *triangle;
    let (low, high) = (p.min(q), p.max(q));
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    if (low.cmpgt(max) | min.cmpgt(high)).any() {
        return None;
    }
    if sides.0.is_eq() || sides.1.is_eq() {
        return segment_meets_triangle((p, q), sides, triangle).then_some(EdgeHit::Touch);
    }
    let turns = edges(triangle).map(|(r, s)| orient3d(p, q, r, s));
    if turns.contains(&Ordering::Less) && turns.contains(&Ordering::Greater) {
        return None;
    }
    Some(match sides.0 {
        _ if turns.contains(&Ordering::Equal) => EdgeHit::Touch,
        Ordering::Greater => EdgeHit::Inward,
        _ => EdgeHit::Outward,
    })
}

/// Whether a segment in the plane of a triangle has a point in its relative interior. Exact.
///
/// In a projection in which the triangle has area, a closed segment and an open triangle are apart if
/// and only if a line along one of their sides separates them, which it may touch.
pub(crate) fn edge_lies_in(p: DVec3, q: DVec3, triangle: &[DVec3; 3]) -> bool {
    PROJECTIONS.iter().any(|flat| {
        let ([a, b, c], p, q) = (triangle.map(flat), flat(p), flat(q));
        let front = orient2d(a, b, c);
        if front.is_eq() {
            return false;
        }
        let outside = |x, (r, s)| orient2d(r, s, x) != front;
        let beside = edges(&[a, b, c]).into_iter().any(|side| outside(p, side) && outside(q, side));
        let sides = [a, b, c].map(|corner| orient2d(p, q, corner));
        let one_side = !(sides.contains(&Ordering::Less) && sides.contains(&Ordering::Greater));
        !beside && (p == q || !one_side)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: [DVec3; 3] = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];

    #[test]
    fn an_edge_passes_touches_or_misses() {
        let hit = |p: [f64; 3], q: [f64; 3]| {
            let side = |x: [f64; 3]| x[2].total_cmp(&0.0);
            edge_hit((DVec3::from(p), DVec3::from(q)), (side(p), side(q)), &FLOOR)
        };
        assert_eq!(hit([1.0, 1.0, 1.0], [1.0, 1.0, -1.0]), Some(EdgeHit::Inward));
        assert_eq!(hit([1.0, 1.0, -1.0], [1.0, 1.0, 1.0]), Some(EdgeHit::Outward));
        assert_eq!(hit([1.0, 1.0, 1.0], [1.0, 1.0, 0.0]), Some(EdgeHit::Touch)); // ends on it
        assert_eq!(hit([1.0, 0.0, 1.0], [1.0, 0.0, -1.0]), Some(EdgeHit::Touch)); // at its border
        assert_eq!(hit([1.0, 1.0, 0.0], [9.0, 1.0, 0.0]), Some(EdgeHit::Touch)); // in its plane
        assert_eq!(hit([1.0, 1.0, 2.0], [1.0, 1.0, 1.0]), None);
        assert_eq!(hit([3.0, 3.0, 1.0], [3.0, 3.0, -1.0]), None);
    }

    #[test]
    fn an_edge_lies_inside_along_or_beside() {
        let lies = |p: [f64; 3], q: [f64; 3]| edge_lies_in(DVec3::from(p), DVec3::from(q), &FLOOR);
        assert!(lies([1.0, 1.0, 0.0], [1.0, 1.0, 0.0])); // a point inside
        assert!(lies([-1.0, 1.0, 0.0], [9.0, 1.0, 0.0])); // right across
        assert!(lies([0.0, 0.0, 0.0], [2.0, 2.0, 0.0])); // from a corner
        assert!(!lies([0.0, 0.0, 0.0], [4.0, 0.0, 0.0])); // along a side
        assert!(!lies([-1.0, 1.0, 0.0], [1.0, -1.0, 0.0])); // through a corner
        assert!(!lies([3.0, 3.0, 0.0], [9.0, 1.0, 0.0]));
    }
}
