//! What a query did, in counts that do not depend on the machine.

use std::ops::AddAssign;

/// Counts of what a query did.
///
/// They show without a clock that the cost follows the contact. They are the same for any
/// number of threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Bounds that were evaluated.
    pub bounds: u64,
    /// Pairs of bounds (or a bound and a ray or point) that were tested.
    pub overlap_tests: u64,
    /// Pairs of primitives (or a primitive and a ray or point) that were tested.
    pub primitive_tests: u64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.bounds += other.bounds;
        self.overlap_tests += other.overlap_tests;
        self.primitive_tests += other.primitive_tests;
    }
}
