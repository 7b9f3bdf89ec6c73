//! Boxes at both ends of a step.
//!
//! A point that moves along a straight line from one box to another is, at every moment, in the box
//! that is as far between them. So the gap between two such boxes is, on each axis and in each
//! direction, at least a linear function of time, and two nodes can meet only while all six are at
//! most zero. A box around the whole way says far less: what flies in formation never overlaps
//! here, and always there.

use glam::{DVec3, Vec3A};

use super::{Aabb, Overlap, Ray, RayEntry, Volume};

/// A box at the start of a step, time 0, and one at its end, time 1. In between it is as far
/// between the two.
///
/// ```
/// use pliant::{glam::DVec3, volume::{Aabb, MovingBox}};
/// let at = |x: f64| Aabb::around([DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0)]);
/// let ahead = MovingBox { start: at(2.0), end: at(12.0) };
/// let behind = MovingBox { start: at(0.0), end: at(10.0) };
/// assert!(!ahead.may_meet(&behind)); // though their ways overlap
/// let still = MovingBox { start: at(5.0), end: at(5.0) };
/// let [enter, leave] = behind.meeting(&still);
/// assert!((enter - 0.4).abs() < 1e-5 && (leave - 0.6).abs() < 1e-5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingBox {
    /// At time 0.
    pub start: Aabb,
    /// At time 1.
    pub end: Aabb,
}

/// By how much computed times may be wrong, both together.
///
/// The sign of a difference of `f32` is exact, and so is a difference below the normal numbers. A
/// time is a quotient g / (g - h) of such differences with opposite signs: nothing cancels, and it
/// has four roundings of 2^-24 of itself, which is at most 1. Two times are off by less than 2^-21.
const TIME_SLACK: f32 = 1e-6;

impl MovingBox {
    /// The box around both.
    #[must_use]
    pub fn hull(&self) -> Aabb {
        self.start.merge(&self.end)
    }

    /// The time from which on two may overlap, and until when, both within 0 to 1 and a little too
    /// wide. If the first is larger, they do not meet.
    #[must_use]
    #[inline]
    pub fn meeting(&self, other: &Self) -> [f32; 2] {
        let (start, end) = (gaps(&self.start, &other.start), gaps(&self.end, &other.end));
        let both = |i: usize| start[i].cmpgt(Vec3A::ZERO) & end[i].cmpgt(Vec3A::ZERO);
        if (both(0) | both(1)).any() { [f32::INFINITY, 0.0] } else { crossing(start, end) }
    }

    /// Whether two may overlap at some time of the step. `false` means that they certainly do not.
    #[must_use]
    #[inline]
    pub fn may_meet(&self, other: &Self) -> bool {
        self.may_meet_by(other, f32::INFINITY)
    }

    /// Whether two may overlap at some time of the step that is not after another.
    #[inline(always)]
    pub(crate) fn may_meet_by(&self, other: &Self, time: f32) -> bool {
        let gaps = [gaps(&self.start, &other.start), gaps(&self.end, &other.end)];
        may_close(gaps, Vec3A::ZERO, time)
    }

    /// Whether two may come as near as a slack, on every axis, at some time that is not after another.
    #[inline(always)]
    pub(crate) fn may_come_near(&self, other: &Self, slack: f32, time: f32) -> bool {
        let gaps = [gaps(&self.start, &other.start), gaps(&self.end, &other.end)];
        may_close(gaps, Vec3A::splat(slack), time)
    }

    /// The same, larger by a distance on every side, and a little more.
    ///
    /// The two sums err by 2^-24 of the magnitudes of their terms each, for which 2^-22 is added.
    /// Below the normal numbers sums are exact. An empty box stays empty.
    #[must_use]
    #[inline]
    pub(crate) fn grown(&self, by: f32) -> Self {
        let more = |corner: Vec3A| {
            let size = corner.abs().min(Vec3A::splat(f32::MAX)) + by;
            size * (2.0 * f32::EPSILON) + by
        };
        let grown =
            |one: &Aabb| Aabb { min: one.min - more(one.min), max: one.max + more(one.max) };
        Self { start: grown(&self.start), end: grown(&self.end) }
    }
}

/// How far the first box is above the second on each axis, and the second above the first. Negative
/// where they overlap.
#[inline(always)]
fn gaps(a: &Aabb, b: &Aabb) -> [Vec3A; 2] {
    [a.min - b.max, b.min - a.max]
}

/// Whether all gaps may be at most a slack at one time of the step, not after another. Gaps go from
/// those at the start to those at the end at constant speed.
///
/// Within a step most boxes are apart at both ends or at neither, which takes no division. Which of
/// the two is as good as random to the processor, so that there is no branch on it.
#[inline(always)]
pub(crate) fn may_close([start, end]: [[Vec3A; 2]; 2], slack: Vec3A, time: f32) -> bool {
    let open = |gaps: [Vec3A; 2]| [gaps[0].cmpgt(slack), gaps[1].cmpgt(slack)];
    let (first, last) = (open(start), open(end));
    let throughout = ((first[0] & last[0]) | (first[1] & last[1])).any();
    let at_an_end = (first[0] | first[1] | last[0] | last[1]).any();
    if at_an_end & !throughout {
        let less = |gaps: [Vec3A; 2]| [gaps[0] - slack, gaps[1] - slack];
        let [enter, leave] = crossing(less(start), less(end));
        // NaN excludes nothing.
        return !(enter > leave || enter > time);
    }
    !throughout
}

/// The time from which on no gap is above zero, and until when, a little too wide; for gaps of which
/// none is above zero at both ends. If the first is larger there is no such time.
#[inline(never)]
fn crossing(start: [Vec3A; 2], end: [Vec3A; 2]) -> [f32; 2] {
    let (mut enter, mut leave) = (Vec3A::ZERO, Vec3A::ONE);
    for (g, h) in start.into_iter().zip(end) {
        let (apart_first, apart_last) = (g.cmpgt(Vec3A::ZERO), h.cmpgt(Vec3A::ZERO));
        let span = g - h;
        let time = g / span;
        // Where the span is infinite this time is too early: that is safe for the first, and left
        // out for the last.
        enter = enter.max(Vec3A::select(apart_first, time, Vec3A::ZERO));
        let known = apart_last & span.cmpge(Vec3A::splat(f32::MIN));
        leave = leave.min(Vec3A::select(known, time, Vec3A::ONE));
    }
    [enter.max_element(), leave.min_element() + TIME_SLACK]
}

impl Overlap<Aabb> for MovingBox {
    /// Whether it may overlap a box that does not move.
    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        self.may_meet(&Self { start: *other, end: *other })
    }
}

impl RayEntry for MovingBox {
    /// Where the ray enters the box around the whole way.
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        self.hull().ray_entry(ray, until)
    }
}

impl Volume for MovingBox {
    #[inline]
    fn corners(&self) -> [DVec3; 2] {
        self.hull().corners()
    }

    #[inline]
    fn moving(&self) -> Self {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Two points that pass through one place at one time are in boxes that meet then, at every
        /// scale.
        #[test]
        fn a_common_point_is_never_missed(
            common in point(), ways in prop::array::uniform2(point()), time in 0.0..=1.0f64,
            sizes in prop::array::uniform4(0.0..1.0f64), others in prop::array::uniform4(point()),
            exponents in prop::array::uniform3(-45..39i32),
        ) {
            let [place, speed, size] = exponents.map(|e| 10f64.powi(e));
            let boxes = |i: usize| {
                let way = ways[i] * speed;
                // The real point at `time` is off by roundings of these sums: a box that is wider
                // by a few of them contains the ends of a path through it.
                let [from, to] = [common * place - way * time, common * place + way * (1.0 - time)];
                let slack = DVec3::splat(1e-15 * (place + speed));
                let around = |p: DVec3, j: usize| {
                    let other = p + others[j] * sizes[j] * size;
                    Aabb::around([p - slack, p + slack, other])
                };
                MovingBox { start: around(from, 2 * i), end: around(to, 2 * i + 1) }
            };
            let (a, b) = (boxes(0), boxes(1));
            prop_assert!(a.may_meet(&b) && b.may_meet(&a));
            let [enter, leave] = a.meeting(&b);
            let time = time as f32;
            prop_assert!(!(enter > time + 1e-6 || leave < time - 1e-6), "{enter} {time} {leave}");
            let by = size as f32;
            let (own, grown) = (a.start, a.grown(by).start);
            prop_assert!(grown.contains(&own));
            let ([low, high], [min, max]) = (own.corners(), grown.corners());
            prop_assert!((low - f64::from(by)).cmpge(min).all(), "{low} {by} {min}");
            prop_assert!((high + f64::from(by)).cmple(max).all(), "{high} {by} {max}");
        }

        /// What is decided is what the six lines say, in rational steps.
        #[test]
        fn boxes_against_integers(corners in prop::array::uniform24(-20..20i32)) {
            let vector = |i: usize| [corners[i], corners[i + 1], corners[i + 2]];
            let boxed = |i: usize| {
                let (a, b) = (vector(i), vector(i + 3));
                let low = [0, 1, 2].map(|k| a[k].min(b[k]));
                let high = [0, 1, 2].map(|k| a[k].max(b[k]));
                (low, high)
            };
            let [a0, a1, b0, b1] = [0, 6, 12, 18].map(boxed);
            // Gaps change sign at g / (g - h), with integers up to 80: between any two different
            // such times lies a step of 1 / 80 / 80, or one of them is tried itself.
            let mut times: Vec<(i64, i64)> = vec![(0, 1), (1, 1)];
            let mut lines = Vec::new();
            for k in 0..3 {
                lines.push((a0.0[k] - b0.1[k], a1.0[k] - b1.1[k]));
                lines.push((b0.0[k] - a0.1[k], b1.0[k] - a1.1[k]));
            }
            for &(g, h) in &lines {
                if (g > 0) != (h > 0) {
                    let (g, span) = (i64::from(g), i64::from(g) - i64::from(h));
                    times.push((g * span.signum(), span.abs()));
                }
            }
            let open = |&(n, d): &(i64, i64)| {
                lines.iter().all(|&(g, h)| i64::from(g) * (d - n) + i64::from(h) * n <= 0)
            };
            let truth = times.iter().any(open);
            let make = |b: ([i32; 3], [i32; 3])| Aabb {
                min: Vec3A::from_array(b.0.map(|x| x as f32)),
                max: Vec3A::from_array(b.1.map(|x| x as f32)),
            };
            let a = MovingBox { start: make(a0), end: make(a1) };
            let b = MovingBox { start: make(b0), end: make(b1) };
            prop_assert_eq!(a.may_meet(&b), truth);
        }
    }

    #[test]
    fn infinite_boxes_exclude_nothing() {
        let unit = Aabb::around([DVec3::ZERO, DVec3::ONE]);
        let all = MovingBox { start: Aabb::EVERYWHERE, end: Aabb::EVERYWHERE };
        let far = Aabb::around([DVec3::splat(1e300)]);
        for (start, end) in [(unit, far), (far, unit), (unit, Aabb::EVERYWHERE), (far, far)] {
            let moving = MovingBox { start, end };
            assert!(all.may_meet(&moving) && moving.may_meet(&all), "{moving:?}");
        }
        // From -3e38 to 3e38 past a box at 2e38: the difference of gaps is above the range.
        let at = |x: f32| Aabb { min: Vec3A::splat(x), max: Vec3A::splat(x) };
        let fast = MovingBox { start: at(-3e38), end: at(3e38) };
        let still = MovingBox { start: at(2e38), end: at(2e38) };
        assert!(fast.may_meet(&still) && still.may_meet(&fast));
        let nothing = MovingBox { start: Aabb::EMPTY, end: Aabb::EMPTY };
        assert!(!nothing.may_meet(&fast) && !fast.may_meet(&nothing));
        assert_eq!(nothing.grown(1.0), nothing);
        assert_eq!(all.grown(1.0), all);
    }
}
