//! Spheres from coordinates (James and Pai 2004, section 3.2).

use glam::{DVec3, Vec3, Vec4};
use rayon::prelude::*;

use super::smallest_ball::smallest_ball_center;
use super::{ActiveRows, BoundedDeformation, FromCoordinates, Table, rounding};
use crate::Mesh;
use crate::bound::Bounds;
use crate::deform::{Modes, Reduced};
use crate::limits::F64_SLACK;
use crate::tree::{Tree, primitive_runs};
use crate::volume::{Sphere, distance_up, round_up};

/// The point from which the size of a node's displacements by a mode is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SphereCenter {
    /// The mean of the displacements, as in the paper. At rest the middle of the box.
    Mean,
    /// The middle of the smallest ball around the displacements, which gives the least size.
    #[default]
    SmallestBall,
}

/// For each node, (x, y, z, radius) of its rest sphere and of each mode.
///
/// One multiplication and one addition of four numbers per mode give middle and radius at once:
/// c' = c + sum u_j q_j and R' = R + sum r_j |q_j|, with |U_ij - u_j| <= r_j for every vertex i
/// below the node. The sphere contains the vertices by the triangle inequality:
/// |p_i' - c'| <= |p_i - c| + sum |U_ij - u_j| |q_j|.
#[derive(Debug, Clone)]
pub struct SphereTable {
    /// Rows per node.
    pub(super) stride: usize,
    pub(super) rows: Vec<Vec4>,
}

impl SphereTable {
    pub(super) fn new(mesh: &Mesh, tree: &Tree, modes: &Modes, center: SphereCenter) -> Self {
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
        Self { stride, rows }
    }
}

/// The rows of one node, from its vertices.
fn fit(rows: &mut [Vec4], vertices: &[u32], mesh: &Mesh, modes: &Modes, center: SphereCenter) {
    let rounding = rounding(modes.count());
    let row = |points: &[DVec3], center: DVec3| {
        // Where points lie outside the range of `f32` the bound is infinite, whatever is stored.
        let center = center.as_vec3().clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
        let middle = center.as_dvec3();
        let size = points.iter().map(|&p| distance_up(p, middle)).fold(0.0, f64::max);
        let lost = rounding * distance_up(middle, DVec3::ZERO);
        let radius = (size + lost) * (1.0 + rounding) * (1.0 + F64_SLACK);
        center.extend(round_up(radius))
    };
    let whole = |points: &[DVec3]| match center {
        SphereCenter::SmallestBall => smallest_ball_center(points),
        SphereCenter::Mean => points.iter().sum::<DVec3>() / points.len() as f64,
    };
    let mut points: Vec<DVec3> = vertices.iter().map(|&v| mesh.positions()[v as usize]).collect();
    let middle = match center {
        SphereCenter::SmallestBall => smallest_ball_center(&points),
        SphereCenter::Mean => {
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

impl FromCoordinates for Sphere {
    type Table = SphereTable;
}

impl Table for SphereTable {
    fn activate(&self, coordinates: &[f64], active: &mut ActiveRows) {
        active.clear();
        for (mode, &q) in coordinates.iter().enumerate().filter(|&(_, &q)| q != 0.0) {
            let q = q as f32;
            active.push(mode + 1, Vec4::new(q, q, q, q.abs()));
        }
    }

    fn bytes_per_node(&self) -> usize {
        self.stride * size_of::<Vec4>()
    }
}

impl BoundedDeformation<Sphere> {
    /// The sphere of a node in the body's own space, as (x, y, z, radius). It contains the
    /// vertices up to what the placement's allowance covers.
    #[inline]
    pub(super) fn own_sphere(&self, node: u32) -> Vec4 {
        let stride = self.table.stride;
        let start = node as usize * stride;
        let rows = &self.table.rows[start..start + stride];
        let ActiveRows { numbers, factors } = &self.active;
        if factors.len() + 1 == stride {
            let terms = rows[1..].iter().zip(factors);
            terms.fold(rows[0], |sum, (row, factor)| sum + *row * *factor)
        } else {
            let terms = numbers.iter().zip(factors);
            terms.fold(rows[0], |sum, (&row, factor)| sum + rows[row as usize] * *factor)
        }
    }
}

impl Bounds<Reduced> for BoundedDeformation<Sphere> {
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
