//! Putting a leaf into the tree, and taking it out.

use super::{DynamicBoxTree, Kind, NONE, Node};
use crate::volume::Aabb;

impl DynamicBoxTree {
    /// Puts a leaf beside another where areas grow little. Empty boxes stay outside.
    pub(super) fn link(&mut self, leaf: u32) {
        let Node { around, own, .. } = self.nodes[leaf as usize];
        if own.is_empty() {
            return;
        }
        if self.root == NONE {
            self.root = leaf;
            return;
        }
        let sibling = self.best_sibling(&around);
        let above = self.nodes[sibling as usize].parent;
        let parent = self.put(Node {
            around,
            own: Aabb::EMPTY,
            parent: above,
            kind: Kind::Inner([sibling, leaf], 0),
        });
        self.nodes[sibling as usize].parent = parent;
        self.nodes[leaf as usize].parent = parent;
        self.replace_child(above, sibling, parent);
        self.update_upward(parent);
    }

    /// Takes a leaf out of the tree; its node stays.
    pub(super) fn unlink(&mut self, leaf: u32) {
        let parent = std::mem::replace(&mut self.nodes[leaf as usize].parent, NONE);
        if self.root == leaf {
            self.root = NONE;
        }
        let Some(&Node { kind: Kind::Inner([a, b], _), parent: above, .. }) =
            self.nodes.get(parent as usize)
        else {
            return;
        };
        let sibling = if a == leaf { b } else { a };
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.nodes[parent as usize].kind = Kind::Free;
        self.free.push(parent);
        self.update_upward(above);
    }

    /// The leaf that is reached by descending to the child where the sum of the areas of inner nodes
    /// grows less. A leaf, so that the height of a subtree grows by one at most: then one rotation
    /// balances it.
    fn best_sibling(&self, around: &Aabb) -> u32 {
        let mut node = self.root;
        while let Kind::Inner(children, _) = self.nodes[node as usize].kind {
            let growth = children.map(|child| {
                let Node { around: own, kind, .. } = &self.nodes[child as usize];
                let merged = own.merge(around).half_area();
                if matches!(kind, Kind::Leaf(_)) { merged } else { merged - own.half_area() }
            });
            node = children[usize::from(growth[1] < growth[0])];
        }
        node
    }

    /// Makes `new` a child, or the root, in place of `old`.
    pub(super) fn replace_child(&mut self, above: u32, old: u32, new: u32) {
        match self.nodes.get_mut(above as usize) {
            Some(Node { kind: Kind::Inner(children, _), .. }) => {
                children[usize::from(children[1] == old)] = new;
            }
            _ => self.root = new,
        }
    }
}
