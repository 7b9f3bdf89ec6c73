//! What queries find on skins is what brute force finds, for all blendings and volumes.

use crate::skin_support::{BLENDINGS, Kind, random_joints, random_skin};
use pliant::deform::{Binding, Blending, Influence, SkinWeights};
use pliant::glam::{DAffine3, DMat3, DQuat, DVec3};
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::volume::{Apart, Overlap, Ray, Volume};
use pliant::{Body, Collide, Error, Mesh};
use pliant::{closest_point, distance, intersections, intersects, ray_cast, self_intersections};
use pliant_scenes::Random;

/// Every query on two bodies, beside brute force. Gives the number of pairs.
fn compare<V, W>(
    a: &dyn Collide<Volume = V>,
    b: &dyn Collide<Volume = W>,
    random: &mut Random,
    what: &str,
) -> usize
where
    V: Volume + Overlap<W> + Apart<W> + Overlap<V>,
    W: Volume,
{
    let (a, b) = (&a, &b);
    let pairs = brute_force::intersections(a, b).pairs;
    assert!(intersections(a, b).pairs == pairs, "{what}");
    assert_eq!(intersects(a, b).pair.is_some(), !pairs.is_empty(), "{what}");
    assert_eq!(distance(a, b).squared, brute_force::distance(a, b).squared, "{what}");
    assert!(self_intersections(a).pairs == brute_force::self_intersections(a).pairs, "{what}");
    for _ in 0..4 {
        let eye = 6.0 * random.in_cube();
        let target = a.triangle(0)[0];
        if let Ok(ray) = Ray::new(eye, target - eye) {
            assert_eq!(ray_cast(a, &ray).hit, brute_force::ray_cast(a, &ray).hit, "{what}");
        }
        let (found, truth) = (closest_point(a, eye), brute_force::closest_point(a, eye));
        assert_eq!(found.unwrap().found, truth.unwrap().found, "{what}");
    }
    pairs.len()
}

#[test]
fn every_query_agrees_with_brute_force() {
    let mut random = Random::new(1);
    let mut found = 0;
    for kind in [Kind::Gentle, Kind::Any, Kind::HalfTurns, Kind::Antipodal, Kind::Coincident] {
        for (joints, most) in [(1, 1), (3, 2), (5, 4), (9, 8)] {
            let skin = random_skin(&mut random, 2, joints, most, joints % 3, 1.0);
            let morph = vec![0.7; joints % 3];
            for blending in BLENDINGS {
                let what = format!("{kind:?} {joints} {blending:?}");
                let (mesh, binding) = (&skin.mesh, &skin.binding);
                let settings = BuildSettings::default();
                let mut first = Body::skinned(mesh.clone(), binding.clone(), blending).unwrap();
                let spheres =
                    Body::skinned_spheres(mesh.clone(), binding.clone(), blending, &settings);
                let mut second = spheres.unwrap();
                first.set_pose(&random_joints(&mut random, joints, kind, 1.0), &morph).unwrap();
                second.set_pose(&random_joints(&mut random, joints, kind, 1.0), &morph).unwrap();
                found += compare(&first, &second, &mut random, &what);
                found += compare(&second, &first, &mut random, &what);
                let rigid = Body::rigid(mesh.clone()).unwrap();
                found += compare(&first, &rigid, &mut random, &what);
            }
        }
    }
    assert!(found > 10_000, "only {found} pairs");
}

#[test]
fn linear_blending_takes_any_affine_joint_and_the_others_name_it() {
    let mut random = Random::new(2);
    let skin = random_skin(&mut random, 2, 3, 3, 0, 1.0);
    let mut pose = random_joints(&mut random, 3, Kind::Any, 1.0);
    for (matrix, word) in [
        (DMat3::from_diagonal(DVec3::splat(1.001)), "scales"),
        (DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0)), "mirrors"),
        (DMat3::ZERO, "scales"),
    ] {
        pose[1].matrix3 = matrix;
        for blending in BLENDINGS {
            let mut body =
                Body::skinned(skin.mesh.clone(), skin.binding.clone(), blending).unwrap();
            let before = body.position(7);
            match (body.set_pose(&pose, &[]), blending) {
                (Ok(()), Blending::Linear) => {}
                (Err(Error::InvalidJoint { joint: 1, reason }), _) => {
                    assert!(reason.contains(word), "{reason}");
                    assert_eq!(body.position(7), before, "a refused pose changes nothing");
                }
                (other, _) => panic!("{blending:?} {other:?}"),
            }
        }
    }
}

#[test]
fn wrong_poses_are_refused() {
    let mut random = Random::new(4);
    let skin = random_skin(&mut random, 2, 2, 2, 1, 1.0);
    let (mesh, binding) = (skin.mesh, skin.binding);
    let mut body = Body::skinned(mesh, binding.clone(), Blending::Linear).unwrap();
    let still = DAffine3::IDENTITY;
    let mut broken = still;
    broken.translation.y = f64::NAN;
    let expect = |result, text: &str| {
        let error: Error = Result::unwrap_err(result);
        assert!(error.to_string().contains(text), "{error}");
    };
    expect(body.set_pose(&[still], &[0.0]), "1 joints were given, but the body has 2");
    expect(body.set_pose(&[still; 2], &[]), "0 morph weights were given");
    expect(body.set_pose(&[still, broken], &[0.0]), "joint 1 is not usable: it is not finite");
    expect(body.set_pose(&[still; 2], &[f64::INFINITY]), "morph target 0 is not finite");
    let fewer = Mesh::new(vec![DVec3::ZERO; 3], vec![[0, 1, 2]]).unwrap();
    expect(Body::skinned(fewer, binding, Blending::Linear).map(|_| ()), "162");
    let mut unnormalised = SkinWeights::default();
    unnormalised.push(&[Influence { joint: 0, weight: 0.999 }]);
    expect(Binding::new(unnormalised, 1).map(|_| ()), "vertex 0");
}

#[test]
fn clones_have_poses_of_their_own() {
    let mut random = Random::new(6);
    let skin = random_skin(&mut random, 2, 3, 3, 0, 1.0);
    for blending in BLENDINGS {
        let mut first = Body::skinned(skin.mesh.clone(), skin.binding.clone(), blending).unwrap();
        let pose = random_joints(&mut random, 3, Kind::Any, 1.0);
        first.set_pose(&pose, &[]).unwrap();
        let (place, bound) = (first.position(5), first.bound(0));
        let mut second = first.clone();
        assert_eq!((second.position(5), second.bound(0)), (place, bound));
        second.set_pose(&random_joints(&mut random, 3, Kind::Any, 1.0), &[]).unwrap();
        assert_eq!((first.position(5), first.bound(0)), (place, bound));
        assert_ne!(second.position(5), place);
        second.set_pose(&pose, &[]).unwrap();
        assert_eq!((second.position(5), second.bound(0)), (place, bound));
    }
}

#[test]
fn threads_change_nothing() {
    let mut random = Random::new(7);
    let skin = random_skin(&mut random, 2, 6, 4, 0, 1.0);
    for blending in BLENDINGS {
        let mut answers = Vec::new();
        let poses = [0, 1].map(|_| random_joints(&mut random, 6, Kind::Gentle, 1.0));
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            answers.push(pool.install(|| {
                let mut a =
                    Body::skinned(skin.mesh.clone(), skin.binding.clone(), blending).unwrap();
                let mut b = a.clone();
                a.set_pose(&poses[0], &[]).unwrap();
                b.set_pose(&poses[1], &[]).unwrap();
                (intersections(&a, &b), self_intersections(&a))
            }));
        }
        assert!(!answers[0].0.pairs.is_empty());
        assert_eq!(answers[0], answers[1], "{blending:?}");
    }
}

/// A distant copy is told apart by the two roots; a ray computes a few vertices.
#[test]
fn only_what_a_query_visits_is_computed() {
    let mut random = Random::new(10);
    let mesh = pliant_scenes::tube(0.2, 6.0, 32, 200, pliant_scenes::Ends::Closed).unwrap();
    let mut weights = SkinWeights::default();
    for p in mesh.positions() {
        let place = (p.y - 0.5).clamp(0.0, 4.999);
        let (joint, second) = (place.floor() as u32, place.fract());
        weights.push(&[
            Influence { joint, weight: 1.0 - second },
            Influence { joint: joint + 1, weight: second },
        ]);
    }
    let binding = Binding::new(weights, 6).unwrap();
    for blending in BLENDINGS {
        let mut near = Body::skinned(mesh.clone(), binding.clone(), blending).unwrap();
        let mut far = near.clone();
        let bend = |joint: usize| {
            let pivot = DVec3::new(0.0, joint as f64, 0.0);
            let turn = DQuat::from_rotation_x(0.2 * joint as f64);
            DAffine3::from_translation(pivot)
                * DAffine3::from_quat(turn)
                * DAffine3::from_translation(-pivot)
        };
        let pose: Vec<DAffine3> = (0..6).map(bend).collect();
        let aside = DAffine3::from_translation(DVec3::X * 30.0);
        let moved: Vec<DAffine3> = pose.iter().map(|joint| aside * *joint).collect();
        near.set_pose(&pose, &[]).unwrap();
        far.set_pose(&moved, &[]).unwrap();
        let apart = intersections(&near, &far);
        assert_eq!((apart.pairs.len(), apart.work.bounds), (0, 2));
        assert_eq!(near.deformation().computed_vertices(), 0);
        let aim = near.position(3000).unwrap();
        near.set_pose(&pose, &[]).unwrap();
        let ray = Ray::new(aim + 5.0 * random.in_cube() + DVec3::X * 9.0, -DVec3::X).unwrap();
        let _ = ray_cast(&near, &ray);
        let touched = near.deformation().computed_vertices();
        assert!(touched * 20 < mesh.positions().len(), "{blending:?}: {touched}");
        assert!(near.bounds().refitted() * 20 < near.nodes(), "{blending:?}");
    }
}

#[test]
fn all_positions_are_those_asked_for_one_by_one() {
    let mut random = Random::new(8);
    let skin = random_skin(&mut random, 2, 4, 4, 1, 1.0);
    for blending in BLENDINGS {
        let mut body = Body::skinned(skin.mesh.clone(), skin.binding.clone(), blending).unwrap();
        body.set_pose(&random_joints(&mut random, 4, Kind::Any, 1.0), &[0.3]).unwrap();
        let all: Vec<DVec3> = body.positions().collect();
        assert_eq!(body.deformation().computed_vertices(), 0, "nothing is kept");
        let one_by_one: Vec<DVec3> = (0..).map_while(|vertex| body.position(vertex)).collect();
        assert_eq!(all, one_by_one);
    }
}

/// A vertex that overflows to no number hides nothing of its neighbours in a leaf.
#[test]
fn a_vertex_that_overflows_hides_nothing() {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    let rest = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (3.0, 3.0), (4.0, 3.0), (4.0, 4.0)];
    let corners: Vec<DVec3> = rest.iter().map(|&(x, y)| corner(x, y)).collect();
    let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let mut weights = SkinWeights::default();
    for joint in [0, 0, 0, 0, 0, 1] {
        weights.push(&[Influence { joint, weight: 1.0 }]);
    }
    let matrix = DMat3::from_cols(DVec3::X * 1e308, DVec3::X * -1e308, DVec3::Z);
    let wild = DAffine3 { matrix3: matrix, translation: DVec3::ZERO };
    let other = Body::rigid(Mesh::new(corners[..3].to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
    for leaf_size in [1, 4] {
        let settings = BuildSettings { leaf_size, ..BuildSettings::default() };
        let binding = Binding::new(weights.clone(), 2).unwrap();
        let mut body =
            Body::skinned_with(mesh.clone(), binding, Blending::Linear, &settings).unwrap();
        body.set_pose(&[DAffine3::IDENTITY, wild], &[]).unwrap();
        assert!(body.position(5).unwrap().is_nan());
        assert!(intersections(&body, &other).pairs.contains(&[0, 0]), "{leaf_size} a leaf");
    }
}
