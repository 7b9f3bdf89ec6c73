//! Cloth with known motion: tablecloth, shirt, dress, expanding spheres.

use crate::support::hash;
use pliant::glam::DVec3;
use pliant::{Body, Error, Mesh};
use pliant_scenes::{
    ExpandingSpheres, GARMENT_KEYFRAMES, Garment, KeyframedCloth, TABLECLOTH_KEYFRAMES, Topology,
    dress, expanding_spheres, shirt, tablecloth,
};

fn check(cloth: &KeyframedCloth, keyframes: usize) {
    assert_eq!((cloth.times.len(), cloth.frames.len()), (keyframes, keyframes));
    assert!(cloth.times.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(cloth.frames[0], cloth.mesh.positions());
    for frame in &cloth.frames {
        assert_eq!(frame.len(), cloth.mesh.positions().len());
        assert!(frame.iter().all(|p| p.is_finite()));
    }
    assert!(Topology::of(&cloth.mesh).is_surface());
}

fn crossing(first: (&[DVec3], &Mesh), second: (&[DVec3], &Mesh)) -> usize {
    let body = |(positions, mesh): (&[DVec3], &Mesh)| {
        Body::free(Mesh::new(positions.to_vec(), mesh.triangles().to_vec()).unwrap()).unwrap()
    };
    pliant::intersections(&body(first), &body(second)).pairs.len()
}

#[test]
fn tablecloths_drape_around_the_table_without_touching_it() {
    for (faces, exact) in [(2000, 2048), (4000, 4050), (8000, 7938), (16_000, 15_842)] {
        let scene = tablecloth(faces).unwrap();
        let (cloth, table) = (&scene.cloth, &scene.table);
        check(cloth, TABLECLOTH_KEYFRAMES);
        assert_eq!(cloth.mesh.triangles().len(), exact);
        assert!(Topology::of(table).is_closed());
        for (number, frame) in cloth.frames.iter().enumerate() {
            let pairs = crossing((frame, &cloth.mesh), (table.positions(), table));
            assert_eq!(pairs, 0, "{faces} faces, keyframe {number}");
        }
        // At the end it lies on the top, hangs well below it, and hardly moves.
        let last = &cloth.frames[TABLECLOTH_KEYFRAMES - 1];
        let close = last.iter().filter(|p| p.y - 0.75 < 0.02 && p.y > 0.75).count();
        assert!(close > last.len() / 5, "{close} of {}", last.len());
        let lowest = last.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!((0.05..0.5).contains(&lowest), "{lowest}");
        let before = &cloth.frames[TABLECLOTH_KEYFRAMES - 2];
        let moves = last.iter().zip(before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(moves < 0.04, "{moves}");
    }
    assert!(tablecloth(1).is_err());
}

/// The properties that hold for both garments.
fn check_garment(name: &str, garment: &Garment) {
    check(&garment.cloth, GARMENT_KEYFRAMES + 1);
    assert_eq!(garment.poses.len(), GARMENT_KEYFRAMES + 1);
    let way = DVec3::Z * garment.wearer.walk_speed() * garment.wearer.walk_period();
    let (first, last) = (&garment.cloth.frames[0], &garment.cloth.frames[GARMENT_KEYFRAMES]);
    for (first, last) in first.iter().zip(last) {
        assert!(last.distance(*first + way) < 1e-9, "{name}: the cycle closes");
    }
    // The cloth is around the body: few triangles are crossed.
    let faces = garment.cloth.mesh.triangles().len();
    for (frame, pose) in garment.cloth.frames.iter().zip(&garment.poses).step_by(3) {
        let body = garment.wearer.positions(pose).unwrap();
        let pairs = crossing((frame, &garment.cloth.mesh), (&body, &garment.wearer.mesh));
        assert!(pairs < faces / 40, "{name}: {pairs} pairs of {faces} faces");
    }
}

#[test]
fn the_shirt_is_open_at_hem_collar_and_cuffs() {
    for faces in [32_000, 326_000] {
        let shirt = shirt(faces).unwrap();
        let count = shirt.cloth.mesh.triangles().len();
        assert!(count.abs_diff(faces) < faces / 20, "{count}");
        let topology = Topology::of(&shirt.cloth.mesh);
        assert_eq!((topology.components, topology.euler_characteristic()), (1, 2 - 4));
        if faces < 100_000 {
            check_garment("shirt", &shirt);
        }
    }
}

#[test]
fn the_dress_is_a_tube() {
    for faces in [65_000, 580_000] {
        let dress = dress(faces).unwrap();
        let count = dress.cloth.mesh.triangles().len();
        assert!(count.abs_diff(faces) < faces / 100, "{count}");
        let topology = Topology::of(&dress.cloth.mesh);
        assert_eq!((topology.components, topology.euler_characteristic()), (1, 0));
        if faces < 100_000 {
            check_garment("dress", &dress);
        }
    }
}

#[test]
fn spheres_touch_in_one_point_and_turn_round() {
    for (faces, exact) in [(2000, 2000), (10_000, 9680), (40_000, 40_500)] {
        let scene = expanding_spheres(faces).unwrap();
        let [first, second] = scene.keyframes().unwrap();
        for cloth in [&first, &second] {
            check(cloth, 3);
            assert_eq!(cloth.mesh.triangles().len(), exact);
            let topology = Topology::of(&cloth.mesh);
            assert!(topology.is_closed());
            assert_eq!(topology.euler_characteristic(), 2);
            let moves = |frame: usize| {
                let center =
                    if cloth.mesh.positions()[0].x < 0.0 { DVec3::NEG_X } else { DVec3::X };
                cloth.frames[frame].iter().map(|p| p.distance(center)).fold(0.0, f64::max)
            };
            assert!((moves(0) - 0.5).abs() < 1e-12 && (moves(1) - 1.0).abs() < 1e-12);
        }
        let pairs = |time: f64| {
            let (a, b) = (first.positions(time).unwrap(), second.positions(time).unwrap());
            crossing((&a, &first.mesh), (&b, &second.mesh))
        };
        let contact = ExpandingSpheres::CONTACT_TIME;
        assert_eq!(pairs(contact), 25, "five triangles meet five in one point");
        assert_eq!((pairs(contact - 1e-6), pairs(contact + 1e-6), pairs(0.0)), (0, 0, 0));
    }
    assert!(expanding_spheres(3).is_err());
}

#[test]
fn positions_are_linear_between_keyframes() {
    let [cloth, _] = expanding_spheres(100).unwrap().keyframes().unwrap();
    assert_eq!(cloth.positions(-1.0).unwrap(), cloth.frames[0]);
    assert_eq!(cloth.positions(1.0).unwrap(), cloth.frames[1]);
    assert_eq!(cloth.positions(9.0).unwrap(), cloth.frames[2]);
    for (at, between) in cloth.positions(0.25).unwrap().iter().enumerate() {
        let line = cloth.frames[0][at].lerp(cloth.frames[1][at], 0.25);
        assert!(between.distance(line) < 1e-12);
    }
    assert!(matches!(cloth.positions(f64::NAN), Err(Error::InvalidVector { .. })));
}

#[test]
fn cloth_is_the_same_each_time() {
    let hashes = || {
        let table = tablecloth(2000).unwrap().cloth;
        let dress = dress(5000).unwrap().cloth;
        let shirt = shirt(8000).unwrap().cloth;
        [table, dress, shirt].map(|cloth| cloth.frames.iter().map(|f| hash(f)).collect::<Vec<_>>())
    };
    assert_eq!(hashes(), hashes());
}
