//! The cells inside a closed surface.

use std::collections::HashMap;

use pliant::Mesh;
use pliant::glam::DVec3;
use robust::{Coord, orient2d};

use super::grid::Grid;

/// Sample points per cell and axis.
const FINE: usize = 4;
/// Sample points per cell.
pub(super) const SAMPLES: u8 = (FINE * FINE * FINE) as u8;

/// Counts, for each cell, how many of its [`SAMPLES`] points are inside a closed surface: a line
/// along z has crossed the surface an odd number of times before such a point.
///
/// This takes 16 bytes per crossing of a line with a triangle. Lines that cross the surface pass
/// through cells on the surface, so there are few if those cells are few.
pub(super) fn count_inside(mesh: &Mesh, grid: &mut Grid) {
    let [columns, rows, layers] = grid.cells.map(|cells| cells * FINE);
    let middle = |number: usize| (number as f64 + 0.5) / FINE as f64;
    let mut crossings = Vec::new();
    for corners in mesh.triangles() {
        let triangle = corners.map(|vertex| grid.local(mesh.positions()[vertex as usize]));
        let low = triangle[0].min(triangle[1]).min(triangle[2]) * FINE as f64;
        let high = triangle[0].max(triangle[1]).max(triangle[2]) * FINE as f64;
        // Midpoints from `low` to `high`; conversions saturate.
        let range = |low: f64, high: f64, count: usize| {
            let first = (low - 0.5).ceil() as usize;
            first..((high + 0.5).floor() as usize).min(count)
        };
        for column in range(low.x, high.x, columns) {
            for row in range(low.y, high.y, rows) {
                if let Some(z) = crossing(&triangle, middle(column), middle(row)) {
                    crossings.push((column * rows + row, z));
                }
            }
        }
    }
    crossings.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    for line in crossings.chunk_by(|a, b| a.0 == b.0) {
        let (column, row) = (line[0].0 / rows, line[0].0 % rows);
        // A line crosses a closed surface an even number of times: in and out.
        for ends in line.chunks_exact(2) {
            let [from, to] =
                [ends[0].1, ends[1].1].map(|z| (z * FINE as f64 - 0.5).ceil().max(0.0) as usize);
            for layer in from..to.min(layers) {
                grid.count_sample([column, row, layer].map(|number| number / FINE));
            }
        }
    }
}

/// Whether each edge, between rest positions, has an even number of triangles. Then every line that
/// avoids edges crosses the surface an even number of times.
pub(crate) fn is_closed(mesh: &Mesh) -> bool {
    let mut uses = HashMap::<[u32; 2], u32>::new();
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|vertex| mesh.places()[vertex as usize]);
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if from != to {
                *uses.entry([from.min(to), from.max(to)]).or_default() += 1;
            }
        }
    }
    uses.values().all(|count| count % 2 == 0)
}

/// The height at which the vertical line through (x, y) crosses a triangle.
///
/// A line through an edge or corner crosses exactly as many triangles as a line slightly to the
/// side: an edge counts if its y range contains y, including the lower end and excluding the upper,
/// and if the line is strictly to its left when the edge points up. Neighbours share the edge, so
/// they agree. The predicate is exact, so a triangle without area is never crossed.
fn crossing(triangle: &[DVec3; 3], x: f64, y: f64) -> Option<f64> {
    let point = Coord { x, y };
    let [a, b, c] = *triangle;
    let crossed = [[a, b], [b, c], [c, a]].into_iter().filter(|[from, to]| {
        let (lower, upper) = if from.y <= to.y { (from, to) } else { (to, from) };
        let flat = |p: &DVec3| Coord { x: p.x, y: p.y };
        lower.y <= y && y < upper.y && orient2d(flat(lower), flat(upper), point) > 0.0
    });
    if crossed.count() % 2 == 0 {
        return None;
    }
    let normal = (b - a).cross(c - a);
    let z = a.z - (normal.x * (x - a.x) + normal.y * (y - a.y)) / normal.z;
    let (low, high) = (a.z.min(b.z).min(c.z), a.z.max(b.z).max(c.z));
    // A triangle seen edge-on may give any value; `max` and `min` also turn NaN into a number.
    Some(z.max(low).min(high))
}
