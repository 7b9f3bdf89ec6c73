//! What a ray hits: first, or all of it.

use glam::DVec3;

use super::Work;
use super::nearest::nearest_first;
use super::traverse::Descent;
use crate::body::{Collide, FewTriangles, NodeEntry};
use crate::contact::{RayHit, ray_triangle, sheared_triangle};
use crate::tree::Node;
use crate::volume::{Ray, RayEntry};

/// What a ray hits first.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RayCast {
    /// The triangle, and where on it. Of several triangles at the same computed `t`, the one with
    /// the smallest number.
    pub hit: Option<(u32, RayHit)>,
    /// What the query did. For a skin it also depends on how many rays were cast before in the
    /// same pose.
    pub work: Work,
}

/// Everything that a ray hits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RayHits {
    /// The triangles, and where on them, in the order of `t`; at the same computed `t` by number.
    pub hits: Vec<(u32, RayHit)>,
    /// What the query did. For a skin it also depends on how many rays were cast before in the
    /// same pose.
    pub work: Work,
}

/// What is kept of the hits along a ray. The order in which triangles are met does not matter.
pub(super) trait Kept {
    fn work(&mut self) -> &mut Work;

    /// Takes a hit into account.
    fn take(&mut self, triangle: u32, found: RayHit);

    /// How far along the ray a hit still counts.
    fn until(&self) -> f64;

    /// Takes a triangle into account.
    #[inline]
    fn consider<A: Collide>(&mut self, body: &A, ray: &Ray, triangle: u32) {
        self.work().primitive_tests += 1;
        if let Some(found) = ray_triangle(ray, &body.triangle(triangle)) {
            self.take(triangle, found);
        }
    }

    /// Takes triangles into account whose vertices are at these positions. Leaves the vertices
    /// as the ray sees them.
    #[inline]
    fn consider_few(&mut self, ray: &Ray, few: &FewTriangles<'_>, positions: &mut [DVec3]) {
        self.work().primitive_tests += few.numbers.len() as u64;
        positions.iter_mut().for_each(|position| *position = ray.shear(*position));
        for (&number, corners) in few.numbers.iter().zip(few.corners) {
            let corners = corners.map(|place| positions[place as usize]);
            if let Some(found) = sheared_triangle(ray, &corners) {
                self.take(number, found);
            }
        }
    }
}

impl Kept for RayCast {
    #[inline]
    fn work(&mut self) -> &mut Work {
        &mut self.work
    }

    #[inline]
    fn take(&mut self, triangle: u32, found: RayHit) {
        let nearer = match &self.hit {
            None => true,
            Some((other, hit)) => (found.t, triangle) < (hit.t, *other),
        };
        if nearer {
            self.hit = Some((triangle, found));
        }
    }

    #[inline]
    fn until(&self) -> f64 {
        self.hit.map_or(f64::INFINITY, |(_, hit)| hit.t)
    }
}

impl Kept for RayHits {
    #[inline]
    fn work(&mut self) -> &mut Work {
        &mut self.work
    }

    #[inline]
    fn take(&mut self, triangle: u32, found: RayHit) {
        self.hits.push((triangle, found));
    }

    #[inline]
    fn until(&self) -> f64 {
        f64::INFINITY
    }
}

impl RayHits {
    /// Puts the hits into their order.
    pub(super) fn sorted(mut self) -> Self {
        self.hits.sort_by(|(a, near), (b, far)| near.t.total_cmp(&far.t).then(a.cmp(b)));
        self
    }
}

/// The first triangle that a ray hits, from either side.
///
/// It evaluates only the bounds along the ray, and moves only the vertices of the triangles
/// that it tests. Guarantee: bit for bit what
/// [`brute_force::ray_cast`](super::brute_force::ray_cast) finds; and no ray passes between
/// adjacent triangles, see [`ray_triangle`].
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3, volume::Ray};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let body = Body::rigid(mesh)?;
/// let ray = Ray::new(DVec3::new(0.25, 0.25, 3.0), -DVec3::Z)?;
/// let (triangle, hit) = pliant::ray_cast(&body, &ray).hit.expect("a hit");
/// assert_eq!((triangle, hit.t, hit.barycentric), (0, 3.0, [0.5, 0.25, 0.25]));
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn ray_cast<A: Collide>(body: &A, ray: &Ray) -> RayCast {
    let mut nearest = RayCast::default();
    descend_along(body, ray, &mut nearest);
    nearest
}

/// Every triangle that a ray hits, from either side, in the order in which it meets them.
///
/// Where neighbours share the edge or corner that a ray meets, it may hit all of them. Guarantee:
/// bit for bit what [`brute_force::ray_hits`](super::brute_force::ray_hits) finds.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3, volume::Ray};
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let two = corners.iter().copied().chain(corners.map(|corner| corner + DVec3::Z)).collect();
/// let body = Body::rigid(Mesh::new(two, vec![[0, 1, 2], [3, 4, 5]])?)?;
/// let ray = Ray::new(DVec3::new(0.25, 0.25, 3.0), -DVec3::Z)?;
/// let hits = pliant::ray_hits(&body, &ray).hits;
/// let found: Vec<_> = hits.iter().map(|(triangle, hit)| (*triangle, hit.t)).collect();
/// assert_eq!(found, [(1, 2.0), (0, 3.0)]);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn ray_hits<A: Collide>(body: &A, ray: &Ray) -> RayHits {
    let mut all = RayHits::default();
    descend_along(body, ray, &mut all);
    all.sorted()
}

/// Descends to every triangle that a ray may hit before what is kept ends.
#[inline]
fn descend_along<A: Collide, K: Kept>(body: &A, ray: &Ray, nearest: &mut K) {
    let by_volume = |nearest: &mut K, node| {
        nearest.work().bounds += 1;
        nearest.work().overlap_tests += 1;
        body.bound(node).ray_entry(ray, nearest.until())
    };
    let still = |nearest: &K, entry| entry <= nearest.until();
    let visit_leaf = |nearest: &mut K, node: Node| {
        if !node.is_leaf() {
            return Descent::Descend;
        }
        let triangles = body.tree().leaf_primitives(node);
        triangles.iter().for_each(|&triangle| nearest.consider(body, ray, triangle));
        Descent::Prune
    };
    let Some(for_ray) = body.for_ray(ray) else {
        let visit = |nearest: &mut K, _, node| visit_leaf(nearest, node);
        nearest_first(body, nearest, by_volume, still, visit);
        return;
    };
    let mut positions = Vec::new();
    nearest_first(
        body,
        nearest,
        |nearest, node| {
            let entry = match for_ray.entry(ray, node) {
                NodeEntry::Unknown => return by_volume(nearest, node),
                NodeEntry::Missed => None,
                NodeEntry::From(entry) => Some(entry),
            };
            nearest.work().bounds += 1;
            nearest.work().overlap_tests += 1;
            entry.filter(|&entry| entry <= nearest.until())
        },
        still,
        |nearest, number, node| {
            if visit_leaf(nearest, node) == Descent::Prune {
                return Descent::Prune;
            }
            let Some(few) = for_ray.few_below(number, &mut positions) else {
                return Descent::Descend;
            };
            nearest.consider_few(ray, &few, &mut positions);
            Descent::Prune
        },
    );
}
