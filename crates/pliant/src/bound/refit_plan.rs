//! The order in which a bottom-up refit visits a tree.

use std::ops::Range;

use crate::Mesh;
use crate::tree::{Node, Tree};

/// Places in a block fit into a byte: an index that cannot be out of range needs no check.
pub(super) const PLACES: usize = 256;

/// Nodes per segment. Their boxes (32 bytes each) stay in the second-level cache until the nodes above
/// the blocks are fitted. Segments are what threads share.
const SEGMENT: usize = 4096;

/// All nodes below one node: at most [`PLACES`], over at most as many vertices.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// The nodes, side by side. A place is a number in this range, counted from its start.
    pub(super) nodes: Range<u32>,
    /// The vertices, each once.
    pub(super) vertices: Range<u32>,
    /// In a plain tree: leaves side by side, then other leaves, then inner nodes.
    pub(super) leaf_pairs: Range<u32>,
    pub(super) leaves: Range<u32>,
    pub(super) inner: Range<u32>,
    /// In another tree: leaves with their triangles, then inner nodes.
    pub(super) wide_leaves: Range<u32>,
    pub(super) triangles: Range<u32>,
    pub(super) wide_inner: Range<u32>,
}

/// Two leaves side by side, of one triangle each, and their parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeafPair {
    /// The corners of both, as places among the block's vertices.
    pub(super) corners: [[u8; 3]; 2],
    /// The place of the first.
    pub(super) first: u8,
    pub(super) parent: u8,
}

/// A leaf of one triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub(super) corners: [u8; 3],
    pub(super) place: u8,
}

/// An inner node with two children.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inner {
    /// The place of the first child.
    pub(super) first: u8,
    pub(super) place: u8,
}

/// A leaf of any number of triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct WideLeaf {
    pub(super) place: u8,
    pub(super) triangles: u8,
}

/// An inner node with any number of children.
#[derive(Debug, Clone, Copy)]
pub(super) struct WideInner {
    pub(super) place: u8,
    pub(super) first: u8,
    pub(super) children: u8,
}

/// A node that is in no block.
#[derive(Debug, Clone)]
pub(super) struct Loose {
    pub(super) number: u32,
    /// The corners of its triangles, if it is a leaf.
    pub(super) triangles: Range<u32>,
}

/// A run of nodes, made of whole blocks and loose nodes.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) first_node: u32,
    pub(super) blocks: Range<usize>,
    /// The loose nodes below which all nodes are in the segment.
    pub(super) loose: Range<usize>,
}

/// The tree, rearranged for a refit without a branch that depends on the node.
///
/// Leaves and inner nodes alternate irregularly in a tree, and a branch on the kind is
/// mispredicted every few nodes. Here small subtrees are blocks. In a block come first the leaves
/// of which both children of a node consist, then the other leaves, then the inner nodes from the last
/// to the first. All are named by bytes.
///
/// A tree's nodes are in depth-first order with siblings side by side (see
/// [`build`](crate::tree::build)), so all nodes below a node are side by side. Of a tree in another
/// order all nodes are loose.
#[derive(Debug, Default)]
pub(super) struct RefitPlan {
    pub(super) blocks: Vec<Block>,
    pub(super) vertices: Vec<u32>,
    pub(super) leaf_pairs: Vec<LeafPair>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) inner: Vec<Inner>,
    pub(super) wide_leaves: Vec<WideLeaf>,
    pub(super) triangles: Vec<[u8; 3]>,
    pub(super) wide_inner: Vec<WideInner>,
    /// From the tree's end to its start.
    pub(super) segments: Vec<Segment>,
    /// The loose nodes of all segments, then those above them.
    pub(super) loose: Vec<Loose>,
    pub(super) above_segments: Range<usize>,
    pub(super) loose_triangles: Vec<[u32; 3]>,
    /// Whether every leaf has one triangle and every inner node two children.
    pub(super) plain: bool,
}

impl RefitPlan {
    pub(super) fn new(tree: &Tree, mesh: &Mesh) -> Self {
        let nodes = &tree.nodes;
        let one_and_two = |node: &Node| node.count() == if node.is_leaf() { 1 } else { 2 };
        let mut plan = Self { plain: nodes.iter().all(one_and_two), ..Self::default() };
        let below = counts_below(tree);
        let mut place_of_vertex = vec![u8::MAX; mesh.positions().len()];
        let mut seen_below = vec![u32::MAX; mesh.positions().len()];
        let mut loose = Vec::new();
        let mut stack = vec![0];
        while let Some(number) = stack.pop() {
            loose.push(number);
            let node = tree.node(number);
            if node.is_leaf() {
                continue;
            }
            let fits = below.as_ref().map(|below| below[number as usize] as usize);
            let run = node.range().start..node.range().start + fits.unwrap_or(0) as u32;
            if fits.is_some_and(|below| below <= PLACES)
                && has_few_vertices(tree, mesh, number, run.clone(), &mut seen_below)
            {
                plan.add(tree, mesh, run, &mut place_of_vertex);
            } else {
                // The first child last: blocks then ascend, and are turned around at the end.
                stack.extend(node.range().rev());
            }
        }
        plan.blocks.reverse();
        loose.sort_unstable_by(|a, b| b.cmp(a));
        plan.divide(tree, mesh, &loose);
        plan
    }

    /// Adds the block of a run of nodes: all below one node.
    fn add(&mut self, tree: &Tree, mesh: &Mesh, run: Range<u32>, place_of_vertex: &mut [u8]) {
        let before = self.lens();
        let place = |number: u32| (number - run.start) as u8;
        let is_leaf = |number: u32| tree.node(number).is_leaf();
        let vertices = &mut self.vertices;
        let mut corners_of = |triangle: u32| {
            mesh.triangles()[triangle as usize].map(|vertex| {
                let place = &mut place_of_vertex[vertex as usize];
                let known = before[0] as usize + usize::from(*place);
                if vertices.get(known) != Some(&vertex) {
                    *place = (vertices.len() - before[0] as usize) as u8;
                    vertices.push(vertex);
                }
                *place
            })
        };
        let only = |number: u32| tree.primitives[tree.node(number).range().start as usize];
        for number in run.clone().rev() {
            let node = tree.node(number);
            match (self.plain, node.is_leaf()) {
                (true, true) => {
                    // Leaves in pairs are taken with their parent, but for those right below the root.
                    let sibling = run.start + ((number - run.start) ^ 1);
                    if !is_leaf(sibling) || number < run.start + 2 {
                        self.leaves
                            .push(Leaf { corners: corners_of(only(number)), place: place(number) });
                    }
                }
                (true, false) => {
                    let first = node.range().start;
                    if is_leaf(first) && is_leaf(first + 1) {
                        let corners = [first, first + 1].map(|leaf| corners_of(only(leaf)));
                        let (first, parent) = (place(first), place(number));
                        self.leaf_pairs.push(LeafPair { corners, first, parent });
                    } else {
                        self.inner.push(Inner { first: place(first), place: place(number) });
                    }
                }
                (false, true) => {
                    let own = tree.leaf_primitives(node);
                    self.triangles.extend(own.iter().map(|&triangle| corners_of(triangle)));
                    let triangles = own.len() as u8;
                    self.wide_leaves.push(WideLeaf { place: place(number), triangles });
                }
                (false, false) => {
                    let (first, children) = (place(node.range().start), node.count() as u8);
                    self.wide_inner.push(WideInner { place: place(number), first, children });
                }
            }
        }
        let after = self.lens();
        let [vertices, leaf_pairs, leaves, inner, wide_leaves, triangles, wide_inner] =
            [0, 1, 2, 3, 4, 5, 6].map(|list| before[list]..after[list]);
        let nodes = run;
        self.blocks.push(Block {
            nodes,
            vertices,
            leaf_pairs,
            leaves,
            inner,
            wide_leaves,
            triangles,
            wide_inner,
        });
    }

    fn lens(&self) -> [u32; 7] {
        let Self { vertices, leaf_pairs, leaves, inner, .. } = self;
        let Self { wide_leaves, triangles, wide_inner, .. } = self;
        let [a, b, c, d] = [vertices.len(), leaf_pairs.len(), leaves.len(), inner.len()];
        let [e, f, g] = [wide_leaves.len(), triangles.len(), wide_inner.len()];
        [a, b, c, d, e, f, g].map(|len| len as u32)
    }

    /// Divides blocks and loose nodes, both from the last to the first, into segments.
    fn divide(&mut self, tree: &Tree, mesh: &Mesh, loose: &[u32]) {
        let mut end = tree.nodes.len() as u32;
        let mut first_block = 0;
        let mut is_known = vec![false; tree.nodes.len()];
        let mut above = Vec::new();
        let mut loose = loose.iter().copied().peekable();
        while end > 0 {
            // Up to the end of the next block: whole blocks with the loose nodes before them.
            let mut last_block = first_block;
            let mut start = end;
            while start > 0 && (end - start) < SEGMENT as u32 {
                last_block = (last_block + 1).min(self.blocks.len());
                start = self.blocks.get(last_block).map_or(0, |block| block.nodes.end);
            }
            let before = self.loose.len();
            for block in &self.blocks[first_block..last_block] {
                is_known[block.nodes.start as usize..block.nodes.end as usize].fill(true);
            }
            while let Some(number) = loose.next_if(|&number| number >= start) {
                let node = tree.node(number);
                let known = |child: u32| child < end && is_known[child as usize];
                if node.is_leaf() || node.range().all(known) {
                    is_known[number as usize] = true;
                    let loose = self.loosen(tree, mesh, number);
                    self.loose.push(loose);
                } else {
                    above.push(number);
                }
            }
            self.segments.push(Segment {
                first_node: start,
                blocks: first_block..last_block,
                loose: before..self.loose.len(),
            });
            (end, first_block) = (start, last_block);
        }
        let before = self.loose.len();
        for number in above {
            let loose = self.loosen(tree, mesh, number);
            self.loose.push(loose);
        }
        self.above_segments = before..self.loose.len();
    }

    fn loosen(&mut self, tree: &Tree, mesh: &Mesh, number: u32) -> Loose {
        let before = self.loose_triangles.len() as u32;
        let own = tree.leaf_primitives(tree.node(number)).iter();
        self.loose_triangles.extend(own.map(|&triangle| mesh.triangles()[triangle as usize]));
        Loose { number, triangles: before..self.loose_triangles.len() as u32 }
    }
}

/// How many nodes are below each node; `None` unless the nodes below every node are side by side, first
/// those below its first child.
fn counts_below(tree: &Tree) -> Option<Vec<u32>> {
    let mut below = vec![0; tree.nodes.len()];
    for (number, node) in tree.nodes.iter().enumerate().rev() {
        if node.is_leaf() {
            continue;
        }
        let mut next = node.range().end;
        for child in node.range() {
            let of_child = tree.node(child);
            if !of_child.is_leaf() && of_child.range().start != next {
                return None;
            }
            next += below[child as usize];
        }
        below[number] = next - node.range().start;
    }
    Some(below)
}

/// Whether the run of nodes below a node has so few triangles per leaf and so few vertices that bytes can
/// count them. `seen_below` has for each vertex the last node below which it was counted.
fn has_few_vertices(
    tree: &Tree,
    mesh: &Mesh,
    number: u32,
    run: Range<u32>,
    seen_below: &mut [u32],
) -> bool {
    let mut vertices = 0;
    for node in &tree.nodes[run.start as usize..run.end as usize] {
        let own = tree.leaf_primitives(*node);
        if own.len() > u8::MAX as usize {
            return false;
        }
        for vertex in own.iter().flat_map(|&triangle| mesh.triangles()[triangle as usize]) {
            let seen = &mut seen_below[vertex as usize];
            vertices += usize::from(*seen != number);
            *seen = number;
        }
    }
    vertices <= PLACES
}
