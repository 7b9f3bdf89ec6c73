//! Depths of solids whose depth is known, and of open surfaces, whatever their tessellation.

use crate::support::mapped;
use pliant::glam::DVec3;
use pliant::query::{Depth, Region, RegionKind, brute_force};
use pliant::{Body, Mesh, penetration, self_penetration};
use pliant_scenes::{cuboid, grid, icosphere};
use std::f64::consts::PI;

/// The only region of two meshes; that of brute force.
#[track_caller]
fn only(a: &Mesh, b: &Mesh) -> Region {
    let (a, b) = (Body::free(a.clone()).unwrap(), Body::rigid(b.clone()).unwrap());
    let found = penetration(&a, &b).regions;
    assert_eq!(found, brute_force::penetration(&a, &b).regions);
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap()
}

/// A ball of radius 1 by rings of equal latitude, with vertices at both poles.
fn ball_of_rings(rings: u32) -> Mesh {
    let around = 2 * rings;
    let mut corners = vec![DVec3::Y];
    for ring in 1..rings {
        let latitude = PI * f64::from(ring) / f64::from(rings);
        corners.extend((0..around).map(|k| {
            let longitude = 2.0 * PI * f64::from(k) / f64::from(around);
            let out = latitude.sin();
            DVec3::new(out * longitude.cos(), latitude.cos(), out * longitude.sin())
        }));
    }
    corners.push(-DVec3::Y);
    let last = corners.len() as u32 - 1;
    let at = |ring: u32, k: u32| match ring {
        0 => 0,
        _ if ring == rings => last,
        _ => 1 + (ring - 1) * around + k % around,
    };
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for k in 0..around {
            let quad = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
            let [a, b, c, d] = quad;
            triangles
                .extend([[a, b, c], [a, c, d]].into_iter().filter(|[a, b, c]| a != b && b != c));
        }
    }
    let triangles = triangles.into_iter().filter(|[a, _, c]| a != c).collect();
    Mesh::new(corners, triangles).unwrap()
}

#[test]
fn a_ball_in_a_block_has_one_depth_at_ten_tessellations() {
    for rings in 3..13 {
        let ball = mapped(&ball_of_rings(rings), |p| p + DVec3::new(0.0, 0.75, 0.0));
        let cells = 13 - rings;
        let block = cuboid(DVec3::new(4.0, 2.0, 4.0), [cells, 1 + cells / 3, cells]).unwrap();
        let block = mapped(&block, |p| p + DVec3::new(0.013, -1.0, 0.017));
        for (a, b) in [(&ball, &block), (&block, &ball)] {
            let region = only(a, b);
            assert_eq!(region.kind, RegionKind::Crossing);
            let depth = region.depth.length().unwrap();
            assert!((depth - 0.25).abs() < 1e-12, "{rings} rings: {depth}");
        }
    }
}

#[test]
fn two_balls_along_their_poles_have_one_depth_at_ten_tessellations() {
    for rings in 3..13 {
        let ball = ball_of_rings(rings);
        // The pole of each is on the axis of the other; facets cut less than the pole reaches.
        let other = mapped(&ball_of_rings(15 - rings), |p| p + DVec3::Y * 1.8);
        let region = only(&ball, &other);
        let depth = region.depth.length().unwrap();
        assert!(depth > 0.15 && depth <= 0.2 + 1e-12, "{rings} rings: {depth}");
    }
}

/// More vertices in the cap than in the rest: how many there are must not decide.
#[test]
fn the_shallower_part_went_through_a_sheet_whatever_its_vertices() {
    let dense_cap = mapped(&icosphere(4).unwrap(), |p| {
        let angle = p.y.clamp(-1.0, 1.0).acos();
        let moved = PI * (angle / PI).powi(2);
        let out = DVec3::new(p.x, 0.0, p.z).normalize_or_zero();
        out * moved.sin() + DVec3::Y * moved.cos()
    });
    let above = dense_cap.positions().iter().filter(|p| p.y > 0.5).count();
    assert!(above > dense_cap.positions().len() / 2);
    for cells in [1, 7] {
        let sheet =
            mapped(&grid(cells, cells, 8.0, 8.0).unwrap(), |p| p + DVec3::new(0.1, 0.5, 0.2));
        for region in [only(&dense_cap, &sheet), only(&sheet, &dense_cap)] {
            let depth = region.depth.length().unwrap();
            assert!((depth - 0.5).abs() < 0.02, "{depth}");
        }
    }
}

/// A cup that stands in a sheet: most vertices of the sheet are inside the cup, and the rest of the
/// sheet was as deep as it is large.
#[test]
fn a_small_open_surface_crossed_by_a_larger_one_is_not_as_deep_as_that_is_large() {
    let crowded = |x: f64| 5.0 * (x / 5.0).powi(9);
    for cells in [9, 16, 31] {
        let sheet = mapped(&grid(cells, cells, 10.0, 10.0).unwrap(), |p| {
            DVec3::new(crowded(p.x) + 0.01, p.y, crowded(p.z) + 0.02)
        });
        let full = cuboid(DVec3::ONE, [3, 3, 3]).unwrap();
        let is_lid = |t: &&[u32; 3]| t.iter().all(|&v| full.positions()[v as usize].y == 0.5);
        let sides = full.triangles().iter().filter(|t| !is_lid(t)).copied().collect();
        let cup = Mesh::new(full.positions().to_vec(), sides).unwrap();
        let cup = mapped(&cup, |p| p + DVec3::Y * 0.2);
        for region in [only(&sheet, &cup), only(&cup, &sheet)] {
            assert_eq!(region.kind, RegionKind::Crossing);
            if let Some(depth) = region.depth.length() {
                assert!(depth <= 0.3 + 1e-9, "{cells} cells: {depth}");
            }
        }
    }
}

/// A sheet that is stuck in a ball: the ball is whole around it, so only the sheet's vertices tell.
#[test]
fn a_sheet_stuck_in_a_ball_is_as_deep_as_its_vertices() {
    let ball = icosphere(4).unwrap();
    let sheet = mapped(&grid(8, 8, 0.5, 0.5).unwrap(), |p| DVec3::new(p.y + 0.01, p.x + 1.0, p.z));
    for region in [only(&ball, &sheet), only(&sheet, &ball)] {
        let Depth::At(deepest) = region.depth else { panic!("{:?}", region.depth) };
        assert!((deepest.depth - 0.25).abs() < 0.01, "{}", deepest.depth);
    }
}

#[test]
fn the_longest_cut_is_one_of_a_regions_pairs() {
    let ball = icosphere(3).unwrap();
    let moved = mapped(&ball, |p| p * 0.7 + DVec3::new(0.9, 0.1, 0.2));
    let region = only(&ball, &moved);
    let cut = region.longest_cut.unwrap();
    assert!(region.pairs.contains(&cut.triangles));
    let (a, b) = (Body::free(ball).unwrap(), Body::free(moved).unwrap());
    let lengths = region.pairs.iter().map(|&[i, j]| {
        use pliant::Collide as _;
        let (from, to) = pliant::contact::intersection_segment(&a.triangle(i), &b.triangle(j));
        from.distance(to)
    });
    assert_eq!(lengths.fold(0.0, f64::max), cut.from.distance(cut.to));
    assert_eq!(self_penetration(&a).regions, []);
}
