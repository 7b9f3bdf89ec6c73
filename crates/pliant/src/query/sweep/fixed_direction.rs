//! A direction along which two moving triangles are apart all the time.

use glam::{DVec3, Vec3A};

use super::moving_triangle::MovingTriangle;

/// About the normal that a moving triangle has at the start, and how far its corners reach along it.
/// Any direction will do; this one tells layers apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedDirection {
    /// Its largest component is 1 in magnitude; NaN if there is no normal.
    normal: Vec3A,
    /// The sum of the magnitudes of its components: not less than its length.
    sum: f32,
    /// The lowest and the highest corner along it, at both ends.
    own: [[f32; 2]; 2],
}

impl FixedDirection {
    /// Of a triangle with these corners at the start, whose corners are these at both ends, rounded.
    #[inline]
    pub(super) fn new([p, q, r]: &[DVec3; 3], rounded: &[[Vec3A; 3]; 2]) -> Self {
        let normal = (q - p).cross(r - p);
        let normal = (normal / normal.abs().max_element()).as_vec3a();
        let own = [reach(normal, &rounded[0]), reach(normal, &rounded[1])];
        Self { normal, sum: normal.abs().element_sum(), own }
    }
}

/// Whether two triangles are certainly farther apart than their strays throughout the step, along the
/// direction of one of them. `slack` is that of gaps between the two.
///
/// Along a fixed direction n a corner's place is linear in time. So if all corners of one triangle
/// are above all of the other at both ends, they are so in between. A computed n.p is off by at most
/// four roundings of 2^-24 of |n| L, with the sum |n| of the components' magnitudes and the largest
/// coordinate L: one of the corner, three of the product; and by six times the smallest number. The
/// slack has six times as much for both triangles together, and their strays. It counts |n| times,
/// which is not less than the length of n, and at least 1. Nothing is apart along NaN.
#[inline]
pub(super) fn apart_along_normals(a: &MovingTriangle, b: &MovingTriangle, slack: f32) -> bool {
    apart_along(&b.direction, a, slack) || apart_along(&a.direction, b, slack)
}

/// Whether a triangle is apart from the one whose direction this is.
#[inline(always)]
fn apart_along(of: &FixedDirection, other: &MovingTriangle, slack: f32) -> bool {
    let allowance = of.sum * slack;
    let [a0, a1] = [reach(of.normal, &other.rounded[0]), reach(of.normal, &other.rounded[1])];
    let [b0, b1] = of.own;
    let above = (a0[0] - b0[1] > allowance) & (a1[0] - b1[1] > allowance);
    let below = (b0[0] - a0[1] > allowance) & (b1[0] - a1[1] > allowance);
    above | below
}

#[inline(always)]
fn reach(n: Vec3A, [p, q, r]: &[Vec3A; 3]) -> [f32; 2] {
    let (p, q, r) = (n.dot(*p), n.dot(*q), n.dot(*r));
    [p.min(q).min(r), p.max(q).max(r)]
}
