//! Frequencies compared with textbook values, and rejected input.

use std::f64::consts::TAU;

use crate::shapes::cuboid;
use pliant::Mesh;
use pliant::glam::{DQuat, DVec3};
use pliant_sim::{Error, Material, VibrationModes, VibrationSettings, vibration_modes};

const STEEL: Material = Material::STEEL;

fn settings(modes: usize, cell: f64) -> VibrationSettings {
    VibrationSettings { modes, cell, material: STEEL, fixed: vec![] }
}

/// Modes of a cuboid divided into cells, free or fixed at the end x = 0.
fn solve(size: DVec3, cells: [u32; 3], modes: usize, held: bool) -> (Mesh, VibrationModes) {
    let mesh = cuboid(size, cells);
    let cell = (size / DVec3::from_array(cells.map(f64::from))).max_element();
    let fixed = (0u32..).zip(mesh.positions()).filter(|(_, p)| held && p.x == 0.0);
    let fixed = fixed.map(|(vertex, _)| vertex).collect();
    let result = vibration_modes(&mesh, &VibrationSettings { fixed, ..settings(modes, cell) });
    (mesh, result.unwrap())
}

fn near(found: f64, textbook: f64, share: f64) {
    assert!((found / textbook - 1.0).abs() < share, "{found} Hz, textbook {textbook} Hz");
}

/// Euler-Bernoulli: the frequency of a bar of square section with the wave number `beta` / length.
fn thin_bar(length: f64, side: f64, beta: f64) -> f64 {
    let speed = (STEEL.young / STEEL.density).sqrt();
    beta * beta * speed * side / 12f64.sqrt() / (length * length) / TAU
}

#[test]
fn a_free_bar_has_six_rigid_modes_and_bends_in_pairs() {
    let (_, bar) = solve(DVec3::new(1.0, 0.025, 0.025), [40, 1, 1], 6, false);
    assert_eq!(bar.rigid_modes, 6);
    for (pair, beta) in bar.frequencies.chunks_exact(2).zip([4.73004, 7.85320, 10.99561]) {
        near(pair[0], thin_bar(1.0, 0.025, beta), 0.02);
        near(pair[1], pair[0], 1e-8);
    }
}

#[test]
fn a_bar_held_at_one_end() {
    let (mesh, bar) = solve(DVec3::new(1.0, 0.025, 0.025), [40, 1, 1], 6, true);
    assert_eq!(bar.rigid_modes, 0);
    for (pair, beta) in bar.frequencies.chunks_exact(2).zip([1.87510, 4.69409, 7.85476]) {
        near(pair[0], thin_bar(1.0, 0.025, beta), 0.02);
        near(pair[1], pair[0], 1e-7);
    }
    // The fixed end does not move; the free end moves most, by 2 / sqrt(mass) in the first mode.
    let mass = STEEL.density * 0.025 * 0.025;
    for (vertex, position) in mesh.positions().iter().enumerate() {
        let moved = bar.modes.of(vertex)[0].length();
        assert!(position.x > 0.0 || bar.modes.of(vertex).iter().all(|d| d.length() == 0.0));
        assert!(position.x < 1.0 || (f64::from(moved) * mass.sqrt() - 2.0).abs() < 0.01);
    }
}

#[test]
fn a_thick_bar_is_softer_than_a_thin_one_as_timoshenko_says() {
    // The bar is ten times as long as thick. Shear and rotary inertia lower the first frequency of
    // a free bar; the reference is the first root of Timoshenko's frequency equation for free ends.
    let (length, side) = (1.0, 0.1);
    let (_, bar) = solve(DVec3::new(length, side, side), [30, 3, 3], 3, false);
    let textbook = timoshenko_free(length, side);
    assert!(textbook < 0.98 * thin_bar(length, side, 4.73004));
    near(bar.frequencies[0], textbook, 0.01);
    near(bar.frequencies[1], textbook, 0.01);
}

/// Solves Timoshenko's equation for the first symmetric mode of a free square bar.
///
/// The deflection about the middle is w = cos(p x) + c cosh(q x). The slope of the section and the
/// shear follow from it. The bending moment and the shear force vanish at the end. Solved by
/// bisection in the frequency.
fn timoshenko_free(length: f64, side: f64) -> f64 {
    let Material { young, poisson, density } = STEEL;
    let (area, inertia) = (side * side, side.powi(4) / 12.0);
    // The shear coefficient of a rectangle (Cowper 1966).
    let kappa = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let shear = kappa * young / (2.0 * (1.0 + poisson)) * area;
    let bending = young * inertia;
    let end = length / 2.0;
    let condition = |omega: f64| {
        let square = omega * omega * density;
        // w'''' + a w'' - b w = 0 with w = e^(k x).
        let a = square * (inertia / bending + area / shear);
        let b = square * area / bending * (1.0 - square * inertia / shear);
        let root = (a * a / 4.0 + b).sqrt();
        let (p, q) = ((root + a / 2.0).sqrt(), (root - a / 2.0).sqrt());
        // The slope of the section: shear (w'' - slope') = -square area w.
        let slope_p = p - square * area / (shear * p);
        let slope_q = q + square * area / (shear * q);
        // slope = -slope_p sin(p x), c slope_q sinh(q x); moment ~ slope', force ~ w' - slope.
        let moment = [-slope_p * p * (p * end).cos(), slope_q * q * (q * end).cosh()];
        let force = [(slope_p - p) * (p * end).sin(), (q - slope_q) * (q * end).sinh()];
        moment[0] * force[1] - moment[1] * force[0]
    };
    let thin = TAU * thin_bar(length, side, 4.73004);
    let (mut low, mut high) = (0.5 * thin, 1.1 * thin);
    assert!(condition(low) * condition(high) < 0.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if condition(low) * condition(middle) > 0.0 { low = middle } else { high = middle }
    }
    low / TAU
}

#[test]
fn a_bar_swings_along_itself_and_twists() {
    let (_, bar) = solve(DVec3::new(1.0, 0.1, 0.1), [40, 4, 4], 8, false);
    let speed = (STEEL.young / STEEL.density).sqrt();
    let any = |textbook: f64, share: f64| {
        let hit = bar.frequencies.iter().any(|f| (f / textbook - 1.0).abs() < share);
        assert!(hit, "{textbook} not in {:?}", bar.frequencies);
    };
    any(speed / 2.0, 0.01);
    // The torsion constant of a square section is 0.1406 side^4 (Saint-Venant).
    let twist = (0.1406 * 6.0 / (2.0 * (1.0 + STEEL.poisson))).sqrt() * speed / 2.0;
    any(twist, 0.03);
}

#[test]
fn a_bar_that_lies_askew_in_its_grid() {
    // Four cells thick: cells on the surface count in part.
    let (mesh, straight) = solve(DVec3::new(0.5, 0.05, 0.05), [40, 4, 4], 4, false);
    let turn = DQuat::from_rotation_z(0.4) * DQuat::from_rotation_y(0.4);
    let positions = mesh.positions().iter().map(|&p| turn * p).collect();
    let turned = Mesh::new(positions, mesh.triangles().to_vec()).unwrap();
    let turned = vibration_modes(&turned, &settings(4, 0.0125)).unwrap();
    assert_eq!(turned.rigid_modes, 6);
    for (f, g) in straight.frequencies.iter().zip(&turned.frequencies) {
        near(*g, *f, 0.02);
    }
}

#[test]
fn a_free_square_plate() {
    // A thin plate with thickness 1 : 50 and Poisson's ratio 0.3: ω a² sqrt(ρ t / D), as in Leissa
    // 1973 (13.49, 19.79, 24.43, 35.02, 35.02) with later refinements.
    let (_, plate) = solve(DVec3::new(1.0, 1.0, 0.02), [20, 20, 1], 5, false);
    assert_eq!(plate.rigid_modes, 6);
    let speed = (STEEL.young / STEEL.density / (1.0 - STEEL.poisson * STEEL.poisson)).sqrt();
    let unit = speed * 0.02 / 12f64.sqrt() / TAU;
    for (found, textbook) in plate.frequencies.iter().zip([13.468, 19.596, 24.270, 34.801, 34.801])
    {
        near(*found, textbook * unit, 0.02);
    }
    near(plate.frequencies[4], plate.frequencies[3], 1e-8);
}

#[test]
fn frequencies_do_not_depend_on_place_and_grow_with_the_root_of_stiffness() {
    let (mesh, bar) = solve(DVec3::new(1.0, 0.1, 0.2), [10, 1, 2], 4, false);
    let moved = mesh.positions().iter().map(|&p| p + DVec3::new(3.0, -7.0, 0.3)).collect();
    let moved = Mesh::new(moved, mesh.triangles().to_vec()).unwrap();
    let stiff = Material { young: 4.0 * STEEL.young, ..STEEL };
    let stiff = vibration_modes(&moved, &VibrationSettings { material: stiff, ..settings(4, 0.1) })
        .unwrap();
    for (f, g) in bar.frequencies.iter().zip(&stiff.frequencies) {
        near(*g, 2.0 * f, 1e-7);
    }
}

#[test]
fn each_piece_has_six_rigid_modes_and_two_held_points_leave_one() {
    let (mesh, _) = solve(DVec3::new(1.0, 0.25, 0.25), [4, 1, 1], 1, false);
    let count = mesh.positions().len() as u32;
    for pieces in [2, 5] {
        let shifts = (0..pieces).map(f64::from);
        let positions =
            shifts.flat_map(|n| mesh.positions().iter().map(move |&p| p + n * DVec3::Y));
        let numbers = (0..pieces).map(|piece| piece * count);
        let triangles = numbers.flat_map(|start| {
            mesh.triangles().iter().map(move |corners| corners.map(|vertex| vertex + start))
        });
        let all = Mesh::new(positions.collect(), triangles.collect()).unwrap();
        let modes = vibration_modes(&all, &settings(2 * pieces as usize, 0.25)).unwrap();
        assert_eq!(modes.rigid_modes, 6 * pieces as usize);
        // Identical bars of square section: one frequency, twice per piece.
        near(modes.frequencies[2 * pieces as usize - 1], modes.frequencies[0], 1e-7);
    }

    let corner = |p: DVec3| mesh.positions().iter().position(|&q| q == p).unwrap() as u32;
    let fixed = vec![corner(DVec3::ZERO), corner(DVec3::X)];
    let hinged = VibrationSettings { fixed, ..settings(3, 0.25) };
    assert_eq!(vibration_modes(&mesh, &hinged).unwrap().rigid_modes, 1);
}

#[test]
fn the_same_bits_on_every_run() {
    let run = || solve(DVec3::new(1.0, 0.25, 0.25), [8, 2, 2], 10, false).1;
    let (first, second) = (run(), run());
    assert_eq!(first.modes, second.modes);
    assert_eq!(first.frequencies, second.frequencies);
}

#[test]
fn a_flat_sheet_and_a_single_triangle_are_embedded() {
    let sheet = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let modes = vibration_modes(&sheet, &settings(3, 0.1)).unwrap();
    assert_eq!(modes.rigid_modes, 6);
    let point = Mesh::new(vec![DVec3::ONE; 3], vec![[0, 1, 2]]).unwrap();
    let modes = vibration_modes(&point, &settings(18, 0.1)).unwrap();
    assert_eq!((modes.cells, modes.unknowns, modes.rigid_modes), (1, 24, 6));
}

#[test]
fn wrong_settings_are_refused_by_name() {
    let mesh = cuboid(DVec3::ONE, [1, 1, 1]);
    let refused = |settings: VibrationSettings| vibration_modes(&mesh, &settings).unwrap_err();
    let with = |material| VibrationSettings { material, ..settings(1, 0.5) };
    let name = |error| match error {
        Error::InvalidSetting { setting, .. } => setting,
        other => panic!("{other}"),
    };
    for young in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(refused(with(Material { young, ..STEEL }))), "Young's modulus");
    }
    for poisson in [-1.0, 0.5, f64::NAN] {
        assert_eq!(name(refused(with(Material { poisson, ..STEEL }))), "Poisson's ratio");
    }
    for density in [0.0, -1.0, f64::NAN] {
        assert_eq!(name(refused(with(Material { density, ..STEEL }))), "density");
    }
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(refused(settings(1, cell))), "cell");
    }
    assert_eq!(name(refused(settings(0, 0.5))), "modes");
    assert!(matches!(refused(settings(1, 1e-9)), Error::TooMany { what: "grid cells", .. }));
    assert!(matches!(refused(settings(1, 0.01)), Error::TooMany { what: "cells", .. }));
    // One cell: 24 unknowns, six of them rigid modes.
    assert!(matches!(refused(settings(19, 1.0)), Error::TooMany { what: "modes", limit: 18, .. }));
    assert!(matches!(refused(settings(usize::MAX, 1.0)), Error::TooMany { what: "modes", .. }));
    let fixed = VibrationSettings { fixed: vec![3, 8], ..settings(1, 0.5) };
    assert_eq!(refused(fixed), Error::NoSuchVertex { vertex: 8, vertices: 8 });
    let fixed = VibrationSettings { fixed: (0..8).collect(), ..settings(1, 1.0) };
    assert_eq!(refused(fixed), Error::NothingMoves { cells: 1 });
}
