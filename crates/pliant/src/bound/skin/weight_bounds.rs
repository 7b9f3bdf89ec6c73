//! The weights of a part: how each joint's weight varies with the place.
//!
//! Weights are painted to vary smoothly, so that within a part of a few triangles
//! a weight is nearly an affine function of the place at rest. Where it is, a bound need not
//! allow for all combinations of weight and place, only for what the function leaves over.

use glam::{DMat3, DVec3, Vec3};

use super::skinned_parts::Share;
use super::skinned_rest::Rest;
use crate::limits::{MAX_SLOPED_REST, SLOPE_DAMPING, SLOPED_RADII};
use crate::volume::round_up;

/// The shares of joints in vertices at `points` around the middle of `rest`, whose weights are given
/// a row a vertex. Slopes only where asked for, and where they explain enough.
pub(super) fn shares(
    joints: &[u32],
    rows: &[f64],
    rest: &Rest,
    points: &[DVec3],
    with_slopes: bool,
) -> Vec<Share> {
    let spare = spare(rest, points, with_slopes);
    let flat = around(joints, rows, rest, points, &spare, &vec![Vec3::ZERO; joints.len()]);
    let total = |shares: &[Share]| shares.iter().map(|share| share.near).sum::<f32>();
    if !with_slopes || total(&flat) == 0.0 || !SLOPED_RADII.contains(&rest.radius) {
        return flat;
    }
    let sloped =
        around(joints, rows, rest, points, &spare, &slopes(joints.len(), rows, rest, points));
    // With means outside of 0 to 1 the blend by the means could be larger than the joints' images.
    let convex = sloped.iter().all(|share| (0.0..=1.0).contains(&share.mean));
    let better = total(&sloped) < MAX_SLOPED_REST * total(&flat);
    if convex && better { sloped } else { flat }
}

/// What each point may be moved by, in radii, before it is as far from the middle as the rim; none where
/// nobody asks. As a bit of it is taken off for rounding, the points at the rim have none; below
/// the normal range of `f32` a radius may be rounded up by more than that bit.
fn spare(rest: &Rest, points: &[DVec3], with_slopes: bool) -> Vec<f64> {
    let (center, radius) = (rest.center.as_dvec3(), f64::from(rest.radius));
    let asked = with_slopes && SLOPED_RADII.contains(&rest.radius);
    let of = |point: &DVec3| {
        let spare = 1.0 - (*point - center).length() / radius - 1e-6;
        if asked && spare > 0.0 { spare } else { 0.0 }
    };
    points.iter().map(of).collect()
}

/// The shares for given slopes. The means are a point of the box of what the slopes leave over at the rim
/// that sums to 1: from its low corner towards its high one. (Points at the rim are in it.)
///
/// Whatever the slopes are, `give` and `left` are right for them as they are stored: differences
/// from the middle are as good as exact in `f64`.
fn around(
    joints: &[u32],
    rows: &[f64],
    rest: &Rest,
    points: &[DVec3],
    spare: &[f64],
    slopes: &[Vec3],
) -> Vec<Share> {
    let center = rest.center.as_dvec3();
    // Of each joint the range of its weights and of what its slope leaves over.
    let mut ranges = vec![[[f64::INFINITY, f64::NEG_INFINITY]; 3]; joints.len()];
    for ((row, &point), spare) in rows.chunks_exact(joints.len()).zip(points).zip(spare) {
        for ((range, &weight), slope) in ranges.iter_mut().zip(row).zip(slopes) {
            let left = weight - slope.as_dvec3().dot(point - center);
            for ([low, high], value) in range.iter_mut().zip([weight, left]) {
                *low = low.min(value);
                *high = high.max(value);
            }
            range[2][0] = range[2][0].min(left + spare);
            range[2][1] = range[2][1].max(left - spare);
        }
    }
    let [from, to] = [0, 1].map(|end| ranges.iter().map(|range| range[2][end]).sum::<f64>());
    let way = if to > from { ((1.0 - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
    let share = |((&joint, [weights, over, outer]), &slope): ((&u32, &[[f64; 2]; 3]), &Vec3)| {
        let mean = (outer[0] + way * (outer[1] - outer[0])) as f32;
        let off = |[low, high]: &[f64; 2]| {
            let give = (high - f64::from(mean)).max(f64::from(mean) - low).max(0.0);
            // Below half a step of f32 the mean is as good as exact: the slack covers it.
            if low == high && slope == Vec3::ZERO { 0.0 } else { round_up(give) }
        };
        Share { joint, mean, give: off(weights), left: off(over), near: off(outer), slope }
    };
    joints.iter().zip(&ranges).zip(slopes).map(share).collect()
}

/// The slopes of all weights by least squares, damped: a surface that is nearly flat says nothing
/// of how weights vary across it. As the weights of a vertex sum to 1, the slopes sum to
/// about 0.
fn slopes(count: usize, rows: &[f64], rest: &Rest, points: &[DVec3]) -> Vec<Vec3> {
    let (center, radius) = (rest.center.as_dvec3(), f64::from(rest.radius));
    // In units of the radius.
    let place = |point: &DVec3| (*point - center) / radius;
    let share = 1.0 / points.len().max(1) as f64;
    let middle = points.iter().map(place).sum::<DVec3>() * share;
    let mut spread = DMat3::from_diagonal(DVec3::splat(SLOPE_DAMPING));
    let mut along = vec![DVec3::ZERO; count];
    for (row, point) in rows.chunks_exact(count).zip(points) {
        let off = place(point) - middle;
        spread += DMat3::from_cols(off * off.x, off * off.y, off * off.z) * share;
        for (sum, &weight) in along.iter_mut().zip(row) {
            *sum += off * (weight * share);
        }
    }
    let inverse = spread.inverse();
    let slope = |along: &DVec3| {
        let slope = (inverse * *along / radius).as_vec3();
        if slope.is_finite() { slope } else { Vec3::ZERO }
    };
    along.iter().map(slope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<DVec3> {
        // Any eleven points: fractions of multiples of irrational numbers.
        (1..12)
            .map(|k| {
                DVec3::new(0.754, 0.569, 0.317).map(|x| (x * f64::from(k)).fract()) + DVec3::X * 7.0
            })
            .collect()
    }

    #[test]
    fn slopes_explain_most_of_affine_weights() {
        let points = points();
        let rest = Rest::oriented(&points);
        let rows: Vec<f64> = points.iter().flat_map(|p| [0.3 * p.y, 1.0 - 0.3 * p.y]).collect();
        let shares = shares(&[4, 9], &rows, &rest, &points, true);
        // Damped: slopes are less steep than the weights are.
        for (share, slope) in shares.iter().zip([0.3, -0.3]) {
            assert!(share.slope.distance(Vec3::Y * slope) < 0.1, "{share:?}");
            assert!(share.left < 0.4 * share.give, "{share:?}");
        }
    }

    #[test]
    fn what_is_left_covers_every_vertex() {
        let points = points();
        let rest = Rest::ball(&points);
        let weight = |p: &DVec3| 0.5 + 0.3 * p.x.sin() * p.y;
        let rows: Vec<f64> = points.iter().flat_map(|p| [weight(p), 1.0 - weight(p)]).collect();
        for with_slopes in [false, true] {
            let shares = shares(&[0, 1], &rows, &rest, &points, with_slopes);
            assert_eq!(shares[0].slope != Vec3::ZERO, with_slopes);
            for (row, p) in rows.chunks(2).zip(&points) {
                for (share, w) in shares.iter().zip(row) {
                    let off = w - f64::from(share.mean);
                    assert!(off.abs() <= f64::from(share.give));
                    let slope = share.slope.as_dvec3().dot(*p - rest.center.as_dvec3());
                    assert!((off - slope).abs() <= f64::from(share.left) + 1e-15);
                }
            }
        }
    }
}
