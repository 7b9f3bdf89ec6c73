//! Which boxes overlap, and which boxes a point, a segment, a ray or a box meets: the first look at a
//! world.
//!
//! A [`BroadPhase`] is a way to organise boxes. Given boxes it reports the pairs that overlap, or
//! makes a [`BoxIndex`] that answers many [`Probe`]s. Neither needs a world: the boxes may be those of
//! the triangles of one mesh.
//!
//! ```
//! use pliant::glam::DVec3;
//! use pliant::volume::Aabb;
//! use pliant::world::{Auto, BoxIndex, BroadPhase, Probe};
//! let unit = |x: f64| Aabb::around([DVec3::X * x, DVec3::X * x + DVec3::ONE]);
//! let boxes = [unit(0.0), unit(0.5), unit(3.0)];
//! assert_eq!(Auto::new().overlapping(&boxes), [[0, 1]]);
//!
//! let index = Auto::new().index(&boxes);
//! assert_eq!(index.found(&Probe::point(DVec3::splat(0.75))?), [0, 1]);
//! assert_eq!(index.found(&Probe::segment(DVec3::X, DVec3::X * 4.0)?), [0, 1, 2]);
//! # Ok::<(), pliant::Error>(())
//! ```
//!
//! Boxes are closed: boxes that touch overlap. A side that is NaN excludes nothing, as if it were
//! infinite. A box that is empty (a `min` above its `max`) overlaps nothing and is met by nothing.

mod auto;
mod blocks;
mod box_tree;
mod bsp;
mod by_name;
mod divide;
mod dynamic_tree;
mod every_pair;
mod grid;
mod kd_tree;
mod octree;
mod probe;
mod radix;
mod row;
mod solid;
mod sweep;
mod sweep_and_prune;

pub use auto::Auto;
pub use box_tree::{BoxTree, SurfaceAreaTree};
pub use bsp::Bsp;
pub use by_name::{BROAD_PHASES, broad_phase_named};
pub use dynamic_tree::{DynamicBoxTree, DynamicTree, Leaf};
pub use every_pair::EveryPair;
pub use grid::Grid;
pub use kd_tree::KdTree;
pub use octree::Octree;
pub use probe::Probe;
pub use sweep::Sweep;
pub use sweep_and_prune::SweepAndPrune;

use std::ops::ControlFlow;

use crate::query::Work;
use crate::volume::{Aabb, Overlap as _};

/// What is called with each pair of boxes, until it breaks.
pub type Found<'a> = &'a mut dyn FnMut([u32; 2]) -> ControlFlow<()>;

/// A way to find which boxes overlap.
///
/// Boxes are given anew for each query, so that nothing can be stale. A method that keeps something
/// from one query to the next does so behind `&self`, and its answer does not depend on it.
pub trait BroadPhase: std::fmt::Debug + Send + Sync {
    /// Calls `found` with every pair `[i, j]`, `i < j`, of boxes that overlap, once, in an order
    /// that depends on the boxes alone. It may also report pairs that do not overlap.
    ///
    /// Pairs are handed over one by one, and only few are kept at a time: there may be very many. If
    /// `found` breaks, nothing more is reported. `work` is the same for any number of threads.
    fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: Found<'_>) -> ControlFlow<()>;

    /// Organises boxes to answer many probes. The answers do not depend on the method.
    ///
    /// A method that has nothing better tests each box.
    fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
        Box::new(every_pair::BoxList::new(boxes))
    }

    /// All pairs of boxes that overlap, ascending. Takes memory for every pair: see
    /// [`BroadPhase::pairs`] where there may be many.
    fn overlapping(&self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        let _ = self.pairs(boxes, &mut Work::default(), &mut |[i, j]| {
            if overlap(&boxes[i as usize], &boxes[j as usize]) {
                pairs.push([i, j]);
            }
            ControlFlow::Continue(())
        });
        pairs.sort_unstable();
        pairs
    }
}

/// Whether two boxes overlap, as every broad phase means it.
#[inline]
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    a.overlaps(b) && !a.is_empty() && !b.is_empty()
}

/// Boxes, organised to be asked many times.
pub trait BoxIndex: std::fmt::Debug + Send + Sync {
    /// Replaces `hits` by the numbers of all boxes that [`Probe::meets`] says are met, ascending.
    fn find(&self, probe: &Probe, work: &mut Work, hits: &mut Vec<u32>);

    /// The numbers of all boxes that a probe meets, ascending.
    fn found(&self, probe: &Probe) -> Vec<u32> {
        let mut hits = Vec::new();
        self.find(probe, &mut Work::default(), &mut hits);
        hits
    }
}

impl BroadPhase for Box<dyn BroadPhase> {
    fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: Found<'_>) -> ControlFlow<()> {
        (**self).pairs(boxes, work, found)
    }

    fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
        (**self).index(boxes)
    }
}
