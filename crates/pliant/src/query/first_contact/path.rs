//! How one corner moves during a search.

use glam::DVec3;

use super::search::{Ahead, Search};
use crate::deform::Course;

/// How a vertex moves in a span of time: along its chord, or along a course.
pub(super) struct Path {
    /// From its place at the start of the span to that at the end.
    chord: DVec3,
    course: Option<Course>,
    /// The second derivatives of its place at both ends, times the square of the span. Between the
    /// ends the second derivative is linear in time, and so is that of the difference of two
    /// vertices along any direction: it is largest at one of the ends.
    pub(super) bends: [DVec3; 2],
}

impl Path {
    /// The velocity at a time, per span.
    ///
    /// It errs by less than 2^-46 of the flight's reach: a chord by two roundings of positions. The
    /// terms of a course's velocity, times the span, are at most six times the terms of its
    /// position, of which the reach is twice the sum, and each passes at most eight roundings of
    /// 2^-53. The same holds for the bends.
    pub(super) fn velocity(&self, time: f64, span: f64) -> DVec3 {
        self.course.map_or(self.chord, |course| course.velocity(time) * span)
    }
}

impl Search<'_> {
    /// The path of a vertex during the search.
    pub(super) fn path(&self, body: &Ahead, vertex: u32) -> Path {
        let flight = body.flight;
        let span = self.to - self.from;
        let at = |time: f64| flight.position_at(&flight.moment(time), vertex);
        let course = flight.course(vertex, self.from).copied();
        let bend = |time: f64| {
            course.map_or(DVec3::ZERO, |course| course.acceleration(time) * span * span)
        };
        let bends = [bend(self.from), bend(self.to)];
        Path { chord: at(self.to) - at(self.from), course, bends }
    }
}
