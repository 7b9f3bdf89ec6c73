//! A flat rectangular sheet.

use pliant::glam::DVec3;
use pliant::{Mesh, Result};

use crate::check::{at_least, positive_lengths, triangle_count};
use crate::sheet::sheet;

/// Returns a flat sheet in the plane y = 0 that faces up, with its middle at the origin.
///
/// It has `columns` cells along x over `width` and `rows` cells along z over `depth`, with two
/// triangles per cell and (columns + 1)(rows + 1) vertices.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] without columns or rows, [`pliant::Error::InvalidVector`] for
/// a side that is not positive and finite, [`pliant::Error::TooMany`].
///
/// ```
/// let table_cloth = pliant_scenes::grid(20, 10, 2.0, 1.0)?;
/// assert_eq!(table_cloth.triangles().len(), 400);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn grid(columns: u32, rows: u32, width: f64, depth: f64) -> Result<Mesh> {
    at_least(1, "columns", columns as usize, "1..")?;
    at_least(1, "rows", rows as usize, "1..")?;
    positive_lengths("width and depth", [width, depth, 1.0])?;
    let cells = u128::from(columns) * u128::from(rows);
    triangle_count(usize::try_from(2 * cells).ok())?;
    let sheet = sheet(columns, rows, |_, _| true);
    let place = |&[column, row]: &[u32; 2]| {
        let x = width * (f64::from(column) / f64::from(columns) - 0.5);
        // Rows proceed towards -z, so that the sheet faces up.
        let z = depth * (0.5 - f64::from(row) / f64::from(rows));
        DVec3::new(x, 0.0, z)
    };
    Mesh::new(sheet.points.iter().map(place).collect(), sheet.triangles)
}
