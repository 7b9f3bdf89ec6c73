//! Two triangles advance in time by steps in which they cannot meet.

use glam::DVec3;

use super::search::{Ahead, Found, Search};
use crate::contact::{certain_gap, triangles_touch};
use crate::numeric::distance_up;
use crate::query::Work;

impl Search<'_> {
    /// Advances two triangles in time until they touch, are near, or part.
    ///
    /// A point of one triangle and a point of the other are fixed combinations of corners at all
    /// times, so the vector between them changes no faster than that between two corners. At a
    /// distance d and at that speed they do not touch before d / speed has passed. The distance
    /// is one that is certain, so that no rounding makes a step too long.
    pub(super) fn approach(&mut self, pair: [u32; 2], enter: f64, leave: f64, work: &mut Work) {
        let speed = self.speed(pair);
        let mut time = enter;
        while time <= leave && self.best.is_none_or(|best| time < best.time) {
            work.primitive_tests += 1;
            let a = self.a.triangle_at(pair[0], time);
            let b = self.b.triangle_at(pair[1], time);
            if triangles_touch(&a, &b) {
                self.best = Some(Found { time, pair, touching: true });
                return;
            }
            let distance = certain_gap(&a, &b) - self.near;
            let is_apart = distance > speed * self.tolerance && distance > 0.0;
            // Also if the distance is NaN.
            if !is_apart {
                self.best = Some(Found { time, pair, touching: false });
                return;
            }
            let step = distance / speed * (1.0 - 1e-12);
            time = (time + step).next_down().max(time.next_up());
        }
    }

    /// A bound of the speed at which any two points of two triangles approach each other.
    fn speed(&self, pair: [u32; 2]) -> f64 {
        let a = self.a.mesh.triangles()[pair[0] as usize].map(|v| self.velocity(&self.a, v));
        let b = self.b.mesh.triangles()[pair[1] as usize].map(|v| self.velocity(&self.b, v));
        let pairs = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
        let speeds = pairs.map(|((p, more_p), (q, more_q))| distance_up(*p, *q) + more_p + more_q);
        // NaN may be any speed, and `f64::max` would ignore it. A speed that underflows is not zero.
        let known = speeds.map(|speed| if speed.is_nan() { f64::INFINITY } else { speed });
        known.fold(0.0, f64::max) * (1.0 + 1e-12) + f64::MIN_POSITIVE
    }

    /// The mean velocity of a vertex, along its chord, and a bound of how much its velocity may
    /// differ from that: by no more than the second derivative times the time.
    fn velocity(&self, body: &Ahead, vertex: u32) -> (DVec3, f64) {
        let flight = body.flight;
        let time = self.to - self.from;
        if time <= 0.0 {
            return (DVec3::ZERO, 0.0);
        }
        let at = |time: f64| flight.position_at(&flight.moment(time), vertex);
        let course = flight.course(vertex, self.from);
        let more = course.map_or(0.0, |c| {
            distance_up(c.largest_acceleration(self.from, self.to), DVec3::ZERO) * time
        });
        ((at(self.to) - at(self.from)) / time, more)
    }
}
