//! Proxy and force against closed forms.

use crate::support::*;
use pliant::glam::DVec3;
use pliant_haptics::{Material, Proxy};
use pliant_scenes::{cuboid, icosphere};

/// Where the probe rests, and its force, if the device jumps from a place to another and stays.
fn touched(mesh: pliant::Mesh, from: DVec3, device: DVec3) -> (DVec3, DVec3) {
    let scene = scene(rigid(mesh), Material::default());
    let mut probe = probe(&scene, from);
    hold(&mut probe, &scene, from, 1);
    let touch = hold(&mut probe, &scene, device, 20);
    (touch.proxy, touch.force)
}

/// A spring from the device to where the proxy must be.
fn check(mesh: pliant::Mesh, from: DVec3, device: DVec3, expected: DVec3, within: f64) {
    let (proxy, force) = touched(mesh, from, device);
    assert_near(proxy, expected, within, "proxy");
    assert_near(force, (expected - device) * STIFFNESS, 2.0 * STIFFNESS * within, "force");
}

#[test]
fn a_plane() {
    for normal in [DVec3::Z, DVec3::new(1.0, -2.0, 0.5)] {
        let n = normal.normalize();
        let mesh = || soup(&[plane(DVec3::ZERO, n)]);
        let along = n.any_orthonormal_vector();
        for (side, depth) in [(1.0, 0.02), (-1.0, 0.02), (1.0, 0.9), (1.0, -0.004)] {
            let n = n * side;
            let device = along * 0.3 - n * (depth - RADIUS);
            let expected = along * 0.3 + n * (RADIUS - f64::min(depth, 0.0));
            check(mesh(), n * 0.5, device, expected, SAME);
        }
    }
}

/// Two planes that meet in a groove along y, and a device below it: the ball touches both.
#[test]
fn wedges_and_grooves() {
    for half_angle in [0.05, 0.3, 0.7, 1.2] {
        let (sin, cos) = f64::sin_cos(half_angle);
        let sides = [DVec3::new(cos, 0.0, sin), DVec3::new(-cos, 0.0, sin)];
        let mesh = || soup(&sides.map(|normal| plane(DVec3::ZERO, normal)));
        // Down the middle, and down along one side.
        let deepest = DVec3::new(0.0, 0.4, RADIUS / sin);
        for from in [DVec3::new(0.0, 0.2, 2.0), DVec3::new(0.5 * sin, 0.1, 2.0)] {
            check(mesh(), from, DVec3::new(0.0, 0.4, -0.5), deepest, 20.0 * SAME / sin);
        }
        // Beside the groove, behind one side only.
        let device = sides[0] * (RADIUS - 0.1) + DVec3::new(-sin, 0.0, cos) * -0.2;
        let free = DVec3::new(-sin, 0.0, cos) * 1.5;
        let expected = sides[0] * RADIUS + DVec3::new(-sin, 0.0, cos) * -0.2;
        if expected.dot(sides[1]) >= RADIUS {
            check(mesh(), free * -1.0 + sides[0], device, expected, 20.0 * SAME);
        }
    }
}

#[test]
fn a_corner_of_three_planes() {
    let mesh = || soup(&DVec3::AXES.map(|axis| plane(DVec3::ZERO, axis)));
    let from = DVec3::new(0.4, 0.7, 0.5);
    check(mesh(), from, DVec3::splat(-0.3), DVec3::splat(RADIUS), 10.0 * SAME);
    check(mesh(), from, DVec3::new(-0.3, 0.2, -0.1), DVec3::new(RADIUS, 0.2, RADIUS), 10.0 * SAME);
    // An acute corner: three planes through the origin, steep about the z axis.
    let steep =
        [0.0, 2.1, 4.2].map(|turn: f64| DVec3::new(turn.cos(), turn.sin(), 0.1).normalize());
    let mesh = soup(&steep.map(|normal| plane(DVec3::ZERO, normal)));
    let (proxy, _) = touched(mesh, DVec3::Z * 0.5, DVec3::Z * -1.0);
    let heights = steep.map(|normal| normal.dot(proxy));
    assert!(heights.iter().all(|h| (h - RADIUS).abs() < 1e-6), "{heights:?}");
}

/// A ball on an edge of a cube, within its radius: along the edge's bisector.
#[test]
fn edges_and_corners_of_a_cube() {
    let cube = || cuboid(DVec3::ONE, [1, 1, 1]).unwrap();
    let outward = DVec3::new(1.0, 0.0, 1.0).normalize();
    let edge = DVec3::new(0.5, 0.1, 0.5);
    let near = 0.3 * RADIUS;
    check(cube(), edge + outward, edge + outward * near, edge + outward * RADIUS, 3.0 * SAME);
    let (corner, outward) = (DVec3::splat(0.5), DVec3::ONE.normalize());
    check(cube(), corner + outward, corner + outward * near, corner + outward * RADIUS, 3.0 * SAME);
    // Onto a side, from above it.
    let from = DVec3::new(0.2, 0.1, 1.0);
    check(cube(), from, DVec3::new(0.3, 0.2, 0.4), DVec3::new(0.3, 0.2, 0.5 + RADIUS), SAME);
    // Around an edge: pulled over it, the ball rests on the other side.
    let scene = scene(rigid(cube()), Material::default());
    let mut probe = probe(&scene, DVec3::new(0.45, 0.0, 0.6));
    let path = [[0.45, 0.49], [0.49, 0.49], [0.52, 0.49], [0.49, 0.2]];
    for [x, z] in path {
        hold(&mut probe, &scene, DVec3::new(x, 0.0, z), 20);
    }
    let proxy = probe.proxy().center();
    assert_near(proxy, DVec3::new(0.5 + RADIUS, 0.0, 0.2), SAME, "around the edge");
}

/// Round things: facets are inside by their sagitta, which bounds how far the ball is off.
#[test]
fn a_sphere() {
    let mesh = icosphere(5).unwrap();
    let sagitta = 1.0
        - mesh.triangles().iter().fold(1.0_f64, |least, triangle| {
            let [a, b, c] = triangle.map(|vertex| mesh.positions()[vertex as usize]);
            least.min(((a + b + c) / 3.0).length())
        });
    assert!(sagitta < 1e-3);
    for direction in [DVec3::new(0.3, 0.5, 0.8), DVec3::new(-0.9, 0.1, 0.2), DVec3::NEG_Y] {
        let out = direction.normalize();
        let (proxy, force) = touched(mesh.clone(), out * 1.5, out * 0.97);
        let radius = proxy.length();
        assert!(radius <= 1.0 + RADIUS + SAME && radius >= 1.0 + RADIUS - sagitta, "{radius}");
        let expected = (1.0 + RADIUS - 0.97) * STIFFNESS;
        assert!((force.length() - expected).abs() < STIFFNESS * sagitta, "{force}");
        // A facet is as steep as its size: the force tilts by less than half of that.
        assert!(force.normalize().dot(out) > 0.999, "{force}");
    }
}

#[test]
fn a_torus() {
    let (large, small) = (1.0, 0.3);
    let mesh = torus(large, small, 192, 96);
    // Into the tube from outside, from above, and through the hole from the axis.
    for (from, turn, tilt) in [(1.8, 0.4, 0.2), (1.8, 2.0, 1.5), (0.0, 1.0, 3.1)] {
        let (sin, cos) = f64::sin_cos(turn);
        let (up, out) = f64::sin_cos(tilt);
        let ring = DVec3::new(cos, sin, 0.0);
        let normal = ring * out + DVec3::Z * up;
        let on = |height: f64| ring * large + normal * height;
        let start = if from == 0.0 { on(0.95) } else { on(0.6) };
        let (proxy, force) = touched(mesh.clone(), start, on(0.27));
        assert_near(proxy, on(small + RADIUS), 5e-3, "on the tube");
        let height = (proxy - ring * large).length();
        assert!((height - small - RADIUS).abs() < 1e-3, "{height}");
        assert!(force.normalize().dot(normal) > 0.99, "{force}");
    }
}

/// Thin shells are felt from both sides, and a proxy that starts inside stays inside.
#[test]
fn both_sides() {
    let mesh = icosphere(3).unwrap();
    let (proxy, force) = touched(mesh, DVec3::ZERO, DVec3::X * 2.0);
    assert!(proxy.length() < 1.0 - RADIUS + SAME && force.x < 0.0, "{proxy} {force}");
    // Two sheets, a millimetre less than a ball apart: it does not fit between, from either end.
    let gap = 2.0 * RADIUS - 0.001;
    let mesh = soup(&[plane(DVec3::ZERO, DVec3::Z), plane(DVec3::Z * gap, DVec3::Z)]);
    let (proxy, _) = touched(mesh.clone(), DVec3::Z, -DVec3::Z);
    assert_near(proxy, DVec3::Z * (gap + RADIUS), SAME, "above both");
    let (proxy, _) = touched(mesh, -DVec3::Z, DVec3::Z);
    assert_near(proxy, DVec3::Z * -RADIUS, SAME, "below both");
}

/// A proxy that starts across a surface, or on it, goes to the side where its centre is.
#[test]
fn starts_across_a_surface() {
    let mesh = soup(&[plane(DVec3::ZERO, DVec3::Z)]);
    let front = (mesh.positions()[1] - mesh.positions()[0])
        .cross(mesh.positions()[2] - mesh.positions()[0])
        .z
        .signum();
    let scene = scene(rigid(mesh), Material::default());
    for (start, side) in [(0.3, 1.0), (-0.3, -1.0), (1e-8, 1.0), (0.0, front)] {
        let start = DVec3::Z * start * RADIUS;
        let mut proxy = proxy(&scene, start);
        proxy.advance(&scene, start - DVec3::Z * side, DT).unwrap();
        assert_near(proxy.center(), DVec3::Z * (side * RADIUS), SAME, "pushed out");
    }
    assert!(Proxy::new(DVec3::NAN, RADIUS).is_err() && Proxy::new(DVec3::X, 0.0).is_err());
    let mut proxy = proxy(&scene, DVec3::Z);
    assert!(proxy.advance(&scene, DVec3::X * 1e9, DT).is_err());
    assert!(proxy.advance(&scene, DVec3::NAN, DT).is_err());
    assert_eq!(proxy.center(), DVec3::Z);
}
