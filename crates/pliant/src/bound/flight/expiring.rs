//! Boxes that are linear functions of time, until they expire.
//!
//! Between two keyframes every vertex of a node is `(1 - f)` of where it begins and `f` of where
//! it ends. So it lies in `(1 - f)` of a box around all beginnings plus `f` of a box around all
//! ends: a node's box is six linear functions of time, valid at every moment of the span, and
//! nothing needs to be done as time goes on. Larsson and Akenine-Möller (2003) blend boxes of
//! morph targets by this argument. When the span ends the boxes expire, and one bottom-up pass
//! over the next keyframe makes the next ones; the boxes of the last end are those of the new
//! beginning.
//!
//! A polynomial course is a chord and what it bends away from it; see [`super::expiring_ends`].

use glam::Vec3A;

use super::expiring_ends::Timeline;
use super::expiring_turned::Followers;
use super::{BottomUp, Bounds};
use crate::deform::Flight;
use crate::tree::Tree;
use crate::volume::Aabb;
use crate::{Mesh, Result};

/// Boxes of all nodes at both ends of a span of time. See [`Body::keyframed`](crate::Body::keyframed).
///
/// [`Bounds::bound`] is valid at every moment; as tight as a bottom-up refit where a span of
/// keyframes begins and ends, looser between.
#[derive(Debug, Clone)]
pub struct Expiring {
    pub(super) start: BottomUp<Aabb>,
    pub(super) end: BottomUp<Aabb>,
    pub(super) timeline: Timeline,
    shares: Shares,
    /// Memory to work in.
    points: Vec<Vec3A>,
    pub(super) followers: Option<Followers>,
    refits: u64,
}

impl Expiring {
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Self {
        let start = BottomUp::boxes(tree, mesh, mesh.positions());
        let end = start.clone();
        let timeline = Timeline::new(tree, &start);
        let (shares, points) = (Shares::UNBOUNDED, Vec::new());
        let mut made = Self { start, end, timeline, shares, points, followers: None, refits: 0 };
        made.open(tree, mesh, flight);
        made
    }

    /// When the current boxes expire; infinite if they never do.
    #[must_use]
    pub fn expires_at(&self) -> f64 {
        self.timeline.until
    }

    /// How many times all boxes of one moment were computed so far.
    #[must_use]
    pub fn refits(&self) -> u64 {
        self.refits
    }

    /// Follows the flight to its current time.
    pub(crate) fn follow(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        if !self.timeline.contains(flight.time()) {
            self.open(tree, mesh, flight);
        }
        self.shares = Shares::at(self.timeline.fraction(flight.time()), self.is_bounded());
    }

    /// Opens the span in which the flight is now.
    pub(super) fn open(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        let before = self.timeline;
        if let Some([from, until]) = flight.keyframes_around(flight.now()) {
            self.timeline.open_keyframes(flight, from, until);
            let [first, second] = [flight.now().first, flight.now().second];
            if before.keyframes[1] == Some(first) {
                std::mem::swap(&mut self.start, &mut self.end);
            } else if before.keyframes[0] != Some(first) {
                self.start.refit(tree, flight.frame(first), &mut self.points);
                self.refits += 1;
            }
            // Where nothing moves only the first boxes count.
            if first != second {
                self.end.refit(tree, flight.frame(second), &mut self.points);
                self.refits += 1;
            }
        } else {
            self.timeline.open_any(flight);
            super::expiring_ends::refit(self, tree, mesh, flight);
            self.refits += 2;
        }
        self.shares = Shares::at(self.timeline.fraction(flight.time()), self.is_bounded());
    }

    /// Takes new plans of some vertices into account.
    pub(super) fn replan(
        &mut self,
        tree: &Tree,
        mesh: &Mesh,
        flight: &Flight,
        vertices: impl ExactSizeIterator<Item = u32>,
    ) {
        // A refit of all nodes costs as much as the ways up from a sixteenth of the vertices.
        let few = vertices.len() <= flight.vertices() / 16;
        // Lines that are prolonged back must stay in the range of `f32`.
        let near = flight.reach() < f64::from(RANGE) / 64.0;
        if !(few && near && self.timeline.can_bend(flight.time())) {
            self.open(tree, mesh, flight);
        } else {
            super::expiring_turned::refit_around(self, tree, mesh, flight, vertices);
            self.shares = Shares::at(self.timeline.fraction(flight.time()), self.is_bounded());
        }
    }

    /// The boxes of a node at both ends of the current span, or `None` if they are too large to be
    /// blended.
    #[inline]
    pub(crate) fn ends(&self, node: u32) -> Option<[Aabb; 2]> {
        let ends = [self.start.volumes[node as usize], self.end.volumes[node as usize]];
        self.is_bounded().then(|| if self.timeline.rests() { [ends[0]; 2] } else { ends })
    }

    /// The current span of time.
    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Whether all boxes lie well inside the range of `f32`: the root's contain the others, but for
    /// lines prolonged back, which stay within 62 reaches of the flight.
    fn is_bounded(&self) -> bool {
        let largest = |b: &Aabb| b.min.abs().max(b.max.abs()).max_element();
        let ends = [&self.start.volumes[0], &self.end.volumes[0]];
        ends.into_iter().all(|root| largest(root) < RANGE)
    }
}

/// Magnitudes up to which no sum of a few can leave the range of `f32`.
pub(super) const RANGE: f32 = 1e37;

/// The shares of both ends at the current time, and what their use may lose: each number three
/// times, as boxes are multiplied.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shares {
    start: Vec3A,
    end: Vec3A,
    /// Factors on the magnitudes at both ends: what rounding may lose.
    start_loss: Vec3A,
    end_loss: Vec3A,
    /// What is lost whatever the magnitudes.
    floor: Vec3A,
    pub(super) bounded: bool,
}

impl Shares {
    pub(super) const UNBOUNDED: Self = Self {
        start: Vec3A::ZERO,
        end: Vec3A::ZERO,
        start_loss: Vec3A::ZERO,
        end_loss: Vec3A::ZERO,
        floor: Vec3A::ZERO,
        bounded: false,
    };

    pub(super) fn at(fraction: f64, bounded: bool) -> Self {
        let (start, end) = ((1.0 - fraction) as f32, fraction as f32);
        let loss = |share: f32| Vec3A::splat((share + TINY) * LOSS);
        Self {
            start: Vec3A::splat(start),
            end: Vec3A::splat(end),
            start_loss: loss(start),
            end_loss: loss(end),
            floor: Vec3A::splat(f32::MIN_POSITIVE),
            bounded,
        }
    }

    /// The same for boxes that may be too small by so much.
    pub(super) fn and_at_least(self, allowance: f32) -> Self {
        Self { floor: Vec3A::splat(allowance + 2.0 * f32::MIN_POSITIVE), ..self }
    }

    /// The box between two boxes.
    ///
    /// Why it contains the computed vertices. Let a node's boxes begin at a and end at b on the
    /// low side of an axis, and let a vertex go from x >= a to y >= b. Its computed position is
    /// x g + y f, each operation rounded to `f64`, with one g and one f for all vertices. Rounding
    /// is monotonic, so the position is not below a g + b f computed in `f64` the same way. What
    /// is computed here in `f32` differs from that by the rounding of g, f, two products and
    /// a sum, 3u of |a| g + |b| f with u = 2^-24, and the subtraction of the loss by one more; the
    /// roundings in `f64` are 2^-29 of one of these. The loss is 8u of |a| g + |b| f. Shares below
    /// the normal `f32` lose up to 2^-150 of |a| or |b|, products that underflow 2^-150: 2^-121 of
    /// both and the smallest normal number cover them.
    #[inline(always)]
    pub(super) fn blend(&self, a: &Aabb, b: &Aabb) -> Aabb {
        let loss =
            |a: Vec3A, b: Vec3A| a.abs() * self.start_loss + b.abs() * self.end_loss + self.floor;
        let middle = |a: Vec3A, b: Vec3A| a * self.start + b * self.end;
        Aabb {
            min: middle(a.min, b.min) - loss(a.min, b.min),
            max: middle(a.max, b.max) + loss(a.max, b.max),
        }
    }
}

/// See [`Shares::blend`]: 8 times 2^-24, and 2^-100.
const LOSS: f32 = 4.0 * f32::EPSILON;
const TINY: f32 = f32::from_bits((127 - 100) << 23);

/// The box between two boxes at a fraction of the span, as [`Bounds::bound`] computes it.
#[inline]
pub(crate) fn blend_at(fraction: f64, ends: &[Aabb; 2]) -> Aabb {
    Shares::at(fraction, true).blend(&ends[0], &ends[1])
}

impl Bounds<Flight> for Expiring {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, _: &Flight, node: u32) -> Aabb {
        if !self.shares.bounded {
            return Aabb { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };
        }
        self.shares.blend(&self.start.volumes[node as usize], &self.end.volumes[node as usize])
    }
}

impl super::flight_body::FlightBounds for Expiring {
    fn made(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Result<Self> {
        Ok(Self::new(tree, mesh, flight))
    }

    fn advance(&mut self, tree: &Tree, mesh: &Mesh, flight: &mut Flight, time: f64) -> Result<()> {
        flight.advance(time)?;
        self.follow(tree, mesh, flight);
        Ok(())
    }

    fn restart(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        self.open(tree, mesh, flight);
    }

    fn replan(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight, vertices: &[u32]) {
        self.replan(tree, mesh, flight, vertices.iter().copied());
    }

    fn as_expiring(&self) -> Option<&Self> {
        Some(self)
    }
}
