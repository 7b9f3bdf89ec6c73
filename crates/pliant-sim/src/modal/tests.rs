//! Tests of internals: orthogonality, and all modes of a small body at once.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::elastic::Elastic;
use super::factor::Factorization;
use super::*;

const MATERIAL: Material = Material { young: 3.0, poisson: 0.35, density: 2.0 };

/// The surface of the unit cube, whose modes have multiplicities of two and three.
fn cube() -> Mesh {
    let corners = (0..8).map(|n| DVec3::from([n >> 2 & 1, n >> 1 & 1, n & 1].map(f64::from)));
    let sides =
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(corners.collect(), triangles).unwrap()
}

fn system(mesh: &Mesh, cell: f64) -> (Grid, System) {
    let grid = Grid::around(mesh, cell).unwrap();
    let system = System::new(&grid, &MATERIAL, &[]).unwrap();
    (grid, system)
}

fn elastic(grid: &Grid, system: &System, modes: usize) -> Elastic {
    let limit = RIGID_EIGENVALUE * system.largest_eigenvalue;
    elastic_modes(system, shift(grid, &MATERIAL, limit), limit, modes).unwrap()
}

/// A dense matrix from products with unit vectors.
fn dense(size: usize, times: impl Fn(&[f64]) -> Vec<f64>) -> Mat<f64> {
    let mut matrix = Mat::zeros(size, size);
    for column in 0..size {
        let mut unit = vec![0.0; size];
        unit[column] = 1.0;
        for (row, value) in times(&unit).into_iter().enumerate() {
            matrix[(row, column)] = value;
        }
    }
    matrix
}

#[test]
fn all_modes_of_a_cube_as_a_dense_solver_finds_them() {
    let (grid, system) = system(&cube(), 0.34);
    let size = system.size();
    assert_eq!(size, 3 * 4 * 4 * 4);
    let stiffness = dense(size, |x| system.stiffness_times(x));
    let mass = dense(size, |x| system.mass_times(x));
    // M^-1 K has the same eigenvalues but is not symmetric; L^-1 K L^-T is.
    let root = mass.self_adjoint_eigen(Side::Lower).unwrap();
    let inverse_root = Mat::from_fn(size, size, |row, column| {
        root.U()[(row, column)] / root.S().column_vector()[column].sqrt()
    });
    let symmetric = inverse_root.transpose() * &stiffness * &inverse_root;
    let expected = symmetric.self_adjoint_eigenvalues(Side::Lower).unwrap();
    for modes in [1, 7, 30, 100, size - 6] {
        let found = elastic(&grid, &system, modes);
        assert_eq!((found.rigid, found.eigenvalues.len()), (6, modes));
        for (found, expected) in found.eigenvalues.iter().zip(&expected[6..]) {
            assert!((found / expected - 1.0).abs() < 1e-10, "{found} {expected}");
        }
    }
    // The lowest modes are repeated, so the test covers multiplicities.
    assert!((expected[7] / expected[6] - 1.0).abs() < 1e-9);
    // The count of modes below a shift computes no modes.
    let factorization = Factorization::new(&system).unwrap();
    for below in 1..size {
        let [low, high] = [expected[below - 1], expected[below]];
        if below >= 6 && high - low > 1e-6 * high {
            let shift = (low + high) / 2.0;
            assert_eq!(factorization.eigenvalues_below(shift).unwrap(), below);
        }
    }
    // A static solution, to check that the factor and the matrices belong to the same problem.
    let load: Vec<f64> = (0..size).map(|n| (n as f64).sin()).collect();
    let mut solution = load.clone();
    factorization.factor(-1.0).unwrap().solve(&mut solution);
    let right = Mat::from_fn(size, 1, |row, _| load[row]);
    let reference = (&stiffness + &mass).partial_piv_lu().solve(&right);
    assert!((0..size).all(|n| (solution[n] - reference[(n, 0)]).abs() < 1e-10));
}

#[test]
fn modes_are_orthonormal_by_mass_and_diagonal_by_stiffness() {
    let (grid, system) = system(&cube(), 0.26);
    let modes = elastic(&grid, &system, 20);
    for (n, vector) in modes.vectors.iter().enumerate() {
        let (forces, weighed) = (system.stiffness_times(vector), system.mass_times(vector));
        for (m, other) in modes.vectors.iter().enumerate() {
            let product = |a: &[f64]| a.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
            let same = f64::from(u8::from(n == m));
            assert!((product(&weighed) - same).abs() < 1e-12);
            let scale = modes.eigenvalues[n].max(modes.eigenvalues[m]);
            assert!((product(&forces) - same * modes.eigenvalues[n]).abs() < 1e-9 * scale);
        }
    }
}

#[test]
fn the_mass_is_that_of_the_filled_cells() {
    let (grid, system) = system(&cube(), 0.26);
    let shifted_by_one: Vec<f64> = (0..system.size()).map(|n| f64::from(n % 3 == 0)).collect();
    let weighed = system.mass_times(&shifted_by_one);
    let mass: f64 = weighed.iter().zip(&shifted_by_one).map(|(a, b)| a * b).sum();
    assert!((mass - MATERIAL.density).abs() < 1e-12);
    assert_eq!(grid.filled().count(), 64);
    // A translation of the whole body takes no force.
    assert!(system.stiffness_times(&shifted_by_one).iter().all(|force| force.abs() < 1e-12));
}

#[test]
fn cells_are_counted_inside_and_along_the_surface() {
    // A closed box that fills half of the cells per axis, and a tip that enlarges the grid.
    let mut positions: Vec<DVec3> = cube().positions().iter().map(|&p| p * 0.99).collect();
    let mut triangles = cube().triangles().to_vec();
    positions.extend([DVec3::new(2.5, 2.5, 2.5), DVec3::new(2.4, 2.5, 2.5)]);
    triangles.extend([[8, 9, 9], [8, 8, 9]]);
    let mesh = Mesh::new(positions, triangles).unwrap();
    let grid = Grid::around(&mesh, 0.25).unwrap();
    assert_eq!(grid.cells, [10; 3]);
    assert_eq!(grid.filled().count(), 4 * 4 * 4 + 1);
    // An open surface fills only the cells that it meets.
    let open = Mesh::new(cube().positions().to_vec(), cube().triangles()[..10].to_vec()).unwrap();
    let grid = Grid::around(&open, 0.25).unwrap();
    assert_eq!(grid.filled().count(), 64 - 2 * 2 * 3);
}
