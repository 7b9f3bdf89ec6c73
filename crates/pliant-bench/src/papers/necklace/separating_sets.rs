//! Sizes of separating sets, and those that the paper gives.

use pliant::Necklace;
use pliant::necklace::{Cages as _, Layered, Wrapped, separate_self};
use pliant::volume::Overlap as _;

/// Pairs of cages that prove that all else is apart: wrapped, layered.
pub(crate) fn family_sizes(necklace: &Necklace) -> [usize; 2] {
    let wrapped = separate_self(&Wrapped::new(necklace.clone()), 2).family().len();
    let layered = separate_self(&Layered::new(necklace.clone()), 2).family().len();
    [wrapped, layered]
}

/// How much of its radius a bead has where neighbours must not touch.
const SMALLER: f64 = 0.5;

/// The set of the wrapped hierarchy as the paper may have counted it: beads are smaller, so that neighbours are apart
/// like all others, and every pair of cages that are apart counts, neighbours too. A straight chain of n beads
/// then has n - 1 pairs: the two halves of each node.
pub(crate) fn with_neighbours_apart(necklace: &Necklace) -> pliant::Result<usize> {
    let centers: Vec<_> = necklace.beads().iter().map(|bead| bead.center).collect();
    let radius = necklace.beads().first().map_or(1.0, |bead| bead.radius);
    let wrapped = Wrapped::new(Necklace::open(&centers, SMALLER * radius)?);
    let tree = wrapped.tree();
    let (mut apart, mut open) = (0, vec![[0, 0]]);
    while let Some([a, b]) = open.pop() {
        if a == b {
            let Some([c, d]) = tree.children(a) else { continue };
            open.extend([[c, c], [d, d], [c, d]]);
        } else if !wrapped.cage(a).overlaps(&wrapped.cage(b)) {
            apart += 1;
        } else {
            // The node with more beads is split.
            let beads = |node: u32| tree.nodes()[node as usize].beads();
            let [larger, other] = if beads(a) >= beads(b) { [a, b] } else { [b, a] };
            open.extend(tree.children(larger).into_iter().flatten().map(|child| [child, other]));
        }
    }
    Ok(apart)
}

/// The least number of pairs that any separating family has in the tree over a chain whose neighbours
/// touch, whatever its shape and whichever node is split.
///
/// Let a node have the children C and D; the last bead c of C touches the first bead d of D. A pair that
/// covers d and a bead x of C, not c, is a node that contains x and not c, and a node that contains d: cages with
/// c and d are not disjoint. The largest nodes below C without c are one per split on the way from C
/// to c, and no two of them have a common pair. The same holds for c and D: pairs there
/// contain c, so none counts twice. Pairs below C and D belong to this node alone.
pub(crate) fn least_if_neighbours_touch(necklace: &Necklace) -> usize {
    let layered = Layered::new(necklace.clone());
    let tree = layered.tree();
    let splits_on_the_way = |mut node: u32, side: usize| {
        let mut splits = 0;
        while let Some(children) = tree.children(node) {
            node = children[side];
            splits += 1;
        }
        splits
    };
    let (mut least, mut open) = (0, vec![0]);
    while let Some(node) = open.pop() {
        let Some([first, second]) = tree.children(node) else { continue };
        least += splits_on_the_way(first, 1) + splits_on_the_way(second, 0);
        open.extend([first, second]);
    }
    least
}

/// The paper's table 3: input, wrapped and layered set, edges of the power diagram, and
/// microseconds with the layered hierarchy; empty where it has no such input.
pub(crate) fn theirs(input: &str) -> [&'static str; 5] {
    match input {
        "grill" => ["grill 89", "293", "291", "264", "71"],
        "1hv4 backbone" => ["1a4yA0 1380", "2 759", "2 759", "8 500", "950"],
        "spline 10" => ["the same", "9", "9", "27", "2"],
        "spline 50" => ["the same", "52", "52", "147", "13"],
        "spline 100" => ["the same", "103", "101", "297", "26"],
        "static helix 10" => ["the same", "27", "27", "40", "7"],
        "static helix 640" | "helix 640" => ["static helix 640", "1 500", "1 500", "57 000", "360"],
        "static helix 10240" => ["the same", "11 000", "11 000", "", "3 000"],
        "scaling helix 10" => ["the same", "11", "11", "55", "3"],
        "scaling helix 640" => ["the same", "1 500", "1 500", "45 000", "450"],
        "scaling helix 10240" => ["the same", "47 000", "47 000", "", "11 000"],
        _ => [""; 5],
    }
}
