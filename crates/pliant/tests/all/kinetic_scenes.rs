//! Scenes of cloth with every kind of bounds for motion that is known ahead: vertices are enclosed
//! after every step, and contacts with bodies of other kinds are those of brute force.

use std::sync::Arc;

use crate::support::kinetic::All;
use crate::support::{data_file, mapped};
use pliant::deform::{
    Binding, Blending, Course, Flight, Influence, Keyframes, Modes, Plan, SkinWeights,
};
use pliant::glam::{DAffine3, DVec3};
use pliant::query::brute_force;
use pliant::volume::{Overlap, Volume};
use pliant::{Body, Collide, Mesh, SkinnedBody, intersections, self_intersections};
use pliant_scenes::{
    Character, ExpandingSpheres, KeyframedCloth, Random, dress, expanding_spheres, icosphere,
    shirt, tablecloth,
};

fn all_of(cloth: &KeyframedCloth) -> All {
    let keyframes = Keyframes::new(cloth.times.clone(), cloth.frames.clone()).unwrap();
    All::keyframed(&cloth.mesh, keyframes)
}

/// Goes through all keyframes and random times between them. Some keyframes are skipped.
fn go_through(name: &str, cloth: &KeyframedCloth, between: usize) -> All {
    let mut random = Random::new(7);
    let mut all = all_of(cloth);
    all.check();
    for (number, span) in cloth.times.windows(2).enumerate() {
        if number % 6 == 4 {
            continue;
        }
        let mut times: Vec<f64> = (0..between).map(|_| random.between(span[0], span[1])).collect();
        times.push(span[1]);
        times.sort_by(f64::total_cmp);
        for time in times {
            all.advance(time);
            all.check();
        }
    }
    let events = all.kinetic.bounds().count().events;
    println!("{name}: {events} events");
    assert!(events as usize > cloth.mesh.triangles().len(), "{name} moves");
    all
}

#[test]
fn a_falling_tablecloth_is_enclosed() {
    let scene = tablecloth(2000).unwrap();
    go_through("tablecloth", &scene.cloth, 2);
}

#[test]
fn garments_are_enclosed() {
    go_through("shirt", &shirt(2500).unwrap().cloth, 6);
    go_through("dress", &dress(2500).unwrap().cloth, 6);
}

/// Two spheres grow. Only the vertices of triangles that touch turn round.
#[test]
fn expanding_spheres_are_enclosed_while_plans_turn() {
    let scene = expanding_spheres(500).unwrap();
    let until = 1.6;
    let course = |sphere: usize, vertex: usize| {
        let start = scene.spheres[sphere].positions()[vertex];
        Course::linear(0.0, start, scene.velocities[sphere][vertex])
    };
    let mut spheres = [0, 1].map(|sphere| {
        let mesh = &scene.spheres[sphere];
        let courses: Vec<_> = (0..mesh.positions().len()).map(|v| course(sphere, v)).collect();
        All::flying(mesh, &Flight::along(&courses, 0.0, until).unwrap())
    });
    let mut turned = [0, 1].map(|sphere| vec![false; scene.spheres[sphere].positions().len()]);
    let mut contacts = 0;
    for step in 0..=64 {
        let time = f64::from(step) / 40.0;
        for sphere in &mut spheres {
            sphere.advance(time);
            sphere.check();
        }
        let [a, b] = &spheres;
        let pairs = brute_force::intersections(&a.expiring, &b.expiring).pairs;
        assert_eq!(intersections(&a.expiring, &b.kinetic).pairs, pairs);
        assert_eq!(intersections(&a.kinetic, &b.planes).pairs, pairs);
        assert!(time >= ExpandingSpheres::CONTACT_TIME || pairs.is_empty());
        contacts += pairs.len();
        for (number, sphere) in spheres.iter_mut().enumerate() {
            let touched = pairs.iter().map(|pair| pair[number] as usize);
            let mut plans = Vec::new();
            for vertex in touched.flat_map(|triangle| scene.spheres[number].triangles()[triangle]) {
                if !std::mem::replace(&mut turned[number][vertex as usize], true) {
                    let here = sphere.expiring.position(vertex).unwrap();
                    let back = -scene.velocities[number][vertex as usize];
                    plans.push((vertex, Plan::Course(Course::linear(time, here, back))));
                }
            }
            if !plans.is_empty() {
                sphere.set_plans(&plans);
                sphere.check();
            }
        }
    }
    let count = turned.map(|turned| turned.iter().filter(|&&t| t).count());
    assert!(contacts > 20, "{contacts}");
    assert!(count.iter().all(|&n| n > 5 && n < 126), "{count:?} turned");
}

#[track_caller]
fn same_pairs<V, W>(a: &dyn Collide<Volume = V>, b: &dyn Collide<Volume = W>) -> usize
where
    V: Volume + Overlap<W>,
    W: Volume + Overlap<V>,
{
    let (a, b) = (&a, &b);
    let expected = brute_force::intersections(a, b).pairs;
    assert_eq!(intersections(a, b).pairs, expected);
    let mut turned: Vec<_> = intersections(b, a).pairs.iter().map(|&[j, i]| [i, j]).collect();
    turned.sort_unstable();
    assert_eq!(turned, expected);
    expected.len()
}

fn skinned(wearer: &Character) -> SkinnedBody {
    let influences = wearer.influences.iter();
    let influences = influences.map(|i| Influence { joint: i.joint, weight: i.weight }).collect();
    let weights = SkinWeights { starts: wearer.starts.clone(), influences };
    let binding = Binding::new(weights, wearer.joints.len()).unwrap();
    Body::skinned(wearer.mesh.clone(), binding, Blending::Linear).unwrap()
}

/// A ball with two modes: it swells and leans.
fn swelling_ball(radius: f64) -> (Mesh, Arc<Modes>) {
    let ball = mapped(&icosphere(2).unwrap(), |p| p * radius);
    let swell = ball.positions().to_vec();
    let lean = ball.positions().iter().map(|p| DVec3::new(p.y, 0.0, 0.3 * p.z)).collect();
    let modes = Modes::from_fields(ball.positions().len(), &[swell, lean]).unwrap();
    (ball, Arc::new(modes))
}

/// A dress, the man in it, and a ball that swells beside him: three kinds of deformation.
#[test]
fn cloth_meets_a_skinned_and_a_reduced_body() {
    let garment = dress(1200).unwrap();
    let mut all = all_of(&garment.cloth);
    let mut man = skinned(&garment.wearer);
    let (mesh, modes) = swelling_ball(0.2);
    let mut ball = Body::reduced(mesh, modes).unwrap();
    let (mut with_man, mut with_ball) = (0, 0);
    for step in 0..12 {
        let time = garment.wearer.walk_period() * f64::from(step) / 11.0;
        let walked = garment.wearer.walk_speed() * time;
        all.advance(time);
        // Later than the cloth assumes, so that he touches it.
        man.set_pose(&garment.wearer.pose(time - 0.1), &[]).unwrap();
        let place = DAffine3::from_translation(DVec3::new(0.3, 0.7, walked));
        ball.set_state(&[0.5 * (0.7 * f64::from(step)).sin(), 0.3 * time], place).unwrap();
        with_man += same_pairs(&all.expiring, &man);
        with_ball += same_pairs(&all.expiring, &ball);
        let expected = intersections(&all.expiring, &ball).pairs;
        assert_eq!(intersections(&all.kinetic, &ball).pairs, expected);
        assert_eq!(intersections(&ball, &all.planes).pairs.len(), expected.len());
        let expected = intersections(&all.expiring, &man).pairs;
        assert_eq!(intersections(&all.planes, &man).pairs, expected);
        assert_eq!(intersections(&all.kinetic, &man).pairs, expected);
        same_pairs(&man, &ball);
    }
    assert!(with_man > 100 && with_ball > 100, "{with_man} and {with_ball} pairs");
}

/// Recorded sequences: vertices are enclosed at keyframes and between, and self-contacts are those
/// of a refit of all boxes.
#[test]
fn recorded_sequences_are_enclosed() {
    for (model, cache) in [
        ("cloth_ball_twist.obj", "cloth_ball_twist.pc2"),
        ("dembones_bone_rest.obj", "dembones_bone_anim.pc2"),
        ("../md2/faerie.md2", ""),
    ] {
        let Some((_, path)) = data_file(&format!("sequences/derived/{model}")) else { return };
        let scene = match cache {
            "" => pliant_io::load(&path).unwrap(),
            _ => {
                let rate = pliant_io::PC2_FRAMES_PER_SECOND;
                pliant_io::load_with_cache(&path, path.with_file_name(cache), rate).unwrap()
            }
        };
        for object in scene.objects() {
            let pliant_io::Deformation::Keyframes(keyframes) = &object.deformation else {
                panic!("{model} has keyframes")
            };
            let (times, frames) = (keyframes.times.clone(), keyframes.frames.clone());
            let (first, last) = (times[0], times[times.len() - 1]);
            let mut all = All::keyframed(&object.mesh, Keyframes::new(times, frames).unwrap());
            let mut free = Body::free(Mesh::clone(&object.mesh)).unwrap();
            for step in 0..=15 {
                all.advance(first + (last - first) * f64::from(step) / 15.0);
                all.check();
                let moved: Vec<_> = (0..).map_while(|v| all.kinetic.position(v)).collect();
                free.set_positions(&moved).unwrap();
                let expected = self_intersections(&free).pairs;
                assert_eq!(self_intersections(&all.expiring).pairs, expected, "{model} at {step}");
                assert_eq!(self_intersections(&all.kinetic).pairs, expected, "{model} at {step}");
            }
        }
    }
}
