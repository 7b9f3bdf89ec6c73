//! Capsules: spheres swept along a segment.

use glam::{DVec3, Vec3};

use super::apart::never_above;
use super::convex::{Convex, by_support, convex_apart, convex_overlap, larger};
use super::sphere::nearest;
use super::{Aabb, Apart, Dop, Fit, Motion, Obb, Overlap, Ray, RayEntry, Sphere, UnitCost, Volume};
use crate::memo::{Remember, pack, unpack};
use crate::numeric::{
    COMPUTED_POINT_ERROR, F32_RANGE, F64_SLACK, length, principal_axes, round_up,
    smallest_ball_center,
};

/// All points within a radius of a segment. The radius is negative if there are none. A number that is
/// NaN excludes nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    /// Where the segment starts.
    pub start: Vec3,
    /// Where it ends.
    pub end: Vec3,
    /// The radius.
    pub radius: f32,
}

/// A ball inside a capsule that is to be fitted: a point, or an end of a capsule.
type Inner = (DVec3, f64);

impl Capsule {
    /// At least the distance of a point to the segment: that to a point near the closest one, and what
    /// lies between that point and the segment by rounding.
    fn distance_up(&self, point: DVec3) -> f64 {
        let start = self.start.as_dvec3();
        let (from, along) = (point - start, self.end.as_dvec3() - start);
        let at = from.dot(along) / along.length_squared();
        // Zero for NaN, as of a segment that is a point.
        let at = if at > 0.0 { at.min(1.0) } else { 0.0 };
        let size = from.abs().element_sum() + along.abs().element_sum();
        length(from - along * at) * (1.0 + F64_SLACK) + F64_SLACK * size
    }

    /// Whether a point certainly lies outside.
    #[must_use]
    pub fn excludes_point(&self, point: DVec3) -> bool {
        let size = (point - self.start.as_dvec3()).abs().element_sum()
            + (point - self.end.as_dvec3()).abs().element_sum();
        self.distance_up(point) * (1.0 - 2.0 * F64_SLACK) - 2.0 * F64_SLACK * size
            > f64::from(self.radius)
    }

    /// A capsule along a line through a point around balls.
    ///
    /// With r the largest distance of a ball from the line, radius included, each ball allows the ends to be
    /// as far inside as its sphere of radius r reaches. The radius is measured from the ends as they
    /// were rounded: a capsule is convex, so it contains what its balls span.
    fn along(through: DVec3, direction: DVec3, balls: &[Inner]) -> Self {
        let place = |p: DVec3| (p - through).dot(direction);
        let aside = |p: DVec3| (p - through - direction * place(p)).length();
        let widest = balls.iter().map(|&(p, own)| aside(p) + own).fold(0.0, f64::max);
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        for &(p, own) in balls {
            let slack = ((widest - own).powi(2) - aside(p).powi(2)).max(0.0).sqrt();
            first = first.min(place(p) + slack);
            last = last.max(place(p) - slack);
        }
        if first > last {
            (first, last) = (0.5 * (first + last), 0.5 * (first + last));
        }
        let [start, end] = [first, last].map(|at| nearest(through + direction * at));
        let made = Self { start, end, radius: 0.0 };
        let reach = |&(p, own): &Inner| (made.distance_up(p) + own) * (1.0 + F64_SLACK);
        Self { radius: round_up(balls.iter().map(reach).fold(0.0, f64::max)), ..made }
    }

    /// The smaller of the capsules along the line of the farthest balls and along the principal axis.
    fn around_balls(balls: &[Inner]) -> Self {
        let Some(&(start, _)) = balls.first() else { return Self::EMPTY };
        let largest = |all: f64, &(p, own): &Inner| larger(all, p.abs().max_element() + own);
        // NaN is out of range.
        let in_range = balls.iter().fold(0.0, largest) < F32_RANGE;
        if !in_range {
            return Self::EVERYWHERE;
        }
        let farthest = |from: DVec3| {
            let far = |ball: &&Inner| (ball.0 - from).abs().max_element() + ball.1;
            balls.iter().max_by(|a, b| far(a).total_cmp(&far(b))).map_or(start, |ball| ball.0)
        };
        let a = farthest(start);
        let b = farthest(a);
        let size = (b - a).abs().max_element();
        let unit = |v: DVec3| v.normalize_or(DVec3::X);
        // Scaled, so that squares stay in range.
        let scaled = |p: DVec3| if size > 0.0 { (p - a) / size } else { DVec3::ZERO };
        let first = Self::along(a, unit(scaled(b)), balls);
        let mean = balls.iter().map(|&(p, _)| scaled(p)).sum::<DVec3>() / balls.len() as f64;
        let [(axis, _), ..] = principal_axes(balls.iter().map(|&(p, _)| scaled(p) - mean));
        let second = Self::along(a + mean * size, unit(axis), balls);
        if second.area() < first.area() { second } else { first }
    }

    /// The surface over 2 pi.
    fn area(&self) -> f64 {
        let radius = f64::from(self.radius);
        radius * ((self.end - self.start).as_dvec3().length() + 2.0 * radius)
    }

    fn balls(&self) -> [Inner; 2] {
        [self.start, self.end].map(|p| (p.as_dvec3(), f64::from(self.radius)))
    }

    /// How far apart two capsules are, at least; negative or NaN if that is not known.
    ///
    /// Whatever the direction n: if all of one segment lies beyond all of the other along n by a gap,
    /// then their distance is at least the gap over |n|. The best n is between the closest points, which
    /// Ericson's method computes (Real-Time Collision Detection, 5.1.9). It need not be exact: rounding
    /// makes the gap smaller, not wrong. The dot products err by less than 8 roundings of |n| times the
    /// coordinates, seen from the first start.
    #[inline]
    fn gap(&self, other: &Self) -> f64 {
        let origin = self.start.as_dvec3();
        let first = self.end.as_dvec3() - origin;
        let start = other.start.as_dvec3() - origin;
        let end = other.end.as_dvec3() - origin;
        let second = end - start;
        let (a, e) = (first.length_squared(), second.length_squared());
        let (b, c, f) = (first.dot(second), -first.dot(start), -second.dot(start));
        let clamp = |x: f64| if x > 0.0 { x.min(1.0) } else { 0.0 };
        let s = clamp((b * f - c * e) / (a * e - b * b));
        let t = (b * s + f) / e;
        let (s, t) = if t > 0.0 && t < 1.0 {
            (s, t)
        } else if t >= 1.0 {
            (clamp((b - c) / a), 1.0)
        } else {
            (clamp(-c / a), 0.0)
        };
        let n = start + second * t - first * s;
        let least = n.dot(start).min(n.dot(end));
        let most = n.dot(first).max(0.0);
        let size = first.abs().max(start.abs()).max(end.abs());
        let slack = F64_SLACK * n.abs().dot(size);
        let reach = (f64::from(self.radius) + f64::from(other.radius)) * (1.0 + F64_SLACK);
        ((least - most) - slack) / (n.length() * (1.0 + F64_SLACK)) - reach
    }
}

impl Overlap<Capsule> for Capsule {
    #[inline]
    fn overlaps(&self, other: &Capsule) -> bool {
        let empty = (self.radius < 0.0) | (other.radius < 0.0);
        !(empty || self.gap(other) > 0.0)
    }
}

impl Apart<Capsule> for Capsule {
    fn distance_squared_to(&self, other: &Capsule) -> f64 {
        if self.radius < 0.0 || other.radius < 0.0 {
            return never_above(f64::MAX);
        }
        // `max` turns NaN into zero.
        never_above(self.gap(other).max(0.0).powi(2))
    }
}

impl Overlap<Aabb> for Capsule {
    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        self.bounding_box().overlaps(other) && convex_overlap(self, other)
    }
}

impl Overlap<Capsule> for Aabb {
    #[inline]
    fn overlaps(&self, other: &Capsule) -> bool {
        other.overlaps(self)
    }
}

impl Apart<Aabb> for Capsule {
    fn distance_squared_to(&self, other: &Aabb) -> f64 {
        convex_apart(self, other)
    }
}

impl Apart<Capsule> for Aabb {
    fn distance_squared_to(&self, other: &Capsule) -> f64 {
        convex_apart(self, other)
    }
}

by_support! {
    [] Sphere, Capsule;
    [const N: usize] Dop<N>, Capsule;
    [] Obb, Capsule;
}

impl RayEntry for Capsule {
    /// That of its box.
    #[inline]
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        if self.radius < 0.0 { None } else { self.bounding_box().ray_entry(ray, until) }
    }
}

impl Volume for Capsule {
    fn corners(&self) -> [DVec3; 2] {
        let (start, end) = (self.start.as_dvec3(), self.end.as_dvec3());
        if start.is_nan() || end.is_nan() {
            return [DVec3::NAN; 2];
        }
        let reach = f64::from(self.radius);
        let slack = F64_SLACK * (start.abs().max(end.abs()) + reach.abs());
        [start.min(end) - reach - slack, start.max(end) + reach + slack]
    }

    fn distance_squared_to_point(&self, point: DVec3) -> f64 {
        let seen = |p: Vec3| p.as_dvec3() - point;
        // The gap to the origin, with the segment seen from the point.
        let (start, end) = (seen(self.start), seen(self.end));
        let along = end - start;
        let t = -start.dot(along) / along.length_squared();
        let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
        let n = start + along * t;
        let slack = F64_SLACK * n.abs().dot(start.abs().max(end.abs()));
        let gap = (n.dot(start).min(n.dot(end)) - slack) / (n.length() * (1.0 + F64_SLACK));
        let reach = f64::from(self.radius) * (1.0 + F64_SLACK);
        never_above((gap - reach).max(0.0).powi(2))
    }

    fn point_error(&self) -> f64 {
        let [min, max] = self.corners();
        COMPUTED_POINT_ERROR * min.abs().max(max.abs()).max_element().max(0.0)
    }
}

impl Convex for Capsule {
    fn support(&self, direction: DVec3) -> f64 {
        if self.radius < 0.0 {
            return f64::NEG_INFINITY;
        }
        let (start, end) = (self.start.as_dvec3(), self.end.as_dvec3());
        let (first, second) = (start.dot(direction), end.dot(direction));
        let reach = f64::from(self.radius) * length(direction);
        let size = start.abs().max(end.abs()).dot(direction.abs()) + reach;
        larger(first, second) + reach + F64_SLACK * size
    }

    fn directions(&self) -> impl Iterator<Item = DVec3> {
        let along = (self.end - self.start).as_dvec3();
        std::iter::once(along / along.abs().max_element())
    }
}

impl Fit for Capsule {
    const EMPTY: Self = Self { start: Vec3::ZERO, end: Vec3::ZERO, radius: -1.0 };
    const EVERYWHERE: Self = Self { start: Vec3::ZERO, end: Vec3::ZERO, radius: f32::INFINITY };
    /// Differences and products of two segments take 45 operations, their closest points 20, the gap
    /// along the way between them 45. A fit tries two lines around four balls, about 60 each per line.
    const COST: UnitCost = UnitCost { test: 110, fit: 480 };

    type Point = DVec3;

    #[inline(always)]
    fn point(position: DVec3) -> DVec3 {
        position
    }

    fn fit_points(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let balls: Vec<Inner> = points.map(|p| (p, 0.0)).collect();
        Self::around_balls(&balls)
    }

    fn fit_triangle(corners: [DVec3; 3]) -> Self {
        Self::around_balls(&corners.map(|p| (p, 0.0)))
    }

    fn fit_two(&self, other: &Self) -> Self {
        if self.radius < 0.0 {
            return *other;
        }
        if other.radius < 0.0 {
            return *self;
        }
        let [[a, b], [c, d]] = [self.balls(), other.balls()];
        Self::around_balls(&[a, b, c, d])
    }

    /// The smaller of this one and one around the points.
    fn wrapped(&self, points: impl Iterator<Item = DVec3>) -> Self {
        let balls: Vec<Inner> = points.map(|p| (p, 0.0)).collect();
        let own = Self::around_balls(&balls);
        if own.area() < self.area() { own } else { *self }
    }

    type Rest = Self;

    fn at_rest(&self) -> Self {
        *self
    }

    type Map = Motion;

    fn map(motion: &Motion) -> Motion {
        *motion
    }

    /// The image of a segment is a segment, and no length grows by more than the stretch. The rest is as
    /// for a sphere, at both ends.
    fn moved(rest: &Self, motion: &Motion) -> Self {
        if !motion.moves() {
            return Self { radius: rest.radius + motion.allowance(), ..*rest };
        }
        let [start, end] = [rest.start, rest.end].map(|p| motion.apply(p.as_dvec3()).as_vec3());
        Self { start, end, radius: rest.radius * motion.stretch() + motion.allowance() }
    }

    fn rest_around(points: &[DVec3], rounding: f64) -> Self {
        let balls: Vec<Inner> = points.iter().map(|&p| (p, 0.0)).collect();
        Self::around_balls(&balls).enlarged(rounding)
    }

    /// A ball: the ends move alike.
    fn displaced_around(_: &Self, displacements: &[DVec3], rounding: f64) -> Self {
        let center = nearest(smallest_ball_center(displacements));
        let made = Self { start: center, end: center, radius: 0.0 };
        let reach = displacements.iter().map(|&p| made.distance_up(p)).fold(0.0, f64::max);
        Self { radius: round_up(reach), ..made }.enlarged(rounding)
    }

    type Factor = [f32; 2];

    #[inline(always)]
    fn factor(factor: f32) -> [f32; 2] {
        [factor, factor.abs()]
    }

    #[inline(always)]
    fn scaled(rest: &Self, [factor, size]: [f32; 2]) -> Self {
        let (start, end) = (rest.start * factor, rest.end * factor);
        Self { start, end, radius: rest.radius * size }
    }

    #[inline(always)]
    fn add_scaled(rest: &mut Self, displacements: &Self, [factor, size]: [f32; 2]) {
        rest.start += displacements.start * factor;
        rest.end += displacements.end * factor;
        rest.radius += displacements.radius * size;
    }
}

impl Capsule {
    /// Enlarged for sums whose terms err by a relative `rounding` ([`Fit::rest_around`]).
    fn enlarged(self, rounding: f64) -> Self {
        let farthest = self.start.as_dvec3().abs().max(self.end.as_dvec3().abs());
        let lost = rounding * farthest.element_sum();
        let radius = (f64::from(self.radius) + lost) * (1.0 + rounding) * (1.0 + F64_SLACK);
        Self { radius: round_up(radius), ..self }
    }
}

impl Remember for Capsule {
    type Words = [u64; 4];

    fn to_words(self) -> [u64; 4] {
        let Self { start: a, end: b, radius } = self;
        [pack(a.x, a.y), pack(a.z, b.x), pack(b.y, b.z), pack(radius, 0.0)]
    }

    fn from_words([a, b, c, d]: [u64; 4]) -> Self {
        let (first, second) = (unpack(a, b), unpack(c, d));
        Self {
            start: first.truncate(),
            end: Vec3::new(first.w, second.x, second.y),
            radius: second.z,
        }
    }
}
