//! Queries on reduced bodies return what brute force returns.

use std::sync::Arc;

use crate::support::compare::{closest_bits, distance_bits};
use crate::support::thinned;
use pliant::bound::{SphereCenter, SphereForm};
use pliant::deform::Modes;
use pliant::glam::{DAffine3, DVec3};
use pliant::query::{brute_force, proxy_contacts};
use pliant::tree::BuildSettings;
use pliant::volume::{Overlap, Volume};
use pliant::{
    Body, Collide, Isometry, Mesh, closest_point, distance, intersections, intersects,
    self_intersections,
};
use pliant_scenes::{Random, chair, curtain_and_ball, icosphere};

fn modes_of(mesh: &Mesh, fields: &[Vec<DVec3>]) -> Arc<Modes> {
    Arc::new(Modes::from_fields(mesh.positions().len(), fields).unwrap())
}

/// Both orders, all pair queries.
fn check_pairs<V, W>(a: &dyn Collide<Volume = V>, b: &dyn Collide<Volume = W>, truth: &[[u32; 2]])
where
    V: Volume + Overlap<W>,
    W: Volume + Overlap<V>,
{
    let (a, b) = (&a, &b);
    let found = intersections(a, b).pairs;
    assert!(found == truth, "{} pairs, not {}", found.len(), truth.len());
    let mut turned: Vec<_> = intersections(b, a).pairs.iter().map(|&[j, i]| [i, j]).collect();
    turned.sort_unstable();
    assert!(turned == truth, "{} pairs, not {}", turned.len(), truth.len());
    assert_eq!(intersects(a, b).pair.is_some(), !truth.is_empty());
}

/// The curtain against the ball with every kind of bound, at the paper's size.
#[test]
fn curtain_and_ball_meet_as_brute_force_says() {
    let scene = curtain_and_ball(0, 3).unwrap();
    let mesh = &scene.curtain.mesh;
    let modes = modes_of(mesh, &scene.curtain.modes);
    let settings = BuildSettings::default();
    let mut boxes = Body::reduced(mesh.clone(), Arc::clone(&modes)).unwrap();
    let make = |center| {
        Body::reduced_spheres(mesh.clone(), Arc::clone(&modes), center, &settings).unwrap()
    };
    let (mut mean, mut smallest) = (make(SphereCenter::Mean), make(SphereCenter::SmallestBall));
    let mut anchored =
        Body::reduced_anchored(mesh.clone(), Arc::clone(&modes), SphereCenter::Mean, &settings)
            .unwrap();
    let mut ball = Body::rigid(scene.ball.mesh.clone()).unwrap();
    let mut contacts = 0;
    for frame in [10, 26, 40, 41, 60, 84, 100] {
        let q = &scene.curtain.coordinates[frame];
        boxes.set_coordinates(q).unwrap();
        mean.set_coordinates(q).unwrap();
        smallest.set_coordinates(q).unwrap();
        anchored.set_coordinates(q).unwrap();
        if frame % 20 == 0 {
            anchored.anchor();
        }
        ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame]).unwrap());
        let truth = brute_force::intersections(&boxes, &ball).pairs;
        contacts += truth.len();
        check_pairs(&boxes, &ball, &truth);
        check_pairs(&mean, &ball, &truth);
        check_pairs(&smallest, &ball, &truth);
        check_pairs(&anchored, &ball, &truth);
    }
    assert!(contacts > 300, "{contacts}");
}

/// Two chairs that bend, placed by frames that scale and shear, and one chair with itself.
#[test]
fn bending_chairs_meet_as_brute_force_says() {
    let mesh = thinned(&chair().unwrap(), 5);
    let sway = mesh.positions().iter().map(|p| DVec3::new(p.y * p.y, 0.0, p.x * p.y));
    let twist = mesh.positions().iter().map(|p| DVec3::new(-p.z * p.y, 0.1 * p.x, p.x * p.y));
    let modes = modes_of(&mesh, &[sway.collect(), twist.collect()]);
    let mut random = Random::new(9);
    let mut contacts = 0;
    for settings in [BuildSettings::default(), BuildSettings::WIDE, BuildSettings::CLASSIC] {
        let mut a = Body::reduced_with(mesh.clone(), Arc::clone(&modes), &settings).unwrap();
        let mut b =
            Body::reduced_spheres(mesh.clone(), Arc::clone(&modes), SphereCenter::Mean, &settings)
                .unwrap();
        for _ in 0..3 {
            let mut q = || [random.in_cube().x, 2.0 * random.in_cube().x];
            let (qa, qb) = (q(), q());
            let turn =
                DAffine3::from_rotation_translation(random.rotation(), random.in_cube() * 0.3);
            a.set_state(&qa, turn * DAffine3::from_scale(DVec3::new(1.0, 1.3, -0.8))).unwrap();
            let mut shear = DAffine3::from_rotation_x(0.4);
            shear.matrix3.x_axis.y = 0.5;
            b.set_state(&qb, shear).unwrap();
            let truth = brute_force::intersections(&a, &b).pairs;
            contacts += truth.len();
            check_pairs(&a, &b, &truth);
            let (own, expected) = (self_intersections(&a), brute_force::self_intersections(&a));
            assert!(own.pairs == expected.pairs);
            assert!(self_intersections(&b).pairs == brute_force::self_intersections(&b).pairs);
            let point = random.in_cube();
            assert_eq!(
                closest_bits(&closest_point(&a, point).unwrap()),
                closest_bits(&brute_force::closest_point(&a, point).unwrap())
            );
        }
    }
    assert!(contacts > 50, "{contacts}");
}

#[test]
fn distances_are_those_of_brute_force() {
    let mesh = icosphere(2).unwrap();
    let modes = modes_of(&mesh, &[mesh.positions().iter().map(|p| *p * p.x).collect()]);
    let mut a = Body::reduced(mesh.clone(), modes).unwrap();
    let mut b = Body::rigid(mesh).unwrap();
    b.set_isometry(Isometry::from_translation(DVec3::new(2.6, 0.3, 0.1)).unwrap());
    for q in [-0.9, 0.0, 0.2, 0.5] {
        a.set_coordinates(&[q]).unwrap();
        let (found, expected) = (distance(&a, &b), brute_force::distance(&a, &b));
        assert_eq!(distance_bits(&found), distance_bits(&expected));
    }
}

/// Small proxies under large spheres: none is missed, on any level.
#[test]
fn no_proxy_contact_is_missed() {
    let mesh = icosphere(3).unwrap();
    let mut random = Random::new(21);
    // One smooth mode and one of noise, by which spheres grow more than their parents.
    let smooth = mesh.positions().iter().map(|p| DVec3::Y * p.x * p.z).collect();
    let noise = mesh.positions().iter().map(|_| random.in_cube()).collect();
    let modes = modes_of(&mesh, &[smooth, noise]);
    let settings = BuildSettings::default();
    let rest = Body::reduced_spheres(mesh.clone(), modes, SphereCenter::Mean, &settings).unwrap();
    let mut floor = Body::rigid_spheres(mesh, SphereForm::Layered, &settings).unwrap();
    let mut contacts = 0;
    for level in [0, 3, 6, 9, 40] {
        let mut body = rest.clone().with_proxies(level);
        for step in 0..12 {
            let q = [random.in_cube().x, random.in_cube().x * 0.2];
            let far = DVec3::X * 10f64.powi(step);
            let turn = DAffine3::from_rotation_translation(random.rotation(), far);
            body.set_state(&q, turn * DAffine3::from_scale(DVec3::new(1.0, 0.7, 1.2))).unwrap();
            let place = far + random.in_cube().normalize_or(DVec3::X) * 1.9;
            floor.set_isometry(Isometry::new(random.rotation(), place).unwrap());
            let found = proxy_contacts(&body, level, &floor, level);
            let expected = brute_force::proxy_contacts(&body, level, &floor, level);
            assert!(found.contacts == expected.contacts, "level {level}, step {step}");
            contacts += found.contacts.len();
            for contact in &found.contacts {
                assert!(contact.depth >= 0.0 && (contact.normal.length() - 1.0).abs() < 1e-12);
            }
            if level == 9 && step == 0 {
                assert!(found.work.overlap_tests < expected.work.overlap_tests);
            }
        }
    }
    assert!(contacts > 100, "{contacts}");
}

/// The values of one contact.
#[test]
fn a_proxy_contact_by_hand() {
    let at = |x: f64| Mesh::new(vec![DVec3::X * x; 3], vec![[0, 1, 2]]).unwrap();
    let ball = |x: f64, radius: f64| {
        let modes = Arc::new(Modes::from_fields(3, &[]).unwrap());
        let settings = BuildSettings::default();
        let body = Body::reduced_spheres(at(x), modes, SphereCenter::Mean, &settings).unwrap();
        body.with_error(radius).unwrap()
    };
    let found = proxy_contacts(&ball(0.0, 1.0), 0, &ball(2.5, 2.0), 0);
    let [contact] = found.contacts[..] else { panic!("{found:?}") };
    assert_eq!((contact.nodes, contact.normal), ([0, 0], DVec3::X));
    assert!((contact.depth - 0.5).abs() < 1e-5, "{contact:?}");
    assert!((contact.point - DVec3::X * 0.75).length() < 1e-5, "{contact:?}");
    assert!(proxy_contacts(&ball(0.0, 1.0), 0, &ball(3.1, 2.0), 0).contacts.is_empty());
}

/// The same bits for any number of threads, and again from memory.
#[test]
fn threads_and_memory_change_nothing() {
    let scene = curtain_and_ball(0, 4).unwrap();
    let mesh = &scene.curtain.mesh;
    let modes = modes_of(mesh, &scene.curtain.modes);
    let mut ball = Body::rigid(scene.ball.mesh.clone()).unwrap();
    ball.set_isometry(Isometry::from_translation(scene.ball.centers[50]).unwrap());
    let mut first = None;
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut cloth = Body::reduced(mesh.clone(), Arc::clone(&modes)).unwrap();
            cloth.set_coordinates(&scene.curtain.coordinates[50]).unwrap();
            for _ in 0..2 {
                let found = intersections(&cloth, &ball);
                assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
            }
            // Another state and back: nothing is left over.
            cloth.set_coordinates(&scene.curtain.coordinates[5]).unwrap();
            assert_ne!(first.as_ref(), Some(&intersections(&cloth, &ball)));
            cloth.set_coordinates(&scene.curtain.coordinates[50]).unwrap();
            assert_eq!(first.as_ref(), Some(&intersections(&cloth, &ball)));
        });
    }
}

#[test]
fn clones_have_states_of_their_own() {
    let mesh = icosphere(2).unwrap();
    let modes = modes_of(&mesh, &[vec![DVec3::X; mesh.positions().len()]]);
    let mut a = Body::reduced(mesh, modes).unwrap();
    let still = a.clone();
    assert!(!intersections(&a, &still).pairs.is_empty());
    let mut b = a.clone();
    a.set_coordinates(&[5.0]).unwrap();
    assert!(intersections(&a, &still).pairs.is_empty());
    assert_eq!(b.position(0), still.position(0));
    b.set_coordinates(&[5.0]).unwrap();
    assert_eq!((b.position(3), b.bound(7)), (a.position(3), a.bound(7)));
}
