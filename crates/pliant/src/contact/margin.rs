//! Whether two triangles touch, and how far they may move before that can change.
//!
//! A margin is a length. While the corners of one triangle move by at most s and those of the other
//! by at most t, and s + t is below the margin, the answer stays.
//!
//! - Triangles that do not touch: the margin is a lower bound of their distance. It shrinks by at
//!   most s + t, since a point of a triangle moves no farther than its corners do.
//! - Triangles that touch, where an edge of one pierces the other: move all corners evenly along
//!   straight lines. While the ends of the edge do not meet the triangle, and the edge does not meet
//!   its border, the number of crossings of edge and triangle stays odd. The margin is a lower bound
//!   of these five distances.
//!
//! Every length is a quotient of a computed value, less its error, and an upper bound of the length
//! of a normal. Where nothing is certain the margin is 0, and the answer must be computed again.

use glam::DVec3;

use super::predicate::{Normal, triple_product_error};
use super::segment_triangle::edges;
use super::triangle_triangle::{larger, smaller, triangles_touch};
use crate::numeric::{F64_SLACK, UNDERFLOW_ALLOWANCE};

/// What is known of two triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margin {
    /// Whether they touch. Exact.
    pub(crate) touch: bool,
    /// While the motions of both together are below this length, `touch` stays. 0 or more.
    pub(crate) length: f64,
}

/// Squared lengths of normals that lose nothing to underflow or overflow.
const SAFE_SQUARES: std::ops::Range<f64> = 1e-270..1e270;

/// Whether two triangles touch, as [`triangles_touch`] says, and by which margin. A margin that is
/// `enough` is not made longer.
#[inline]
pub(crate) fn touch_margin(a: &[DVec3; 3], b: &[DVec3; 3], enough: f64) -> Margin {
    let of_a = Normal::new(a[1] - a[0], a[2] - a[0]);
    let length = plane_gap(&of_a, a, b);
    if length > enough {
        return Margin { touch: false, length };
    }
    let of_b = Normal::new(b[1] - b[0], b[2] - b[0]);
    let length = larger(length, larger(box_gap(a, b), plane_gap(&of_b, b, a)));
    if length > 0.0 {
        return Margin { touch: false, length };
    }
    if triangles_touch(a, b) {
        return Margin { touch: true, length: larger(pierced(a, &of_a, b), pierced(b, &of_b, a)) };
    }
    let mut length = 0.0;
    for p in edges(a) {
        for q in edges(b) {
            length = larger(length, gap_along(a, b, (p.1 - p.0).cross(q.1 - q.0)));
        }
    }
    Margin { touch: false, length }
}

/// How far the boxes of two triangles are apart.
#[inline(always)]
fn box_gap(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let low = |t: &[DVec3; 3]| t[0].min(t[1]).min(t[2]);
    let high = |t: &[DVec3; 3]| t[0].max(t[1]).max(t[2]);
    let gap = (low(b) - high(a)).max(low(a) - high(b)).max(DVec3::ZERO);
    let square = gap.length_squared();
    // Beyond the safe range one axis is enough.
    let length = if SAFE_SQUARES.contains(&square) { square.sqrt() } else { gap.max_element() };
    certain_length(length * (1.0 - F64_SLACK))
}

/// How far `others` are from the plane of a triangle, all on one side; 0 if that is not certain.
#[inline(always)]
fn plane_gap(normal: &Normal, of: &[DVec3; 3], others: &[DVec3; 3]) -> f64 {
    let from = others.map(|p| p - of[0]);
    let [x, y, z] = from.map(|w| normal.value.dot(w));
    let [u, v, w] = from.map(DVec3::abs);
    let error = triple_product_error(normal.magnitude, u.max(v).max(w));
    let (lowest, highest) = (smaller(smaller(x, y), z), larger(larger(x, y), z));
    over_normal(larger(lowest, -highest) - error, normal)
}

/// The largest margin of an edge of `b` that pierces triangle `a`; 0 if none does for certain.
fn pierced(a: &[DVec3; 3], normal: &Normal, b: &[DVec3; 3]) -> f64 {
    edges(b).into_iter().fold(0.0, |most, edge| larger(most, piercing(a, normal, edge)))
}

fn piercing(a: &[DVec3; 3], normal: &Normal, (p, q): (DVec3, DVec3)) -> f64 {
    let (u, v) = (p - a[0], q - a[0]);
    let (x, y) = (normal.value.dot(u), normal.value.dot(v));
    if (x > 0.0) == (y > 0.0) {
        return 0.0;
    }
    let error = triple_product_error(normal.magnitude, u.abs().max(v.abs()));
    let mut margin = over_normal(smaller(x.abs(), y.abs()) - error, normal);
    let mut left = None;
    for (s, e) in edges(a) {
        let (across, w) = (Normal::new(q - p, e - s), s - p);
        let value = across.value.dot(w);
        // The edge passes all three sides of the triangle on the same hand.
        if *left.get_or_insert(value > 0.0) != (value > 0.0) {
            return 0.0;
        }
        let error = triple_product_error(across.magnitude, w.abs());
        margin = smaller(margin, over_normal(value.abs() - error, &across));
    }
    margin
}

/// How far two triangles are apart along a direction, to either side; 0 if that is not certain. Any
/// direction will do. The error of a projection is four roundings of each of its terms.
fn gap_along(a: &[DVec3; 3], b: &[DVec3; 3], direction: DVec3) -> f64 {
    let [of_a, of_b] = [a, b].map(|t| t.map(|p| p - a[0]));
    let reach = of_a.iter().chain(&of_b).fold(DVec3::ZERO, |most, w| most.max(w.abs()));
    let error = F64_SLACK * direction.abs().dot(reach) + UNDERFLOW_ALLOWANCE;
    let along = |t: [DVec3; 3]| {
        let [x, y, z] = t.map(|w| w.dot(direction));
        [smaller(smaller(x, y), z), larger(larger(x, y), z)]
    };
    let ([low_a, high_a], [low_b, high_b]) = (along(of_a), along(of_b));
    let square = direction.length_squared();
    if !SAFE_SQUARES.contains(&square) {
        return 0.0;
    }
    certain_length((larger(low_a - high_b, low_b - high_a) - error) / square.sqrt())
}

/// A value over the length of a normal.
///
/// The true normal is longer than the computed one by less than 6u times the length of its
/// magnitude: each term passes a product and the roundings of two differences and a sum.
#[inline(always)]
fn over_normal(value: f64, normal: &Normal) -> f64 {
    let (square, magnitude) = (normal.value.length_squared(), normal.magnitude.length_squared());
    if !(SAFE_SQUARES.contains(&square) && SAFE_SQUARES.contains(&magnitude)) {
        return 0.0;
    }
    certain_length(value / (square.sqrt() + F64_SLACK * magnitude.sqrt()))
}

/// A length that is positive and finite, rounded down; otherwise 0.
#[inline(always)]
fn certain_length(length: f64) -> f64 {
    if length > 0.0 && length.is_finite() { length * (1.0 - F64_SLACK) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        let number = || prop_oneof![-1.0..1.0f64, (-4..=4i32).prop_map(|n| f64::from(n) / 4.0)];
        [number(), number(), number()].prop_map(DVec3::from_array)
    }

    fn triangle() -> impl Strategy<Value = [DVec3; 3]> {
        [point(), point(), point()]
    }

    fn directions() -> impl Strategy<Value = [DVec3; 6]> {
        std::array::from_fn(|_| point())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Corners move by almost the margin: the answer stays, from end to end of `f64`.
        #[test]
        fn within_its_margin_an_answer_stays(
            a in triangle(), b in triangle(), near in any::<bool>(), exponent in -400..400i32,
            ways in prop::collection::vec((directions(), 0.0..1.0f64), 8),
        ) {
            let b = if near { b.map(|p| p * 0.5 + DVec3::splat(0.1)) } else { b };
            let scale = 2f64.powi(exponent);
            let (a, b) = (a.map(|p| p * scale), b.map(|p| p * scale));
            let Margin { touch, length } = touch_margin(&a, &b, f64::INFINITY);
            prop_assert_eq!(touch, triangles_touch(&a, &b));
            prop_assert!(length >= 0.0 && length.is_finite());
            for (ways, share) in ways {
                let by = |i: usize, part: f64| match ways[i].length() {
                    long if long > 0.0 => ways[i] / long * (part * length * 0.999_999),
                    _ => DVec3::ZERO,
                };
                let moved_a = [0, 1, 2].map(|i| a[i] + by(i, share));
                let moved_b = [0, 1, 2].map(|i| b[i] + by(3 + i, 1.0 - share));
                prop_assert_eq!(triangles_touch(&moved_a, &moved_b), touch);
            }
        }
    }

    #[test]
    fn margins_are_useful() {
        let floor = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        let lifted = floor.map(|p| p + DVec3::Z * 0.5);
        let gap = touch_margin(&floor, &lifted, 1.0);
        assert!(!gap.touch && (gap.length - 0.5).abs() < 1e-9, "{gap:?}");
        let post =
            [DVec3::new(1.0, 1.0, -1.0), DVec3::new(1.0, 1.0, 1.0), DVec3::new(3.0, 3.0, 1.0)];
        let pierced = touch_margin(&floor, &post, 1.0);
        assert!(pierced.touch && pierced.length > 0.7, "{pierced:?}");
        // Edges that pass one another: neither plane parts them.
        let a = [DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 0.0, -1.0)];
        let b = [DVec3::new(0.0, -1.0, 0.1), DVec3::new(0.0, 1.0, 0.1), DVec3::new(0.0, 0.0, 1.1)];
        let gap = touch_margin(&a, &b, f64::INFINITY);
        assert!(!gap.touch && (gap.length - 0.1).abs() < 1e-9, "{gap:?}");
        let touching = touch_margin(&floor, &floor, 1.0);
        assert_eq!(touching, Margin { touch: true, length: 0.0 });
    }
}
