//! A box with subdivided sides.

use pliant::glam::DVec3;
use pliant::{Mesh, Result};

use crate::check::{at_least, positive_lengths, triangle_count};
use crate::lattice::side;
use crate::weld::Weld;

/// Returns a closed box around the origin that faces outward.
///
/// `size` has its edge lengths and `divisions` the number of cells along each axis. There are two
/// triangles per cell on each of the six sides.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for an axis without a cell, [`pliant::Error::InvalidVector`]
/// for a side that is not positive and finite, [`pliant::Error::TooMany`].
///
/// ```
/// use pliant::glam::DVec3;
///
/// let cube = pliant_scenes::cuboid(DVec3::ONE, [1, 1, 1])?;
/// assert_eq!((cube.positions().len(), cube.triangles().len()), (8, 12));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn cuboid(size: DVec3, divisions: [u32; 3]) -> Result<Mesh> {
    for cells in divisions {
        at_least(1, "divisions", cells as usize, "1..")?;
    }
    positive_lengths("size", size.to_array())?;
    let [nx, ny, nz] = divisions.map(u128::from);
    triangle_count(usize::try_from(4 * (nx * ny + ny * nz + nz * nx)).ok())?;

    let mut weld = Weld::default();
    let mut triangles = Vec::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for far in [false, true] {
            for i in 0..divisions[u] {
                for j in 0..divisions[v] {
                    let mut cell = [0; 3];
                    cell[axis] = if far { divisions[axis] - 1 } else { 0 };
                    cell[u] = i;
                    cell[v] = j;
                    let [a, b, c, d] = side(cell, axis, far).map(|point| weld.number(point));
                    triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }
    let cells = DVec3::from_array(divisions.map(f64::from));
    let place = |point: [u32; 3]| size * (DVec3::from_array(point.map(f64::from)) / cells - 0.5);
    Mesh::new(weld.into_points().into_iter().map(place).collect(), triangles)
}
