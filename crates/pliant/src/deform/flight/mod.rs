//! Motion that is known ahead: where every vertex will be.

use std::sync::Arc;

use glam::DVec3;

use super::{Course, Deformation, Keyframes};
use crate::{Error, Mesh, Result};

/// How one vertex is to move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plan {
    /// As the keyframes say.
    Keyframes,
    /// Along a polynomial, until the end of the flight; then it rests.
    Course(Course),
}

/// A flight plan for every vertex, and the current time.
///
/// The keyframes' formula is `first * (1 - f) + second * f` with
/// `f = (time - before) / (after - before)`, in `f64`.
///
/// ```
/// use pliant::{deform::{Course, Flight, Keyframes, Plan}, glam::DVec3};
/// let frames = vec![vec![DVec3::ZERO; 2], vec![DVec3::X; 2]];
/// let mut flight = Flight::keyframed(Keyframes::new(vec![0.0, 4.0], frames)?);
/// flight.advance(1.0)?;
/// assert_eq!(flight.at(1), Some(DVec3::X * 0.25));
/// // The second vertex turns back, the first goes on.
/// flight.set_plans(&[(1, Plan::Course(Course::linear(1.0, DVec3::X * 0.25, -DVec3::X)))])?;
/// flight.advance(2.0)?;
/// assert_eq!(flight.at(0), Some(DVec3::X * 0.5));
/// assert_eq!(flight.at(1), Some(DVec3::X * -0.75));
/// assert!(flight.advance(1.5).is_err(), "time does not go back");
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Flight {
    keyframes: Option<Arc<Keyframes>>,
    /// For each vertex its course if it has one; empty if none has.
    courses: Vec<Option<Course>>,
    vertices: usize,
    /// Courses are known from here on.
    from: f64,
    /// Here all courses end.
    until: f64,
    /// No coordinate is larger, ever.
    reach: f64,
    now: Moment,
}

/// A time, and where it lies among the keyframes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    pub(crate) time: f64,
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) fraction: f64,
}

impl Flight {
    /// All vertices move as keyframes say. The time is that of the first.
    #[must_use]
    pub fn keyframed(keyframes: Keyframes) -> Self {
        let largest =
            |frame: &Vec<DVec3>| frame.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let (from, until) = (keyframes.times[0], keyframes.times[keyframes.times.len() - 1]);
        let now = Moment { time: from, first: 0, second: 0, fraction: 0.0 };
        let mut flight = Self {
            courses: Vec::new(),
            vertices: keyframes.frames[0].len(),
            from,
            until,
            reach: keyframes.frames.iter().map(largest).fold(0.0, f64::max),
            keyframes: Some(Arc::new(keyframes)),
            now,
        };
        flight.now = flight.moment(from);
        flight
    }

    /// Every vertex has a course, from one time to another; then all rest.
    ///
    /// # Errors
    /// [`Error::InvalidTime`] for times that are not finite or not in this order,
    /// [`Error::InvalidPlan`].
    pub fn along(courses: &[Course], from: f64, until: f64) -> Result<Self> {
        let now = Moment { time: from, first: 0, second: 0, fraction: 0.0 };
        check_time(from)?;
        check_time(until)?;
        if !(from <= until && (until - from).is_finite()) {
            return Err(Error::InvalidTime { time: until, reason: "the end is before the start" });
        }
        let (keyframes, vertices) = (None, courses.len());
        let courses_of = vec![None; vertices];
        let mut flight =
            Self { keyframes, courses: courses_of, vertices, from, until, reach: 0.0, now };
        let plans: Vec<_> = (0u32..).zip(courses.iter().map(|&c| Plan::Course(c))).collect();
        flight.set_plans(&plans)?;
        Ok(flight)
    }

    /// The current time.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.now.time
    }

    /// How many vertices there are.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// When the last plan ends: from then on every vertex rests.
    #[must_use]
    pub fn until(&self) -> f64 {
        self.until
    }

    /// The current position of a vertex, or `None` if there is no such vertex.
    #[must_use]
    pub fn at(&self, vertex: u32) -> Option<DVec3> {
        ((vertex as usize) < self.vertices).then(|| self.position_at(&self.now, vertex))
    }

    /// Lets time pass. On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::InvalidTime`] if it is not finite, or before the current one.
    pub fn advance(&mut self, time: f64) -> Result<()> {
        self.now = self.moment(self.check_advance(time)?);
        Ok(())
    }

    /// Goes to an earlier time, or a later one.
    ///
    /// # Errors
    /// [`Error::InvalidTime`] if it is not finite, or before the last change of plans: what was
    /// planned before is not kept.
    pub fn rewind(&mut self, time: f64) -> Result<()> {
        check_time(time)?;
        if !self.courses.is_empty() && time < self.from {
            return Err(Error::InvalidTime { time, reason: "plans have changed since" });
        }
        self.now = self.moment(time);
        Ok(())
    }

    /// Changes the plans of some vertices from now on. They may jump: nothing asks a new course
    /// to begin where the vertex is. On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`] for a vertex that does not exist, for coefficients that are not
    /// finite or lead past 1e150, and for keyframes where there are none.
    pub fn set_plans(&mut self, plans: &[(u32, Plan)]) -> Result<()> {
        let mut reach = self.reach;
        for &(vertex, plan) in plans {
            let refused = |reason| Err(Error::InvalidPlan { vertex: vertex as usize, reason });
            if vertex as usize >= self.vertices {
                return refused("there is no such vertex");
            }
            match plan {
                Plan::Keyframes if self.keyframes.is_none() => {
                    return refused("the flight has no keyframes");
                }
                Plan::Keyframes => {}
                Plan::Course(course) => {
                    let own = course.reach(self.now.time, self.until.max(self.now.time));
                    if own.is_nan() || own > REACH {
                        return refused("the course is not finite or leads past 1e150");
                    }
                    reach = reach.max(own);
                }
            }
        }
        if self.courses.is_empty() {
            self.courses = vec![None; self.vertices];
        }
        for &(vertex, plan) in plans {
            self.courses[vertex as usize] = match plan {
                Plan::Keyframes => None,
                Plan::Course(course) => Some(course),
            };
        }
        self.reach = reach;
        self.from = self.now.time;
        Ok(())
    }

    /// The time to advance to, if it is one.
    pub(crate) fn check_advance(&self, time: f64) -> Result<f64> {
        check_time(time)?;
        if time < self.now.time {
            return Err(Error::InvalidTime { time, reason: "it is before the current time" });
        }
        Ok(time)
    }

    /// Where a time lies among the keyframes; held at their ends.
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

    /// When plans changed last, or the start.
    pub(crate) fn planned_at(&self) -> f64 {
        self.from
    }

    pub(crate) fn now(&self) -> &Moment {
        &self.now
    }

    /// The first time after `time` at which plans change of themselves; infinite if none does.
    pub(crate) fn next_knot(&self, time: f64) -> f64 {
        let keyframes = self.keyframes.iter().flat_map(|keyframes| {
            let after = keyframes.times.partition_point(|&key| key <= time);
            keyframes.times.get(after).copied()
        });
        keyframes.chain((self.until > time).then_some(self.until)).fold(f64::INFINITY, f64::min)
    }

    /// The positions of a keyframe.
    pub(crate) fn frame(&self, number: usize) -> &[DVec3] {
        self.keyframes.as_ref().and_then(|k| k.frames.get(number)).map_or(&[], |frame| frame)
    }

    /// The keyframes around a moment, if all vertices follow them: the times as well.
    pub(crate) fn keyframes_around(&self, moment: &Moment) -> Option<[f64; 2]> {
        let keyframes = self.keyframes.as_ref().filter(|_| self.courses.is_empty())?;
        Some([keyframes.times[moment.first], keyframes.times[moment.second]])
    }

    #[inline]
    pub(crate) fn position_at(&self, moment: &Moment, vertex: u32) -> DVec3 {
        if let Some(Some(course)) = self.courses.get(vertex as usize) {
            return course.at(moment.time.min(self.until));
        }
        match &self.keyframes {
            Some(keyframes) => {
                let (first, second) =
                    (&keyframes.frames[moment.first], &keyframes.frames[moment.second]);
                mix(first[vertex as usize], second[vertex as usize], moment.fraction)
            }
            // Without keyframes every vertex has a course.
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

    /// The course of a vertex that has one and, at that time, still flies.
    #[inline]
    pub(crate) fn course(&self, vertex: u32, time: f64) -> Option<&Course> {
        let course = self.courses.get(vertex as usize)?.as_ref()?;
        (time < self.until).then_some(course)
    }

    /// No coordinate of any vertex at any time is larger, and what is computed of a position
    /// errs by less than 2^-48 of it.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// The largest second derivative of a coordinate from a time on.
    pub(crate) fn largest_bend(&self, from: f64) -> f64 {
        let bend = |course: &Course| course.bend(from, self.until.max(from)).max_element();
        self.courses.iter().flatten().map(bend).fold(0.0, f64::max)
    }
}

/// Courses must not lead past this: squares and sums of a few stay in the range of `f64`.
const REACH: f64 = 1e150;

impl Deformation for Flight {
    #[inline]
    fn position(&self, _: &Mesh, vertex: u32) -> DVec3 {
        self.position_at(&self.now, vertex)
    }
}

fn check_time(time: f64) -> Result<()> {
    if time.is_finite() {
        return Ok(());
    }
    Err(Error::InvalidTime { time, reason: "it is not finite" })
}

/// Between two positions; exactly the first at 0.
#[inline]
fn mix(first: DVec3, second: DVec3, fraction: f64) -> DVec3 {
    first * (1.0 - fraction) + second * fraction
}
