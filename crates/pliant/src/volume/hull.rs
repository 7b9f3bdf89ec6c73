//! Hulls of few points, with a margin.

use std::array::from_fn;

use glam::{DVec3, Vec3, Vec3A};

use super::apart::never_above;
use super::convex::{Convex, by_support, convex_apart, convex_overlap, larger};
use super::sphere::nearest;
use super::{
    Aabb, Apart, Capsule, Dop, Dop26, Fit, Motion, Obb, Overlap, Ray, RayEntry, Sphere, UnitCost,
    Volume,
};
use crate::memo::{Remember, pack};
use crate::numeric::{
    COMPUTED_POINT_ERROR, F32_RANGE, F64_SLACK, length, round_up, smallest_ball_center,
};

/// How many vertices a hull has.
const VERTICES: usize = 16;

/// Steps towards the closest points before a test gives up and says yes.
const STEPS: usize = 16;

/// All points within a margin of the convex hull of sixteen points, some of which may coincide. The margin
/// is negative if there are none. A number that is NaN excludes nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hull {
    /// The points.
    pub vertices: [Vec3; VERTICES],
    /// How far the volume reaches beyond their hull.
    pub margin: f32,
}

/// A ball inside a hull that is to be fitted: a point, or a vertex of a hull with its margin.
type Inner = (DVec3, f64);

impl Hull {
    /// At least the distance of a point to the hull of the vertices, or something that is not above `enough`.
    ///
    /// It is the distance to a point of the hull, which is never less. Gilbert's method (1966) moves that
    /// point towards the vertex that is farthest the other way, as long as it comes closer. All is seen
    /// from the point; sums of vertices err by a few roundings of the farthest.
    fn distance_up(&self, point: DVec3, enough: f64) -> f64 {
        let seen = self.vertices.map(|v| v.as_dvec3() - point);
        let size = seen.iter().map(|v| v.abs().element_sum()).fold(0.0, larger);
        // From the nearest vertex: most points that are asked for are vertices, or beside one.
        let nearer =
            |p: DVec3, &q: &DVec3| if q.length_squared() < p.length_squared() { q } else { p };
        let mut at = seen.iter().fold(seen[0], nearer);
        let distance = |at: DVec3| length(at) * (1.0 + F64_SLACK) + F64_SLACK * size;
        for _ in 0..2 * STEPS {
            if distance(at) <= enough {
                break;
            }
            let ahead = |v: &&DVec3| at.dot(**v);
            let best = seen.iter().min_by(|v, w| ahead(v).total_cmp(&ahead(w)));
            let way = at - best.copied().unwrap_or(at);
            let step = at.dot(way) / way.length_squared();
            // NaN where there is no way.
            if step.is_nan() || step <= 1e-6 {
                break;
            }
            at -= way * step.min(1.0);
        }
        distance(at)
    }

    /// Whether a point certainly lies outside the box of the volume, or beyond it along the way to its
    /// middle.
    #[must_use]
    pub fn excludes_point(&self, point: DVec3) -> bool {
        let outside = |n: DVec3| {
            let size = point.abs().dot(n.abs());
            n.dot(point) - F64_SLACK * size > self.support(n)
        };
        let away = point - self.middle();
        Dop26::DIRECTIONS.into_iter().any(|d| {
            let n = DVec3::from_array(d.map(f64::from));
            outside(n) || outside(-n)
        }) || outside(away / away.abs().max_element())
    }

    fn middle(&self) -> DVec3 {
        self.vertices.iter().map(|v| v.as_dvec3()).sum::<DVec3>() / VERTICES as f64
    }

    /// The hull of the balls that are farthest along sixteen directions. The margin is measured from the
    /// vertices as they were rounded, so that all balls are inside.
    fn around_balls(balls: &[Inner]) -> Self {
        let Some(&(start, _)) = balls.first() else { return Self::EMPTY };
        let size = |all: f64, &(p, own): &Inner| larger(all, p.abs().max_element() + own);
        // NaN is out of range.
        let in_range = balls.iter().fold(0.0, size) < F32_RANGE;
        if !in_range {
            return Self::EVERYWHERE;
        }
        let vertices = from_fn(|i| {
            if balls.len() <= VERTICES {
                return nearest(balls.get(i).map_or(start, |ball| ball.0));
            }
            let direction = DVec3::from_array(Dop26::DIRECTIONS[i / 2].map(f64::from));
            let direction = if i % 2 == 0 { direction } else { -direction };
            let far = |&&(p, own): &&Inner| direction.dot(p - start) + own;
            let best = balls.iter().max_by(|p, q| far(p).total_cmp(&far(q)));
            nearest(best.map_or(start, |ball| ball.0))
        });
        let made = Self { vertices, margin: 0.0 };
        let margin = balls.iter().fold(0.0, |most, &(p, own)| {
            larger(most, (made.distance_up(p, most - own) + own) * (1.0 + F64_SLACK))
        });
        Self { margin: round_up(margin), ..made }
    }

    fn around_points(points: impl Iterator<Item = DVec3>) -> Self {
        let balls: Vec<Inner> = points.map(|p| (p, 0.0)).collect();
        Self::around_balls(&balls)
    }

    /// How far apart two hulls are, at least; not positive, or NaN, if that is not known. Once it is
    /// above `enough` it may be less than it could.
    ///
    /// Whatever the direction n: if all of one lies beyond all of the other along n by a gap, then their
    /// distance is at least the gap over |n|. The directions are those of Gilbert's method on the
    /// difference of the two, the first part of Gilbert, Johnson and Keerthi (1988). However they were
    /// rounded, each gap is right: dot products err by less than 8 roundings of |n| times the coordinates, seen
    /// from the first vertex.
    fn gap(&self, other: &Self, enough: f64) -> f64 {
        let origin = self.vertices[0].as_dvec3();
        let seen = |hull: &Self| hull.vertices.map(|v| v.as_dvec3() - origin);
        let (first, second) = (seen(self), seen(other));
        let size = first.iter().chain(&second).fold(DVec3::ZERO, |all, v| all.max(v.abs()));
        let margin = (f64::from(self.margin) + f64::from(other.margin)) * (1.0 + F64_SLACK);
        let mut apart = other.middle() - self.middle();
        let mut best = f64::NEG_INFINITY;
        for _ in 0..STEPS {
            let extreme = |points: &[DVec3; VERTICES], sign: f64| {
                let mut found = (points[0], sign * apart.dot(points[0]));
                for &p in &points[1..] {
                    let along = sign * apart.dot(p);
                    if along > found.1 || found.1.is_nan() {
                        found = (p, along);
                    }
                }
                found
            };
            let ((top, most), (bottom, least)) = (extreme(&first, 1.0), extreme(&second, -1.0));
            let slack = F64_SLACK * apart.abs().dot(size);
            let gap = (-(most + least) - slack) / (apart.length() * (1.0 + F64_SLACK)) - margin;
            best = best.max(gap);
            if best > enough {
                break;
            }
            let way = apart - (bottom - top);
            let step = apart.dot(way) / way.length_squared();
            if step.is_nan() || step <= 1e-6 {
                break;
            }
            apart -= way * step.min(1.0);
        }
        best
    }

    /// Enlarged for sums whose terms err by a relative `rounding` ([`Fit::rest_around`]).
    fn enlarged(self, rounding: f64) -> Self {
        let sizes = self.vertices.iter().map(|v| v.as_dvec3().abs().element_sum());
        let lost = rounding * sizes.fold(0.0, f64::max);
        let margin = (f64::from(self.margin) + lost) * (1.0 + rounding) * (1.0 + F64_SLACK);
        Self { margin: round_up(margin), ..self }
    }

    fn is_unknown(&self) -> bool {
        self.margin.is_nan() || self.vertices.iter().any(|v| v.is_nan())
    }
}

impl Overlap<Hull> for Hull {
    fn overlaps(&self, other: &Hull) -> bool {
        let empty = (self.margin < 0.0) | (other.margin < 0.0);
        let boxes = self.bounding_box().overlaps(&other.bounding_box());
        let unknown = self.is_unknown() || other.is_unknown();
        let apart = || self.gap(other, 0.0) > 0.0;
        !empty && boxes && (unknown || !apart())
    }
}

impl Apart<Hull> for Hull {
    fn distance_squared_to(&self, other: &Hull) -> f64 {
        if self.margin < 0.0 || other.margin < 0.0 {
            return never_above(f64::MAX);
        }
        if self.is_unknown() || other.is_unknown() {
            return 0.0;
        }
        never_above(self.gap(other, f64::INFINITY).max(0.0).powi(2))
    }
}

impl Overlap<Aabb> for Hull {
    fn overlaps(&self, other: &Aabb) -> bool {
        self.bounding_box().overlaps(other) && convex_overlap(self, other)
    }
}

impl Overlap<Hull> for Aabb {
    fn overlaps(&self, other: &Hull) -> bool {
        other.overlaps(self)
    }
}

impl Apart<Aabb> for Hull {
    fn distance_squared_to(&self, other: &Aabb) -> f64 {
        convex_apart(self, other)
    }
}

impl Apart<Hull> for Aabb {
    fn distance_squared_to(&self, other: &Hull) -> f64 {
        convex_apart(self, other)
    }
}

by_support! {
    [] Sphere, Hull;
    [const N: usize] Dop<N>, Hull;
    [] Obb, Hull;
    [] Capsule, Hull;
}

impl RayEntry for Hull {
    /// That of its box.
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        if self.margin < 0.0 { None } else { self.bounding_box().ray_entry(ray, until) }
    }
}

impl Volume for Hull {
    fn corners(&self) -> [DVec3; 2] {
        if self.is_unknown() {
            return [DVec3::NAN; 2];
        }
        let all = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (min, max) = self.vertices.iter().fold(all, |all, &v| (all.0.min(v), all.1.max(v)));
        let (min, max) = (min.as_dvec3(), max.as_dvec3());
        let reach = f64::from(self.margin);
        let slack = F64_SLACK * (min.abs().max(max.abs()) + reach.abs());
        [min - reach - slack, max + reach + slack]
    }

    fn point_error(&self) -> f64 {
        let [min, max] = self.corners();
        COMPUTED_POINT_ERROR * min.abs().max(max.abs()).max_element().max(0.0)
    }
}

impl Convex for Hull {
    fn support(&self, direction: DVec3) -> f64 {
        if self.margin < 0.0 {
            return f64::NEG_INFINITY;
        }
        let reach = f64::from(self.margin) * length(direction);
        self.vertices.iter().fold(f64::NEG_INFINITY, |most, v| {
            let v = v.as_dvec3();
            let size = v.abs().dot(direction.abs()) + reach;
            larger(most, v.dot(direction) + reach + F64_SLACK * size)
        })
    }

    fn directions(&self) -> impl Iterator<Item = DVec3> {
        std::iter::empty()
    }
}

impl Fit for Hull {
    const EMPTY: Self = Self { vertices: [Vec3::ZERO; VERTICES], margin: -1.0 };
    const EVERYWHERE: Self = Self { vertices: [Vec3::ZERO; VERTICES], margin: f32::INFINITY };
    /// A step of a test takes 32 dot products and comparisons, 6 operations each, and 40 others; about four
    /// steps decide. A fit chooses 16 of 32 vertices and measures the others, some ten steps
    /// each.
    const COST: UnitCost = UnitCost { test: 930, fit: 18_000 };

    type Point = DVec3;

    #[inline(always)]
    fn point(position: DVec3) -> DVec3 {
        position
    }

    fn fit_points(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        Self::around_points(points)
    }

    fn fit_two(&self, other: &Self) -> Self {
        if self.margin < 0.0 {
            return *other;
        }
        if other.margin < 0.0 {
            return *self;
        }
        let ball = |hull: &Self, i: usize| (hull.vertices[i].as_dvec3(), f64::from(hull.margin));
        let balls: [Inner; 2 * VERTICES] = from_fn(|i| match i.checked_sub(VERTICES) {
            None => ball(self, i),
            Some(i) => ball(other, i),
        });
        Self::around_balls(&balls)
    }

    /// The one around the points, if its margin is smaller.
    fn wrapped(&self, points: impl Iterator<Item = DVec3>) -> Self {
        let own = Self::around_points(points);
        if own.margin < self.margin { own } else { *self }
    }

    type Rest = Self;

    fn at_rest(&self) -> Self {
        *self
    }

    type Map = Motion;

    fn map(motion: &Motion) -> Motion {
        *motion
    }

    /// The hull of the images, and the margin times the stretch. The image of a hull is the hull of the
    /// images; in `f32` each errs per axis by ten roundings at most, which the allowance covers, and a
    /// length by less than twice that.
    fn moved(rest: &Self, motion: &Motion) -> Self {
        let allowance = 2.0 * motion.allowance();
        if !motion.moves() {
            return Self { margin: rest.margin + allowance, ..*rest };
        }
        let (linear, shift) = (*motion.linear(), motion.translation());
        let vertices = rest.vertices.map(|v| Vec3::from(linear * Vec3A::from(v) + shift));
        Self { vertices, margin: rest.margin * motion.stretch() + allowance }
    }

    fn rest_around(points: &[DVec3], rounding: f64) -> Self {
        Self::around_points(points.iter().copied()).enlarged(rounding)
    }

    /// A ball: the vertices move alike.
    fn displaced_around(_: &Self, displacements: &[DVec3], rounding: f64) -> Self {
        let center = nearest(smallest_ball_center(displacements));
        let made = Self { vertices: [center; VERTICES], margin: 0.0 };
        let far = |&p: &DVec3| made.distance_up(p, 0.0);
        let margin = round_up(displacements.iter().map(far).fold(0.0, f64::max));
        Self { margin, ..made }.enlarged(rounding)
    }

    type Factor = [f32; 2];

    #[inline(always)]
    fn factor(factor: f32) -> [f32; 2] {
        [factor, factor.abs()]
    }

    fn scaled(rest: &Self, [factor, size]: [f32; 2]) -> Self {
        Self { vertices: rest.vertices.map(|v| v * factor), margin: rest.margin * size }
    }

    fn add_scaled(rest: &mut Self, displacements: &Self, [factor, size]: [f32; 2]) {
        for (vertex, by) in rest.vertices.iter_mut().zip(&displacements.vertices) {
            *vertex += *by * factor;
        }
        rest.margin += displacements.margin * size;
    }
}

/// Coordinates and margin, two per word.
const WORDS: usize = (3 * VERTICES + 1).div_ceil(2);

impl Remember for Hull {
    type Words = [u64; WORDS];

    fn to_words(self) -> [u64; WORDS] {
        let number = |i: usize| match i / 3 {
            vertex if vertex < VERTICES => self.vertices[vertex][i % 3],
            _ if i == 3 * VERTICES => self.margin,
            _ => 0.0,
        };
        from_fn(|i| pack(number(2 * i), number(2 * i + 1)))
    }

    fn from_words(words: [u64; WORDS]) -> Self {
        let number = |i: usize| f32::from_bits((words[i / 2] >> (32 * (i % 2))) as u32);
        Self {
            vertices: from_fn(|v| Vec3::new(number(3 * v), number(3 * v + 1), number(3 * v + 2))),
            margin: number(3 * VERTICES),
        }
    }
}
