//! Oriented boxes, told apart by separating axes (Gottschalk, Lin and Manocha 1996).

mod fit;

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use super::apart::never_above;
use super::convex::{Convex, by_support, convex_apart};
use super::ray_entry::slabs_entry;
use super::{Aabb, Apart, Dop, Overlap, Ray, RayEntry, Sphere, Volume};
use crate::memo::{Remember, pack, unpack};
use crate::numeric::{COMPUTED_POINT_ERROR, F32_SLACK, F64_SLACK, OBB_SLACK};

pub use fit::ObbMap;

/// A closed box of any orientation: the points p with |a_i . (p - center)| <= half_i for its three
/// axes a_i.
///
/// The axes are orthonormal up to rounding to `f32`; the set is that of the axes as they are stored.
/// `half` is negative for the empty box. A number that is NaN excludes nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obb {
    /// The middle.
    pub center: Vec3A,
    /// Takes a vector to its coordinates along the axes: the axes are its rows.
    pub to_own: Mat3A,
    /// Half the sides.
    pub half: Vec3A,
}

impl Obb {
    /// Whether no point lies inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.half.x < 0.0
    }

    /// A point as seen from the middle, along the axes, and what that may be off by: a difference, a
    /// product and two sums per axis, with entries of at most 1.
    #[inline]
    fn own(&self, point: DVec3) -> (DVec3, f64) {
        let from = point - self.center.as_dvec3();
        (self.rows() * from, F64_SLACK * from.abs().element_sum())
    }

    /// [`Obb::to_own`] in `f64`.
    #[inline]
    fn rows(&self) -> DMat3 {
        self.to_own.as_dmat3()
    }

    /// Whether a point certainly lies outside.
    #[must_use]
    pub fn excludes_point(&self, point: DVec3) -> bool {
        let (own, error) = self.own(point);
        (own.abs() - error).cmpgt(self.half.as_dvec3()).any()
    }

    /// How far another box lies beyond this one along the axes of this one, in `f64`.
    fn beyond(&self, other: &Self) -> DVec3 {
        let (own, error) = self.own(other.center.as_dvec3());
        let turned = self.rows() * other.rows().transpose();
        let turned = [turned.x_axis, turned.y_axis, turned.z_axis].map(DVec3::abs);
        let half = other.half.as_dvec3();
        let slack = DVec3::splat(f64::from(OBB_SLACK) * half.element_sum() + error);
        let reach = turned[0] * half.x + turned[1] * half.y + turned[2] * half.z + slack;
        (own.abs() - self.half.as_dvec3() - reach).max(DVec3::ZERO)
    }
}

/// Whether a box is apart from the ball around another one. `beyond` is how far the ball's middle lies
/// beyond the box along the box's axes, `half` are half the sides of the other box.
///
/// Let w = 2^-24, as below. Within the other box no vector v from its middle is longer than (1 + 170w)
/// |half|, and the squares of its products with the axes add up to at most (1 + 100w) |v|^2. A common
/// point needs |beyond| of no more than that. 1024w cover it with all roundings, and the smallest
/// normal number what vanishes. A sum that overflows tells nothing.
#[inline(always)]
fn is_beyond_ball(beyond: Vec3A, half: Vec3A) -> bool {
    let beyond = beyond.max(Vec3A::ZERO);
    let squares = beyond * beyond - half * half * (1.0 + 2.0 * OBB_SLACK);
    let sum = squares.element_sum();
    sum > f32::MIN_POSITIVE && sum < f32::INFINITY
}

/// Whether two boxes are apart along one of the fifteen axes. `apart` is from the middle of the first
/// to that of the second along the axes of the first; `rows` are the axes of the first along those
/// of the second, which many boxes do not need.
///
/// Let w = 2^-24. Axes as stored have products a_i . a_j within 32w of 0 or 1: they are rounded from
/// orthonormal `f64` axes (2w), or turned in `f32` (24w). A vector v is the sum of m_k a_k with m_k
/// within 96w |v| of a_k . v, so no point of a box reaches farther along v than the sum of
/// (|a_k . v| + 96w |v|) half_k.
///
/// The axes that are tested are those of the first box, those of the second, and for each i and j
/// the vector L with the coordinates e_i x r_j in the frame of the first box, r_j the computed
/// coordinates of b_j. Along L the first box reaches exactly as far as the formula says, whatever
/// was rounded, because the coordinates of its points along its axes are bounded by its half sides.
/// For the second box the formula has |a_i . b_k|, which is |L . b_k| for orthonormal axes; entries
/// r err by 4w, and both frames by 32w in each product: together less than 300w. So 512w on every
/// entry suffice, whatever the length of L: near-parallel edges have a short L, and the entries keep the
/// reaches from vanishing with it. The distance along an axis errs by less than 512w of
/// |apart| likewise: four roundings of the difference and its coordinates, and the frame of the
/// first box in the other axes. The smallest normal number covers what vanishes.
#[inline(always)]
fn separated(
    apart: Vec3A,
    size: Vec3A,
    rows: impl FnOnce() -> [Vec3A; 3],
    first: Vec3A,
    second: Vec3A,
) -> bool {
    let slack = Vec3A::splat(OBB_SLACK);
    let lost = size * OBB_SLACK + f32::MIN_POSITIVE;
    let distance = apart.abs() - lost;
    if is_beyond_ball(distance - first, second) {
        return true;
    }
    let rows = rows();
    let [p, q, r] = rows.map(|row| row.abs() + slack);
    let [x, y, z] = [apart.x, apart.y, apart.z];
    let [fx, fy, fz] = [first.x, first.y, first.z];
    let along = rows[0] * x + rows[1] * y + rows[2] * z;
    if (along.abs() - lost).cmpgt(second + p * fx + q * fy + r * fz).any() {
        return true;
    }
    let reach = first + Mat3A::from_cols(p, q, r).transpose() * second;
    if distance.cmpgt(reach).any() {
        return true;
    }
    // Half sides of the second box, times entries of the row, for the next two axes.
    let (next, last) = (yzx(second), zxy(second));
    let of_second = |row: Vec3A| next * zxy(row) + last * yzx(row);
    let edge = |distance: Vec3A, of_first: Vec3A, row: Vec3A| {
        (distance.abs() - lost).cmpgt(of_first + of_second(row))
    };
    let over_x = edge(rows[1] * z - rows[2] * y, r * fy + q * fz, p);
    let over_y = edge(rows[2] * x - rows[0] * z, p * fz + r * fx, q);
    let over_z = edge(rows[0] * y - rows[1] * x, q * fx + p * fy, r);
    (over_x | over_y | over_z).any()
}

#[inline(always)]
fn yzx(v: Vec3A) -> Vec3A {
    glam::Vec3Swizzles::yzx(v)
}

#[inline(always)]
fn zxy(v: Vec3A) -> Vec3A {
    glam::Vec3Swizzles::zxy(v)
}

/// Each coordinate of a vector, three times.
#[inline(always)]
fn splats(v: Vec3A) -> [Vec3A; 3] {
    use glam::Vec3Swizzles as _;
    [v.xxx(), v.yyy(), v.zzz()]
}

/// The sum of the magnitudes, three times.
#[inline(always)]
fn size_of([x, y, z]: [Vec3A; 3]) -> Vec3A {
    x.abs() + y.abs() + z.abs()
}

impl Overlap<Obb> for Obb {
    #[inline]
    fn overlaps(&self, other: &Obb) -> bool {
        let [x, y, z] = splats(other.center - self.center);
        let apart = self.to_own.x_axis * x + self.to_own.y_axis * y + self.to_own.z_axis * z;
        let rows = || {
            let own = self.to_own.transpose();
            [own.x_axis, own.y_axis, own.z_axis].map(|axis| other.to_own * axis)
        };
        !separated(apart, size_of([x, y, z]), rows, self.half, other.half)
    }
}

impl Overlap<Aabb> for Obb {
    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        if other.min.cmpgt(other.max).any() {
            return false;
        }
        let center = other.min * 0.5 + other.max * 0.5;
        // Half the sides grow by the roundings of centre and half.
        let half = (other.max - center).max(center - other.min);
        let half = half * (1.0 + F32_SLACK) + f32::MIN_POSITIVE;
        let apart = self.center - center;
        let rows = || [self.to_own.x_axis, self.to_own.y_axis, self.to_own.z_axis];
        !separated(apart, size_of(splats(apart)), rows, half, self.half)
    }
}

impl Overlap<Obb> for Aabb {
    #[inline]
    fn overlaps(&self, other: &Obb) -> bool {
        other.overlaps(self)
    }
}

impl Apart<Obb> for Obb {
    /// The larger of the distances of one to a box around the other in the frame of the one. A vector is
    /// shorter than its coordinates along stored axes by less than the slack.
    fn distance_squared_to(&self, other: &Obb) -> f64 {
        let (first, second) = (self.beyond(other), other.beyond(self));
        shortened(first.length_squared().max(second.length_squared()))
    }
}

/// The square of a length, given that of its coordinates along stored axes, never above the true one.
#[inline]
fn shortened(squared: f64) -> f64 {
    never_above(squared * (1.0 - 2.0 * f64::from(OBB_SLACK)))
}

impl Apart<Obb> for Aabb {
    fn distance_squared_to(&self, other: &Obb) -> f64 {
        convex_apart(self, other)
    }
}

impl Apart<Aabb> for Obb {
    fn distance_squared_to(&self, other: &Aabb) -> f64 {
        convex_apart(self, other)
    }
}

by_support! {
    [] Sphere, Obb;
    [const N: usize] Dop<N>, Obb;
}

impl RayEntry for Obb {
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        let rows = self.rows().transpose();
        let half = self.half.as_dvec3();
        let slabs = [(rows.x_axis, half.x), (rows.y_axis, half.y), (rows.z_axis, half.z)];
        let slabs = slabs.into_iter().map(|(axis, half)| (axis, -half, half));
        // No point is farther from the middle than the half sides together, up to the frame's error.
        // It stays NaN if one is.
        let sum = half.element_sum();
        let reach = if sum < 0.0 { 0.0 } else { sum * (1.0 + f64::from(OBB_SLACK)) };
        slabs_entry(ray, self.center.as_dvec3(), reach, slabs, until)
    }
}

impl Volume for Obb {
    fn corners(&self) -> [DVec3; 2] {
        let columns = [self.to_own.x_axis, self.to_own.y_axis, self.to_own.z_axis];
        let half = self.half.as_dvec3();
        // The slack keeps zero from meeting an infinite side.
        let slack = f64::from(OBB_SLACK);
        let reach = columns.map(|axes| (axes.as_dvec3().abs() + slack).dot(half));
        let center = self.center.as_dvec3();
        let reach = DVec3::from_array(reach) + center.abs() * F64_SLACK;
        [center - reach, center + reach]
    }

    fn extent(&self) -> f32 {
        2.0 * self.half.max_element()
    }

    fn distance_squared_to_point(&self, point: DVec3) -> f64 {
        let (own, error) = self.own(point);
        let beyond = (own.abs() - self.half.as_dvec3() - error).max(DVec3::ZERO);
        shortened(beyond.length_squared())
    }

    fn point_error(&self) -> f64 {
        let [min, max] = self.corners();
        COMPUTED_POINT_ERROR * min.abs().max(max.abs()).max_element().max(0.0)
    }
}

impl Convex for Obb {
    fn support(&self, direction: DVec3) -> f64 {
        let center = self.center.as_dvec3();
        let half = self.half.as_dvec3();
        let along = (self.rows() * direction).abs();
        let slack = f64::from(OBB_SLACK) * direction.abs().element_sum();
        let error = F64_SLACK * center.abs().dot(direction.abs());
        center.dot(direction) + (along + slack).dot(half) + error
    }

    fn directions(&self) -> impl Iterator<Item = DVec3> {
        let rows = self.rows().transpose();
        [rows.x_axis, rows.y_axis, rows.z_axis].into_iter()
    }
}

impl Remember for Obb {
    type Words = [u64; 8];

    fn to_words(self) -> [u64; 8] {
        let [x, y, z] = [self.to_own.x_axis, self.to_own.y_axis, self.to_own.z_axis];
        let (c, h) = (self.center, self.half);
        [
            pack(c.x, c.y),
            pack(c.z, h.x),
            pack(h.y, h.z),
            pack(x.x, x.y),
            pack(x.z, y.x),
            pack(y.y, y.z),
            pack(z.x, z.y),
            pack(z.z, 0.0),
        ]
    }

    fn from_words(words: [u64; 8]) -> Self {
        let row = |i: usize| unpack(words[2 * i], words[2 * i + 1]);
        let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
        Self {
            center: Vec3A::new(a.x, a.y, a.z),
            half: Vec3A::new(a.w, b.x, b.y),
            to_own: Mat3A::from_cols(
                Vec3A::new(b.z, b.w, c.x),
                Vec3A::new(c.y, c.z, c.w),
                Vec3A::new(d.x, d.y, d.z),
            ),
        }
    }
}
