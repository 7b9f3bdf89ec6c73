//! Motion that is known ahead: a flight plan for every vertex.
//!
//! Zachmann and Weller (2006) call the known motion of a vertex its flight plan. Here a plan is
//! either given by keyframes of all vertices or by a polynomial of time for one vertex.

mod course;
mod keyframes;
mod moment;

pub use course::Course;
pub use keyframes::Keyframes;
pub(crate) use moment::Moment;

use std::sync::Arc;

use glam::DVec3;

use super::Deformation;
use crate::limits::MAX_COURSE_REACH;
use crate::{Error, Mesh, Result};

/// How one vertex moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plan {
    /// As the keyframes say.
    Keyframes,
    /// Along a polynomial until the end of the flight. The vertex rests afterwards.
    Course(Course),
}

/// A flight plan for every vertex, and the current time.
///
/// Between two keyframes a vertex is at `first * (1 - f) + second * f` with
/// `f = (time - before) / (after - before)`, computed in `f64`.
///
/// Clones share keyframes and courses. A clone copies the courses when its own plans change.
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
    /// The course of each vertex that has one. The list is empty if no vertex ever had one.
    courses: Arc<[Option<Course>]>,
    vertices: usize,
    /// The time of the last change of plans, or the start.
    planned_at: f64,
    /// The time at which all courses end.
    until: f64,
    /// At least the magnitude of every coordinate of every vertex at every time.
    reach: f64,
    now: Moment,
}

impl Flight {
    /// All vertices move as keyframes say. The time is that of the first keyframe.
    #[must_use]
    pub fn keyframed(keyframes: Keyframes) -> Self {
        let largest =
            |frame: &Vec<DVec3>| frame.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let (from, until) = (keyframes.times[0], keyframes.times[keyframes.times.len() - 1]);
        let mut flight = Self {
            courses: Arc::default(),
            vertices: keyframes.frames[0].len(),
            planned_at: from,
            until,
            reach: keyframes.frames.iter().map(largest).fold(0.0, f64::max),
            keyframes: Some(Arc::new(keyframes)),
            now: Moment { time: from, first: 0, second: 0, fraction: 0.0 },
        };
        flight.now = flight.moment(from);
        flight
    }

    /// Every vertex has a course from one time to another. All vertices rest afterwards.
    ///
    /// # Errors
    /// [`Error::InvalidTime`] for times that are not finite or not in this order,
    /// [`Error::InvalidPlan`].
    pub fn along(courses: &[Course], from: f64, until: f64) -> Result<Self> {
        check_time(from)?;
        check_time(until)?;
        if !(from <= until && (until - from).is_finite()) {
            return Err(Error::InvalidTime { time: until, reason: "the end is before the start" });
        }
        let mut flight = Self {
            keyframes: None,
            courses: Arc::default(),
            vertices: courses.len(),
            planned_at: from,
            until,
            reach: 0.0,
            now: Moment { time: from, first: 0, second: 0, fraction: 0.0 },
        };
        let plans: Vec<_> = (0u32..).zip(courses.iter().map(|&c| Plan::Course(c))).collect();
        flight.set_plans(&plans)?;
        Ok(flight)
    }

    /// The keyframes, if there are any. Vertices whose plans were changed leave them.
    #[must_use]
    pub fn keyframes(&self) -> Option<&Keyframes> {
        self.keyframes.as_deref()
    }

    /// Whether every vertex moves as the keyframes say.
    #[must_use]
    pub fn follows_keyframes(&self) -> bool {
        self.keyframes.is_some() && self.courses.is_empty()
    }

    /// The current time.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.now.time
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The time at which the last plan ends. Every vertex rests from then on.
    #[must_use]
    pub fn until(&self) -> f64 {
        self.until
    }

    /// The current position of a vertex, or `None` if there is no such vertex.
    #[must_use]
    pub fn at(&self, vertex: u32) -> Option<DVec3> {
        ((vertex as usize) < self.vertices).then(|| self.position_at(&self.now, vertex))
    }

    /// Moves to a later time. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::InvalidTime`] if the time is not finite or before the current time.
    pub fn advance(&mut self, time: f64) -> Result<()> {
        self.now = self.moment(self.check_advance(time)?);
        Ok(())
    }

    /// Moves to an earlier or later time. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::InvalidTime`] if the time is not finite or before the last change of plans:
    /// earlier plans are not kept.
    pub fn rewind(&mut self, time: f64) -> Result<()> {
        check_time(time)?;
        if !self.courses.is_empty() && time < self.planned_at {
            return Err(Error::InvalidTime { time, reason: "plans have changed since" });
        }
        self.now = self.moment(time);
        Ok(())
    }

    /// Changes the plans of some vertices from the current time on. A vertex may jump: its new
    /// course need not begin where the vertex is. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::InvalidPlan`] for a vertex that does not exist, for a course that is not finite
    /// or leads past [`MAX_COURSE_REACH`], and for [`Plan::Keyframes`] in a flight without
    /// keyframes.
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
                Plan::Keyframes if vertex as usize >= self.frame(0).len() => {
                    return refused("it came after the keyframes, which do not know it");
                }
                Plan::Keyframes => {}
                Plan::Course(course) => {
                    reach = reach.max(self.checked_reach(&course, vertex as usize)?);
                }
            }
        }
        if self.courses.is_empty() {
            self.courses = vec![None; self.vertices].into();
        }
        let courses = Arc::make_mut(&mut self.courses);
        for &(vertex, plan) in plans {
            courses[vertex as usize] = match plan {
                Plan::Keyframes => None,
                Plan::Course(course) => Some(course),
            };
        }
        self.reach = reach;
        self.planned_at = self.now.time;
        Ok(())
    }

    /// Adds vertices after all others. Each follows its course from the current time on. On an error
    /// nothing changes.
    pub(crate) fn add_vertices(&mut self, courses: &[Course]) -> Result<()> {
        if courses.is_empty() {
            return Ok(());
        }
        let mut reach = self.reach;
        for (vertex, course) in (self.vertices..).zip(courses) {
            reach = reach.max(self.checked_reach(course, vertex)?);
        }
        let mut all = self.courses.to_vec();
        all.resize(self.vertices, None);
        all.extend(courses.iter().copied().map(Some));
        self.vertices = all.len();
        self.courses = all.into();
        self.reach = reach;
        self.planned_at = self.now.time;
        Ok(())
    }

    /// The reach of a course from now on.
    fn checked_reach(&self, course: &Course, vertex: usize) -> Result<f64> {
        let reach = course.reach(self.now.time, self.until.max(self.now.time));
        if reach.is_nan() || reach > MAX_COURSE_REACH {
            let reason = "the course is not finite or leads past 1e150";
            return Err(Error::InvalidPlan { vertex, reason });
        }
        Ok(reach)
    }

    /// The time itself if the flight can advance to it.
    pub(crate) fn check_advance(&self, time: f64) -> Result<f64> {
        check_time(time)?;
        if time < self.now.time {
            return Err(Error::InvalidTime { time, reason: "it is before the current time" });
        }
        Ok(time)
    }

    /// The time of the last change of plans, or the start.
    pub(crate) fn planned_at(&self) -> f64 {
        self.planned_at
    }

    /// At least the magnitude of every coordinate of every vertex at every time. The rounding
    /// error of a computed position is below 2^-48 of it.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_their_courses_until_plans_change() {
        let courses = [Course::linear(0.0, DVec3::X, DVec3::Y); 3];
        let flight = Flight::along(&courses, 0.0, 1.0).unwrap();
        let mut other = flight.clone();
        other.advance(0.5).unwrap();
        assert!(Arc::ptr_eq(&flight.courses, &other.courses));
        other.set_plans(&[(1, Plan::Course(Course::linear(0.5, DVec3::Z, DVec3::ZERO)))]).unwrap();
        assert_eq!((flight.at(1), other.at(1)), (Some(DVec3::X), Some(DVec3::Z)));
    }
}
