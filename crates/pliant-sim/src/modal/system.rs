//! Stiffness and mass of a grid: the matrices of K x = λ M x.

use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use pliant::glam::DVec3;

use super::grid::{Grid, Place};
use super::hexahedron::{CORNERS, CellMatrix, stiffness};
use super::material::Material;
use crate::limits::MAX_UNKNOWNS;
use crate::{Error, Result};

/// A grid corner without unknowns: not at a filled cell, or fixed.
const NONE: u32 = u32::MAX;

/// The fraction of a cell's mass that couples two corners which differ along zero to three axes.
const MASS: [f64; 4] = [8.0 / 216.0, 4.0 / 216.0, 2.0 / 216.0, 1.0 / 216.0];

/// The coupling of a grid corner with another one or with itself.
struct Block {
    /// The number of the other corner.
    number: u32,
    stiffness: [[f64; 3]; 3],
    /// In units of a cell's mass; the same for each component.
    mass: f64,
}

/// The vibration problem of a grid, with three unknowns per free corner of filled cells.
///
/// The mass matrix is consistent: the kinetic energy is that of the interpolated motion, so a bar
/// that is one cell thick has its true rotational inertia. (Lumped at the corners it has three
/// times that.) A partly filled cell counts for that part, in both stiffness and mass.
pub(super) struct System {
    /// The number of each grid corner; [`NONE`] if it has no unknowns.
    numbers: Vec<u32>,
    /// Grid corners per axis.
    corners: [usize; 3],
    /// Rows at and below the diagonal, column by column, the diagonal first.
    pattern: SymbolicSparseColMat<u32>,
    values: Vec<f64>,
    /// The entries of M at the same positions.
    masses: Vec<f64>,
    /// A bound of all eigenvalues: none exceeds the largest eigenvalue of a single cell (Irons and
    /// Treharne 1971), and that is at most the trace of the cell's stiffness over the smallest
    /// eigenvalue of its mass.
    pub(super) largest_eigenvalue: f64,
}

impl System {
    pub(super) fn new(grid: &Grid, material: &Material, fixed: &[Place]) -> Result<Self> {
        let corners = grid.cells.map(|cells| cells + 1);
        let mut system = Self {
            numbers: vec![NONE; corners[0] * corners[1] * corners[2]],
            corners,
            pattern: SymbolicSparseColMat::new_checked(0, 0, vec![0], None, Vec::new()),
            values: Vec::new(),
            masses: Vec::new(),
            largest_eigenvalue: 0.0,
        };
        let count = system.number_corners(grid, fixed);
        if count == 0 {
            return Err(Error::NothingMoves { cells: grid.filled().count() });
        }
        if 3 * count > MAX_UNKNOWNS {
            let (what, count) = ("unknowns", 3.0 * count as f64);
            return Err(Error::TooMany { what, count, limit: MAX_UNKNOWNS });
        }
        let cell = stiffness(grid.sides, material);
        let cell_mass = material.density * grid.sides.x * grid.sides.y * grid.sides.z;
        let trace: f64 = (0..cell.len()).map(|n| cell[n][n]).sum();
        // Along an axis two corners have the mass matrix [2 1; 1 2] / 6 with the eigenvalues 1/6
        // and 1/2; the factors of three axes multiply.
        system.largest_eigenvalue = trace / (cell_mass / 216.0);
        let usable = |x: f64| x.is_normal() && x > 0.0;
        if !(usable(trace) && usable(cell_mass) && usable(system.largest_eigenvalue)) {
            return Err(Error::Solver { reason: "cell sizes and material leave the range of f64" });
        }
        system.assemble(grid, &cell, cell_mass, 3 * count);
        Ok(system)
    }

    /// The number of unknowns.
    pub(super) fn size(&self) -> usize {
        self.pattern.ncols()
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.corners[1] + j) * self.corners[2] + k
    }

    fn number_corners(&mut self, grid: &Grid, fixed: &[Place]) -> usize {
        for cell in grid.filled() {
            for corner in 0..CORNERS {
                let index = self.index(corner_of(cell, corner));
                self.numbers[index] = 0;
            }
        }
        // A vertex is fixed if all corners that move it are fixed.
        for place in fixed {
            for (corner, weight) in weights(place.within).into_iter().enumerate() {
                if weight > 0.0 {
                    let index = self.index(corner_of(place.cell, corner));
                    self.numbers[index] = NONE;
                }
            }
        }
        let mut next = 0;
        for number in self.numbers.iter_mut().filter(|number| **number != NONE) {
            *number = next;
            next += 1;
        }
        next as usize
    }

    /// Visits the columns in order. The rows of a column are the corner itself and its later
    /// neighbours, at most 26, so nothing needs sorting.
    fn assemble(&mut self, grid: &Grid, cell: &CellMatrix, cell_mass: f64, size: usize) {
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for (index, &number) in self.numbers.iter().enumerate().filter(|(_, n)| **n != NONE) {
            let [_, wide, deep] = self.corners;
            let corner = [index / (wide * deep), index / deep % wide, index % deep];
            let blocks = self.blocks(grid, cell, corner, number);
            for column in 0..3 {
                for block in &blocks {
                    let above = if block.number == number { column } else { 0 };
                    for (row, entries) in block.stiffness.iter().enumerate().skip(above) {
                        rows.push(3 * block.number + row as u32);
                        self.values.push(entries[column]);
                        let mass = if row == column { cell_mass * block.mass } else { 0.0 };
                        self.masses.push(mass);
                    }
                }
                starts.push(rows.len() as u32);
            }
        }
        self.pattern = SymbolicSparseColMat::new_checked(size, size, starts, None, rows);
    }

    /// The blocks of a corner with itself and with each later neighbour.
    fn blocks(
        &self,
        grid: &Grid,
        cell: &CellMatrix,
        corner: [usize; 3],
        number: u32,
    ) -> Vec<Block> {
        let mut blocks = Vec::<Block>::with_capacity(27);
        for at in cells_at(grid, corner) {
            let own = (0..CORNERS).find(|&n| corner_of(at, n) == corner).unwrap_or_default();
            for other in 0..CORNERS {
                let neighbor = self.numbers[self.index(corner_of(at, other))];
                if neighbor == NONE || neighbor < number {
                    continue;
                }
                let known = blocks.iter().position(|block| block.number == neighbor);
                let known = known.unwrap_or_else(|| {
                    blocks.push(Block { number: neighbor, stiffness: [[0.0; 3]; 3], mass: 0.0 });
                    blocks.len() - 1
                });
                let block = &mut blocks[known];
                let share = grid.share(at);
                block.mass += share * MASS[(own ^ other).count_ones() as usize];
                for (row, entries) in block.stiffness.iter_mut().enumerate() {
                    for (column, entry) in entries.iter_mut().enumerate() {
                        *entry += share * cell[3 * other + row][3 * own + column];
                    }
                }
            }
        }
        blocks.sort_by_key(|block| block.number);
        blocks
    }

    /// K x.
    pub(super) fn stiffness_times(&self, x: &[f64]) -> Vec<f64> {
        self.times(&self.values, x)
    }

    /// M x.
    pub(super) fn mass_times(&self, x: &[f64]) -> Vec<f64> {
        self.times(&self.masses, x)
    }

    fn times(&self, values: &[f64], x: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; x.len()];
        let (starts, rows) = (self.pattern.col_ptr(), self.pattern.row_idx());
        for column in 0..x.len() {
            let range = starts[column] as usize..starts[column + 1] as usize;
            for (&row, &value) in rows[range.clone()].iter().zip(&values[range]) {
                product[row as usize] += value * x[column];
                if row as usize != column {
                    product[column] += value * x[row as usize];
                }
            }
        }
        product
    }

    /// Calls `visit` with K - shift M.
    pub(super) fn with_shifted<T>(
        &self,
        shift: f64,
        visit: impl FnOnce(SparseColMatRef<'_, u32, f64>) -> T,
    ) -> T {
        let pairs = self.values.iter().zip(&self.masses);
        let values: Vec<f64> = pairs.map(|(value, mass)| value - shift * mass).collect();
        visit(SparseColMatRef::new(self.pattern.as_ref(), &values))
    }

    /// The displacement at a position, from one number per unknown.
    pub(super) fn displacement(&self, place: &Place, unknowns: &[f64]) -> DVec3 {
        let corners = weights(place.within).into_iter().enumerate();
        corners.fold(DVec3::ZERO, |sum, (corner, weight)| {
            let number = self.numbers[self.index(corner_of(place.cell, corner))];
            let at = 3 * number as usize;
            if number == NONE { sum } else { sum + weight * DVec3::from_slice(&unknowns[at..]) }
        })
    }
}

/// A corner of a cell as a corner of the grid.
fn corner_of([i, j, k]: [usize; 3], corner: usize) -> [usize; 3] {
    [i + (corner >> 2 & 1), j + (corner >> 1 & 1), k + (corner & 1)]
}

/// The filled cells at a corner of the grid.
fn cells_at(grid: &Grid, corner: [usize; 3]) -> impl Iterator<Item = [usize; 3]> + '_ {
    (0..CORNERS).filter_map(move |number| {
        let back = corner_of([0; 3], number);
        let mut cell = [0; 3];
        for axis in 0..3 {
            cell[axis] = corner[axis].checked_sub(back[axis])?;
            if cell[axis] >= grid.cells[axis] {
                return None;
            }
        }
        grid.is_filled(cell).then_some(cell)
    })
}

/// The weight of each corner of a cell at a position within it.
fn weights(within: DVec3) -> [f64; CORNERS] {
    std::array::from_fn(|corner| {
        let [i, j, k] = corner_of([0; 3], corner);
        let along = |far: usize, x: f64| if far == 1 { x } else { 1.0 - x };
        along(i, within.x) * along(j, within.y) * along(k, within.z)
    })
}
