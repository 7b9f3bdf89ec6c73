//! A tree whose primitives come and go: some leaves lose or gain primitives, all else stays as it is.

use super::{Node, Tree};

/// No node, and no primitive.
pub(crate) const NONE: u32 = u32::MAX;

/// A tree after an edit, and where its nodes come from.
#[derive(Debug)]
pub(crate) struct EditedTree {
    pub(crate) tree: Tree,
    /// The node of the old tree whose place a node has, or [`NONE`] if it is new.
    pub(crate) from: Vec<u32>,
    /// The nodes that are new, or whose primitives or children are others than before.
    pub(crate) changed: Vec<u32>,
}

/// What stands where in the new tree.
#[derive(Debug, Clone, Copy)]
enum Item {
    /// A node of the old tree.
    Old(u32),
    /// New leaves beside what is left of an old one: a range of `parts`, not empty.
    Parts { from: u32, start: usize, end: usize },
}

/// Removes primitives and inserts others.
///
/// `renumbered` has the new number of every old primitive, [`NONE`] for those that go. `inserted` has the new
/// ones, each with the leaf of the old tree beside which it comes. All numbers together must be
/// `0 .. n`. A leaf that loses all its primitives goes, and a node with one child left goes too. A primitive
/// that comes gets a leaf of its own; many beside one leaf are halved, again and again.
///
/// Returns `None` if no primitive is left.
pub(crate) fn edit(tree: &Tree, renumbered: &[u32], inserted: &[(u32, u32)]) -> Option<EditedTree> {
    let mut inserted = inserted.to_vec();
    inserted.sort_unstable();
    let comes_to = |leaf: u32| {
        let start = inserted.partition_point(|&(other, _)| other < leaf);
        let end = inserted.partition_point(|&(other, _)| other <= leaf);
        &inserted[start..end]
    };
    let stays = |leaf: Node| {
        let all = tree.leaf_primitives(leaf).iter();
        all.map(|&primitive| renumbered[primitive as usize]).filter(|&number| number != NONE)
    };
    // The node that takes the place of each: itself, or the only child that is left.
    let mut stands_for = vec![NONE; tree.nodes.len()];
    for number in (0..tree.nodes.len() as u32).rev() {
        let node = tree.node(number);
        stands_for[number as usize] = if node.is_leaf() {
            let is_left = stays(node).next().is_some() || !comes_to(number).is_empty();
            if is_left { number } else { NONE }
        } else {
            let mut left = node.range().map(|child| stands_for[child as usize]);
            let first = left.find(|&child| child != NONE);
            let other = left.find(|&child| child != NONE);
            first.map_or(NONE, |first| if other.is_some() { number } else { first })
        };
    }
    let root = stands_for.first().copied().filter(|&root| root != NONE)?;
    let empty = Node::leaf(0, 0);
    let mut made = EditedTree {
        tree: Tree { nodes: vec![empty], primitives: Vec::with_capacity(tree.primitives.len()) },
        from: vec![NONE],
        changed: Vec::new(),
    };
    // Primitives, leaf by leaf, of leaves that gain some: what stays is one run, each new one another.
    let mut parts: Vec<Vec<u32>> = Vec::new();
    let mut open = vec![(Item::Old(root), 0_u32)];
    // Depth first, so that every node owns a run of primitives; the first child is on top.
    while let Some((item, place)) = open.pop() {
        let (old, items) = match item {
            Item::Old(old) if tree.node(old).is_leaf() => {
                let node = tree.node(old);
                let kept: Vec<u32> = stays(node).collect();
                let is_same = kept.len() == node.count() as usize;
                let new = comes_to(old);
                if !new.is_empty() {
                    let start = parts.len();
                    parts.extend((!kept.is_empty()).then_some(kept));
                    parts.extend(new.iter().map(|&(_, primitive)| vec![primitive]));
                    open.push((Item::Parts { from: old, start, end: parts.len() }, place));
                    continue;
                }
                if !is_same {
                    made.changed.push(place);
                }
                made.leaf(place, old, &kept);
                continue;
            }
            Item::Old(old) => {
                let children = tree.node(old).range();
                let places = children.clone().map(|child| stands_for[child as usize]);
                if !children.eq(places.clone()) {
                    made.changed.push(place);
                }
                (old, places.filter(|&child| child != NONE).map(Item::Old).collect::<Vec<_>>())
            }
            Item::Parts { from, start, end } => {
                made.changed.push(place);
                if end - start == 1 {
                    made.leaf(place, from, &parts[start]);
                    continue;
                }
                let middle = start + (end - start) / 2;
                let half = |start, end| Item::Parts { from: NONE, start, end };
                (from, vec![half(start, middle), half(middle, end)])
            }
        };
        let first = made.tree.nodes.len() as u32;
        made.tree.nodes[place as usize] = Node::inner(first, items.len() as u32);
        made.from[place as usize] = old;
        made.tree.nodes.resize(made.tree.nodes.len() + items.len(), empty);
        made.from.resize(made.tree.nodes.len(), NONE);
        let below = first..first + items.len() as u32;
        open.extend(items.into_iter().zip(below).rev());
    }
    Some(made)
}

impl EditedTree {
    fn leaf(&mut self, place: u32, from: u32, primitives: &[u32]) {
        let first = self.tree.primitives.len() as u32;
        self.tree.primitives.extend(primitives);
        self.tree.nodes[place as usize] = Node::leaf(first, primitives.len() as u32);
        self.from[place as usize] = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::{BuildSettings, build_over_mesh, validate};
    use proptest::prelude::*;

    proptest! {
        /// The tree stays valid, holds what is left and what came, and nodes that are not called
        /// changed have the primitives that they had.
        #[test]
        fn a_tree_stays_valid(
            goes in proptest::collection::vec(any::<bool>(), 32),
            comes in proptest::collection::vec(0_u32..1000, 0..9),
            wide in any::<bool>(),
        ) {
            let mesh = bumpy_sheet(4, 0.3);
            let mut settings = if wide { BuildSettings::WIDE } else { BuildSettings::default() };
            settings.leaf_size = 2;
            let tree = build_over_mesh(&mesh, &settings).unwrap();
            let mut left = 0..;
            let renumbered: Vec<u32> = (0..tree.primitives.len())
                .map(|p| if goes[p % 32] { NONE } else { left.next().unwrap() })
                .collect();
            let leaves: Vec<u32> =
                (0..).zip(&tree.nodes).filter(|(_, n)| n.is_leaf()).map(|(n, _)| n).collect();
            let inserted: Vec<(u32, u32)> =
                comes.iter().map(|&at| (leaves[at as usize % leaves.len()], left.next().unwrap())).collect();
            let Some(edited) = edit(&tree, &renumbered, &inserted) else {
                prop_assert_eq!(left.next(), Some(0));
                return Ok(());
            };
            validate(&edited.tree).unwrap();
            prop_assert_eq!(edited.tree.primitives.len() as u32, left.next().unwrap());
            prop_assert_eq!(edited.from.len(), edited.tree.nodes.len());
            for (number, &node) in (0u32..).zip(&edited.tree.nodes) {
                let from = edited.from[number as usize];
                if edited.changed.contains(&number) {
                    continue;
                }
                prop_assert!(from != NONE);
                let old = tree.node(from);
                prop_assert_eq!((old.is_leaf(), old.count()), (node.is_leaf(), node.count()));
                if node.is_leaf() {
                    let before = tree.leaf_primitives(old).iter().map(|&p| renumbered[p as usize]);
                    prop_assert!(before.eq(edited.tree.leaf_primitives(node).iter().copied()));
                } else {
                    let before = node.range().map(|child| edited.from[child as usize]);
                    prop_assert!(before.eq(old.range()));
                }
            }
        }
    }

    #[test]
    fn nothing_changes_where_nothing_comes_or_goes() {
        let tree = build_over_mesh(&bumpy_sheet(4, 0.3), &BuildSettings::default()).unwrap();
        let all: Vec<u32> = (0..tree.primitives.len() as u32).collect();
        let edited = edit(&tree, &all, &[]).unwrap();
        assert!(edited.changed.is_empty());
        assert_eq!(edited.tree.nodes.len(), tree.nodes.len());
        assert!(edit(&tree, &vec![NONE; all.len()], &[]).is_none());
    }
}
