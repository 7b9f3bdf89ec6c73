//! Prepared bodies at the ends of what numbers can hold: nothing that touches is passed over.

use crate::support::{settings, soup};
use pliant::bound::SphereForm;
use pliant::glam::{DMat3, DQuat, DVec3};
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::{Body, Isometry, Mesh, PreparedSelfContact};
use proptest::prelude::*;

/// Free bodies, prepared, against brute force. Gives how many pairs touch.
fn check(rest: &Mesh, now: &[DVec3], settings: &BuildSettings) -> usize {
    let mut boxes = Body::free_with(rest.clone(), settings).unwrap();
    let prepared = PreparedSelfContact::new(&boxes);
    boxes.set_positions(now).unwrap();
    let expected = brute_force::self_intersections(&boxes).pairs;
    assert_eq!(prepared.self_intersections(&boxes).unwrap().pairs, expected);
    // Spheres overlap elsewhere: other certificates are asked for.
    let mut spheres = Body::free_spheres(rest.clone(), SphereForm::Wrapped, settings).unwrap();
    let prepared = PreparedSelfContact::new(&spheres);
    spheres.set_positions(now).unwrap();
    assert_eq!(prepared.self_intersections(&spheres).unwrap().pairs, expected, "spheres");
    expected.len()
}

/// From 1 to the ends of `f32`, beyond them, and to the ends of `f64`.
fn exponent() -> impl Strategy<Value = i32> {
    prop_oneof![
        4 => Just(0),
        2 => -4..4i32,
        2 => prop::sample::select(vec![-40, 40, 100, 126, 127, 128, 129, 130, -126, -149, -150]),
        1 => -150..150i32,
        1 => -500..500i32,
        1 => -1060..1015i32,
    ]
}

fn power(exponent: i32) -> f64 {
    2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// A whole number or two of places on a lattice, so that sums cancel and entries vanish exactly.
fn lattice() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-3..=3i32).prop_map(|p| DVec3::from_array(p.map(f64::from)))
}

/// Axes exchanged, mirrored and stretched; or turned.
fn matrix() -> impl Strategy<Value = DMat3> {
    let axes = prop::sample::select(vec![[0, 1, 2], [1, 2, 0], [2, 1, 0]]);
    let exact = (
        axes,
        prop::array::uniform3(prop::sample::select(vec![1.0, -1.0, 0.5, 2.0, 1e-3, 1e4, 1e8])),
    );
    let exact = exact.prop_map(|(axes, by)| {
        let column = |k: usize| DVec3::AXES[axes[k]] * by[k];
        DMat3::from_cols(column(0), column(1), column(2))
    });
    let turned = prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("no direction", |q| DQuat::from_array(*q).length() > 0.1)
        .prop_map(|q| DMat3::from_quat(DQuat::from_array(q).normalize()));
    prop_oneof![exact, turned]
}

proptest! {
    /// Small triangles around places of a lattice, apart at rest; moved by an affine map, and a
    /// few corners out of place: onto another, beside it, or somewhere else.
    #[test]
    fn corners_out_of_place(
        places in prop::collection::hash_set(prop::array::uniform3(-3..=3i32), 2..40),
        shapes in prop::collection::vec(prop::array::uniform3(lattice()), 40),
        copies in prop_oneof![4 => Just(1usize), 1 => Just(4usize)],
        matrix in matrix(), flat in prop_oneof![Just(1.0), Just(0.0), Just(1e-6)],
        moves in prop::collection::vec((any::<u16>(), any::<u16>(), lattice(), exponent()), 0..6),
        sizes in [exponent(), exponent()], far in [exponent(), exponent()],
        away in prop::array::uniform2(prop_oneof![3 => Just(DVec3::ZERO), 1 => lattice()]),
        settings in settings(),
    ) {
        let mut places: Vec<_> = places.into_iter().collect();
        places.sort_unstable();
        let [size, size_now] = sizes.map(power);
        let [far, far_now] = [0, 1].map(|i| away[i] * power(far[i]) * 0.1);
        let mut triangles = Vec::new();
        for copy in 0..copies {
            for (place, shape) in places.iter().zip(&shapes) {
                let at = DVec3::from_array(place.map(f64::from)) + DVec3::X * (7 * copy) as f64;
                triangles.push(shape.map(|corner| (at + corner * 0.125) * DVec3::new(1.0, 1.0, flat)));
            }
        }
        let local = soup(&triangles);
        let rest: Vec<_> = local.positions().iter().map(|p| *p * size + far).collect();
        let mut now: Vec<_> = local.positions().iter().map(|p| matrix * *p * size_now + far_now).collect();
        for (vertex, target, by, exponent) in moves {
            let (vertex, target) = (vertex as usize % now.len(), target as usize % now.len());
            now[vertex] = now[target] + by * (size_now * power(-exponent.abs()));
        }
        prop_assume!(rest.iter().chain(&now).all(|p| p.is_finite()));
        let rest = Mesh::new(rest, local.triangles().to_vec()).unwrap();
        check(&rest, &now, &settings);
        let isometry = Isometry::new(DQuat::from_xyzw(0.1, 0.2, -0.4, 1.0), far_now).unwrap();
        let mut rigid = Body::rigid_with(rest, &settings).unwrap();
        let prepared = PreparedSelfContact::new(&rigid);
        rigid.set_isometry(isometry);
        let finite = (0..now.len() as u32).all(|vertex| rigid.position(vertex).unwrap().is_finite());
        prop_assume!(finite);
        let found = prepared.self_intersections(&rigid).unwrap().pairs;
        prop_assert_eq!(found, brute_force::self_intersections(&rigid).pairs);
    }
}

/// Two sheets, larger at rest than `f32` can hold, one of which bends into the other where no
/// vertex has finite coordinates in `f32`.
#[test]
fn rest_shapes_beyond_f32() {
    for exponent in [100, 126, 127, 128, 129, 130] {
        let size = power(exponent);
        let sheets = |size: f64, apart: f64, bend: f64| {
            let corner =
                |x: f64, y: f64, z: f64| DVec3::new(x * size, y * size, z + x * y * bend * z);
            let corners = |z: f64| {
                [
                    corner(-1.0, -1.0, z),
                    corner(1.0, -1.0, z),
                    corner(1.0, 1.0, z),
                    corner(-1.0, 1.0, z),
                ]
            };
            // The middles last.
            let middles = [DVec3::ZERO, DVec3::Z * apart];
            [&corners(0.0)[..], &corners(apart)[..], &middles[..]].concat()
        };
        let sheet =
            |first: u32, middle: u32| (0..4).map(move |i| [first + i, first + (i + 1) % 4, middle]);
        let rest = sheets(size, size / 8.0, 0.0);
        let rest = Mesh::new(rest, sheet(0, 8).chain(sheet(4, 9)).collect()).unwrap();
        let small = size / 512.0;
        assert_eq!(check(&rest, &sheets(small, small / 8.0, 0.0), &BuildSettings::default()), 0);
        let touching = check(&rest, &sheets(small, small / 8.0, 1.5), &BuildSettings::default());
        assert!(touching > 0, "2^{exponent}");
    }
}

/// Squares of such gaps overflow: they are known to be large, not how large.
#[test]
fn gaps_at_rest_beyond_the_root_of_the_largest_number() {
    let n = 5_u32;
    for (far, scale) in [(1e150, 1e-10), (1e155, 1e-10), (1e160, 1e-7), (1e180, 1e-30)] {
        let (mut rest, mut triangles) = (Vec::new(), Vec::new());
        for sheet in 0..2_u32 {
            let first = rest.len() as u32;
            let place =
                |k: u32| DVec3::new(f64::from(sheet) * far, f64::from(k / 6), f64::from(k % 6));
            rest.extend((0..36).map(place));
            for corner in (0..n).flat_map(|i| (0..n).map(move |j| first + 6 * i + j)) {
                triangles.push([corner, corner + 1, corner + 6]);
                triangles.push([corner + 1, corner + 7, corner + 6]);
            }
        }
        let mesh = Mesh::new(rest.clone(), triangles).unwrap();
        let now: Vec<DVec3> = rest.iter().map(|p| DVec3::new(0.0, p.y, p.z) * scale).collect();
        for settings in [BuildSettings::default(), BuildSettings::BALANCED, BuildSettings::WIDE] {
            assert!(check(&mesh, &now, &settings) > 400, "{far:e}");
        }
    }
}
