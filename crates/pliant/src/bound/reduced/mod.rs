//! Bounds of reduced bodies from their coordinates alone: the Bounded Deformation Tree (BD-Tree)
//! of James and Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced Deformable Models"
//! (2004).
//!
//! Let the vertices of a node rest in a volume around c, and let mode j displace them by vectors in
//! a volume around u_j. For the coordinates q the vertices then lie around c + sum u_j q_j, within
//! the size of the rest volume plus the sizes of the displacements times |q_j|. With c, the u_j and
//! the sizes stored, the bound of any node costs O(modes), without its children and without
//! a vertex.
//!
//! | file | content |
//! | --- | --- |
//! | `body` | constructors and setters |
//! | `rest_table` | volumes of any kind, in the form of the paper (section 3.2) |
//! | `boxes` | boxes, packed by pairs of modes, with small subtrees fitted to their vertices |
//! | `spheres` | centres of spheres, as in the paper |
//! | `proxies` | spheres of a level as contact proxies (section 3.4) |
//! | `anchored` | spheres that follow small changes in O(1) per node (section 3.5) |
//! | `row_units` | units of rows and of own space: powers of two that keep all of it in `f32` |
//! | `placement` | the frame of a body, prepared for volumes |

mod anchored;
mod body;
mod boxes;
mod placement;
mod proxies;
mod rest_table;
mod row_units;
mod spheres;

pub use anchored::Anchored;
pub use body::ReducedBody;
pub use boxes::BoxTable;
pub use rest_table::RestTable;
pub use spheres::SphereCenter;

use std::fmt::Debug;
use std::sync::Arc;

use crate::deform::Reduced;
use crate::memo::Memo;
use crate::numeric::PowerOfTwo;
use crate::volume::{Fit, Motion};
use placement::placement;
use row_units::{RowUnits, own_unit};

/// What is stored for each node of a tree.
///
/// A node has rows for its rest volume and for each mode. Its volume is the sum of the rest rows
/// and of the rows of the modes, each times its factor.
pub trait Table: Clone + Debug + Send + Sync {
    /// The factor of the rest rows, and the rows of modes that count in a state, with their
    /// factors. Factors that are zero have no rows here.
    type ActiveRows: Clone + Debug + Default + Send + Sync;

    /// Replaces `active` by the rows that count for these factors: of the rest rows, and of the
    /// rows of each mode.
    fn activate(&self, rest: f32, modes: &[f32], active: &mut Self::ActiveRows);

    /// Bytes from which the bound of one node is computed.
    fn bytes_per_node(&self) -> usize;
}

/// Bounds that follow the state of a reduced body.
pub trait ReducedBounds {
    /// Takes a new state into account in O(modes). No node is touched.
    fn follow(&mut self, state: &Reduced);
}

/// Bounded deformation: volumes of kind `V` from the coordinates of a reduced body.
///
/// A bound is computed when a query first needs it and kept until the state changes. Clones share
/// the table of all nodes.
#[derive(Debug, Clone)]
pub struct BoundedDeformation<V: Fit, T: Table = RestTable<V>> {
    table: Arc<T>,
    units: Arc<RowUnits>,
    /// The unit of own space in the current state.
    unit: PowerOfTwo,
    /// The factors of the rows of each mode.
    factors: Vec<f32>,
    active: T::ActiveRows,
    /// From own space, in its unit, to the world.
    motion: Motion,
    map: V::Map,
    /// How far vertices may be off, in the body's own space.
    error: f64,
    memo: Memo<V>,
}

impl<V: Fit, T: Table> BoundedDeformation<V, T> {
    fn new(table: T, units: RowUnits, nodes: usize, state: &Reduced) -> Self {
        let unit = own_unit(state, 0.0);
        let mut made = Self {
            table: Arc::new(table),
            units: Arc::new(units),
            unit,
            factors: Vec::new(),
            active: T::ActiveRows::default(),
            map: V::map(&placement(state, unit, 0.0, 0.0)),
            motion: placement(state, unit, 0.0, 0.0),
            error: 0.0,
            memo: Memo::new(nodes),
        };
        made.follow(state);
        made
    }

    /// Bytes from which the bound of one node is computed.
    #[must_use]
    pub fn bytes_per_node(&self) -> usize {
        self.table.bytes_per_node()
    }
}

impl<V: Fit, T: Table> ReducedBounds for BoundedDeformation<V, T> {
    fn follow(&mut self, state: &Reduced) {
        self.unit = own_unit(state, self.error);
        let rest = self.units.factors(state, self.unit, &mut self.factors);
        self.table.activate(rest, &self.factors, &mut self.active);
        self.motion = placement(state, self.unit, 0.0, self.error);
        self.map = V::map(&self.motion);
        self.memo.forget();
    }
}

/// The relative error of `f32` sums over all modes.
///
/// Let u = 2^-24. A term passes at most modes + 6 roundings on its way into a corner of the bound:
/// that of its coordinate to `f32`, that of the product, one sum per mode, and a few sums at the
/// end. So it errs by less than (1 + u)^n - 1 of itself, with n = modes + 8. That is below 1.01 n u
/// while n u < 1/100, which [`MAX_MODES`](crate::limits::MAX_MODES) ensures. The two extra
/// roundings in n cover the `f64` roundings of the vertices themselves, 2^-53 each.
///
/// How bounds use it: the computed middle errs by at most this factor times
/// |c| + sum |u_j| |q_j|. The sizes stored for c and u_j are enlarged beforehand by this factor
/// times |c| and |u_j|, so that the computed size, a sum with the same |q_j|, contains the error.
/// All terms of the size are positive, so its own roundings make it too small by at most this
/// factor. For that each stored size is multiplied by one plus the factor.
fn rounding(modes: usize) -> f64 {
    const UNIT: f64 = f32::EPSILON as f64 / 2.0;
    1.01 * UNIT * (modes + 8) as f64
}
