//! Necklaces of all kinds for tests.

#![allow(dead_code)] // Each test file uses a part of this.

use pliant::Necklace;
use pliant::glam::DVec3;
use pliant::shape::Chain;
use pliant::volume::Ball;
use proptest::prelude::*;

/// A small generator with a seed.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// From -1 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.unit().abs() * n as f64) as usize % n
    }
}

/// Centres of one chain.
fn centers(kind: usize, count: usize, random: &mut Random) -> Vec<DVec3> {
    let start = random.vector() * 3.0;
    let mut at = start;
    match kind % 6 {
        // A random walk of steps of one bead.
        0 => walk(count, random, |_| true, at),
        // A globule: the same in a ball that it fills.
        1 => {
            let room = (count as f64 * 0.4).cbrt().max(1.5);
            walk(count, random, |p| p.length() < room, DVec3::ZERO)
        }
        // A lattice, on which beads touch exactly.
        2 => {
            let mut out = vec![at.round()];
            while out.len() < count {
                let axis = [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)];
                at = *out.last().unwrap() + axis * random.unit().signum();
                out.push(at);
            }
            out
        }
        // A trefoil, tight enough that strands meet where they pass.
        3 => (0..count)
            .map(|i| {
                let t = i as f64 / count as f64 * std::f64::consts::TAU;
                let (s, c) = t.sin_cos();
                let (s2, c2) = (2.0 * t).sin_cos();
                DVec3::new(s + 2.0 * s2, c - 2.0 * c2, -(3.0 * t).sin() * 0.6)
                    * (count as f64 / 24.0)
            })
            .collect(),
        // A helix whose turns nearly touch.
        4 => (0..count)
            .map(|i| {
                let t = i as f64 * 0.4;
                start + DVec3::new(2.5 * t.cos(), 2.5 * t.sin(), t * 0.16)
            })
            .collect(),
        // A line, some beads of it at one place.
        _ => (0..count).map(|i| start + DVec3::X * (i as f64 * 0.9).min(20.0)).collect(),
    }
}

fn walk(
    count: usize,
    random: &mut Random,
    allowed: impl Fn(DVec3) -> bool,
    start: DVec3,
) -> Vec<DVec3> {
    let mut out = vec![start];
    while out.len() < count {
        let next = *out.last().unwrap() + random.vector().normalize_or(DVec3::X);
        if allowed(next) {
            out.push(next);
        }
    }
    out
}

/// A necklace of chains of given kinds and lengths.
pub(crate) fn build(chains: &[(usize, usize, bool)], radii: u8, seed: u64) -> Necklace {
    let mut random = Random::new(seed);
    let mut beads = Vec::new();
    let mut links = Vec::new();
    for &(kind, count, closed) in chains {
        for center in centers(kind, count, &mut random) {
            let radius = match radii % 3 {
                0 => 0.5,
                1 => 0.35 + 0.15 * random.unit(),
                _ if random.below(20) == 0 => 2.0,
                _ => 0.4,
            };
            beads.push(Ball::new(center, radius));
        }
        links.push(Chain { beads: count, closed });
    }
    Necklace::new(beads, &links).unwrap()
}

/// Chains of every kind, one or several, open and closed, of equal and of different beads.
pub(crate) fn necklace() -> impl Strategy<Value = Necklace> {
    let length = prop_oneof![Just(1usize), 2..9usize, 9..160usize];
    let chain = (0..6usize, length, any::<bool>());
    (proptest::collection::vec(chain, 1..5), any::<u8>(), any::<u64>())
        .prop_map(|(chains, radii, seed)| build(&chains, radii, seed))
}

/// The positions of a necklace.
pub(crate) fn positions(necklace: &Necklace) -> Vec<DVec3> {
    necklace.beads().iter().map(|bead| bead.center).collect()
}

/// Proptest without files, so many cases.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(count) }
}
