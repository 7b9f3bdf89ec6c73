//! The invariants of the tree.

use super::{DynamicBoxTree, Kind, NONE};
use crate::{Error, Result};

impl DynamicBoxTree {
    /// Checks every invariant: children know their parent, boxes contain those below, fat boxes their
    /// own, heights are right and those of siblings differ by at most one, and every node is free,
    /// in the tree, or a leaf with an empty box. Takes time linear in the size of the tree.
    ///
    /// # Errors
    /// [`Error::InvalidTree`] with a node that is wrong.
    pub fn check(&self) -> Result<()> {
        let fail = |node: u32, reason| Err(Error::InvalidTree { node: node as usize, reason });
        let mut visited = 0;
        let mut leaves = 0;
        let mut stack = Vec::new();
        if self.root != NONE {
            if self.nodes[self.root as usize].parent != NONE {
                return fail(self.root, "the root has a parent");
            }
            stack.push(self.root);
        }
        while let Some(number) = stack.pop() {
            visited += 1;
            let node = &self.nodes[number as usize];
            match node.kind {
                Kind::Free => return fail(number, "a free node is in the tree"),
                Kind::Leaf(_) if node.own.is_empty() || !node.around.contains(&node.own) => {
                    return fail(number, "a leaf's box is empty or leaves its fat box");
                }
                Kind::Leaf(_) => leaves += 1,
                Kind::Inner(children, height) => {
                    let heights = children.map(|child| self.height(child));
                    if height != 1 + heights[0].max(heights[1]) {
                        return fail(number, "its height is wrong");
                    }
                    if heights[0].abs_diff(heights[1]) > 1 {
                        return fail(number, "its children are out of balance");
                    }
                    for child in children {
                        let below = &self.nodes[child as usize];
                        if below.parent != number {
                            return fail(child, "it has another parent");
                        }
                        if !node.around.contains(&below.around) {
                            return fail(number, "a box below it is not inside its box");
                        }
                    }
                    stack.extend(children);
                }
            }
        }
        let outside = |kind: Kind, is_empty: bool| matches!(kind, Kind::Leaf(_)) && is_empty;
        let empty =
            self.nodes.iter().filter(|node| outside(node.kind, node.own.is_empty())).count();
        if leaves + empty != self.leaves {
            return fail(self.root, "boxes are missing");
        }
        let free = self.nodes.iter().filter(|node| node.kind == Kind::Free).count();
        if free != self.free.len() || visited + empty + free != self.nodes.len() {
            return fail(self.root, "nodes are lost");
        }
        Ok(())
    }
}
