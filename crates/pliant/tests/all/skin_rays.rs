//! What a ray hits on a skin is what brute force hits, to the last bit: in frames of their own rays skip
//! nodes that they miss.

use crate::skin_support::{BLENDINGS, Kind, RandomSkin, random_joints, random_skin};
use pliant::bound::RefitPolicy;
use pliant::deform::{Binding, Blending, Influence, Modes, SkinWeights};
use pliant::glam::{DAffine3, DVec3};
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::volume::Ray;
use pliant::{Body, Collide as _, Mesh, SkinnedBody, ray_cast, ray_hits};
use pliant_scenes::Random;
use proptest::prelude::*;

/// Rays at vertices, at midpoints of edges, at centroids of triangles, and past all of them, from near and far.
fn rays(body: &SkinnedBody, random: &mut Random, size: f64) -> Vec<Ray> {
    let triangles = body.mesh().triangles().len() as f64;
    let mut rays = Vec::new();
    for round in 0..12 {
        let [a, b, c] = body.triangle((random.unit() * triangles) as u32);
        let target = match round % 4 {
            0 => a,
            1 => 0.5 * (a + b),
            2 => (a + b + c) / 3.0,
            _ => a + 0.1 * size * random.in_cube(),
        };
        let way = match round % 3 {
            0 => DVec3::AXES[round % 4 % 3],
            // In the plane of the triangle.
            1 if round % 2 == 0 => b - a,
            _ => random.in_cube(),
        };
        let from = target - way * size * [0.0, 3.0, 1e4][round % 3];
        // Directions of any length.
        let length = [1.0, 1e-150, 1e150][round % 5 % 3];
        rays.extend(Ray::new(from, (target - from) * length));
        rays.extend(Ray::new(from, way * length));
    }
    rays
}

/// After a pose with this many rays, those of the next pose share boxes.
const SHARED_BOX_RAYS: usize = 64;

/// Casts each ray as the first of its pose, and then all in a pose after one with so many rays that they
/// share boxes.
fn check(
    body: &mut SkinnedBody,
    pose: &[DAffine3],
    morph: &[f64],
    rays: &[Ray],
    what: &str,
) -> usize {
    let mut hits = 0;
    for shared in [false, true] {
        body.set_policy(RefitPolicy::Adaptive);
        body.set_pose(pose, morph).unwrap();
        let before = rays.iter().cycle().take(if shared { SHARED_BOX_RAYS } else { 0 });
        before.for_each(|ray| assert!(ray_cast(body, ray).work.bounds > 0));
        body.set_pose(pose, morph).unwrap();
        for ray in rays {
            if !shared {
                body.set_pose(pose, morph).unwrap();
            }
            let (found, truth) = (ray_cast(body, ray).hit, brute_force::ray_cast(body, ray).hit);
            assert_eq!(found, truth, "{what}, shared {shared}: {ray:?}");
            hits += usize::from(found.is_some());
            let all = ray_hits(body, ray).hits;
            assert_eq!(all, brute_force::ray_hits(body, ray).hits, "{what}, all: {ray:?}");
            assert_eq!(all.first(), truth.as_ref(), "{what}, first of all: {ray:?}");
        }
        assert!(!shared || body.bounds().refitted() > 0, "{what}: boxes are shared");
    }
    hits
}

fn check_skin(
    skin: &RandomSkin,
    blending: Blending,
    pose: &[DAffine3],
    morph: &[f64],
    random: &mut Random,
    what: &str,
) -> usize {
    let mut hits = 0;
    for settings in [BuildSettings::SURFACE_AREA, BuildSettings::WIDE] {
        let (mesh, binding) = (skin.mesh.clone(), skin.binding.clone());
        let mut body = Body::skinned_with(mesh, binding, blending, &settings).unwrap();
        body.set_pose(pose, morph).unwrap();
        let [a, b, _] = body.triangle(0);
        let size = (4.0 * a.distance(b)).max(f64::MIN_POSITIVE);
        let rays = rays(&body, random, size);
        hits += check(&mut body, pose, morph, &rays, what);
    }
    hits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rays_hit_what_brute_force_hits(
        seed in any::<u64>(), joints in 1..12usize, most in 1..9usize, targets in 0..3usize,
        kind in proptest::sample::select(vec![
            Kind::Gentle, Kind::Moderate, Kind::Any, Kind::HalfTurns, Kind::Coincident, Kind::Affine,
            Kind::Far,
        ]),
        exponent in -12..12i32, refinements in 0..4u32,
    ) {
        let mut random = Random::new(seed);
        let size = 10f64.powi(exponent);
        let skin = random_skin(&mut random, refinements, joints, most, targets, size);
        let morph: Vec<f64> = (0..targets).map(|_| random.in_cube().x * 2.0).collect();
        for blending in BLENDINGS {
            let kind = if blending != Blending::Linear && kind == Kind::Affine { Kind::Any } else { kind };
            let pose = random_joints(&mut random, joints, kind, size);
            check_skin(&skin, blending, &pose, &morph, &mut random, &format!("{blending:?} {kind:?}"));
        }
    }
}

/// A body so far from the world's origin that `f64` rounds its vertices as coarsely as `f32` would near it.
#[test]
fn rays_hit_bodies_far_away() {
    let mut random = Random::new(21);
    let mut hits = 0;
    for exponent in [3, 6, 9, 12, 15, 17] {
        let skin = random_skin(&mut random, 3, 5, 3, 0, 1.0);
        let away = DAffine3::from_translation(random.in_cube() * 10f64.powi(exponent));
        let pose = random_joints(&mut random, 5, Kind::Moderate, 1.0);
        let pose: Vec<DAffine3> = pose.into_iter().map(|joint| away * joint).collect();
        let what = format!("1e{exponent} away");
        hits += check_skin(&skin, Blending::Linear, &pose, &[], &mut random, &what);
    }
    assert!(hits > 300, "only {hits} hits");
}

/// Joints of which some shrink and others stretch, within the range of bounds and beyond.
#[test]
fn rays_hit_what_joints_stretch() {
    let mut random = Random::new(22);
    let mut hits = 0;
    for (least, most) in [(1e-8, 1e8), (0.0, 1.0), (1e-30, 1e-20), (1e10, 1e17), (1e20, 1e30)] {
        for round in 0..6 {
            let skin = random_skin(&mut random, 3, 6, 1 + round % 4, 0, 1.0);
            let mut pose = random_joints(&mut random, 6, Kind::Affine, 1.0);
            for (number, joint) in pose.iter_mut().enumerate() {
                joint.matrix3 *= if number % 2 == 0 { least } else { most };
            }
            let what = format!("by {least} and {most}");
            hits += check_skin(&skin, Blending::Linear, &pose, &[], &mut random, &what);
        }
    }
    assert!(hits > 1000, "only {hits} hits");
}

/// A ray in its own frame moves few vertices and leaves no box behind.
#[test]
fn a_ray_moves_few_vertices() {
    let mut random = Random::new(23);
    let skin = random_skin(&mut random, 6, 4, 2, 0, 1.0);
    let mut body = Body::skinned(skin.mesh.clone(), skin.binding, Blending::Linear).unwrap();
    let pose = random_joints(&mut random, 4, Kind::Gentle, 1.0);
    body.set_pose(&pose, &[]).unwrap();
    let target = body.triangle(77)[0];
    body.set_pose(&pose, &[]).unwrap();
    let ray = Ray::new(target + DVec3::new(5.0, 4.0, 3.0), DVec3::new(-5.0, -4.0, -3.0)).unwrap();
    assert!(ray_cast(&body, &ray).hit.is_some());
    let moved = body.deformation().computed_vertices();
    assert!(moved > 2 && 100 * moved < body.mesh().positions().len(), "{moved} moved");
    assert_eq!(body.bounds().refitted(), 0, "no box is left behind");
}

/// A mesh whose triangles have vertices of their own: those at one place that the same joints move are computed
/// once, those that other joints move are not.
#[test]
fn a_mesh_without_an_index_moves_as_few_vertices() {
    let mut random = Random::new(29);
    let skin = random_skin(&mut random, 4, 5, 3, 1, 1.0);
    let own = |torn: bool| {
        let (mesh, weights) = (&skin.mesh, skin.binding.weights());
        let corners = mesh.triangles().as_flattened();
        let positions = corners.iter().map(|&vertex| mesh.positions()[vertex as usize]).collect();
        let triangles = (0..mesh.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        let mut repeated = SkinWeights::default();
        for (corner, &vertex) in corners.iter().enumerate() {
            match torn && corner % 7 == 0 {
                true => repeated.push(&[Influence { joint: 2, weight: 1.0 }]),
                false => repeated.push(weights.of(vertex as usize)),
            }
        }
        let modes = skin.binding.morph().unwrap();
        let field = corners.iter().map(|&vertex| modes.of(vertex as usize)[0].as_dvec3()).collect();
        let modes = Modes::from_fields(corners.len(), &[field]).unwrap();
        let binding = Binding::new(repeated, 5).unwrap().with_morph(modes).unwrap();
        RandomSkin { mesh: Mesh::new(positions, triangles.collect()).unwrap(), binding }
    };
    let pose = random_joints(&mut random, 5, Kind::Moderate, 1.0);
    for blending in BLENDINGS {
        check_skin(&own(true), blending, &pose, &[0.4], &mut random, "torn");
    }
    let repeated = own(false);
    let [first, second] = [skin, repeated].map(|RandomSkin { mesh, binding }| {
        let mut body = Body::skinned(mesh, binding, Blending::Linear).unwrap();
        body.set_pose(&pose, &[0.4]).unwrap();
        let target = body.triangle(77)[0];
        let ray = Ray::new(target + DVec3::new(5.0, 4.0, 3.0), DVec3::new(-5.0, -4.0, -3.0));
        body.set_pose(&pose, &[0.4]).unwrap();
        let hits = ray_hits(&body, &ray.unwrap()).hits;
        (hits, body.deformation().computed_vertices())
    });
    assert_eq!(first.0, second.0);
    assert!(first.1 > 2 && second.1 < 2 * first.1, "{} and {}", first.1, second.1);
}

/// A small body behind a ray whose direction is so long that the distance, divided by it, underflows.
#[test]
fn bodies_behind_a_ray_are_not_hit_however_long_its_direction_is() {
    let mut random = Random::new(24);
    let pose = [DAffine3::IDENTITY; 3];
    for (size, length) in [(1e-20, 1e308), (1e-30, 1e300), (1e-36, 1e290)] {
        let skin = random_skin(&mut random, 3, 3, 2, 0, size);
        let mut body = Body::skinned(skin.mesh, skin.binding, Blending::Linear).unwrap();
        let inside = body.mesh().positions().iter().sum::<DVec3>() / 642.0;
        let ray = |from: f64| {
            Ray::new(inside + DVec3::Z * from * size, DVec3::new(0.0, 0.0, length)).unwrap()
        };
        assert_eq!(check(&mut body, &pose, &[], &[ray(3.0)], "behind"), 0);
        assert_eq!(check(&mut body, &pose, &[], &[ray(-3.0)], "ahead"), 2);
    }
}
