//! Meshes and scenes that several tests touch.

use pliant::glam::DVec3;
use pliant::{AnyBody, Body, Mesh};
use pliant_haptics::{Material, Object, Probe, Proxy, Reading, Scene, Settings, Touch};

/// The radius of the proxy.
pub(crate) const RADIUS: f64 = 0.01;

/// Lengths that differ by the proxy's clearance, 2^-20 of its radius, are the same.
pub(crate) const SAME: f64 = 1e-7;

/// Metres of nothing but rounding.
pub(crate) const DT: f64 = 0.001;

/// Newtons per metre of every test.
pub(crate) const STIFFNESS: f64 = 500.0;

/// Triangles of their own corners.
pub(crate) fn soup(triangles: &[[DVec3; 3]]) -> Mesh {
    let numbers = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::new(triangles.concat(), numbers).unwrap()
}

/// A large triangle through a point, across a normal.
pub(crate) fn plane(through: DVec3, normal: DVec3) -> [DVec3; 3] {
    let (u, v) = normal.normalize().any_orthonormal_pair();
    [u * 50.0 - v * 30.0, -u * 50.0 - v * 30.0, v * 60.0].map(|corner| through + corner)
}

/// A torus about the z axis.
pub(crate) fn torus(large: f64, small: f64, around: u32, across: u32) -> Mesh {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        let (sin, cos) = (f64::from(i) / f64::from(around) * std::f64::consts::TAU).sin_cos();
        for j in 0..across {
            let (up, out) = (f64::from(j) / f64::from(across) * std::f64::consts::TAU).sin_cos();
            let far = large + small * out;
            positions.push(DVec3::new(far * cos, far * sin, small * up));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Mesh::new(positions, triangles).unwrap()
}

pub(crate) fn rigid(mesh: Mesh) -> AnyBody {
    Body::rigid(mesh).unwrap().into()
}

/// A scene of one body.
pub(crate) fn scene(body: impl Into<AnyBody>, material: Material) -> Scene {
    Scene::of([Object::new(body, material).unwrap()])
}

pub(crate) fn proxy(scene: &Scene, at: DVec3) -> Proxy {
    let mut proxy = Proxy::new(at, RADIUS).unwrap();
    proxy.ready_for(scene);
    proxy
}

pub(crate) fn probe(scene: &Scene, at: DVec3) -> Probe {
    let settings = Settings { radius: RADIUS, force_limit: 1e3, ..Settings::default() };
    let mut probe = Probe::new(at, settings).unwrap();
    probe.ready_for(scene);
    probe
}

/// Holds the device at a place for some steps.
pub(crate) fn hold(probe: &mut Probe, scene: &Scene, device: DVec3, steps: usize) -> Touch {
    let mut touch = Touch::default();
    for _ in 0..steps {
        touch = probe.step(scene, Reading::at(device), DT);
    }
    touch
}

pub(crate) fn assert_near(found: DVec3, expected: DVec3, within: f64, what: &str) {
    let apart = found.distance(expected);
    assert!(apart <= within, "{what}: {found} is {apart:e} from {expected}");
}
