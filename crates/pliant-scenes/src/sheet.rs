//! Flat sheets of square cells.

use crate::weld::Weld;

/// The points of a sheet as (column, row), and its triangles.
pub(crate) struct Sheet {
    pub(crate) points: Vec<[u32; 2]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Returns the sheet of all cells of a columns-by-rows grid for which `keep` is true.
///
/// Rows go up and columns to the right; seen in this way, triangles are counterclockwise. Adjacent
/// cells are cut along opposite diagonals, as is usual for cloth, so that no diagonal direction is
/// preferred.
pub(crate) fn sheet(columns: u32, rows: u32, keep: impl Fn(u32, u32) -> bool) -> Sheet {
    let mut weld = Weld::default();
    let mut triangles = Vec::new();
    for row in 0..rows {
        for column in (0..columns).filter(|&column| keep(column, row)) {
            let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)]
                .map(|(right, up)| weld.number([column + right, row + up, 0]));
            if (column + row) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    let points = weld.into_points().iter().map(|&[column, row, _]| [column, row]).collect();
    Sheet { points, triangles }
}
