//! Numbering the points of a lattice so that faces meeting there share a vertex.

use std::collections::HashMap;

/// Lattice points, numbered in the order in which they were first asked for.
#[derive(Debug, Default)]
pub(crate) struct Weld {
    number_of_point: HashMap<[u32; 3], u32>,
    points: Vec<[u32; 3]>,
}

impl Weld {
    /// The number of a lattice point; a new one if nobody has asked for it.
    ///
    /// Callers keep the number of points below [`pliant::limits::MAX_VERTICES`].
    pub(crate) fn number(&mut self, point: [u32; 3]) -> u32 {
        *self.number_of_point.entry(point).or_insert_with(|| {
            self.points.push(point);
            (self.points.len() - 1) as u32
        })
    }

    /// The lattice points in the order of their numbers.
    pub(crate) fn into_points(self) -> Vec<[u32; 3]> {
        self.points
    }
}
