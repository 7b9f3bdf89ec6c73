//! Contacts of one body with obstacles.

use pliant::Collide as _;
use pliant::contact::{PointOnTriangle, closest_point_on_triangle};
use pliant::glam::DVec3;
use pliant::volume::Volume as _;
use pliant::{AnyBody, Mesh};

use super::carried::between;
use super::obstacle::PlacedObstacle;
use super::snapshot::{Contact, Count, MovedProxy, Other, Snapshot};
use super::{ProxyNode, StepWork};

/// As in `pair_search`.
const SLACK: f64 = 4e-6;

/// Appends the contacts of a body with all obstacles, ascending by obstacle and node.
pub(super) fn obstacle_contacts(
    snapshot: &Snapshot,
    body: u32,
    found: &mut Vec<Contact>,
    work: &mut StepWork,
) {
    for (number, obstacle) in (0..).zip(snapshot.obstacles) {
        let near = near_obstacle(snapshot, body, obstacle, work);
        for run in near.chunk_by(|a, b| a[0] == b[0]) {
            work.proxies_moved += 1;
            work.proxy_tests += run.len() as u64;
            let numbers = [body, run[0][0], number];
            found.extend(match obstacle {
                PlacedObstacle::Surface { .. } => {
                    meet_surface(snapshot, numbers, run.iter().map(|pair| pair[1]))
                }
                _ => meet_solid(snapshot, numbers),
            });
        }
    }
}

/// The proxies that may touch an obstacle, ascending, each with the triangle of a surface, or 0.
pub(super) fn near_obstacle(
    snapshot: &Snapshot,
    body: u32,
    obstacle: &PlacedObstacle,
    work: &mut StepWork,
) -> Vec<[u32; 2]> {
    let pad = obstacle_margin(snapshot, body, obstacle) + SLACK * snapshot.pose(body).reach;
    let mut near = match obstacle {
        PlacedObstacle::Surface { now, .. } => near_triangles(snapshot, body, now, pad, work),
        solid => near_solid(snapshot, body, solid, pad, work),
    };
    near.sort_unstable();
    near
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

/// The proxies within a distance of a plane, ball or box.
fn near_solid(
    snapshot: &Snapshot,
    body: u32,
    solid: &PlacedObstacle,
    pad: f64,
    work: &mut StepWork,
) -> Vec<[u32; 2]> {
    let tree = &snapshot.model(body).proxies;
    let mut found = Vec::new();
    let mut stack = vec![0];
    while let Some(number) = stack.pop() {
        let node = &tree.nodes[number as usize];
        work.node_tests += 1;
        let (center, radius) = placed(snapshot, body, node);
        if solid.distance(center).0 > radius + pad {
            continue;
        }
        if node.is_proxy() {
            found.push([number, 0]);
        } else {
            stack.extend(node.child_range());
        }
    }
    found
}

/// A node as it stands at rest, grown by the stretch.
#[inline]
fn placed(snapshot: &Snapshot, body: u32, node: &ProxyNode) -> (DVec3, f64) {
    let pose = snapshot.pose(body);
    let center = pose.position + pose.rotation * node.center.as_dvec3();
    (center, f64::from(node.radius) + f64::from(node.growth) * f64::from(pose.stretch))
}

/// The contact of a proxy with a plane, ball or box, if there is one.
pub(super) fn meet_solid(snapshot: &Snapshot, [body, node, number]: [u32; 3]) -> Option<Contact> {
    let obstacle = &snapshot.obstacles[number as usize];
    let proxy = snapshot.moved(body, node);
    let (distance, outward) = obstacle.distance(proxy.center);
    let depth = proxy.radius - distance;
    let margin = obstacle_margin(snapshot, body, obstacle);
    let point = proxy.center - outward * (proxy.radius - 0.5 * depth);
    let other = Other::Obstacle { obstacle: number, triangle: None };
    let pushed = obstacle.velocity(point);
    finish(snapshot, [body, node], &proxy, other, [point, -outward], [depth, margin], pushed)
}

/// The contact of a proxy with the nearest of these triangles, which ascend, if there is one.
pub(super) fn meet_surface(
    snapshot: &Snapshot,
    [body, node, number]: [u32; 3],
    triangles: impl Iterator<Item = u32>,
) -> Option<Contact> {
    let obstacle = &snapshot.obstacles[number as usize];
    let PlacedObstacle::Surface { now, ahead, rate } = obstacle else { return None };
    let proxy = snapshot.moved(body, node);
    let mut nearest: Option<(PointOnTriangle, u32)> = None;
    for triangle in triangles {
        let at = closest_point_on_triangle(proxy.center, &now.triangle(triangle));
        if nearest.as_ref().is_none_or(|(best, _)| at.distance_squared < best.distance_squared) {
            nearest = Some((at, triangle));
        }
    }
    let (at, triangle) = nearest?;
    let distance = at.distance_squared.sqrt();
    let depth = proxy.radius - distance;
    let margin = obstacle_margin(snapshot, body, obstacle);
    if depth.is_nan() || depth < -margin {
        return None;
    }
    let corners = now.triangle(triangle);
    let normal = match distance > 0.0 {
        true => (at.point - proxy.center) / distance,
        // The middle lies on the surface: out of its back.
        false => {
            let facing = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            -facing.try_normalize().unwrap_or(DVec3::Y)
        }
    };
    let later = ahead.triangle(triangle);
    let moved = |corner: usize| (later[corner] - corners[corner]) * at.barycentric[corner];
    let pushed = (moved(0) + moved(1) + moved(2)) * *rate;
    let point = proxy.center + normal * (proxy.radius - 0.5 * depth);
    let other = Other::Obstacle { obstacle: number, triangle: Some(triangle) };
    finish(snapshot, [body, node], &proxy, other, [point, normal], [depth, margin], pushed)
}

/// The contact, if it is near enough and counts. `pushed` is the obstacle's velocity.
fn finish(
    snapshot: &Snapshot,
    [body, node]: [u32; 2],
    proxy: &MovedProxy,
    other: Other,
    [point, normal]: [DVec3; 2],
    [depth, margin]: [f64; 2],
    pushed: DVec3,
) -> Option<Contact> {
    if depth.is_nan() || depth < -margin {
        return None;
    }
    let velocity = snapshot.pose(body).velocity_at(point) + proxy.drift - pushed;
    let number = match other {
        Other::Obstacle { obstacle, .. } => obstacle,
        Other::Body { body, .. } => body,
    };
    let carried = between(snapshot.carried, [1, body, number]);
    let push = snapshot.push([depth, velocity.dot(normal)], carried, [node, 0])?;
    Some(Contact { body, node, other, point, normal, depth, pushed, push })
}

/// The pairs of a proxy and a triangle that may be within a distance: a descent through both trees.
fn near_triangles(
    snapshot: &Snapshot,
    body: u32,
    surface: &AnyBody,
    pad: f64,
    work: &mut StepWork,
) -> Vec<[u32; 2]> {
    let (tree, over) = (&snapshot.model(body).proxies, surface.tree());
    let mut found = Vec::new();
    let mut stack = vec![[0, 0]];
    while let Some([number, other]) = stack.pop() {
        let node = &tree.nodes[number as usize];
        let (center, radius) = placed(snapshot, body, node);
        let bound = surface.bound(other);
        work.node_tests += 1;
        let reach = radius + pad;
        // The distance is never above the true one; NaN keeps.
        if bound.distance_squared_to_point(center) > reach * reach {
            continue;
        }
        let opened = over.node(other);
        if !node.is_proxy() && (opened.is_leaf() || 2.0 * radius >= f64::from(bound.extent())) {
            stack.extend(node.child_range().map(|child| [child, other]));
        } else if !opened.is_leaf() {
            stack.extend(opened.range().map(|child| [number, child]));
        } else {
            found.extend(over.leaf_primitives(opened).iter().map(|&triangle| [number, triangle]));
        }
    }
    found
}

/// The number of triangles of a mesh, as triangles are numbered.
pub(super) fn triangle_count(mesh: &Mesh) -> u32 {
    mesh.triangles().len() as u32
}
