//! What the proxy touches, and how far it may go.

use pliant::Collide as _;
use pliant::contact::{BallPath, PointOnTriangle};
use pliant::glam::DVec3;
use pliant::query::{DescentStack, ball_cast_in, triangles_near_in};
use pliant::volume::{Aabb, Overlap as _};

use super::{HalfSpace, Proxy};
use crate::Scene;
use crate::shading::area;

/// Triangles that are taken into account at once. Those beyond are the farthest; they stop the proxy
/// when it comes to them.
const MOST_TOUCHED: usize = 64;

/// Cosines above this are those of one plane: the same edge or corner, seen from two triangles.
const SAME_PLANE: f64 = 1.0 - 1e-12;

/// A centre within this share of the radius is on the surface: on which side is lost in rounding.
pub(super) const ON_SURFACE: f64 = 1.0 / (1 << 30) as f64;

/// A triangle that is touched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touching {
    pub(super) slot: usize,
    pub(super) triangle: u32,
    pub(super) closest: PointOnTriangle,
    /// From the surface to the centre.
    pub(super) normal: DVec3,
    pub(super) distance: f64,
}

/// Memory of the proxy's steps.
#[derive(Debug, Clone)]
pub(super) struct Workspace {
    pub(super) memory: Memory,
    /// What is touched, the nearest of each plane.
    pub(super) touching: Vec<Touching>,
    /// Planes of what is touched, and those that the force follows.
    pub(super) planes: Vec<HalfSpace>,
    pub(super) shaded: Vec<HalfSpace>,
}

impl Workspace {
    pub(super) fn new() -> Self {
        Self {
            memory: Memory::default(),
            touching: Vec::with_capacity(MOST_TOUCHED),
            planes: Vec::with_capacity(MOST_TOUCHED),
            shaded: Vec::with_capacity(MOST_TOUCHED),
        }
    }
}

/// Memory of descents of trees.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    pub(super) stack: DescentStack,
    pub(super) nodes: Vec<u32>,
}

impl Memory {
    /// How many nodes there is room for.
    pub(crate) fn room(&self) -> usize {
        self.nodes.capacity()
    }

    /// Makes room for so many nodes.
    pub(crate) fn reserve(&mut self, nodes: usize) {
        if self.room() < nodes {
            self.nodes.clear();
            self.nodes.reserve_exact(nodes);
            self.stack.reserve(nodes);
        }
    }
}

/// The box around a ball that moves.
pub(super) fn box_around(center: DVec3, motion: DVec3, reach: f64) -> Aabb {
    let end = center + motion;
    Aabb::from_corners(center.min(end) - reach, center.max(end) + reach)
}

impl Proxy {
    /// Finds what is within a distance of the centre at a time between two states of the scene. Returns
    /// the distance of the nearest, or the one asked for if nothing is that near.
    pub(super) fn look(&mut self, scene: &Scene, time: f64, reach: f64) -> f64 {
        let Workspace { memory, touching, .. } = &mut self.workspace;
        touching.clear();
        let center = self.center;
        let around = box_around(center, DVec3::ZERO, reach);
        let on_surface = self.radius * ON_SURFACE;
        let mut nearest = reach;
        for (slot, place) in scene.slots.iter().enumerate() {
            let Some((_, body, extent)) = place.seen(time) else { continue };
            if !extent.overlaps(&around) {
                continue;
            }
            triangles_near_in(&mut memory.stack, &body, center, reach, |triangle, closest| {
                let distance = closest.distance_squared.sqrt();
                nearest = nearest.min(distance);
                let normal = if distance > on_surface {
                    (center - closest.point) / distance
                } else {
                    // The centre is on the surface: out of its front.
                    area(&body.triangle(triangle)).try_normalize().unwrap_or(DVec3::Z)
                };
                keep(touching, Touching { slot, triangle, closest, normal, distance });
            });
        }
        nearest
    }

    /// Writes the half-spaces of what is touched, seen from the centre, so that a ball of this radius
    /// stays off the surfaces by half its clearance.
    ///
    /// A triangle is convex. So the points at least the radius away from it in the direction of the
    /// normal are free of it, and a ball that goes there is not stopped by this triangle.
    pub(super) fn constrain(&mut self, radius: f64) {
        let Workspace { touching, planes, .. } = &mut self.workspace;
        let stand_off = radius * (1.0 + 0.5 * BallPath::CLEARANCE);
        planes.clear();
        planes.extend(touching.iter().map(|touched| HalfSpace {
            normal: touched.normal,
            offset: stand_off - touched.distance,
        }));
    }

    /// How far along its way a ball may go: 1 if to the end.
    pub(super) fn cast(&mut self, scene: &Scene, time: f64, path: &BallPath) -> f64 {
        let reach = path.radius() * (1.0 + 2.0 * BallPath::CLEARANCE);
        let around = box_around(path.from(), path.motion(), reach);
        let mut until = 1.0;
        for place in &scene.slots {
            let Some((_, body, extent)) = place.seen(time) else { continue };
            if !extent.overlaps(&around) {
                continue;
            }
            if let Some((_, hit)) = ball_cast_in(&mut self.workspace.memory.stack, &body, path).hit
            {
                until = hit.t.min(until);
            }
        }
        until
    }
}

/// Keeps a triangle, unless one of the same plane is nearer. If there are too many, the farthest is
/// forgotten.
fn keep(touching: &mut Vec<Touching>, found: Touching) {
    let same = |other: &&mut Touching| other.normal.dot(found.normal) > SAME_PLANE;
    if let Some(other) = touching.iter_mut().find(same) {
        let key = |touched: &Touching| (touched.distance, touched.slot, touched.triangle);
        if key(&found) < key(other) {
            *other = found;
        }
        return;
    }
    if touching.len() < MOST_TOUCHED {
        touching.push(found);
        return;
    }
    let farthest = touching.iter_mut().max_by(|a, b| a.distance.total_cmp(&b.distance));
    if let Some(farthest) = farthest.filter(|farthest| farthest.distance > found.distance) {
        *farthest = found;
    }
}
