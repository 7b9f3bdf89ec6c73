//! Volumes of any kind from coordinates (James and Pai 2004, section 3.2).

use crate::parallel::*;
use glam::DVec3;

use super::{BoundedDeformation, RowUnits, Table, rounding};
use crate::Mesh;
use crate::bound::Bounds;
use crate::deform::{Modes, Reduced};
use crate::tree::{Tree, primitive_runs};
use crate::volume::Fit;

/// For each node, the rest form of its volume, and of a volume around its displacements by each
/// mode, in the units of the rows.
///
/// With P the rest volume of a node and D_j the volume of its displacements by mode j, every
/// vertex below the node is at p + sum u_j q_j with p in P and u_j in D_j. So it lies in the sum
/// of P and of all q_j D_j, which [`Fit::add_scaled`] bounds term by term. For spheres this is the
/// formula of the paper: c' = c + sum u_j q_j and R' = R + sum r_j |q_j|.
#[derive(Debug, Clone)]
pub struct RestTable<V: Fit> {
    /// Rows per node.
    pub(super) stride: usize,
    pub(super) rows: Vec<V::Rest>,
}

impl<V: Fit> RestTable<V> {
    /// Fits all rows. `fit` makes one from positions at rest, if the second argument is `None`, or
    /// from displacements by a mode, given the row at rest, all in the units of the rows.
    pub(super) fn new(
        mesh: &Mesh,
        tree: &Tree,
        modes: &Modes,
        units: &RowUnits,
        fit: impl Fn(&[DVec3], Option<&V::Rest>) -> V::Rest + Sync,
    ) -> Self {
        let rows_of_node = |run: std::ops::Range<u32>| {
            let slots = &tree.primitives[run.start as usize..run.end as usize];
            let mut vertices: Vec<u32> =
                slots.iter().flat_map(|&t| mesh.triangles()[t as usize]).collect();
            vertices.sort_unstable();
            vertices.dedup();
            let rest = |&v: &u32| units.rest().vector_down(mesh.positions()[v as usize]);
            let rest: Vec<DVec3> = vertices.iter().map(rest).collect();
            let own = fit(&rest, None);
            let mut rows = vec![own];
            let mut points = rest;
            for mode in 0..modes.count() {
                points.clear();
                let unit = units.mode(mode);
                let displacement = |&v: &u32| modes.of(v as usize)[mode].as_dvec3();
                points.extend(vertices.iter().map(|v| unit.vector_down(displacement(v))));
                rows.push(fit(&points, Some(&own)));
            }
            rows
        };
        let rows = primitive_runs(tree).into_par_iter().map(rows_of_node).flatten_iter().collect();
        Self { stride: modes.count() + 1, rows }
    }

    /// The volume of a node in the body's own space, in the unit of the state. It contains the vertices up to what the
    /// allowance of the placement covers.
    #[inline]
    pub(super) fn own(&self, node: u32, active: &ActiveRows<V>) -> V::Rest {
        let start = node as usize * self.stride;
        let rows = &self.rows[start..start + self.stride];
        let ActiveRows { rest, numbers, factors } = active;
        let mut sum = V::scaled(&rows[0], *rest);
        if factors.len() + 1 == self.stride {
            for (row, factor) in rows[1..].iter().zip(factors) {
                V::add_scaled(&mut sum, row, *factor);
            }
        } else {
            for (&row, factor) in numbers.iter().zip(factors) {
                V::add_scaled(&mut sum, &rows[row as usize], *factor);
            }
        }
        sum
    }
}

/// The factor of the rest row, the rows of modes whose factors are not zero, and these factors.
#[derive(Debug, Clone)]
pub struct ActiveRows<V: Fit> {
    rest: V::Factor,
    numbers: Vec<u32>,
    factors: Vec<V::Factor>,
}

impl<V: Fit> Default for ActiveRows<V> {
    fn default() -> Self {
        Self { rest: V::factor(1.0), numbers: Vec::new(), factors: Vec::new() }
    }
}

impl<V: Fit> Table for RestTable<V> {
    type ActiveRows = ActiveRows<V>;

    fn activate(&self, rest: f32, modes: &[f32], active: &mut ActiveRows<V>) {
        active.rest = V::factor(rest);
        active.numbers.clear();
        active.factors.clear();
        for (mode, &q) in modes.iter().enumerate().filter(|&(_, &q)| q != 0.0) {
            active.numbers.push(mode as u32 + 1);
            active.factors.push(V::factor(q));
        }
    }

    fn bytes_per_node(&self) -> usize {
        self.stride * size_of::<V::Rest>()
    }
}

/// A fit of rows by [`Fit::rest_around`] and [`Fit::displaced_around`].
pub(super) fn fit_any<V: Fit>(
    modes: &Modes,
) -> impl Fn(&[DVec3], Option<&V::Rest>) -> V::Rest + Sync {
    let rounding = rounding(modes.count());
    move |points, rest| match rest {
        None => V::rest_around(points, rounding),
        Some(rest) => V::displaced_around(rest, points, rounding),
    }
}

impl<V: Fit> Bounds<Reduced> for BoundedDeformation<V> {
    type Volume = V;

    #[inline]
    fn bound(&self, _: &Reduced, node: u32) -> V {
        if !self.motion.is_bounded() {
            return V::EVERYWHERE;
        }
        let compute = || V::moved(&self.table.own(node, &self.active), &self.map);
        self.memo.get_or(node as usize, compute)
    }
}
