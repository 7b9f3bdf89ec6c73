//! When two bodies touch for the first time.
//!
//! Where motion is known ahead the boxes of a span are linear functions of time, so the time during
//! which two nodes overlap is an interval with known ends. Pairs of nodes are opened in the order
//! in which their overlap begins; pairs of triangles advance by steps in which they cannot meet.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::Work;
use crate::bound::{Expiring, FlightBounds};
use crate::contact::{certain_gap, triangles_touch};
use crate::deform::Flight;
use crate::numeric::distance_up;
use crate::tree::Tree;
use crate::volume::Aabb;
use crate::{Body, Collide, Error, Mesh, Result};

/// What [`first_contact`] found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstContact {
    /// The time at which both bodies now are: that of the contact, or the end of the search.
    pub time: f64,
    /// Triangle of the first body, triangle of the second; `None` if nothing came near.
    pub pair: Option<[u32; 2]>,
    /// Whether the two touch at this time by the exact test. If not they are so close that they
    /// could touch within the tolerance, but perhaps they pass each other.
    pub touching: bool,
    /// What the query did.
    pub work: Work,
}

/// Takes two bodies from their common time to the first contact of their triangles, or to `until`
/// if there is none.
///
/// The bodies may have any plans, keyframes or polynomials, and any bounds. [`Expiring`] boxes serve
/// as they are; for others such boxes are made for each span, which costs a few refits.
///
/// Guarantee, with T the time that is returned: at no time before T do triangles touch, so the
/// answer is never late. If a pair is returned it either touches at T, exactly, or is closer
/// than V times `tolerance` (a time), where V bounds the speed at which its points approach each
/// other; that is labelled by [`FirstContact::touching`], and may be early or a false alarm. If
/// there is none no triangles touch up to and including `until`. A millionth of a millionth
/// of the coordinates counts as near as well, for rounding. That the answer is not late is proven
/// for every input; how near a false alarm is rests on the accuracy of
/// [`triangle_distance`](crate::contact::triangle_distance()), which holds where differences of
/// coordinates lie between 1e-70 and 1e70.
///
/// A search after a false alarm goes on from a later time, which the caller chooses.
///
/// ```
/// use pliant::{Body, Mesh, deform::Keyframes, first_contact, glam::DVec3};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]])?;
/// let moved = |z: f64| corners.iter().map(|p| p + DVec3::Z * z).collect::<Vec<_>>();
/// let still = Keyframes::new(vec![0.0], vec![moved(0.0)])?;
/// let falls = Keyframes::new(vec![0.0, 1.0], vec![moved(3.0), moved(-1.0)])?;
/// let mut floor = Body::keyframed(mesh.clone(), still)?;
/// let mut leaf = Body::keyframed(mesh, falls)?;
/// let met = first_contact(&mut floor, &mut leaf, 1.0, 1e-6)?;
/// assert_eq!(met.pair, Some([0, 0]));
/// assert!(0.75 - 1e-5 < met.time && met.time <= 0.75);
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidTime`] if the bodies are at different times, if `until` is before them or not
/// finite, or if the tolerance is not positive. Then nothing has moved.
pub fn first_contact<A: FlightBounds, B: FlightBounds>(
    a: &mut Body<Flight, A>,
    b: &mut Body<Flight, B>,
    until: f64,
    tolerance: f64,
) -> Result<FirstContact> {
    let refused = |time, reason| Err(Error::InvalidTime { time, reason });
    if a.time() != b.time() {
        return refused(b.time(), "the first body is at another time");
    }
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return refused(tolerance, "a tolerance must be positive");
    }
    a.deformation().check_advance(until)?;
    let mut work = Work::default();
    let (mut made_a, mut made_b) = (None, None);
    loop {
        let from = a.time();
        let (ahead_a, ahead_b) = (Ahead::of(a, &mut made_a), Ahead::of(b, &mut made_b));
        let to = until.min(ahead_a.boxes.expires_at()).min(ahead_b.boxes.expires_at());
        let found = Search::new(ahead_a, ahead_b, from, to, tolerance).run(&mut work);
        let time = found.map_or(to, |found| found.time);
        a.advance(time)?;
        b.advance(time)?;
        if found.is_some() || to >= until {
            let (pair, touching) = (found.map(|f| f.pair), found.is_some_and(|f| f.touching));
            return Ok(FirstContact { time, pair, touching, work });
        }
    }
}

/// Distances below this share of the coordinates are not told from zero.
///
/// With R the sum of both flights' reaches: a gap of triangles as they are computed is certain up
/// to 2^-48 R ([`certain_gap`]). Coordinates are computed with an error of 2^-48 of a reach, which
/// moves two points apart by sqrt(3) 2^-48 R at the most; this counts at the time of the gap, at
/// the time for which nothing is to touch, and twice in the way from which the speed comes,
/// since no step is longer than that way took. All this is 8 times 2^-48 R, 2^-45 R.
const NEAR: f64 = 1.0 / (1u64 << 40) as f64;

/// What is known of a body for some time to come.
#[derive(Clone, Copy)]
struct Ahead<'a> {
    mesh: &'a Mesh,
    tree: &'a Tree,
    flight: &'a Flight,
    boxes: &'a Expiring,
}

impl<'a> Ahead<'a> {
    /// With the body's own boxes or with such as are `made`, and kept for the next span.
    fn of<B: FlightBounds>(body: &'a Body<Flight, B>, made: &'a mut Option<Expiring>) -> Self {
        let (mesh, tree, flight) = (body.mesh(), body.tree(), body.deformation());
        let boxes = match body.bounds().as_expiring() {
            Some(own) => own,
            None => {
                let made = made.get_or_insert_with(|| Expiring::new(tree, mesh, flight));
                made.follow(tree, mesh, flight);
                made
            }
        };
        Self { mesh, tree, flight, boxes }
    }

    /// The corners of a triangle at some time of the flight.
    fn triangle_at(&self, triangle: u32, time: f64) -> [DVec3; 3] {
        let moment = self.flight.moment(time);
        let corners = self.mesh.triangles()[triangle as usize];
        corners.map(|vertex| self.flight.position_at(&moment, vertex))
    }
}

/// The search in a time for which both bodies' boxes are linear.
struct Search<'a> {
    a: Ahead<'a>,
    b: Ahead<'a>,
    from: f64,
    to: f64,
    tolerance: f64,
    near: f64,
    best: Option<Found>,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    time: f64,
    pair: [u32; 2],
    touching: bool,
}

/// Two nodes, and the time during which they may overlap. The earliest is the greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Waiting {
    enter: f64,
    leave: f64,
    nodes: [u32; 2],
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.enter.total_cmp(&self.enter).then(self.nodes.cmp(&other.nodes))
    }
}

impl<'a> Search<'a> {
    fn new(a: Ahead<'a>, b: Ahead<'a>, from: f64, to: f64, tolerance: f64) -> Self {
        let near = (a.flight.reach() + b.flight.reach()) * NEAR + f64::MIN_POSITIVE;
        Self { a, b, from, to, tolerance, near, best: None }
    }

    fn run(mut self, work: &mut Work) -> Option<Found> {
        let mut waiting = BinaryHeap::new();
        waiting.extend(self.overlap([0, 0], work));
        while let Some(next) = waiting.pop() {
            if self.best.is_some_and(|best| best.time <= next.enter) {
                break;
            }
            let (node_a, node_b) =
                (self.a.tree.node(next.nodes[0]), self.b.tree.node(next.nodes[1]));
            if node_a.is_leaf() && node_b.is_leaf() {
                for &i in self.a.tree.leaf_primitives(node_a) {
                    for &j in self.b.tree.leaf_primitives(node_b) {
                        self.approach([i, j], next.enter, next.leave, work);
                    }
                }
                continue;
            }
            let own = |number: u32| number..number + 1;
            let below_a = if node_a.is_leaf() { own(next.nodes[0]) } else { node_a.range() };
            let below_b = if node_b.is_leaf() { own(next.nodes[1]) } else { node_b.range() };
            for i in below_a {
                for j in below_b.clone() {
                    waiting.extend(self.overlap([i, j], work));
                }
            }
        }
        self.best
    }

    /// The time during which two nodes may overlap, if there is any.
    ///
    /// Every vertex of a node lies in the box at `from` and in that at `to`, and between them in
    /// the one that is as far between. On each axis the gap from one box to the other is linear.
    fn overlap(&self, nodes: [u32; 2], work: &mut Work) -> Option<Waiting> {
        work.bounds += 2;
        work.overlap_tests += 1;
        let whole = Waiting { enter: self.from, leave: self.to, nodes };
        let (Some(a), Some(b)) = (self.boxes(&self.a, nodes[0]), self.boxes(&self.b, nodes[1]))
        else {
            return Some(whole);
        };
        let gaps = |i: usize| {
            [a[i].min.as_dvec3() - b[i].max.as_dvec3(), b[i].min.as_dvec3() - a[i].max.as_dvec3()]
        };
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (first, last) in gaps(0).into_iter().zip(gaps(1)) {
            for (first, last) in first.to_array().into_iter().zip(last.to_array()) {
                let (first, last) = (first - self.near, last - self.near);
                match (first > 0.0, last > 0.0) {
                    (true, true) => return None,
                    // A little earlier and later: the quotient is rounded.
                    (true, false) => enter = enter.max(first / (first - last) - 1e-12),
                    (false, true) => leave = leave.min(first / (first - last) + 1e-12),
                    (false, false) => {}
                }
            }
        }
        let at = |fraction: f64| self.from + fraction * (self.to - self.from);
        let enter = at(enter.max(0.0)).next_down().max(self.from);
        let leave = at(leave.min(1.0)).next_up().min(self.to);
        (enter <= leave).then_some(Waiting { enter, leave, nodes })
    }

    /// The boxes of a node at both ends of the search.
    fn boxes(&self, body: &Ahead, node: u32) -> Option<[Aabb; 2]> {
        body.boxes.at_times(node, [self.from, self.to])
    }

    /// Lets two triangles approach each other.
    ///
    /// A point of one and a point of the other are the same shares of corners at all times, so
    /// the way between them changes no faster than that between two corners. At a distance d
    /// and at that speed they do not touch before d / speed has passed. The distance that counts
    /// is one that is certain, so that no rounding makes a step too long.
    fn approach(&mut self, pair: [u32; 2], enter: f64, leave: f64, work: &mut Work) {
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
            // Also if it is not a number.
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
        // What is no number may be any, which `f64::max` would forget; and what underflowed is not
        // nothing.
        let known = speeds.map(|speed| if speed.is_nan() { f64::INFINITY } else { speed });
        known.fold(0.0, f64::max) * (1.0 + 1e-12) + f64::MIN_POSITIVE
    }

    /// The velocity of a vertex along its chord, and how much its own may differ from that: a
    /// velocity differs from its mean by no more than the second derivative times the time.
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
