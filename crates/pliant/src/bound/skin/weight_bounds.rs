//! Weight bounds: how the weight of each joint varies within a part.
//!
//! Weights are painted to vary smoothly, so within a part of a few triangles a weight is nearly an affine
//! function of the rest position. Where it is, a bound need not allow for all combinations of weight and
//! position, only for the residuals of the affine function.

use glam::{DMat3, DVec3, Vec3};

use super::rest_shape::RestShape;
use super::tuning::{GRADIENT_DAMPING, GRADIENT_RADII, MAX_RESIDUAL};
use crate::volume::round_up;

/// Bounds of one joint's weight in the vertices of a part.
///
/// A vertex at the rest shape's centre plus e has a weight within `deviation` of `mean`, and within
/// `residual` of `mean` + `gradient`·e. At the rim, where |e| is the radius r, the weight is within
/// `rim_residual` of the latter; inside, within `rim_residual` + 1 - |e| / r.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WeightBounds {
    pub(super) joint: u32,
    pub(super) mean: f32,
    pub(super) deviation: f32,
    pub(super) residual: f32,
    pub(super) rim_residual: f32,
    pub(super) gradient: Vec3,
}

impl WeightBounds {
    /// A joint that moves its vertices alone.
    pub(super) fn alone(joint: u32) -> Self {
        let [deviation, residual, rim_residual] = [0.0; 3];
        Self { joint, mean: 1.0, deviation, residual, rim_residual, gradient: Vec3::ZERO }
    }
}

/// The weight bounds of joints in vertices at `points`. `rows` holds the weights of one vertex after the
/// other. Gradients are used only if asked for, and if they explain enough of the variation.
pub(super) fn weight_bounds(
    joints: &[u32],
    rows: &[f64],
    rest: &RestShape,
    points: &[DVec3],
    with_gradients: bool,
) -> Vec<WeightBounds> {
    let rim_distances = rim_distances(rest, points, with_gradients);
    let bounds = |gradients: &[Vec3]| {
        with_given_gradients(joints, rows, rest, points, &rim_distances, gradients)
    };
    let flat = bounds(&vec![Vec3::ZERO; joints.len()]);
    let total = |all: &[WeightBounds]| all.iter().map(|own| own.rim_residual).sum::<f32>();
    if !with_gradients || total(&flat) == 0.0 || !GRADIENT_RADII.contains(&rest.radius) {
        return flat;
    }
    let sloped = bounds(&gradients(joints.len(), rows, rest, points));
    // With means outside of 0 to 1 the blend by the means could be larger than the joints' images.
    let convex = sloped.iter().all(|own| (0.0..=1.0).contains(&own.mean));
    let better = total(&sloped) < MAX_RESIDUAL * total(&flat);
    if convex && better { sloped } else { flat }
}

/// The distance of each point from the rim, 1 - |e| / r, rounded down; 0 without gradients.
///
/// 1e-6 is taken off for rounding, so points at the rim have 0. Below the normal range of `f32` a radius
/// may be rounded up by more than that; there the distances are 0.
fn rim_distances(rest: &RestShape, points: &[DVec3], with_gradients: bool) -> Vec<f64> {
    let (center, radius) = (rest.center.as_dvec3(), f64::from(rest.radius));
    let asked = with_gradients && GRADIENT_RADII.contains(&rest.radius);
    let of = |point: &DVec3| {
        let distance = 1.0 - (*point - center).length() / radius - 1e-6;
        if asked && distance > 0.0 { distance } else { 0.0 }
    };
    points.iter().map(of).collect()
}

/// The weight bounds for given gradients. The means are a point of the box of residuals at the rim that
/// sums to 1: on the line from its low corner to its high one. (Points at the rim are in that box.)
///
/// Whatever the gradients are, `deviation` and `residual` hold for them as they are stored: differences
/// from the centre are as good as exact in `f64`.
fn with_given_gradients(
    joints: &[u32],
    rows: &[f64],
    rest: &RestShape,
    points: &[DVec3],
    rim_distances: &[f64],
    gradients: &[Vec3],
) -> Vec<WeightBounds> {
    let center = rest.center.as_dvec3();
    // For each joint the ranges of its weights, of the residuals, and of the residuals at the rim.
    let mut ranges = vec![[[f64::INFINITY, f64::NEG_INFINITY]; 3]; joints.len()];
    for ((row, &point), rim) in rows.chunks_exact(joints.len()).zip(points).zip(rim_distances) {
        for ((range, &weight), gradient) in ranges.iter_mut().zip(row).zip(gradients) {
            let residual = weight - gradient.as_dvec3().dot(point - center);
            for ([low, high], value) in range.iter_mut().zip([weight, residual]) {
                *low = low.min(value);
                *high = high.max(value);
            }
            range[2][0] = range[2][0].min(residual + rim);
            range[2][1] = range[2][1].max(residual - rim);
        }
    }
    let [from, to] = [0, 1].map(|end| ranges.iter().map(|range| range[2][end]).sum::<f64>());
    let way = if to > from { ((1.0 - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
    let bounds =
        |((&joint, [weights, residuals, at_rim]), &gradient): ((&u32, &[[f64; 2]; 3]), &Vec3)| {
            let mean = (at_rim[0] + way * (at_rim[1] - at_rim[0])) as f32;
            let most = |[low, high]: &[f64; 2]| {
                let most = (high - f64::from(mean)).max(f64::from(mean) - low).max(0.0);
                // Less than half a step of f32 is rounding of the mean, which a part's slack covers.
                if low == high && gradient == Vec3::ZERO { 0.0 } else { round_up(most) }
            };
            WeightBounds {
                joint,
                mean,
                deviation: most(weights),
                residual: most(residuals),
                rim_residual: most(at_rim),
                gradient,
            }
        };
    joints.iter().zip(&ranges).zip(gradients).map(bounds).collect()
}

/// The gradients of all weights by damped least squares: a surface that is nearly flat says nothing
/// about how weights vary across it. The weights of a vertex sum to 1, so the gradients sum to about 0.
fn gradients(count: usize, rows: &[f64], rest: &RestShape, points: &[DVec3]) -> Vec<Vec3> {
    let (center, radius) = (rest.center.as_dvec3(), f64::from(rest.radius));
    // In units of the radius.
    let offset = |point: &DVec3| (*point - center) / radius;
    let share = 1.0 / points.len().max(1) as f64;
    let mean = points.iter().map(offset).sum::<DVec3>() * share;
    let mut covariance = DMat3::from_diagonal(DVec3::splat(GRADIENT_DAMPING));
    let mut correlations = vec![DVec3::ZERO; count];
    for (row, point) in rows.chunks_exact(count).zip(points) {
        let off = offset(point) - mean;
        covariance += DMat3::from_cols(off * off.x, off * off.y, off * off.z) * share;
        for (sum, &weight) in correlations.iter_mut().zip(row) {
            *sum += off * (weight * share);
        }
    }
    let inverse = covariance.inverse();
    let gradient = |correlation: &DVec3| {
        let gradient = (inverse * *correlation / radius).as_vec3();
        if gradient.is_finite() { gradient } else { Vec3::ZERO }
    };
    correlations.iter().map(gradient).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<DVec3> {
        // Eleven points: fractions of multiples of irrational numbers.
        (1..12)
            .map(|k| {
                DVec3::new(0.754, 0.569, 0.317).map(|x| (x * f64::from(k)).fract()) + DVec3::X * 7.0
            })
            .collect()
    }

    #[test]
    fn gradients_explain_most_of_affine_weights() {
        let points = points();
        let rest = RestShape::oriented(&points);
        let rows: Vec<f64> = points.iter().flat_map(|p| [0.3 * p.y, 1.0 - 0.3 * p.y]).collect();
        let bounds = weight_bounds(&[4, 9], &rows, &rest, &points, true);
        // Damping makes gradients less steep than the weights are.
        for (own, slope) in bounds.iter().zip([0.3, -0.3]) {
            assert!(own.gradient.distance(Vec3::Y * slope) < 0.1, "{own:?}");
            assert!(own.residual < 0.4 * own.deviation, "{own:?}");
        }
    }

    #[test]
    fn deviations_and_residuals_hold_for_every_vertex() {
        let points = points();
        let rest = RestShape::ball(&points);
        let weight = |p: &DVec3| 0.5 + 0.3 * p.x.sin() * p.y;
        let rows: Vec<f64> = points.iter().flat_map(|p| [weight(p), 1.0 - weight(p)]).collect();
        for with_gradients in [false, true] {
            let bounds = weight_bounds(&[0, 1], &rows, &rest, &points, with_gradients);
            assert_eq!(bounds[0].gradient != Vec3::ZERO, with_gradients);
            for (row, p) in rows.chunks(2).zip(&points) {
                for (own, w) in bounds.iter().zip(row) {
                    let off = w - f64::from(own.mean);
                    assert!(off.abs() <= f64::from(own.deviation));
                    let slope = own.gradient.as_dvec3().dot(*p - rest.center.as_dvec3());
                    assert!((off - slope).abs() <= f64::from(own.residual) + 1e-15);
                }
            }
        }
    }
}
