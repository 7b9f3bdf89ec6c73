//! Contacts of one body with obstacles; those with surfaces are found in `surface_search`.

use pliant::glam::DVec3;

use super::StepWork;
use super::carried::{Carried, between};
use super::obstacle::PlacedObstacle;
use super::snapshot::{Contact, Count, MovedProxy, Other, Snapshot};
use super::surface_search::{SurfaceScratch, meet_surface, nearest_on_surface};

/// As in `pair_search`.
const SLACK: f64 = 4e-6;

/// Appends the contacts of a body with all obstacles, ascending by obstacle and node.
pub(super) fn obstacle_contacts(
    snapshot: &Snapshot,
    body: u32,
    scratch: &mut SurfaceScratch,
    found: &mut Vec<Contact>,
    work: &mut StepWork,
) {
    for (number, obstacle) in (0..).zip(snapshot.obstacles) {
        if let PlacedObstacle::Surface { now, .. } = obstacle {
            let near = nearest_on_surface(snapshot, body, obstacle, now, scratch, work);
            let carried = carried_if(!near.is_empty(), snapshot, [body, number]);
            found.extend(
                near.iter()
                    .filter_map(|near| meet_surface(snapshot, [body, number], near, carried)),
            );
            continue;
        }
        let near = near_solid(snapshot, body, obstacle, work);
        let carried = carried_if(!near.is_empty(), snapshot, [body, number]);
        work.proxies_moved += near.len() as u64;
        work.proxy_tests += near.len() as u64;
        let meet = |node| meet_solid(snapshot, [body, node, number], carried);
        found.extend(near.into_iter().filter_map(meet));
    }
}

/// The forces of the step before between a body and an obstacle, if they are needed.
fn carried_if<'a>(
    needed: bool,
    snapshot: &Snapshot<'a>,
    [body, number]: [u32; 2],
) -> &'a [Carried] {
    if needed { between(snapshot.carried, [1, body, number]) } else { &[] }
}

/// The proxies that a search for contacts with an obstacle moves, ascending.
pub(super) fn moved_near(
    snapshot: &Snapshot,
    body: u32,
    obstacle: &PlacedObstacle,
    scratch: &mut SurfaceScratch,
    work: &mut StepWork,
) -> Vec<u32> {
    match obstacle {
        PlacedObstacle::Surface { now, .. } => {
            let near = nearest_on_surface(snapshot, body, obstacle, now, scratch, work);
            near.iter().map(|near| near.node).collect()
        }
        solid => near_solid(snapshot, body, solid, work),
    }
}

/// The distance from an obstacle within which proxies are looked at: the margin, up to rounding.
pub(super) fn obstacle_pad(snapshot: &Snapshot, body: u32, obstacle: &PlacedObstacle) -> f64 {
    obstacle_margin(snapshot, body, obstacle) + SLACK * snapshot.pose(body).reach
}

/// How far a body approaches an obstacle within the step at most, the motion of surfaces apart.
pub(super) fn obstacle_margin(snapshot: &Snapshot, body: u32, obstacle: &PlacedObstacle) -> f64 {
    if snapshot.count == Count::Overlapping {
        return 0.0;
    }
    let pose = snapshot.pose(body);
    let speed = pose.velocity.length() + obstacle.speed_near(pose.position, pose.reach);
    snapshot.settings.step * speed + pose.turn
}

/// The proxies that may touch a plane, ball or box, ascending.
fn near_solid(
    snapshot: &Snapshot,
    body: u32,
    solid: &PlacedObstacle,
    work: &mut StepWork,
) -> Vec<u32> {
    let pad = obstacle_pad(snapshot, body, solid);
    let tree = &snapshot.model(body).proxies;
    let mut found = Vec::new();
    let mut stack = vec![0];
    while let Some(number) = stack.pop() {
        let node = &tree.nodes[number as usize];
        work.node_tests += 1;
        let (center, radius) = placed(snapshot, body, number, work);
        if solid.distance(center).0 > radius + pad {
            continue;
        }
        if node.is_proxy() {
            found.push(number);
        } else {
            stack.extend(node.child_range());
        }
    }
    found.sort_unstable();
    found
}

/// A sphere around all proxies below a node, in the world.
#[inline]
fn placed(snapshot: &Snapshot, body: u32, node: u32, work: &mut StepWork) -> (DVec3, f64) {
    let pose = snapshot.pose(body);
    let sphere = snapshot.sphere_at_rest(body, node).unwrap_or_else(|| {
        work.nodes_moved += 1;
        snapshot.moved_sphere(body, node)
    });
    (pose.position + pose.rotation * sphere.truncate().as_dvec3(), f64::from(sphere.w))
}

/// The contact of a proxy with a plane, ball or box, if there is one.
pub(super) fn meet_solid(
    snapshot: &Snapshot,
    [body, node, number]: [u32; 3],
    carried: &[Carried],
) -> Option<Contact> {
    let obstacle = &snapshot.obstacles[number as usize];
    let proxy = snapshot.moved(body, node);
    let (distance, outward) = obstacle.distance(proxy.center);
    let depth = proxy.radius - distance;
    let margin = obstacle_margin(snapshot, body, obstacle);
    let point = proxy.center - outward * (proxy.radius - 0.5 * depth);
    let other = Other::Obstacle { obstacle: number, triangle: None };
    let pushed = obstacle.velocity(point);
    let at = Touch { point, normal: -outward, depth, margin, pushed };
    finish(snapshot, [body, node], &proxy, other, &at, carried)
}

/// Where a proxy meets an obstacle.
pub(super) struct Touch {
    pub point: DVec3,
    pub normal: DVec3,
    pub depth: f64,
    /// How far the two approach within the step at most.
    pub margin: f64,
    /// The velocity of the obstacle.
    pub pushed: DVec3,
}

/// The contact, if it is near enough and counts. `carried` are the forces of the step before between the
/// same two.
pub(super) fn finish(
    snapshot: &Snapshot,
    [body, node]: [u32; 2],
    proxy: &MovedProxy,
    other: Other,
    &Touch { point, normal, depth, margin, pushed }: &Touch,
    carried: &[Carried],
) -> Option<Contact> {
    if depth.is_nan() || depth < -margin {
        return None;
    }
    let velocity = snapshot.pose(body).velocity_at(point) + proxy.drift - pushed;
    let push = snapshot.push([depth, velocity.dot(normal)], carried, [node, 0])?;
    Some(Contact { body, node, other, point, normal, depth, pushed, push })
}
