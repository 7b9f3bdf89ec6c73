//! Two triangles advance in time by steps in which they cannot meet.

use glam::DVec3;

use super::path::Path;
use super::search::{Found, Search};
use crate::contact::{certain_separation, triangles_touch};
use crate::query::Work;

impl Search<'_> {
    /// Advances two triangles in time until they touch, are near, or part.
    ///
    /// At each time a direction is known along which the triangles are apart. A point of one
    /// triangle and a point of the other are fixed combinations of corners at all times, so the
    /// triangles stay apart as long as every pair of corners stays apart along that direction. What
    /// moves across it does not count: plates that slide past one another take one step. (Mirtich
    /// and Canny 1995 bound the motion along the direction of the nearest points in the same way.)
    ///
    /// The separation is one that is certain, so that no rounding makes a step too long.
    pub(super) fn approach(&mut self, pair: [u32; 2], enter: f64, leave: f64, work: &mut Work) {
        let of_a = self.a.mesh.triangles()[pair[0] as usize].map(|v| self.path(&self.a, v));
        let of_b = self.b.mesh.triangles()[pair[1] as usize].map(|v| self.path(&self.b, v));
        let mut time = enter;
        while time <= leave && self.best.is_none_or(|best| time < best.time) {
            work.primitive_tests += 1;
            let a = self.a.triangle_at(pair[0], time);
            let b = self.b.triangle_at(pair[1], time);
            if triangles_touch(&a, &b) {
                self.best = Some(Found { time, pair, touching: true });
                return;
            }
            let direction = certain_separation(&a, &b).direction;
            let step = self.step((&a, &of_a), (&b, &of_b), direction, time);
            if step > self.tolerance {
                time = (time + step).next_down().max(time.next_up());
            } else {
                self.best = Some(Found { time, pair, touching: false });
                return;
            }
        }
    }

    /// A time during which two triangles stay apart along a direction of length 1, from the second
    /// to the first; 0 or less if they are too near.
    fn step(
        &self,
        (a, of_a): (&[DVec3; 3], &[Path; 3]),
        (b, of_b): (&[DVec3; 3], &[Path; 3]),
        direction: DVec3,
        time: f64,
    ) -> f64 {
        let span = self.to - self.from;
        let mut least = f64::INFINITY;
        for (p, path_p) in a.iter().zip(of_a) {
            for (q, path_q) in b.iter().zip(of_b) {
                let apart = (*p - *q).dot(direction) - self.near;
                let closing =
                    (path_q.velocity(time, span) - path_p.velocity(time, span)).dot(direction);
                let bend = |end: usize| (path_p.bends[end] - path_q.bends[end]).dot(direction);
                let bending = larger(bend(0).abs(), bend(1).abs());
                let share = share_until_met(apart, closing, bending);
                least = least.min(share);
            }
        }
        // Infinity times a span of 0 is NaN.
        if least == f64::INFINITY { least } else { least * span * (1.0 - 1e-12) }
    }
}

/// The larger of two numbers; NaN if one of them is.
fn larger(x: f64, y: f64) -> f64 {
    if x >= y || x.is_nan() { x } else { y }
}

/// A share s of a span before which two corners that are `apart` along a direction do not meet
/// there; 0 if a number is NaN. Per span they are `closing` by so much now, and that changes by at most `bending`.
///
/// Their separation is at least apart - closing s - bending s² / 2. This is the root that is
/// greater than 0, in the form that does not cancel.
pub(in crate::query) fn share_until_met(apart: f64, closing: f64, bending: f64) -> f64 {
    if apart.is_nan() || apart <= 0.0 || closing.is_nan() || bending.is_nan() {
        return 0.0;
    }
    if bending == 0.0 {
        return if closing > 0.0 { apart / closing } else { f64::INFINITY };
    }
    let root = (closing * closing + 2.0 * bending * apart).sqrt();
    if closing > 0.0 { 2.0 * apart / (closing + root) } else { (root - closing) / bending }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn corners_stay_apart_until_they_meet(
            apart in 1e-9..10.0f64, closing in -10.0..10.0f64, bending in prop_oneof![Just(0.0), 1e-9..10.0f64],
        ) {
            let share = share_until_met(apart, closing, bending);
            let left = |s: f64| apart - closing * s - 0.5 * bending * s * s;
            for part in [0.0, 0.1, 0.5, 0.9, 0.999_999] {
                let s = share.min(1e3) * part;
                prop_assert!(left(s) > 0.0, "{s} of {share}: {}", left(s));
            }
            if share < 1e3 {
                prop_assert!(left(share * 1.000_001) < 1e-9 * (1.0 + share * share), "{share}");
            }
        }
    }

    #[test]
    fn what_is_unknown_is_no_time() {
        for (apart, closing, bending) in [
            (f64::NAN, 1.0, 1.0),
            (1.0, f64::NAN, 0.0),
            (1.0, 1.0, f64::NAN),
            (1.0, f64::INFINITY, 0.0),
            (1.0, f64::INFINITY, 1.0),
            (0.0, 0.0, 0.0),
        ] {
            assert_eq!(share_until_met(apart, closing, bending), 0.0);
        }
    }
}
