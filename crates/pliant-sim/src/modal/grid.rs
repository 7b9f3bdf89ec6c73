//! A grid of equal cells around a surface.

use pliant::Mesh;
use pliant::glam::DVec3;

use super::inside::{SAMPLES, count_inside, is_closed};
use super::touch::cell_meets_triangle;
use crate::limits::{GRAZE, MAX_CELLS, MAX_GRID_CELLS};
use crate::{Error, Result};

/// The bounding box of a mesh divided into cells, some of which are filled.
pub(super) struct Grid {
    /// The corner with the smallest coordinates.
    pub(super) origin: DVec3,
    /// The sides of a cell.
    pub(super) sides: DVec3,
    /// Cells per axis.
    pub(super) cells: [usize; 3],
    /// The number of sample points of each cell that are filled.
    samples: Vec<u8>,
}

/// A position in a filled cell: the cell, and the coordinates within it from 0 to 1 per axis.
pub(super) struct Place {
    pub(super) cell: [usize; 3],
    pub(super) within: DVec3,
}

impl Grid {
    /// Fills the cells that the surface meets and, if it is closed, those inside. Each cell counts
    /// for the part that is inside, but for at least one sample point. Every vertex is in a filled
    /// cell.
    ///
    /// Cells are as large as `largest_side` allows with a whole number of cells per axis. An axis
    /// without extent gets one cell of that side, with the surface in its middle.
    pub(super) fn around(mesh: &Mesh, largest_side: f64) -> Result<Self> {
        let (mut low, mut high) = (mesh.positions()[0], mesh.positions()[0]);
        for &position in mesh.positions() {
            (low, high) = (low.min(position), high.max(position));
        }
        let extent = high - low;
        // Slightly more than a whole number of cells is a whole number with a rounding error.
        let counts = (extent / largest_side - GRAZE).ceil().max(DVec3::ONE);
        let count = counts.x * counts.y * counts.z;
        if count.is_nan() || count > MAX_GRID_CELLS as f64 {
            return Err(Error::TooMany { what: "grid cells", count, limit: MAX_GRID_CELLS });
        }
        let flat = extent.cmple(DVec3::splat(GRAZE * largest_side));
        let sides = DVec3::select(flat, DVec3::splat(largest_side), extent / counts);
        let origin = DVec3::select(flat, (low + high - sides) / 2.0, low);
        let cells = counts.to_array().map(|count| count as usize);
        let mut grid = Self { origin, sides, cells, samples: vec![0; count as usize] };
        // A closed surface between two cells belongs to the inner one, which is inside. If there is
        // no inside, both are filled, so that a sheet between cells does not fall apart.
        let closed = is_closed(mesh);
        let (margin, samples) = if closed { (-GRAZE, 1) } else { (GRAZE, SAMPLES) };
        for corners in mesh.triangles() {
            let triangle = corners.map(|vertex| grid.local(mesh.positions()[vertex as usize]));
            grid.fill_met(&triangle, margin, samples);
        }
        grid.check_cells()?;
        if closed {
            count_inside(mesh, &mut grid);
        }
        for &position in mesh.positions() {
            let place = grid.place(position);
            if !grid.is_filled(place.cell) {
                grid.fill(place.cell, samples);
            }
        }
        grid.check_cells()?;
        Ok(grid)
    }

    fn check_cells(&self) -> Result<()> {
        let count = self.filled().count();
        if count > MAX_CELLS {
            let (what, count) = ("cells", count as f64);
            return Err(Error::TooMany { what, count, limit: MAX_CELLS });
        }
        Ok(())
    }

    /// A point in units of cells relative to the origin.
    pub(super) fn local(&self, point: DVec3) -> DVec3 {
        (point - self.origin) / self.sides
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.cells[1] + j) * self.cells[2] + k
    }

    /// Whether a cell is filled, at least in part.
    pub(super) fn is_filled(&self, cell: [usize; 3]) -> bool {
        self.samples[self.index(cell)] > 0
    }

    /// The filled fraction of a cell, from 0 to 1.
    pub(super) fn share(&self, cell: [usize; 3]) -> f64 {
        f64::from(self.samples[self.index(cell)].min(SAMPLES)) / f64::from(SAMPLES)
    }

    /// Adds one sample point.
    pub(super) fn count_sample(&mut self, cell: [usize; 3]) {
        let index = self.index(cell);
        self.samples[index] = self.samples[index].saturating_add(1);
    }

    fn fill(&mut self, cell: [usize; 3], samples: u8) {
        let index = self.index(cell);
        self.samples[index] = samples;
    }

    /// The filled cells in ascending order.
    pub(super) fn filled(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        let [_, columns, layers] = self.cells;
        let numbers = self.samples.iter().enumerate().filter(|&(_, &samples)| samples > 0);
        numbers.map(move |(n, _)| [n / (columns * layers), n / layers % columns, n % layers])
    }

    /// The index of the cell that contains a local coordinate, or of the nearest cell.
    fn nearest(&self, axis: usize, local: f64) -> usize {
        // The conversion saturates, so negative numbers become cell 0.
        (local as usize).min(self.cells[axis] - 1)
    }

    /// Fills the cells that a triangle, in local coordinates, meets.
    fn fill_met(&mut self, triangle: &[DVec3; 3], margin: f64, samples: u8) {
        let low = triangle[0].min(triangle[1]).min(triangle[2]);
        let high = triangle[0].max(triangle[1]).max(triangle[2]);
        let first: [usize; 3] = std::array::from_fn(|axis| self.nearest(axis, low[axis] - GRAZE));
        let last: [usize; 3] = std::array::from_fn(|axis| self.nearest(axis, high[axis] + GRAZE));
        for i in first[0]..=last[0] {
            for j in first[1]..=last[1] {
                for k in first[2]..=last[2] {
                    let cell = [i, j, k];
                    if !self.is_filled(cell) && cell_meets_triangle(cell, margin, triangle) {
                        self.fill(cell, samples);
                    }
                }
            }
        }
    }

    /// The position of a point of the bounding box within a cell. On a side between cells, or
    /// closer to it than [`GRAZE`], a filled cell is preferred.
    pub(super) fn place(&self, point: DVec3) -> Place {
        let local = self.local(point);
        let around = |axis: usize| {
            let here = self.nearest(axis, local[axis]);
            let low = self.nearest(axis, local[axis] - GRAZE);
            [here, low, self.nearest(axis, local[axis] + GRAZE)]
        };
        let [x, y, z] = [around(0), around(1), around(2)];
        let candidates = (0..27).map(|n| [x[n % 3], y[n / 3 % 3], z[n / 9]]);
        let home = [x[0], y[0], z[0]];
        let cell = candidates.into_iter().find(|&cell| self.is_filled(cell)).unwrap_or(home);
        let within = std::array::from_fn(|axis| {
            let within = local[axis] - cell[axis] as f64;
            if within < GRAZE {
                0.0
            } else if within > 1.0 - GRAZE {
                1.0
            } else {
                within
            }
        });
        Place { cell, within: DVec3::from_array(within) }
    }
}
