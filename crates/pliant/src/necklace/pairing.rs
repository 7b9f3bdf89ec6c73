//! The descent rule for pairs of nodes, shared by all queries of hierarchies.

use super::Cages;

/// A hierarchy paired with another or with itself.
pub(super) struct Pairing<'a, A, B> {
    pub(super) first: &'a A,
    pub(super) second: &'a B,
    /// If paired with itself: the smallest number of links along a chain between beads that may
    /// clash.
    pub(super) own: Option<u32>,
}

/// How to continue with a pair of nodes.
pub(super) enum Step {
    /// No two of its beads may clash, by construction.
    Nothing,
    /// Test two beads.
    Beads([u32; 2]),
    /// Visit these pairs of nodes, which together have the same pairs of beads; the third may be
    /// absent.
    Split([Option<[u32; 2]>; 3]),
}

impl<A: Cages, B: Cages> Pairing<'_, A, B> {
    /// Whether both are the same node of one hierarchy: comparing their cages says nothing.
    #[inline]
    pub(super) fn is_within(&self, [a, b]: [u32; 2]) -> bool {
        self.own.is_some() && a == b
    }

    /// How to continue with a pair of nodes. The node with more beads is split (Guibas et al. 2002,
    /// section 3.1); the first if they have equally many.
    #[inline]
    pub(super) fn step(&self, pair: [u32; 2]) -> Step {
        let [a, b] = pair;
        if let Some(min_gap) = self.own
            && self.all_exempt(pair, min_gap)
        {
            return Step::Nothing;
        }
        let (tree, other) = (self.first.tree(), self.second.tree());
        if self.is_within(pair) {
            return match tree.children(a) {
                None => Step::Nothing,
                Some([l, r]) => Step::Split([Some([l, r]), Some([r, r]), Some([l, l])]),
            };
        }
        let (own, their) = (tree.nodes()[a as usize], other.nodes()[b as usize]);
        if own.beads() == 1 && their.beads() == 1 {
            return Step::Beads([own.first, their.first]);
        }
        if own.beads() >= their.beads() {
            let children = tree.children(a).unwrap_or([a, a]);
            Step::Split([Some([children[1], b]), Some([children[0], b]), None])
        } else {
            let children = other.children(b).unwrap_or([b, b]);
            Step::Split([Some([a, children[1]]), Some([a, children[0]]), None])
        }
    }

    /// Whether all beads of two nodes are so close along one chain that none may clash. May return
    /// `false` although they are, across the end of a closed chain.
    #[inline]
    fn all_exempt(&self, [a, b]: [u32; 2], min_gap: u32) -> bool {
        let nodes = self.first.tree().nodes();
        let (first, last) = (nodes[a as usize].first, nodes[b as usize].end - 1);
        let chain = self.first.necklace().chain_of_bead();
        last - first < min_gap.max(2) && chain[first as usize] == chain[last as usize]
    }

    /// Whether two beads are exempt from clashing.
    #[inline]
    pub(super) fn exempt(&self, [a, b]: [u32; 2]) -> bool {
        self.own.is_some_and(|min_gap| self.first.necklace().exempt(a, b, min_gap))
    }
}
