//! Bodies that fall, touch and vibrate.

mod conservation;
mod obstacles;
mod physics;
mod pushes;
mod save;
mod search;

use pliant::Mesh;
use pliant::glam::{DQuat, DVec3};
use pliant_sim::dynamics::{
    ContactLaw, Damping, Elasticity, Model, ModelId, ModelSettings, Placement, Settings, Simulation,
};
use pliant_sim::{Material, VibrationSettings, vibration_modes};

use crate::shapes::cuboid;

/// A cuboid around the origin.
pub(crate) fn block(size: DVec3, cells: [u32; 3]) -> Mesh {
    let mesh = cuboid(size, cells);
    let moved = mesh.positions().iter().map(|&p| p - size / 2.0).collect();
    Mesh::new(moved, mesh.triangles().to_vec()).unwrap()
}

/// A bar of rubber, 0.6 m long, with four modes.
pub(crate) fn rubber_bar(level: u32, strain_limit: f64) -> Model {
    let mesh = block(DVec3::new(0.6, 0.1, 0.15), [12, 2, 3]);
    let material = Material { young: 2e6, poisson: 0.4, density: 1000.0 };
    let settings = VibrationSettings { modes: 4, cell: 0.05, material, fixed: vec![] };
    let found = vibration_modes(&mesh, &settings).unwrap();
    let elasticity = Elasticity { damping: Damping::Ratios(vec![0.05; 4]), strain_limit };
    let settings = ModelSettings { level, density: material.density, ..ModelSettings::default() };
    Model::vibrating(mesh, found, &elasticity, &settings).unwrap()
}

/// A cube of side 0.2 m and mass 8 kg, that touches as its sphere.
pub(crate) fn ball() -> Model {
    let settings = ModelSettings { level: 0, density: 1000.0, ..ModelSettings::default() };
    Model::rigid(block(DVec3::splat(0.2), [1; 3]), &settings).unwrap()
}

/// Numbers from -1 to 1 from a seed.
pub(crate) fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Adds bodies in a heap of random places and rotations above the origin, `spread` apart.
pub(crate) fn scatter(run: &mut Simulation, model: ModelId, count: usize, spread: f64, seed: u64) {
    let mut next = random(seed);
    for number in 0..count {
        let mut vector = || DVec3::new(next(), next(), next());
        let rotation = DQuat::from_scaled_axis(vector() * 3.0);
        let height = DVec3::Y * (0.5 + spread * number as f64);
        let translation = vector() * DVec3::new(0.2, 0.05, 0.2) + height;
        let velocity = vector();
        let spin = vector() * 3.0;
        run.add_body(model, &Placement { rotation, translation, velocity, spin }).unwrap();
    }
}

/// Settings without gravity, friction or damping.
pub(crate) fn bare(step: f64, stiffness: f64) -> Settings {
    let contact = ContactLaw { stiffness, damping: 0.0, friction: 0.0, slip_speed: 1e-4 };
    Settings { step, gravity: DVec3::ZERO, contact, ..Settings::default() }
}
