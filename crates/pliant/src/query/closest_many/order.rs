//! The order of points along a curve that fills space.

use glam::DVec3;
use rayon::prelude::*;

/// Bits per axis: cells of a thousandth of the box are smaller than groups of points.
const BITS: u32 = 10;

/// Numbers of points so that neighbours in this order are mostly neighbours in space.
pub(super) fn along_curve(points: &[DVec3]) -> Vec<u32> {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    // Halves, so that no difference overflows. An axis without extent gives NaN, which becomes 0.
    let scale = f64::from((1_u32 << BITS) - 1) / (0.5 * high - 0.5 * low);
    let key = |(at, &point): (usize, &DVec3)| {
        let cell = ((0.5 * point - 0.5 * low) * scale).to_array().map(|x| spread(x as u32));
        (u64::from(cell[0] | cell[1] << 1 | cell[2] << 2) << 32) | at as u64
    };
    let mut keys: Vec<u64> = points.par_iter().enumerate().map(key).collect();
    keys.par_sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// Ten bits with two zeros after each.
fn spread(bits: u32) -> u32 {
    let bits = bits.min((1 << BITS) - 1);
    let bits = (bits | bits << 16) & 0x030000ff;
    let bits = (bits | bits << 8) & 0x0300f00f;
    let bits = (bits | bits << 4) & 0x030c30c3;
    (bits | bits << 2) & 0x09249249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_there_once_whatever_the_points() {
        let far = [DVec3::splat(f64::MAX), DVec3::splat(-f64::MAX), DVec3::ZERO, DVec3::splat(1e-300)];
        for points in [&far[..], &[DVec3::ONE; 5], &[]] {
            let mut order = along_curve(points);
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..points.len() as u32));
        }
    }

    #[test]
    fn neighbours_come_together() {
        let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let points = [corner(0.0, 0.0), corner(1.0, 1.0), corner(0.01, 0.01), corner(0.99, 0.99)];
        assert_eq!(along_curve(&points), [0, 2, 3, 1]);
    }
}
