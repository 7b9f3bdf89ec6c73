//! Points of bodies that touch each other, and obstacles.

use std::ops::ControlFlow;

use pliant::glam::DVec3;
use pliant::query::Work;
use pliant::volume::Aabb;
use pliant::world::{BroadPhase as _, Sweep};
use rayon::prelude::*;

use super::body::ShapeBody;
use crate::dynamics::PlacedObstacle;

/// Two points of different bodies whose balls overlap, or will within the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointContact {
    /// The two bodies, the lesser number first.
    pub bodies: [u32; 2],
    /// The point of each.
    pub points: [u32; 2],
    /// How far the balls overlap along the normal; not above 0 for a gap that would close within the step.
    pub depth: f64,
    /// The direction in which the first is pushed: from the second point to the first, or out of the bodies
    /// if they have crossed there.
    pub normal: DVec3,
}

/// What was found and how much was looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Found {
    pub(super) contacts: Vec<PointContact>,
    /// Pairs of bodies whose boxes overlap.
    pub(super) pairs: usize,
    /// Pairs of points whose distance was computed.
    pub(super) tests: usize,
}

/// All pairs of points of different bodies whose balls overlap, or will within the step at their velocities:
/// by bodies, then by points, ascending. It is the same list for any number of threads.
pub(super) fn find(bodies: &[ShapeBody], step: f64) -> Found {
    let (near, pairs) = near_bodies(bodies, step);
    let blocks: Vec<Found> = pairs
        .par_chunks(PAIRS_PER_BLOCK)
        .map(|block| {
            let mut found = Found::default();
            let mut points = [Vec::new(), Vec::new()];
            for &pair in block {
                find_of_pair(bodies, &near, pair, step, &mut points, &mut found, |_, _| {});
            }
            found
        })
        .collect();
    let mut all = Found { pairs: pairs.len(), ..Found::default() };
    for block in blocks {
        all.contacts.extend(block.contacts);
        all.tests += block.tests;
    }
    all
}

/// Where a body is, and how it moves within a step.
struct Near {
    around: Aabb,
    /// How far its points move in the mean.
    mean: DVec3,
    /// How far any point moves from that.
    spread: f64,
}

/// Where all bodies may get, and which of these boxes overlap, ascending.
fn near_bodies(bodies: &[ShapeBody], step: f64) -> (Vec<Near>, Vec<[u32; 2]>) {
    let of_body = |body: &ShapeBody| {
        let mean = body.momentum() / body.mass();
        let (mean, spread) = (step * mean, step * body.largest_speed_from(mean));
        let near = Near { around: body.bounds(), mean, spread };
        let more = ((mean.length() + spread) * (1.0 + 1e-6)) as f32;
        let fat = Aabb { min: near.around.min - more, max: near.around.max + more };
        // Twice outward: the sum, and the rounding of what is added.
        let fat = Aabb {
            min: fat.min.map(|x| x.next_down().next_down()),
            max: fat.max.map(|x| x.next_up().next_up()),
        };
        (fat, near)
    };
    let (boxes, near): (Vec<Aabb>, Vec<Near>) = bodies.par_iter().map(of_body).unzip();
    let mut pairs = Vec::new();
    let _ = Sweep.pairs(&boxes, &mut Work::default(), &mut |pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    });
    pairs.sort_unstable();
    (near, pairs)
}

/// For each body the points that lie in a box shared with another body, ascending: all that the search for
/// contacts looks at.
pub(super) fn near_points(bodies: &[ShapeBody], step: f64) -> Vec<Vec<u32>> {
    let (near, pairs) = near_bodies(bodies, step);
    let mut points = vec![Vec::new(); bodies.len()];
    let (mut of_pair, mut found) = ([Vec::new(), Vec::new()], Found::default());
    for pair in pairs {
        find_of_pair(bodies, &near, pair, step, &mut of_pair, &mut found, |body, near| {
            points[body as usize].extend(near.iter().map(|point| point.number));
        });
        found.contacts.clear();
    }
    for own in &mut points {
        own.sort_unstable();
        own.dedup();
    }
    points
}

/// Pairs of bodies that a thread takes at once.
const PAIRS_PER_BLOCK: usize = 64;

/// A point in the box that two bodies share.
struct NearPoint {
    place: DVec3,
    /// How far it moves within the step, seen from something that moves as both bodies do in the mean.
    moves: f64,
    number: u32,
}

/// Contacts of two bodies. Only points in the box that both share can touch.
fn find_of_pair(
    bodies: &[ShapeBody],
    all: &[Near],
    pair: [u32; 2],
    step: f64,
    near: &mut [Vec<NearPoint>; 2],
    found: &mut Found,
    mut looked_at: impl FnMut(u32, &[NearPoint]),
) {
    let [a, b] = pair.map(|body| &bodies[body as usize]);
    let [near_a, near_b] = pair.map(|body| &all[body as usize]);
    // Seen from something that moves as both do in the mean, points move by no more than this.
    let half = 0.5 * near_a.mean.distance(near_b.mean);
    let common = 0.5 * (near_a.mean + near_b.mean);
    let [margin_a, margin_b] = [near_a, near_b].map(|near| (near.spread + half) * (1.0 + 1e-9));
    let corners = |near: &Near, margin: f64| {
        [near.around.min.as_dvec3() - margin, near.around.max.as_dvec3() + margin]
    };
    let [low_a, high_a] = corners(near_a, margin_a);
    let [low_b, high_b] = corners(near_b, margin_b);
    let (min, max) = (low_a.max(low_b), high_a.min(high_b));
    if min.cmpgt(max).any() {
        return;
    }
    for ((body, margin), near) in [(a, margin_a), (b, margin_b)].into_iter().zip(&mut *near) {
        near.clear();
        // The ball of a point has to reach the common box.
        let reach = body.shape().radius() + margin;
        let (min, max) = (min - reach, max + reach);
        let moving = (0..).zip(&body.positions).zip(&body.velocities);
        near.extend(moving.filter_map(|((number, &place), &velocity)| {
            let is_near = place.cmpge(min).all() && place.cmple(max).all();
            let moves = (step * velocity - common).length() * (1.0 + 1e-9);
            is_near.then_some(NearPoint { place, moves, number })
        }));
    }
    for (body, near) in pair.into_iter().zip(&*near) {
        looked_at(body, near);
    }
    let reach = a.shape().radius() + b.shape().radius();
    let [near_a, near_b] = near;
    let farthest = near_b.iter().map(|point| point.moves).fold(0.0, f64::max);
    // Along the longest side of the common box only those within reach are looked at.
    let side = max - min;
    let axis = (0..3).fold(0, |best, axis| if side[axis] > side[best] { axis } else { best });
    near_b.sort_unstable_by(|p, q| p.place[axis].total_cmp(&q.place[axis]));
    let first = found.contacts.len();
    for &NearPoint { place: p, moves, number: i } in &*near_a {
        let (least, most) =
            (p[axis] - reach - moves - farthest, p[axis] + reach + moves + farthest);
        let from = near_b.partition_point(|other| other.place[axis] < least);
        for &NearPoint { place: q, moves: other, number: j } in &near_b[from..] {
            if q[axis] > most {
                break;
            }
            found.tests += 1;
            let way = p - q;
            let square = way.length_squared();
            let far = reach + moves + other;
            if square >= far * far {
                continue;
            }
            if square >= reach * reach {
                // A gap: does it close within the step?
                let normal = way.normalize_or(DVec3::Y);
                let depth = reach - square.sqrt();
                let parting = a.velocities[i as usize] - b.velocities[j as usize];
                if depth > step * parting.dot(normal) {
                    let depth = depth.min(0.0);
                    found.contacts.push(PointContact {
                        bodies: pair,
                        points: [i, j],
                        depth,
                        normal,
                    });
                }
            } else {
                let normal = push_direction(way, a.outward[i as usize], b.outward[j as usize]);
                let depth = reach - way.dot(normal);
                found.contacts.push(PointContact { bodies: pair, points: [i, j], depth, normal });
            }
        }
    }
    found.contacts[first..].sort_unstable_by_key(|contact| contact.points);
}

/// The direction in which two points part that are apart by `way`. It is that way, unless it is more than 60
/// degrees off the direction out of the second body and into the first. Then the bodies have crossed here,
/// and to part along the way would push them on through each other.
fn push_direction(way: DVec3, out_of_first: DVec3, out_of_second: DVec3) -> DVec3 {
    let direct = way.normalize_or_zero();
    let out = (out_of_second - out_of_first).normalize_or(direct);
    match direct.dot(out) > 0.5 {
        true => direct,
        // Points at one place in the middle of both part upwards.
        false => out.normalize_or(DVec3::Y),
    }
}

/// A contact with all that does not change while contacts are gone through.
struct Meeting {
    /// Body and point.
    sides: [(u32, u32); 2],
    normal: DVec3,
    parting: f64,
    /// The part of the change of the relative velocity that each side takes: the other's share of the mass.
    shares: [f64; 2],
}

/// Contacts that a thread prepares at once.
const CONTACTS_PER_TASK: usize = 1024;

/// How contacts act.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// The part of an overlap that is taken away per step, from 0 to 1. Overlaps of more than half a radius
    /// count as that: bodies that have crossed part slowly.
    pub correction: f64,
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// How often all contacts are gone through per step.
    pub sweeps: usize,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self { correction: 0.2, friction: 0.4, sweeps: 2 }
    }
}

impl ContactSettings {
    /// The speed at which a contact parts; negative for a gap, which may close but no more.
    fn parting(&self, depth: f64, radius: f64, step: f64) -> f64 {
        if depth > 0.0 { self.correction * depth.min(0.5 * radius) / step } else { depth / step }
    }

    /// The change of a relative velocity by a contact: the approach ends, the points part at a speed, and
    /// friction takes at most `friction` times as much of what slides. A contact never pulls.
    fn change(&self, relative: DVec3, normal: DVec3, parting: f64) -> DVec3 {
        let along = relative.dot(normal);
        let push = (parting - along).max(0.0);
        let sliding = relative - along * normal;
        let speed = sliding.length();
        let held = (self.friction * push).min(speed);
        push * normal - if speed > 0.0 { sliding * (held / speed) } else { DVec3::ZERO }
    }

    /// Goes through contacts in their order and changes velocities: of both points by the same momentum
    /// in opposite directions.
    pub(super) fn resolve(&self, bodies: &mut [ShapeBody], contacts: &[PointContact], step: f64) {
        let prepare = |contact: &PointContact| {
            let shapes = contact.bodies.map(|body| bodies[body as usize].shape());
            let radius = shapes[0].radius().min(shapes[1].radius());
            let [a, b] = [0, 1].map(|side| shapes[side].masses()[contact.points[side] as usize]);
            Meeting {
                sides: [0, 1].map(|side| (contact.bodies[side], contact.points[side])),
                normal: contact.normal,
                parting: self.parting(contact.depth, radius, step),
                shares: [b / (a + b), a / (a + b)],
            }
        };
        let meetings: Vec<Meeting> =
            contacts.par_iter().with_min_len(CONTACTS_PER_TASK).map(prepare).collect();
        for _ in 0..self.sweeps {
            for meeting in &meetings {
                let [(a, i), (b, j)] = meeting.sides.map(|(at, no)| (at as usize, no as usize));
                let relative = bodies[a].velocities[i] - bodies[b].velocities[j];
                let change = self.change(relative, meeting.normal, meeting.parting);
                bodies[a].velocities[i] += change * meeting.shares[0];
                bodies[b].velocities[j] -= change * meeting.shares[1];
            }
        }
    }

    /// Keeps the points of a body out of obstacles; returns how many touch one, or will within the step.
    pub(super) fn keep_out(
        &self,
        body: &mut ShapeBody,
        obstacles: &[PlacedObstacle],
        step: f64,
    ) -> usize {
        let around = body.bounds();
        let (min, max) = (around.min.as_dvec3(), around.max.as_dvec3());
        let margin = step * body.largest_speed_from(DVec3::ZERO);
        let (middle, reach) = (0.5 * (min + max), 0.5 * (max - min).length() + margin);
        let radius = body.shape().radius();
        let mut touching = 0;
        for obstacle in obstacles {
            // A distance changes no more than the point does: all points of the body are outside.
            if obstacle.distance(middle).0 > reach {
                continue;
            }
            for (&position, velocity) in body.positions.iter().zip(&mut body.velocities) {
                let (distance, normal) = obstacle.distance(position);
                let depth = radius - distance;
                let relative = *velocity - obstacle.velocity(position);
                if depth > 0.0 || depth > step * relative.dot(normal) {
                    *velocity += self.change(relative, normal, self.parting(depth, radius, step));
                    touching += 1;
                }
            }
        }
        touching
    }
}
