//! `vertex_face_impact` and `edge_edge_impact` against an oracle that shares nothing with them.
//!
//! The oracle works with polynomials over big integers. Roots are counted by Sturm's theorem, and
//! the sign of a polynomial at a root of another comes from a query of Tarski. What touches at a
//! root is decided by barycentric coordinates along the normal, and for degenerate features by
//! points on segments.

mod oracle;
mod queries;

use oracle::Oracle;
use pliant::contact::{
    ImpactTime, edge_edge_approach, edge_edge_impact, vertex_face_approach, vertex_face_impact,
};
use pliant::glam::DVec3;
use queries::{Query, Random};

type Impact = fn([DVec3; 4], [DVec3; 4]) -> Option<ImpactTime>;

/// Orders of the points that describe the same features.
const VERTEX_FACE_ORDERS: [[usize; 4]; 3] = [[0, 2, 1, 3], [0, 3, 1, 2], [0, 3, 2, 1]];
const EDGE_EDGE_ORDERS: [[usize; 4]; 3] = [[1, 0, 2, 3], [2, 3, 0, 1], [3, 2, 0, 1]];

/// Compares queries of a kind with the oracle, half of them as vertex and face, half as edges. Each
/// of both answers must be right for at least a fiftieth of them. Each is also asked with its points
/// in another order, and backwards in time. The environment variable `PLIANT_TEST_FACTOR`
/// multiplies the count.
fn compare(seed: u64, count: usize, mut kind: impl FnMut(&mut Random) -> Query) {
    let factor = std::env::var("PLIANT_TEST_FACTOR").map_or(1, |factor| factor.parse().unwrap());
    let count: usize = count * factor;
    let mut random = Random::new(seed);
    let mut hits = 0;
    for i in 0..count {
        let [start, end] = kind(&mut random);
        let (oracle, impact, orders): (_, Impact, _) = if i % 2 == 0 {
            (Oracle::vertex_face(&start, &end), vertex_face_impact, VERTEX_FACE_ORDERS)
        } else {
            (Oracle::edge_edge(&start, &end), edge_edge_impact, EDGE_EDGE_ORDERS)
        };
        let truth = oracle.impact();
        let found = impact(start, end).map(|time| [time.lo, time.hi]);
        assert_eq!(found, truth, "query {i} of seed {seed:#x}: {start:?} {end:?}");
        let order = random.pick(&orders);
        let [s, e] = [start, end].map(|points| order.map(|point| points[point]));
        assert_eq!(
            impact(s, e).map(|time| [time.lo, time.hi]),
            truth,
            "in another order: {start:?} {end:?}"
        );
        assert_eq!(impact(end, start).is_some(), truth.is_some(), "backwards: {start:?} {end:?}");
        // A minimum separation of zero is a touch, by other polynomials.
        if i % 8 < 2 {
            let near = if i % 2 == 0 { vertex_face_approach } else { edge_edge_approach };
            let found = near(start, end, 0.0).map(|time| [time.lo, time.hi]);
            assert_eq!(found, truth, "within zero: {start:?} {end:?}");
        }
        hits += usize::from(truth.is_some());
    }
    println!("seed {seed:#x}: {hits} of {count} hit");
    assert!(hits * 50 >= count && (count - hits) * 50 >= count, "{hits} of {count}");
}

#[test]
fn small_integers() {
    compare(0x11, 1500, |random| queries::grid(random, 2));
    compare(0x12, 1000, |random| queries::grid(random, 1));
}

#[test]
fn a_touch_nudged_by_an_ulp() {
    compare(0x21, 1500, queries::nudged_touch);
}

#[test]
fn coplanar_all_the_time() {
    compare(0x31, 600, |random| queries::flat(random, false));
    compare(0x32, 600, |random| queries::flat(random, true));
}

#[test]
fn on_one_line_all_the_time() {
    compare(0x41, 400, |random| queries::collinear(random, false));
    compare(0x42, 400, |random| queries::collinear(random, true));
}

#[test]
fn parallel_edges_and_faces() {
    compare(0x51, 800, queries::parallel);
}

#[test]
fn double_roots() {
    compare(0x61, 800, |random| queries::double_root(random, false));
    compare(0x62, 800, |random| queries::double_root(random, true));
}

#[test]
fn degenerate_features() {
    compare(0x71, 1000, queries::degenerate);
}

#[test]
fn all_sizes_of_numbers() {
    compare(0x81, 400, |random| queries::mixed_exponents(random, 40));
    compare(0x82, 30, |random| queries::mixed_exponents(random, 250));
    compare(0x83, 200, queries::scaled);
}

/// The oracle takes many seconds for numbers from end to end of `f64`; the order of the points and of
/// time must not matter there either.
#[test]
fn numbers_from_end_to_end_of_f64() {
    let mut random = Random::new(0x84);
    let kinds: [(Impact, _); 2] =
        [(vertex_face_impact, VERTEX_FACE_ORDERS), (edge_edge_impact, EDGE_EDGE_ORDERS)];
    let mut hits = 0;
    for i in 0..60 {
        let [start, end] = queries::mixed_exponents(&mut random, 1020);
        let (impact, orders) = kinds[i % 2];
        let time = impact(start, end);
        let order = random.pick(&orders);
        let [s, e] = [start, end].map(|points| order.map(|point| points[point]));
        assert_eq!(impact(s, e), time, "in another order: {start:?} {end:?}");
        assert_eq!(impact(end, start).is_some(), time.is_some(), "backwards: {start:?} {end:?}");
        hits += usize::from(time.is_some());
    }
    assert!((2..58).contains(&hits), "{hits}");
}

#[test]
fn touches_at_an_end_of_the_step() {
    compare(0x91, 800, queries::touch_at_end);
}

#[test]
fn what_is_not_finite_does_not_touch() {
    let [a, b, c] = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let vertex = |z: f64| DVec3::new(0.25, 0.25, z);
    assert!(vertex_face_impact([vertex(1.0), a, b, c], [vertex(-1.0), a, b, c]).is_some());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..24 {
            let mut points = [vertex(1.0), a, b, c, vertex(-1.0), a, b, c];
            points[place / 3][place % 3] = bad;
            let [s0, s1, s2, s3, e0, e1, e2, e3] = points;
            assert!(vertex_face_impact([s0, s1, s2, s3], [e0, e1, e2, e3]).is_none());
            assert!(edge_edge_impact([s0, s1, s2, s3], [e0, e1, e2, e3]).is_none());
        }
    }
}
