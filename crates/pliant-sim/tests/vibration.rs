//! Frequencies against the textbook.

mod shapes;

use std::f64::consts::TAU;

use pliant::glam::DVec3;
use pliant_sim::{Material, VibrationModes, VibrationSettings, vibration_modes};
use shapes::cuboid;

fn solve(size: DVec3, cells: [u32; 3], modes: usize, clamped: bool) -> VibrationModes {
    let mesh = cuboid(size, cells);
    let cell = (size / DVec3::from_array(cells.map(f64::from))).max_element();
    let fixed = (0u32..).zip(mesh.positions()).filter(|(_, p)| clamped && p.x == 0.0);
    let fixed = fixed.map(|(vertex, _)| vertex).collect();
    let settings = VibrationSettings { modes, cell, material: Material::STEEL, fixed };
    vibration_modes(&mesh, &settings).unwrap()
}

#[test]
fn explore() {
    let m = Material::STEEL;
    let c = (m.young / m.density).sqrt();
    for (l, h, nx, ny) in [(1.0, 0.025, 40, 1), (1.0, 0.025, 80, 2), (1.0, 0.05, 40, 2)] {
        let r = solve(DVec3::new(l, h, h), [nx, ny, ny], 10, false);
        println!("free {l} {h} {nx} {ny}: unk {} rigid {} res {:e}", r.unknowns, r.rigid_modes, r.residual);
        let eb: Vec<f64> = [4.73004f64, 7.85320, 10.99561, 14.13717].iter().map(|b| b * b / TAU * c * h / 12f64.sqrt() / l / l).collect();
        println!("{:?}\n{eb:?} axial {} torsion {}", r.frequencies, c / 2.0 / l, (0.1406 * 6.0 / 2.6f64).sqrt() * c / 2.0 / l);
        let r = solve(DVec3::new(l, h, h), [nx, ny, ny], 6, true);
        println!("cant rigid {} res {:e}", r.rigid_modes, r.residual);
        let eb: Vec<f64> = [1.87510f64, 4.69409, 7.85476].iter().map(|b| b * b / TAU * c * h / 12f64.sqrt() / l / l).collect();
        println!("{:?}\n{eb:?}", r.frequencies);
    }
    for n in [12, 20] {
        let (a, t) = (1.0, 0.02);
        let r = solve(DVec3::new(a, a, t), [n, n, 1], 7, false);
        let d = c * t / (12.0 * (1.0 - 0.09f64)).sqrt() / a / a / TAU;
        println!("plate {n} rigid {} unk {} {:?}", r.rigid_modes, r.unknowns, r.frequencies.iter().map(|f| f / d).collect::<Vec<_>>());
    }
}
