//! Rotations that keep siblings of similar height.

use super::{DynamicBoxTree, Kind, NONE};

impl DynamicBoxTree {
    /// Balances and refits a node and all above it.
    pub(super) fn update_upward(&mut self, mut node: u32) {
        while node != NONE {
            node = self.balanced(node);
            self.refit(node);
            node = self.nodes[node as usize].parent;
        }
    }

    /// Sets box and height of an inner node from its children.
    fn refit(&mut self, node: u32) {
        if let Kind::Inner([a, b], _) = self.nodes[node as usize].kind {
            let height = 1 + self.height(a).max(self.height(b));
            let around = self.nodes[a as usize].around.merge(&self.nodes[b as usize].around);
            let node = &mut self.nodes[node as usize];
            node.kind = Kind::Inner([a, b], height);
            node.around = around;
        }
    }

    /// Rotates a node whose children differ in height by two or more. Returns the node that is in its
    /// place then.
    ///
    /// The higher child takes the place of the node. Of its own children it keeps the higher one;
    /// of two equal ones the one that leaves the other parent smaller.
    fn balanced(&mut self, node: u32) -> u32 {
        let Kind::Inner(children, _) = self.nodes[node as usize].kind else { return node };
        let heights = children.map(|child| self.height(child));
        if heights[0].abs_diff(heights[1]) < 2 {
            return node;
        }
        let side = usize::from(heights[1] > heights[0]);
        let (up, stays) = (children[side], children[1 - side]);
        let Kind::Inner(grandchildren, _) = self.nodes[up as usize].kind else { return node };
        let [first, second] = grandchildren;
        let area_with_stays = |child: u32| {
            let around = &self.nodes[child as usize].around;
            around.merge(&self.nodes[stays as usize].around).half_area()
        };
        let keeps_first = match self.height(first).cmp(&self.height(second)) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => area_with_stays(second) <= area_with_stays(first),
        };
        let (kept, given) = if keeps_first { (first, second) } else { (second, first) };
        let above = self.nodes[node as usize].parent;
        self.nodes[up as usize].parent = above;
        self.replace_child(above, node, up);
        self.nodes[up as usize].kind = Kind::Inner([node, kept], 0);
        self.nodes[node as usize].parent = up;
        self.nodes[node as usize].kind = Kind::Inner([stays, given], 0);
        self.nodes[given as usize].parent = node;
        self.refit(node);
        self.refit(up);
        up
    }
}
