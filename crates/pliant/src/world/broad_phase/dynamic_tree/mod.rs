//! A tree of boxes that come, go and move.

mod balance;
mod check;
mod insert;
mod phase;

pub use phase::DynamicTree;

use super::solid::solid;
use super::{BoxIndex, Probe};
use crate::query::Work;
use crate::tree::{BuildSettings, build, node_boxes};
use crate::volume::Aabb;

/// No node.
const NONE: u32 = u32::MAX;

/// A binary tree of boxes that can be inserted, removed and moved.
///
/// A leaf has a fat box around its own: a box that moves within it changes nothing in the tree. One
/// that leaves it is taken out and inserted again. Subtrees of siblings differ in height by one at
/// most (Adelson-Velsky and Landis 1962), so that the depth stays within 1.45 log2 n.
///
/// ```
/// use pliant::{glam::DVec3, volume::Aabb, world::{BoxIndex, DynamicBoxTree, Probe}};
/// let unit = |x: f64| Aabb::around([DVec3::X * x, DVec3::X * x + DVec3::ONE]);
/// let mut tree = DynamicBoxTree::new();
/// let leaf = tree.insert(unit(0.0), 7);
/// tree.insert(unit(5.0), 8);
/// tree.set(leaf, unit(5.5));
/// assert_eq!(tree.found(&Probe::overlapping(unit(5.9))), [7, 8]);
/// tree.remove(leaf);
/// assert_eq!(tree.found(&Probe::overlapping(unit(5.9))), [8]);
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DynamicBoxTree {
    nodes: Vec<Node>,
    root: u32,
    /// Nodes that are free, the last to be used first.
    free: Vec<u32>,
    leaves: usize,
}

/// A box in a [`DynamicBoxTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Leaf(u32);

#[derive(Debug, Clone, Copy)]
struct Node {
    /// Around all below; for a leaf the fat box.
    around: Aabb,
    /// For a leaf: its own box. Empty boxes stay outside the tree, as leaves without a parent.
    own: Aabb,
    parent: u32,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Free,
    /// With the caller's number.
    Leaf(u32),
    /// Its children, and the number of edges to the deepest leaf below.
    Inner([u32; 2], u32),
}

/// How far a fat box reaches past its own, in sides of the box: room for a few steps of small motion.
const MARGIN: f32 = 0.1;

fn fat(own: &Aabb) -> Aabb {
    let margin = MARGIN * (own.max - own.min);
    let fat = Aabb { min: own.min - margin, max: own.max + margin };
    // Where an infinite side makes a NaN the box keeps what it has.
    if fat.contains(own) { fat } else { *own }
}

impl Default for DynamicBoxTree {
    fn default() -> Self {
        Self::new()
    }
}

impl DynamicBoxTree {
    /// A tree without boxes.
    #[must_use]
    pub fn new() -> Self {
        Self { nodes: Vec::new(), root: NONE, free: Vec::new(), leaves: 0 }
    }

    /// A tree of many boxes, numbered from 0; their leaves are in the same order. Faster than
    /// inserting one after the other.
    #[must_use]
    pub fn of(boxes: &[Aabb]) -> (Self, Vec<Leaf>) {
        let mut tree = Self::new();
        let leaves: Vec<Leaf> =
            (0..).zip(boxes).map(|(number, volume)| tree.leaf(*volume, number)).collect();
        let solid: Vec<u32> =
            (0..).zip(boxes).filter(|(_, own)| !own.is_empty()).map(|(number, _)| number).collect();
        let fats: Vec<Aabb> =
            solid.iter().map(|&number| tree.nodes[number as usize].around).collect();
        let Ok(topology) = build(&fats, &BuildSettings::BALANCED) else { return (tree, leaves) };
        let around = node_boxes(&topology, &fats).unwrap_or_default();
        // A node of the topology is a leaf that exists, or an inner node made here.
        let mut made = vec![NONE; topology.nodes.len()];
        for (number, node) in topology.nodes.iter().enumerate().rev() {
            if let &[place] = topology.leaf_primitives(*node) {
                made[number] = solid[place as usize];
                continue;
            }
            let first = node.range().start as usize;
            let children = [made[first], made[first + 1]];
            let height =
                1 + children.map(|child| tree.height(child)).into_iter().max().unwrap_or(0);
            made[number] = tree.put(Node {
                around: around[number],
                own: Aabb::EMPTY,
                parent: NONE,
                kind: Kind::Inner(children, height),
            });
            for child in children {
                tree.nodes[child as usize].parent = made[number];
            }
        }
        tree.root = made[0];
        (tree, leaves)
    }

    /// How many boxes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.leaves
    }

    /// Whether there is no box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.leaves == 0
    }

    /// Adds a box with a number of the caller's choice, which queries report.
    pub fn insert(&mut self, volume: Aabb, number: u32) -> Leaf {
        let leaf = self.leaf(volume, number);
        self.link(leaf.0);
        leaf
    }

    /// Takes a box out. Returns its number, `None` if the leaf is not of this tree or was removed.
    /// Leaves of boxes that are inserted later may be equal to it.
    pub fn remove(&mut self, leaf: Leaf) -> Option<u32> {
        let number = self.number(leaf)?;
        self.unlink(leaf.0);
        self.nodes[leaf.0 as usize].kind = Kind::Free;
        self.free.push(leaf.0);
        self.leaves -= 1;
        Some(number)
    }

    /// Sets the box of a leaf. Returns whether the tree changed: it does not while the box stays
    /// inside its fat box. Nothing happens if the leaf is not of this tree.
    pub fn set(&mut self, leaf: Leaf, volume: Aabb) -> bool {
        if self.number(leaf).is_none() {
            return false;
        }
        let own = solid(&volume).unwrap_or(Aabb::EMPTY);
        let node = &mut self.nodes[leaf.0 as usize];
        let was_empty = std::mem::replace(&mut node.own, own).is_empty();
        if was_empty == own.is_empty() && (was_empty || node.around.contains(&own)) {
            return false;
        }
        self.unlink(leaf.0);
        self.nodes[leaf.0 as usize].around = fat(&own);
        self.link(leaf.0);
        true
    }

    /// The number of a leaf.
    #[must_use]
    pub fn number(&self, leaf: Leaf) -> Option<u32> {
        match self.nodes.get(leaf.0 as usize)?.kind {
            Kind::Leaf(number) => Some(number),
            _ => None,
        }
    }

    /// Makes a leaf that is not in the tree yet.
    fn leaf(&mut self, volume: Aabb, number: u32) -> Leaf {
        let own = solid(&volume).unwrap_or(Aabb::EMPTY);
        self.leaves += 1;
        Leaf(self.put(Node { around: fat(&own), own, parent: NONE, kind: Kind::Leaf(number) }))
    }

    fn put(&mut self, node: Node) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.nodes[place as usize] = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    fn height(&self, node: u32) -> u32 {
        match self.nodes[node as usize].kind {
            Kind::Inner(_, height) => height,
            _ => 0,
        }
    }

    /// Calls `found` with every number and box that may be met, and asks `meets` for nodes.
    fn visit(&self, mut meets: impl FnMut(&Aabb) -> bool, mut found: impl FnMut(u32, &Aabb)) {
        let mut stack = Vec::with_capacity(64);
        stack.extend((self.root != NONE).then_some(self.root));
        while let Some(node) = stack.pop() {
            let node = &self.nodes[node as usize];
            match node.kind {
                _ if !meets(&node.around) => {}
                Kind::Inner(children, _) => stack.extend(children),
                Kind::Leaf(number) => found(number, &node.own),
                Kind::Free => {}
            }
        }
    }
}

impl BoxIndex for DynamicBoxTree {
    fn find(&self, probe: &Probe, work: &mut Work, hits: &mut Vec<u32>) {
        hits.clear();
        let (mut nodes, mut leaves) = (0, 0);
        self.visit(
            |around| {
                nodes += 1;
                probe.meets(around)
            },
            |number, own| {
                leaves += 1;
                if probe.meets(own) {
                    hits.push(number);
                }
            },
        );
        work.overlap_tests += nodes + leaves;
        hits.sort_unstable();
    }
}
