//! The error of a reduced animation, checked in exact arithmetic, and rejected input.

use num_bigint::BigInt;
use pliant::glam::DVec3;
use pliant_sim::{Error, Keep, PrincipalComponents, principal_components};
use proptest::prelude::*;

type Frames = Vec<Vec<DVec3>>;

/// A finite number as an integer multiple of 2^-1074.
fn exact(x: f64) -> BigInt {
    let bits = x.abs().to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let whole = match exponent {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction | 1 << 52) << (exponent - 1),
    };
    if x < 0.0 { -whole } else { whole }
}

/// Whether two points are at most this far apart, in real arithmetic.
fn within(a: DVec3, b: DVec3, distance: f64) -> bool {
    let square = |n: usize| {
        let difference = exact(a[n]) - exact(b[n]);
        &difference * &difference
    };
    square(0) + square(1) + square(2) <= exact(distance) * exact(distance)
}

/// The guarantee: no vertex of any frame is off by more than the reported error, and the error is
/// not much larger than necessary.
fn check(frames: &Frames, model: &PrincipalComponents) {
    let mut largest: f64 = 0.0;
    for (frame, q) in frames.iter().zip(&model.coordinates) {
        assert_eq!(q.len(), model.modes.count());
        for (vertex, &position) in frame.iter().enumerate() {
            let reduced = model.modes.displaced(model.rest[vertex], vertex, q);
            assert!(within(position, reduced, model.largest_error));
            largest = largest.max(position.distance(reduced));
        }
    }
    assert!(model.largest_error <= largest * (1.0 + 1e-13) + 1e-130);
}

/// A string of points with a few waves, and an individual wobble per point.
fn waves(vertices: usize, frames: usize, wobble: f64) -> Frames {
    let at = |frame: usize, vertex: usize| {
        let (t, x) = (frame as f64 * 0.37, vertex as f64 * 0.11);
        let own = ((vertex * 7919 + frame * 104_729) % 1009) as f64 / 1009.0 - 0.5;
        DVec3::new(
            x + 0.3 * (2.0 * x).sin() * t.cos(),
            (x + 1.0).sin() * t.sin() + 0.2 * (3.0 * x).cos() * (2.0 * t).sin(),
            wobble * own + 5.0,
        )
    };
    (0..frames).map(|frame| (0..vertices).map(|vertex| at(frame, vertex)).collect()).collect()
}

#[test]
fn more_components_are_nearer_and_enough_are_near() {
    let frames = waves(700, 30, 1e-3);
    let mut last = f64::INFINITY;
    for rank in [0, 1, 3, 7] {
        let model = principal_components(&frames, None, Keep::Rank(rank)).unwrap();
        check(&frames, &model);
        assert_eq!(model.modes.count(), rank);
        assert!(model.largest_error < last);
        last = model.largest_error;
    }
    assert!(last < 2e-3);
    let all = principal_components(&frames, None, Keep::Rank(1000)).unwrap();
    check(&frames, &all);
    assert!(all.modes.count() < 30 && all.largest_error < 1e-6);
}

#[test]
fn the_fewest_components_for_an_error() {
    let frames = waves(600, 25, 1e-3);
    for asked in [10.0, 0.5, 0.1, 1e-2, 1e-3, 3e-4, 1e-6] {
        let model = principal_components(&frames, None, Keep::Error(asked)).unwrap();
        check(&frames, &model);
        assert!(model.largest_error <= asked);
        if let Some(fewer) = model.modes.count().checked_sub(1) {
            let fewer = principal_components(&frames, None, Keep::Rank(fewer)).unwrap();
            assert!(fewer.largest_error > asked);
        }
    }
    let error = principal_components(&frames, None, Keep::Error(1e-12)).unwrap_err();
    assert!(matches!(error, Error::ErrorOutOfReach { reached, .. } if reached < 1e-6), "{error}");
    assert!(matches!(
        principal_components(&frames, None, Keep::Error(f64::NAN)),
        Err(Error::InvalidSetting { .. })
    ));
}

#[test]
fn a_given_rest_shape_is_kept() {
    let frames = waves(100, 12, 0.0);
    let rest: Vec<DVec3> = frames[3].iter().map(|&p| p + DVec3::Y).collect();
    let model = principal_components(&frames, Some(&rest), Keep::Rank(6)).unwrap();
    assert_eq!(model.rest, rest);
    check(&frames, &model);
    // The shift adds part of one component to the three of the motion.
    assert!(model.modes.count() == 4 && model.largest_error < 1e-6);
}

#[test]
fn still_animations_have_no_modes_and_no_error() {
    let third = waves(50, 1, 0.3);
    for frames in [third.clone(), vec![third[0].clone(); 7], vec![vec![]; 3]] {
        for keep in [Keep::Rank(4), Keep::Error(0.0)] {
            let model = principal_components(&frames, None, keep).unwrap();
            assert_eq!((model.modes.count(), model.largest_error), (0, 0.0));
            assert_eq!(model.rest, frames[0]);
        }
    }
}

#[test]
fn wrong_animations_are_refused_by_element() {
    let none: Frames = vec![];
    assert_eq!(principal_components(&none, None, Keep::Rank(1)).unwrap_err(), Error::NoFrames);
    let mut frames = waves(5, 4, 0.0);
    frames[2].pop();
    let error = principal_components(&frames, None, Keep::Rank(1)).unwrap_err();
    assert_eq!(error.to_string(), "frame 2 has 4 vertices, but the first frame has 5");
    let mut frames = waves(5, 4, 0.0);
    let error = principal_components(&frames, Some(&[]), Keep::Rank(1)).unwrap_err();
    assert!(matches!(error, Error::VertexCount { what: "rest shape", .. }));
    for bad in [f64::NAN, f64::INFINITY, -1e200] {
        frames[3][1].y = bad;
        let error = principal_components(&frames, None, Keep::Rank(1)).unwrap_err();
        assert!(matches!(error, Error::InvalidPosition { number: 3, vertex: 1, .. }), "{error}");
    }
    let many = vec![vec![DVec3::ZERO]; 5000];
    let error = principal_components(&many, None, Keep::Rank(1)).unwrap_err();
    assert!(matches!(error, Error::TooMany { what: "frames", .. }));
}

#[test]
fn the_same_bits_on_every_run() {
    let frames = waves(3000, 20, 0.1);
    let run = || principal_components(&frames, None, Keep::Rank(10)).unwrap();
    let (first, second) = (run(), run());
    assert_eq!(first.modes, second.modes);
    assert_eq!(first.coordinates, second.coordinates);
    assert_eq!(first.largest_error.to_bits(), second.largest_error.to_bits());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_error_bounds_every_vertex_of_every_frame_at_any_scale(
        vertices in 1usize..9,
        numbers in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..60),
        scale in prop::sample::select(vec![1e-300, 1e-160, 1e-20, 1.0, 1e20, 1e150]),
        rank in 0usize..6,
        offset in prop::sample::select(vec![0.0, 1.0, 1e9]),
    ) {
        let offset = f64::min(offset, 1e150 / scale);
        let point = |&p: &[f64; 3]| scale * (DVec3::from_array(p) + offset);
        let points: Vec<DVec3> = numbers.iter().map(point).collect();
        let frames: Frames = points.chunks_exact(vertices).map(<[DVec3]>::to_vec).collect();
        prop_assume!(!frames.is_empty());
        let model = principal_components(&frames, None, Keep::Rank(rank)).unwrap();
        check(&frames, &model);
    }
}
