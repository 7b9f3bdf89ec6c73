//! Growing a tree by dividing boxes into several parts at a time.

use glam::Vec3A;

use super::box_tree::LEAF_SIZE;
use crate::tree::{Node, Tree};
use crate::volume::Aabb;

/// A box and its place. Coordinates are finite: [`Item::REACH`] at most. The tree takes only the
/// order from it, so that this costs nothing but quality, and that beyond 2e37.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) volume: Aabb,
    pub(super) place: u32,
}

impl Item {
    /// Sums and differences of two such numbers are finite.
    const REACH: Vec3A = Vec3A::splat((1_u128 << 124) as f32);

    fn new(place: u32, volume: &Aabb) -> Self {
        let pull = |v: Vec3A| v.max(-Self::REACH).min(Self::REACH);
        Self { volume: Aabb { min: pull(volume.min), max: pull(volume.max) }, place }
    }

    /// Twice its middle.
    #[inline]
    pub(super) fn middle(&self) -> Vec3A {
        self.volume.doubled_center()
    }
}

/// Grows a tree over boxes. `divide` reorders more than [`LEAF_SIZE`] items and returns the lengths of
/// the parts, each with the state that its own division gets. Parts may be empty. If all items are in
/// one part, they are halved in their order.
pub(super) fn grow<S: Copy>(
    boxes: &[Aabb],
    state: S,
    mut divide: impl FnMut(&mut [Item], S, &mut Vec<(usize, S)>),
) -> Tree {
    let mut items: Vec<Item> =
        (0..).zip(boxes).map(|(place, volume)| Item::new(place, volume)).collect();
    let mut nodes = vec![Node::leaf(0, items.len() as u32)];
    let mut stack = vec![(0, 0..items.len(), state)];
    let mut parts = Vec::new();
    while let Some((node, range, state)) = stack.pop() {
        if range.len() <= LEAF_SIZE {
            nodes[node] = Node::leaf(range.start as u32, range.len() as u32);
            continue;
        }
        parts.clear();
        divide(&mut items[range.clone()], state, &mut parts);
        parts.retain(|&(length, _)| length > 0);
        if parts.len() < 2 {
            let half = range.len() / 2;
            parts.clear();
            parts.extend([(half, state), (range.len() - half, state)]);
        }
        let first = nodes.len();
        nodes[node] = Node::inner(first as u32, parts.len() as u32);
        let mut start = range.start;
        for (child, &(length, state)) in (first..).zip(&parts) {
            nodes.push(Node::leaf(start as u32, length as u32));
            stack.push((child, start..start + length, state));
            start += length;
        }
    }
    Tree { nodes, primitives: items.iter().map(|item| item.place).collect() }
}
