//! How a kind of volume is fitted and moved: what makes bounds of it.

use std::fmt::Debug;

use glam::{DVec3, Vec3, Vec3A, Vec4};

use super::sphere::nearest;
use super::{Aabb, Motion, Sphere, Volume};
use crate::memo::Remember;
use crate::numeric::{F32_SLACK, F64_SLACK, distance_up, round_up, smallest_ball_center};

/// How a kind of volume encloses points and others of its kind, how it is moved, and what that
/// costs.
///
/// A new kind of volume is one file that implements [`Volume`], [`Remember`] and this.
/// [`BottomUp`](crate::bound::BottomUp), [`RigidBounds`](crate::bound::RigidBounds) and
/// [`BoundedDeformation`](crate::bound::BoundedDeformation) then work for it, and so does every
/// query.
///
/// Guarantee that each implementation must give: what is returned contains what it is made from,
/// rounding included.
pub trait Fit: Volume + Remember {
    /// The volume that contains nothing. Merging it with another gives that one.
    const EMPTY: Self;

    /// The volume that contains every point.
    const EVERYWHERE: Self;

    /// What a test and a fit cost.
    const COST: UnitCost;

    /// A position in the form that fits need. A refit converts every vertex once and uses it in
    /// several triangles.
    type Point: Copy + Debug + Send + Sync;

    /// Converts a position.
    fn point(position: DVec3) -> Self::Point;

    /// Converts a position that is stored in `f32`.
    #[inline(always)]
    fn point_f32(position: Vec3) -> Self::Point {
        Self::point(position.as_dvec3())
    }

    /// Whether a refit is compiled once more for each wider set of instructions, and the processor's
    /// widest is used. Pays for short fits; results are the same bits.
    const WIDE: bool = false;

    /// A volume around points; [`Fit::EMPTY`] without points.
    fn fit_points(points: impl Iterator<Item = Self::Point> + Clone) -> Self;

    /// A volume around a triangle: [`Fit::fit_points`] of its corners, where nothing is faster.
    #[inline]
    fn fit_triangle(corners: [Self::Point; 3]) -> Self {
        Self::fit_points(corners.iter().copied())
    }

    /// A volume around two.
    fn fit_two(&self, other: &Self) -> Self;

    /// Given a volume around volumes of children, a volume around the points in them that may be
    /// smaller. For kinds where the two differ: see
    /// [`SphereForm::Wrapped`](crate::bound::SphereForm::Wrapped).
    #[inline]
    fn wrapped(&self, points: impl Iterator<Item = DVec3>) -> Self {
        let _ = points;
        *self
    }

    /// A volume at rest in the form that is displaced and moved: numbers that say where it is, and
    /// numbers that say how large it is.
    type Rest: Copy + Debug + Send + Sync;

    /// Prepares a volume for being moved.
    fn at_rest(&self) -> Self::Rest;

    /// A motion in the form in which this kind is moved.
    type Map: Clone + Debug + Send + Sync;

    /// Prepares a motion. A body does so once per state.
    fn map(motion: &Motion) -> Self::Map;

    /// A volume around the image of one at rest under a bounded motion. It contains the computed
    /// images of all `f64` points of that volume: [`Motion::allowance`] says what they may be off
    /// by.
    fn moved(rest: &Self::Rest, map: &Self::Map) -> Self;

    /// The rest form of a volume around points, or around displacements, for sums by
    /// [`Fit::add_scaled`] in which each term errs by a relative `rounding`.
    ///
    /// With c the numbers that say where it is and s those that say how large, s is enlarged to
    /// at least (s + rounding |c|) (1 + rounding). The computed place of a sum errs by at most
    /// `rounding` times the sum of the terms' |c|; the sum of the enlarged sizes contains that
    /// error and the error of its own.
    fn rest_around(points: &[DVec3], rounding: f64) -> Self::Rest;

    /// As [`Fit::rest_around`], for displacements that are added to a volume at rest. Kinds with axes
    /// of their own take those of the volume.
    #[inline]
    fn displaced_around(rest: &Self::Rest, displacements: &[DVec3], rounding: f64) -> Self::Rest {
        let _ = rest;
        Self::rest_around(displacements, rounding)
    }

    /// A factor in the form that [`Fit::add_scaled`] needs.
    type Factor: Copy + Debug + Send + Sync;

    /// Converts a factor.
    fn factor(factor: f32) -> Self::Factor;

    /// A factor times a volume. Places are multiplied by the factor, sizes by its magnitude.
    fn scaled(rest: &Self::Rest, factor: Self::Factor) -> Self::Rest;

    /// Adds a factor times a volume to a volume: the set of all p + factor * d with p in the one
    /// and d in the other. Places add with the factor, sizes with its magnitude.
    fn add_scaled(rest: &mut Self::Rest, displacements: &Self::Rest, factor: Self::Factor);
}

/// The cost of a volume in the cost function of hierarchies: a query costs
/// T = N_v C_v + N_p C_p + N_u C_u, with N_v overlap tests of volumes, N_p tests of primitives and
/// N_u volumes that are fitted anew (Gottschalk, Lin and Manocha 1996; the third term is that of
/// Klosowski et al. 1998). These are C_v and C_u, in arithmetic operations: additions,
/// multiplications, comparisons and roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitCost {
    /// C_v: an overlap test of two volumes of the kind.
    pub test: u32,
    /// C_u: fitting a volume around two of its kind.
    pub fit: u32,
}

impl UnitCost {
    /// N_v C_v + N_u C_u, in operations.
    #[must_use]
    pub const fn total(&self, tests: u64, fits: u64) -> u64 {
        tests * self.test as u64 + fits * self.fit as u64
    }
}

/// A box at rest as a motion needs it: its centre and half its sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CenteredBox {
    pub(crate) center: Vec3A,
    pub(crate) half: Vec3A,
}

impl Fit for Aabb {
    const EMPTY: Self = Self::EMPTY;
    const EVERYWHERE: Self = Self::EVERYWHERE;
    /// Six comparisons; six minima and maxima.
    const COST: UnitCost = UnitCost { test: 6, fit: 6 };

    /// A box around the position: a vertex is rounded once, its triangles are many.
    type Point = Self;

    #[inline(always)]
    fn point(position: DVec3) -> Self {
        Self::around_nearest_point(position.as_vec3a())
    }

    /// The position itself.
    #[inline(always)]
    fn point_f32(position: Vec3) -> Self {
        let point = Vec3A::from(position);
        Self { min: point, max: point }
    }

    const WIDE: bool = true;

    #[inline(always)]
    fn fit_points(points: impl Iterator<Item = Self> + Clone) -> Self {
        points.fold(Self::EMPTY, |all, point| all.merge(&point))
    }

    #[inline(always)]
    fn fit_triangle([a, b, c]: [Self; 3]) -> Self {
        a.merge(&b).merge(&c)
    }

    #[inline(always)]
    fn fit_two(&self, other: &Self) -> Self {
        self.merge(other)
    }

    type Rest = CenteredBox;
    type Map = Motion;

    #[inline]
    fn map(motion: &Motion) -> Motion {
        *motion
    }

    /// Half the sides grow by the roundings of centre and half.
    fn at_rest(&self) -> CenteredBox {
        let center = self.min * 0.5 + self.max * 0.5;
        let half = (self.max - center).max(center - self.min);
        CenteredBox { center, half: half * (1.0 + F32_SLACK) + f32::MIN_POSITIVE }
    }

    /// The box around the image of the box.
    ///
    /// Along an axis every corner of the image lies within |A| h of A c + t, with centre c and
    /// half sides h. In `f32` the entries of A, t, c and h, the products and the sums are rounded,
    /// at most ten times by 2^-24 of at most |A| (|c| + h) + |t|. The allowance covers that.
    #[inline]
    fn moved(rest: &CenteredBox, motion: &Motion) -> Self {
        let CenteredBox { center, half } = *rest;
        let allowance = Vec3A::splat(motion.allowance());
        let (center, reach) = if motion.turns() {
            let center = *motion.linear() * center + motion.translation();
            (center, *motion.spread() * half + allowance)
        } else {
            (center + motion.translation(), half + allowance)
        };
        Self { min: center - reach, max: center + reach }
    }

    fn rest_around(points: &[DVec3], rounding: f64) -> CenteredBox {
        let corners = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = points.iter().fold(corners, |all, &p| (all.0.min(p), all.1.max(p)));
        let center = nearest(min * 0.5 + max * 0.5);
        let exact = center.as_dvec3();
        let size = (max - exact).max(exact - min);
        let half = (size + exact.abs() * rounding) * ((1.0 + rounding) * (1.0 + F64_SLACK));
        let half = Vec3A::new(round_up(half.x), round_up(half.y), round_up(half.z));
        CenteredBox { center: center.into(), half }
    }

    /// The factor and its magnitude.
    type Factor = [f32; 2];

    #[inline(always)]
    fn factor(factor: f32) -> [f32; 2] {
        [factor, factor.abs()]
    }

    #[inline(always)]
    fn scaled(rest: &CenteredBox, [factor, size]: [f32; 2]) -> CenteredBox {
        CenteredBox { center: rest.center * factor, half: rest.half * size }
    }

    #[inline(always)]
    fn add_scaled(rest: &mut CenteredBox, displacements: &CenteredBox, [factor, size]: [f32; 2]) {
        rest.center += displacements.center * factor;
        rest.half += displacements.half * size;
    }
}

impl Fit for Sphere {
    const EMPTY: Self = Self::EMPTY;
    const EVERYWHERE: Self = Self::EVERYWHERE;
    /// The squared distance of the centres takes eight operations, the squared sum of the radii
    /// with its slack four, the comparisons two. A fit tests twice whether one contains the other
    /// (fourteen operations each), finds centre and radius (seventeen), and measures the radius
    /// from the rounded centre (twenty-two).
    const COST: UnitCost = UnitCost { test: 14, fit: 67 };

    type Point = DVec3;

    #[inline(always)]
    fn point(position: DVec3) -> DVec3 {
        position
    }

    /// Around the middle of the points' box.
    #[inline]
    fn fit_points(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let mut three = points.clone();
        if let (Some(a), Some(b), Some(c), None) =
            (three.next(), three.next(), three.next(), three.next())
        {
            return Self::around_triangle([a, b, c]);
        }
        let (min, max) = points
            .clone()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |all, p| (all.0.min(p), all.1.max(p)));
        Self::around(min * 0.5 + max * 0.5, points)
    }

    #[inline]
    fn fit_triangle(corners: [DVec3; 3]) -> Self {
        Self::around_triangle(corners)
    }

    #[inline]
    fn fit_two(&self, other: &Self) -> Self {
        self.merge(other)
    }

    /// The smallest sphere around the same centre (James and Pai 2004, section 3.1).
    fn wrapped(&self, points: impl Iterator<Item = DVec3>) -> Self {
        let own = Self::around(self.center.as_dvec3(), points);
        if own.radius < self.radius { own } else { *self }
    }

    /// (x, y, z, radius).
    type Rest = Vec4;
    type Map = Motion;

    #[inline]
    fn map(motion: &Motion) -> Motion {
        *motion
    }

    fn at_rest(&self) -> Vec4 {
        self.center.extend(self.radius)
    }

    /// The sphere around the image of the centre.
    ///
    /// The centre is moved in `f64` as vertices are; both err by a few 2^-53 of the magnitudes
    /// involved. Rounding the centre to `f32` costs 2^-24 of each of its coordinates, less than
    /// twice that as a length; the allowance is 2^-19 of the largest. Rounding the radius twice
    /// costs 2^-23 of itself, which is within the slack of the stretch.
    #[inline]
    fn moved(rest: &Vec4, motion: &Motion) -> Self {
        let (center, radius) = (rest.truncate(), rest.w);
        if !motion.moves() {
            return Self { center, radius: radius + motion.allowance() };
        }
        let center = motion.apply(center.as_dvec3()).as_vec3();
        Self { center, radius: radius * motion.stretch() + motion.allowance() }
    }

    /// Around the centre of the smallest ball.
    fn rest_around(points: &[DVec3], rounding: f64) -> Vec4 {
        rest_sphere(smallest_ball_center(points), points, rounding)
    }

    /// The factor three times, and its magnitude.
    type Factor = Vec4;

    #[inline(always)]
    fn factor(factor: f32) -> Vec4 {
        Vec4::new(factor, factor, factor, factor.abs())
    }

    #[inline(always)]
    fn scaled(rest: &Vec4, factor: Vec4) -> Vec4 {
        *rest * factor
    }

    #[inline(always)]
    fn add_scaled(rest: &mut Vec4, displacements: &Vec4, factor: Vec4) {
        *rest += *displacements * factor;
    }
}

/// As [`Fit::rest_around`], for a sphere with a given centre.
pub(crate) fn rest_sphere(center: DVec3, points: &[DVec3], rounding: f64) -> Vec4 {
    let center = nearest(center);
    let exact = center.as_dvec3();
    let size = points.iter().map(|&p| distance_up(p, exact)).fold(0.0, f64::max);
    let lost = rounding * distance_up(exact, DVec3::ZERO);
    center.extend(round_up((size + lost) * (1.0 + rounding) * (1.0 + F64_SLACK)))
}
