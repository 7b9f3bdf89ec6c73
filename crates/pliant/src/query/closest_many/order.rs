//! The order of points in which each lies near the one before.

use glam::DVec3;

/// Bits of a Morton code that a pass of the sort looks at.
const DIGIT: u32 = 12;

/// Cells along each axis: two passes sort their Morton codes.
const CELLS: u32 = 1 << (2 * DIGIT / 3);

/// The numbers of the points along a Morton curve through the box around them. Points of one cell keep
/// their order.
pub(super) fn along_a_curve(points: &[DVec3]) -> Vec<u32> {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &point in points {
        (low, high) = (low.min(point), high.max(point));
    }
    // Where a difference overflows all are in one cell, and the order is worse.
    let scale = f64::from(CELLS) / (high - low).max(DVec3::splat(f64::MIN_POSITIVE));
    let code = |point: DVec3| {
        let cell = (point - low) * scale;
        // Conversions saturate, and NaN is 0.
        let [x, y, z] = cell.to_array().map(|cell| spread((cell as u32).min(CELLS - 1)));
        x | y << 1 | z << 2
    };
    let mut keys: Vec<(u32, u32)> =
        (0..).zip(points).map(|(at, &point)| (code(point), at)).collect();
    let mut sorted = vec![(0, 0); keys.len()];
    for shift in [0, DIGIT] {
        sort_by_digit(&keys, &mut sorted, shift);
        std::mem::swap(&mut keys, &mut sorted);
    }
    keys.into_iter().map(|(_, at)| at).collect()
}

/// Puts two zeros between the lowest eight bits.
fn spread(cell: u32) -> u32 {
    let cell = (cell | cell << 8) & 0x0000_f00f;
    let cell = (cell | cell << 4) & 0x000c_30c3;
    (cell | cell << 2) & 0x0024_9249
}

/// Sorts by a digit of the code; equal ones keep their order.
fn sort_by_digit(from: &[(u32, u32)], to: &mut [(u32, u32)], shift: u32) {
    let digit = |code: u32| (code >> shift) as usize & ((1 << DIGIT) - 1);
    let mut next = [0_u32; 1 << DIGIT];
    for &(code, _) in from {
        next[digit(code)] += 1;
    }
    let mut start = 0;
    for slot in &mut next {
        start += std::mem::replace(slot, start);
    }
    for &key in from {
        let slot = &mut next[digit(key.0)];
        to[*slot as usize] = key;
        *slot += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_there_once_whatever_the_points() {
        let far =
            [DVec3::splat(f64::MAX), DVec3::splat(-f64::MAX), DVec3::ZERO, DVec3::splat(1e-300)];
        for points in [&far[..], &[DVec3::ONE; 5], &[]] {
            let mut order = along_a_curve(points);
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..points.len() as u32));
        }
    }

    #[test]
    fn eighths_of_the_box_come_one_after_the_other() {
        let corner = |at: u32| DVec3::from_array([0, 1, 2].map(|axis| f64::from(at >> axis & 1)));
        // Two points near each corner, the corners backwards.
        let points: Vec<DVec3> =
            (0..16).map(|at| corner(7 - at % 8) * (1.0 - 1e-3 * f64::from(at / 8))).collect();
        let corners: Vec<u32> = along_a_curve(&points).iter().map(|at| 7 - at % 8).collect();
        assert_eq!(corners, (0..8).flat_map(|at| [at, at]).collect::<Vec<u32>>());
    }

    #[test]
    fn bits_are_spread() {
        for cell in 0..CELLS {
            let expected = (0..8).map(|bit| (cell >> bit & 1) << (3 * bit)).sum();
            assert_eq!(spread(cell), expected, "{cell}");
        }
    }
}
