//! The boundary surface of a set of lattice cells.

use crate::weld::Weld;

/// The boundary of a set of cells: lattice points and outward quads.
pub(crate) struct Boundary {
    pub(crate) points: Vec<[u32; 3]>,
    /// Corners counterclockwise as seen from outside.
    pub(crate) quads: Vec<[u32; 4]>,
}

/// Returns every cell side between a filled cell and an empty one.
///
/// The result has no boundary for any set of cells, since around each lattice edge the sides
/// between filled and empty cells come in pairs. It is a surface (two quads per edge, one fan per
/// vertex) unless two filled cells meet only in an edge or a corner; the caller avoids that.
pub(crate) fn boundary(cells: [u32; 3], filled: impl Fn([u32; 3]) -> bool) -> Boundary {
    let mut weld = Weld::default();
    let mut quads = Vec::new();
    let outside = |cell: [u32; 3], axis: usize, far: bool| {
        let mut neighbor = cell;
        if far {
            neighbor[axis] += 1;
            neighbor[axis] == cells[axis] || !filled(neighbor)
        } else {
            neighbor[axis] = neighbor[axis].wrapping_sub(1);
            cell[axis] == 0 || !filled(neighbor)
        }
    };
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in (0..cells[2]).filter(|&k| filled([i, j, k])) {
                for axis in 0..3 {
                    for far in [false, true] {
                        if outside([i, j, k], axis, far) {
                            let side = side([i, j, k], axis, far);
                            quads.push(side.map(|point| weld.number(point)));
                        }
                    }
                }
            }
        }
    }
    Boundary { points: weld.into_points(), quads }
}

/// The four corners of a cell's side, counterclockwise as seen from outside.
pub(crate) fn side(cell: [u32; 3], axis: usize, far: bool) -> [[u32; 3]; 4] {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let corner = |right: u32, up: u32| {
        let mut point = cell;
        point[axis] += u32::from(far);
        point[u] += right;
        point[v] += up;
        point
    };
    if far {
        [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]
    } else {
        [corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0)]
    }
}
