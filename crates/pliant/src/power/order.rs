//! The insertion order of balls. It affects the running time and not the result.

use glam::DVec3;

use crate::volume::Ball;

/// The largest number of bits per coordinate on the curve.
const BITS: u32 = 16;

/// Returns all balls in rounds; each round is about twice as large as the previous one and follows
/// a Hilbert curve.
///
/// Random rounds keep the expected number of created and removed cells low for every input (Amenta,
/// Choi and Rote, "Incremental constructions con BRIO", 2003). Along the curve each ball is near
/// the previous one, so the walk to it is short.
pub(super) fn insertion_order(balls: &[Ball]) -> Vec<u32> {
    let low = balls.iter().fold(DVec3::INFINITY, |low, ball| low.min(ball.center));
    let high = balls.iter().fold(DVec3::NEG_INFINITY, |high, ball| high.max(ball.center));
    // As many grid positions per axis as there are balls suffice to separate evenly spread balls.
    let bits = (balls.len().max(2).ilog2() + 1).min(BITS);
    // Halves, since the full extent may overflow. NaN becomes zero below.
    let steps = f64::from(1u32 << (bits - 1));
    let scale = steps / (high / 2.0 - low / 2.0).max_element();
    let mut order: Vec<(u64, u32)> = (0u32..)
        .zip(balls)
        .map(|(number, ball)| {
            let place = (ball.center / 2.0 - low / 2.0) * scale;
            let place = place.to_array().map(|x| (x as u32).min((1 << bits) - 1));
            (round(number, balls.len()) << (3 * BITS) | hilbert(place, bits), number)
        })
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(_, number)| number).collect()
}

/// The round of a ball: half of all balls are in the last round, half of the rest in the one
/// before, and so on.
fn round(number: u32, count: usize) -> u64 {
    /// The approximate size of the first round.
    const FIRST: u32 = 32;
    let last = (count as u32 / FIRST).checked_ilog2().unwrap_or(0);
    let lot = u64::from(number).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let lot = (lot ^ (lot >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    u64::from(last - (lot >> 32).trailing_zeros().min(last))
}

/// The index along the Hilbert curve of a lattice point whose coordinates have the given number of
/// bits.
///
/// From the coarsest bit to the finest, this takes the octant's index in the curve's order and
/// applies the symmetry that maps the curve within the octant to the whole curve (Skilling,
/// "Programming the Hilbert curve", 2004).
fn hilbert(mut place: [u32; 3], bits: u32) -> u64 {
    for bit in (1..bits).rev() {
        let below = (1u32 << bit) - 1;
        for axis in 0..3 {
            if place[axis] >> bit & 1 == 1 {
                place[0] ^= below;
            } else {
                let turned = (place[0] ^ place[axis]) & below;
                place[0] ^= turned;
                place[axis] ^= turned;
            }
        }
    }
    place[1] ^= place[0];
    place[2] ^= place[1];
    let mut flips = 0;
    for bit in (1..bits).rev() {
        if place[2] >> bit & 1 == 1 {
            flips ^= (1 << bit) - 1;
        }
    }
    let place = place.map(|x| x ^ flips);
    (0..bits)
        .rev()
        .fold(0, |key, bit| place.iter().fold(key, |key, x| key << 1 | u64::from(x >> bit & 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_visits_every_place_and_steps_to_the_next_one() {
        // Every curve begins with such a cube; BITS is the longest curve.
        for bits in [3, 4, BITS] {
            let size = 8u32;
            let mut places: Vec<_> = (0..size.pow(3))
                .map(|i| [i % size, i / size % size, i / size / size])
                .map(|place| (hilbert(place, bits), place))
                .collect();
            places.sort_unstable();
            for pair in places.windows(2) {
                assert!(pair[0].0 < pair[1].0);
                let apart: u32 = (0..3).map(|i| pair[0].1[i].abs_diff(pair[1].1[i])).sum();
                assert_eq!(apart, 1, "{pair:?}");
            }
        }
    }

    #[test]
    fn each_ball_comes_once_whatever_the_coordinates() {
        for spread in [0.0, 1.0, 1e-320, 1e308] {
            let balls: Vec<_> = (0..1000)
                .map(|i| Ball::new(DVec3::splat(if i % 2 == 0 { -spread } else { spread }), 1.0))
                .collect();
            let mut order = insertion_order(&balls);
            order.sort_unstable();
            assert_eq!(order, (0..1000).collect::<Vec<u32>>());
        }
        assert!(insertion_order(&[]).is_empty());
    }
}
