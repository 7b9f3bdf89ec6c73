//! Animations: keys over time, and the value between them.

use pliant::glam::DVec4;

/// A motion: samplers over time and what they move.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// Its name in the file; empty if it has none.
    pub name: String,
    /// The first key of all samplers, in seconds.
    pub start: f64,
    /// The last key of all samplers, in seconds.
    pub end: f64,
    /// The curves.
    pub samplers: Vec<Sampler>,
    /// What each curve moves.
    pub channels: Vec<Channel>,
}

impl Animation {
    /// An animation that lasts from the first key of its samplers to the last.
    #[must_use]
    pub fn new(name: impl Into<String>, samplers: Vec<Sampler>, channels: Vec<Channel>) -> Self {
        let firsts = samplers.iter().filter_map(|sampler| sampler.times.first());
        let lasts = samplers.iter().filter_map(|sampler| sampler.times.last());
        let start = firsts.copied().reduce(f64::min).unwrap_or(0.0);
        let end = lasts.copied().reduce(f64::max).unwrap_or(0.0);
        Self { name: name.into(), start, end, samplers, channels }
    }

    /// Its length in seconds; 0 for a single key.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.end - self.start
    }
}

/// One property of one node, moved by one sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    /// The sampler, a number into [`Animation::samplers`].
    pub sampler: usize,
    /// The node.
    pub node: usize,
    /// The property.
    pub property: Property,
}

/// What a channel moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// The node's translation: 3 numbers a key.
    Translation,
    /// The node's rotation: 4 numbers a key, x, y, z, w.
    Rotation,
    /// The node's scale: 3 numbers a key.
    Scale,
    /// The morph weights of the object on the node: as many numbers a key as targets.
    Weights,
}

/// How values between two keys follow from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The earlier key's value.
    Step,
    /// A straight line; for rotations the shorter great arc.
    Linear,
    /// A cubic Hermite spline; rotations are normalised after it.
    CubicSpline,
}

impl Interpolation {
    /// Values stored a key: a spline has an in-tangent before and an out-tangent after each.
    #[must_use]
    pub fn values_per_key(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::CubicSpline => 3,
        }
    }
}

/// A curve: values at times. Before the first key it has the first value, after
/// the last key the last.
///
/// ```
/// use pliant_io::{Interpolation, Property, Sampler};
///
/// let ramp = Sampler {
///     interpolation: Interpolation::Linear,
///     times: vec![1.0, 3.0],
///     values: vec![0.0, 10.0],
/// };
/// let mut weight = [0.0];
/// ramp.sample(2.0, Property::Weights, &mut weight);
/// assert_eq!(weight, [5.0]);
/// ramp.sample(99.0, Property::Weights, &mut weight);
/// assert_eq!(weight, [10.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sampler {
    /// How values between two keys follow from them.
    pub interpolation: Interpolation,
    /// The keys in seconds, strictly increasing, at least one.
    pub times: Vec<f64>,
    /// The numbers of all keys, one key after the other; for a spline each key is
    /// in-tangent, value, out-tangent.
    pub values: Vec<f64>,
}

impl Sampler {
    /// Numbers in the value of one key.
    #[must_use]
    pub fn width(&self) -> usize {
        self.values.len() / (self.times.len() * self.interpolation.values_per_key()).max(1)
    }

    /// Writes the value at a time into `out`, as many numbers as both have.
    ///
    /// A spline of rotations can pass through 0, which is no rotation; `out` then
    /// is 0 and the caller must refuse it.
    pub fn sample(&self, time: f64, property: Property, out: &mut [f64]) {
        let Some(span) = Span::find(&self.times, time) else { return };
        if span.first == span.second || self.interpolation == Interpolation::Step {
            copy(self.key(span.first), out);
            return;
        }
        let (a, b) = (self.key(span.first), self.key(span.second));
        match (self.interpolation, property) {
            (Interpolation::CubicSpline, _) => {
                self.hermite(&span, out);
                if property == Property::Rotation {
                    normalize(out);
                }
            }
            (_, Property::Rotation) => {
                if let (&[ax, ay, az, aw], &[bx, by, bz, bw]) = (a, b) {
                    let (from, to) = (DVec4::new(ax, ay, az, aw), DVec4::new(bx, by, bz, bw));
                    copy(&shorter_arc(from, to, span.fraction).to_array(), out);
                }
            }
            _ => {
                let near = 1.0 - span.fraction;
                for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                    *out = near * a + span.fraction * b;
                }
            }
        }
    }

    /// The value of one key.
    fn key(&self, key: usize) -> &[f64] {
        self.part(key, self.interpolation.values_per_key() / 2)
    }

    /// Part of one key: of a spline 0 is the in-tangent, 1 the value, 2 the out-tangent.
    pub(super) fn part(&self, key: usize, part: usize) -> &[f64] {
        let width = self.width();
        let start = (key * self.interpolation.values_per_key() + part) * width;
        self.values.get(start..start + width).unwrap_or_default()
    }

    /// The cubic that has both keys' values and tangents; tangents are per second.
    fn hermite(&self, span: &Span, out: &mut [f64]) {
        let t = span.fraction;
        let (t2, t3) = (t * t, t * t * t);
        let value = [2.0 * t3 - 3.0 * t2 + 1.0, 3.0 * t2 - 2.0 * t3];
        let tangent = [(t3 - 2.0 * t2 + t) * span.seconds, (t3 - t2) * span.seconds];
        let from = self.key(span.first).iter().zip(self.part(span.first, 2));
        let to = self.key(span.second).iter().zip(self.part(span.second, 0));
        for ((out, (a, leave)), (b, arrive)) in out.iter_mut().zip(from).zip(to) {
            *out = value[0] * a + tangent[0] * leave + value[1] * b + tangent[1] * arrive;
        }
    }
}

/// Where a time lies among keys.
pub(crate) struct Span {
    /// The key before.
    pub(crate) first: usize,
    /// The key after; the same as `first` outside the keys.
    pub(crate) second: usize,
    /// How far between them, 0 at `first`.
    pub(crate) fraction: f64,
    /// The time between them.
    pub(crate) seconds: f64,
}

impl Span {
    /// Finds a time among increasing keys, held at their ends; `None` without keys.
    pub(crate) fn find(times: &[f64], time: f64) -> Option<Self> {
        let last = times.len().checked_sub(1)?;
        let after = times.partition_point(|&key| key <= time);
        if after == 0 || after > last {
            let key = if after == 0 { 0 } else { last };
            return Some(Self { first: key, second: key, fraction: 0.0, seconds: 0.0 });
        }
        let seconds = times[after] - times[after - 1];
        let fraction = (time - times[after - 1]) / seconds;
        Some(Self { first: after - 1, second: after, fraction, seconds })
    }
}

fn copy(from: &[f64], to: &mut [f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// Gives a quaternion unit length; 0 where it has no direction.
fn normalize(quaternion: &mut [f64]) {
    if let &mut [x, y, z, w] = quaternion {
        copy(&DVec4::new(x, y, z, w).normalize_or_zero().to_array(), quaternion);
    }
}

/// Spherical interpolation of rotations along the shorter way, of unit length.
///
/// The angle comes from the half-chords by `atan2`, which is accurate for near
/// and for opposite rotations alike; no threshold switches to another formula.
fn shorter_arc(from: DVec4, to: DVec4, fraction: f64) -> DVec4 {
    let from = from.normalize_or_zero();
    let to = to.normalize_or_zero();
    let to = if from.dot(to) < 0.0 { -to } else { to };
    let angle = 2.0 * (from - to).length().atan2((from + to).length());
    let sine = angle.sin();
    if sine == 0.0 {
        return from;
    }
    let near = ((1.0 - fraction) * angle).sin() / sine;
    let far = (fraction * angle).sin() / sine;
    (from * near + to * far).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(sampler: &Sampler, time: f64, property: Property) -> Vec<f64> {
        let mut out = vec![f64::NAN; sampler.width()];
        sampler.sample(time, property, &mut out);
        out
    }

    #[test]
    fn steps_hold_and_ends_clamp() {
        let times = vec![1.0, 2.0, 4.0];
        let steps = Sampler {
            interpolation: Interpolation::Step,
            times,
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        };
        for (time, value) in [
            (-9.0, [1.0, 2.0]),
            (1.0, [1.0, 2.0]),
            (1.999, [1.0, 2.0]),
            (2.0, [3.0, 4.0]),
            (3.9, [3.0, 4.0]),
            (4.0, [5.0, 6.0]),
            (9.0, [5.0, 6.0]),
        ] {
            assert_eq!(at(&steps, time, Property::Weights), value, "at {time}");
        }
    }

    #[test]
    fn the_spline_meets_values_and_tangents() {
        // One number over two seconds: leaves 1 with slope 3, arrives at 5 with slope -2.
        let spline = Sampler {
            interpolation: Interpolation::CubicSpline,
            times: vec![0.0, 2.0],
            values: vec![7.0, 1.0, 3.0, -2.0, 5.0, 7.0],
        };
        let value = |time| at(&spline, time, Property::Weights)[0];
        assert_eq!((value(0.0), value(2.0), value(3.0)), (1.0, 5.0, 5.0));
        // Halfway: (1 + 5) / 2 + 2 s * (3 - -2) / 8.
        assert_eq!(value(1.0), 4.25);
        let step = 1e-6;
        assert!(((value(step) - value(0.0)) / step - 3.0).abs() < 1e-4);
        assert!(((value(2.0) - value(2.0 - step)) / step + 2.0).abs() < 1e-4);
    }

    #[test]
    fn rotations_take_the_shorter_arc() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        // From no turn to a quarter turn about z, written with the opposite sign.
        let quarter = Sampler {
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -half, -half],
        };
        let eighth = at(&quarter, 0.5, Property::Rotation);
        let angle = std::f64::consts::PI / 8.0;
        assert!((eighth[2] - angle.sin()).abs() < 1e-15, "{eighth:?}");
        assert!((eighth[3] - angle.cos()).abs() < 1e-15, "{eighth:?}");
        let same = shorter_arc(DVec4::W, DVec4::W, 0.3);
        assert_eq!(same, DVec4::W);
        let near = shorter_arc(DVec4::W, DVec4::new(1e-12, 0.0, 0.0, 1.0), 0.5);
        assert!((near.x - 5e-13).abs() < 1e-27);
    }
}
