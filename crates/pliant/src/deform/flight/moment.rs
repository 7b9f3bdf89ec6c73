//! A time among the keyframes, and where vertices are at that time.

use std::sync::Arc;

use glam::DVec3;

use super::{Course, Flight, Keyframes};

/// A time, the two keyframes around it, and how far it lies between them.
///
/// Before the first and after the last keyframe `first` and `second` are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    pub(crate) time: f64,
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) fraction: f64,
}

impl Flight {
    /// The current moment.
    pub(crate) fn now(&self) -> &Moment {
        &self.now
    }

    /// The moment of a time. Before the first and after the last keyframe that keyframe is held.
    pub(crate) fn moment(&self, time: f64) -> Moment {
        let Some(keyframes) = &self.keyframes else {
            return Moment { time, first: 0, second: 0, fraction: 0.0 };
        };
        let times = &keyframes.times;
        let after = times.partition_point(|&key| key <= time);
        if after == 0 || after == times.len() {
            let held = after.saturating_sub(1);
            return Moment { time, first: held, second: held, fraction: 0.0 };
        }
        let before = times[after - 1];
        let fraction = (time - before) / (times[after] - before);
        Moment { time, first: after - 1, second: after, fraction }
    }

    /// The first time after `time` at which a vertex may leave its line or polynomial: a keyframe
    /// or the end of the courses. Infinite if there is none.
    pub(crate) fn next_knot(&self, time: f64) -> f64 {
        let keyframes = self.keyframes.iter().flat_map(|keyframes| {
            let after = keyframes.times.partition_point(|&key| key <= time);
            keyframes.times.get(after).copied()
        });
        keyframes.chain((self.until > time).then_some(self.until)).fold(f64::INFINITY, f64::min)
    }

    /// The positions of a keyframe. Empty if there is no such keyframe.
    pub(crate) fn frame(&self, number: usize) -> &[DVec3] {
        self.keyframes.as_ref().and_then(|k| k.frames.get(number)).map_or(&[], |frame| frame)
    }

    /// The times of the keyframes around a moment, or `None` if a vertex has or had a course.
    pub(crate) fn keyframes_around(&self, moment: &Moment) -> Option<[f64; 2]> {
        let keyframes = self.shared_keyframes()?;
        Some([keyframes.times[moment.first], keyframes.times[moment.second]])
    }

    /// The keyframes, or `None` if a vertex has or had a course.
    pub(crate) fn shared_keyframes(&self) -> Option<&Arc<Keyframes>> {
        self.keyframes.as_ref().filter(|_| self.courses.is_empty())
    }

    /// The position of a vertex at a moment.
    #[inline]
    pub(crate) fn position_at(&self, moment: &Moment, vertex: u32) -> DVec3 {
        if let Some(Some(course)) = self.courses.get(vertex as usize) {
            return course.at(moment.time.min(self.until));
        }
        match &self.keyframes {
            Some(keyframes) => {
                let [first, second] = [moment.first, moment.second]
                    .map(|frame| keyframes.frames[frame][vertex as usize]);
                first * (1.0 - moment.fraction) + second * moment.fraction
            }
            // Every vertex of a flight without keyframes has a course.
            None => DVec3::ZERO,
        }
    }

    /// One coordinate of [`Flight::position_at`], with the same bits.
    #[inline]
    pub(crate) fn coordinate_at(&self, moment: &Moment, vertex: u32, axis: usize) -> f64 {
        match &self.keyframes {
            Some(keyframes) if self.courses.is_empty() => {
                let [first, second] = [moment.first, moment.second]
                    .map(|frame| keyframes.frames[frame][vertex as usize][axis]);
                first * (1.0 - moment.fraction) + second * moment.fraction
            }
            _ => self.position_at(moment, vertex)[axis],
        }
    }

    /// The course of a vertex, or `None` if it has none or the courses have ended at that time.
    #[inline]
    pub(crate) fn course(&self, vertex: u32, time: f64) -> Option<&Course> {
        let course = self.courses.get(vertex as usize)?.as_ref()?;
        (time < self.until).then_some(course)
    }

    /// The largest magnitude of the second derivative of any coordinate from a time on.
    pub(crate) fn largest_acceleration(&self, from: f64) -> f64 {
        let until = self.until.max(from);
        let of = |course: &Course| course.largest_acceleration(from, until).max_element();
        self.courses.iter().flatten().map(of).fold(0.0, f64::max)
    }
}
