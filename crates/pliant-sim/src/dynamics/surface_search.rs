//! Contacts of one body with a surface: for each proxy its nearest triangle.
//!
//! One descent goes through the spheres of the body and the boxes of the surface. Below a proxy it is a
//! search for the nearest triangle: nearer boxes first, and none farther than the nearest triangle so
//! far, or than the proxy may reach in the step.

use pliant::contact::{PointOnTriangle, closest_point_on_triangle};
use pliant::glam::DVec3;
use pliant::volume::Volume as _;
use pliant::{AnyBody, Collide as _};

use super::StepWork;
use super::carried::Carried;
use super::obstacle::PlacedObstacle;
use super::obstacle_search::{Touch, finish, obstacle_margin, obstacle_pad, placed};
use super::snapshot::{Contact, MovedProxy, Other, Snapshot};

/// Boxes whose squared distance exceeds that of the nearest triangle by more than this part are passed by:
/// computed distances carry a few roundings of 2^-53.
const ROUNDING: f64 = 1e-12;

/// A proxy, and the nearest triangle of a surface, if one is near enough. Of triangles at the same
/// distance it is the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearSurface {
    pub node: u32,
    proxy: MovedProxy,
    /// Triangles farther away do not matter: the square of a distance.
    limit: f64,
    nearest: Option<(PointOnTriangle, u32)>,
}

impl NearSurface {
    fn new(snapshot: &Snapshot, body: u32, node: u32, pad: f64) -> Self {
        let proxy = snapshot.moved(body, node);
        let reach = proxy.radius + pad;
        Self { node, proxy, limit: reach * reach, nearest: None }
    }

    /// The proxy with the nearest of all triangles, whatever their distance.
    pub(super) fn by_brute_force(
        snapshot: &Snapshot,
        body: u32,
        node: u32,
        surface: &AnyBody,
    ) -> Self {
        let mut near = Self::new(snapshot, body, node, f64::INFINITY);
        (0..surface.mesh().triangles().len() as u32)
            .for_each(|triangle| near.look_at(surface, triangle));
        near
    }

    fn look_at(&mut self, surface: &AnyBody, triangle: u32) {
        let at = closest_point_on_triangle(self.proxy.center, &surface.triangle(triangle));
        let distance = at.distance_squared;
        let is_nearer = match &self.nearest {
            None => distance <= self.limit,
            Some((_, before)) => {
                distance < self.limit || distance == self.limit && triangle < *before
            }
        };
        if is_nearer {
            self.limit = distance;
            self.nearest = Some((at, triangle));
        }
    }
}

/// The proxies of a body that are near a surface, ascending, each with its nearest triangle.
pub(super) fn nearest_on_surface(
    snapshot: &Snapshot,
    body: u32,
    obstacle: &PlacedObstacle,
    surface: &AnyBody,
    work: &mut StepWork,
) -> Vec<NearSurface> {
    let pad = obstacle_pad(snapshot, body, obstacle);
    let (tree, over) = (&snapshot.model(body).proxies, surface.tree());
    let mut found = Vec::new();
    let mut stack = vec![[0, 0]];
    while let Some([number, other]) = stack.pop() {
        let node = &tree.nodes[number as usize];
        let (center, radius) = placed(snapshot, body, number, work);
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
        } else if node.is_proxy() {
            found.push([number, other]);
        } else {
            stack.extend(opened.range().map(|child| [number, child]));
        }
    }
    found.sort_unstable();
    let mut nodes = Vec::new();
    let search = |starts: &[[u32; 2]]| {
        let mut near = NearSurface::new(snapshot, body, starts[0][0], pad);
        work.proxies_moved += 1;
        let center = near.proxy.center;
        let distance = |node: u32| (surface.bound(node).distance_squared_to_point(center), node);
        nodes.extend(starts.iter().map(|start| distance(start[1])));
        // The nearest last: it is opened first.
        nodes.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        while let Some((apart, node)) = nodes.pop() {
            if apart > near.limit * (1.0 + ROUNDING) {
                continue;
            }
            let opened = over.node(node);
            if opened.is_leaf() {
                for &triangle in over.leaf_primitives(opened) {
                    work.proxy_tests += 1;
                    near.look_at(surface, triangle);
                }
                continue;
            }
            work.node_tests += u64::from(opened.count());
            let first = nodes.len();
            nodes.extend(opened.range().map(distance));
            nodes[first..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        }
        near
    };
    found.chunk_by(|a, b| a[0] == b[0]).map(search).collect()
}

/// The contact of a proxy with its nearest triangle, if there is one.
pub(super) fn meet_surface(
    snapshot: &Snapshot,
    [body, number]: [u32; 2],
    near: &NearSurface,
    carried: &[Carried],
) -> Option<Contact> {
    let obstacle = &snapshot.obstacles[number as usize];
    let PlacedObstacle::Surface { now, ahead, rate } = obstacle else { return None };
    let (proxy, (at, triangle)) = (&near.proxy, near.nearest.as_ref()?);
    let distance = at.distance_squared.sqrt();
    let depth = proxy.radius - distance;
    let margin = obstacle_margin(snapshot, body, obstacle);
    if depth.is_nan() || depth < -margin {
        return None;
    }
    let corners = now.triangle(*triangle);
    let normal = match distance > 0.0 {
        true => (at.point - proxy.center) / distance,
        // The middle lies on the surface: out of its back.
        false => {
            let facing = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            -facing.try_normalize().unwrap_or(DVec3::Y)
        }
    };
    let later = ahead.triangle(*triangle);
    let moved = |corner: usize| (later[corner] - corners[corner]) * at.barycentric[corner];
    let pushed = (moved(0) + moved(1) + moved(2)) * *rate;
    let point = proxy.center + normal * (proxy.radius - 0.5 * depth);
    let other = Other::Obstacle { obstacle: number, triangle: Some(*triangle) };
    let touch = Touch { point, normal, depth, margin, pushed };
    finish(snapshot, [body, near.node], proxy, other, &touch, carried)
}
