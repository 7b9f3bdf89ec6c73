//! Vibration modes of a body, computed on a grid of elastic cells around its surface.

mod elastic;
mod factor;
mod grid;
mod hexahedron;
mod inside;
mod lanczos;
mod material;
mod system;
#[cfg(test)]
mod tests;
mod touch;

pub(crate) use inside::is_closed;

use pliant::Mesh;
use pliant::deform::Modes;
use pliant::glam::DVec3;

use crate::limits::RIGID_EIGENVALUE;
use crate::{Error, Result};
use elastic::elastic_modes;
use grid::{Grid, Place};
use system::System;

pub use material::Material;

/// The settings of [`vibration_modes`].
#[derive(Debug, Clone, PartialEq)]
pub struct VibrationSettings {
    /// The number of elastic modes, lowest frequency first.
    pub modes: usize,
    /// The largest side of a cell, in the mesh's unit (metres, to match the material).
    pub cell: f64,
    /// The material of the body.
    pub material: Material,
    /// Vertices that are fixed. If empty, the body is free and has six rigid modes.
    pub fixed: Vec<u32>,
}

/// The lowest elastic modes of a body.
#[derive(Debug, Clone)]
pub struct VibrationModes {
    /// Displacements of the mesh's vertices, mass-normalised: a mode that moves with velocity 1 has
    /// the kinetic energy 1/2. In SI units a coordinate q is in metres times the square root of
    /// kilograms, a displacement is in metres, and q'' + (2 π f)² q = force along the mode.
    pub modes: Modes,
    /// The frequency of each mode in hertz, in ascending order.
    pub frequencies: Vec<f64>,
    /// The number of modes with zero frequency, which are left out: six for a free body of one
    /// piece.
    pub rigid_modes: usize,
    /// The number of cells of the grid.
    pub cells: usize,
    /// The number of unknowns of the problem.
    pub unknowns: usize,
    /// The largest relative residual of a mode; below [`RESIDUAL`](crate::limits::RESIDUAL).
    pub residual: f64,
}

/// Computes the lowest vibration modes of a body with the shape of a mesh.
///
/// The body consists of cuboid cells: those inside the surface if it is closed, and those that the
/// surface meets, which count in part (to 1/64, for both stiffness and mass). Vertices move with
/// their cell. A cuboid of whole cells is exact up to discretisation. A bar that is four cells
/// thick and not aligned with the grid vibrates 1 to 2 % too fast, one that is two cells thick 7 to
/// 9 %. A wall thinner than a cell bends as if it were one or two cells thick, but with its own
/// mass. An open surface is such a wall, and its cells count in full.
///
/// Cells that share no side move freely about their common edge or corner, and separate pieces move
/// freely. Such motions count as rigid modes and are left out. The number of modes up to the last
/// frequency is counted independently: a missed mode is an error and not a wrong answer.
///
/// The memory is that of the sparse factor, 3.3 GB for a solid cube of 98,304 unknowns and much
/// less for hollow bodies, plus 16 bytes per unknown and vector for a few hundred vectors.
///
/// # Errors
/// [`Error::InvalidSetting`] for a material, cell size or number of modes outside its range,
/// [`Error::NoSuchVertex`], [`Error::TooMany`] cells, unknowns, or modes for the number of
/// unknowns, [`Error::NothingMoves`], [`Error::Solver`], [`Error::Inaccurate`],
/// [`Error::ModesMissed`].
///
/// ```
/// use pliant::{Mesh, glam::DVec3};
/// use pliant_sim::{Material, VibrationSettings, vibration_modes};
///
/// // A steel bar, 1 m by 5 cm by 10 cm.
/// let corner = |n: u32| DVec3::new(f64::from(n & 1), 0.05 * f64::from(n >> 1 & 1), 0.1 * f64::from(n >> 2));
/// let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
/// let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
/// let bar = Mesh::new((0..8).map(corner).collect(), triangles)?;
///
/// let settings = VibrationSettings {
///     modes: 2,
///     cell: 0.05,
///     material: Material::STEEL,
///     fixed: vec![],
/// };
/// let free = vibration_modes(&bar, &settings)?;
/// assert_eq!(free.rigid_modes, 6);
/// // The first mode bends in the thin direction: 266 Hz for a thin bar.
/// assert!((free.frequencies[0] - 266.0).abs() < 4.0, "{}", free.frequencies[0]);
/// # Ok::<(), pliant_sim::Error>(())
/// ```
pub fn vibration_modes(mesh: &Mesh, settings: &VibrationSettings) -> Result<VibrationModes> {
    check(mesh, settings)?;
    let grid = Grid::around(mesh, settings.cell)?;
    let place = |vertex: u32| grid.place(mesh.positions()[vertex as usize]);
    let fixed: Vec<Place> = settings.fixed.iter().map(|&vertex| place(vertex)).collect();
    let system = System::new(&grid, &settings.material, &fixed)?;
    let unknowns = system.size();
    let rigid_limit = RIGID_EIGENVALUE * system.largest_eigenvalue;
    let shift = shift(&grid, &settings.material, rigid_limit);
    let elastic = elastic_modes(&system, shift, rigid_limit, settings.modes)?;

    let places: Vec<Place> = mesh.positions().iter().map(|&p| grid.place(p)).collect();
    let fields: Vec<Vec<DVec3>> = elastic
        .vectors
        .iter()
        .map(|vector| places.iter().map(|place| system.displacement(place, vector)).collect())
        .collect();
    let hertz = |eigenvalue: f64| eigenvalue.sqrt() / std::f64::consts::TAU;
    Ok(VibrationModes {
        modes: Modes::from_fields(places.len(), &fields)?,
        frequencies: elastic.eigenvalues.iter().map(|&value| hertz(value)).collect(),
        rigid_modes: elastic.rigid,
        cells: grid.filled().count(),
        unknowns,
        residual: elastic.residual,
    })
}

fn check(mesh: &Mesh, settings: &VibrationSettings) -> Result<()> {
    settings.material.check()?;
    if !(settings.cell > 0.0 && settings.cell.is_finite()) {
        let (setting, value) = ("cell", settings.cell);
        return Err(Error::InvalidSetting { setting, value, range: "positive, finite numbers" });
    }
    if settings.modes == 0 {
        let (setting, value) = ("modes", 0.0);
        return Err(Error::InvalidSetting { setting, value, range: "1 and above" });
    }
    let vertices = mesh.positions().len();
    match settings.fixed.iter().find(|&&vertex| vertex as usize >= vertices) {
        Some(&vertex) => Err(Error::NoSuchVertex { vertex, vertices }),
        None => Ok(()),
    }
}

/// A number below all eigenvalues, at a distance similar to that of the lowest elastic ones. K is
/// singular for a free body, and K - shift M is not.
///
/// A bar of length l and thickness h has its lowest eigenvalue near 42 (h / l)² E / (ρ l²).
fn shift(grid: &Grid, material: &Material, rigid_limit: f64) -> f64 {
    let size = grid.sides * DVec3::from_array(grid.cells.map(|cells| cells as f64));
    let across = material.young / material.density / size.length_squared();
    // Far enough from zero for an accurate factor.
    -(1e-3 * across).max(10.0 * rigid_limit)
}
