//! Free motion: positions given for every vertex.

use std::sync::Arc;

use glam::DVec3;

use super::Deformation;
use crate::Mesh;

/// A body whose positions are given anew for every state.
///
/// Most other libraries treat every deforming mesh like this: it is the baseline for the other
/// deformations. Clones share positions until one of them moves.
#[derive(Debug, Clone)]
pub struct Free {
    pub(crate) positions: Arc<[DVec3]>,
    /// Memory for the next positions, until all are known to be finite. Positions of an earlier
    /// state, or none.
    spare: Arc<[DVec3]>,
}

/// Equal positions. The rest is memory to work in, which a refused state overwrites too.
impl PartialEq for Free {
    fn eq(&self, other: &Self) -> bool {
        self.positions == other.positions
    }
}

impl Free {
    pub(crate) fn new(positions: Arc<[DVec3]>) -> Self {
        Self { positions, spare: Arc::default() }
    }

    /// The current positions.
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Takes new positions, or returns `false` and changes nothing if one of them is not finite.
    pub(crate) fn set(&mut self, positions: &[DVec3]) -> bool {
        if self.spare.len() != positions.len() {
            self.spare = positions.into();
        }
        // Copied and checked in one pass. The spare is copied first if a clone shares it.
        let finite = copy_finite(positions, Arc::make_mut(&mut self.spare));
        if finite {
            std::mem::swap(&mut self.positions, &mut self.spare);
        }
        finite
    }
}

/// Copies positions; returns whether all are finite.
fn copy_finite(from: &[DVec3], to: &mut [DVec3]) -> bool {
    // x * 0 is 0 for every finite x and NaN otherwise: one sum answers for all.
    let mut sum = DVec3::ZERO;
    for (from, to) in from.iter().zip(to) {
        *to = *from;
        sum += *from * 0.0;
    }
    sum == DVec3::ZERO
}

impl Deformation for Free {
    #[inline]
    fn position(&self, _: &Mesh, vertex: u32) -> DVec3 {
        self.positions[vertex as usize]
    }
}
