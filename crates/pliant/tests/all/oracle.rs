//! Every query finds what brute force finds, with every kind of body and of tree.

use crate::support::compare::{
    aim, check_everything, check_rays_and_points, check_self, check_self_against, check_two,
    closest_bits, ray_bits,
};
use crate::support::{Kinds, all_settings, data_file, joined, mapped, settings, soup, thinned};
use pliant::contact::{triangle_distance, triangles_touch};
use pliant::glam::{DQuat, DVec3};
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::volume::Ray;
use pliant::{Body, Collide, Isometry, Mesh};
use pliant::{closest_point, distance, intersections, ray_cast, self_intersections};
use pliant_scenes::{Random, curtain, grid, icosphere, pile_of_chairs, triangle_soup};
use proptest::collection::vec;
use proptest::prelude::*;

/// Positions on a small lattice, where everything meets everything in corners, edges
/// and planes, or anywhere. Random triangles over them share vertices, repeat them,
/// and are segments and points too.
fn mesh() -> impl Strategy<Value = Mesh> {
    let lattice = || (-3..=3i32).prop_map(f64::from);
    let anywhere = || -3.0..3.0f64;
    let positions = prop_oneof![
        2 => vec([lattice(), lattice(), lattice()], 1..24),
        1 => vec([anywhere(), anywhere(), anywhere()], 1..24),
    ];
    positions.prop_flat_map(|positions| {
        let corner = 0..positions.len() as u32;
        let positions: Vec<_> = positions.into_iter().map(DVec3::from_array).collect();
        vec([corner.clone(), corner.clone(), corner], 1..24)
            .prop_map(move |triangles| Mesh::new(positions.clone(), triangles).unwrap())
    })
}

/// A placement that keeps lattices on the lattice, or any.
fn placement() -> impl Strategy<Value = (DQuat, DVec3)> {
    let steps =
        [-6..=6i32, -6..=6, -6..=6].prop_map(|v| DVec3::from_array(v.map(|x| 0.5 * f64::from(x))));
    let anywhere = [-5.0..5.0f64, -5.0..5.0, -5.0..5.0].prop_map(DVec3::from_array);
    let turn = [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, 0.1..1.0].prop_map(DQuat::from_array);
    prop_oneof![
        2 => steps.prop_map(|step| (DQuat::IDENTITY, step)),
        1 => (turn, anywhere),
    ]
}

/// Checks two meshes at a size, far from the origin by a number of units.
fn check_at(
    meshes: [&Mesh; 2],
    (turn, shift): (DQuat, DVec3),
    [first, second]: [BuildSettings; 2],
    unit: f64,
    offset: f64,
) {
    let [a, b] = meshes.map(|mesh| mapped(mesh, |p| (p + DVec3::splat(offset)) * unit));
    let isometry = Isometry::new(turn, shift * unit).unwrap();
    let a = Kinds::new(&a, &first);
    let b = Kinds::placed(&b, isometry, &second);
    check_everything(&a, &b, (shift + DVec3::splat(offset)) * unit);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_bodies(
        a in mesh(), b in mesh(), place in placement(), settings in [settings(), settings()],
    ) {
        check_at([&a, &b], place, settings, 1.0, 0.0);
    }

    /// Powers of two near 1e-30 and 1e15 keep the lattice; offsets leave few digits.
    #[test]
    fn random_bodies_of_odd_sizes(
        a in mesh(), b in mesh(), place in placement(), settings in [settings(), settings()],
        exponent in prop_oneof![Just(-100), Just(50), -125..120i32],
        offset in prop_oneof![Just(0.0), Just(1e7), Just(3e14)],
    ) {
        check_at([&a, &b], place, settings, 2f64.powi(exponent), offset);
    }
}

proptest! {
    // Few: the exact test works in long integers here.
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Where squares, and then the numbers themselves, leave the range of `f64`.
    #[test]
    fn random_bodies_of_absurd_sizes(
        a in mesh(), b in mesh(), place in placement(), settings in [settings(), settings()],
        exponent in -1070..1015i32,
    ) {
        // In two steps: the power of -1070 by itself is computed as 1 / infinity.
        let unit = 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        check_at([&a, &b], place, settings, unit, 0.0);
    }
}

#[test]
fn every_tree_against_every_tree() {
    let ball = mapped(&icosphere(1).unwrap(), |p| p * 0.4 + 0.5);
    let loose = triangle_soup(60, 0.15, 8).unwrap();
    let place = Isometry::from_translation(DVec3::new(0.1, 0.0, -0.05)).unwrap();
    for first in all_settings() {
        let a = Kinds::new(&loose, &first);
        for second in [first, all_settings()[0], all_settings()[17]] {
            let b = Kinds::placed(&ball, place, &second);
            assert!(check_everything(&a, &b, DVec3::splat(0.5)).len() > 20);
        }
    }
}

/// Triangles that meet in one point or line, with the answer written down.
#[test]
fn contacts_without_area() {
    let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let base = soup(&[[o, x, y]]);
    let others = [
        ([o, -x, -y], true),                                              // a corner
        ([o, x, -y], true),                                               // an edge
        ([o, x, y], true),                                                // itself
        ([0.25 * (x + y), 4.0 * x, 4.0 * y + x], true), // a corner inside, in the plane
        ([0.25 * (x + y), x + z, y + z], true),         // a corner inside
        ([0.5 * (x + y), 0.5 * (x + y) + z, x + y + z], true), // a corner on an edge
        ([0.25 * (x + y); 3], true),                    // a point inside
        ([o; 3], true),                                 // a point at a corner
        ([0.25 * (x + y) - z, 0.25 * (x + y) + z, 0.25 * (x + y)], true), // a segment
        ([-x, 2.0 * x, 2.0 * x], true),                 // a segment along an edge
        ([z, x + z, y + z], false),                     // parallel
        ([x + y; 3], false),                            // a point in the plane
        ([x + y, 2.0 * x + y, x + 2.0 * y], false),     // apart in the plane
        ([f64::from_bits(1) * z, x + z, y + z], false), // above by the smallest number
        ([-f64::EPSILON * x, -x, -y], false),           // beside by the last bit
    ];
    let expected: Vec<_> = (0..).zip(&others).filter(|(_, o)| o.1).map(|(j, _)| [0, j]).collect();
    let a = Kinds::new(&base, &BuildSettings::default());
    for settings in all_settings() {
        let b = Kinds::new(&soup(&others.map(|(triangle, _)| triangle)), &settings);
        assert_eq!(check_everything(&a, &b, DVec3::new(0.2, 0.3, 2.0)), expected);
    }
    // Each alone: trees of one leaf.
    for (triangle, touches) in others {
        let b = Kinds::new(&soup(&[triangle]), &BuildSettings::default());
        assert_eq!(check_everything(&a, &b, z).len(), usize::from(touches), "{triangle:?}");
    }
}

/// Brute force asks the body which triangles are neighbours, as the query does: here
/// the answers are written down.
#[test]
fn neighbours_at_rest_are_no_contacts() {
    let ball = icosphere(2).unwrap();
    let corners = |t: &[u32; 3]| t.map(|vertex| ball.positions()[vertex as usize]);
    let triangles: Vec<_> = ball.triangles().iter().map(corners).collect();
    // Seams everywhere: no two triangles share a vertex, but places.
    assert!(check_self(&Kinds::new(&soup(&triangles), &BuildSettings::default())).is_empty());
    // Neighbours stay neighbours when they are moved into one another, and no others become so.
    let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let rest = soup(&[[o, x, y], [o, -x, -y], [z, x + z, y + z]]);
    let mut kinds = Kinds::new(&rest, &BuildSettings::default());
    assert!(check_self(&kinds).is_empty());
    kinds.set_free_positions(&[o, x, y, o, x, y, o, -x, -y]);
    for body in [&kinds.free_layered, &kinds.free_wrapped] {
        assert_eq!(self_intersections(body).pairs, [[0, 2], [1, 2]]);
    }
    assert_eq!(self_intersections(&kinds.free_boxes).pairs, [[0, 2], [1, 2]]);
}

/// Brute force and the queries share the rule for equals: here it is applied anew.
#[test]
fn of_equals_the_first_is_found() {
    let mesh = grid(6, 6, 1.5, 1.5).unwrap();
    let a = Kinds::new(&mesh, &BuildSettings::default());
    let up = Isometry::from_translation(DVec3::new(0.5, 0.5, 0.25)).unwrap();
    let b = Kinds::placed(&mesh, up, &BuildSettings::WIDE);
    check_two(&a, &b, true);
    let triangle = |kinds: &Kinds, t| kinds.free_boxes.triangle(t);
    let all = || 0..mesh.triangles().len() as u32;
    let apart =
        |&[i, j]: &[u32; 2]| triangle_distance(&triangle(&a, i), &triangle(&b, j)).distance_squared;
    // `min_by` gives the first of equals.
    let nearest = all()
        .flat_map(|i| all().map(move |j| [i, j]))
        .min_by(|p, q| apart(p).total_cmp(&apart(q)))
        .unwrap();
    assert_eq!(apart(&nearest), 0.25);
    assert_eq!(distance(&a.free_boxes, &b.free_boxes).pair, nearest);
    // Vertices belong to several triangles.
    for &vertex in mesh.positions() {
        let eye = vertex + DVec3::Y;
        let ray = Ray::new(eye, -DVec3::Y).unwrap();
        let first = all().find(|&t| triangle(&a, t).contains(&vertex)).unwrap();
        let (hit, _) = ray_cast(&a.free_boxes, &ray).hit.unwrap();
        assert_eq!((hit, closest_point(&a.free_boxes, eye).unwrap().triangle), (first, first));
        check_rays_and_points(&a, &[ray], &[eye]);
    }
}

/// Grids in one plane: every triangle touches a dozen others, all distances are equal.
#[test]
fn coplanar_grids() {
    let mesh = grid(10, 10, 2.5, 2.5).unwrap(); // a cell is a quarter, without rounding
    let a = Kinds::new(&mesh, &BuildSettings::default());
    let cell = 0.25;
    for (shift, least) in [
        (DVec3::ZERO, 1_500),
        (DVec3::new(0.5 * cell, 0.0, 0.0), 1_000),
        (DVec3::new(cell, 0.0, 0.0), 1_500),
        (DVec3::new(0.5 * cell, 0.0, 0.5 * cell), 1_000),
        (DVec3::new(2.5, 0.0, 0.0), 10), // edge to edge
        (DVec3::new(0.0, 0.5, 0.0), 0),  // above: every distance is a half
    ] {
        let isometry = Isometry::from_translation(shift).unwrap();
        let b =
            Kinds::placed(&mesh, isometry, &BuildSettings { leaf_size: 4, ..BuildSettings::WIDE });
        // Distances of all pairs are dear where most are computed: for two of the cases.
        let pairs = check_two(&a, &b, shift == DVec3::ZERO || shift.y != 0.0);
        assert!(
            pairs.len() >= least && (least > 0 || pairs.is_empty()),
            "{shift}: {}",
            pairs.len()
        );
    }
    let doubled = joined(&mesh, &mapped(&mesh, |p| p + DVec3::new(0.5 * cell, 0.0, 0.0)));
    let pairs = check_self(&Kinds::new(&doubled, &BuildSettings::default()));
    assert!(pairs.len() > 1_000, "{}", pairs.len());
}

#[test]
fn a_ball_against_a_blowing_curtain() {
    let curtain = curtain(0).unwrap();
    let scene = pliant_scenes::curtain_and_ball(0, 3).unwrap();
    let mut touching = 0;
    for frame in [45, 60, 75] {
        let positions = curtain.positions(frame).unwrap();
        let cloth = Kinds::deformed(&curtain.mesh, &positions, &BuildSettings::default());
        let place = Isometry::from_translation(scene.ball.centers[frame]).unwrap();
        let ball = Kinds::placed(&scene.ball.mesh, place, &BuildSettings::WIDE);
        touching += usize::from(!check_two(&cloth, &ball, false).is_empty());
        let (rays, points) = aim(&cloth.free_boxes, scene.ball.centers[frame]);
        assert!(check_rays_and_points(&cloth, &rays, &points) > 3);
    }
    assert!(touching >= 2, "{touching}");
    // Apart, with a coarser ball: how far?
    let positions = curtain.positions(0).unwrap();
    let cloth = Kinds::deformed(&curtain.mesh, &positions, &BuildSettings::default());
    let ball = pliant_scenes::curtain_and_ball(0, 1).unwrap().ball;
    let place = Isometry::from_translation(ball.centers[0]).unwrap();
    let ball = Kinds::placed(&ball.mesh, place, &BuildSettings::default());
    assert!(check_two(&cloth, &ball, true).is_empty());
}

#[test]
fn chairs_in_a_pile() {
    let pile = pile_of_chairs(20, 2).unwrap();
    let chair = thinned(&pile.chair, 3);
    let place = |&(turn, shift): &(_, _)| Isometry::new(turn, shift).unwrap();
    let places: Vec<Isometry> = pile.placements.iter().map(place).collect();
    // The three nearest pairs of chairs, by their middles: they lie in one another.
    let mut near: Vec<(f64, usize, usize)> = Vec::new();
    for (i, a) in places.iter().enumerate() {
        for (j, b) in places.iter().enumerate().skip(i + 1) {
            near.push((a.translation().distance(b.translation()), i, j));
        }
    }
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let kinds = |i: usize| Kinds::placed(&chair, places[i], &BuildSettings::default());
    let mut pairs = 0;
    for &(_, i, j) in &near[..3] {
        pairs += check_two(&kinds(i), &kinds(j), false).len();
    }
    assert!(pairs > 10, "{pairs}");
}

/// Brute force over a million is out of reach: a grid over the lowest corners of the
/// triangles' boxes stands in for it.
#[test]
fn a_million_triangles() {
    let (count, size) = (1_000_000, 0.002);
    let mesh = triangle_soup(count, size, 9).unwrap();
    let boxes = Body::free(mesh.clone()).unwrap();
    let found = self_intersections(&boxes).pairs;
    let expected = self_pairs_by_grid(&boxes, count, 2.0 * size);
    assert!(found.len() > 1_000, "{}", found.len());
    assert!(found == expected, "{} pairs, not {}", found.len(), expected.len());

    let ball = Body::rigid(mapped(&icosphere(0).unwrap(), |p| p * 0.3 + 0.5)).unwrap();
    let expected = brute_force::intersections(&boxes, &ball).pairs;
    assert!(expected.len() > 1_000, "{}", expected.len());
    assert!(intersections(&boxes, &ball).pairs == expected);
    let (rays, points) = aim(&ball, DVec3::splat(0.5));
    for ray in &rays[..2] {
        assert_eq!(ray_bits(&ray_cast(&boxes, ray)), ray_bits(&brute_force::ray_cast(&boxes, ray)));
    }
    for &point in &points[..2] {
        let expected = brute_force::closest_point(&boxes, point).unwrap();
        assert_eq!(closest_bits(&closest_point(&boxes, point).unwrap()), closest_bits(&expected));
    }
    drop(boxes);
    let settings = BuildSettings { leaf_size: 4, ..BuildSettings::CLASSIC };
    let spheres = Body::rigid_spheres(mesh, Default::default(), &settings).unwrap();
    assert!(self_intersections(&spheres).pairs == found);
    assert!(intersections(&spheres, &ball).pairs == expected);
}

/// All touching pairs among triangles in the unit cube whose boxes have sides up to `side`
/// and that share no vertex.
fn self_pairs_by_grid(body: &impl Collide, count: u32, side: f64) -> Vec<[u32; 2]> {
    let lowest = |t: [DVec3; 3]| t[0].min(t[1]).min(t[2]);
    // Where boxes overlap, lowest corners are at most a side apart: neighbouring cells.
    let cells = ((1.0 + 2.0 * side) / side).ceil() as usize + 2;
    let cell = |p: DVec3| ((p + side) / side).to_array().map(|x| x as usize + 1);
    let number = |[x, y, z]: [usize; 3]| (x * cells + y) * cells + z;
    let triangles: Vec<_> = (0..count).map(|t| body.triangle(t)).collect();
    let mut order: Vec<_> =
        (0..count).map(|t| (number(cell(lowest(triangles[t as usize]))), t)).collect();
    order.sort_unstable();
    let mut starts = vec![0_u32; cells * cells * cells + 1];
    order.iter().for_each(|&(cell, _)| starts[cell + 1] += 1);
    (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
    let mut pairs = Vec::new();
    for (i, a) in (0..).zip(&triangles) {
        let [x, y, z] = cell(lowest(*a));
        for (x, y) in (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y))) {
            // Three cells in a row along z are one run.
            let run = starts[number([x, y, z - 1])]..starts[number([x, y, z + 1]) + 1];
            for &(_, j) in &order[run.start as usize..run.end as usize] {
                if i < j && triangles_touch(a, &triangles[j as usize]) {
                    pairs.push([i, j]);
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

#[test]
fn a_cow_and_its_turned_copy() {
    let Some((bytes, file)) = data_file("mesh/common-3d/spot.obj") else { return };
    let mesh = pliant_io::read_obj(&bytes, &file).unwrap();
    let place = Isometry::new(DQuat::from_rotation_y(0.7), DVec3::new(0.1, 0.05, 0.2)).unwrap();
    let cow = Kinds::new(&mesh, &BuildSettings::default());
    let copy = Kinds::placed(&mesh, place, &BuildSettings::CLASSIC);
    assert!(check_two(&cow, &copy, false).len() > 100);
    let (rays, points) = aim(&cow.free_boxes, DVec3::new(3.0, 1.0, -2.0));
    assert!(check_rays_and_points(&cow, &rays, &points) > 3);
}

#[test]
fn cloth_that_touches_itself() {
    let Some((bytes, file)) = data_file("sequences/derived/cloth_ball_twist.obj") else { return };
    let Some((cache, cache_file)) = data_file("sequences/derived/cloth_ball_twist.pc2") else {
        return;
    };
    let mesh = pliant_io::read_obj(&bytes, &file).unwrap();
    let cache = pliant_io::read_pc2(&cache, &cache_file, 24.0).unwrap();
    // Flat at rest: the exact test has to settle every pair, so that a part must do.
    check_self(&Kinds::new(&thinned(&mesh, 15), &BuildSettings::default()));
    let last = cache.frames().last().unwrap();
    let positions: Vec<_> = last.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
    check_self(&Kinds::deformed(&mesh, &positions, &BuildSettings::default()));
}

/// Simulated cloth and rods are free of crossings; their next frame, pushed into the
/// first, is not.
#[test]
fn simulated_frames() {
    for (name, step) in [
        ("ccd/scalable-ccd/cloth-funnel/frames/227.ply", 3),
        ("ccd/scalable-ccd/rod-twist/frames/3036.ply", 17),
    ] {
        let Some((bytes, file)) = data_file(name) else { continue };
        let mesh = pliant_io::read_ply(&bytes, &file).unwrap();
        let size =
            mesh.positions().iter().fold(DVec3::ZERO, |all, p| all.max(p.abs())).max_element();
        let mut random = Random::new(12);
        // Noise of a thousandth makes neighbouring layers cross.
        let noise: Vec<_> =
            mesh.positions().iter().map(|p| *p + random.in_cube() * 2e-3 * size).collect();
        let whole = Kinds::deformed(&mesh, &noise, &BuildSettings::default());
        let pairs = self_intersections(&whole.free_boxes).pairs;
        assert!(!pairs.is_empty(), "{name}");
        check_self_against(&whole, &pairs);
        check_self(&Kinds::deformed(&thinned(&mesh, step), &noise, &BuildSettings::WIDE));
    }
}

#[test]
fn parts_from_stl_files() {
    for name in ["malformed/trimesh/multibody.stl", "malformed/trimesh/7_8ths_cube.stl"] {
        let Some((bytes, file)) = data_file(name) else { continue };
        let mesh = pliant_io::read_stl(&bytes, &file).unwrap();
        let mesh = thinned(&mesh, mesh.triangles().len().div_ceil(1500));
        let size =
            mesh.positions().iter().fold(DVec3::ZERO, |all, p| all.max(p.abs())).max_element();
        let a = Kinds::new(&mesh, &BuildSettings::default());
        let place = Isometry::new(DQuat::from_rotation_x(0.3), DVec3::splat(0.05 * size)).unwrap();
        let b = Kinds::placed(&mesh, place, &BuildSettings::BALANCED);
        assert!(!check_everything(&a, &b, DVec3::splat(2.0 * size)).is_empty(), "{name}");
    }
}
