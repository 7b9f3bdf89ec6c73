//! `triangles_touch` against an oracle that shares nothing with it.
//!
//! The oracle writes one triangle as an intersection of half-spaces and clips the
//! other with them, on integers of any length: a point is (X, Y, Z, W) with W > 0
//! and stands for (X, Y, Z) / W, so that every step is exact and none divides.

use num_bigint::BigInt;
use num_bigint::Sign::{Minus, NoSign, Plus};
use pliant::contact::triangles_touch;
use pliant::glam::DVec3;

type Triangle = [DVec3; 3];
type Vector = [BigInt; 3];

// ---------------------------------------------------------------- the oracle

/// `normal . x >= offset`.
struct HalfSpace {
    normal: Vector,
    offset: BigInt,
}

/// A point in homogeneous coordinates, the last one positive.
#[derive(Clone, PartialEq)]
struct Point {
    xyz: Vector,
    w: BigInt,
}

fn dot(u: &Vector, v: &Vector) -> BigInt {
    &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2]
}

fn cross(u: &Vector, v: &Vector) -> Vector {
    let minor = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

fn minus(u: &Vector, v: &Vector) -> Vector {
    [&u[0] - &v[0], &u[1] - &v[1], &u[2] - &v[2]]
}

fn negated(u: &Vector) -> Vector {
    u.clone().map(|x| -x)
}

fn is_zero(u: &Vector) -> bool {
    u.iter().all(|x| x.sign() == NoSign)
}

/// The half-space of direction `normal` with `through` on its border.
fn half_space(normal: Vector, through: &Vector) -> HalfSpace {
    HalfSpace { offset: dot(&normal, through), normal }
}

/// Both half-spaces of a plane: together, the plane.
fn plane(normal: &Vector, through: &Vector) -> [HalfSpace; 2] {
    [half_space(normal.clone(), through), half_space(negated(normal), through)]
}

/// Half-spaces whose intersection is the triangle, be it a segment or a point.
fn half_spaces(triangle: &[Vector; 3]) -> Vec<HalfSpace> {
    let [a, b, c] = triangle;
    let edges = [(a, b), (b, c), (c, a)];
    let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis| axis.map(BigInt::from));
    let normal = cross(&minus(b, a), &minus(c, a));
    if !is_zero(&normal) {
        let inward = |&(r, s): &(&Vector, &Vector)| half_space(cross(&normal, &minus(s, r)), r);
        return plane(&normal, a).into_iter().chain(edges.iter().map(inward)).collect();
    }
    let length = |&(r, s): &(&Vector, &Vector)| dot(&minus(s, r), &minus(s, r));
    let (r, s) = edges.into_iter().max_by_key(length).unwrap();
    let along = minus(s, r);
    if is_zero(&along) {
        return axes.iter().flat_map(|axis| plane(axis, a)).collect();
    }
    let around = axes.iter().flat_map(|axis| plane(&cross(&along, axis), r));
    around.chain([half_space(along.clone(), r), half_space(negated(&along), s)]).collect()
}

/// Points that span what the half-space leaves of the convex hull of `points`.
fn clip(points: &[Point], half_space: &HalfSpace) -> Vec<Point> {
    let height = |p: &Point| dot(&half_space.normal, &p.xyz) - &half_space.offset * &p.w;
    let heights: Vec<BigInt> = points.iter().map(height).collect();
    let mut left = Vec::new();
    let mut keep = |point: Point| {
        if !left.contains(&point) {
            left.push(point);
        }
    };
    for (p, h) in points.iter().zip(&heights) {
        if h.sign() == Minus {
            continue;
        }
        keep(p.clone());
        for (q, k) in points.iter().zip(&heights) {
            if h.sign() == Plus && k.sign() == Minus {
                // h > 0 > k: the weights h of q and -k of p are both positive.
                let mix = |x: &BigInt, y: &BigInt| h * y - k * x;
                let xyz = [0, 1, 2].map(|i| mix(&p.xyz[i], &q.xyz[i]));
                keep(Point { xyz, w: mix(&p.w, &q.w) });
            }
        }
    }
    left
}

/// `(m, e)` with `x = m 2^e` and `m` odd or zero.
fn decompose(x: f64) -> (i64, i32) {
    assert!(x.is_finite(), "the kind of pair should have only finite coordinates");
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
    let fraction = (x.to_bits() & (u64::MAX >> 12)) as i64;
    let magnitude = if exponent == 0 { fraction } else { fraction + (1 << 52) };
    let zeros = if magnitude == 0 { 0 } else { magnitude.trailing_zeros() };
    let sign = if x < 0.0 { -1 } else { 1 };
    (sign * (magnitude >> zeros), exponent.max(1) - 1075 + zeros as i32)
}

/// The corners of both triangles as integers, in one common unit.
fn integers(a: &Triangle, b: &Triangle) -> [[Vector; 3]; 2] {
    let numbers = [a, b].map(|t| t.map(|corner| corner.to_array().map(decompose)));
    let all = numbers.as_flattened().as_flattened();
    let unit = all.iter().filter(|x| x.0 != 0).map(|x| x.1).min().unwrap_or(0);
    let scaled = |(m, e): (i64, i32)| BigInt::from(m) << if m == 0 { 0 } else { e - unit };
    numbers.map(|t| t.map(|corner| corner.map(scaled)))
}

/// Whether two closed triangles meet, by clipping.
fn oracle(a: &Triangle, b: &Triangle) -> bool {
    let [a, b] = integers(a, b);
    let mut points: Vec<Point> = b.map(|xyz| Point { xyz, w: BigInt::from(1) }).to_vec();
    for half_space in half_spaces(&a) {
        points = clip(&points, &half_space);
        if points.is_empty() {
            return false;
        }
    }
    true
}

// ------------------------------------------------------------ random numbers

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer from `low` to `high`, both included.
    fn integer(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
    }

    /// From -1 to 1, with all 53 bits.
    fn real(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.real(), self.real(), self.real())
    }

    fn grid_point(&mut self, low: i64, high: i64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.integer(low, high) as f64))
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.integer(0, choices.len() as i64 - 1) as usize]
    }

    /// `x` moved by up to one unit in the last place, or by none.
    fn nudge(&mut self, x: f64) -> f64 {
        self.pick(&[x.next_down(), x, x, x.next_up()])
    }

    fn nudge_point(&mut self, p: DVec3) -> DVec3 {
        DVec3::from_array(p.to_array().map(|x| self.nudge(x)))
    }
}

fn pair(mut point: impl FnMut() -> DVec3) -> (Triangle, Triangle) {
    let mut triangle = || [point(), point(), point()];
    (triangle(), triangle())
}

// ---------------------------------------------------------------- the checks

/// Compares `count` pairs of a kind with the oracle, and demands that each of the two
/// answers be right for at least a fiftieth of them. Each pair is also asked about
/// with triangles exchanged, corners permuted, and everything scaled by a power of
/// two. The environment variable `PLIANT_TEST_FACTOR` multiplies the count.
fn compare(seed: u64, count: usize, mut kind: impl FnMut(&mut Random) -> (Triangle, Triangle)) {
    let factor = std::env::var("PLIANT_TEST_FACTOR").map_or(1, |factor| factor.parse().unwrap());
    let count: usize = count * factor;
    let mut random = Random(seed);
    let mut touching = 0;
    for number in 0..count {
        let (a, b) = kind(&mut random);
        let expected = oracle(&a, &b);
        let what = || format!("seed {seed}, pair {number}: {a:?} {b:?}");
        assert_eq!(triangles_touch(&a, &b), expected, "{}", what());
        assert_eq!(triangles_touch(&b, &a), expected, "exchanged, {}", what());
        let [p, q] = [permuted(&a, &mut random), permuted(&b, &mut random)];
        assert_eq!(triangles_touch(&p, &q), expected, "permuted, {}", what());
        let factor = 2f64.powi(random.integer(-1000, 1000) as i32);
        if let (Some(p), Some(q)) = (scaled(&a, factor), scaled(&b, factor)) {
            assert_eq!(triangles_touch(&p, &q), expected, "times {factor:e}, {}", what());
        }
        touching += usize::from(expected);
    }
    println!("seed {seed}: {touching} of {count} touch");
    assert!(touching * 50 >= count, "only {touching} of {count} touch");
    assert!((count - touching) * 50 >= count, "all but {} touch", count - touching);
}

fn permuted(&[a, b, c]: &Triangle, random: &mut Random) -> Triangle {
    random.pick(&[[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]])
}

/// The triangle times a power of two, if no coordinate loses a bit.
fn scaled(triangle: &Triangle, factor: f64) -> Option<Triangle> {
    let scaled = triangle.map(|p| p * factor);
    (scaled.map(|p| p / factor) == *triangle).then_some(scaled)
}

#[test]
fn the_oracle_knows_what_everyone_knows() {
    let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let yes = [
        floor,
        [at(0.25, 0.25, -1.0), at(0.25, 0.25, 1.0), at(9.0, 9.0, 1.0)],
        [at(0.25, 0.25, 0.0), at(0.0, 0.0, 1.0), at(1.0, 0.0, 1.0)],
        [at(0.5, 0.5, 0.0); 3],
        [at(-1.0, 0.25, 0.0), at(2.0, 0.25, 0.0), at(0.5, 0.25, 0.0)],
        [at(0.1, 0.1, 0.0), at(0.2, 0.1, 0.0), at(0.1, 0.2, 0.0)],
        [at(-9.0, -9.0, 0.0), at(9.0, -9.0, 0.0), at(0.0, 9.0, 0.0)],
        [at(1.0, 0.0, 0.0), at(2.0, 0.0, 0.0), at(2.0, 0.0, 1.0)],
    ];
    let no = [
        floor.map(|p| p + DVec3::Z * f64::MIN_POSITIVE),
        [at(0.5, 0.5f64.next_up(), 0.0); 3],
        [at(0.75, 0.75, -1.0), at(0.75, 0.75, 1.0), at(9.0, 9.0, 1.0)],
        [at(-1.0, 1.5, 0.0), at(2.0, 1.5, 0.0), at(0.5, 1.5, 0.0)],
        [at(1.0, 1.0, 0.0), at(2.0, 0.0, 0.0), at(2.0, 1.0, 0.0)],
    ];
    for triangle in yes {
        assert!(oracle(&floor, &triangle) && oracle(&triangle, &floor), "{triangle:?}");
    }
    for triangle in no {
        assert!(!oracle(&floor, &triangle) && !oracle(&triangle, &floor), "{triangle:?}");
    }
}

#[test]
fn random_triangles() {
    compare(1, 20_000, |r| pair(|| r.vector()));
}

#[test]
fn tiny_grid() {
    compare(2, 20_000, |r| pair(|| r.grid_point(0, 2)));
}

#[test]
fn grid() {
    compare(3, 20_000, |r| pair(|| r.grid_point(-3, 3)));
}

#[test]
fn one_oblique_plane() {
    compare(4, 8_000, |r| {
        let steep = r.integer(-2, 2) as f64;
        pair(|| {
            let p = r.grid_point(-4, 4);
            DVec3::new(p.x, p.y, p.x + steep * p.y)
        })
    });
}

#[test]
fn segments_and_points() {
    compare(5, 16_000, |r| {
        let (mut a, b) = pair(|| r.grid_point(-1, 1));
        a[2] = match r.integer(0, 3) {
            0 => a[0],
            1 => 2.0 * a[1] - a[0],
            _ => (a[0] + a[1]) / 2.0,
        };
        if r.integer(0, 3) == 0 {
            a[1] = a[2];
        }
        (a, b)
    });
}

#[test]
fn shared_corners_and_edges() {
    compare(6, 6_000, |r| {
        let (a, mut b) = pair(|| r.vector());
        b[0] = r.nudge_point(a[0]);
        if r.integer(0, 2) == 0 {
            b[1] = r.nudge_point(a[1]);
        }
        (a, b)
    });
}

#[test]
fn a_corner_one_ulp_off_the_plane() {
    compare(7, 12_000, |r| {
        // Corners of few bits, so that the weighted mean is exact before it is nudged.
        let a = [(); 3].map(|()| r.grid_point(-4000, 4000) / 1024.0);
        let (s, t) = (r.integer(-2, 9) as f64 / 8.0, r.integer(-2, 9) as f64 / 8.0);
        let on = a[0] * (1.0 - s - t) + a[1] * s + a[2] * t;
        let away = (a[1] - a[0]).cross(a[2] - a[0]);
        let corner = r.nudge_point(on);
        (a, [corner, corner + away + 0.1 * r.vector(), corner + away + 0.1 * r.vector()])
    });
}

#[test]
fn edges_that_cross_within_one_ulp() {
    compare(8, 8_000, |r| {
        let middle = r.grid_point(-1000, 1000) / 64.0;
        let arms = [(); 4].map(|()| r.grid_point(-1000, 1000) / 64.0);
        let apart = arms[0].cross(arms[1]);
        let a = [middle + arms[0], middle - arms[0], middle - apart + arms[2]];
        let b = [r.nudge_point(middle + arms[1]), middle - arms[1], middle + apart + arms[3]];
        (a, b)
    });
}

#[test]
fn nearly_one_plane() {
    // Corners of one plane, up to rounding.
    compare(9, 8_000, |r| {
        let (u, v) = (r.vector(), r.vector());
        pair(|| r.real() * u + r.real() * v)
    });
}

#[test]
fn slivers() {
    compare(10, 6_000, |r| {
        let through = r.vector();
        let mut sliver = || {
            let (p, q) = (through + 0.1 * r.vector(), through - 0.1 * r.vector());
            let p = if r.integer(0, 1) == 0 { 2.0 * through - q } else { p };
            let on = p.lerp(q, r.integer(0, 4) as f64 / 4.0);
            [p, q, r.nudge_point(on)]
        };
        (sliver(), sliver())
    });
}

#[test]
fn far_from_the_origin() {
    compare(11, 6_000, |r| {
        let offset = DVec3::new(1e15, -1e15, 3e14);
        pair(|| offset + r.grid_point(-4, 4) / 8.0)
    });
}

#[test]
fn tiny_triangles() {
    compare(12, 6_000, |r| {
        let scale = r.pick(&[1e-30, 1e-40]);
        pair(|| r.grid_point(-3, 3) * scale)
    });
}

#[test]
fn mixed_magnitudes() {
    compare(13, 3_000, |r| {
        pair(|| {
            DVec3::from_array([(); 3].map(|()| r.real() * 2f64.powi(r.integer(-60, 60) as i32)))
        })
    });
}

// Beyond what expansion arithmetic covers.

#[test]
fn ends_of_the_range() {
    compare(14, 6_000, |r| {
        let scale = r.pick(&[1e-200, 5e-324, 1e200, 1e307, f64::MAX / 4.0, f64::MIN_POSITIVE]);
        pair(|| r.grid_point(-3, 3) * scale)
    });
}

#[test]
fn ends_of_the_range_off_the_grid() {
    compare(15, 3_000, |r| {
        let scale = r.pick(&[1e-200, 1e-310, 1e200, f64::MAX]);
        let (a, mut b) = pair(|| r.vector() * scale);
        if r.integer(0, 1) == 0 {
            b[0] = r.nudge_point(a[0] * 0.5 + a[1] * 0.5);
        }
        (a, b)
    });
}

#[test]
fn huge_with_tiny() {
    compare(16, 2_000, |r| {
        pair(|| {
            let scales = [1.0, 1.0, 1e-200, 1e200, 1e-300];
            DVec3::from_array(r.grid_point(-2, 2).to_array().map(|x| x * r.pick(&scales)))
        })
    });
}

#[test]
fn what_is_not_finite_does_no_harm() {
    let mut random = Random(17);
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1.0, f64::MAX, 1e-320];
    for _ in 0..2_000 {
        let mut point = || DVec3::from_array([(); 3].map(|()| random.pick(&values)));
        let [a, b] = [(); 2].map(|()| [point(), point(), point()]);
        // There is no right answer; there has to be one at all.
        let _ = triangles_touch(&a, &b);
    }
}
