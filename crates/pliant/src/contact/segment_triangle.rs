//! Do a closed segment and a closed triangle meet? Slow, complete and exact.
//!
//! Everything may be degenerate: a segment a point, a triangle a segment or a
//! point. No axis to project along has to be chosen: whatever lies in one plane is
//! looked at along all three. At least one of the three projections is injective
//! on that plane, so it decides; what meets in space meets in all of them.

use std::cmp::Ordering;

use glam::{DVec2, DVec3, Vec3Swizzles};

use super::predicate::{orient2d, orient3d};

/// The views along the three axes.
const PROJECTIONS: [fn(DVec3) -> DVec2; 3] = [|p| p.yz(), |p| p.zx(), |p| p.xy()];

/// The edges of a triangle, all in the same sense.
pub(super) fn edges(&[a, b, c]: &[DVec3; 3]) -> [(DVec3, DVec3); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Whether the closed segment `pq` and a closed triangle have a point in common.
pub(super) fn segment_meets_triangle(p: DVec3, q: DVec3, triangle: &[DVec3; 3]) -> bool {
    let &[a, b, c] = triangle;
    let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if side_p.is_eq() && side_q.is_eq() {
        // All lies in one plane, or the triangle is no more than its edges.
        return edges(triangle).iter().any(|&(r, s)| segments_meet(p, q, r, s))
            || strictly_inside(p, triangle);
    }
    if side_p == side_q {
        return false;
    }
    // The segment has one point in the triangle's plane. The line through it turns about
    // each edge; these turns have the signs of the point's barycentric coordinates.
    let turns = edges(triangle).map(|(r, s)| orient3d(p, q, r, s));
    !(turns.contains(&Ordering::Less) && turns.contains(&Ordering::Greater))
}

/// Whether two closed segments have a point in common.
fn segments_meet(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> bool {
    orient3d(p, q, r, s).is_eq()
        && PROJECTIONS.iter().all(|flat| segments_meet_2d(flat(p), flat(q), flat(r), flat(s)))
}

/// Whether a point of a triangle's plane lies in its interior. Never if it has none.
fn strictly_inside(p: DVec3, triangle: &[DVec3; 3]) -> bool {
    PROJECTIONS.iter().any(|flat| {
        let turns = edges(triangle).map(|(r, s)| orient2d(flat(r), flat(s), flat(p)));
        turns == [Ordering::Less; 3] || turns == [Ordering::Greater; 3]
    })
}

/// Whether two closed segments of the plane have a point in common.
///
/// They do if neither lies strictly on one side of the other's line, and their
/// boxes overlap. The boxes matter where all four points lie on one line: there
/// the order along the line is the order of the coordinates.
fn segments_meet_2d(p: DVec2, q: DVec2, r: DVec2, s: DVec2) -> bool {
    let not_on_one_side = |first: Ordering, second: Ordering| first != second || first.is_eq();
    p.min(q).cmple(r.max(s)).all()
        && r.min(s).cmple(p.max(q)).all()
        && not_on_one_side(orient2d(p, q, r), orient2d(p, q, s))
        && not_on_one_side(orient2d(r, s, p), orient2d(r, s, q))
}
