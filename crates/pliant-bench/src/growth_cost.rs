//! What a form of growth costs: the sum over modes that the library's spheres are made of,
//! alone, and with another form beside it of which the smaller one counts.

use std::hint::black_box;

use glam::Vec4;

use super::measure::best_of;
use crate::table::Table;

/// Numbers as the library holds them, and as it would: what they are does not matter here.
struct Rows {
    stride: usize,
    /// (x, y, z, radius) at rest and of each mode.
    sums: Vec<Vec4>,
    /// One a node: no vertex of the node is stretched by more.
    spectral: Vec<f32>,
    /// Weights of squared coordinates, four a row.
    ellipsoids: Vec<Vec4>,
}

impl Rows {
    fn new(nodes: usize, modes: usize) -> Self {
        let number = |at: usize| 1.0 + (at % 97) as f32 / 97.0;
        let row = |at: usize| Vec4::new(number(at), -number(at + 31), number(at + 7), number(at));
        Self {
            stride: modes + 1,
            sums: (0..nodes * (modes + 1)).map(row).collect(),
            spectral: (0..nodes).map(number).collect(),
            ellipsoids: (0..nodes * modes.div_ceil(4)).map(|at| row(at).abs()).collect(),
        }
    }

    /// Rest radius, and the sphere by the sum.
    #[inline]
    fn sphere(&self, node: u32, factors: &[Vec4]) -> (f32, Vec4) {
        let start = node as usize * self.stride;
        let rows = &self.sums[start..start + self.stride];
        let terms = rows[1..].iter().zip(factors);
        (rows[0].w, terms.fold(rows[0], |sum, (row, factor)| sum + *row * *factor))
    }

    #[inline]
    fn or_spectral(&self, node: u32, factors: &[Vec4], length: f32) -> Vec4 {
        let (rest, mut sphere) = self.sphere(node, factors);
        sphere.w = sphere.w.min(rest + self.spectral[node as usize] * length);
        sphere
    }

    #[inline]
    fn or_ellipsoid(&self, node: u32, factors: &[Vec4], squares: &[Vec4]) -> Vec4 {
        let (rest, mut sphere) = self.sphere(node, factors);
        let start = node as usize * squares.len();
        let weights = &self.ellipsoids[start..start + squares.len()];
        let sum = weights.iter().zip(squares).fold(Vec4::ZERO, |sum, (w, q)| sum + *w * *q);
        sphere.w = sphere.w.min(rest + sum.element_sum().sqrt());
        sphere
    }
}

/// Nanoseconds a sphere, for the nodes that queries ask for.
pub(super) fn table(asked: &[Vec<u32>], nodes: usize, rounds: usize) -> Table {
    let mut table = Table::new(
        "What a form of a sphere's growth costs: ns a sphere, as the queries ask for them",
        &["M", "sum", "or spectral", "", "or ellipsoid", "", "bytes", "spectral", "ellipsoid"],
    );
    for modes in [3, 10, 30, 100] {
        let rows = Rows::new(nodes, modes);
        let factors: Vec<Vec4> = (0..modes).map(|j| Vec4::splat(1.0 / (1.0 + j as f32))).collect();
        let squares = vec![Vec4::splat(0.01); modes.div_ceil(4)];
        let ask = |of: &dyn Fn(u32) -> Vec4| {
            let sum: Vec4 = asked.iter().flatten().map(|&node| of(node)).sum();
            black_box(sum);
        };
        let [sum, spectral, ellipsoid] = best_of(
            rounds,
            [
                &mut || ask(&|node| rows.sphere(node, &factors).1),
                &mut || ask(&|node| rows.or_spectral(node, &factors, 0.3)),
                &mut || ask(&|node| rows.or_ellipsoid(node, &factors, &squares)),
            ],
        );
        let total: usize = asked.iter().map(Vec::len).sum();
        let each = |time: f64| format!("{:.1}", time * 1e9 / total as f64);
        let bytes = size_of::<Vec4>() * rows.stride;
        table.row([
            modes.to_string(),
            each(sum),
            each(spectral),
            format!("{:.2}x", spectral / sum),
            each(ellipsoid),
            format!("{:.2}x", ellipsoid / sum),
            bytes.to_string(),
            (bytes + size_of::<f32>()).to_string(),
            (bytes + size_of::<Vec4>() * squares.len()).to_string(),
        ]);
    }
    table.note("without remembering: every sphere is evaluated whenever it is asked for");
    table.note("what the forms save stands in `pliant bench tightness`");
    table
}
