//! Free motion: positions given for every vertex.

use std::mem;
use std::sync::Arc;

use glam::DVec3;

use super::Deformation;
use crate::Mesh;
use crate::parallel::*;
use crate::shape::Position;

/// Positions that a thread copies at a time. With fewer in all, one thread does it alone.
const SHARE: usize = 1 << 14;

/// A body whose positions are given anew for every state, in `f64`, or in `f32` as `Free<Vec3>`.
///
/// Most other libraries treat every deforming mesh like this: it is the baseline for the other
/// deformations. Clones share positions until one of them moves.
#[derive(Debug, Clone)]
pub struct Free<P = DVec3> {
    pub(crate) positions: Arc<Vec<P>>,
    /// Memory for the next positions, until all are known to be finite. Positions of an earlier
    /// state, or none.
    spare: Vec<P>,
}

/// Equal positions. The rest is memory to work in, which a refused state overwrites too.
impl<P: Position> PartialEq for Free<P> {
    fn eq(&self, other: &Self) -> bool {
        self.positions == other.positions
    }
}

impl<P: Position> Free<P> {
    pub(crate) fn new(positions: Vec<P>) -> Self {
        Self { positions: Arc::new(positions), spare: Vec::new() }
    }

    /// The current positions.
    #[must_use]
    pub fn positions(&self) -> &[P] {
        &self.positions
    }

    /// Takes new positions, or returns `false` and changes nothing if one of them is not finite.
    pub(crate) fn set(&mut self, positions: &[P]) -> bool {
        let mut spare = mem::take(&mut self.spare);
        spare.resize(positions.len(), P::default());
        // Copied and checked in one pass.
        let finite = copy_finite(positions, &mut spare);
        self.spare = if finite { self.exchange(spare).unwrap_or_default() } else { spare };
        finite
    }

    /// Takes new positions that are known to be finite. Returns the old ones, as an error if a clone has
    /// them too.
    pub(crate) fn exchange(&mut self, positions: Vec<P>) -> Result<Vec<P>, Arc<Vec<P>>> {
        match Arc::get_mut(&mut self.positions) {
            Some(own) => Ok(mem::replace(own, positions)),
            None => Err(mem::replace(&mut self.positions, Arc::new(positions))),
        }
    }

    /// A copy of the positions in the memory for the next ones.
    pub(crate) fn take_copy(&mut self) -> Vec<P> {
        let mut copy = mem::take(&mut self.spare);
        copy.clear();
        copy.extend_from_slice(&self.positions);
        copy
    }

    /// Gives memory back that [`Self::take_copy`] took.
    pub(crate) fn give_back(&mut self, spare: Vec<P>) {
        self.spare = spare;
    }
}

/// Copies positions; returns whether all are finite.
fn copy_finite<P: Position>(from: &[P], to: &mut [P]) -> bool {
    if from.len() <= 2 * SHARE || current_num_threads() == 1 {
        return P::copy_finite(from, to);
    }
    let shares = from.par_chunks(SHARE).zip(to.par_chunks_mut(SHARE));
    shares.map(|(from, to)| P::copy_finite(from, to)).reduce(|| true, |a, b| a & b)
}

impl<P: Position> Deformation for Free<P> {
    #[inline]
    fn position(&self, _: &Mesh, vertex: u32) -> DVec3 {
        self.positions[vertex as usize].to_f64()
    }
}
