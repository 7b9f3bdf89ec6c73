//! Bounds used for pruning are never above what the primitive functions compute.
//!
//! The scenes are chosen so that volumes fit their triangles to the last bit of `f64`:
//! coordinates that are `f32` give tight boxes, corners a few units in the last place
//! around an `f32` give tight spheres. Elsewhere the rounding of volumes to `f32`
//! would hide every mistake.

use pliant::contact::{
    closest_point_on_triangle, computed_distance_floor, ray_triangle, triangle_distance,
};
use pliant::glam::DVec3;
use pliant::volume::{Aabb, Apart, Ray, Sphere, Volume};
use proptest::prelude::*;

type Triangle = [DVec3; 3];
type Check = Result<(), TestCaseError>;

/// Triangles around one place, and that place's unit of coordinates.
#[derive(Debug, Clone)]
struct Scene {
    triangles: Vec<Triangle>,
    unit: f64,
    place: DVec3,
}

impl Scene {
    fn boxed(&self, i: usize) -> Aabb {
        Aabb::around(self.triangles[i])
    }

    fn ball(&self, i: usize) -> Sphere {
        Sphere::around(self.place, self.triangles[i])
    }

    /// A point of the first triangle, often on its border.
    fn target(&self, (v, w): (i32, i32)) -> DVec3 {
        let [a, b, c] = self.triangles[0];
        a + (b - a) * (f64::from(v) / 8.0) + (c - a) * (f64::from(w) / 8.0)
    }
}

fn vector(c: &[i32]) -> DVec3 {
    DVec3::new(f64::from(c[0]), f64::from(c[1]), f64::from(c[2]))
}

/// Small integers, in units of the scale or of the last place of a far-away `f32`.
fn scene(count: usize) -> impl Strategy<Value = Scene> {
    // Few values make many corners equally far out, where rounding shows most.
    let grid = |range: i32| prop::collection::vec(prop::array::uniform9(-range..=range), count);
    let grid = prop_oneof![grid(8), grid(4), grid(2)];
    // Both signs, one binade: the last place is worth the same on every axis.
    let far = prop::array::uniform3(prop_oneof![-1.99..-1.0f64, 1.0..1.99f64]);
    let kind = prop_oneof![
        Just((0.0, 1.0)),          // at the origin
        Just((1e3, 0.37)),         // general position
        Just((1e8, 1.0 / 64.0)),   // far away, rounded
        Just((1.0, f64::EPSILON)), // as close together as f64 can tell apart
    ];
    (grid, far, kind, -30..=15i32).prop_map(|(grid, far, (offset, unit), exponent)| {
        // A power of two keeps the grid exact.
        let scale = 2f64.powi((f64::from(exponent) * std::f64::consts::LOG2_10) as i32);
        let place = (DVec3::from_array(far) * offset * scale).as_vec3().as_dvec3();
        let unit = unit * scale;
        let at = |c: &[i32]| place + vector(c) * unit;
        let triangles = grid.iter().map(|t| [at(&t[0..3]), at(&t[3..6]), at(&t[6..9])]);
        Scene { triangles: triangles.collect(), unit, place }
    })
}

/// The primitive of least value, the smallest number first: by looking at all, and by
/// skipping what the bounds allow to skip, in several orders.
fn check_search(
    count: usize,
    value: impl Fn(usize) -> f64,
    prune: impl Fn(usize, f64) -> bool,
) -> Check {
    let better = |best: (f64, usize), i: usize| {
        let v = value(i);
        if v < best.0 || (v == best.0 && i < best.1) { (v, i) } else { best }
    };
    let all = (0..count).fold((f64::INFINITY, usize::MAX), better);
    for start in 0..count {
        let mut best = (f64::INFINITY, usize::MAX);
        for i in (0..count).map(|k| (start + k * (count - 1)) % count) {
            if !prune(i, best.0) {
                best = better(best, i);
            }
        }
        prop_assert_eq!((best.0.to_bits(), best.1), (all.0.to_bits(), all.1));
    }
    Ok(())
}

fn check_points<V: Volume>(scene: &Scene, volume: impl Fn(usize) -> V, point: DVec3) -> Check {
    let value = |i: usize| closest_point_on_triangle(point, &scene.triangles[i]).distance_squared;
    let floor = |i: usize| {
        let volume = volume(i);
        computed_distance_floor(volume.distance_squared_to_point(point), volume.point_error())
    };
    for i in 0..scene.triangles.len() {
        prop_assert!(floor(i) <= value(i), "{i}: {:e} > {:e}", floor(i), value(i));
    }
    check_search(scene.triangles.len(), value, |i, best| floor(i) > best)
}

fn check_pair<V: Volume + Apart<W>, W: Volume>(a: &V, b: &W, found: f64) -> Check {
    let floor =
        computed_distance_floor(a.distance_squared_to(b), a.point_error() + b.point_error());
    prop_assert!(floor <= found, "{floor:e} > {found:e}");
    Ok(())
}

fn check_rays<V: Volume>(scene: &Scene, volume: impl Fn(usize) -> V, ray: &Ray) -> Check {
    for (i, triangle) in scene.triangles.iter().enumerate() {
        if let Some(hit) = ray_triangle(ray, triangle) {
            let entry = volume(i).ray_entry(ray, hit.t);
            prop_assert!(
                entry.is_some_and(|t| (0.0..=hit.t).contains(&t)),
                "{i}: entry {entry:?} for {hit:?}"
            );
        }
    }
    // A miss counts as the largest number, and is not searched for.
    let value = |i: usize| ray_triangle(ray, &scene.triangles[i]).map_or(f64::MAX, |hit| hit.t);
    check_search(scene.triangles.len(), value, |i, best| {
        best < f64::MAX && volume(i).ray_entry(ray, best).is_none()
    })
}

/// The middle of two corners that are 5 from the place is rounded to one that is 5.7
/// from it: closer to the point than any point of the sphere.
#[test]
fn a_computed_point_outside_the_sphere() {
    let at = |x: f64, y: f64| DVec3::ONE + DVec3::new(x, y, 0.0) * f64::EPSILON;
    let triangles = vec![[at(4.0, 3.0), at(3.0, 4.0), at(3.0, 4.0)]];
    let scene = Scene { triangles, unit: f64::EPSILON, place: DVec3::ONE };
    let (ball, point) = (scene.ball(0), at(8.0, 8.0));
    let found = closest_point_on_triangle(point, &scene.triangles[0]).distance_squared;
    assert!(found < 0.9 * ball.distance_squared_to_point(point));
    check_points(&scene, |i| scene.ball(i), point).expect("the stray makes up for it");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn distances_to_points(
        scene in scene(6),
        at in prop::array::uniform3(-40..=40i32),
        reach in prop_oneof![Just(0.0), Just(1.0), Just(1e4)],
        weights in (0..=4i32, 0..=4i32),
    ) {
        let point = if reach == 0.0 {
            // So close that the rounding of the computed point is all there is.
            let target = scene.target(weights);
            target + vector(&at) * (0.125 * f64::EPSILON * target.abs().max_element())
        } else {
            scene.place + vector(&at) * scene.unit * reach
        };
        check_points(&scene, |i| scene.boxed(i), point)?;
        check_points(&scene, |i| scene.ball(i), point)?;
    }

    #[test]
    fn distances_of_triangles(scene in scene(2), shift in prop::array::uniform3(-20..=20i32)) {
        let shift = vector(&shift) * scene.unit;
        let (a, b) = (scene.triangles[0], scene.triangles[1].map(|p| p + shift));
        let found = triangle_distance(&a, &b).distance_squared;
        let (ball_a, ball_b) = (scene.ball(0), Sphere::around(scene.place + shift, b));
        check_pair(&scene.boxed(0), &Aabb::around(b), found)?;
        check_pair(&ball_a, &ball_b, found)?;
        check_pair(&scene.boxed(0), &ball_b, found)?;
        check_pair(&ball_a, &Aabb::around(b), found)?;
    }

    /// Rays from near and far, along axes and in faces of boxes, at corners, edges and
    /// insides, with directions of any length.
    #[test]
    fn rays(
        scene in scene(6),
        from in prop::array::uniform3(-20..=20i32),
        reach in prop_oneof![Just(1.0), Just(1e3), Just(1e9)],
        weights in (0..=4i32, 0..=4i32),
        toward_target in any::<bool>(),
        length in prop_oneof![Just(1.0), Just(1e-270), Just(1e250), 0.1..10.0f64],
    ) {
        let target = scene.target(weights);
        let ray = if toward_target {
            let origin = scene.place + vector(&from) * scene.unit * reach;
            Ray::new(origin, (target - origin) * length)
        } else {
            let axis = vector(&from.map(|x| (x / 10).signum()));
            Ray::new(target - axis * scene.unit * reach, axis * length)
        };
        let Ok(ray) = ray else { return Ok(()) };
        check_rays(&scene, |i| scene.boxed(i), &ray)?;
        check_rays(&scene, |i| scene.ball(i), &ray)?;
    }
}
