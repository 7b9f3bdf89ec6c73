//! A volume with a NaN excludes nothing: whatever is asked, it answers as if it were unbounded there.

use glam::{DVec3, Vec3, Vec3A};
use proptest::prelude::*;
use std::ops::ControlFlow;

use super::{Aabb, Apart, Overlap, Ray, Sphere, Volume};
use crate::contact::computed_distance_floor;
use crate::world::{BROAD_PHASES, BroadPhase, EveryPair, broad_phase_named};

/// A number of any size, or one that is not finite.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => (-1.0..1.0f32, -40..38i32).prop_map(|(x, exponent)| x * 10f32.powi(exponent)),
        1 => prop::sample::select(vec![0.0, f32::MAX, -f32::MAX, f32::INFINITY, f32::NEG_INFINITY]),
    ]
}

fn boxes() -> impl Strategy<Value = Aabb> {
    ([number(), number(), number()], [number(), number(), number()]).prop_map(|(a, b)| {
        let (a, b) = (Vec3A::from_array(a), Vec3A::from_array(b));
        Aabb { min: a.min(b), max: a.max(b) }
    })
}

fn spheres() -> impl Strategy<Value = Sphere> {
    ([number(), number(), number()], number()).prop_map(|(center, radius)| {
        let center = Vec3::from_array(center).clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
        Sphere { center, radius: radius.abs() }
    })
}

fn rays() -> impl Strategy<Value = Ray> {
    let coordinate = || (-1.0..1.0f64, -300..300i32).prop_map(|(x, e)| x * 10f64.powi(e));
    let vector = move || [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array);
    (vector(), vector()).prop_filter_map("a direction", |(from, to)| Ray::new(from, to).ok())
}

/// Nothing that a query does may leave this volume out.
fn excludes_nothing<V>(volume: &V, other_box: &Aabb, other_sphere: &Sphere, ray: &Ray)
where
    V: Volume + Apart<Aabb> + Apart<Sphere> + Overlap<Sphere>,
    Aabb: Overlap<V> + Apart<V>,
    Sphere: Overlap<V> + Apart<V>,
{
    assert!(volume.overlaps(other_box) && other_box.overlaps(volume));
    assert!(volume.overlaps(other_sphere) && other_sphere.overlaps(volume));
    assert_eq!(volume.distance_squared_to(other_box), 0.0);
    assert_eq!(other_box.distance_squared_to(volume), 0.0);
    assert_eq!(volume.distance_squared_to(other_sphere), 0.0);
    assert_eq!(other_sphere.distance_squared_to(volume), 0.0);
    let apart = volume.distance_squared_to_point(ray.origin());
    assert_eq!(apart, 0.0);
    assert_eq!(computed_distance_floor(apart, volume.point_error()), 0.0);
    assert_eq!(volume.ray_entry(ray, 0.0), Some(0.0));
    assert!(!volume.bounding_box().is_empty());
    assert!(Overlap::<Aabb>::overlaps(&volume.bounding_box(), other_box));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn volumes_of_nan_exclude_nothing(
        cube in boxes(), ball in spheres(), ray in rays(), negative in any::<bool>(),
    ) {
        let nan = if negative { -f32::NAN } else { f32::NAN };
        let all = Vec3A::splat(nan);
        excludes_nothing(&Aabb { min: all, max: all }, &cube, &ball, &ray);
        for axis in 0..4 {
            let mut unknown = ball;
            match axis {
                3 => unknown.radius = nan,
                axis => unknown.center[axis] = nan,
            }
            excludes_nothing(&unknown, &cube, &ball, &ray);
            prop_assert!(unknown.overlaps(&unknown));
            for both in [unknown.merge(&ball), ball.merge(&unknown), unknown.merge_box(&cube)] {
                excludes_nothing(&both, &cube, &ball, &ray);
            }
        }
        excludes_nothing(&Sphere::around_box(&Aabb { min: all, max: all }), &cube, &ball, &ray);
    }

    /// One side that is NaN is an infinite one.
    #[test]
    fn a_side_of_nan_is_unbounded(
        cube in boxes(), other in boxes(), ball in spheres(), ray in rays(), side in 0..6usize,
    ) {
        let (mut unknown, mut open) = (cube, cube);
        match side {
            0..3 => (unknown.min[side], open.min[side]) = (f32::NAN, f32::NEG_INFINITY),
            _ => (unknown.max[side - 3], open.max[side - 3]) = (f32::NAN, f32::INFINITY),
        }
        prop_assert!(unknown.overlaps(&other) || !open.overlaps(&other));
        prop_assert!(other.overlaps(&unknown) || !other.overlaps(&open));
        prop_assert!(unknown.overlaps(&ball) || !open.overlaps(&ball));
        prop_assert!(unknown.distance_squared_to(&other) <= open.distance_squared_to(&other));
        prop_assert!(other.distance_squared_to(&unknown) <= other.distance_squared_to(&open));
        prop_assert!(unknown.distance_squared_to(&ball) <= open.distance_squared_to(&ball));
        let from = ray.origin();
        prop_assert!(
            unknown.distance_squared_to_point(from) <= open.distance_squared_to_point(from)
        );
        prop_assert!(!unknown.is_empty() || cube.is_empty());
    }

    /// Points of NaN make volumes that exclude nothing.
    #[test]
    fn points_of_nan_exclude_nothing(
        points in prop::collection::vec([number(), number(), number()], 0..4), at in 0..4usize,
        axis in 0..3usize, cube in boxes(), ball in spheres(), ray in rays(),
    ) {
        let mut points: Vec<DVec3> =
            points.into_iter().map(|p| Vec3::from_array(p).as_dvec3()).collect();
        let mut unknown = DVec3::ZERO;
        unknown[axis] = f64::NAN;
        points.insert(at.min(points.len()), unknown);
        excludes_nothing(&Aabb::around(points.iter().copied()), &cube, &ball, &ray);
        excludes_nothing(&Sphere::around(DVec3::ONE, points.iter().copied()), &cube, &ball, &ray);
        excludes_nothing(&Sphere::new(unknown, 1.0), &cube, &ball, &ray);
        excludes_nothing(&Sphere::new(DVec3::ONE, f64::NAN), &cube, &ball, &ray);
    }

    /// The broad phase reports all that overlaps, boxes with a NaN too.
    #[test]
    fn broad_phases_miss_no_box_of_nan(
        mut boxes in prop::collection::vec(boxes(), 2..12),
        unknown in prop::collection::vec((0..12usize, 0..6usize), 0..6),
    ) {
        for (number, side) in unknown {
            let count = boxes.len();
            let cube = &mut boxes[number % count];
            match side {
                0..3 => cube.min[side] = f32::NAN,
                _ => cube.max[side - 3] = -f32::NAN,
            }
        }
        let pairs = |phase: &dyn BroadPhase| {
            let mut found = Vec::new();
            let _ = phase.pairs(&boxes, &mut crate::Work::default(), &mut |pair| {
                found.push(pair);
                ControlFlow::Continue(())
            });
            found.sort_unstable();
            found
        };
        let overlap = |&[i, j]: &[u32; 2]| boxes[i as usize].overlaps(&boxes[j as usize]);
        let truth: Vec<_> = pairs(&EveryPair).into_iter().filter(overlap).collect();
        for name in BROAD_PHASES {
            let phase = broad_phase_named(name).expect("a name of the list");
            let found: Vec<_> = pairs(&phase).into_iter().filter(overlap).collect();
            prop_assert_eq!(&found, &truth, "{}", name);
        }
    }
}
