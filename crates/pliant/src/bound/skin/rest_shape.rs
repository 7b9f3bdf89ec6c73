//! The rest shape of a part: an oriented box and a ball with the same centre.

use glam::{DMat3, DVec3, Vec3A};

use crate::volume::round_up;

/// An oriented box and a ball with the same centre. Both contain the points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RestShape {
    pub(super) center: Vec3A,
    /// The half sides of the box: vectors from the centre to the middles of three faces.
    pub(super) half_sides: [Vec3A; 3],
    /// The radius of the ball: no point is farther from the centre.
    pub(super) radius: f32,
}

impl RestShape {
    /// Around points, with a box in a frame that suits them.
    ///
    /// Each point differs from the centre plus a sum of the half sides, with factors from -1 to 1, by
    /// at most 2^-20 of the radius: the frame is orthonormal to 2^-50, and rounding the
    /// half sides to `f32` costs 2^-24 of each component.
    pub(super) fn oriented(points: &[DVec3]) -> Self {
        let aligned = Fit::new(DMat3::IDENTITY, points);
        let oriented = Fit::new(frame(points), points);
        Self::fitted(&if oriented.area < aligned.area { oriented } else { aligned }, points)
    }

    /// Around points, with an axis-aligned box.
    pub(super) fn axis_aligned(points: &[DVec3]) -> Self {
        Self::fitted(&Fit::new(DMat3::IDENTITY, points), points)
    }

    fn fitted(fit: &Fit, points: &[DVec3]) -> Self {
        let center = fit.center.as_vec3a();
        // The box must contain the points around the centre as it is stored.
        let off = (fit.center - center.as_dvec3()).abs().element_sum();
        let side = |axis: usize| fit.axes.col(axis) * ((fit.half[axis] + off) * (1.0 + 1e-12));
        let half_sides = [0, 1, 2].map(|axis| side(axis).as_vec3a());
        Self { center, half_sides, radius: farthest(center, points) }
    }

    /// Around points, with a ball that is nearly the smallest. The box is a cube around it.
    pub(super) fn ball(points: &[DVec3]) -> Self {
        let mut center = Fit::new(DMat3::IDENTITY, points).center;
        // Each step towards the farthest point is shorter than the one before. After k steps the radius
        // is within 1/sqrt(k) of the smallest, and in practice much nearer (Bădoiu & Clarkson 2003).
        let steps = (400_000 / points.len().max(1)).clamp(32, 256);
        let mut best = (center, f64::INFINITY);
        for step in 1..=steps {
            let (far, square) = points
                .iter()
                .map(|&p| (p, p.distance_squared(center)))
                .fold((center, -1.0), |most, next| if next.1 > most.1 { next } else { most });
            if square < best.1 {
                best = (center, square);
            }
            center += (far - center) / (step as f64 + 1.0);
        }
        let center = best.0.as_vec3a();
        let radius = farthest(center, points);
        Self { center, half_sides: Vec3A::AXES.map(|axis| axis * radius), radius }
    }
}

/// The distance from the centre to the farthest point, rounded up.
fn farthest(center: Vec3A, points: &[DVec3]) -> f32 {
    let center = center.as_dvec3();
    let far = points.iter().map(|p| (*p - center).abs());
    // Squares of tiny numbers underflow. The sum of the components is then an upper bound.
    let length = |d: DVec3| if d.max_element() < 1e-150 { d.element_sum() } else { d.length() };
    round_up(far.map(length).fold(0.0, f64::max) * (1.0 + 1e-12))
}

/// A box around points along given axes.
struct Fit {
    axes: DMat3,
    center: DVec3,
    half: DVec3,
    area: f64,
}

impl Fit {
    fn new(axes: DMat3, points: &[DVec3]) -> Self {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let to_axes = axes.transpose();
        for &p in points {
            let along = to_axes * p;
            low = low.min(along);
            high = high.max(along);
        }
        let half = (high - low) * 0.5;
        let area = half.x * half.y + half.y * half.z + half.z * half.x;
        // Products with the axes err by a few 2^-53 of the coordinates.
        let slack = low.abs().max(high.abs()).element_sum() * 1e-15;
        Self { axes, center: axes * (low * 0.5 + high * 0.5), half: half + slack, area }
    }
}

/// The first axis is along the longest diameter of the points, the second along the longest one across it.
fn frame(points: &[DVec3]) -> DMat3 {
    let [Some(&first), ..] = [points.first()] else { return DMat3::IDENTITY };
    let far_from = |from: DVec3, flat: &dyn Fn(DVec3) -> DVec3| {
        let far = points.iter().map(|&p| (p, flat(p - from).length_squared()));
        far.fold((from, -1.0), |most, next| if next.1 > most.1 { next } else { most }).0
    };
    let one = far_from(first, &|d| d);
    let other = far_from(one, &|d| d);
    let Some(x) = (other - one).try_normalize() else { return DMat3::IDENTITY };
    let across = |d: DVec3| d - x * d.dot(x);
    let side = far_from(one, &across);
    let opposite = far_from(side, &across);
    let y = across(opposite - side).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
    // Orthogonalise again, as cancellation may have left a component along x. For points on a line
    // only rounding is left, which may be along x itself. Then any direction across x will do.
    let y = across(y).try_normalize().filter(|y| y.dot(x).abs() < 4.0 * f64::EPSILON);
    let y = y.unwrap_or_else(|| x.any_orthonormal_vector());
    let axes = DMat3::from_cols(x, y, x.cross(y));
    if axes.is_finite() { axes } else { DMat3::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_scenes::Random;

    /// Points on a line with decimal coordinates: what rounding leaves across the line is often along it.
    #[test]
    fn frames_of_points_in_a_line_are_orthonormal() {
        let mut random = Random::new(4);
        let mut decimal = |step: f64| (random.unit() * 20.0 - 10.0).floor() * step;
        for round in 0..20_000 {
            let step = [1.0, 0.1, 0.01, 0.001, 1e-20][round % 5];
            let mut point = || DVec3::new(decimal(step), decimal(step), decimal(step));
            let (first, way) = (point(), point());
            let points: Vec<DVec3> =
                (0..2 + round % 3).map(|k| first + way * (k as f64 / step)).collect();
            let axes = frame(&points);
            let off = axes.transpose() * axes - DMat3::IDENTITY;
            let most = off.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            assert!(most < 8.0 * f64::EPSILON, "{points:?}: {axes:?}");
        }
    }
}
