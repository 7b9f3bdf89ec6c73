//! What a ray hits first.

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

impl RayCast {
    /// Takes a triangle into account. The order of triangles does not matter.
    #[inline]
    pub(super) fn consider<A: Collide>(&mut self, body: &A, ray: &Ray, triangle: u32) {
        self.work.primitive_tests += 1;
        if let Some(found) = ray_triangle(ray, &body.triangle(triangle)) {
            self.take(triangle, found);
        }
    }

    /// Takes triangles into account whose vertices are at these positions. Leaves the vertices
    /// as the ray sees them.
    #[inline]
    fn consider_few(&mut self, ray: &Ray, few: &FewTriangles<'_>, positions: &mut [DVec3]) {
        self.work.primitive_tests += few.numbers.len() as u64;
        positions.iter_mut().for_each(|position| *position = ray.shear(*position));
        for (&number, corners) in few.numbers.iter().zip(few.corners) {
            let corners = corners.map(|place| positions[place as usize]);
            if let Some(found) = sheared_triangle(ray, &corners) {
                self.take(number, found);
            }
        }
    }

    /// Keeps a hit if it is the nearest.
    fn take(&mut self, triangle: u32, found: RayHit) {
        let nearer = match &self.hit {
            None => true,
            Some((other, hit)) => (found.t, triangle) < (hit.t, *other),
        };
        if nearer {
            self.hit = Some((triangle, found));
        }
    }

    /// How far along the ray the best hit so far is.
    #[inline]
    fn until(&self) -> f64 {
        self.hit.map_or(f64::INFINITY, |(_, hit)| hit.t)
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
    let by_volume = |nearest: &mut RayCast, node| {
        nearest.work.bounds += 1;
        nearest.work.overlap_tests += 1;
        body.bound(node).ray_entry(ray, nearest.until())
    };
    let still = |nearest: &RayCast, entry| entry <= nearest.until();
    let visit_leaf = |nearest: &mut RayCast, node: Node| {
        if !node.is_leaf() {
            return Descent::Descend;
        }
        let triangles = body.tree().leaf_primitives(node);
        triangles.iter().for_each(|&triangle| nearest.consider(body, ray, triangle));
        Descent::Prune
    };
    let Some(for_ray) = body.for_ray(ray) else {
        let visit = |nearest: &mut RayCast, _, node| visit_leaf(nearest, node);
        nearest_first(body, &mut nearest, by_volume, still, visit);
        return nearest;
    };
    let mut positions = Vec::new();
    nearest_first(
        body,
        &mut nearest,
        |nearest, node| {
            let entry = match for_ray.entry(ray, node) {
                NodeEntry::Unknown => return by_volume(nearest, node),
                NodeEntry::Missed => None,
                NodeEntry::From(entry) => Some(entry),
            };
            nearest.work.bounds += 1;
            nearest.work.overlap_tests += 1;
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
    nearest
}
