//! The curtain's cloth: its cut, its triangles and its rest shape.

use std::f64::consts::TAU;

use pliant::Result;
use pliant::glam::{DVec2, DVec3};

use crate::check::triangle_count;
use crate::refine::refine;
use crate::sheet::sheet;

// A plain rectangle of c by r cells has (c + 1)(r + 1) vertices and 2cr triangles; no c and r give
// 6184 and 12,020. A disc with B boundary vertices has F = 2V - 2 - B triangles, so the cloth must
// have B = 346. The tabs from which the cloth hangs lengthen the boundary: with t tabs of w by d
// cells the conditions are
//     cr + twd = 6010 cells and 2(c + r) + 2td = 346 boundary edges,
// which hold for 58 by 103 cells with 6 tabs of 3 by 2 cells, 8 cells apart.

/// Cells of the cloth without its tabs.
pub(super) const COLUMNS: u32 = 58;
const BODY_ROWS: u32 = 103;
const TAB_WIDTH: u32 = 3;
const TAB_ROWS: u32 = 2;
const TAB_STRIDE: u32 = TAB_WIDTH + 8;
/// Rows including the tabs.
const ROWS: u32 = BODY_ROWS + TAB_ROWS;
const TRIANGLES: usize = 12_020;

/// The side of a cell in metres.
const CELL: f64 = 0.0225;
/// The height of the hem above the floor; the rod is at 2.5 m.
const HEM: f64 = 0.1375;
/// The amplitude of the folds at the hem; at the rod it is a third of this.
pub(super) const FOLD_DEPTH: f64 = 0.035;

/// Returns the position of each vertex in the cut, in cells (x from the left edge, y from the hem),
/// and the triangles of the cloth.
///
/// Each refinement cuts every triangle into four. Positions are multiples of negative powers of two
/// and therefore exact.
pub(super) fn cut(refinements: u32) -> Result<(Vec<DVec2>, Vec<[u32; 3]>)> {
    let count = 4usize.checked_pow(refinements).and_then(|factor| factor.checked_mul(TRIANGLES));
    triangle_count(count)?;
    let cloth =
        sheet(COLUMNS, ROWS, |column, row| row < BODY_ROWS || column % TAB_STRIDE < TAB_WIDTH);
    let mut points: Vec<DVec2> = cloth
        .points
        .iter()
        .map(|&[column, row]| DVec2::new(f64::from(column), f64::from(row)))
        .collect();
    let mut triangles = cloth.triangles;
    for _ in 0..refinements {
        triangles = refine(&mut points, &triangles, |a, b| (a + b) / 2.0);
    }
    Ok((points, triangles))
}

/// The relative distance of a position below the rod: 0 at the tabs' upper ends, 1 at the hem.
pub(super) fn drop(place: DVec2) -> f64 {
    (f64::from(ROWS) - place.y) / f64::from(ROWS)
}

/// The position in the plane of the unfolded curtain in metres, with x = 0 in its middle.
pub(super) fn flat(place: DVec2) -> DVec2 {
    DVec2::new(CELL * (place.x - f64::from(COLUMNS) / 2.0), HEM + CELL * place.y)
}

/// The phase of a position within its fold in radians: the middle of each tab is a crest.
pub(super) fn fold_phase(place: DVec2) -> f64 {
    TAU * (place.x - f64::from(TAB_WIDTH) / 2.0) / f64::from(TAB_STRIDE)
}

/// The displacement of a position in front of the rod's plane.
pub(super) fn fold(place: DVec2) -> f64 {
    FOLD_DEPTH * (1.0 + 2.0 * drop(place)) / 3.0 * fold_phase(place).cos()
}

/// The rest position of a position of the cut: the curtain hangs in still air.
pub(super) fn rest(place: DVec2) -> DVec3 {
    flat(place).extend(fold(place))
}
