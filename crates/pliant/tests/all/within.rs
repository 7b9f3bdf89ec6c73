//! `within` against brute force, and its exact decision against rational numbers.

use crate::support::{Kinds, for_each_kind, mapped, settings, soup};
use num_bigint::BigInt;
use pliant::contact::{closest_point_on_triangle, triangles_touch, triangles_within};
use pliant::glam::DVec3;
use pliant::query::brute_force;
use pliant::tree::{BuildSettings, Tree};
use pliant::{
    AnyBody, Body, Collide, Error, Isometry, Mesh, Within, WithinPair, World, intersections,
    self_intersections, self_within, within,
};
use pliant_scenes::{Random, cuboid, curtain_and_ball, icosphere, triangle_soup};
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

// ------------------------------------------------------------------ the oracle

type Vector = [BigInt; 3];

/// A finite number in units of 2^-1074.
fn integer(x: f64) -> BigInt {
    let bits = x.to_bits();
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let size = match exponent {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction | 1 << 52) << (exponent - 1),
    };
    if x < 0.0 { -size } else { size }
}

fn minus(u: &Vector, v: &Vector) -> Vector {
    [&u[0] - &v[0], &u[1] - &v[1], &u[2] - &v[2]]
}

fn dot(u: &Vector, v: &Vector) -> BigInt {
    &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2]
}

/// Whether two triangles are within a distance: the square of the distance is a convex quadratic
/// function of four weights (s, t of one, u, v of the other), whose least value over two triangles
/// is the least of its stationary values over all pairs of faces (corners, edges, the whole). Each
/// is found by Cramer's rule, with a common denominator, and counts if its weights are inside.
fn oracle(a: &[DVec3; 3], b: &[DVec3; 3], distance: f64) -> bool {
    let corners = |t: &[DVec3; 3]| t.map(|p| p.to_array().map(integer));
    let (a, b) = (corners(a), corners(b));
    let squared = integer(distance) * integer(distance);
    let faces: [&[usize]; 7] = [&[0], &[1], &[2], &[0, 1], &[1, 2], &[2, 0], &[0, 1, 2]];
    faces.iter().any(|of_a| faces.iter().any(|of_b| stationary(&a, of_a, &b, of_b, &squared)))
}

/// Whether the distance of two faces, as affine spaces, is attained inside both in a unique pair of
/// points and is within the distance.
fn stationary(
    a: &[Vector; 3],
    of_a: &[usize],
    b: &[Vector; 3],
    of_b: &[usize],
    squared: &BigInt,
) -> bool {
    // w + M x with the columns of M the edges of the first and the negated ones of the second.
    let w = minus(&a[of_a[0]], &b[of_b[0]]);
    let mut columns: Vec<Vector> = Vec::new();
    columns.extend(of_a[1..].iter().map(|&i| minus(&a[i], &a[of_a[0]])));
    columns.extend(of_b[1..].iter().map(|&j| minus(&b[of_b[0]], &b[j])));
    let n = columns.len();
    // Normal equations: G x = -M^T w.
    let gram: Vec<Vec<BigInt>> =
        columns.iter().map(|p| columns.iter().map(|q| dot(p, q)).collect()).collect();
    let right: Vec<BigInt> = columns.iter().map(|p| -dot(p, &w)).collect();
    let whole = determinant(&gram);
    let zero = BigInt::ZERO;
    if whole == zero {
        return false;
    }
    let x: Vec<BigInt> = (0..n)
        .map(|k| {
            let mut changed = gram.clone();
            for (row, value) in changed.iter_mut().zip(&right) {
                row[k] = value.clone();
            }
            determinant(&changed)
        })
        .collect();
    let (first, second) = x.split_at(of_a.len() - 1);
    for part in [first, second] {
        if part.iter().any(|x| *x < zero) || part.iter().sum::<BigInt>() > whole {
            return false;
        }
    }
    let at: Vector = [0, 1, 2].map(|i| {
        let moved: BigInt = columns.iter().zip(&x).map(|(column, x)| &column[i] * x).sum();
        &w[i] * &whole + moved
    });
    dot(&at, &at) <= squared * &whole * &whole
}

/// By expansion; the determinant of nothing is 1.
fn determinant(rows: &[Vec<BigInt>]) -> BigInt {
    let Some((first, rest)) = rows.split_first() else { return BigInt::from(1) };
    let mut sum = BigInt::ZERO;
    for (k, value) in first.iter().enumerate() {
        let without = |row: &Vec<BigInt>| {
            row.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, x)| x.clone()).collect()
        };
        let minor: Vec<Vec<BigInt>> = rest.iter().map(without).collect();
        let term = value * determinant(&minor);
        sum = if k % 2 == 0 { sum + term } else { sum - term };
    }
    sum
}

fn lattice_triangle() -> impl Strategy<Value = [DVec3; 3]> {
    let point = |n: i32| [-n..=n, -n..=n, -n..=n].prop_map(|p| DVec3::from(p.map(f64::from)));
    prop_oneof![[point(2), point(2), point(2)], [point(40), point(40), point(40)]]
}

fn general_triangle() -> impl Strategy<Value = [DVec3; 3]> {
    let point = || [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64].prop_map(DVec3::from_array);
    [point(), point(), point()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Distances are within a few units in the last place of the true one, where rounding decides.
    #[test]
    fn the_decision_is_that_of_rational_numbers(
        a in prop_oneof![lattice_triangle(), general_triangle()],
        b in prop_oneof![lattice_triangle(), general_triangle()],
        ulps in -2..=2i64,
    ) {
        let about = pliant::contact::triangle_distance(&a, &b).distance_squared.sqrt();
        let near = if about == 0.0 { 0.0 } else { f64::from_bits((about.to_bits() as i64 + ulps) as u64) };
        for distance in [near, about.round(), 0.5 * about, 0.0] {
            let expected = oracle(&a, &b, distance);
            prop_assert_eq!(triangles_within(&a, &b, distance), expected, "{}", distance);
            prop_assert_eq!(triangles_within(&b, &a, distance), expected, "{}", distance);
        }
    }
}

// ------------------------------------------------------- queries and brute force

fn bits(pair: &WithinPair) -> ([u32; 2], u64, [[u64; 3]; 3]) {
    let vectors = [pair.on_a, pair.on_b, pair.normal];
    (pair.triangles, pair.distance.to_bits(), vectors.map(|v| v.to_array().map(f64::to_bits)))
}

#[track_caller]
fn assert_same(name: &str, found: &Within, expected: &Within) {
    let triangles = |of: &Within| of.pairs.iter().map(|pair| pair.triangles).collect::<Vec<_>>();
    assert_eq!(triangles(found), triangles(expected), "{name}");
    assert!(found.pairs.iter().map(bits).eq(expected.pairs.iter().map(bits)), "{name}");
}

fn check_two(a: &Kinds, b: &Kinds, distance: f64) -> usize {
    let expected = brute_force::within(&a.free_boxes, &b.free_boxes, distance).unwrap();
    for_each_kind!(a, |name_a, body_a| {
        for_each_kind!(b, |name_b, body_b| {
            let found = within(body_a, body_b, distance).unwrap();
            assert_same(&format!("{name_a}, {name_b}"), &found, &expected);
            if distance == 0.0 {
                let touching = intersections(body_a, body_b).pairs;
                assert!(found.pairs.iter().map(|pair| pair.triangles).eq(touching));
            }
        });
    });
    let own = brute_force::self_within(&a.free_boxes, distance).unwrap();
    for_each_kind!(a, |name, body| {
        let found = self_within(body, distance).unwrap();
        assert_same(name, &found, &own);
        if distance == 0.0 {
            let touching = self_intersections(body).pairs;
            assert!(found.pairs.iter().map(|pair| pair.triangles).eq(touching), "{name}");
        }
    });
    expected.pairs.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn kinds_agree_with_brute_force_on_lattices(
        a in prop::collection::vec(lattice_triangle(), 1..12),
        b in prop::collection::vec(lattice_triangle(), 1..12),
        settings in settings(), distance in 0..4i32,
    ) {
        let (a, b) = (Kinds::new(&soup(&a), &settings), Kinds::new(&soup(&b), &settings));
        check_two(&a, &b, f64::from(distance));
    }

    #[test]
    fn kinds_agree_with_brute_force_when_deformed(
        seed in any::<u64>(), settings in settings(), distance in 0.0..0.5f64,
    ) {
        let mut random = Random::new(seed);
        let ball = icosphere(1).unwrap();
        let (turn, stretch) = (random.rotation(), random.in_cube());
        let moved = mapped(&ball, |p| turn * p + stretch * p.x * 0.5);
        let a = Kinds::deformed(&ball, moved.positions(), &settings);
        let other = triangle_soup(60, 0.3, seed).unwrap();
        let place = Isometry::new(random.rotation(), random.in_cube()).unwrap();
        check_two(&a, &Kinds::placed(&other, place, &settings), distance);
    }
}

#[test]
fn faces_at_exactly_the_distance() {
    let cube = cuboid(DVec3::ONE, [3, 3, 3]).unwrap();
    let settings = BuildSettings::default();
    for gap in [0.25, 0.1] {
        let a = Kinds::new(&cube, &settings);
        let b = Kinds::new(&mapped(&cube, |p| p + DVec3::Z * (1.0 + gap)), &settings);
        // As the moved corners were rounded.
        let true_gap = (0.5 - (1.0 + gap - 0.5f64)).abs();
        assert_eq!(check_two(&a, &b, true_gap.next_down()), 0);
        assert!(check_two(&a, &b, true_gap) > 100);
    }
}

#[test]
fn pairs_and_work_do_not_depend_on_threads() {
    let scene = curtain_and_ball(1, 4).unwrap();
    let mut curtain = Body::free(scene.curtain.mesh.clone()).unwrap();
    curtain.set_positions(&scene.curtain.positions(60).unwrap()).unwrap();
    let ball = Body::rigid(mapped(&scene.ball.mesh, |p| p + scene.ball.centers[60])).unwrap();
    let mut first = None;
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| {
            (within(&curtain, &ball, 0.05).unwrap(), self_within(&curtain, 0.02).unwrap())
        });
        assert!(found.0.work.overlap_tests > 70_000, "{:?}", found.0.work);
        assert!(found.0.pairs.len() > 100 && found.1.pairs.len() > 100);
        assert!(found == *first.get_or_insert_with(|| found.clone()), "{threads} threads");
    }
}

#[test]
fn pairs_of_a_world() {
    let ball = icosphere(2).unwrap();
    let mut world = World::new();
    let mut ids = Vec::new();
    for k in 0..4 {
        let mut body = Body::rigid(ball.clone()).unwrap();
        body.set_isometry(Isometry::from_translation(DVec3::X * (2.05 * f64::from(k))).unwrap());
        let body: AnyBody = match k {
            0 => body.into(),
            1 => Body::free(mapped(&ball, |p| p + DVec3::X * 2.05)).unwrap().into(),
            _ => body.into(),
        };
        ids.push(world.insert(body).unwrap());
    }
    world.set_self_contact(ids[0], true).unwrap();
    world.set_ignored(ids[2], ids[3], true).unwrap();
    for (distance, pairs) in [(0.01, 0), (0.06, 2), (0.5, 3), (2.2, 5)] {
        let found = world.within(distance).unwrap();
        let expected = pliant::world::brute_force::within(&world, distance).unwrap();
        assert_eq!(found.bodies, expected.bodies);
        assert_eq!(found.bodies.len(), pairs, "{distance}");
    }
}

/// A body that records which of its triangles are asked for.
struct Asked<'a, C> {
    body: &'a C,
    asked: Vec<AtomicBool>,
}

impl<C: Collide> Collide for Asked<'_, C> {
    type Volume = C::Volume;

    fn tree(&self) -> &Tree {
        self.body.tree()
    }

    fn bound(&self, node: u32) -> C::Volume {
        self.body.bound(node)
    }

    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.asked[triangle as usize].store(true, Ordering::Relaxed);
        self.body.triangle(triangle)
    }

    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.body.adjacent(first, second)
    }
}

#[test]
fn only_triangles_near_the_other_body_are_moved() {
    let ball = icosphere(4).unwrap();
    let moved = mapped(&ball, |p| p + DVec3::X * 2.02);
    let (a, b) = (Body::free(ball).unwrap(), Body::free(moved).unwrap());
    let asked = |count: usize| (0..count).map(|_| AtomicBool::new(false)).collect();
    let count = a.mesh().triangles().len();
    let watched = Asked { body: &a, asked: asked(count) };
    let found = within(&watched, &b, 0.05).unwrap();
    assert_eq!(found.pairs, within(&a, &b, 0.05).unwrap().pairs);
    assert!(!found.pairs.is_empty());
    let mut moved = 0;
    for (triangle, asked) in (0..).zip(&watched.asked) {
        if asked.load(Ordering::Relaxed) {
            moved += 1;
            let farthest = a.triangle(triangle).map(|p| p.x).into_iter().fold(f64::MIN, f64::max);
            assert!(farthest > 0.9, "triangle {triangle} is at {farthest}");
        }
    }
    assert!(moved < count / 20, "{moved} of {count}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Points on the triangles, their distance, and the way from one to the other.
    #[test]
    fn points_distance_and_normal_belong_together(
        a in prop_oneof![lattice_triangle(), general_triangle()],
        b in prop_oneof![lattice_triangle(), general_triangle()],
    ) {
        let body = |t: &[DVec3; 3]| Body::rigid(soup(&[*t])).unwrap();
        let found = within(&body(&a), &body(&b), 1e3).unwrap().pairs;
        let [pair] = found[..] else { panic!("{found:?}") };
        let largest = a.iter().chain(&b).fold(1.0f64, |most, p| most.max(p.abs().max_element()));
        for (point, triangle) in [(pair.on_a, &a), (pair.on_b, &b)] {
            let off = closest_point_on_triangle(point, triangle).distance_squared.sqrt();
            prop_assert!(off <= 1e-14 * largest, "{off}");
        }
        let way = pair.on_a - pair.on_b;
        if triangles_touch(&a, &b) {
            prop_assert_eq!((pair.distance, way), (0.0, DVec3::ZERO));
            let across = [b[1] - b[0], b[2] - b[0]].map(|edge| pair.normal.dot(edge).abs());
            prop_assert!(across.iter().all(|&off| off <= 1e-12 * largest), "{:?}", across);
        } else {
            prop_assert!(pair.distance > 0.0 && (way.length() - pair.distance).abs() <= 1e-15 * largest);
            prop_assert!((pair.normal * pair.distance - way).length() <= 1e-14 * largest);
            prop_assert!((pair.normal.length() - 1.0).abs() < 1e-12);
            // Nothing is nearer: the planes across the way have a triangle on either side.
            let along = |t: &[DVec3; 3]| t.map(|p| p.dot(pair.normal));
            let lowest = along(&a).into_iter().fold(f64::MAX, f64::min);
            let highest = along(&b).into_iter().fold(f64::MIN, f64::max);
            let tiny = 1e-13 * largest * (1.0 + largest / pair.distance);
            prop_assert!(lowest - highest >= pair.distance - tiny, "{} {}", lowest - highest, pair.distance);
        }
    }
}

#[test]
fn distances_that_are_none_are_refused() {
    let body = Body::rigid(icosphere(0).unwrap()).unwrap();
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(within(&body, &body, bad), Err(Error::InvalidDistance { .. })));
        assert!(self_within(&body, bad).is_err() && World::new().within(bad).is_err());
        assert!(brute_force::within(&body, &body, bad).is_err());
        assert!(brute_force::self_within(&body, bad).is_err());
    }
    let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    assert!(within(&body, &Body::rigid(mesh).unwrap(), 1e308).is_ok());
}
