//! Where a ray hits a triangle, without gaps between neighbours.

use glam::DVec3;

use crate::limits::MIN_RAY_AREA;
use crate::volume::Ray;

/// Where a ray hits a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// How far along the ray, in lengths of its direction; finite, at least 0.
    pub t: f64,
    /// The weights of the corners, each in `0 ..= 1`, with a sum of 1 up to rounding.
    pub barycentric: [f64; 3],
}

/// Where a ray hits a triangle, from either side; edges and corners belong to it.
///
/// Watertight: a ray that meets a common edge or corner of neighbours hits at least
/// one of them, so none slips into a closed mesh. Triangles seen edge-on, and with
/// them all degenerate ones, are never hit; in a closed mesh their neighbours are.
/// A hit closer to the origin than rounding can tell may be lost, as its computed
/// `t` may be negative.
///
/// This is the test of Woop, Benthin and Wald (Watertight Ray/Triangle Intersection,
/// JCGT 2013, section 3) in `f64`: corners are sheared so that the ray becomes an axis,
/// and signs of areas in the plane across it decide. Sheared corners are the same for
/// all triangles that share them, and the signs are exact for them as they
/// are, so that two neighbours agree on which side of their edge the ray is.
///
/// All this needs corners, seen from the origin, up to 1e150 in magnitude and areas
/// seen along the ray from [`MIN_RAY_AREA`] on. Beyond, there is no hit.
///
/// ```
/// use pliant::{contact::ray_triangle, glam::DVec3, volume::Ray};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let ray = Ray::new(DVec3::new(0.5, 0.25, 4.0), DVec3::new(0.0, 0.0, -2.0))?;
/// let hit = ray_triangle(&ray, &triangle).expect("a hit");
/// assert_eq!((hit.t, hit.barycentric), (2.0, [0.25, 0.5, 0.25]));
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # The lemma that bounds rely on
/// Let D be the largest magnitude among the corners' coordinates seen from the origin
/// and u = 2^-53. At the computed way ahead g, the point `origin + g * slope` of the
/// ray is within 18u D, each axis for itself, of a point of the triangle.
///
/// *Sides.* A sheared side is off by 2u of the difference and 3u of the product with
/// the slope: 5uD. The areas U, V, W carry 3u of their size each and have one sign, so
/// the sides' mean with weights U, V, W over their sum, which would be zero for exact
/// areas, is at most 3u times the sides, 6uD. So the point P of the triangle with those
/// weights is within 11uD of the ray to both sides. *Ahead.* The computed g differs
/// from that of P by 3u in each weight, u in each product, 2u in the sums and u in the
/// differences: 7uD; a slope of at most 1 makes of it as much to the sides. Terms of
/// second order and what underflow takes from areas above the least are far below uD,
/// and the constants that use the lemma have that much to spare.
#[must_use]
pub fn ray_triangle(ray: &Ray, triangle: &[DVec3; 3]) -> Option<RayHit> {
    let [a, b, c] = triangle.map(|corner| ray.shear(corner));
    // Rounding is monotone: the sign of a rounded difference of rounded products is
    // the true one, or zero.
    let area = |p: DVec3, q: DVec3| p.x * q.y - p.y * q.x;
    if differ_in_sign(area(b, c), area(c, a), area(a, b)) {
        return None;
    }
    // Few triangles come here, and for them the areas are made accurate, which settles
    // the zeros too.
    let (u, v, w) = (accurate_area(b, c), accurate_area(c, a), accurate_area(a, b));
    let sum = u + v + w;
    let size = sum.abs();
    if differ_in_sign(u, v, w) || !(MIN_RAY_AREA..=f64::MAX).contains(&size) {
        return None;
    }
    // All of one sign: no weight is above 1, since a sum is not below its parts.
    let barycentric = [u / sum, v / sum, w / sum];
    let ahead = barycentric[0] * a.z + barycentric[1] * b.z + barycentric[2] * c.z;
    // Adding zero turns -0 into 0. Comparisons with NaN fail.
    let t = ray.t(ahead) + 0.0;
    (0.0..=f64::MAX).contains(&t).then_some(RayHit { t, barycentric })
}

#[inline]
fn differ_in_sign(u: f64, v: f64, w: f64) -> bool {
    (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)
}

/// The difference of two products with a relative error below 3u and thus the true
/// sign, by Kahan's method; Jeannerod, Louvet and Muller (Mathematics of Computation
/// 2013) prove the bound.
#[inline]
fn accurate_area(p: DVec3, q: DVec3) -> f64 {
    let product = p.y * q.x;
    let lost = (-p.y).mul_add(q.x, product);
    p.x.mul_add(q.y, -product) + lost
}
