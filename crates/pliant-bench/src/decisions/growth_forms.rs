//! By how much a sphere must grow: the ways to bound it from coordinates, beside one another.
//!
//! A node's vertices i are displaced by (U_i - u) q from where its middle goes, with U_i the
//! 3 x M block of a vertex and u_j the middle of the ball around the displacements of mode j.
//! Every form here bounds the length of that for all vertices of the node.

use anyhow::Result;
use glam::{DMat3, DVec3};
use pliant::deform::Modes;
use pliant::tree::primitive_runs;
use pliant::volume::{Ball, smallest_sphere};
use pliant::{Mesh, tree::Tree};
use rayon::prelude::*;

use crate::table::{Cell, Table, percent, ratio_to};

/// The forms, as they stand in the table.
pub(crate) const FORMS: [&str; 3] =
    ["sum: dR_j |q_j|", "ellipsoid of the node", "floor: the farthest vertex"];

/// Triangles from which on a node counts as large: what a query of bodies apart looks at.
const LARGE: usize = 64;

/// A node, prepared.
pub(crate) struct Growth {
    pub(crate) triangles: usize,
    pub(crate) vertices: Vec<u32>,
    /// At rest.
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
    /// Extremes at rest and of each mode.
    pub(crate) boxes: Vec<[DVec3; 2]>,
    pub(crate) middles: Vec<DVec3>,
    /// For each mode the farthest displacement from its middle.
    sizes: Vec<f64>,
    /// s_j with |(U_i - u) q|^2 <= sum s_j q_j^2.
    ellipsoid: Vec<f64>,
}

impl Growth {
    pub(crate) fn new(mesh: &Mesh, modes: &Modes, ranges: &[f64], triangles: &[u32]) -> Self {
        let corners = triangles.iter().flat_map(|&t| mesh.triangles()[t as usize]);
        let mut vertices: Vec<u32> = corners.collect();
        vertices.sort_unstable();
        vertices.dedup();
        let points = |of: usize| -> Vec<DVec3> {
            let point = |&vertex: &u32| match of.checked_sub(1) {
                None => mesh.positions()[vertex as usize],
                Some(mode) => modes.of(vertex as usize)[mode].as_dvec3(),
            };
            vertices.iter().map(point).collect()
        };
        let (mut middles, mut sizes, mut boxes) = (Vec::new(), Vec::new(), Vec::new());
        for of in 0..=modes.count() {
            let points = points(of);
            let balls: Vec<Ball> = points.iter().map(|&point| Ball::new(point, 0.0)).collect();
            let ball = smallest_sphere(&balls);
            middles.push(ball.center);
            sizes.push(ball.radius);
            let min = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
            boxes.push([min, points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max)]);
        }
        let (center, radius) = (middles.remove(0), sizes.remove(0));
        // The sum bound, by Cauchy and Schwarz, for coordinates in proportion to their ranges:
        // (sum r_j |q_j|)^2 <= (sum r_j d_j) (sum r_j q_j^2 / d_j). What turns out to be
        // too large by a factor for every vertex is made smaller by it.
        let factors: Vec<f64> = sizes
            .iter()
            .zip(ranges)
            .map(|(&r, &d)| if r * d > 0.0 { (d / r).sqrt() } else { 0.0 })
            .collect();
        let mut fitted = 0.0_f64;
        for &vertex in &vertices {
            let residuals = modes.of(vertex as usize).iter().zip(&middles);
            let residuals: Vec<DVec3> = residuals.map(|(u, m)| u.as_dvec3() - m).collect();
            fitted = fitted.max(norm(residuals.iter().zip(&factors).map(|(&u, &f)| u * f)));
        }
        let weight = |&f: &f64| if f > 0.0 { (fitted / f).powi(2) } else { 0.0 };
        let ellipsoid = factors.iter().map(weight).collect();
        let triangles = triangles.len();
        Self { triangles, vertices, center, radius, boxes, middles, sizes, ellipsoid }
    }

    /// What each of [`FORMS`] gives.
    pub(crate) fn by_form(&self, modes: &Modes, q: &[f64]) -> [f64; FORMS.len()] {
        let sum = self.sizes.iter().zip(q).map(|(r, q)| r * q.abs()).sum();
        let ellipsoid = self.ellipsoid.iter().zip(q).map(|(s, q)| s * q * q).sum::<f64>().sqrt();
        let away = |vertex: &u32| {
            let terms = modes.of(*vertex as usize).iter().zip(&self.middles).zip(q);
            terms.map(|((u, m), &q)| (u.as_dvec3() - m) * q).sum::<DVec3>().length()
        };
        let floor = self.vertices.iter().map(away).fold(0.0, f64::max);
        [sum, ellipsoid, floor]
    }
}

/// The largest factor by which a matrix of these columns stretches a vector: the root of the
/// largest eigenvalue of it times its transpose. Up to rounding; nothing but figures depends on it.
fn norm(columns: impl Iterator<Item = DVec3>) -> f64 {
    let square =
        columns.fold(DMat3::ZERO, |sum, u| sum + DMat3::from_cols(u * u.x, u * u.y, u * u.z));
    let mut power = square;
    for _ in 0..6 {
        let largest = power.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        power *= 1.0 / largest;
        power = power * power;
    }
    // Columns of a high power point along the eigenvector; the longest is the safest.
    let columns = [power.x_axis, power.y_axis, power.z_axis];
    let longer = |a: DVec3, b: DVec3| if b.length_squared() > a.length_squared() { b } else { a };
    let vector = columns.into_iter().fold(DVec3::ZERO, longer);
    let vector = vector.normalize_or_zero();
    vector.dot(square * vector).sqrt()
}

/// Sums over nodes and frames.
#[derive(Clone, Copy, Default)]
struct Sums {
    number: f64,
    /// R'/R of each form, and of the smaller of it and the first.
    grown: [f64; FORMS.len()],
    least: [f64; FORMS.len()],
    /// How often it is smaller than the first.
    wins: [f64; FORMS.len()],
}

impl Sums {
    fn add(mut self, other: Self) -> Self {
        self.number += other.number;
        for form in 0..FORMS.len() {
            self.grown[form] += other.grown[form];
            self.least[form] += other.least[form];
            self.wins[form] += other.wins[form];
        }
        self
    }
}

/// A table for one model: mean R'/R by form.
pub(crate) fn table(
    (name, mesh, modes, tree): (&str, &Mesh, &Modes, &Tree),
    frames: &[&[f64]],
) -> Result<Table> {
    let ranges: Vec<f64> = (0..modes.count())
        .map(|mode| frames.iter().map(|q| q[mode].abs()).fold(0.0, f64::max))
        .collect();
    let runs = primitive_runs(tree);
    let of_node = |run: &std::ops::Range<u32>| {
        let triangles = &tree.primitives[run.start as usize..run.end as usize];
        let node = Growth::new(mesh, modes, &ranges, triangles);
        let mut sums = [Sums::default(); 2];
        for q in frames {
            let growth = node.by_form(modes, q);
            for sums in &mut sums[usize::from(node.triangles < LARGE)..] {
                sums.number += 1.0;
                for form in 0..FORMS.len() {
                    let ratio = |growth: f64| (node.radius + growth) / node.radius;
                    sums.grown[form] += ratio(growth[form]);
                    sums.least[form] += ratio(growth[form].min(growth[0]));
                    sums.wins[form] += f64::from(u8::from(growth[form] < growth[0]));
                }
            }
        }
        sums
    };
    let [large, all] = runs
        .par_iter()
        .filter(|run| !run.is_empty())
        .map(of_node)
        .reduce(Default::default, |a, b| [a[0].add(b[0]), a[1].add(b[1])]);
    let mut table = Table::new(
        format!("How much spheres grow, R'/R by form: {name}, M = {}", modes.count()),
        &[
            "growth",
            "all nodes",
            "or the sum",
            "smaller",
            "large nodes",
            "large or the sum",
            "large smaller",
        ],
    );
    for (form, name) in FORMS.iter().enumerate() {
        let mut row = vec![Cell::from(*name)];
        for sums in [all, large] {
            row.push(ratio_to(sums.grown[form] / sums.number, 3));
            row.push(ratio_to(sums.least[form] / sums.number, 3));
            row.push(percent(sums.wins[form] / sums.number, 1));
        }
        table.row(row);
    }
    table.note(format!(
        "means over nodes and {} frames; large: {LARGE} triangles or more",
        frames.len()
    ));
    table.note(
        "or the sum: whichever of the two is smaller, node by node; smaller: how often it is",
    );
    table.note("ellipsoid: root of sum s_j q_j^2 with s_j of the node, fitted to the range of q");
    Ok(table)
}
