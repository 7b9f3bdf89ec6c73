//! Numbering of lattice points, so that faces which meet at a point share a vertex.

use std::collections::HashMap;

/// Lattice points, numbered in the order of first use.
#[derive(Debug, Default)]
pub(crate) struct Weld {
    number_of_point: HashMap<[u32; 3], u32>,
    points: Vec<[u32; 3]>,
}

impl Weld {
    /// The number of a lattice point; a new number at its first use.
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
