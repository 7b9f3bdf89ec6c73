//! How oriented boxes are fitted and moved.

use glam::{DMat3, DVec3, Mat3A, Vec3A};

use super::Obb;
use crate::numeric::{
    F32_RANGE, F32_SLACK, F64_SLACK, OBB_SLACK, length, principal_axes, round_up,
};
use crate::volume::sphere::nearest;
use crate::volume::{Fit, Motion, UnitCost};

/// A motion, prepared for oriented boxes: the rotation that carries their axes.
#[derive(Debug, Clone)]
pub struct ObbMap {
    motion: Motion,
    /// The transpose of an orthonormal matrix near the linear part.
    turn: Mat3A,
    /// Whether the linear part is that matrix, up to less than the rounding of `f32`.
    rigid: bool,
}

/// An orthonormal frame whose first axis is along `e`, with `f` in the plane of the first two. Axes for
/// which there is no direction are chosen.
fn frame(e: DVec3, f: DVec3) -> DMat3 {
    let unit = |v: DVec3| {
        let unit = v / length(v);
        if unit.is_finite() { unit.normalize_or_zero() } else { DVec3::ZERO }
    };
    let first = unit(e);
    let first = if first == DVec3::ZERO { DVec3::X } else { first };
    let normal = first.cross(unit(f));
    // Nearly parallel: the plane is not known.
    let normal = if normal.length_squared() > 1e-16 {
        // Twice, so that it is orthogonal to the last digits.
        let normal = normal.normalize();
        (normal - first * first.dot(normal)).normalize()
    } else {
        first.any_orthonormal_vector()
    };
    DMat3::from_cols(first, normal.cross(first), normal)
}

/// Half the surface of a box, over four.
fn area(half: DVec3) -> f64 {
    half.x * half.y + half.y * half.z + half.z * half.x
}

/// The smaller of two boxes.
fn smaller(a: Obb, b: Obb) -> Obb {
    if area(b.half.as_dvec3()) < area(a.half.as_dvec3()) { b } else { a }
}

fn up(v: DVec3) -> Vec3A {
    Vec3A::new(round_up(v.x), round_up(v.y), round_up(v.z))
}

/// Of so many points each is asked when frames are compared; of more, the extreme ones.
const FEW_POINTS: usize = 32;

/// The points that are farthest along the directions of a 26-DOP: axes, diagonals of faces and of the
/// cube.
fn extreme_points(points: &[DVec3]) -> Vec<DVec3> {
    let mut most = [(f64::NEG_INFINITY, DVec3::ZERO); 26];
    for &p in points {
        let DVec3 { x, y, z } = p;
        let (s, d) = (x + y, x - y);
        let along = [x, y, z, s, d, x + z, x - z, y + z, y - z, s + z, s - z, d + z, d - z];
        for (i, along) in along.into_iter().enumerate() {
            if along > most[i].0 {
                most[i] = (along, p);
            }
            if -along > most[13 + i].0 {
                most[13 + i] = (-along, p);
            }
        }
    }
    most.map(|(_, p)| p).to_vec()
}

/// The frame, among a few, whose box around points has the least surface: the axes given, the world's,
/// the principal axes, and those of three points far apart. Of many points the extreme ones decide.
fn best_frame(points: &[DVec3], given: DMat3) -> DMat3 {
    let extreme;
    let points = if points.len() > FEW_POINTS {
        extreme = extreme_points(points);
        &extreme[..]
    } else {
        points
    };
    let Some(&start) = points.first() else { return given };
    let size = points.iter().map(|p| (p - start).abs().max_element()).fold(0.0, f64::max);
    if !(size > 0.0 && size.is_finite()) {
        return given;
    }
    let points: Vec<DVec3> = points.iter().map(|&p| (p - start) / size).collect();
    let farthest = |far: &dyn Fn(DVec3) -> f64| {
        let farther = |best: (DVec3, f64), &p: &DVec3| {
            let distance = far(p);
            if distance > best.1 { (p, distance) } else { best }
        };
        points.iter().fold((DVec3::ZERO, f64::NEG_INFINITY), farther).0
    };
    let a = farthest(&|p| p.length_squared());
    let b = farthest(&|p| p.distance_squared(a));
    let along = (b - a).normalize_or_zero();
    let c = farthest(&|p| along.cross(p - a).length_squared());
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let [first, second, _] = principal_axes(points.iter().map(|&p| p - mean));
    let frames = [
        given,
        DMat3::IDENTITY,
        frame(first.0, second.0),
        frame(b - a, c - a),
        frame(c - a, b - a),
        frame(c - b, a - b),
    ];
    let surface = |axes: &DMat3| {
        let rows = axes.transpose();
        let corners = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = points.iter().fold(corners, |(min, max), &p| {
            let along = rows * p;
            (min.min(along), max.max(along))
        });
        area(max - min)
    };
    let mut best = (frames[0], surface(&frames[0]));
    for axes in &frames[1..] {
        let surface = surface(axes);
        if surface < best.1 {
            best = (*axes, surface);
        }
    }
    best.0
}

impl Obb {
    const CENTERED: Self = Self { center: Vec3A::ZERO, to_own: Mat3A::IDENTITY, half: Vec3A::ZERO };

    /// The box of the given axes, the columns of a frame, around points. The axes are rounded first, then
    /// the middle; the half sides are those of the axes and the middle as they are stored, so that the
    /// box contains the points whatever they became.
    fn around(axes: &DMat3, points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let Some(origin) = points.clone().next() else { return Self::EMPTY };
        let to_own = Mat3A::from(axes.transpose().as_mat3());
        let rows = to_own.as_dmat3();
        let (mut min, mut max, mut largest) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0_f64);
        for point in points {
            let along = rows * (point - origin);
            (min, max) = (min.min(along), max.max(along));
            largest = largest.max(point.abs().max_element());
        }
        // NaN was dropped by the maximum, but not by the minima and maxima of coordinates.
        let in_range = largest < F32_RANGE && min.is_finite() && max.is_finite();
        if !in_range {
            return Self::EVERYWHERE;
        }
        let center = nearest(origin + rows.transpose() * (min * 0.5 + max * 0.5));
        let from = center.as_dvec3() - origin;
        let middle = rows * from;
        // Differences, products and sums: five roundings of the points' and the middle's coordinates seen
        // from the origin. The former are at most twice those along the axes, summed.
        let size = 2.0 * min.abs().max(max.abs()).element_sum() + from.abs().element_sum();
        let half = (max - middle).max(middle - min) + F64_SLACK * size;
        Self { center: center.into(), to_own, half: up(half) }
    }

    /// The box of the given axes around boxes. Each reaches along an axis as far as `separated` says.
    fn around_boxes(to_own: Mat3A, boxes: [&Self; 2]) -> Self {
        let rows = to_own.as_dmat3();
        let origin = boxes[0].center.as_dvec3();
        let reach = |b: &Self| {
            let turned = rows * b.rows().transpose();
            let half = b.half.as_dvec3();
            let [x, y, z] = [turned.x_axis, turned.y_axis, turned.z_axis].map(DVec3::abs);
            x * half.x + y * half.y + z * half.z + f64::from(OBB_SLACK) * half.element_sum()
        };
        let reaches = boxes.map(reach);
        let along = boxes.map(|b| rows * (b.center.as_dvec3() - origin));
        let min = (along[0] - reaches[0]).min(along[1] - reaches[1]);
        let max = (along[0] + reaches[0]).max(along[1] + reaches[1]);
        let middle = origin + rows.transpose() * (min * 0.5 + max * 0.5);
        let made = Self { center: nearest(middle).into(), to_own, half: Vec3A::ZERO };
        let mut half = DVec3::ZERO;
        for (b, reach) in boxes.iter().zip(reaches) {
            let (own, error) = made.own(b.center.as_dvec3());
            half = half.max((own.abs() + error + reach) * (1.0 + F64_SLACK));
        }
        Self { half: up(half), ..made }
    }

    /// A box around points along the best of a few frames.
    fn fitted(points: &[DVec3]) -> Self {
        Self::around(&best_frame(points, DMat3::IDENTITY), points.iter().copied())
    }

    /// The axes, as columns.
    fn axes(&self) -> DMat3 {
        self.rows().transpose()
    }

    /// Enlarged for sums whose terms err by a relative `rounding` ([`Fit::rest_around`]). The middle's
    /// error along an axis is at most the sum of its coordinates' errors: entries are at most 1.
    fn enlarged(self, rounding: f64) -> Self {
        let lost = rounding * self.center.as_dvec3().abs().element_sum();
        let half = (self.half.as_dvec3() + lost) * ((1.0 + rounding) * (1.0 + F64_SLACK));
        Self { half: up(half), ..self }
    }
}

impl Fit for Obb {
    const EMPTY: Self = Self { half: Vec3A::NEG_INFINITY, ..Self::CENTERED };
    const EVERYWHERE: Self = Self { half: Vec3A::INFINITY, ..Self::CENTERED };
    /// Fifteen axes: products of the axes 45, their magnitudes 18, the distance 21, the first three
    /// axes 24, the next three 39, nine edges with 11 each. A fit tries three frames: per frame two
    /// boxes with 70 operations each, and 40 for the middle.
    const COST: UnitCost = UnitCost { test: 246, fit: 540 };

    type Point = DVec3;

    #[inline(always)]
    fn point(position: DVec3) -> DVec3 {
        position
    }

    fn fit_points(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let points: Vec<DVec3> = points.collect();
        match points[..] {
            [a, b, c] => Self::fit_triangle([a, b, c]),
            _ => Self::fitted(&points),
        }
    }

    /// Along its longest side, which gives the smallest rectangle around a triangle, and flat.
    fn fit_triangle([a, b, c]: [DVec3; 3]) -> Self {
        let longest = [(a, b, c), (b, c, a), (c, a, b)].into_iter().max_by(|p, q| {
            (p.1 - p.0).abs().max_element().total_cmp(&(q.1 - q.0).abs().max_element())
        });
        let (p, q, r) = longest.unwrap_or((a, b, c));
        Self::around(&frame(q - p, r - p), [a, b, c].into_iter())
    }

    /// The smallest of the boxes along the axes of either, and from middle to middle.
    fn fit_two(&self, other: &Self) -> Self {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        // NaN is not bounded.
        let bounded = |b: &Self| b.half.max_element() < f32::INFINITY && b.center.is_finite();
        if !(bounded(self) && bounded(other)) {
            return Self::EVERYWHERE;
        }
        let both = [self, other];
        let between = (other.center - self.center).as_dvec3();
        let (rows, half) = (self.axes(), self.half);
        let longest = if half.x >= half.y && half.x >= half.z {
            rows.x_axis
        } else if half.y >= half.z {
            rows.y_axis
        } else {
            rows.z_axis
        };
        let third = Mat3A::from(frame(between, longest).transpose().as_mat3());
        let best =
            smaller(Self::around_boxes(self.to_own, both), Self::around_boxes(other.to_own, both));
        smaller(best, Self::around_boxes(third, both))
    }

    /// Along the best of a few frames, its own axes among them.
    fn wrapped(&self, points: impl Iterator<Item = DVec3>) -> Self {
        let points: Vec<DVec3> = points.collect();
        // A triangle has its box.
        if points.len() <= 3 {
            return *self;
        }
        let axes = best_frame(&points, self.axes());
        smaller(*self, Self::around(&axes, points.iter().copied()))
    }

    type Rest = Self;

    fn at_rest(&self) -> Self {
        *self
    }

    type Map = ObbMap;

    fn map(motion: &Motion) -> ObbMap {
        let linear = motion.exact().matrix3;
        let turn = frame(linear.x_axis, linear.y_axis);
        let off = linear - turn;
        let off = [off.x_axis, off.y_axis, off.z_axis].map(|c| c.abs().max_element());
        // False for NaN.
        let rigid = off.iter().all(|&off| off < 1e-9);
        let turn = if turn.is_finite() { turn } else { DMat3::IDENTITY };
        ObbMap { motion: *motion, turn: Mat3A::from(turn.transpose().as_mat3()), rigid }
    }

    /// The box along the turned axes.
    ///
    /// The image of a point p is A p + t. Seen from the image of the middle it is A (p - c), and p - c is
    /// the sum of s_j a_j with |s_j| <= half_j up to 96w of their sum (`separated`). Along the turned
    /// axis a'_i it is the sum of s_j (a'_i . A a_j); if A is a rotation and a'_i = A a_i that is s_i.
    /// The turned axes are rounded: 12w each, times the length of A (p - c), which is at most the
    /// stretch times the sum of half sides; the products of the other case, less than 16w of the
    /// same. Together less than 256w. The allowance of the motion is along each axis of the world, and
    /// the coordinates of a unit vector sum to less than 2.
    fn moved(rest: &Self, map: &ObbMap) -> Self {
        let motion = &map.motion;
        let allowance = 2.0 * motion.allowance();
        if !motion.moves() {
            return Self { half: rest.half + allowance, ..*rest };
        }
        let center = motion.apply(rest.center.as_dvec3()).as_vec3a();
        if !motion.turns() {
            return Self { center, half: rest.half + allowance, ..*rest };
        }
        let sum = rest.half.element_sum() * motion.stretch();
        let slack = 8.0 * F32_SLACK * sum + allowance;
        let to_own = rest.to_own * map.turn;
        let half = if map.rigid {
            rest.half
        } else {
            let shape = to_own * *motion.linear() * rest.to_own.transpose();
            let [x, y, z] = [shape.x_axis.abs(), shape.y_axis.abs(), shape.z_axis.abs()];
            x * rest.half.x + y * rest.half.y + z * rest.half.z
        };
        Self { center, to_own, half: half + slack }
    }

    fn rest_around(points: &[DVec3], rounding: f64) -> Self {
        Self::fitted(points).enlarged(rounding)
    }

    /// Along the axes of the volume at rest: the box is carried by the mean motion, and grows along
    /// its own axes.
    fn displaced_around(rest: &Self, displacements: &[DVec3], rounding: f64) -> Self {
        Self::around(&rest.axes(), displacements.iter().copied()).enlarged(rounding)
    }

    type Factor = [f32; 2];

    #[inline(always)]
    fn factor(factor: f32) -> [f32; 2] {
        [factor, factor.abs()]
    }

    #[inline(always)]
    fn scaled(rest: &Self, [factor, size]: [f32; 2]) -> Self {
        Self { center: rest.center * factor, half: rest.half * size, ..*rest }
    }

    #[inline(always)]
    fn add_scaled(rest: &mut Self, displacements: &Self, [factor, size]: [f32; 2]) {
        rest.center += displacements.center * factor;
        rest.half += displacements.half * size;
    }
}
