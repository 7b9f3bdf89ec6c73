//! Contacts of one body with a surface: for each proxy its nearest triangle.
//!
//! One descent goes through the spheres of the body and the boxes of the surface. Where it comes to one
//! triangle with a node that is no proxy, it goes on through the body alone, by the sides of that triangle
//! (`triangle_sides`): the box of a large one that lies aslant holds much that is far from it. Below a proxy
//! it is a search for the nearest triangle: nearer boxes first, and none farther than the nearest triangle so
//! far, or than the proxy may reach in the step.

use pliant::contact::{PointOnTriangle, closest_point_on_triangle};
use pliant::glam::{DVec3, Vec3};
use pliant::volume::{Overlap as _, Volume as _};
use pliant::{AnyBody, Collide as _};

use super::StepWork;
use super::carried::Carried;
use super::obstacle::PlacedObstacle;
use super::obstacle_search::{Touch, finish, obstacle_margin, obstacle_pad};
use super::pair_search::Memo;
use super::snapshot::{Contact, MovedProxy, Other, Snapshot};
use super::triangle_sides::{TriangleSides, is_beyond};

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
    fn new(snapshot: &Snapshot, body: u32, node: u32, pad: f64, work: &mut StepWork) -> Self {
        let proxy = snapshot.moved(body, node);
        work.proxies_moved += 1;
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
        let mut near = Self::new(snapshot, body, node, f64::INFINITY, &mut StepWork::default());
        (0..surface.mesh().triangles().len() as u32)
            .for_each(|triangle| near.look_at(&surface.triangle(triangle), triangle));
        near
    }

    fn look_at(&mut self, corners: &[DVec3; 3], triangle: u32) {
        let at = closest_point_on_triangle(self.proxy.center, corners);
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

/// Memory of a thread, used again for every body.
#[derive(Debug, Default)]
pub(super) struct SurfaceScratch {
    memo: Memo,
    /// Pairs of a node of the body and one of the surface.
    pairs: Vec<[u32; 2]>,
    /// Nodes of the body that may be near one triangle.
    nodes: Vec<u32>,
    /// For each node of the body, the place of its proxy below, or [`NO_PLACE`].
    places: Vec<u32>,
    near: Vec<NearSurface>,
}

const NO_PLACE: u32 = u32::MAX;

impl SurfaceScratch {
    /// Forgets what the last task left: counts of work do not depend on which tasks a thread took.
    pub(super) fn forget(&mut self) {
        self.memo.forget();
    }

    /// Begins with a body of so many nodes.
    fn begin(&mut self, nodes: usize) {
        for near in self.near.drain(..) {
            self.places[near.node as usize] = NO_PLACE;
        }
        if self.places.len() < nodes {
            self.places.resize(nodes, NO_PLACE);
        }
    }

    /// The search of a proxy, begun when it is first asked for.
    #[inline]
    fn proxy(&mut self, begin: impl FnOnce() -> NearSurface, node: u32) -> &mut NearSurface {
        let place = &mut self.places[node as usize];
        if *place == NO_PLACE {
            *place = self.near.len() as u32;
            self.near.push(begin());
        }
        &mut self.near[*place as usize]
    }
}

/// The proxies of a body that may be near a surface, ascending, each with its nearest triangle.
pub(super) fn nearest_on_surface<'a>(
    snapshot: &Snapshot,
    body: u32,
    obstacle: &PlacedObstacle,
    surface: &AnyBody,
    scratch: &'a mut SurfaceScratch,
    work: &mut StepWork,
) -> &'a [NearSurface] {
    let pad = obstacle_pad(snapshot, body, obstacle);
    let (tree, over) = (&snapshot.model(body).proxies, surface.tree());
    let pose = snapshot.pose(body);
    scratch.begin(tree.nodes.len());
    scratch.memo.take(snapshot, body);
    // All of the body is in its box, with what it may reach in the step.
    let around = &snapshot.boxes[body as usize];
    let [middle, half] = tree.moved_box(&snapshot.factors[body as usize * snapshot.stride..]);
    // Covers the roundings of the box.
    let own_box = [middle, half + (1e-5 * pose.reach) as f32];
    scratch.pairs.push([0, 0]);
    while let Some([number, other]) = scratch.pairs.pop() {
        let node = &tree.nodes[number as usize];
        let bound = surface.bound(other);
        work.node_tests += 1;
        let opened = over.node(other);
        if node.is_proxy() {
            let begin = || NearSurface::new(snapshot, body, number, pad, work);
            let near = scratch.proxy(begin, number);
            // The distance is never above the true one; NaN keeps.
            let apart = bound.distance_squared_to_point(near.proxy.center);
            if apart > near.limit * (1.0 + ROUNDING) {
                continue;
            }
            if opened.is_leaf() {
                for &triangle in over.leaf_primitives(opened) {
                    work.proxy_tests += 1;
                    near.look_at(&surface.triangle(triangle), triangle);
                }
                continue;
            }
            // The nearest last: it is opened first.
            let center = near.proxy.center;
            let first = scratch.pairs.len();
            scratch.pairs.extend(opened.range().map(|child| [number, child]));
            let apart = |pair: &[u32; 2]| surface.bound(pair[1]).distance_squared_to_point(center);
            scratch.pairs[first..].sort_unstable_by(|a, b| apart(b).total_cmp(&apart(a)));
            continue;
        }
        if !bound.overlaps(around) {
            continue;
        }
        let sphere = scratch.memo.sphere(snapshot, body, number, work);
        let center = pose.position + pose.rotation * sphere.truncate().as_dvec3();
        let radius = f64::from(sphere.w);
        let reach = radius + pad;
        if bound.distance_squared_to_point(center) > reach * reach {
            continue;
        }
        if opened.is_leaf() {
            for &triangle in over.leaf_primitives(opened) {
                let place = (triangle, surface.triangle(triangle));
                scratch.against_triangle(snapshot, [body, number], place, own_box, pad, work);
            }
        } else if 2.0 * radius >= f64::from(bound.extent()) {
            scratch.pairs.extend(node.child_range().map(|child| [child, other]));
        } else {
            scratch.pairs.extend(opened.range().map(|child| [number, child]));
        }
    }
    scratch.near.sort_unstable_by_key(|near| near.node);
    &scratch.near
}

impl SurfaceScratch {
    /// Looks at a triangle from all proxies below a node that may be near it. All of the body is in a box in its
    /// own axes.
    fn against_triangle(
        &mut self,
        snapshot: &Snapshot,
        [body, node]: [u32; 2],
        (triangle, corners): (u32, [DVec3; 3]),
        own_box: [Vec3; 2],
        pad: f64,
        work: &mut StepWork,
    ) {
        let (tree, pose) = (&snapshot.model(body).proxies, snapshot.pose(body));
        let inverse = pose.rotation.transpose();
        let own = corners.map(|corner| inverse * (corner - pose.position));
        work.node_tests += 1;
        if is_beyond(&own, own_box, pose.reach, pad) {
            return;
        }
        let sides = TriangleSides::new(&own, pose.reach);
        // A rounding up covers that of the sum below.
        let pad_up = ((pad * (1.0 + 1e-6)) as f32).next_up();
        if sides.distance_of_box(own_box) > pad_up {
            return;
        }
        self.nodes.push(node);
        while let Some(number) = self.nodes.pop() {
            let sphere = self.memo.sphere(snapshot, body, number, work);
            work.node_tests += 1;
            let apart = sides.distance(sphere);
            // NaN keeps.
            if apart > sphere.w + pad_up {
                continue;
            }
            let opened = &tree.nodes[number as usize];
            if !opened.is_proxy() {
                self.nodes.extend(opened.child_range());
                continue;
            }
            let begin = || NearSurface::new(snapshot, body, number, pad, work);
            let near = self.proxy(begin, number);
            // The sphere of the search holds that of the proxy, whose middle may lie elsewhere in it.
            let apart = (f64::from(apart) - (f64::from(sphere.w) - near.proxy.radius)).max(0.0);
            if apart * apart <= near.limit {
                near.look_at(&corners, triangle);
                work.proxy_tests += 1;
            }
        }
    }
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
