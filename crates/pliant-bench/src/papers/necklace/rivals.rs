//! All ways to find clashes, in one place: they must agree.

use anyhow::{Result, ensure};
use pliant::Necklace;
use pliant::necklace::{
    Layered, Wrapped, brute_force, clashes, clashes_by_blocks, clashes_by_cells, separate_self,
};

/// Beads beyond which every pair is too many: for a look, and for figures.
const MOST_FOR_BRUTE_FORCE: [usize; 2] = [2_000, 20_000];

/// The clashes of a necklace by every method; an error where two differ.
pub(crate) fn check_all(necklace: &Necklace, quick: bool) -> Result<Vec<[u32; 2]>> {
    let cells = clashes_by_cells(necklace, 2).pairs;
    same("the choice by density", &clashes(necklace, 2).pairs, &cells)?;
    same("boxes over chain order", &clashes_by_blocks(necklace, 2).pairs, &cells)?;
    let layered = Layered::new(necklace.clone());
    same("the layered hierarchy", separate_self(&layered, 2).clashes(), &cells)?;
    if necklace.len() <= MOST_FOR_BRUTE_FORCE[usize::from(!quick)] {
        let wrapped = Wrapped::new(necklace.clone());
        same("the wrapped hierarchy", separate_self(&wrapped, 2).clashes(), &cells)?;
        same("brute force", &brute_force::clashes(necklace, 2).pairs, &cells)?;
    }
    same("rstar", &rstar_clashes(necklace), &cells)?;
    Ok(cells)
}

/// An error if a method found others than the grid of cells.
pub(crate) fn same(method: &str, found: &[[u32; 2]], cells: &[[u32; 2]]) -> Result<()> {
    let (ours, theirs) = (found.len(), cells.len());
    ensure!(
        found == cells,
        "{method} found {ours} clashes, the grid of cells {theirs}, not the same"
    );
    Ok(())
}

/// The crate rstar: an R-tree of the centres, bulk-loaded, and the beads within reach of each.
/// What it hands over is decided by our exact test.
pub(crate) fn rstar_clashes(necklace: &Necklace) -> Vec<[u32; 2]> {
    use pliant::contact::balls_touch;
    use rstar::RTree;
    use rstar::primitives::GeomWithData;

    let beads = necklace.beads();
    let largest = beads.iter().fold(0.0f64, |most, bead| most.max(bead.radius));
    let points = (0u32..).zip(beads);
    let points = points.map(|(bead, ball)| GeomWithData::new(ball.center.to_array(), bead));
    let tree = RTree::bulk_load(points.collect());
    let mut pairs = Vec::new();
    for (a, ball) in (0u32..).zip(beads) {
        // A little farther than any two beads reach, for the rounding of squares.
        let reach = (ball.radius + largest) * 1.000_001;
        for near in tree.locate_within_distance(ball.center.to_array(), reach * reach) {
            let b = near.data;
            if b > a && !necklace.exempt(a, b, 2) && balls_touch(ball, &beads[b as usize]) {
                pairs.push([a, b]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
