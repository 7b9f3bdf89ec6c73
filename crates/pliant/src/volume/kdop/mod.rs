//! k-DOPs: the intersection of k/2 slabs along fixed directions (Klosowski et al. 1998).

mod cone;
mod fit;
mod vertices;

use glam::{DVec3, Vec3A};

use super::apart::never_above;
use super::convex::{Convex, by_support, convex_apart, convex_overlap};
use super::ray_entry::slabs_entry;
use super::{Aabb, Apart, Overlap, Ray, RayEntry, Sphere, Volume};
use crate::memo::{Remember, pack, unpack};
use crate::numeric::{COMPUTED_POINT_ERROR, F64_SLACK};
use cone::cone;

pub use fit::{CenteredDop, DopMap};

/// The intersection of `N` slabs: points p with `low[i] <= n_i . p <= high[i]`.
///
/// The directions n_i are not of unit length, so that a coordinate along one is a sum of
/// coordinates: first the axes, then, with 7 or 13 slabs, the four diagonals of a cube, then,
/// with 9 or 13, the six diagonals of its faces. Any other `N` does not compile.
///
/// The empty k-DOP has `low` at +infinity and `high` at -infinity. A number that is NaN excludes
/// nothing.
///
/// ```
/// use pliant::{glam::DVec3, volume::{Dop18, Fit, Overlap}};
/// let around = |points: [DVec3; 2]| Dop18::fit_points(points.map(Dop18::point).into_iter());
/// let one = around([DVec3::ZERO, DVec3::ONE]);
/// let other = around([DVec3::new(0.2, 0.0, 0.0), DVec3::new(1.2, 0.8, 0.8)]);
/// assert!(!one.overlaps(&other)); // their boxes do
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dop<const N: usize> {
    /// The lowest coordinate along each direction.
    pub low: [f32; N],
    /// The highest coordinate along each direction.
    pub high: [f32; N],
}

/// k = 6: a box.
pub type Dop6 = Dop<3>;
/// k = 14: a box with its corners cut off.
pub type Dop14 = Dop<7>;
/// k = 18: a box with its edges cut off.
pub type Dop18 = Dop<9>;
/// k = 26: a box with corners and edges cut off.
pub type Dop26 = Dop<13>;

/// The diagonals of a cube.
const CORNERS: [[i8; 3]; 4] = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]];
/// The diagonals of a cube's faces.
const EDGES: [[i8; 3]; 6] = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, -1, 0], [1, 0, -1], [0, 1, -1]];

impl<const N: usize> Dop<N> {
    /// Whether corners are cut off.
    const CUTS_CORNERS: bool = N == 7 || N == 13;
    /// Whether edges are cut off.
    const CUTS_EDGES: bool = N == 9 || N == 13;
    /// Where the diagonals of faces begin.
    const FIRST_EDGE: usize = N.saturating_sub(EDGES.len());

    /// The directions of the slabs.
    pub const DIRECTIONS: [[i8; 3]; N] = {
        assert!(N == 3 || N == 7 || N == 9 || N == 13, "k-DOPs have 3, 7, 9 or 13 slabs");
        let mut all = [[0; 3]; N];
        let mut i = 0;
        while i < N {
            if i < 3 {
                all[i][i] = 1;
            } else if Self::CUTS_EDGES && i >= Self::FIRST_EDGE {
                all[i] = EDGES[i - Self::FIRST_EDGE];
            } else {
                all[i] = CORNERS[i - 3];
            }
            i += 1;
        }
        all
    };

    /// The squared length of each direction, which is also the sum of its magnitudes.
    const SQUARED: [f64; N] = {
        let mut all = [0.0; N];
        let mut i = 0;
        while i < N {
            let [x, y, z] = Self::DIRECTIONS[i];
            all[i] = (x * x + y * y + z * z) as f64;
            i += 1;
        }
        all
    };

    /// The coordinates of a point along all directions. A sum passes at most two roundings of at
    /// most |x| + |y| + |z|.
    #[inline(always)]
    fn coordinates(p: DVec3) -> [f64; N] {
        Self::along_all(p.to_array())
    }

    /// As [`Dop::coordinates`], in `f32`.
    #[inline(always)]
    fn coordinates_f32(p: Vec3A) -> [f32; N] {
        Self::along_all(p.to_array())
    }

    #[inline(always)]
    fn along_all<T>([x, y, z]: [T; 3]) -> [T; N]
    where
        T: Copy + Default + std::ops::Add<Output = T> + std::ops::Sub<Output = T>,
    {
        let mut along = [T::default(); N];
        along[..3].copy_from_slice(&[x, y, z]);
        if Self::CUTS_CORNERS {
            let (sum, difference) = (x + y, x - y);
            along[3..7].copy_from_slice(&[sum + z, sum - z, difference + z, z - difference]);
        }
        if Self::CUTS_EDGES {
            let diagonals = [x + y, x + z, y + z, x - y, x - z, y - z];
            along[Self::FIRST_EDGE..].copy_from_slice(&diagonals);
        }
        along
    }

    /// Whether a point certainly lies outside: along some direction, by more than what is lost by
    /// rounding its coordinate there.
    #[must_use]
    pub fn excludes_point(&self, point: DVec3) -> bool {
        let along = Self::coordinates(point);
        let loss = 4.0 * f64::EPSILON * point.abs().element_sum();
        (0..N).any(|i| {
            let loss = if i < 3 { 0.0 } else { loss };
            f64::from(self.low[i]) > along[i] + loss || along[i] - loss > f64::from(self.high[i])
        })
    }

    /// The box of the first three slabs.
    #[inline]
    fn axes(&self) -> Aabb {
        let [low, high] = [&self.low, &self.high].map(|c| Vec3A::new(c[0], c[1], c[2]));
        Aabb { min: low, max: high }
    }
}

impl<const N: usize, const M: usize> Overlap<Dop<M>> for Dop<N> {
    /// All slabs, without a branch between them: two of one kind are apart if they are along one
    /// direction. Kinds of different k are tested as convex sets are.
    #[inline]
    fn overlaps(&self, other: &Dop<M>) -> bool {
        if N != M {
            return convex_overlap(self, other);
        }
        let mut apart = false;
        for i in 0..N {
            apart |= (self.low[i] > other.high[i]) | (other.low[i] > self.high[i]);
        }
        !apart
    }
}

impl<const N: usize> Overlap<Aabb> for Dop<N> {
    /// The box along each direction: sums of its sides in `f32`. Two sums err by at most 2^-24 each
    /// of the sum of magnitudes; the slack has 4. Where a sum overflows, so does the slack,
    /// and their difference is NaN, which excludes nothing.
    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        if !self.axes().overlaps(other) {
            return false;
        }
        let (low, high) = (other.min.to_array(), other.max.to_array());
        let magnitudes = other.min.abs().max(other.max.abs());
        let slack = 2.0 * f32::EPSILON * (magnitudes.x + magnitudes.y + magnitudes.z);
        let mut apart = false;
        for i in 3..N {
            let (mut least, mut most) = (0.0, 0.0);
            for axis in 0..3 {
                match Self::DIRECTIONS[i][axis] {
                    1 => (least, most) = (least + low[axis], most + high[axis]),
                    -1 => (least, most) = (least - high[axis], most - low[axis]),
                    _ => {}
                }
            }
            apart |= (self.low[i] > most + slack) | (least - slack > self.high[i]);
        }
        !apart
    }
}

impl<const N: usize> Overlap<Dop<N>> for Aabb {
    #[inline]
    fn overlaps(&self, other: &Dop<N>) -> bool {
        other.overlaps(self)
    }
}

impl<const N: usize, const M: usize> Apart<Dop<M>> for Dop<N> {
    /// The largest of the boxes' distance and the gaps along diagonals, over their length. A gap is a
    /// difference of two `f32`: one rounding.
    #[inline]
    fn distance_squared_to(&self, other: &Dop<M>) -> f64 {
        if N != M {
            return convex_apart(self, other);
        }
        let mut most = self.axes().distance_squared_to(&other.axes());
        for i in 3..N {
            let first = f64::from(other.low[i]) - f64::from(self.high[i]);
            let second = f64::from(self.low[i]) - f64::from(other.high[i]);
            let gap = first.max(second).max(0.0);
            most = most.max(never_above(gap * gap / Self::SQUARED[i]));
        }
        most
    }
}

impl<const N: usize> Apart<Dop<N>> for Aabb {
    #[inline]
    fn distance_squared_to(&self, other: &Dop<N>) -> f64 {
        convex_apart(self, other)
    }
}

impl<const N: usize> Apart<Aabb> for Dop<N> {
    #[inline]
    fn distance_squared_to(&self, other: &Aabb) -> f64 {
        convex_apart(self, other)
    }
}

by_support! { [const N: usize] Sphere, Dop<N> }

impl<const N: usize> RayEntry for Dop<N> {
    #[inline]
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        let near = self.axes().ray_entry(ray, until)?;
        if N == 3 {
            return Some(near);
        }
        let slab = |i: usize| {
            let normal = DVec3::from_array(Self::DIRECTIONS[i].map(f64::from));
            (normal, f64::from(self.low[i]), f64::from(self.high[i]))
        };
        let around = self.axes();
        let reach = f64::from(around.min.abs().max(around.max.abs()).max_element());
        // The maximum may have dropped a NaN, and with it the largest coordinate.
        let unknown = around.min.is_nan() || around.max.is_nan();
        let reach = if unknown { f64::INFINITY } else { reach };
        let cut = slabs_entry(ray, DVec3::ZERO, reach, (3..N).map(slab), until)?;
        Some(near.max(cut))
    }
}

impl<const N: usize> Volume for Dop<N> {
    #[inline]
    fn corners(&self) -> [DVec3; 2] {
        let Aabb { min, max } = self.axes();
        [min.as_dvec3(), max.as_dvec3()]
    }

    #[inline]
    fn bounding_box(&self) -> Aabb {
        self.axes()
    }

    /// As of two k-DOPs, with the error of the point's sums.
    #[inline]
    fn distance_squared_to_point(&self, point: DVec3) -> f64 {
        let along = Self::coordinates(point);
        let loss = 4.0 * f64::EPSILON * point.abs().element_sum();
        let mut most = self.axes().distance_squared_to_point(point);
        for (i, &along) in along.iter().enumerate().skip(3) {
            let below = f64::from(self.low[i]) - along;
            let gap = (below.max(along - f64::from(self.high[i])) - loss).max(0.0);
            most = most.max(never_above(gap * gap / Self::SQUARED[i]));
        }
        most
    }

    #[inline]
    fn point_error(&self) -> f64 {
        if N == 3 {
            return 0.0;
        }
        let around = self.axes();
        let largest = f64::from(around.min.abs().max(around.max.abs()).max_element());
        // Zero for a volume with a NaN, which is at no distance.
        COMPUTED_POINT_ERROR * largest.max(0.0)
    }
}

impl<const N: usize> Convex for Dop<N> {
    /// Along a sum of directions a_j n_j with a_j >= 0 no point has a larger coordinate than the sum
    /// of a_j times the largest along n_j.
    fn support(&self, direction: DVec3) -> f64 {
        let (mut sum, mut size) = (0.0, 0.0);
        for (i, factor) in cone::<N>(direction) {
            if factor == 0.0 {
                continue;
            }
            let along = f64::from(if factor > 0.0 { self.high[i] } else { self.low[i] });
            sum += factor * along;
            size += (factor * along).abs();
        }
        sum + F64_SLACK * size
    }

    fn directions(&self) -> impl Iterator<Item = DVec3> {
        Self::DIRECTIONS.into_iter().map(|d| DVec3::from_array(d.map(f64::from)))
    }
}

impl<const N: usize> Remember for Dop<N> {
    type Words = [u64; N];

    #[inline]
    fn to_words(self) -> [u64; N] {
        std::array::from_fn(|i| pack(self.low[i], self.high[i]))
    }

    #[inline]
    fn from_words(words: [u64; N]) -> Self {
        let both = words.map(|word| unpack(word, 0));
        Self { low: both.map(|row| row.x), high: both.map(|row| row.y) }
    }
}
