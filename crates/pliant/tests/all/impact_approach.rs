//! Times at which balls, triangles and edges come within a distance, against measured distances.

use pliant::contact::{
    ImpactTime, ball_ball_impact, ball_triangle_impact, closest_point_on_triangle,
    edge_edge_approach, triangle_distance,
};
use pliant::glam::DVec3;
use pliant_scenes::Random;

/// Steps of random points, and distances that some of them come within.
fn steps(seed: u64, count: usize) -> impl Iterator<Item = ([[DVec3; 4]; 2], f64)> {
    let mut random = Random::new(seed);
    (0..count).map(move |_| {
        let mut points = || [(); 4].map(|()| random.in_cube() * 2.0);
        ([points(), points()], random.between(0.05, 1.0))
    })
}

/// Checks a time against distances that are measured in `f64` along the step.
fn check_samples(time: Option<ImpactTime>, reach: f64, distance: impl Fn(f64) -> f64) {
    const ROUNDING: f64 = 1e-12;
    let first = time.map_or(1.0, |time| time.lo);
    for sample in 0..=100 {
        let measured = distance(first * f64::from(sample) / 100.0);
        assert!(measured >= reach - ROUNDING, "{measured} before {time:?}");
    }
    if let Some(time) = time {
        let measured = distance(time.lo);
        assert!(time.lo == 0.0 || (measured - reach).abs() < ROUNDING, "{measured} at {time:?}");
        assert!(measured < reach + ROUNDING, "{measured} at {time:?}");
    }
}

#[test]
fn balls_and_triangles_come_within_their_distance() {
    let mut hits = [0; 3];
    for ([start, end], reach) in steps(0xa1, 300) {
        let at = |t: f64, i: usize| start[i] * (1.0 - t) + end[i] * t;
        let time = ball_triangle_impact(start, end, reach);
        if time.is_none_or(|time| time.lo > 0.0) {
            check_samples(time, reach, |t| {
                let [p, a, b, c] = [0, 1, 2, 3].map(|i| at(t, i));
                p.distance(closest_point_on_triangle(p, &[a, b, c]).point)
            });
        }
        hits[0] += usize::from(time.is_some());

        let ends = |points: &[DVec3; 4]| [points[0], points[1]];
        let balls = ball_ball_impact(ends(&start), ends(&end), [reach * 0.25, reach * 0.75]);
        if balls.is_none_or(|time| time.lo > 0.0) {
            check_samples(balls, reach, |t| at(t, 0).distance(at(t, 1)));
        }
        hits[1] += usize::from(balls.is_some());

        let time = edge_edge_approach(start, end, reach);
        if time.is_none_or(|time| time.lo > 0.0) {
            check_samples(time, reach, |t| {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| at(t, i));
                segment_distance([a, b], [c, d])
            });
        }
        hits[2] += usize::from(time.is_some());
    }
    assert!(hits.iter().all(|hits| (20..280).contains(hits)), "{hits:?}");
}

/// The distance of two segments, as that of degenerate triangles.
fn segment_distance([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    triangle_distance(&[a, b, b], &[c, d, d]).distance_squared.sqrt()
}

#[test]
fn a_distance_that_is_just_reached_counts() {
    let [a, b, c] = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let vertex = |z: f64| DVec3::new(0.25, 0.25, z);
    let (start, end) = ([vertex(2.0), a, b, c], [vertex(1.0), a, b, c]);
    let time = ball_triangle_impact(start, end, 1.0).unwrap();
    assert_eq!((time.lo, time.hi), (1.0, 1.0));
    assert!(ball_triangle_impact(start, end, 1.0f64.next_down()).is_none());
    // The ball slides along the plane at just its radius and enters over an edge.
    let (outside, inside) = (DVec3::new(0.25, -1.0, 1.0), DVec3::new(0.25, 1.0, 1.0));
    let time = ball_triangle_impact([outside, a, b, c], [inside, a, b, c], 1.0).unwrap();
    assert_eq!((time.lo, time.hi), (0.5, 0.5));
    // Balls of opposite sizes at the ends of `f64`.
    let (far, near) = (DVec3::X * 1e308, DVec3::X * 5e-324);
    assert!(ball_ball_impact([DVec3::ZERO, far], [DVec3::ZERO, near], [0.0, 5e-324]).is_some());
    assert!(ball_ball_impact([DVec3::ZERO, far], [DVec3::ZERO, near], [0.0, 0.0]).is_none());
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(ball_ball_impact([a, b], [a, a], [1.0, bad]).is_none());
        assert!(edge_edge_approach([a, b, c, a], [a, b, a, a], bad).is_none());
    }
}
