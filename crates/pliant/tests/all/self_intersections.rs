//! Prepared bodies find the same self-intersections, and look at less.

use std::f64::consts::TAU;

use crate::support::{data_file, joined, mapped, settings, soup};
use pliant::bound::SphereForm;
use pliant::glam::{DMat3, DQuat, DVec3};
use pliant::query::{Watched, brute_force};
use pliant::tree::BuildSettings;
use pliant::{
    Body, Error, Intersections, Isometry, Mesh, PreparedSelfContact, Work, self_intersections,
};
use pliant_scenes::{Random, curtain, grid, icosphere, triangle_soup, tube};
use proptest::prelude::*;

/// A mesh, built at rest and moved: bodies of both kinds of bounds against brute force. Gives
/// what the prepared boxes found.
fn check(rest: &Mesh, positions: &[DVec3], settings: &BuildSettings) -> Intersections {
    let mut boxes = Body::free_with(rest.clone(), settings).unwrap();
    boxes.set_positions(positions).unwrap();
    let expected = brute_force::self_intersections(&boxes).pairs;
    assert!(self_intersections(&boxes).pairs == expected, "not prepared");
    let found = PreparedSelfContact::new(&boxes).self_intersections(&boxes).unwrap();
    assert!(found.pairs == expected, "{} pairs, not {}", found.pairs.len(), expected.len());
    let mut spheres = Body::free_spheres(rest.clone(), SphereForm::Layered, settings).unwrap();
    let prepared = PreparedSelfContact::new(&spheres);
    spheres.set_positions(positions).unwrap();
    assert!(prepared.self_intersections(&spheres).unwrap().pairs == expected, "spheres");
    found
}

fn moved(mesh: &Mesh, to: impl FnMut(DVec3) -> DVec3) -> Vec<DVec3> {
    mesh.positions().iter().copied().map(to).collect()
}

/// Rolled up around z: with more than a turn the ends lie in one another.
fn rolled(p: DVec3, bend: f64) -> DVec3 {
    if bend == 0.0 {
        return p;
    }
    let angle = bend * p.x;
    DVec3::new(angle.sin() / bend, p.y + (1.0 - angle.cos()) / bend, p.z)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// From nearly flat to crumpled; some triangles turned, collapsed, doubled or joined to others.
    #[test]
    fn crumpled_and_spoilt_sheets(
        seed in any::<u64>(), rough in prop_oneof![Just(0.0), 0.0..0.1f64, 0.0..2.0f64],
        bend in prop_oneof![Just(0.0), 0.0..8.0f64], spoilt in 0..6usize, settings in settings(),
    ) {
        let mut random = Random::new(seed);
        let sheet = grid(16, 14, 1.6, 1.4).unwrap();
        let mut triangles = sheet.triangles().to_vec();
        for kind in 0..spoilt {
            let mut any = || (random.bits() % triangles.len() as u64) as usize;
            let (t, other) = (any(), any());
            match kind % 4 {
                0 => triangles[t].swap(0, 1),
                1 => triangles[t][0] = triangles[t][1],
                2 => triangles.push([triangles[t][0], triangles[t][1], triangles[other][2]]),
                _ => triangles[t][2] = triangles[other][0],
            }
        }
        let rest = Mesh::new(sheet.positions().to_vec(), triangles).unwrap();
        let positions = moved(&rest, |p| rolled(p, bend) + random.in_cube() * (0.1 * rough));
        check(&rest, &positions, &settings);
    }

    /// Also where the rest shape touches itself, and with each triangle twice.
    #[test]
    fn soups(
        seed in any::<u64>(), size in 0.02..0.4f64, rough in prop_oneof![Just(0.0), 0.0..0.1f64],
        twice in any::<bool>(), settings in settings(),
    ) {
        let mut random = Random::new(seed);
        let mut rest = triangle_soup(250, size, seed).unwrap();
        if twice {
            // Apart from the first by less than they are moved, or by nothing.
            rest = joined(&rest, &mapped(&rest, |p| p + DVec3::X * (1e-3 * (seed % 3) as f64)));
        }
        let positions = moved(&rest, |p| p + random.in_cube() * rough * size);
        check(&rest, &positions, &settings);
    }

    /// Affine maps of all kinds, mirrored and collapsed, with a little or no noise, at
    /// sizes from 1e-30 to 1e30 now and at rest.
    #[test]
    fn affine_maps(
        columns in prop::array::uniform9(-1.0..1.0f64), collapsed in 0..4usize,
        seed in any::<u64>(), rough in prop_oneof![Just(0.0), Just(1e-9), 0.0..0.1f64],
        exponents in prop::array::uniform2(-30..30i32), far in prop_oneof![Just(0.0), 0.0..1e5f64],
    ) {
        let mut random = Random::new(seed);
        let [size, now] = exponents.map(|e| 10f64.powi(e));
        let shape = mapped(&icosphere(2).unwrap(), |p| (p * DVec3::new(1.0, 0.3, 1.0) + far) * size);
        let mut matrix = DMat3::from_cols_array(&columns);
        match collapsed {
            1 => matrix.x_axis = matrix.y_axis,
            2 => (matrix.x_axis, matrix.z_axis) = (matrix.y_axis, DVec3::ZERO),
            _ => {}
        }
        let positions = moved(&shape, |p| (matrix * (p / size - far) + random.in_cube() * rough) * now);
        let found = check(&shape, &positions, &BuildSettings::default());
        // A map that is well away from collapse takes nothing to where it touches.
        if collapsed == 0 && rough == 0.0 && matrix.determinant().abs() > 0.3 {
            prop_assert!(found.pairs.is_empty());
        }
    }

    /// Two sheets, one over the other, and the upper one pressed onto the lower, in one spot or all
    /// over, just not so far, just so far, or a little farther.
    #[test]
    fn pressed_together(
        gap in 1e-4..0.3f64, off in prop_oneof![Just(0.0), Just(1e-15), Just(-1e-15), -1e-3..1e-3f64],
        spot in any::<bool>(), turn in prop::array::uniform4(-1.0..1.0f64), far in 0.0..10.0f64,
    ) {
        prop_assume!(DQuat::from_array(turn).length() > 0.1);
        let isometry = Isometry::new(DQuat::from_array(turn), DVec3::splat(far)).unwrap();
        let sheet = grid(12, 12, 1.0, 1.0).unwrap();
        let count = sheet.positions().len();
        let rest = joined(&sheet, &mapped(&sheet, |p| p + DVec3::Y * gap));
        let mut vertex = 0;
        let positions = moved(&rest, |p| {
            vertex += 1;
            let pressed = vertex > count && (!spot || p.x.abs() + p.z.abs() < 0.2);
            isometry.apply(if pressed { p - DVec3::Y * (gap * (1.0 + off)) } else { p })
        });
        let found = check(&rest, &positions, &BuildSettings::default());
        // Not to be told apart where they just touch, after rounding.
        prop_assert!(off.abs() < 1e-12 || spot || found.pairs.is_empty() == (off != 0.0));
    }

    /// A twisted tube is pinched in its middle: walls that were a diameter apart meet.
    #[test]
    fn twisted_tubes(twist in 0.0..8.0f64, pinch in prop_oneof![Just(0.0), 0.0..0.2f64, Just(1.0)]) {
        let rest = tube(0.2, 2.0, 16, 24, pliant_scenes::Ends::Open).unwrap();
        let (low, high) = rest.positions().iter().fold((f64::MAX, f64::MIN), |(low, high), p| {
            (low.min(p.y), high.max(p.y))
        });
        let positions = moved(&rest, |p| {
            let along = (p.y - low) / (high - low);
            let narrow = 1.0 - (1.0 - pinch) * (along * TAU / 2.0).sin().powi(2);
            DQuat::from_rotation_y(twist * along) * (p * DVec3::new(narrow, 1.0, narrow))
        });
        check(&rest, &positions, &BuildSettings::default());
    }

    /// Rigid bodies, prepared, wherever they are put, at any size.
    #[test]
    fn rigid_bodies(
        seed in any::<u64>(), size in 0.02..0.3f64, turn in prop::array::uniform4(-1.0..1.0f64),
        exponents in prop::array::uniform2(-30..30i32), settings in settings(),
    ) {
        prop_assume!(DQuat::from_array(turn).length() > 0.1);
        let [scale, far] = exponents.map(|e| 10f64.powi(e));
        let shape = mapped(&triangle_soup(200, size, seed).unwrap(), |p| p * scale);
        let isometry = Isometry::new(DQuat::from_array(turn), DVec3::ONE * far).unwrap();
        let mut boxes = Body::rigid_with(shape.clone(), &settings).unwrap();
        let prepared = PreparedSelfContact::new(&boxes);
        boxes.set_isometry(isometry);
        let expected = brute_force::self_intersections(&boxes).pairs;
        prop_assert_eq!(&prepared.self_intersections(&boxes).unwrap().pairs, &expected);
        let mut spheres = Body::rigid_spheres(shape, SphereForm::Wrapped, &settings).unwrap();
        let prepared = PreparedSelfContact::new(&spheres);
        spheres.set_isometry(isometry);
        prop_assert_eq!(&prepared.self_intersections(&spheres).unwrap().pairs, &expected);
    }
}

/// So far apart at rest that the distance is no number, and then in one another.
#[test]
fn from_the_ends_of_the_range() {
    for far in [1.7e308, 1e200, 1e39] {
        let corners = |x: f64| (0..30).map(move |i| DVec3::new(x, (i % 3) as f64, (i / 2) as f64));
        let rest: Vec<_> = corners(far).chain(corners(-far)).collect();
        let triangles = (0..60).step_by(3).map(|i| [i, i + 1, i + 2]).collect();
        let rest = Mesh::new(rest, triangles).unwrap();
        for now in [far, 1.0, 1e-20, 0.0] {
            let now: Vec<_> = corners(now).chain(corners(-now)).collect();
            check(&rest, &now, &BuildSettings::default());
            let back = Mesh::new(now, rest.triangles().to_vec()).unwrap();
            check(&back, rest.positions(), &BuildSettings::default());
        }
    }
}

/// Two sheets that are apart at rest, but not to be told apart by numbers where they are put.
#[test]
fn rigid_bodies_that_rounding_joins() {
    let sheet = grid(10, 10, 1.0, 1.0).unwrap();
    for gap in [1e-12, 1e-9, 1e-6] {
        let mut body =
            Body::rigid(joined(&sheet, &mapped(&sheet, |p| p + DVec3::Y * gap))).unwrap();
        let prepared = PreparedSelfContact::new(&body);
        assert!(prepared.self_intersections(&body).unwrap().pairs.is_empty());
        for far in [1e3, 1e6, 1e9, 1e12] {
            body.set_isometry(Isometry::from_translation(DVec3::splat(far)).unwrap());
            let found = prepared.self_intersections(&body).unwrap().pairs;
            assert!(found == brute_force::self_intersections(&body).pairs, "{gap} {far}");
            assert!(!found.is_empty() || far < 2e16 * gap, "{gap} {far}");
        }
    }
}

/// One vertex is pushed further and further over its surroundings.
#[test]
fn one_vertex_out_of_place() {
    let sheet = grid(20, 20, 2.0, 2.0).unwrap();
    let mut touching = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut positions = sheet.positions().to_vec();
        let vertex = (random.bits() % positions.len() as u64) as usize;
        positions[vertex] += random.in_cube() * DVec3::new(1.0, 0.0, 1.0) * (0.02 * seed as f64);
        touching +=
            usize::from(!check(&sheet, &positions, &BuildSettings::default()).pairs.is_empty());
    }
    assert!((5..35).contains(&touching), "{touching}");
}

#[test]
fn curtains() {
    let curtain = curtain(0).unwrap();
    let mut body = Body::free(curtain.mesh.clone()).unwrap();
    let prepared = PreparedSelfContact::new(&body);
    for frame in [0, 30, 56, 80] {
        let blown = curtain.positions(frame).unwrap();
        let flat = blown.iter().map(|p| DVec3::new(p.x, p.y, 0.0)).collect();
        let folded = blown.iter().map(|p| DVec3::new(p.x.abs(), p.y, p.z + 0.05 * p.x)).collect();
        for (name, positions) in [("blown", blown), ("flat", flat), ("folded", folded)] {
            body.set_positions(&positions).unwrap();
            let found = prepared.self_intersections(&body).unwrap();
            let plain = self_intersections(&body);
            assert!(found.pairs == plain.pairs, "frame {frame}, {name}");
            assert!(name != "folded" || found.pairs.len() > 100, "frame {frame}");
            if name == "blown" {
                assert!(4 * found.work.overlap_tests < plain.work.overlap_tests, "frame {frame}");
            }
        }
    }
    let positions = curtain.positions(60).unwrap();
    body.set_positions(&positions).unwrap();
    let expected = brute_force::self_intersections(&body).pairs;
    assert!(prepared.self_intersections(&body).unwrap().pairs == expected);
}

#[test]
fn a_character() {
    let Some((_, file)) = data_file("gltf/derived/makehuman_male_cmu.glb") else { return };
    let scene = pliant_io::load(file).unwrap();
    let mesh = &scene.objects()[0].mesh;
    let mut body = Body::free(Mesh::clone(mesh)).unwrap();
    let prepared = PreparedSelfContact::new(&body);
    let at_rest = prepared.self_intersections(&body).unwrap();
    assert!(at_rest.pairs.is_empty() && at_rest.work.overlap_tests < 100, "{:?}", at_rest.work);
    let seconds = scene.animations()[0].seconds();
    let mut positions = Vec::new();
    for step in 0..5 {
        let pose = scene.pose(Some(0), seconds * f64::from(step) / 4.0).unwrap();
        scene.posed(0, &pose).unwrap().positions(&mut positions);
        body.set_positions(&positions).unwrap();
        let found = prepared.self_intersections(&body).unwrap();
        let plain = self_intersections(&body);
        assert!(found.pairs == plain.pairs, "step {step}");
        assert!(!found.pairs.is_empty());
        assert!(3 * found.work.overlap_tests < plain.work.overlap_tests, "step {step}");
        assert!(3 * found.work.primitive_tests < plain.work.primitive_tests, "step {step}");
    }
}

/// Smooth surfaces are passed over, at any size and place, also with a seam around every triangle.
#[test]
fn surfaces_that_keep_their_shape_cost_nothing() {
    let ball = icosphere(4).unwrap();
    let corners = |t: &[u32; 3]| t.map(|vertex| ball.positions()[vertex as usize]);
    let split: Vec<_> = ball.triangles().iter().map(corners).collect();
    for (name, mesh) in [
        ("a ball", ball.clone()),
        ("a large one", mapped(&ball, |p| p * 1e30)),
        ("a small one", mapped(&ball, |p| p * 1e-30)),
        ("far away", mapped(&ball, |p| p + DVec3::new(1e5, -1e5, 1e5))),
        ("all seams", soup(&split)),
    ] {
        let mut body = Body::free(mesh.clone()).unwrap();
        let prepared = PreparedSelfContact::new(&body);
        let turned = moved(&mesh, |p| DVec3::new(p.z, -p.x, -p.y));
        for positions in [mesh.positions(), &turned] {
            body.set_positions(positions).unwrap();
            let found = prepared.self_intersections(&body).unwrap();
            assert!(found.pairs.is_empty());
            assert!(found.work.overlap_tests == 0, "{name}: {:?}", found.work);
        }
        let shift = mesh.positions()[0];
        let mut rigid = Body::rigid(mesh).unwrap();
        let prepared = PreparedSelfContact::new(&rigid);
        rigid.set_isometry(Isometry::new(DQuat::from_rotation_x(1.0), shift).unwrap());
        let found = prepared.self_intersections(&rigid).unwrap();
        assert_eq!(found.work.overlap_tests, 0, "{name}");
    }
}

/// Also the work, and also if the body is prepared on another number of threads.
#[test]
fn threads_change_nothing() {
    let curtain = curtain(1).unwrap();
    let mut positions = curtain.positions(56).unwrap();
    positions.iter_mut().for_each(|p| *p = DVec3::new(p.x.abs(), p.y, p.z + 0.05 * p.x));
    let mut first: Option<Intersections> = None;
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut body = Body::free(curtain.mesh.clone()).unwrap();
        let prepared = pool.install(|| PreparedSelfContact::new(&body));
        body.set_positions(&positions).unwrap();
        for _ in 0..2 {
            let found = pool.install(|| prepared.self_intersections(&body).unwrap());
            assert!(!found.pairs.is_empty());
            assert!(*first.get_or_insert_with(|| found.clone()) == found, "{threads} threads");
        }
        let of_clone = prepared.self_intersections(&body.clone()).unwrap();
        assert!(of_clone == *first.as_ref().unwrap(), "a clone");
    }
}

/// Of another body it says nothing, even if that one is equal; a clone is the same body.
#[test]
fn prepared_for_another_body() {
    let sheet = grid(10, 10, 1.0, 1.0).unwrap();
    let body = Body::free(sheet.clone()).unwrap();
    let prepared = PreparedSelfContact::new(&body);
    let clone = body.clone();
    assert!(prepared.self_intersections(&clone).is_ok());
    let other = Body::free(sheet).unwrap();
    let refused = Error::PreparedForAnother { what: "mesh" };
    assert_eq!(prepared.self_intersections(&other).unwrap_err(), refused);
    assert_eq!(prepared.self_descent(&other).unwrap_err(), refused);
    // A prepared object outlives its body, and still belongs to no other.
    drop(body);
    assert!(prepared.self_intersections(&other).is_err());
}

/// The traversal without tests, and a watched body, visit what the query visits.
#[test]
fn wrappers_of_a_prepared_body() {
    let sheet = grid(20, 20, 2.0, 2.0).unwrap();
    let mut body = Body::free(sheet.clone()).unwrap();
    let prepared = PreparedSelfContact::new(&body);
    // Folded over, with waves that cross one another.
    let folded = moved(&sheet, |p| DVec3::new(p.x.abs(), p.y + 0.02 * (5.0 * p.x).sin(), p.z));
    body.set_positions(&folded).unwrap();
    let query = prepared.self_intersections(&body).unwrap();
    assert!(!query.pairs.is_empty());
    let without_tests = Work { primitive_tests: 0, ..query.work };
    assert_eq!(prepared.self_descent(&body).unwrap(), without_tests);
    let watched = Watched::new(&body);
    assert_eq!(prepared.self_intersections(&watched).unwrap(), query);
    let seen = watched.visited().into_iter().filter(|&seen| seen).count();
    assert!(seen > 0 && seen as u64 <= query.work.bounds, "{seen}");
    let watched = Watched::new(&body);
    assert_eq!(self_intersections(&watched).pairs, query.pairs);
    assert!(watched.visited().into_iter().filter(|&seen| seen).count() > seen);
}
