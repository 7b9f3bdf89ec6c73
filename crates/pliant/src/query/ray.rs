//! What a ray hits first.

use super::Work;
use super::nearest::nearest_first;
use crate::body::Collide;
use crate::contact::{RayHit, ray_triangle};
use crate::volume::{Ray, RayEntry};

/// What a ray hits first.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RayCast {
    /// The triangle and where on it; of several at the same computed `t` the smallest number.
    pub hit: Option<(u32, RayHit)>,
    /// What the query did.
    pub work: Work,
}

impl RayCast {
    /// Takes a triangle into account. The order of triangles does not matter.
    #[inline]
    pub(super) fn consider<A: Collide>(&mut self, body: &A, ray: &Ray, triangle: u32) {
        self.work.primitive_tests += 1;
        let Some(found) = ray_triangle(ray, &body.triangle(triangle)) else { return };
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
/// Only the bounds along the ray are evaluated, and only the vertices of the
/// triangles that are tested. Guarantee: bit for bit what
/// [`brute_force::ray_cast`](super::brute_force::ray_cast) finds; and no ray
/// slips between neighbours, see [`ray_triangle`].
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
    nearest_first(
        body,
        &mut nearest,
        |nearest, volume| {
            nearest.work.bounds += 1;
            nearest.work.overlap_tests += 1;
            volume.ray_entry(ray, nearest.until())
        },
        |nearest, entry| entry <= nearest.until(),
        |nearest, triangle| nearest.consider(body, ray, triangle),
    );
    nearest
}
