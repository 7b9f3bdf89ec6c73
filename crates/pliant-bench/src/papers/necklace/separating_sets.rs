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

/// Of the pairs of the wrapped hierarchy those of two cages, neither of which is a single bead.
pub(crate) fn pairs_of_cages(necklace: &Necklace) -> usize {
    let wrapped = Wrapped::new(necklace.clone());
    let separation = separate_self(&wrapped, 2);
    let is_cage = |node: u32| wrapped.tree().children(node).is_some();
    separation.family().iter().filter(|pair| pair.iter().all(|&node| is_cage(node))).count()
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
