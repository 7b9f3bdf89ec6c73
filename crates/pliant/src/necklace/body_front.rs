//! Beads of a necklace and triangles of a body, as a front sees them.

use super::{Cages, Layered};
use crate::body::Collide;
use crate::contact::{Margin, ball_margin, ball_touches_triangle};
use crate::query::Work;
use crate::query::front::{Below, Patches, Sides, gap};
use crate::volume::{Aabb, Volume as _};

/// The cages and beads of a necklace beside the boxes and triangles of a body. Descended as
/// [`beads_against`](super::beads_against) does.
pub(crate) struct BeadsAndBody<'a, B> {
    pub(crate) cages: &'a Layered,
    pub(crate) body: &'a B,
}

impl<B: Collide<Volume = Aabb>> BeadsAndBody<'_, B> {
    fn apart(&self, [i, j]: [u32; 2], work: &mut Work) -> f64 {
        work.bounds += 2;
        work.overlap_tests += 1;
        gap(&self.cages.cage(i), &self.body.bound(j))
    }
}

impl<B: Collide<Volume = Aabb>> Sides for BeadsAndBody<'_, B> {
    fn start(&self, work: &mut Work, visit: &mut impl FnMut(Below)) {
        visit(Below::Nodes([0, 0], self.apart([0, 0], work)));
    }

    fn open(&self, [i, j]: [u32; 2], work: &mut Work, visit: &mut impl FnMut(Below)) {
        let (chain, tree) = (self.cages.tree(), self.body.tree());
        let node = tree.node(j);
        let is_larger = || self.cages.cage(i).extent() > self.body.bound(j).extent();
        match chain.children(i) {
            Some(halves) if node.is_leaf() || is_larger() => {
                for half in halves {
                    visit(Below::Nodes([half, j], self.apart([half, j], work)));
                }
            }
            _ if !node.is_leaf() => {
                for child in node.range() {
                    visit(Below::Nodes([i, child], self.apart([i, child], work)));
                }
            }
            _ => {
                let bead = chain.nodes()[i as usize].first;
                for &triangle in tree.leaf_primitives(node) {
                    visit(Below::Primitives([bead, triangle]));
                }
            }
        }
    }

    fn gap(&self, pair: [u32; 2], work: &mut Work) -> Option<f64> {
        Some(self.apart(pair, work))
    }

    fn touch(&self, [bead, triangle]: [u32; 2]) -> bool {
        let ball = &self.cages.necklace().beads()[bead as usize];
        ball_touches_triangle(ball, &self.body.triangle(triangle))
    }

    fn margin(&self, [bead, triangle]: [u32; 2], _: f64) -> Margin {
        let ball = &self.cages.necklace().beads()[bead as usize];
        ball_margin(ball, &self.body.triangle(triangle))
    }
}

/// Beads per patch at least, and patches at most.
const LEAST_BEADS: usize = 4;
const MOST_PATCHES: usize = 255;

/// The beads of a necklace in patches: runs of beads, of equal length.
pub(crate) fn bead_patches(cages: &Layered) -> Patches {
    let count = cages.necklace().len();
    let each = count.div_ceil(MOST_PATCHES).max(LEAST_BEADS);
    let whole = count.div_ceil(each) as u8;
    let patch = |bead: usize| (bead / each) as u8;
    let of_node = cages.tree().nodes().iter().map(|node| {
        let beads = node.range();
        let [first, last] = [beads.start, beads.end - 1].map(patch);
        if first == last { first } else { whole }
    });
    Patches::of_runs(of_node.collect(), (0..count).map(patch).collect())
}
