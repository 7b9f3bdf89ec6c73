//! Strain limiting: coordinates are scaled down until no node grows by more than a strain.

/// The largest growth of a node's sphere, over its radius at rest, that a body may have.
///
/// For coordinates q the sphere of a node grows by sum r_j |q_j| (James and Pai 2004, section 3.2).
/// If that exceeds the strain times R at some node, all coordinates are scaled by one factor, so
/// that it is equal at the node that grew most. Velocities are scaled with them: no energy is added.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StrainLimit {
    pub strain: f64,
    /// For each mode the largest r_j / R of a node: the first test.
    largest: Vec<f64>,
}

/// Scaled coordinates stay below the limit by this factor, so that rounding does not pass it.
const BELOW: f64 = 1.0 - 1e-12;

/// The part of the limit from which on a body counts as stiff.
const REACHED: f64 = 0.999;

impl StrainLimit {
    /// `strains` has a row per node with r_j / R of each mode.
    pub(super) fn new(strain: f64, strains: &[f32], modes: usize) -> Self {
        let mut largest = vec![0.0f64; modes];
        for row in strains.chunks_exact(modes.max(1)) {
            for (largest, &r) in largest.iter_mut().zip(row) {
                *largest = largest.max(f64::from(r));
            }
        }
        Self { strain, largest }
    }

    /// Scales coordinates and velocities that pass the limit.
    pub(super) fn clamp(&self, strains: &[f32], q: &mut [f64], velocities: &mut [f64]) {
        if !self.may_exceed(self.strain, q) {
            return;
        }
        let most = largest_strain(strains, q);
        if most > self.strain {
            let factor = self.strain / most * BELOW;
            q.iter_mut().chain(velocities).for_each(|x| *x *= factor);
        }
    }

    /// Whether the body is at its limit, as it is after [`StrainLimit::clamp`]: it does not yield
    /// any more.
    pub(super) fn is_reached(&self, strains: &[f32], q: &[f64]) -> bool {
        let near = self.strain * REACHED;
        self.may_exceed(near, q) && largest_strain(strains, q) >= near
    }

    /// Whether a node may exceed a strain, by the largest growth of each mode; in doubt yes.
    fn may_exceed(&self, strain: f64, q: &[f64]) -> bool {
        let at_most: f64 = self.largest.iter().zip(q).map(|(r, q)| r * q.abs()).sum();
        at_most > strain
    }
}

/// The largest growth of a node over its radius.
pub(super) fn largest_strain(strains: &[f32], q: &[f64]) -> f64 {
    let of_node = |row: &[f32]| row.iter().zip(q).map(|(&r, q)| f64::from(r) * q.abs()).sum();
    strains.chunks_exact(q.len().max(1)).map(of_node).fold(0.0, f64::max)
}
