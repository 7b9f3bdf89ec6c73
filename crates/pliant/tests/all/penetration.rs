//! `penetration` against brute force, known solids, and what every vertex says for itself.

use crate::support::{Kinds, for_each_kind, joined, mapped, settings, soup};
use pliant::glam::{DQuat, DVec3};
use pliant::query::{Depth, Region, RegionKind, brute_force};
use pliant::{
    Body, Inside, Isometry, Mesh, Penetration, Surface, World, closest_point, inside, penetration,
    self_penetration,
};
use pliant_scenes::{Random, cuboid, icosphere, triangle_soup};
use proptest::prelude::*;

type Rigid = pliant::RigidBody;

fn body(mesh: &Mesh) -> Rigid {
    Body::rigid(mesh.clone()).unwrap()
}

fn cube(size: DVec3, cells: u32, at: DVec3) -> Mesh {
    mapped(&cuboid(size, [cells; 3]).unwrap(), |p| p + at)
}

fn deepest(regions: &[Region]) -> f64 {
    regions.iter().map(|region| region.depth.length().unwrap()).fold(0.0, f64::max)
}

#[track_caller]
fn only(found: Penetration) -> Region {
    assert_eq!(found.regions.len(), 1, "{:?}", found.regions);
    found.regions.into_iter().next().unwrap()
}

#[test]
fn boxes_have_one_depth_at_ten_tessellations() {
    let overlap = DVec3::new(0.1, 0.7, 0.8);
    let faces = DVec3::new(overlap.y * overlap.z, overlap.z * overlap.x, overlap.x * overlap.y);
    for cells in 1..=10 {
        let a = body(&cube(DVec3::ONE, cells, DVec3::ZERO));
        let b = body(&cube(DVec3::ONE, 11 - cells, DVec3::ONE - overlap));
        let region = only(penetration(&a, &b));
        assert_eq!(region.kind, RegionKind::Crossing);
        let depth = region.depth.length().unwrap();
        assert!((depth - 0.1).abs() < 1e-12, "{cells} cells: {depth}");
        let direction = region.direction.unwrap();
        assert!((direction + DVec3::X).length() < 1e-12, "{direction}");
        assert!((region.area - faces.length()).abs() < 1e-9, "{cells} cells: {}", region.area);
        assert_eq!(region.curve.len(), 1, "{cells} cells");
        assert_eq!(region.curve[0].first(), region.curve[0].last());
        // The other way round the same, turned.
        let other = only(penetration(&b, &a));
        assert_eq!(other.depth.length(), Some(depth));
        assert!((other.direction.unwrap() - DVec3::X).length() < 1e-12);
        let [of_a, of_b] = region.vertices;
        assert_eq!(other.vertices, [of_b, of_a]);
    }
}

/// Bars that cross: while cells are large no vertex is inside, and edges show the depth.
#[test]
fn crossed_bars_have_a_depth_at_every_tessellation() {
    for cells in 1..=10 {
        let a = body(&cube(DVec3::new(3.0, 1.0, 1.0), cells, DVec3::ZERO));
        let b = body(&cube(DVec3::new(1.0, 3.0, 1.0), cells, DVec3::Z * 0.5));
        let region = only(penetration(&a, &b));
        assert_eq!(region.kind, RegionKind::Crossing, "{cells} cells");
        let depth = region.depth.length().unwrap();
        // Half a cell's length to the side of the middle, at most.
        let missed = if cells <= 2 { 0.0 } else { 1.5 / f64::from(cells) };
        assert!(depth <= 0.5 + 1e-12 && depth >= 0.5 - missed - 1e-12, "{cells} cells: {depth}");
    }
}

#[test]
fn balls_approach_the_depth_of_spheres() {
    let mut last = f64::INFINITY;
    for subdivisions in 1..=5 {
        let ball = icosphere(subdivisions).unwrap();
        let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), 0.3);
        let away = turn * DVec3::X * 1.5;
        let region = only(penetration(&body(&ball), &body(&mapped(&ball, |p| p + away))));
        let error = (region.depth.length().unwrap() - 0.5).abs();
        assert!(error < last.max(0.01) && error < 0.2, "{subdivisions}: {error}");
        let circle = std::f64::consts::PI * (1.0 - 0.75f64 * 0.75);
        assert!((region.area / circle - 1.0).abs() < 0.5 / f64::from(subdivisions * subdivisions));
        assert_eq!(region.curve.len(), 1);
        last = error;
    }
    assert!(last < 0.005, "{last}");
}

#[test]
fn a_body_inside_another_is_a_region() {
    let outer = body(&cube(DVec3::splat(4.0), 3, DVec3::ZERO));
    let inner = body(&cube(DVec3::ONE, 2, DVec3::X));
    for (found, own) in [(penetration(&inner, &outer), 0), (penetration(&outer, &inner), 1)] {
        let region = only(found);
        assert_eq!(
            (region.kind, region.pairs.len(), region.curve.len()),
            (RegionKind::Contained, 0, 0)
        );
        assert_eq!(region.vertices[own].len(), 26);
        assert!(region.vertices[1 - own].is_empty());
        // The farthest side of the small cube is 1.5 away from the near side of the large one.
        assert_eq!(region.depth.length(), Some(1.5));
    }
    // Apart, and two pieces of which one is inside.
    let far = body(&cube(DVec3::ONE, 1, DVec3::X * 3.5));
    assert_eq!(penetration(&far, &outer).regions, []);
    let two = joined(&cube(DVec3::ONE, 1, DVec3::X * 0.25), &cube(DVec3::ONE, 1, DVec3::X * 9.0));
    assert_eq!(only(penetration(&body(&two), &outer)).vertices[0], [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_rod_through_a_wall_is_one_region_with_two_loops() {
    let wall = body(&cube(DVec3::new(1.0, 8.0, 8.0), 4, DVec3::ZERO));
    let rod = cuboid(DVec3::new(6.0, 1.0, 1.0), [23, 3, 3]).unwrap();
    let turn = DQuat::from_axis_angle(DVec3::Z, 0.1);
    let region = only(penetration(&body(&mapped(&rod, |p| turn * p)), &wall));
    assert_eq!(region.curve.len(), 2);
    let depth = region.depth.length().unwrap();
    assert!(depth > 0.4 && depth <= 0.5, "{depth}");
    // Two rods that pass side by side are two regions.
    let two = joined(&rod, &mapped(&rod, |p| p + DVec3::Y * 2.5));
    let found = penetration(&body(&mapped(&two, |p| turn * p)), &wall);
    assert_eq!(found.regions.len(), 2);
}

#[test]
fn touching_has_no_depth() {
    let a = body(&cube(DVec3::ONE, 2, DVec3::ZERO));
    for away in [
        DVec3::X,                     // face to face
        DVec3::new(1.0, 0.25, 0.125), // face to face, shifted
        DVec3::new(1.0, 1.0, 0.25),   // edge to edge
        DVec3::ONE,                   // corner to corner
    ] {
        for cells in 1..4 {
            let found = penetration(&a, &body(&cube(DVec3::ONE, cells, away)));
            assert!(!found.regions.is_empty(), "{away}");
            for region in found.regions {
                assert_eq!(
                    (region.kind, region.depth),
                    (RegionKind::Touching, Depth::Zero),
                    "{away}"
                );
                assert!(region.direction.is_none() && region.vertices.iter().all(Vec::is_empty));
                assert!(!region.pairs.is_empty() && !region.curve.is_empty());
            }
        }
    }
    // One ulp deeper, they cross.
    let nudged = mapped(&cube(DVec3::ONE, 1, DVec3::ZERO), |p| {
        p + DVec3::new(1.0f64.next_down(), 0.25, 0.125)
    });
    let region = only(penetration(&a, &body(&nudged)));
    assert_eq!(region.kind, RegionKind::Crossing);
    assert!(region.depth.length().unwrap() < 1e-15);
}

#[test]
fn a_sheet_is_passed_from_the_side_of_the_larger_part() {
    let ball = icosphere(4).unwrap();
    for cells in [1, 2, 5, 40] {
        let flat = grid(8.0, cells);
        for sheet in [flat.clone(), turned(&flat)] {
            for height in [0.7, 0.4, -0.6] {
                // The small cap of the ball is 1 - |height| high.
                let ball = body(&mapped(&ball, |p| p + DVec3::new(0.1, height, 0.05)));
                for region in
                    [penetration(&ball, &body(&sheet)), penetration(&body(&sheet), &ball)].map(only)
                {
                    let depth = region.depth.length().unwrap();
                    let expected = 1.0 - f64::abs(height);
                    assert!((depth - expected).abs() < 0.02, "{cells}: {depth}, not {expected}");
                    assert_eq!(region.kind, RegionKind::Crossing);
                }
            }
        }
    }
}

fn turned(mesh: &Mesh) -> Mesh {
    let triangles = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    Mesh::new(mesh.positions().to_vec(), triangles).unwrap()
}

/// A square in the plane y = 0.
fn grid(size: f64, cells: u32) -> Mesh {
    pliant_scenes::grid(cells, cells, size, size).unwrap()
}

#[test]
fn sheets_that_cut_into_each_other_cannot_tell() {
    let flat = grid(2.0, 6);
    let upright = mapped(&flat, |p| DVec3::new(p.x * 0.5 + 0.7, p.z * 0.45, p.y + 0.03));
    let region = only(penetration(&body(&flat), &body(&upright)));
    assert_eq!((region.kind, region.depth), (RegionKind::Crossing, Depth::CannotTell));
    assert!(region.direction.is_none());
    // A sheet that cuts the other in two has a smaller side.
    let upright = mapped(&flat, |p| DVec3::new(p.x * 2.0, p.z * 0.45 - 0.3, p.y + 0.63));
    let region = only(penetration(&body(&flat), &body(&upright)));
    assert!(region.depth.length().unwrap() > 0.3, "{:?}", region.depth);
}

// ------------------------------------------------------------ brute force and vertices

#[track_caller]
fn assert_same(name: &str, found: &Penetration, expected: &Penetration) {
    assert_eq!(found.regions.len(), expected.regions.len(), "{name}");
    for (one, other) in found.regions.iter().zip(&expected.regions) {
        assert_eq!(one, other, "{name}");
    }
}

fn check_two(a: &Kinds, b: &Kinds) -> Penetration {
    let expected = brute_force::penetration(&a.free_boxes, &b.free_boxes);
    for_each_kind!(a, |name_a, body_a| {
        assert_same(name_a, &penetration(body_a, &b.rigid_boxes), &expected);
        assert_same(name_a, &penetration(body_a, &b.free_wrapped), &expected);
    });
    let own = brute_force::self_penetration(&a.free_boxes);
    for_each_kind!(a, |name, body| assert_same(name, &self_penetration(body), &own));
    expected
}

/// All vertices of `a` that are inside `b`, one per place, and the depth of the deepest.
fn inside_by_vertex(a: &impl Surface, b: &impl Surface) -> (Vec<u32>, f64) {
    let mut used: Vec<u32> =
        a.mesh().triangles().iter().flatten().map(|&v| a.mesh().places()[v as usize]).collect();
    used.sort_unstable();
    used.dedup();
    used.retain(|&v| brute_force::inside(b, a.vertex(v)).unwrap().inside == Inside::In);
    let depth = |&v: &u32| closest_point(b, a.vertex(v)).unwrap().found.distance_squared.sqrt();
    let deepest = used.iter().map(depth).fold(0.0, f64::max);
    (used, deepest)
}

#[track_caller]
fn check_vertices(a: &impl Surface, b: &impl Surface, found: &Penetration) {
    let (in_b, depth_a) = inside_by_vertex(a, b);
    let (in_a, depth_b) = inside_by_vertex(b, a);
    for (side, expected) in [(0, in_b), (1, in_a)] {
        let mut all: Vec<u32> =
            found.regions.iter().flat_map(|r| r.vertices[side].clone()).collect();
        all.sort_unstable();
        assert_eq!(all, expected, "side {side}");
    }
    let vertices = depth_a.max(depth_b);
    let depth = deepest(&found.regions);
    assert!(depth >= vertices, "{depth}, {vertices}");
    let at_a_vertex = |region: &Region| match region.depth {
        Depth::At(deepest) => deepest.vertex.is_some(),
        _ => true,
    };
    if found.regions.iter().all(at_a_vertex) {
        assert_eq!(depth, vertices);
    }
    let mut pairs: Vec<_> = found.regions.iter().flat_map(|region| region.pairs.clone()).collect();
    pairs.sort_unstable();
    assert_eq!(pairs, brute_force::intersections(a, b).pairs);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lumps_agree_with_brute_force_and_with_every_vertex(
        seed in any::<u64>(), settings in settings(), holes in 1..3usize,
    ) {
        let mut random = Random::new(seed);
        let ball = icosphere(2).unwrap();
        let waves = random.in_cube() * 5.0;
        let lump = mapped(&ball, |p| p * (1.0 + 0.4 * waves.dot(p).sin()));
        let place = Isometry::new(random.rotation(), random.in_cube()).unwrap();
        let ball = crate::support::thinned(&ball, holes);
        let (a, b) = (Kinds::placed(&lump, place, &settings), Kinds::new(&ball, &settings));
        let found = check_two(&a, &b);
        if holes == 1 {
            check_vertices(&a.free_boxes, &b.rigid_boxes, &found);
            let mut lines = found.regions.iter().flat_map(|region| &region.curve);
            prop_assert!(lines.all(|line| line.first() == line.last()), "an open line");
        }
    }

    #[test]
    fn boxes_on_a_lattice_agree_with_brute_force_and_with_every_vertex(
        sizes in [1..=3i32, 1..=3, 1..=3, 1..=3, 1..=3, 1..=3], at in [-2..=2i32, -2..=2, -2..=2],
        cells in [1..=3u32, 1..=3], settings in settings(),
    ) {
        let [a, b, c, d, e, f] = sizes.map(f64::from);
        let first = cube(DVec3::new(a, b, c), cells[0], DVec3::ZERO);
        let second = cube(DVec3::new(d, e, f), cells[1], DVec3::from(at.map(f64::from)) * 0.5);
        let (first, second) = (Kinds::new(&first, &settings), Kinds::new(&second, &settings));
        let found = check_two(&first, &second);
        check_vertices(&first.free_boxes, &second.free_boxes, &found);
        // The boxes overlap with volume exactly if a region crosses or contains.
        let half = [DVec3::new(a, b, c) * 0.5, DVec3::new(d, e, f) * 0.5];
        let away = DVec3::from(at.map(f64::from)) * 0.5;
        let apart = (away.abs() - half[0] - half[1]).max_element();
        let same = half[0] == half[1] && away == DVec3::ZERO;
        let overlap = found.regions.iter().any(|region| region.kind != RegionKind::Touching);
        prop_assert_eq!(found.regions.is_empty(), apart > 0.0);
        if !same {
            prop_assert!(!overlap || apart < 0.0);
        }
    }

    #[test]
    fn soups_agree_with_brute_force(
        triangles in prop::collection::vec(
            [[-2..=2i32, -2..=2, -2..=2], [-2..=2, -2..=2, -2..=2], [-2..=2, -2..=2, -2..=2]], 1..30),
        seed in any::<u64>(), settings in settings(),
    ) {
        let corner = |p: [i32; 3]| DVec3::from(p.map(f64::from));
        let lattice: Vec<_> = triangles.iter().map(|t| t.map(corner)).collect();
        let other = mapped(&triangle_soup(40, 0.8, seed).unwrap(), |p| p * 2.0);
        let (a, b) = (Kinds::new(&soup(&lattice), &settings), Kinds::new(&other, &settings));
        check_two(&a, &b);
    }
}

// --------------------------------------------------------------------- with itself

#[test]
fn two_parts_of_one_body_are_as_deep_as_two_bodies() {
    let ball = icosphere(3).unwrap();
    let moved = mapped(&ball, |p| p * 0.8 + DVec3::new(1.3, 0.2, 0.1));
    let two = penetration(&body(&ball), &body(&moved));
    let one = self_penetration(&body(&joined(&ball, &moved)));
    let (two, one) = (only(two), only(one));
    assert_eq!(one.depth.length(), two.depth.length());
    let shift = ball.positions().len() as u32;
    let [first, second] = two.vertices;
    let both: Vec<u32> = first.into_iter().chain(second.iter().map(|v| v + shift)).collect();
    assert_eq!(one.vertices, [both, vec![]]);
    assert_eq!(one.pairs.len(), two.pairs.len());
    assert!((one.area - two.area).abs() < 1e-9);
    // An eye in a head, without contact.
    let eye = self_penetration(&body(&joined(&ball, &mapped(&ball, |p| p * 0.1 + DVec3::X * 0.5))));
    assert_eq!(only(eye).kind, RegionKind::Contained);
    assert_eq!(self_penetration(&body(&ball)).regions, []);
}

/// A long ball, bent to a ring whose ends overlap.
#[test]
fn the_ends_of_a_ring_are_in_each_other() {
    let ball = icosphere(4).unwrap();
    let bent = |reach: f64| {
        mapped(&ball, |p| {
            let (angle, radius) = (p.x * reach, 3.0 + 0.5 * p.y);
            DVec3::new(radius * angle.sin(), radius * angle.cos(), 0.5 * p.z + 0.02 * angle)
        })
    };
    let mut ring = Body::free(ball.clone()).unwrap();
    ring.set_positions(bent(3.0).positions()).unwrap();
    assert_eq!(self_penetration(&ring).regions, []);
    ring.set_positions(bent(3.5).positions()).unwrap();
    let found = self_penetration(&ring);
    assert_same("ring", &found, &brute_force::self_penetration(&ring));
    let region = only(found);
    assert_eq!(region.kind, RegionKind::Crossing);
    let vertices = &region.vertices[0];
    assert!(vertices.len() > 4, "{vertices:?}");
    // Just outside the surface at those vertices, and at no others, there is another part.
    let normals = vertex_normals(&ring);
    for vertex in 0..ball.positions().len() as u32 {
        let outside = ring.vertex(vertex) + normals[vertex as usize] * 1e-9;
        let covered = inside(&ring, outside).unwrap().winding >= 1;
        assert_eq!(covered, vertices.contains(&vertex), "vertex {vertex}");
    }
    let depth = region.depth.length().unwrap();
    assert!(depth > 0.05 && depth < 0.5, "{depth}");
}

fn vertex_normals(body: &impl Surface) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; body.mesh().positions().len()];
    for (number, corners) in (0..).zip(body.mesh().triangles()) {
        let [a, b, c] = body.triangle(number);
        let normal = (b - a).cross(c - a);
        corners.iter().for_each(|&v| normals[v as usize] += normal);
    }
    normals.into_iter().map(DVec3::normalize).collect()
}

// ------------------------------------------------------------------------- worlds

#[test]
fn regions_of_a_world_for_any_number_of_threads() {
    let ball = icosphere(3).unwrap();
    let mut world = World::new();
    let mut bodies = Vec::new();
    for k in 0..6u32 {
        let at = DVec3::new(1.5 * f64::from(k), 0.1 * f64::from(k % 3), 0.0);
        let mut one = Body::rigid(ball.clone()).unwrap();
        one.set_isometry(Isometry::from_translation(at).unwrap());
        bodies.push(one.clone());
        world.insert(one).unwrap();
    }
    let within = mapped(&ball, |p| p * 0.2);
    bodies.push(body(&within));
    let small = world.insert(body(&within)).unwrap();
    world.set_self_contact(small, true).unwrap();
    let expected = world.penetrations();
    assert_eq!(expected.bodies.len(), 6);
    let ids: Vec<_> = world.iter().map(|(id, _)| id).collect();
    for found in &expected.bodies {
        let [a, b] = found.bodies.map(|id| ids.iter().position(|&other| other == id).unwrap());
        assert_eq!(found.regions, penetration(&bodies[a], &bodies[b]).regions);
    }
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| world.penetrations()) == expected, "{threads} threads");
    }
}

/// A hook that pierces the wall of a cup and leaves through its opening was as deep as it stands out
/// of the cup.
#[test]
fn what_leaves_through_an_opening_has_no_depth() {
    let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
    // A cube without its side z = 1.
    let sides = [[0, 1, 3, 2], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, c, b], [a, d, c]]).collect();
    let cup = Mesh::new((0..8).map(corner).collect(), triangles).unwrap();
    // A tube along a path.
    let path = [[-1.0, 0.4, 0.45], [-0.5, 0.41, 0.46], [0.5, 0.42, 0.47], [0.51, 0.43, 3.0]];
    let ring = |at: &[f64; 3]| {
        let at = DVec3::from_array(*at);
        [at, at + DVec3::new(0.0, 0.02, 0.0), at + DVec3::new(0.02, 0.01, 0.02)]
    };
    let corners: Vec<DVec3> = path.iter().flat_map(ring).collect();
    let mut triangles = vec![[0, 2, 1], [9, 10, 11]];
    for k in 0..3 {
        for i in 0..3 {
            let (a, b) = (3 * k + i, 3 * k + (i + 1) % 3);
            triangles.push([a, b, a + 3]);
            triangles.push([b, b + 3, a + 3]);
        }
    }
    let hook = Body::rigid(Mesh::new(corners, triangles).unwrap()).unwrap();
    let cup = Body::free(cup).unwrap();
    let regions = penetration(&hook, &cup).regions;
    assert_eq!(regions.len(), 1);
    assert_eq!(regions[0].kind, RegionKind::Crossing);
    assert!(regions[0].depth.length().is_none_or(|depth| depth < 0.5), "{regions:?}");
}

/// The lower part of a ball, without its top.
fn bowl(ball: &Mesh) -> Mesh {
    let positions = ball.positions();
    let is_low = |corner: &&[u32; 3]| corner.iter().all(|&v| positions[v as usize].z < 0.6);
    let kept: Vec<[u32; 3]> = ball.triangles().iter().filter(is_low).copied().collect();
    Mesh::new(positions.to_vec(), kept).unwrap()
}

/// Both parts inside, one of each bowl, were taken for one part, whose distance to the rest of both
/// bowls was their depth.
#[test]
fn two_open_parts_of_one_body_are_as_deep_as_two_bodies() {
    let ball = icosphere(3).unwrap();
    let first = bowl(&ball);
    let second = mapped(&first, |p| DVec3::new(-p.x, -p.y, p.z) * 0.8 + DVec3::new(1.3, 0.2, -0.1));
    let two = only(penetration(&body(&first), &body(&second)));
    let whole = body(&joined(&first, &second));
    let found = self_penetration(&whole);
    assert_same("bowls", &found, &brute_force::self_penetration(&whole));
    let one = only(found);
    assert_eq!(one.depth.length(), two.depth.length());
    let shift = first.positions().len() as u32;
    let [of_first, of_second] = two.vertices;
    let both: Vec<u32> = of_first.into_iter().chain(of_second.iter().map(|v| v + shift)).collect();
    assert_eq!(one.vertices, [both, vec![]]);
}

/// A bowl in a plate: the few vertices above the plate, far away, were what went through.
#[test]
fn in_one_open_body_the_number_of_vertices_does_not_decide() {
    let corner =
        |k: u32| DVec3::new(8.0 * f64::from(k & 1) - 4.03, 8.0 * f64::from(k >> 1) - 4.01, 0.0);
    let plate = Mesh::new((0..4).map(corner).collect(), vec![[0, 1, 2], [1, 3, 2]]).unwrap();
    for subdivisions in 2..=4 {
        let stretch = |z: f64| z + 20.0 * z.max(0.0);
        let bowl = mapped(&bowl(&icosphere(subdivisions).unwrap()), |p| {
            DVec3::new(p.x, p.y, stretch(p.z - 0.35))
        });
        let whole = body(&joined(&bowl, &plate));
        let found = self_penetration(&whole);
        assert_same("bowl", &found, &brute_force::self_penetration(&whole));
        let depth = only(found).depth.length().unwrap();
        assert!((1.25..=1.35 + 1e-12).contains(&depth), "{subdivisions} subdivisions: {depth}");
    }
}

/// Triangles that share a place do not count as touching, so the curve has gaps where they cross. What
/// was inside went out through the gap, and all of both boxes counted as inside.
#[test]
fn boxes_that_share_a_corner_are_inside_where_they_overlap() {
    let size = DVec3::ONE;
    let one = cube(size, 4, DVec3::ZERO);
    let low = one.positions().iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let one = mapped(&one, |p| p - low);
    let rest = joined(&one, &mapped(&one, |p| p + size));
    let shift = DVec3::new(0.31, 0.33, 0.35);
    let second = one.positions().len();
    // The second box moves into the first, but for the corner that they share.
    let moved: Vec<DVec3> = (0..)
        .zip(rest.positions())
        .map(|(v, &p)| if v >= second && p != size { p - shift } else { p })
        .collect();
    let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), 0.3);
    let mut body = Body::free(rest).unwrap();
    body.set_positions(&moved.iter().map(|&p| turn * p).collect::<Vec<_>>()).unwrap();
    let found = self_penetration(&body);
    assert_same("boxes", &found, &brute_force::self_penetration(&body));
    let region = only(found);
    let overlap = |&&v: &&u32| {
        moved[v as usize].cmpge(size - shift).all() && moved[v as usize].cmple(size).all()
    };
    assert_eq!(region.vertices[0].iter().filter(overlap).count(), 13, "{:?}", region.vertices);
    assert_eq!(region.vertices[0].len(), 13);
    let depth = region.depth.length().unwrap();
    assert!(depth <= 0.35, "{depth}");
}
