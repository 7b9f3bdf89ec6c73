//! All bodies at the beginning of a step, and what a contact is.

use std::sync::Arc;

use pliant::glam::{DVec3, Vec4};
use pliant::volume::Aabb;

use super::carried::{Carried, is_among};
use super::obstacle::PlacedObstacle;
use super::proxy_tree::moved_row;
use super::state::Pose;
use super::{Model, Settings};

/// What a body touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Other {
    /// A proxy of another body of a higher number.
    Body {
        /// The body's number.
        body: u32,
        /// The proxy, a node of its model's [`ProxyTree`](super::ProxyTree).
        node: u32,
    },
    /// An obstacle.
    Obstacle {
        /// The obstacle's number.
        obstacle: u32,
        /// The nearest triangle of a surface.
        triangle: Option<u32>,
    },
}

/// A proxy that pushes another proxy or an obstacle, or did in the step before and is still near it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// The body.
    pub body: u32,
    /// Its proxy, a node of its model's [`ProxyTree`](super::ProxyTree).
    pub node: u32,
    /// What it touches.
    pub other: Other,
    /// The middle of the overlap or gap.
    pub point: DVec3,
    /// The unit vector from the proxy towards the other.
    pub normal: DVec3,
    /// How far the two overlap; negative for a gap that would close within the step.
    pub depth: f64,
    /// The velocity of an obstacle at the point; zero if the other is a body.
    pub pushed: DVec3,
    /// The force along the normal if nothing but what pressed in the step before moved the two; not
    /// above zero if they part.
    pub push: f64,
}

/// Which proxies count as a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// Those that push during the step, as far as can be told before forces are known, and those that
    /// pushed in the step before and are still near.
    Pushing,
    /// Those that overlap now.
    Overlapping,
}

/// A node whose sphere at rest grows by no more than this part of its radius counts as that: no mode
/// is looked at. Looser spheres let a descent visit more nodes than this saves.
const LOOSE: f32 = 0.25;

/// A proxy where it is now.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedProxy {
    pub center: DVec3,
    pub radius: f64,
    /// The velocity of the mean displacement of its vertices, by the modes.
    pub drift: DVec3,
}

/// All bodies at the beginning of a step.
pub(super) struct Snapshot<'a> {
    pub models: &'a [Arc<Model>],
    pub model_of: &'a [u32],
    pub poses: &'a [Pose],
    /// Boxes around bodies and what they may reach in the step.
    pub boxes: &'a [Aabb],
    /// Modes per body in the three arrays below.
    pub stride: usize,
    pub factors: &'a [Vec4],
    /// Mean rates of the coordinates over the step, if nothing touches the bodies.
    pub free_rates: &'a [f32],
    /// The same, if bodies are pressed as in the step before. They say what counts as a contact: a
    /// body that lies bent under a load would spring back far without it.
    pub rates: &'a [f32],
    pub obstacles: &'a [PlacedObstacle<'a>],
    /// Forces of the step before.
    pub carried: &'a [Carried],
    pub settings: &'a Settings,
    pub count: Count,
}

impl Snapshot<'_> {
    #[inline]
    pub(super) fn model(&self, body: u32) -> &Model {
        &self.models[self.model_of[body as usize] as usize]
    }

    /// Whether two bodies may touch here. Points of shape matching meet each other elsewhere.
    #[inline]
    pub(super) fn may_touch(&self, a: u32, b: u32) -> bool {
        !(self.model(a).is_point && self.model(b).is_point)
    }

    #[inline]
    pub(super) fn pose(&self, body: u32) -> &Pose {
        &self.poses[body as usize]
    }

    /// The proxy of a body: c + sum u_j q_j in `f32`, then the frame in `f64`, with its radius at rest.
    ///
    /// A contact pushes the mean displacement of the proxy's vertices. A radius that grew with |q_j| would
    /// change the depth without a force along the mode, and so make energy: up to 6 % of a pile's was
    /// seen. Growing radii bound the mesh ([`Model::deformed_proxies`]).
    #[inline]
    pub(super) fn moved(&self, body: u32, node: u32) -> MovedProxy {
        let rows = self.model(body).proxies.rows_of(node);
        let start = body as usize * self.stride;
        let sum = moved_row(rows, &self.factors[start..]);
        let rates = rows[1..].iter().zip(&self.rates[start..]);
        let drift = rates.fold(Vec4::ZERO, |drift, (row, rate)| drift + *row * *rate);
        let pose = self.pose(body);
        MovedProxy {
            center: pose.position + pose.rotation * sum.truncate().as_dvec3(),
            radius: f64::from(rows[0].w),
            drift: pose.rotation * drift.truncate().as_dvec3(),
        }
    }

    /// A sphere in own space around all proxies below a node, from its sphere at rest alone; `None` if
    /// that grows so much that the coordinates should be looked at.
    #[inline]
    pub(super) fn sphere_at_rest(&self, body: u32, node: u32) -> Option<Vec4> {
        let tree = &self.model(body).proxies;
        if tree.stride == 1 {
            return Some(tree.rows[node as usize]);
        }
        let at_rest = &tree.nodes[node as usize];
        let grown = at_rest.growth * self.pose(body).stretch;
        (grown <= LOOSE * at_rest.radius).then(|| at_rest.center.extend(at_rest.radius + grown))
    }

    /// A sphere in own space around all proxies below a node, from the coordinates.
    #[inline]
    pub(super) fn moved_sphere(&self, body: u32, node: u32) -> Vec4 {
        let rows = self.model(body).proxies.rows_of(node);
        moved_row(rows, &self.factors[body as usize * self.stride..])
    }

    /// How far two bodies approach within the step at most. Contacts with a wider gap are not looked for.
    ///
    /// Both turn, and parts far from their middles move fast. But they touch only where both boxes are, at most
    /// half a gap away from both, so that what counts is how they move there: the velocity of the one as the
    /// other sees it, at the middle of that place, and what turning adds within it.
    #[inline]
    pub(super) fn margin(&self, a: u32, b: u32) -> f64 {
        if self.count == Count::Overlapping {
            return 0.0;
        }
        let step = self.settings.step;
        let (from, to) = (self.pose(a), self.pose(b));
        let anywhere = step * from.velocity.distance(to.velocity) + from.turn + to.turn;
        let (middle, radius) = self.common_place(a, b);
        let moves = from.velocity_at(middle).distance(to.velocity_at(middle));
        let turns = from.spin.distance(to.spin) * (radius + anywhere);
        let there = step * (moves + turns) + from.bends + to.bends;
        // Rounded up: the approach of a contact is computed in another order.
        anywhere.min(there * (1.0 + 1e-9))
    }

    /// A ball around the place that lies in both boxes of two bodies.
    #[inline]
    pub(super) fn common_place(&self, a: u32, b: u32) -> (DVec3, f64) {
        let (a, b) = (&self.boxes[a as usize], &self.boxes[b as usize]);
        let (low, high) = (a.min.max(b.min).as_dvec3(), a.max.min(b.max).as_dvec3());
        (0.5 * (low + high), 0.5 * low.distance(high))
    }

    /// Whether a contact of this depth and approach counts, and its push. `carried` are the forces of
    /// the step before between the same two.
    #[inline]
    pub(super) fn push(
        &self,
        [depth, approach]: [f64; 2],
        carried: &[Carried],
        nodes: [u32; 2],
    ) -> Option<f64> {
        let push = self.settings.push(depth, approach);
        let counts = match self.count {
            Count::Pushing => push > 0.0 || is_among(carried, nodes),
            Count::Overlapping => depth > 0.0,
        };
        counts.then_some(push)
    }

    /// The contact of two proxies, if there is one. This arithmetic defines what a contact is, here
    /// and in brute force.
    #[inline]
    pub(super) fn meet(
        &self,
        [a, b]: [u32; 2],
        nodes: [u32; 2],
        proxies: [&MovedProxy; 2],
        margin: f64,
        carried: &[Carried],
    ) -> Option<Contact> {
        let [from, to] = proxies;
        let between = to.center - from.center;
        let apart = between.length();
        let depth = from.radius + to.radius - apart;
        if depth.is_nan() || depth < -margin {
            return None;
        }
        let normal = if apart > 0.0 { between / apart } else { DVec3::Y };
        let point = from.center + normal * (from.radius - 0.5 * depth);
        let velocity = self.pose(a).velocity_at(point) + from.drift
            - self.pose(b).velocity_at(point)
            - to.drift;
        let push = self.push([depth, velocity.dot(normal)], carried, nodes)?;
        let (other, pushed) = (Other::Body { body: b, node: nodes[1] }, DVec3::ZERO);
        Some(Contact { body: a, node: nodes[0], other, point, normal, depth, pushed, push })
    }
}
