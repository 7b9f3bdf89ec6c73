//! Free motion: every vertex goes where it is told to.

use glam::{DVec3, Vec3A};

use super::Deformation;
use crate::Mesh;

/// A body whose positions are given anew for every state.
///
/// This is what every other library does with a deforming mesh, and the
/// baseline that the other deformations have to beat.
#[derive(Debug, Clone)]
pub struct Free {
    pub(crate) positions: Vec<DVec3>,
    /// Where the next positions go until all are known to be finite.
    pub(crate) spare: Vec<DVec3>,
    /// Positions rounded to `f32`, in the order of a refit: memory to work in.
    pub(crate) nearest: Vec<Vec3A>,
}

/// Equal positions: the rest is memory to work in, which a refused state overwrites too.
impl PartialEq for Free {
    fn eq(&self, other: &Self) -> bool {
        self.positions == other.positions
    }
}

impl Free {
    pub(crate) fn new(positions: Vec<DVec3>) -> Self {
        Self { positions, spare: Vec::new(), nearest: Vec::new() }
    }

    /// The current positions.
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }
}

impl Deformation for Free {
    #[inline]
    fn position(&self, _: &Mesh, vertex: u32) -> DVec3 {
        self.positions[vertex as usize]
    }
}
