//! A small seeded random number generator.

use pliant::glam::{DQuat, DVec3, DVec4};

/// SplitMix64 (Steele, Lea and Flood 2014): 64 bits of state, and every seed is valid.
///
/// All methods use only integer arithmetic, sums, products and square roots, so a seed gives the
/// same bits on every machine.
///
/// ```
/// use pliant_scenes::Random;
///
/// let mut first = Random::new(7);
/// let mut second = Random::new(7);
/// assert_eq!(first.unit().to_bits(), second.unit().to_bits());
/// ```
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts the sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 uniformly random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0.0..1.0`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A point of the cube `-1.0..1.0` on each axis.
    pub fn in_cube(&mut self) -> DVec3 {
        DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// A uniformly random rotation, by rejection sampling: points of the four-dimensional cube are
    /// drawn until one lies in the ball and away from its centre (3.3 draws on average). Unlike the
    /// usual formula this needs no sine.
    pub fn rotation(&mut self) -> DQuat {
        loop {
            let [a, b, c] = self.in_cube().to_array();
            let point = DVec4::new(a, b, c, self.between(-1.0, 1.0));
            let squared = point.length_squared();
            if (0.01..=1.0).contains(&squared) {
                return DQuat::from_vec4(point / squared.sqrt());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first outputs of SplitMix64 for seed 1234567, which are widely used to check
        // implementations.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
        assert_eq!(random.bits(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn rotations_are_unit_and_fair() {
        let mut random = Random::new(3);
        let mut mean = DVec3::ZERO;
        for _ in 0..10_000 {
            let rotation = random.rotation();
            assert!((rotation.length() - 1.0).abs() < 1e-14);
            mean += rotation * DVec3::X / 10_000.0;
        }
        // The mean of 10,000 uniform unit vectors has a length near 0.01.
        assert!(mean.length() < 0.04, "{mean}");
    }
}
