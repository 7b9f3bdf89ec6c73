//! Balls of all kinds for tests of power diagrams, and checks that share no code with them.

#![allow(dead_code)] // Each test file uses a part of this.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use num_bigint::{BigInt, Sign};
use pliant::contact::orient3d;
use pliant::glam::DVec3;
use pliant::power::{PowerDiagram, power_side};
use pliant::volume::Ball;

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

/// How many kinds of balls there are.
pub(crate) const KINDS: usize = 16;

/// Balls of some kind, at most so many.
pub(crate) fn balls(kind: usize, count: usize, seed: u64) -> Vec<Ball> {
    let mut random = Random::new(seed);
    let lattice = |random: &mut Random, size: usize| {
        let mut x = || random.below(size) as f64;
        DVec3::new(x(), x(), x())
    };
    let mut out = Vec::new();
    while out.len() < count {
        let i = out.len();
        let t = i as f64;
        out.push(match kind {
            // In general position: points, balls of different sizes, very different ones.
            0 => Ball::new(random.vector(), 0.0),
            1 => Ball::new(random.vector(), 0.3 * random.unit().abs()),
            2 => Ball::new(random.vector(), if random.below(9) == 0 { 1.0 } else { 0.05 }),
            // A lattice, whole and in random order with repetitions.
            3 => Ball::new(DVec3::new(t % 5.0, (t / 5.0).floor() % 5.0, (t / 25.0).floor()), 0.5),
            4 => Ball::new(lattice(&mut random, 4), 0.5),
            5 => Ball::new(lattice(&mut random, 4), random.below(3) as f64),
            // On one sphere exactly: 81 = 1 + 16 + 64 = 16 + 16 + 49 = 9 + 36 + 36.
            6 => {
                let shape = [[1.0, 4.0, 8.0], [4.0, 4.0, 7.0], [3.0, 6.0, 6.0]][random.below(3)];
                let first = random.below(3);
                let mut at = |axis: usize| shape[(first + axis) % 3] * random.unit().signum();
                Ball::new(DVec3::new(at(0), at(1), at(2)), 1.0)
            }
            // In one plane: lattice, tilted lattice, general position.
            7 => Ball::new(DVec3::new(t % 6.0, (t / 6.0).floor(), 2.0), 0.5),
            8 => {
                let p = lattice(&mut random, 6);
                Ball::new(DVec3::new(p.x, p.y, -p.x - p.y), p.z / 2.0)
            }
            9 => Ball::new(random.vector() * DVec3::new(1.0, 1.0, 0.0), 0.2 * random.unit().abs()),
            // On one line, and at one point.
            10 => {
                Ball::new(DVec3::new(1.0, 2.0, -3.0) * random.below(40) as f64, random.unit().abs())
            }
            11 => Ball::new(DVec3::new(0.1, 0.2, 0.3), random.below(3) as f64),
            // A helix, whose diagram is large.
            12 => {
                let (sin, cos) = (t * 0.2).sin_cos();
                Ball::new(DVec3::new(cos, sin, t * 0.02), 0.11)
            }
            // A chain folded into a ball.
            13 => {
                let last = out.last().map_or(DVec3::ZERO, |ball: &Ball| ball.center);
                let next = last + random.vector().normalize_or(DVec3::X);
                let room = (count as f64 * 0.4).cbrt().max(1.5);
                let center = if next.length() < room { next } else { last * 0.5 };
                Ball::new(center, 0.4 + 0.1 * random.unit())
            }
            // Far too small, and far too large, for products of five numbers in f64.
            14 => Ball::new(random.vector() * 1e-90, 1e-91 * random.unit().abs()),
            _ => Ball::new(random.vector() * 1e150, 1e149 * random.unit().abs()),
        });
    }
    out
}

/// Whether a kind has no ties, so that its triangulation is unique without a rule.
pub(crate) fn is_general(kind: usize) -> bool {
    matches!(kind, 0..=2 | 12..=15)
}

/// The tetrahedra as a set.
pub(crate) fn tetrahedra(diagram: &PowerDiagram) -> BTreeSet<[u32; 4]> {
    let sorted = |mut corners: [u32; 4]| {
        corners.sort_unstable();
        corners
    };
    diagram.tetrahedra().map(sorted).collect()
}

/// All that must hold of a diagram.
pub(crate) fn check(diagram: &PowerDiagram) {
    assert_eq!(diagram.defect(), None);
    let balls = diagram.balls();
    // Globally: no ball is closer than orthogonal to the sphere of any tetrahedron.
    for corners in diagram.tetrahedra() {
        let of_corners = corners.map(|corner| balls[corner as usize]);
        let [a, b, c, d] = of_corners.map(|ball| ball.center);
        assert_eq!(orient3d(a, b, c, d), Ordering::Greater);
        for ball in balls {
            assert_ne!(power_side(&of_corners, ball), Ordering::Greater, "{corners:?}");
        }
    }
    check_counts(diagram);
}

/// Edges, neighbours and hidden balls agree, and the tetrahedra fill a ball (Euler).
pub(crate) fn check_counts(diagram: &PowerDiagram) {
    let edges = diagram.edges();
    assert!(edges.is_sorted() && edges.iter().all(|[a, b]| a < b));
    let count = diagram.balls().len();
    let mut neighbors = vec![Vec::new(); count];
    for &[a, b] in &edges {
        neighbors[a as usize].push(b);
        neighbors[b as usize].push(a);
    }
    let hidden: BTreeSet<u32> = diagram.hidden().collect();
    for (ball, of_ball) in (0u32..).zip(&mut neighbors) {
        of_ball.sort_unstable();
        assert_eq!(&diagram.neighbors(ball), of_ball);
        assert!(of_ball.is_empty() || !hidden.contains(&ball));
    }
    let all = tetrahedra(diagram);
    if !all.is_empty() {
        let faces: BTreeSet<[u32; 3]> = all
            .iter()
            .flat_map(|&[a, b, c, d]| [[b, c, d], [a, c, d], [a, b, d], [a, b, c]])
            .collect();
        let euler = (count - hidden.len()) as i64 - edges.len() as i64 + faces.len() as i64
            - all.len() as i64;
        assert_eq!(euler, 1);
    }
}

/// A number in units of 2^-700, which must divide it.
fn integer(x: f64) -> BigInt {
    let bits = x.abs().to_bits();
    let exponent = (bits >> 52) as i32;
    let mantissa = if exponent == 0 { bits } else { bits & ((1 << 52) - 1) | (1 << 52) };
    let shift = exponent.max(1) - 1075 + 700;
    let size =
        if shift >= 0 { BigInt::from(mantissa) << shift } else { BigInt::from(mantissa) >> -shift };
    assert!(shift >= 0 || &size << -shift == BigInt::from(mantissa));
    if x < 0.0 { -size } else { size }
}

fn determinant(rows: &[Vec<BigInt>]) -> BigInt {
    let Some((first, rest)) = rows.split_first() else { return BigInt::from(1) };
    let mut sum = BigInt::ZERO;
    for (column, x) in first.iter().enumerate() {
        let minor: Vec<Vec<BigInt>> = rest
            .iter()
            .map(|row| {
                row.iter()
                    .enumerate()
                    .filter(|(i, _)| *i != column)
                    .map(|(_, x)| x.clone())
                    .collect()
            })
            .collect();
        let term = x * determinant(&minor);
        if column % 2 == 0 { sum += term } else { sum -= term }
    }
    sum
}

/// The tetrahedra by definition: every four balls below whose lifted plane no other ball is.
/// `None` if five balls are orthogonal to one sphere.
pub(crate) fn brute_force(balls: &[Ball]) -> Option<BTreeSet<[u32; 4]>> {
    let one = BigInt::from(1);
    let lifted: Vec<Vec<BigInt>> = balls
        .iter()
        .map(|ball| {
            let mut row: Vec<BigInt> = ball.center.to_array().into_iter().map(integer).collect();
            let r = integer(ball.radius);
            let height = row.iter().map(|x| x * x).sum::<BigInt>() - &r * &r;
            row.extend([height, one.clone()]);
            row
        })
        .collect();
    let n = balls.len();
    let mut found = BTreeSet::new();
    for a in 0..n {
        for b in a + 1..n {
            for c in b + 1..n {
                'four: for d in c + 1..n {
                    let corners = [a, b, c, d];
                    let flat: Vec<Vec<BigInt>> = corners
                        .iter()
                        .map(|&i| {
                            lifted[i]
                                .iter()
                                .enumerate()
                                .filter(|(k, _)| *k != 3)
                                .map(|(_, x)| x.clone())
                                .collect()
                        })
                        .collect();
                    let orientation = determinant(&flat).sign();
                    if orientation == Sign::NoSign {
                        continue;
                    }
                    for e in (0..n).filter(|e| !corners.contains(e)) {
                        let mut rows: Vec<Vec<BigInt>> =
                            corners.iter().map(|&i| lifted[i].clone()).collect();
                        rows.push(lifted[e].clone());
                        match determinant(&rows).sign() {
                            Sign::NoSign => return None,
                            // Raised far up, the last point weighs with its own height times
                            // the cofactor of that, the orientation with a minus.
                            sign if sign != orientation => {}
                            _ => continue 'four,
                        }
                    }
                    found.insert(corners.map(|i| i as u32));
                }
            }
        }
    }
    Some(found)
}
