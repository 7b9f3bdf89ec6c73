//! Cages around the two child cages.

use std::sync::Arc;

use glam::DVec3;

use super::{Cages, ChainTree};
use crate::Result;
use crate::numeric::F64_SLACK;
use crate::shape::Necklace;
use crate::volume::{Sphere, round_up};

/// The layered hierarchy: a cage is the smallest sphere around its children's cages (Guibas et al.
/// 2002, section 2.2). It is fast to compute from the leaves to the root. The radius of the root
/// cage is at most sqrt(h + 1) times that of the smallest sphere around all beads, where h is the
/// height of the tree (theorem 2.3).
///
/// ```
/// use pliant::{Necklace, glam::DVec3, necklace::{Cages, Layered}};
/// let line: Vec<DVec3> = (0..8).map(|i| DVec3::X * f64::from(i)).collect();
/// let mut cages = Layered::new(Necklace::open(&line, 0.5)?);
/// assert!((cages.cage(0).radius - 4.0).abs() < 1e-5);
/// cages.set_positions(&line.iter().map(|p| p * 2.0).collect::<Vec<_>>())?;
/// assert!((cages.cage(0).radius - 7.5).abs() < 1e-5);
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Layered {
    necklace: Necklace,
    tree: Arc<ChainTree>,
    cages: Vec<Sphere>,
}

impl Layered {
    /// Builds the tree and all cages.
    #[must_use]
    pub fn new(necklace: Necklace) -> Self {
        let tree = Arc::new(ChainTree::new(&necklace));
        let cages = vec![Sphere::EMPTY; tree.nodes().len()];
        let mut made = Self { necklace, tree, cages };
        made.refit();
        made
    }

    /// Moves all beads and refits all cages. On an error nothing changes.
    ///
    /// # Errors
    /// As [`Necklace::set_positions`].
    pub fn set_positions(&mut self, centers: &[DVec3]) -> Result<()> {
        self.necklace.set_positions(centers)?;
        self.refit();
        Ok(())
    }

    fn refit(&mut self) {
        let beads = self.necklace.beads();
        for (&leaf, bead) in self.tree.leaf_of_bead().iter().zip(beads) {
            self.cages[leaf as usize] = around(bead.center, bead.radius);
        }
        let nodes = self.tree.nodes();
        for &node in self.tree.upward() {
            let later = nodes[node as usize].later as usize;
            self.cages[node as usize] =
                around_two(&self.cages[node as usize + 1], &self.cages[later]);
        }
    }
}

impl Cages for Layered {
    fn necklace(&self) -> &Necklace {
        &self.necklace
    }

    fn tree(&self) -> &Arc<ChainTree> {
        &self.tree
    }

    #[inline]
    fn cage(&self, node: u32) -> Sphere {
        self.cages[node as usize]
    }
}

/// An `f32` sphere around an `f64` sphere. It is slightly larger than that of [`Sphere::new`], and
/// needs neither a square root nor an unpredictable branch.
///
/// A centre beyond the range of `f32`, or NaN, gives the sphere that contains every point.
///
/// The centre moves by at most half an ulp of `f32` per axis, which is 2^-24 of the coordinate, or
/// 2^-150 for subnormal numbers. Twice the sum over the axes also covers the roundings of a
/// computed centre. The radius grows by an ulp of `f32`, which exceeds rounding to nearest, and by
/// seven of the smallest subnormals, for numbers whose ulp no longer shrinks.
#[inline]
pub(super) fn around(center: DVec3, radius: f64) -> Sphere {
    const STEP: f64 = f32::EPSILON as f64;
    let middle = center.as_vec3();
    if !middle.is_finite() {
        return Sphere::EVERYWHERE;
    }
    let reach = radius * (1.0 + F64_SLACK) + center.abs().element_sum() * STEP;
    Sphere { center: middle, radius: (reach * (1.0 + STEP) + 1e-44) as f32 }
}

/// The smallest sphere around two spheres, up to outward rounding.
///
/// With `R = (|q - p| + r + s) / 2`, the centre lies at `R - r` from p towards q. Differences of
/// `f32` numbers in `f64` are rounded once. The values computed from them are off by a few 2^-53 of
/// R, which the slack on the radius in [`around`] covers. Two infinite radii make the centre NaN,
/// and the result contains every point.
#[inline]
fn around_two(a: &Sphere, b: &Sphere) -> Sphere {
    let (p, q) = (a.center.as_dvec3(), b.center.as_dvec3());
    let (r, s) = (f64::from(a.radius), f64::from(b.radius));
    let along = q - p;
    let apart = along.length();
    // One sphere contains the other, or nearly: the larger one grows to be safe.
    if apart <= (r - s).abs() {
        let (larger, reach) = if r >= s { (a, apart + s) } else { (b, apart + r) };
        let radius = f64::from(larger.radius).max(reach * (1.0 + F64_SLACK));
        return Sphere { radius: round_up(radius), ..*larger };
    }
    let share = 0.5 + 0.5 * ((s - r) / apart);
    around(p + along * share, 0.5 * (apart + r + s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cage_around_two_contains_both(
            p in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64],
            q in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64],
            radii in [0.0..2.0f64, 0.0..2.0f64], offset in 0.0..100f64, exponent in -44..38i32,
        ) {
            let unit = 10f64.powi(exponent);
            let at = |p: [f64; 3]| (DVec3::from_array(p) + offset) * unit;
            let a = around(at(p), radii[0] * unit);
            let b = around(at(q), radii[1] * unit);
            let both = around_two(&a, &b);
            for s in [&a, &b] {
                let apart = (s.center.as_dvec3() - both.center.as_dvec3()).length();
                prop_assert!(apart + f64::from(s.radius) <= f64::from(both.radius));
            }
            let best = 0.5 * ((a.center - b.center).length() + a.radius + b.radius);
            let best = best.max(a.radius).max(b.radius);
            if exponent.abs() < 15 {
                prop_assert!(both.radius <= best * 1.0001 + (offset * unit) as f32 * 1e-5);
            }
        }
    }
}
