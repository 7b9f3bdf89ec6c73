//! The error bounds of the filter and of the refinement, measured with big integers.

use glam::DVec3;
use num_bigint::BigInt;
use proptest::prelude::*;

use super::filter::{AREA_ERROR, CUBIC_ERROR, HALVINGS, Piece, slope, value};
use super::motion::{Features, Motion};
use super::refine::{Cubic, Near};
use crate::numeric::DoubleDouble;

/// Coordinates are multiples of 2^-SCALE.
const SCALE: i32 = 100;
/// Times are multiples of 2^-TIME_SCALE.
const TIME_SCALE: i32 = 53;

/// x 2^scale, rounded down.
fn big(x: f64, scale: i32) -> BigInt {
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32;
    let mantissa = BigInt::from(x.to_bits() & (u64::MAX >> 12) | 1 << 52);
    let shift = exponent - 1075 + scale;
    let size = match (x == 0.0, shift >= 0) {
        (true, _) => BigInt::ZERO,
        (_, true) => mantissa << shift,
        (_, false) => mantissa >> -shift,
    };
    if x < 0.0 { -size } else { size }
}

/// Exact vectors of a test at a time, in units of 2^-(SCALE + TIME_SCALE).
fn vectors(features: Features, [start, end]: &Step, time: f64) -> [[BigInt; 3]; 3] {
    let late = big(time, TIME_SCALE);
    let early = big(1.0, TIME_SCALE) - &late;
    features.vectors().map(|[from, to]| {
        [0, 1, 2].map(|axis| {
            let way =
                |points: &[DVec3; 4]| big(points[to][axis], SCALE) - big(points[from][axis], SCALE);
            way(start) * &early + way(end) * &late
        })
    })
}

fn minor(u: &[BigInt; 3], v: &[BigInt; 3], axis: usize) -> BigInt {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    &u[i] * &v[j] - &u[j] * &v[i]
}

/// Six times the polar form of the cubic at three times: over an interval, its Bernstein
/// coefficients are the polar form at the ends.
fn cubic_form(features: Features, step: &Step, times: [f64; 3]) -> BigInt {
    let at = times.map(|time| vectors(features, step, time));
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let volume = |[i, j, k]: [usize; 3]| -> BigInt {
        (0..3).map(|axis| &at[i][0][axis] * minor(&at[j][1], &at[k][2], axis)).sum()
    };
    orders.map(volume).into_iter().sum()
}

/// Twice the polar forms of the areas at two times.
fn area_forms(features: Features, step: &Step, axis: usize, times: [f64; 2]) -> [BigInt; 4] {
    let [p, q] = times.map(|time| vectors(features, step, time));
    let form = |i: usize, j: usize| minor(&p[i], &q[j], axis) + minor(&q[i], &p[j], axis);
    let (x, y, z) = (form(1, 2), form(2, 0), form(0, 1));
    match features {
        Features::VertexFace => [x, y, z.clone(), z],
        Features::EdgeEdge => [-&z, z - &y, x.clone(), -(x + y)],
    }
}

type Step = [[DVec3; 4]; 2];

/// Whether `computed` differs from `exact / (parts 2^scale)` by at most `bound`.
fn within(computed: f64, exact: &BigInt, parts: u32, scale: i32, bound: f64) -> bool {
    let difference = big(computed, scale) * parts - exact;
    // What the conversion of both numbers drops.
    let allowed: BigInt = (big(bound, scale) + 2) * parts;
    difference.magnitude() <= allowed.magnitude()
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1.0..1.0f64,
        2 => (-4..=4i32).prop_map(f64::from),
        1 => (-1.0..1.0f64, -40..40i32).prop_map(|(x, e)| x * 2f64.powi(e)),
    ]
    // On the grid.
    .prop_map(|x| (x * 2f64.powi(44)).trunc() * 2f64.powi(-44))
}

fn step() -> impl Strategy<Value = Step> {
    let point = || [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array);
    let points = move || [point(), point(), point(), point()];
    // Motion of all points together cancels in differences.
    (points(), points(), prop_oneof![Just(0.0), Just(1e3), Just(1e6)])
        .prop_map(|(start, end, far)| [start, end].map(|p| p.map(|p| p + DVec3::splat(far))))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn errors_of_the_filter_are_within_their_bounds(
        step in step(), edges in any::<bool>(), axis in 0..3usize, path in any::<u32>(),
        halvings in 0..=HALVINGS, time in 0..1u64 << 53, away in -20..21i64, exponent in 0..30,
    ) {
        let features = if edges { Features::EdgeEdge } else { Features::VertexFace };
        let motion = Motion::new(features, &step[0], &step[1]);
        let whole = Piece { low: 0.0, width: 1.0, cubic: motion.cubic(), areas: motion.areas(axis) };
        let mut piece = whole;
        for halving in 0..halvings {
            piece = piece.halves()[(path >> halving & 1) as usize];
        }
        let largest = motion.largest;
        let cubic_bound = CUBIC_ERROR * (largest.x * largest.y * largest.z);
        let area_bound = AREA_ERROR * (largest[(axis + 1) % 3] * largest[(axis + 2) % 3]);
        let (low, high) = (piece.low, piece.low + piece.width);
        let cubic_scale = 3 * (SCALE + TIME_SCALE);
        for (i, times) in [[low; 3], [low, low, high], [low, high, high], [high; 3]].into_iter().enumerate() {
            let exact = cubic_form(features, &step, times);
            prop_assert!(within(piece.cubic[i], &exact, 6, cubic_scale, cubic_bound));
        }
        let area_scale = 2 * (SCALE + TIME_SCALE);
        for (i, times) in [[low; 2], [low, high], [high; 2]].into_iter().enumerate() {
            let exact = area_forms(features, &step, axis, times);
            for (area, exact) in piece.areas.iter().zip(&exact) {
                prop_assert!(within(area[i], exact, 2, area_scale, area_bound));
            }
        }
        let time = time as f64 * 0.5f64.powi(53);
        let exact = cubic_form(features, &step, [time; 3]);
        prop_assert!(within(value(whole.cubic, time), &exact, 6, cubic_scale, cubic_bound));
        for (area, exact) in whole.areas.iter().zip(&area_forms(features, &step, axis, [time; 2])) {
            prop_assert!(within(value(*area, time), exact, 2, area_scale, area_bound));
        }
        let cubic = Cubic::new(&motion, &step[0], &step[1]);
        let DoubleDouble { high, low } = cubic.value(time);
        let rest = exact.clone() - big(high, cubic_scale) * 6;
        prop_assert!(within(low, &rest, 6, cubic_scale, cubic.error));
        if let Some(sign) = cubic.certain_sign(time) {
            prop_assert_eq!(sign, exact.cmp(&BigInt::ZERO));
        }
        let near = Near { root: time, value: cubic.value(time), slope: slope(whole.cubic, time) };
        let close = (time + (away << exponent) as f64 * 0.5f64.powi(53)).clamp(0.0, 1.0);
        if let Some(sign) = cubic.certain_sign_near(&near, close) {
            let exact = cubic_form(features, &step, [close; 3]);
            prop_assert_eq!(sign, exact.cmp(&BigInt::ZERO));
        }
    }
}
