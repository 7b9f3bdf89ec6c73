//! Spheres of skins where single terms of their bounds decide: joint sets side by side whose
//! rotation centres are far apart, limbs far from their hinges, meshes of next to no size.

use crate::skin_support::BLENDINGS;
use pliant::bound::SkinSpheres;
use pliant::deform::{Binding, Influence, Skin, SkinWeights};
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::tree::{BuildSettings, primitive_runs};
use pliant::{Body, Collide, Mesh};
use pliant_scenes::{Ends, Random, icosphere, tube};

fn assert_encloses(body: &Body<Skin, SkinSpheres>, what: &str) {
    for (node, run) in primitive_runs(body.tree()).into_iter().enumerate() {
        let bound = body.bound(node as u32);
        for &triangle in &body.tree().primitives[run.start as usize..run.end as usize] {
            for corner in body.triangle(triangle) {
                assert!(bound.contains_point(corner), "{what}: node {node}, {bound:?}, {corner}");
            }
        }
    }
}

/// The weights as influences, normalised.
fn push(weights: &mut SkinWeights, own: &[f64]) {
    let sum: f64 = own.iter().sum();
    let own = own.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
    let own: Vec<Influence> = own
        .map(|(joint, weight)| Influence { joint: joint as u32, weight: weight / sum })
        .collect();
    weights.push(&own);
}

/// A turn of so many degrees about an axis through a hinge.
fn turned(hinge: DVec3, axis: DVec3, degrees: f64) -> DAffine3 {
    DAffine3::from_translation(hinge)
        * DAffine3::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians()))
        * DAffine3::from_translation(-hinge)
}

/// Poses some bodies of all blendings and checks them.
fn check(mesh: &Mesh, binding: &Binding, settings: &BuildSettings, poses: &[Vec<DAffine3>]) {
    for blending in BLENDINGS {
        let mut body =
            Body::skinned_spheres(mesh.clone(), binding.clone(), blending, settings).unwrap();
        for (number, joints) in poses.iter().enumerate() {
            body.set_pose(joints, &[]).unwrap();
            assert_encloses(&body, &format!("{blending:?}, pose {number}"));
        }
    }
}

/// Nearly constant weights of two joints, and next to nothing of others here and there: neighbours
/// belong to different joint sets, whose centres are far apart.
#[test]
fn joint_sets_with_centres_far_apart() {
    let mut random = Random::new(5);
    let mesh = tube(0.3, 6.0, 6, 40, Ends::Open).unwrap();
    for round in 0..12 {
        let count = 3 + round % 4;
        let little = 10_f64.powf(random.between(-9.0, -1.0));
        let base = [random.unit() + 0.01, random.unit() + 0.01];
        let (vary, often) = (0.1 * f64::from(round % 2), random.between(0.05, 0.5));
        let mut weights = SkinWeights::default();
        for p in mesh.positions() {
            let mut own = vec![base[0] * (1.0 + vary * p.y), base[1]];
            own.extend((2..count).map(|_| match random.unit() < often {
                true => little * random.unit(),
                false => 0.0,
            }));
            push(&mut weights, &own);
        }
        let binding = Binding::new(weights, count as usize).unwrap();
        let mut pose = || {
            let common = DAffine3::from_quat(random.rotation());
            let most = random.between(0.0, 90.0);
            let (axis, same) = (random.in_cube().normalize(), random.unit() < 0.5);
            let joint = |joint: i32| {
                let hinge = random.in_cube() * 8.0;
                let axis = if same { axis } else { random.in_cube().normalize() };
                let part = if joint < 2 { f64::from(joint) } else { random.unit() };
                common * turned(hinge, axis, (part - 0.5) * most)
            };
            (0..count).map(joint).collect::<Vec<_>>()
        };
        let poses: Vec<_> = (0..8).map(|_| pose()).collect();
        let settings = [BuildSettings::SURFACE_AREA, BuildSettings::WIDE, BuildSettings::BALANCED];
        check(&mesh, &binding, &settings[round as usize % 3], &poses);
    }
}

/// A ball of one joint set, sloped or rough, near its hinge or far from it.
#[test]
fn balls_far_from_their_hinges() {
    let mut random = Random::new(6);
    for round in 0..40 {
        let ball = icosphere(1 + round % 2).unwrap();
        let at = random.in_cube() * [0.0, 3.0, 10.0, 30.0][round as usize % 4];
        let placed = ball.positions().iter().map(|&p| p + at).collect();
        let mesh = Mesh::new(placed, ball.triangles().to_vec()).unwrap();
        let count = 2 + round % 3;
        let middle = random.between(0.2, 0.8);
        let steep = random.between(0.0, 0.4).min(middle - 0.01).min(0.99 - middle);
        let rough = 0.3 * f64::from(round / 2 % 2);
        let along = random.in_cube().normalize();
        let mut weights = SkinWeights::default();
        for p in ball.positions() {
            let first = middle + steep * p.dot(along) + rough * random.in_cube().x;
            let first = first.clamp(0.001, 0.999);
            let mut own = vec![first, 1.0 - first];
            own.extend((2..count).map(|_| 0.2 * random.unit() + 1e-6));
            push(&mut weights, &own);
        }
        let binding = Binding::new(weights, count as usize).unwrap();
        let mut pose = || {
            let common = DAffine3::from_quat(random.rotation());
            let most = random.between(0.0, 170.0);
            let (axis, same) = (random.in_cube().normalize(), random.unit() < 0.6);
            let hinge = random.in_cube() * [0.0, 1.0, 30.0][(random.bits() % 3) as usize];
            let slide = if random.unit() < 0.3 { 20.0 } else { 0.0 };
            let joint = |joint: u32| {
                let axis = if same { axis } else { random.in_cube().normalize() };
                let part = if joint < 2 { f64::from(joint) } else { random.unit() };
                let moved = DAffine3::from_translation(axis * slide * random.in_cube().x);
                common * moved * turned(hinge, axis, (part - 0.5) * most)
            };
            (0..count).map(joint).collect::<Vec<_>>()
        };
        let poses: Vec<_> = (0..16).map(|_| pose()).collect();
        let settings = [BuildSettings::WIDE, BuildSettings::BALANCED][round as usize / 4 % 2];
        check(&mesh, &binding, &settings, &poses);
    }
}

/// Radii that `f32` cannot tell from zero, under joints that go far.
#[test]
fn next_to_no_size() {
    let ball = icosphere(2).unwrap();
    let there = DAffine3::from_translation(DVec3::new(5.0, 1.0, 2.0));
    let turn = DQuat::from_rotation_z(0.1);
    let other = DAffine3::from_rotation_translation(turn, DVec3::new(5.0, 1.1, 2.0));
    let still = vec![DAffine3::IDENTITY; 2];
    for scale in [1e-30, 1e-38, 1e-42, 1e-44, 1e-45, 3e-46, 1e-60] {
        let thin = DVec3::new(1.0, 2.0, 0.0);
        let tiny = ball.positions().iter().map(|&p| p * scale).collect();
        let flat = ball.positions().iter().map(|p| thin + DVec3::Z * p.z * scale).collect();
        for (positions, slope) in [(tiny, 0.0), (flat, 0.3)] {
            let mesh = Mesh::new(positions, ball.triangles().to_vec()).unwrap();
            for slope in [slope, 0.3 - slope] {
                let mut weights = SkinWeights::default();
                for p in ball.positions() {
                    push(&mut weights, &[0.5 + slope * p.x, 0.5 - slope * p.x]);
                }
                let binding = Binding::new(weights, 2).unwrap();
                let poses = [still.clone(), vec![there, other]];
                check(&mesh, &binding, &BuildSettings::WIDE, &poses);
            }
        }
    }
}
