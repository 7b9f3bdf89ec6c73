//! Spheres that touch two, three or four balls from outside.
//!
//! For balls `(p_i, r_i)` the sphere `(c, R)` has `|c - p_i| = R - r_i` for all i, and its centre
//! in the flat through the `p_i`. Seen from the first ball, with `q_i = p_i - p_0`, `d_i = r_i -
//! r_0`, `x = c - p_0` and `s = R - r_0`, subtracting the first equation leaves `q_i . x = (q_i .
//! q_i - d_i^2) / 2 + s d_i`: x is linear in s, and `|x| = s` is a quadratic.

use glam::DVec3;

use super::{Ball, length};

/// Calls `visit` with the centre of each sphere around the balls that touches all of them, and
/// with whether that centre lies in the hull of the balls' centres. If it does, the sphere is the
/// smallest one around these balls. There are at most two spheres, and none for more than four
/// balls. Centres may be wrong or not finite for balls in degenerate position: callers must
/// measure the radius that a centre needs.
pub(super) fn tangent_centers(balls: &[Ball], mut visit: impl FnMut(DVec3, bool)) {
    match *balls {
        [a] => visit(a.center, true),
        [a, b] => between(a, b, visit),
        [a, b, c] => {
            let (scale, [q1, q2], [d1, d2]) = relative(a, [b, c]);
            let normal = q1.cross(q2);
            let (u, v) = (q2.cross(normal), normal.cross(q1));
            let area = normal.length_squared();
            let solve = |h1: f64, h2: f64| (u * h1 + v * h2) / area;
            let offset = solve(half(q1, d1), half(q2, d2));
            let slope = if d1 == 0.0 && d2 == 0.0 { DVec3::ZERO } else { solve(d1, d2) };
            on_line(offset, slope, |x| {
                let (l, m) = (x.cross(q2).dot(normal), q1.cross(x).dot(normal));
                visit(a.center + x * scale, l >= 0.0 && m >= 0.0 && l + m <= area);
            });
        }
        [a, b, c, d] => {
            let (scale, [q1, q2, q3], [d1, d2, d3]) = relative(a, [b, c, d]);
            let (u, v, w) = (q2.cross(q3), q3.cross(q1), q1.cross(q2));
            let volume = q1.dot(u);
            let solve = |h1: f64, h2: f64, h3: f64| (u * h1 + v * h2 + w * h3) / volume;
            let offset = solve(half(q1, d1), half(q2, d2), half(q3, d3));
            let equal = d1 == 0.0 && d2 == 0.0 && d3 == 0.0;
            let slope = if equal { DVec3::ZERO } else { solve(d1, d2, d3) };
            on_line(offset, slope, |x| {
                let [l, m, n] = [x.dot(u) / volume, x.dot(v) / volume, x.dot(w) / volume];
                let inside = l >= 0.0 && m >= 0.0 && n >= 0.0 && l + m + n <= 1.0;
                visit(a.center + x * scale, inside);
            });
        }
        _ => {}
    }
}

/// The sphere around two balls of which neither contains the other.
#[inline]
fn between(a: Ball, b: Ball, mut visit: impl FnMut(DVec3, bool)) {
    let along = b.center - a.center;
    let apart = length(along);
    if apart > (a.radius - b.radius).abs() {
        // (R - r_a) / |q| with R = (|q| + r_a + r_b) / 2.
        let share = 0.5 + 0.5 * ((b.radius - a.radius) / apart);
        visit(a.center + along * share, true);
    }
}

/// Centres and radii relative to the first ball's, in a unit that keeps products of six
/// lengths in the range of `f64`.
#[inline]
fn relative<const N: usize>(first: Ball, others: [Ball; N]) -> (f64, [DVec3; N], [f64; N]) {
    let away = others.map(|ball| ball.center - first.center);
    let farthest = away.iter().fold(0.0, |far: f64, q| far.max(q.abs().max_element()));
    let scale = if (1e-40..1e40).contains(&farthest) { 1.0 } else { farthest };
    let excess = others.map(|ball| (ball.radius - first.radius) / scale);
    (scale, away.map(|q| q / scale), excess)
}

/// The part of `q . x` that does not depend on s.
#[inline]
fn half(q: DVec3, d: f64) -> f64 {
    0.5 * (q.length_squared() - d * d)
}

/// The points `x = offset + s slope` with `|x| = s`, s not negative.
#[inline]
fn on_line(offset: DVec3, slope: DVec3, mut visit: impl FnMut(DVec3)) {
    if slope == DVec3::ZERO {
        visit(offset);
        return;
    }
    // (1 - |slope|^2) s^2 - 2 (offset . slope) s - |offset|^2 = 0
    let (square, mixed) = (1.0 - slope.length_squared(), offset.dot(slope));
    let root = (mixed * mixed + square * offset.length_squared()).sqrt();
    // One of the two forms of each root subtracts nearly equal numbers; this uses the other.
    let sum = mixed + if mixed < 0.0 { -root } else { root };
    for s in [sum / square, -offset.length_squared() / sum] {
        if s >= 0.0 {
            visit(offset + slope * s);
        }
    }
}
