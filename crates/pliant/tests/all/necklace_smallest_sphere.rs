//! Smallest spheres around balls against all bases of up to four.

use pliant::glam::{DMat3, DVec3};
use pliant::volume::{Ball, SmallestSphere, SphereBasis, smallest_sphere, smallest_sphere_from};
use proptest::prelude::*;

/// The radius needed around a centre.
fn needed(balls: &[Ball], center: DVec3) -> f64 {
    balls.iter().map(|b| (b.center - center).length() + b.radius).fold(0.0, f64::max)
}

/// Centres that touch all of up to four balls, by Gram matrices and two fixed values of s: another
/// way than the library's.
fn centers(balls: &[Ball]) -> Vec<DVec3> {
    let a = balls[0];
    let q: Vec<DVec3> = balls[1..].iter().map(|b| b.center - a.center).collect();
    let d: Vec<f64> = balls[1..].iter().map(|b| b.radius - a.radius).collect();
    // A basis of the flat by Gram-Schmidt, as columns; missing directions stay identity rows.
    let mut axes: Vec<DVec3> = Vec::new();
    for v in &q {
        let mut w = *v;
        for _ in 0..2 {
            for e in &axes {
                w -= *e * e.dot(w);
            }
        }
        if w.length() <= 1e-12 * v.length() || w.length() == 0.0 {
            return vec![];
        }
        axes.push(w.normalize());
    }
    let m = axes.len();
    let mut rows = DMat3::IDENTITY.to_cols_array_2d();
    for (row, v) in rows.iter_mut().zip(&q) {
        *row = [0.0; 3];
        for (slot, e) in row.iter_mut().zip(&axes) {
            *slot = v.dot(*e);
        }
    }
    let matrix = DMat3::from_cols_array_2d(&rows).transpose().inverse();
    let solve = |s: f64| {
        let mut h = [0.0; 3];
        for i in 0..m {
            h[i] = 0.5 * (q[i].length_squared() - d[i] * d[i]) + s * d[i];
        }
        let y = matrix * DVec3::from_array(h);
        axes.iter().zip(y.to_array()).fold(DVec3::ZERO, |sum, (e, c)| sum + *e * c)
    };
    if m == 0 {
        return vec![a.center];
    }
    let (x0, x1) = (solve(0.0), solve(1.0));
    let slope = x1 - x0;
    let (qa, qb, qc) = (slope.length_squared() - 1.0, 2.0 * x0.dot(slope), x0.length_squared());
    let mut roots = Vec::new();
    if qa.abs() < 1e-14 {
        roots.push(-qc / qb);
    } else {
        let disc = qb * qb - 4.0 * qa * qc;
        if disc >= 0.0 {
            roots.extend([(-qb + disc.sqrt()) / (2.0 * qa), (-qb - disc.sqrt()) / (2.0 * qa)]);
        }
    }
    roots.into_iter().map(|s| a.center + x0 + slope * s).filter(|c| c.is_finite()).collect()
}

/// The smallest radius over all subsets of up to four.
fn brute_force(balls: &[Ball]) -> f64 {
    let n = balls.len();
    let mut best = f64::INFINITY;
    let mut pick = Vec::new();
    fn go(balls: &[Ball], from: usize, pick: &mut Vec<Ball>, best: &mut f64) {
        if !pick.is_empty() {
            for c in centers(pick) {
                *best = best.min(needed(balls, c));
            }
        }
        if pick.len() == 4 {
            return;
        }
        for i in from..balls.len() {
            pick.push(balls[i]);
            go(balls, i + 1, pick, best);
            pick.pop();
        }
    }
    assert!(n <= 14);
    go(balls, 0, &mut pick, &mut best);
    best
}

fn check(balls: &[Ball], found: &SmallestSphere) -> Result<(), TestCaseError> {
    let scale = balls.iter().fold(0.0f64, |m, b| m.max(b.center.abs().max_element() + b.radius));
    for (i, b) in balls.iter().enumerate() {
        prop_assert!(b.reach_from(found.center) <= found.radius, "ball {i} sticks out");
        let f32_sphere = found.bound();
        let reach = (b.center - f32_sphere.center.as_dvec3()).length() + b.radius;
        prop_assert!(reach <= f64::from(f32_sphere.radius), "ball {i} sticks out of f32");
    }
    let best = brute_force(balls);
    prop_assert!(
        found.radius <= best * (1.0 + 1e-9) + 1e-12 * scale + 2e-153,
        "{} is not the smallest: {best}",
        found.radius
    );
    prop_assert!((1..=4).contains(&found.basis.members().len()));
    // The basis alone needs as large a sphere.
    let own: Vec<Ball> = found.basis.members().iter().map(|&m| balls[m as usize]).collect();
    prop_assert!(brute_force(&own) >= best * (1.0 - 1e-7) - 1e-10 * scale);
    Ok(())
}

fn ball(range: f64, radii: std::ops::Range<f64>) -> impl Strategy<Value = Ball> {
    ([-range..range, -range..range, -range..range], radii)
        .prop_map(|(c, r)| Ball::new(DVec3::from_array(c), r))
}

/// Few values: duplicates, collinear, coplanar and cospherical balls, equal radii.
fn lattice_ball() -> impl Strategy<Value = Ball> {
    ([-1..=1i32, -1..=1, -1..=1], 0..=2i32)
        .prop_map(|(c, r)| Ball::new(DVec3::from_array(c.map(f64::from)), f64::from(r) * 0.25))
}

/// On one sphere, with and without equal radii.
fn cospherical() -> impl Strategy<Value = Vec<Ball>> {
    (proptest::collection::vec((ball(1.0, 0.1..0.5), any::<bool>()), 1..10), any::<bool>())
        .prop_map(|(balls, points)| {
            let on = |(b, flip): (Ball, bool)| {
                let radius = if points { 0.0 } else { b.radius };
                let way = b.center.normalize_or(DVec3::X) * if flip { -1.0 } else { 1.0 };
                Ball::new(way * (1.0 - radius), radius)
            };
            balls.into_iter().map(on).collect()
        })
}

fn collinear() -> impl Strategy<Value = Vec<Ball>> {
    (proptest::collection::vec((-5.0..5.0f64, 0.0..1.0f64), 1..10), ball(1.0, 0.0..1.0)).prop_map(
        |(places, way)| {
            places.into_iter().map(|(t, r)| Ball::new(way.center * t + DVec3::Y, r)).collect()
        },
    )
}

fn balls() -> impl Strategy<Value = Vec<Ball>> {
    let many = |b: BoxedStrategy<Ball>| proptest::collection::vec(b, 1..11);
    prop_oneof![
        many(ball(1.0, 0.0..1e-9).boxed()),
        many(ball(1.0, 0.5..0.5000001).boxed()),
        many(ball(1.0, 0.0..1.5).boxed()),
        many(ball(0.01, 0.0..1.0).boxed()),
        many(lattice_ball().boxed()),
        cospherical(),
        collinear(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn the_sphere_is_the_smallest(balls in balls(), warm in proptest::collection::vec(0..12u32, 0..5)) {
        check(&balls, &smallest_sphere(&balls))?;
        check(&balls, &smallest_sphere_from(&balls, &SphereBasis::new(&warm)))?;
    }

    /// Far from the origin, tiny and huge.
    #[test]
    fn at_every_scale(balls in balls(), exponent in prop_oneof![Just(-100), Just(-30), Just(30), Just(100)]) {
        let unit = 10f64.powi(exponent);
        let moved: Vec<Ball> =
            balls.iter().map(|b| Ball::new(b.center * unit, b.radius * unit)).collect();
        let (there, here) = (smallest_sphere(&moved), smallest_sphere(&balls));
        for b in &moved {
            prop_assert!(b.reach_from(there.center) <= there.radius);
        }
        prop_assert!((there.radius / unit - here.radius).abs() <= 1e-9 + 2e-153 / unit);
    }

    #[test]
    fn far_from_the_origin_it_still_encloses(balls in balls(), far in 1e3..1e9f64) {
        let moved: Vec<Ball> = balls.iter().map(|b| Ball::new(b.center + far, b.radius)).collect();
        let found = smallest_sphere(&moved);
        for b in &moved {
            prop_assert!(b.reach_from(found.center) <= found.radius);
        }
        let here = smallest_sphere(&balls).radius;
        prop_assert!(found.radius <= here + far * 1e-12, "{} {here}", found.radius);
    }

    #[test]
    fn many_balls_are_enclosed(count in 50..400usize, seed in any::<u64>(), warm in any::<bool>()) {
        let mut state = seed | 1;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let balls: Vec<Ball> = (0..count)
            .map(|_| Ball::new(DVec3::new(random(), random(), random()), random().abs() * 0.1))
            .collect();
        let start = if warm { SphereBasis::new(&[7, 8, 9, 10]) } else { SphereBasis::default() };
        let found = smallest_sphere_from(&balls, &start);
        for b in &balls {
            prop_assert!(b.reach_from(found.center) <= found.radius);
        }
        // The basis proves that nothing smaller is possible.
        let own: Vec<Ball> = found.basis.members().iter().map(|&m| balls[m as usize]).collect();
        prop_assert!(found.radius <= brute_force(&own) * (1.0 + 1e-9));
    }
}

#[test]
fn nothing_one_and_contained() {
    let none = smallest_sphere(&[]);
    assert!(none.radius < 0.0 && none.basis.members().is_empty());
    assert!(none.bound().radius < 0.0);
    let one = smallest_sphere(&[Ball::new(DVec3::X, 2.0)]);
    assert!(one.center == DVec3::X && one.radius >= 2.0 && one.radius < 2.0 + 1e-12);
    let inner = Ball::new(DVec3::X * 0.5, 0.5);
    let outer = Ball::new(DVec3::ZERO, 1.0);
    for balls in [[inner, outer, outer], [outer, inner, inner]] {
        let found = smallest_sphere(&balls);
        assert!(found.radius < 1.0 + 1e-12 && found.basis.members().len() == 1);
    }
}

#[test]
fn extreme_coordinates_do_not_panic() {
    let numbers = [0.0, 1e308, -1e308, 1e-308, 5e-324, 1.0, 1e160, -1e-160];
    for &x in &numbers {
        for &y in &numbers {
            let balls = [
                Ball::new(DVec3::new(x, y, x), y.abs()),
                Ball::new(DVec3::new(y, x, 1.0), x.abs()),
                Ball::new(DVec3::new(y, y, x), 1.0),
            ];
            let found = smallest_sphere(&balls);
            assert!(found.center.is_finite() && !found.radius.is_nan());
            for b in &balls {
                assert!(b.reach_from(found.center) <= found.radius, "{balls:?} {found:?}");
            }
        }
    }
}
