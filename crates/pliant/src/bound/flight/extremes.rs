//! Boxes of the extreme vertices, and for each node the time at which one of them expires.
//!
//! In a span every vertex is a linear function of time on each axis, and a side of a box is the
//! function of the vertex that is extreme now. It stays so until another one crosses it. Each
//! node holds the earliest such time at or below it, so that time can pass by going down only
//! where something expires: there is no queue, and what happened twice between two moments is
//! looked at once. Compared with [`Expiring`](super::Expiring), which lets a side follow both the
//! extreme at the start and that at the end, boxes are tight at every moment, and time costs.

use glam::{DVec3, Vec3A};

use super::expiring::{RANGE, Shares};
use super::expiring_ends::{Timeline, Way};
use super::{BottomUp, Bounds, FlightBounds};
use crate::deform::Flight;
use crate::tree::Tree;
use crate::volume::{Aabb, round_up};
use crate::{Mesh, Result};

/// Six linear functions a node, those of its extreme vertices, and when they expire.
///
/// Valid at every moment to which the body was advanced. Guarantee: for keyframes a box contains
/// the vertices below its node and reaches past them by roundings of `f32` only, a few
/// millionths of the coordinates; for courses also by how far they bend away from their chords.
///
/// ```
/// use pliant::{Body, Mesh, bound::ExpiringExtremes, deform::{Flight, Keyframes}, glam::DVec3};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]])?;
/// let turned = corners.iter().map(|p| -p).collect();
/// let flight = Flight::keyframed(Keyframes::new(vec![0.0, 1.0], vec![corners, turned])?);
/// let mut body = Body::<_, ExpiringExtremes>::flying(mesh, flight, &Default::default())?;
/// body.advance(0.25)?;
/// assert_eq!(body.bounds().visited(), 0); // the same corners are extreme
/// body.advance(0.75)?;
/// assert_eq!(body.bounds().visited(), 1);
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExpiringExtremes {
    lines: Vec<Lines>,
    /// The share of the span that has passed when something at or below a node expires.
    expiry: Vec<f64>,
    timeline: Timeline,
    shares: Shares,
    /// How far a side may be overtaken before it expires: what makes progress certain.
    slack: f64,
    /// Slacks between a vertex and a node above it, at the most.
    merges: f64,
    expired: Vec<u32>,
    visited: u64,
}

/// The boxes at both ends of the span whose sides are functions of vertices.
#[derive(Debug, Clone, Copy)]
struct Lines {
    start: Aabb,
    end: Aabb,
}

/// Slack in units of the largest coordinate. See [`super::kinetic_crossing`].
const SLACK: f64 = 1.0 / (1u64 << 44) as f64;

impl ExpiringExtremes {
    /// How many nodes were visited because something expired there, spans' beginnings apart.
    #[must_use]
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// Begins the span in which the flight is now.
    fn open(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        match flight.keyframes_around(flight.now()) {
            Some([from, until]) => self.timeline.open_keyframes(flight, from, until),
            None => self.timeline.open_any(flight),
        }
        self.slack = flight.reach() * SLACK + f64::MIN_POSITIVE;
        let fraction = self.timeline.fraction(flight.time());
        let vertices = self.vertices(flight);
        for node in (0..tree.nodes.len() as u32).rev() {
            self.decide(tree, mesh, &vertices, fraction, node);
        }
        self.share(fraction);
    }

    /// Where vertices begin and end in the span.
    fn vertices<'a>(&self, flight: &'a Flight) -> Vertices<'a> {
        if flight.keyframes_around(flight.now()).is_some() {
            let now = flight.now();
            return Vertices::Keyframes(flight.frame(now.first), flight.frame(now.second));
        }
        let start = flight.moment(self.timeline.from);
        Vertices::Any(Way::new(flight, start, &self.timeline))
    }

    fn share(&mut self, fraction: f64) {
        let largest = |b: &Aabb| b.min.abs().max(b.max.abs()).max_element();
        let Lines { start, end } = &self.lines[0];
        let bounded = largest(start) < RANGE && largest(end) < RANGE && self.slack < 1e30;
        let allowance = round_up(self.slack * (self.merges + 1.0));
        self.shares = Shares::at(fraction, bounded).and_at_least(allowance);
    }

    /// Lets time pass within the span.
    fn pass(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        let fraction = self.timeline.fraction(flight.time());
        let mut expired = std::mem::take(&mut self.expired);
        expired.clear();
        // Parents before children; then children before parents.
        let is_expired = |node: &u32| self.expiry[*node as usize] <= fraction;
        expired.extend(Some(0).filter(is_expired));
        let mut next = 0;
        while let Some(&number) = expired.get(next) {
            next += 1;
            let node = tree.node(number);
            if !node.is_leaf() {
                expired.extend(node.range().filter(is_expired));
            }
        }
        let vertices = self.vertices(flight);
        for &node in expired.iter().rev() {
            self.decide(tree, mesh, &vertices, fraction, node);
        }
        self.visited += expired.len() as u64;
        self.expired = expired;
        self.share(fraction);
    }

    /// Finds the extremes of a node now, and when they expire.
    fn decide(&mut self, tree: &Tree, mesh: &Mesh, vertices: &Vertices, now: f64, number: u32) {
        let node = tree.node(number);
        let mut contest = Contest { now, slack: self.slack, expiry: f64::INFINITY };
        let mut all: Option<Lines> = None;
        let mut add = |lines: Lines| {
            all = Some(match &all {
                None => lines,
                Some(so_far) => contest.merge(so_far, &lines),
            });
        };
        if node.is_leaf() {
            for &triangle in tree.leaf_primitives(node) {
                let corners = mesh.triangles()[triangle as usize];
                corners.into_iter().for_each(|vertex| add(vertices.lines(vertex)));
            }
        } else {
            node.range().for_each(|child| add(self.lines[child as usize]));
            for child in node.range() {
                contest.expiry = contest.expiry.min(self.expiry[child as usize]);
            }
        }
        let number = number as usize;
        (self.lines[number], self.expiry[number]) = (all.unwrap_or(Lines::NONE), contest.expiry);
    }
}

/// Where vertices begin and end in a span.
enum Vertices<'a> {
    Keyframes(&'a [DVec3], &'a [DVec3]),
    Any(Way<'a>),
}

impl Vertices<'_> {
    /// The functions of a vertex, rounded outward at both ends.
    #[inline]
    fn lines(&self, vertex: u32) -> Lines {
        match self {
            Self::Keyframes(first, second) => {
                let around = |p: DVec3| Aabb::around_nearest(p.as_vec3a(), p.as_vec3a());
                let [start, end] = [first[vertex as usize], second[vertex as usize]].map(around);
                Lines { start, end }
            }
            Self::Any(way) => {
                let ends = way.of(vertex);
                let [start, end] =
                    [ends.now, ends.end].map(|[low, high]| Aabb::from_corners(low, high));
                Lines { start, end }
            }
        }
    }
}

impl Lines {
    const NONE: Self = Self { start: Aabb::EMPTY, end: Aabb::EMPTY };
}

/// The search for the extremes of one node.
struct Contest {
    /// The share of the span that has passed.
    now: f64,
    slack: f64,
    expiry: f64,
}

impl Contest {
    /// The sides that are extreme now, of two.
    ///
    /// A side that is extreme at both ends of the span is so all the time: only those that
    /// cross are looked at one by one.
    #[inline]
    fn merge(&mut self, a: &Lines, b: &Lines) -> Lines {
        let mut lines = Lines { start: a.start.merge(&b.start), end: a.end.merge(&b.end) };
        let low = crossing(a.start.min, a.end.min, b.start.min, b.end.min);
        let high = crossing(a.start.max, a.end.max, b.start.max, b.end.max);
        if (low | high).any() {
            for axis in 0..3 {
                if low.test(axis) {
                    let (mine, other) = ([a.start.min, a.end.min], [b.start.min, b.end.min]);
                    let won = self.extreme(-1.0, mine.map(|v| v[axis]), other.map(|v| v[axis]));
                    [lines.start.min[axis], lines.end.min[axis]] = won;
                }
                if high.test(axis) {
                    let (mine, other) = ([a.start.max, a.end.max], [b.start.max, b.end.max]);
                    let won = self.extreme(1.0, mine.map(|v| v[axis]), other.map(|v| v[axis]));
                    [lines.start.max[axis], lines.end.max[axis]] = won;
                }
            }
        }
        lines
    }

    /// The greater of two functions now, times the sign, and when the other one passes it by the
    /// slack. Never late, and later than now: see [`super::kinetic_crossing`]. Functions are
    /// compared in `f64`, whose roundings are far below the slack.
    fn extreme(&mut self, sign: f64, a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
        let at = |ends: [f32; 2], share: f64| {
            sign * (f64::from(ends[0]) * (1.0 - share) + f64::from(ends[1]) * share)
        };
        let (won, lost) = if at(a, self.now) >= at(b, self.now) { (a, b) } else { (b, a) };
        let gap = |share: f64| at(won, share) - at(lost, share) + self.slack;
        let (now, end) = (gap(self.now), gap(1.0));
        if end <= 0.0 {
            let passed = self.now + (1.0 - self.now) * (now / (now - end));
            let early = (passed - 2f64.powi(-50)).max(self.now.next_up());
            self.expiry = self.expiry.min(early);
        }
        won
    }
}

/// The axes on which neither function is on one side of the other at both ends.
#[inline]
fn crossing(a_start: Vec3A, a_end: Vec3A, b_start: Vec3A, b_end: Vec3A) -> glam::BVec3A {
    (a_start.cmplt(b_start) & b_end.cmplt(a_end)) | (b_start.cmplt(a_start) & a_end.cmplt(b_end))
}

impl Bounds<Flight> for ExpiringExtremes {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, _: &Flight, node: u32) -> Aabb {
        if !self.shares.bounded {
            return Aabb { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };
        }
        let Lines { start, end } = &self.lines[node as usize];
        self.shares.blend(start, end)
    }
}

impl FlightBounds for ExpiringExtremes {
    fn made(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Result<Self> {
        let nodes = tree.nodes.len();
        let levels = crate::tree::level_of_nodes(tree).into_iter().max().unwrap_or(0);
        let most = |leaf: bool| {
            let counts = tree.nodes.iter().filter(|node| node.is_leaf() == leaf);
            f64::from(counts.map(|node| node.count()).max().unwrap_or(0))
        };
        let mut made = Self {
            lines: vec![Lines::NONE; nodes],
            expiry: vec![f64::INFINITY; nodes],
            timeline: Timeline::new(tree, &BottomUp::boxes(tree, mesh, mesh.positions())),
            shares: Shares::UNBOUNDED,
            slack: 0.0,
            merges: f64::from(levels) * most(false) + 3.0 * most(true),
            expired: Vec::new(),
            visited: 0,
        };
        made.open(tree, mesh, flight);
        Ok(made)
    }

    fn advance(&mut self, tree: &Tree, mesh: &Mesh, flight: &mut Flight, time: f64) -> Result<()> {
        flight.advance(time)?;
        if self.timeline.contains(flight.time()) {
            self.pass(tree, mesh, flight);
        } else {
            self.open(tree, mesh, flight);
        }
        Ok(())
    }

    fn restart(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        self.open(tree, mesh, flight);
    }

    /// A new span for all.
    fn replan(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight, _: &[u32]) {
        self.open(tree, mesh, flight);
    }
}
