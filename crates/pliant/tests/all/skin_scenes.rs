//! The characters of the scenes, as skins: their bounds hold, and what they touch is what brute force
//! finds on the vertices, in all blendings.

use crate::skin_support::{BLENDINGS, bound_to_joints};
use pliant::deform::Blending;
use pliant::glam::DVec3;
use pliant::query::brute_force;
use pliant::tree::primitive_runs;
use pliant::volume::Ray;
use pliant::{Body, Collide as _, FreeBody, SkinnedBody};
use pliant::{closest_point, intersections, intersects, ray_cast, self_intersections};
use pliant_scenes::{TwoCharacters, large_twists, two_creatures, two_men_passing};

/// The same body with its vertices where they are now, for brute force.
fn moved(body: &SkinnedBody) -> FreeBody {
    let mut free = Body::free(body.mesh().clone()).unwrap();
    free.set_positions(&body.positions().collect::<Vec<_>>()).unwrap();
    free
}

fn check_bounds(body: &SkinnedBody, what: &str) {
    for (node, run) in primitive_runs(body.tree()).into_iter().enumerate() {
        let bound = body.bound(node as u32);
        for &triangle in &body.tree().primitives[run.start as usize..run.end as usize] {
            for corner in body.triangle(triangle) {
                assert!(bound.contains_point(corner), "{what}: node {node} misses {corner}");
            }
        }
    }
}

/// Rays at some vertices, and the points closest to where these rays start.
fn check_one(body: &SkinnedBody, free: &FreeBody, what: &str) {
    for (number, vertex) in (0..body.mesh().positions().len() as u32).step_by(797).enumerate() {
        let way = DVec3::new(3.0, (number % 5) as f64 - 2.0, (number % 3) as f64 - 1.0);
        let from = body.position(vertex).unwrap() + way;
        let ray = Ray::new(from, -way).unwrap();
        assert_eq!(ray_cast(body, &ray).hit, brute_force::ray_cast(free, &ray).hit, "{what}");
        let (found, truth) = (closest_point(body, from), brute_force::closest_point(free, from));
        assert_eq!(found.unwrap().found, truth.unwrap().found, "{what}");
    }
}

/// Gives how many pairs there were of both, and of the first with itself.
fn compare(scene: &TwoCharacters, blending: Blending, frame: usize) -> [usize; 2] {
    let what = format!("{blending:?}, frame {frame}");
    let mut bodies = [(); 2].map(|()| bound_to_joints(&scene.character, blending));
    for (body, pose) in bodies.iter_mut().zip(&scene.frames[frame]) {
        body.set_pose(pose, &[]).unwrap();
    }
    let [first, second] = &bodies;
    let (free, other) = (moved(first), moved(second));
    check_one(first, &free, &what);
    let pairs = brute_force::intersections(&free, &other).pairs;
    assert!(intersections(first, second).pairs == pairs, "{what}");
    assert_eq!(intersects(first, second).pair.is_some(), !pairs.is_empty(), "{what}");
    let own = brute_force::self_intersections(&free).pairs;
    assert!(self_intersections(first).pairs == own, "{what}: with itself");
    check_bounds(first, &what);
    check_bounds(second, &what);
    [pairs.len(), own.len()]
}

#[test]
fn two_men_passing_touch_as_brute_force_says() {
    let scene = two_men_passing().unwrap();
    for blending in BLENDINGS {
        assert_eq!(compare(&scene, blending, 20)[0], 0, "apart");
        assert!(compare(&scene, blending, 60)[0] > 0, "arms brush");
    }
}

#[test]
fn two_creatures_touch_as_brute_force_says() {
    let scene = two_creatures().unwrap();
    for blending in BLENDINGS {
        assert!(compare(&scene, blending, scene.frames.len() / 2)[0] > 100);
    }
}

#[test]
fn large_twists_touch_as_brute_force_says() {
    let scene = large_twists().unwrap();
    let middle = scene.frames.len() / 2;
    for blending in BLENDINGS {
        // Elbows and knees fold by more than 120 degrees.
        assert!(compare(&scene, blending, middle)[1] > 0);
        compare(&scene, blending, middle / 2);
    }
}
