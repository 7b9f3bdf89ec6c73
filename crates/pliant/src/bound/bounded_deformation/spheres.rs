//! Spheres from coordinates.

use glam::{DVec3, Vec3, Vec4};
use rayon::prelude::*;

use super::spectral::length_up;
use super::{BoundedDeformation, Table, Weights, rounding};
use crate::Mesh;
use crate::bound::Bounds;
use crate::deform::{Modes, Reduced};
use crate::numeric::{F64_SLACK, distance_up, smallest_ball_center};
use crate::tree::{Tree, level_of_nodes, primitive_runs};
use crate::volume::{Sphere, round_up};

/// Around which point of a node's displacements their size is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Center {
    /// Their mean, as in the paper; at rest the middle of the box.
    Mean,
    /// The middle of the smallest ball around them, which gives the least size.
    #[default]
    SmallestBall,
}

/// For each node, (x, y, z, radius) of its rest sphere and of each mode.
///
/// Per mode one multiplication and one addition of four numbers give middle and radius
/// at once: c' = c + sum u_j q_j, R' = R + sum r_j |q_j|, with |U_ij - u_j| <= r_j for
/// every vertex i below the node (section 3.2). The triangle inequality does the rest:
/// |p_i' - c'| <= |p_i - c| + sum |U_ij - u_j| |q_j|.
#[derive(Debug, Clone)]
pub struct SphereTable {
    /// Rows a node.
    pub(super) stride: usize,
    pub(super) rows: Vec<Vec4>,
    /// For each node the growth of its radius for coordinates of length 1; empty if not asked for.
    pub(super) spectral: Vec<f32>,
    /// Inner nodes above this level are enlarged for proxies.
    pub(super) wrapped: u32,
}

impl SphereTable {
    pub(super) fn new(mesh: &Mesh, tree: &Tree, modes: &Modes, center: Center) -> Self {
        let stride = modes.count() + 1;
        let mut rows = vec![Vec4::ZERO; stride * tree.nodes.len()];
        let runs = primitive_runs(tree);
        rows.par_chunks_mut(stride).zip(runs).for_each(|(rows, run)| {
            let slots = &tree.primitives[run.start as usize..run.end as usize];
            let mut vertices: Vec<u32> =
                slots.iter().flat_map(|&t| mesh.triangles()[t as usize]).collect();
            vertices.sort_unstable();
            vertices.dedup();
            fit(rows, &vertices, mesh, modes, center);
        });
        Self { stride, rows, spectral: Vec::new(), wrapped: 0 }
    }
}

impl SphereTable {
    /// Enlarges the nodes above a level until each contains the spheres of that level, and of
    /// leaves above it, that lie below it; for every state.
    ///
    /// With (c, R), (u_j, r_j) the rows of a node and (d, S), (v_j, s_j) those of a proxy,
    /// the moved middles are no farther apart than |d - c| + sum |v_j - u_j| |q_j|; so
    /// R >= |d - c| + S and r_j >= |v_j - u_j| + s_j are enough. Both spheres are computed in
    /// `f32`: both middles err, the proxy's radius may be too large and the node's too small,
    /// each by the factor of [`rounding`].
    pub(super) fn wrap_proxies(&mut self, tree: &Tree, level: u32) {
        let (stride, rounding) = (self.stride, rounding(self.stride));
        self.wrapped = self.wrapped.max(level);
        let levels = level_of_nodes(tree);
        let ends = |node: u32| levels[node as usize] == level || tree.node(node).is_leaf();
        let mut below = Vec::new();
        for node in (0..tree.nodes.len()).filter(|&n| levels[n] < level && !ends(n as u32)) {
            let own = node * stride;
            // Its spectral growth is that of vertices alone: proxies may reach farther.
            if let Some(growth) = self.spectral.get_mut(node) {
                *growth = f32::INFINITY;
            }
            below.push(node as u32);
            while let Some(next) = below.pop() {
                if !ends(next) {
                    below.extend(tree.node(next).range());
                    continue;
                }
                let proxy = next as usize * stride;
                for row in 0..stride {
                    let (outer, inner) = (self.rows[own + row], self.rows[proxy + row]);
                    let [c, d] = [outer, inner].map(|row| row.truncate().as_dvec3());
                    let lost = distance_up(c, DVec3::ZERO) + distance_up(d, DVec3::ZERO);
                    let reach = distance_up(c, d) + f64::from(inner.w) * (1.0 + rounding);
                    let needed = (reach + rounding * lost) * (1.0 + 2.0 * rounding);
                    self.rows[own + row].w = outer.w.max(round_up(needed * (1.0 + F64_SLACK)));
                }
            }
        }
    }
}

/// The rows of one node, from its vertices.
fn fit(rows: &mut [Vec4], vertices: &[u32], mesh: &Mesh, modes: &Modes, center: Center) {
    let rounding = rounding(modes.count());
    let row = |points: &[DVec3], center: DVec3| {
        // Where points lie outside of f32, the bound is infinite whatever stands here.
        let center = center.as_vec3().clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
        let middle = center.as_dvec3();
        let size = points.iter().map(|&p| distance_up(p, middle)).fold(0.0, f64::max);
        let lost = rounding * distance_up(middle, DVec3::ZERO);
        let radius = (size + lost) * (1.0 + rounding) * (1.0 + F64_SLACK);
        center.extend(round_up(radius))
    };
    let whole = |points: &[DVec3]| match center {
        Center::SmallestBall => smallest_ball_center(points),
        Center::Mean => points.iter().sum::<DVec3>() / points.len() as f64,
    };
    let mut points: Vec<DVec3> = vertices.iter().map(|&v| mesh.positions()[v as usize]).collect();
    let middle = match center {
        Center::SmallestBall => smallest_ball_center(&points),
        Center::Mean => {
            let min = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
            let max = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
            min * 0.5 + max * 0.5
        }
    };
    rows[0] = row(&points, middle);
    for (mode, out) in rows[1..].iter_mut().enumerate() {
        points.clear();
        points.extend(vertices.iter().map(|&v| modes.of(v as usize)[mode].as_dvec3()));
        *out = row(&points, whole(&points));
    }
}

impl Table for SphereTable {
    type Volume = Sphere;

    fn weigh(&self, coordinates: &[f64], weights: &mut Weights) {
        weights.clear();
        for (mode, &q) in coordinates.iter().enumerate().filter(|&(_, &q)| q != 0.0) {
            let q = q as f32;
            weights.push(mode + 1, Vec4::new(q, q, q, q.abs()));
        }
        weights.length = if self.spectral.is_empty() { 0.0 } else { length_up(coordinates) };
    }

    fn bytes_a_node(&self) -> usize {
        self.stride * size_of::<Vec4>()
    }
}

impl BoundedDeformation<SphereTable> {
    /// The sphere of a node in the body's own space. Contains the vertices up to what
    /// the placement's allowance covers.
    #[inline]
    pub(super) fn own_sphere(&self, node: u32) -> Vec4 {
        let stride = self.table.stride;
        let start = node as usize * stride;
        let rows = &self.table.rows[start..start + stride];
        let Weights { rows: numbers, factors, length } = &self.weights;
        let mut sphere = if factors.len() + 1 == stride {
            let terms = rows[1..].iter().zip(factors);
            terms.fold(rows[0], |sum, (row, factor)| sum + *row * *factor)
        } else {
            let terms = numbers.iter().zip(factors);
            terms.fold(rows[0], |sum, (&row, factor)| sum + rows[row as usize] * *factor)
        };
        if let Some(growth) = self.table.spectral.get(node as usize) {
            // Infinity times zero is NaN, of which `min` takes no notice: the sum counts.
            sphere.w = sphere.w.min(rows[0].w + growth * length);
        }
        sphere
    }
}

impl Bounds<Reduced> for BoundedDeformation<SphereTable> {
    type Volume = Sphere;

    #[inline]
    fn bound(&self, _: &Reduced, node: u32) -> Sphere {
        if !self.placement.bounded {
            return Sphere { center: Vec3::ZERO, radius: f32::INFINITY };
        }
        self.memo.get_or(node as usize, || {
            let own = self.own_sphere(node);
            self.placement.sphere(own.truncate(), own.w)
        })
    }
}
