//! `inside` against brute force, against known solids, and against the generalised winding number.

use crate::support::{Kinds, for_each_kind, joined, mapped, settings, soup, thinned};
use pliant::glam::{DAffine3, DVec3};
use pliant::query::{brute_force, inside_many, winding_number};
use pliant::tree::BuildSettings;
use pliant::{AnyBody, Body, Error, Inside, Isometry, Mesh, World, inside};
use pliant_scenes::{Random, cuboid, icosphere, triangle_soup};
use proptest::prelude::*;

fn place(mesh: &Mesh, point: DVec3) -> Inside {
    inside(&Body::rigid(mesh.clone()).unwrap(), point).unwrap().inside
}

fn turned_inside_out(mesh: &Mesh) -> Mesh {
    let triangles = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    Mesh::new(mesh.positions().to_vec(), triangles).unwrap()
}

#[track_caller]
fn check_kinds(kinds: &Kinds, points: &[DVec3]) -> Vec<Inside> {
    let expected = brute_force::inside_many(&kinds.free_boxes, points).unwrap().inside;
    for_each_kind!(kinds, |name, body| {
        let found = inside_many(body, points).unwrap();
        assert_eq!(found.inside, expected, "{name}");
        for (&point, &expected) in points.iter().zip(&expected) {
            let (one, truth) = (inside(body, point), brute_force::inside(body, point));
            let (one, truth) = (one.unwrap(), truth.unwrap());
            assert_eq!((one.inside, one.winding), (expected, truth.winding), "{name}, {point}");
        }
    });
    expected
}

/// A coarse grid of points in and around the cube from -1.5 to 1.5; most lie on planes, edges and
/// corners of boxes with sides at multiples of a half.
fn grid_points() -> Vec<DVec3> {
    let at = |i: i32| f64::from(i) * 0.25;
    let axis = || -6..=6;
    let cube = axis().flat_map(move |x| axis().flat_map(move |y| axis().map(move |z| [x, y, z])));
    cube.map(|p| DVec3::from(p.map(at))).collect()
}

#[test]
fn a_box_at_many_tessellations() {
    for cells in 1..=5 {
        let mesh = cuboid(DVec3::new(2.0, 2.0, 1.0), [cells, 2, cells]).unwrap();
        let points = grid_points();
        let kinds = Kinds::new(&mesh, &BuildSettings::default());
        for (&point, found) in points.iter().zip(check_kinds(&kinds, &points)) {
            let depth = (DVec3::new(1.0, 1.0, 0.5) - point.abs()).min_element();
            let expected = match depth {
                0.0 => Inside::On,
                deep if deep > 0.0 => Inside::In,
                _ => Inside::Out,
            };
            assert_eq!(found, expected, "{point}, {cells} cells");
        }
    }
}

#[test]
fn nested_and_turned_surfaces() {
    let outer = cuboid(DVec3::splat(2.0), [2, 2, 2]).unwrap();
    let inner = mapped(&outer, |p| p * 0.5);
    let at = |x: f64| DVec3::new(x, 0.125, 0.0625);
    let shell = joined(&outer, &turned_inside_out(&inner));
    assert_eq!(
        [0.0, 0.5, 0.75, 2.0].map(|x| place(&shell, at(x))),
        [Inside::Out, Inside::On, Inside::In, Inside::Out]
    );
    // Two parts that overlap: winding number 2.
    let twice = Body::rigid(joined(&outer, &inner)).unwrap();
    assert_eq!(inside(&twice, at(0.0)).unwrap().winding, 2);
    // Inside out: the winding number is -1, and the point is enclosed.
    let found = inside(&Body::rigid(turned_inside_out(&outer)).unwrap(), at(0.0)).unwrap();
    assert_eq!((found.inside, found.winding), (Inside::In, -1));
    // One triangle is turned: there is no winding number, and parity decides.
    let mut triangles = outer.triangles().to_vec();
    triangles[7].swap(0, 1);
    let mixed = Mesh::new(outer.positions().to_vec(), triangles).unwrap();
    assert_eq!([0.0, 2.0].map(|x| place(&mixed, at(x))), [Inside::In, Inside::Out]);
}

#[test]
fn a_border_decides_only_where_rays_pass_it() {
    let full = cuboid(DVec3::splat(2.0), [2, 2, 2]).unwrap();
    let is_lid = |t: &&[u32; 3]| t.iter().all(|&v| full.positions()[v as usize].z == 1.0);
    let sides = full.triangles().iter().filter(|t| !is_lid(t)).copied().collect();
    let open = Mesh::new(full.positions().to_vec(), sides).unwrap();
    let at = |z: f64| DVec3::new(0.125, 0.0625, z);
    assert_eq!(place(&open, at(0.0)), Inside::Open);
    assert_eq!(place(&open, at(-1.0)), Inside::On);
    // Above, the ray down crosses the floor alone; beside, every ray crosses both walls or none.
    assert_eq!(place(&open, at(3.0)), Inside::Open);
    assert_eq!(place(&open, DVec3::new(3.0, 0.125, 0.0625)), Inside::Out);
    // What a closed part encloses is inside, whatever stands open around it.
    let closed_in_open = joined(&open, &mapped(&full, |p| p * 0.5));
    assert_eq!(place(&closed_in_open, at(0.0)), Inside::In);
    let number = winding_number(&Body::rigid(open).unwrap(), DVec3::ZERO).unwrap();
    assert!((number - 5.0 / 6.0).abs() < 1e-12, "{number}");
}

#[test]
fn the_winding_number_is_the_generalised_one_rounded() {
    let ball = icosphere(3).unwrap();
    let lump = mapped(&ball, |p| p * (1.0 + 0.3 * (7.0 * p.x).sin()) + DVec3::splat(0.4));
    let body = Body::free(joined(&ball, &lump)).unwrap();
    let mut random = Random::new(16);
    let mut seen = [0; 3];
    for _ in 0..2000 {
        let point = random.in_cube() * 1.7;
        let found = inside(&body, point).unwrap();
        let number = winding_number(&body, point).unwrap();
        assert!((number - found.winding as f64).abs() < 1e-6, "{point}: {number}, {found:?}");
        assert_eq!(found.inside == Inside::In, found.winding != 0);
        seen[found.winding as usize] += 1;
        assert!(found.work.primitive_tests < 150, "{found:?}");
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn the_winding_number_does_not_depend_on_threads() {
    let body = Body::rigid(triangle_soup(10_000, 0.1, 9).unwrap()).unwrap();
    let numbers = [1, 2, 3, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| winding_number(&body, DVec3::splat(0.1)).unwrap().to_bits())
    });
    assert_eq!(numbers, [numbers[0]; 4]);
}

#[test]
fn every_magnitude() {
    let unit = cuboid(DVec3::splat(2.0), [3, 2, 1]).unwrap();
    for exponent in [-1000, -400, -20, 20, 400, 1000] {
        let size = 2f64.powi(exponent);
        let mesh = mapped(&unit, |p| p * size);
        let expected = [Inside::In, Inside::On, Inside::Out];
        let just = [1.0f64.next_down(), 1.0, 1.0f64.next_up()];
        assert_eq!(just.map(|x| place(&mesh, DVec3::new(x, 0.5, 0.0) * size)), expected);
    }
}

#[test]
fn points_that_are_not_finite_are_refused() {
    let body = Body::rigid(icosphere(0).unwrap()).unwrap();
    let bad = DVec3::new(0.0, f64::NAN, 0.0);
    assert!(matches!(inside(&body, bad), Err(Error::InvalidVector { what: "point", .. })));
    assert!(inside_many(&body, &[DVec3::ZERO, bad]).is_err());
    assert!(winding_number(&body, bad).is_err());
    assert!(brute_force::inside(&body, bad).is_err());
}

#[test]
fn bodies_of_a_world_by_id() {
    let mut world = World::new();
    let ball = icosphere(2).unwrap();
    let big = world.insert(Body::free(mapped(&ball, |p| p * 3.0)).unwrap()).unwrap();
    let mut moved = Body::affine(ball.clone()).unwrap();
    moved.set_map(DAffine3::from_translation(DVec3::X)).unwrap();
    let moved = world.insert(moved).unwrap();
    let mut away = Body::rigid(ball).unwrap();
    away.set_isometry(Isometry::from_translation(DVec3::X * 9.0).unwrap());
    world.insert(away).unwrap();
    let found = world.inside(DVec3::X * 0.5).unwrap();
    assert_eq!(found.bodies, [(big, Inside::In), (moved, Inside::In)]);
    assert_eq!(world.inside(-DVec3::X * 2.0).unwrap().bodies, [(big, Inside::In)]);
    assert!(world.inside(DVec3::NAN).is_err());
    let any: &AnyBody = world.get(moved).unwrap();
    assert_eq!(inside(any, DVec3::X).unwrap().inside, Inside::In);
}

/// Small integers: rays meet edges and corners, and points lie on triangles.
fn lattice_soup() -> impl Strategy<Value = Mesh> {
    let point = || [-2..=2i32, -2..=2, -2..=2].prop_map(|p| DVec3::from(p.map(f64::from)));
    prop::collection::vec([point(), point(), point()], 1..40).prop_map(|soup_of| {
        // Vertices at one place are one: some triangles share edges.
        soup(&soup_of)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn kinds_agree_with_brute_force_on_lattices(
        mesh in lattice_soup(), settings in settings(),
        points in prop::collection::vec([-5..=5i32, -5..=5, -5..=5], 1..20),
    ) {
        let points: Vec<_> =
            points.iter().map(|p| DVec3::from(p.map(f64::from)) * 0.5).collect();
        check_kinds(&Kinds::new(&mesh, &settings), &points);
    }

    #[test]
    fn kinds_agree_with_brute_force_on_balls_with_holes(
        seed in any::<u64>(), step in 1..4usize, settings in settings(),
    ) {
        let mut random = Random::new(seed);
        let ball = thinned(&icosphere(2).unwrap(), step);
        let (turn, shift) = (random.rotation(), random.in_cube());
        let moved = mapped(&ball, |p| turn * p * 1.1 + shift * p.x);
        let points: Vec<_> = (0..10).map(|_| random.in_cube() * 1.2).collect();
        let points = [points, moved.positions()[..5].to_vec()].concat();
        check_kinds(&Kinds::deformed(&ball, moved.positions(), &settings), &points);
    }
}
