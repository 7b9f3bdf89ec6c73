//! What the proxy touches moves: it is carried and pushed.

use pliant::Collide as _;
use pliant::contact::BallPath;
use pliant::glam::{DMat3, DVec3};
use pliant::volume::Overlap as _;

use super::look::{ON_SURFACE, box_around};
use super::{LEAST_ROOM, Proxy};
use crate::passing::Passing;
use crate::planes::nearest_in;
use crate::shading::area;
use crate::{Changes, Scene};

/// How much nearer anything may come in one part of a motion, as a share of the room.
const NEARER: f64 = 0.25;

/// Pushes per part of a motion, at most.
const MOST_PUSHES: usize = 8;

/// The share of the distance to the nearest triangle that is kept while the proxy is pushed.
const KEPT: f64 = 1.0 - 1.0 / 1024.0;

impl Proxy {
    /// Takes changes of the scene as a whole. The proxy goes along with what it touches, and out of the
    /// way of what comes. Afterwards the changes hold what stood in the slots. Returns how far the proxy
    /// was carried by what it touched.
    ///
    /// Between its two states every vertex moves along a straight line. Objects that appear, vanish, or
    /// change their mesh do so at once.
    ///
    /// The time is that of the parts, in which nothing comes nearer by more than a quarter of the room:
    /// one, unless something near moves by more than that beside the proxy.
    pub fn follow(&mut self, scene: &mut Scene, changes: &mut Changes) -> DVec3 {
        self.take_memory(0, changes);
        scene.begin(changes);
        let carried = self.go_along(scene);
        scene.end(changes);
        carried
    }

    /// Goes along with a scene whose changes have begun, and have not ended.
    pub(crate) fn go_along(&mut self, scene: &Scene) -> DVec3 {
        let mut carried = DVec3::ZERO;
        let mut time = 0.0;
        if self.nearest < self.radius * LEAST_ROOM {
            // Nobody has looked since it began, or there was too little room.
            self.make_room(scene, time);
        }
        while time < 1.0 {
            let carry = self.carry(scene, time);
            let largest = self.largest_motion(scene, time, carry);
            let most = NEARER * self.room();
            let mut share = if largest <= most { 1.0 } else { most / largest };
            let next = time + (1.0 - time) * share;
            // In steps too small for the clock it ends.
            let is_too_far = next <= time || next.is_nan();
            if is_too_far || next >= 1.0 {
                share = 1.0;
                time = 1.0;
            } else {
                time = next;
            }
            if largest > 0.0 && (is_too_far || self.nearest < self.radius * LEAST_ROOM) {
                self.squeezed += 1;
            }
            self.center += carry * share;
            carried += carry * share;
            self.make_room(scene, time);
        }
        carried
    }

    /// How far the deepest contact carries the centre from a time on: with its point, and turned with its
    /// triangle, so that the ball does not roll.
    fn carry(&self, scene: &Scene, time: f64) -> DVec3 {
        let Some(contact) = self.contacts.as_slice().first() else { return DVec3::ZERO };
        let seen = scene.slots.get(contact.slot).and_then(|slot| slot.seen(time));
        let Some((_, body, _)) = seen else { return DVec3::ZERO };
        if body.before.is_none() || contact.triangle as usize >= body.tree().primitives.len() {
            return DVec3::ZERO;
        }
        let (from, to) = (body.triangle(contact.triangle), body.now.triangle(contact.triangle));
        let at = |corners: &[DVec3; 3]| -> DVec3 {
            corners.iter().zip(contact.weights).map(|(corner, weight)| *corner * weight).sum()
        };
        let offset = self.center - at(&from);
        let turned = match (frame(&from), frame(&to)) {
            (Some(from), Some(to)) => to * (from.transpose() * offset),
            _ => offset,
        };
        let moved = at(&to) - at(&from) + (turned - offset);
        // A state can be anywhere; what would be carried out of reach stays behind.
        let is_within = (self.center + moved).abs().max_element() <= self.reach();
        if moved.is_finite() && is_within { moved } else { DVec3::ZERO }
    }

    /// How far anything near the way of the proxy moves from a time on, at most, seen from the proxy.
    fn largest_motion(&mut self, scene: &Scene, time: f64, carry: DVec3) -> f64 {
        let around = box_around(self.center, carry, self.room());
        let mut largest: f64 = 0.0;
        for place in &scene.slots {
            let Some((_, body, extent)) = place.seen(time) else { continue };
            if !extent.overlaps(&around) || (body.before.is_none() && carry == DVec3::ZERO) {
                continue;
            }
            let nodes = &mut self.workspace.memory.nodes;
            nodes.clear();
            nodes.push(0);
            while let Some(number) = nodes.pop() {
                if !body.span_bound(number).overlaps(&around) {
                    continue;
                }
                let node = body.tree().node(number);
                if node.is_leaf() {
                    largest = largest.max(largest_of(&body, node, carry));
                } else {
                    nodes.extend(node.range());
                }
            }
        }
        largest
    }

    /// Pushes the proxy away from what is nearer than its radius, at a time between two states, and sees
    /// how much room it has.
    pub(super) fn make_room(&mut self, scene: &Scene, time: f64) {
        let reach = self.radius * (1.0 + 0.5 * BallPath::CLEARANCE);
        for pushes in 0..=MOST_PUSHES {
            let nearest = self.look(scene, time, reach);
            self.nearest = nearest.min(self.radius);
            if nearest >= self.radius || pushes == MOST_PUSHES {
                return;
            }
            let on_surface = self.radius * ON_SURFACE;
            if let Some(front) =
                self.workspace.touching.iter().find(|touched| touched.distance <= on_surface)
            {
                // The centre is on a surface: off its front, before anything else.
                self.center += front.normal * (self.radius * LEAST_ROOM);
                continue;
            }
            self.constrain(self.radius);
            let push = match nearest_in(DVec3::ZERO, &self.workspace.planes) {
                Some(nearest) => nearest.point,
                // No room for all of it: to the middle.
                None => self.workspace.planes.iter().map(|p| p.normal * p.offset * 0.5).sum(),
            };
            let kept = (nearest * KEPT).max(self.radius * LEAST_ROOM);
            let Ok(path) = BallPath::new(self.center, self.center + push, kept) else { return };
            let until = self.cast(scene, time, &path);
            if push.length() * until < BallPath::CLEARANCE * self.room() {
                return;
            }
            self.center = path.at(until);
        }
    }
}

/// The axes of a triangle: along its first side, and across it. `None` if it has no area.
fn frame(triangle: &[DVec3; 3]) -> Option<DMat3> {
    let along = (triangle[1] - triangle[0]).try_normalize()?;
    let normal = area(triangle).try_normalize()?;
    Some(DMat3::from_cols(along, normal.cross(along), normal))
}

/// How far a corner of a leaf's triangles moves, at most, seen from what is carried.
fn largest_of(body: &Passing<'_>, node: pliant::tree::Node, carry: DVec3) -> f64 {
    let triangles = body.tree().leaf_primitives(node).iter();
    let ways = triangles.flat_map(|&triangle| body.ahead(triangle));
    ways.map(|way| (way - carry).length()).fold(0.0, f64::max)
}
