//! Bounds of reduced bodies from their coordinates alone (James & Pai 2004).
//!
//! A node whose vertices rest in a volume around c and are displaced, by mode j, by vectors
//! in a volume around u_j, has for the coordinates q its vertices around
//! c + sum u_j q_j, within the rest volume's size plus the displacements' sizes times
//! |q_j|. Whoever stores c, the u_j and the sizes gets the bound of any node in O(modes),
//! alone, without its children and without a vertex.

mod anchored;
mod body;
mod boxes;
mod placement;
mod spectral;
mod spheres;

pub use anchored::Anchored;
pub use body::ReducedBody;
pub use boxes::BoxTable;
pub use spheres::{Center, SphereTable};

use std::sync::Arc;

use glam::Vec4;

use crate::deform::Reduced;
use crate::memo::{Memo, Remember};
use placement::Placement;

/// What is stored for each node, and how coordinates weigh it.
///
/// A node has a row of four numbers for its rest volume and rows for its modes; its
/// volume is the sum of the rows, each times its weights.
pub trait Table: Send + Sync {
    /// The kind of volume.
    type Volume: Remember;

    /// Replaces `weights` by the rows that count for the coordinates and their weights.
    fn weigh(&self, coordinates: &[f64], weights: &mut Weights);

    /// Bytes that a node's bound is computed from.
    fn bytes_a_node(&self) -> usize;
}

/// The rows of a node's table that count in a state, and the factors of each.
#[derive(Debug, Clone, Default)]
pub struct Weights {
    pub(crate) rows: Vec<u32>,
    pub(crate) factors: Vec<Vec4>,
    /// Not below the length of the coordinates; only where a table has a use for it.
    pub(crate) length: f32,
}

impl Weights {
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.factors.clear();
    }

    pub(crate) fn push(&mut self, row: usize, factors: Vec4) {
        self.rows.push(row as u32);
        self.factors.push(factors);
    }
}

/// Bounds of a reduced body, evaluated for the nodes that are asked for and then remembered
/// until the state changes.
#[derive(Debug, Clone)]
pub struct BoundedDeformation<T: Table> {
    table: Arc<T>,
    weights: Weights,
    placement: Placement,
    /// How far off vertices may be, in the body's own space.
    error: f64,
    memo: Memo<T::Volume>,
}

impl<T: Table> BoundedDeformation<T> {
    fn new(table: T, nodes: usize, state: &Reduced) -> Self {
        let placement = Placement::new(state, 0.0, 0.0);
        let mut made = Self {
            table: Arc::new(table),
            weights: Weights::default(),
            placement,
            error: 0.0,
            memo: Memo::new(nodes),
        };
        made.follow(state);
        made
    }

    /// Takes a new state: O(modes), no node is touched.
    fn follow(&mut self, state: &Reduced) {
        self.table.weigh(state.coordinates(), &mut self.weights);
        self.placement = Placement::new(state, 0.0, self.error);
        self.memo.forget();
    }

    /// Bytes that one node's bound is computed from.
    #[must_use]
    pub fn bytes_a_node(&self) -> usize {
        self.table.bytes_a_node()
    }
}

/// The relative error of sums of `f32` over all modes.
///
/// With u = 2^-24 a term passes at most modes + 6 roundings on its way into a corner of the
/// bound: its coordinate to `f32`, the product, one sum a mode, and a few sums at the
/// end. So it errs by less than (1 + u)^n - 1 of itself, which is below 1.01 n u as long
/// as n u < 1/100; [`MAX_MODES`](crate::limits::MAX_MODES) sees to that. The
/// two that are left of n = modes + 8 cover the `f64` roundings of the vertices
/// themselves, 2^-53 where these are 2^-24.
///
/// How bounds use it: the computed middle errs by at most this factor times the sum of the
/// terms' magnitudes, |c| + sum |u_j| |q_j|. The sizes that are stored for c and u_j are
/// enlarged by that factor times |c| and |u_j| beforehand, so that the computed size,
/// a sum of the same |q_j|, contains the error without further ado. All terms of the
/// size are positive: its own roundings make it too small by at most this factor, and so each
/// stored size is multiplied by one plus it.
fn rounding(modes: usize) -> f64 {
    const UNIT: f64 = f32::EPSILON as f64 / 2.0;
    1.01 * UNIT * (modes + 8) as f64
}
