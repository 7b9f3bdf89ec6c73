//! The surface between inside and outside, by marching tetrahedra.

use std::collections::HashMap;

use pliant::glam::DVec3;

use super::part::distance;
use super::{Meshing, Part, Surface};

/// Cells per side of a block; a block that is far from all parts is skipped as a whole.
const BLOCK: usize = 8;

/// The six tetrahedra of a lattice cell, around its diagonal from corner 0 to corner 7, with
/// corners numbered by x + 2y + 4z. All have the same orientation, and adjacent cells cut their
/// common side along the same diagonal, so the surface has no cracks.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// A tetrahedron contains no part of the surface, a triangle or a quad. Vertices lie on lattice
/// edges and are shared. The result is a closed surface for all parts.
pub(super) fn surface(parts: &[Part], meshing: &Meshing) -> Surface {
    let size = (meshing.high - meshing.low) / meshing.cell;
    let blocks = size.to_array().map(|cells| (cells / BLOCK as f64).ceil() as usize);
    let points = blocks.map(|count| count * BLOCK + 1);
    let number = |[i, j, k]: [usize; 3]| (k * points[1] + j) * points[0] + i;
    let place = |[i, j, k]: [usize; 3]| {
        meshing.low + meshing.cell * DVec3::new(i as f64, j as f64, k as f64)
    };

    // Only parts within this distance of a block's middle (half the block's diagonal plus the blend
    // width) affect the surface in it.
    let half_diagonal = 0.87 * BLOCK as f64 * meshing.cell;
    let reach = |part: &Part| half_diagonal + part.blend + 2.0 * meshing.cell;
    let mut values = vec![f64::NAN; points.iter().product()];
    let mut edges = Edges::default();
    let mut triangles = Vec::new();
    for block in lattice(blocks) {
        let first = block.map(|b| b * BLOCK);
        let middle = place(first) + DVec3::splat(BLOCK as f64 * meshing.cell / 2.0);
        let near: Vec<Part> =
            parts.iter().filter(|part| part.clearance(middle) <= reach(part)).copied().collect();
        if near.is_empty() {
            continue;
        }
        for cell in lattice([BLOCK; 3]) {
            let corner =
                |c: usize| [0, 1, 2].map(|axis| first[axis] + cell[axis] + (c >> axis & 1));
            let numbers: [usize; 8] = std::array::from_fn(|c| {
                let at = number(corner(c));
                if values[at].is_nan() {
                    values[at] = distance(&near, place(corner(c)));
                }
                at
            });
            let inside = numbers.iter().filter(|&&at| values[at] < 0.0).count();
            if inside == 0 || inside == 8 {
                continue;
            }
            for tetrahedron in TETRAHEDRA {
                let mut cut = |a: usize, b: usize| {
                    let ends = [a, b].map(|c| (numbers[c], place(corner(c)), values[numbers[c]]));
                    edges.crossing(ends)
                };
                cross(tetrahedron, |c| values[numbers[c]] < 0.0, &mut cut, &mut triangles);
            }
        }
    }
    Surface { positions: edges.positions, triangles }
}

/// The indices of a lattice, x fastest.
fn lattice(counts: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [x, y, z] = counts;
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

/// The crossings of lattice edges, each numbered once.
#[derive(Default)]
struct Edges {
    numbers: HashMap<[usize; 2], u32>,
    positions: Vec<DVec3>,
}

impl Edges {
    fn crossing(&mut self, [first, second]: [(usize, DVec3, f64); 2]) -> u32 {
        let (low, high) = if first.0 < second.0 { (first, second) } else { (second, first) };
        *self.numbers.entry([low.0, high.0]).or_insert_with(|| {
            // Away from the ends, so that no two crossings at one lattice point coincide.
            let t = (low.2 / (low.2 - high.2)).clamp(0.05, 0.95);
            self.positions.push(low.1.lerp(high.1, t));
            (self.positions.len() - 1) as u32
        })
    }
}

/// Adds the triangles that separate the corners inside from those outside.
///
/// An even permutation of the corners moves the corner that differs to the front, so one rule per
/// case suffices.
fn cross(
    corners: [usize; 4],
    inside: impl Fn(usize) -> bool,
    cut: &mut impl FnMut(usize, usize) -> u32,
    triangles: &mut Vec<[u32; 3]>,
) {
    const EVEN_TURNS: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]];
    const PAIRS_FIRST: [[usize; 4]; 6] =
        [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];
    let marks = corners.map(&inside);
    let count = marks.iter().filter(|&&mark| mark).count();
    if count == 1 || count == 3 {
        let odd = count == 1;
        for turn in EVEN_TURNS {
            let [a, b, c, d] = turn.map(|at| corners[at]);
            if inside(a) == odd {
                let triangle = [cut(a, b), cut(a, c), cut(a, d)];
                triangles.push(if odd {
                    triangle
                } else {
                    [triangle[0], triangle[2], triangle[1]]
                });
                return;
            }
        }
    } else if count == 2 {
        for turn in PAIRS_FIRST {
            let [a, b, c, d] = turn.map(|at| corners[at]);
            if inside(a) && inside(b) {
                let [p, q, r, s] = [cut(a, c), cut(a, d), cut(b, d), cut(b, c)];
                triangles.extend([[p, q, r], [p, r, s]]);
                return;
            }
        }
    }
}
