//! A tree of four children per node over triangles of a state, in `f32`, for one call.

use glam::{DVec3, Vec3};

use super::lanes::{FourTriangles, NOWHERE, Vectors};
use crate::body::Collide;
use crate::parallel::*;
use crate::tree::Tree;
use crate::volume::Volume as _;

/// Children of a node and triangles of a block: the lanes.
pub(super) const WIDTH: usize = 4;

/// The bit of a child that marks a block.
const BLOCK: u32 = 1 << 31;

/// A child that is not there.
const NONE: u32 = u32::MAX;

/// The size of a body and its distance from the origin for which triangles are prepared: squares and
/// their squares stay in range, and coordinates of `f64` are finer than the slack by far.
const SIZES: std::ops::RangeInclusive<f64> = 1e-50..=1e50;
const MOST_AWAY: f64 = 1e6;

/// A node: the boxes of its children and which they are.
pub(super) struct WideNode {
    pub(super) low: Vectors,
    pub(super) high: Vectors,
    pub(super) children: [ChildNumber; WIDTH],
}

/// A child in one number: of a node, or with the highest bit of a block.
pub(super) type ChildNumber = u32;

/// What a child is.
pub(super) enum Child {
    Node(u32),
    Block(u32),
}

impl Child {
    #[inline]
    pub(super) fn of(number: ChildNumber) -> Self {
        if number & BLOCK == 0 { Self::Node(number) } else { Self::Block(number & !BLOCK) }
    }
}

/// Up to four triangles and their numbers.
pub(super) struct Block {
    pub(super) lanes: FourTriangles,
    pub(super) triangles: [u32; WIDTH],
    low: Vec3,
    high: Vec3,
}

/// The triangles of a body in its state, in units in which they lie within -1 .. 1.
pub(super) struct WideTree {
    middle: DVec3,
    /// Units per length.
    pub(super) scale: f64,
    pub(super) nodes: Vec<WideNode>,
    pub(super) blocks: Vec<Block>,
}

/// A run of the tree's primitives, and the node that has them, if one has.
#[derive(Clone, Copy)]
struct Run {
    start: u32,
    count: u32,
    node: Option<u32>,
}

impl WideTree {
    /// Prepares the triangles of a body. Returns `None` for bodies without triangles, without size, too
    /// large or too small for the numbers, or too far from the origin for their size.
    pub(super) fn new<A: Collide>(body: &A) -> Option<Self> {
        let tree = body.tree();
        if tree.nodes.is_empty() || tree.primitives.is_empty() {
            return None;
        }
        let [low, high] = body.bound(0).bounding_box().corners();
        let (middle, half) = (0.5 * low + 0.5 * high, (0.5 * high - 0.5 * low).max_element());
        let largest = low.abs().max(high.abs()).max_element();
        if !SIZES.contains(&half) || largest > MOST_AWAY * half {
            return None;
        }
        let mut wide = Self { middle, scale: 1.0 / half, nodes: Vec::new(), blocks: Vec::new() };
        let runs = wide.place_nodes(tree);
        let block = |run: &Run| {
            wide.block(body, &tree.primitives[run.start as usize..][..run.count as usize])
        };
        wide.blocks = runs.par_iter().map(block).collect();
        wide.fit();
        Some(wide)
    }

    /// A place in the units of the tree.
    #[inline]
    pub(super) fn place(&self, point: DVec3) -> DVec3 {
        (point - self.middle) * self.scale
    }

    /// Makes nodes without boxes, children after parents, and returns the triangles of each block.
    fn place_nodes(&mut self, tree: &Tree) -> Vec<Run> {
        let owned = owned_runs(tree);
        let mut blocks = Vec::new();
        let mut waiting = vec![owned[0]];
        let mut made = 0;
        while made < waiting.len() {
            let runs = four_parts(tree, &owned, waiting[made]);
            made += 1;
            let mut children = [NONE; WIDTH];
            for (child, run) in children.iter_mut().zip(runs) {
                if run.count as usize <= WIDTH {
                    *child = BLOCK | blocks.len() as u32;
                    blocks.push(run);
                } else {
                    *child = waiting.len() as u32;
                    waiting.push(run);
                }
            }
            let nowhere = Vectors::splat(Vec3::splat(NOWHERE));
            self.nodes.push(WideNode { low: nowhere, high: nowhere, children });
        }
        blocks
    }

    fn block<A: Collide>(&self, body: &A, triangles: &[u32]) -> Block {
        let mut block = Block {
            lanes: FourTriangles::NONE,
            triangles: [NONE; WIDTH],
            low: Vec3::INFINITY,
            high: Vec3::NEG_INFINITY,
        };
        for (lane, &triangle) in triangles.iter().enumerate() {
            let corners = body.triangle(triangle).map(|corner| self.place(corner));
            block.lanes.set(lane, &corners);
            block.triangles[lane] = triangle;
            for corner in corners.map(|corner| corner.as_vec3()) {
                block.low = block.low.min(corner);
                block.high = block.high.max(corner);
            }
        }
        block
    }

    /// Fits the boxes, children before parents.
    fn fit(&mut self) {
        for number in (0..self.nodes.len()).rev() {
            for lane in 0..WIDTH {
                let child = self.nodes[number].children[lane];
                if child == NONE {
                    continue;
                }
                let (low, high) = match Child::of(child) {
                    Child::Block(block) => {
                        let block = &self.blocks[block as usize];
                        (block.low, block.high)
                    }
                    Child::Node(node) => self.nodes[node as usize].around(),
                };
                self.nodes[number].low.set(lane, low);
                self.nodes[number].high.set(lane, high);
            }
        }
    }
}

impl WideNode {
    /// The box around all children.
    fn around(&self) -> (Vec3, Vec3) {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for lane in (0..WIDTH).filter(|&lane| self.children[lane] != NONE) {
            (low, high) = (low.min(self.low.get(lane)), high.max(self.high.get(lane)));
        }
        (low, high)
    }
}

/// The run of primitives of each node.
fn owned_runs(tree: &Tree) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::with_capacity(tree.nodes.len());
    for (number, node) in (0..).zip(&tree.nodes) {
        let range = node.range();
        let count = if node.is_leaf() { node.count() } else { 0 };
        let start = if node.is_leaf() { range.start } else { u32::MAX };
        runs.push(Run { start, count, node: Some(number) });
    }
    for number in (0..tree.nodes.len()).rev() {
        if !tree.nodes[number].is_leaf() {
            for child in tree.nodes[number].range() {
                let Run { start, count, .. } = runs[child as usize];
                runs[number].start = runs[number].start.min(start);
                runs[number].count += count;
            }
        }
    }
    runs
}

/// Divides a run into at most four, along the tree as long as its nodes have few children: the largest
/// is divided first. A run of a block or less stays as it is.
fn four_parts(tree: &Tree, owned: &[Run], run: Run) -> Vec<Run> {
    let mut parts = vec![run];
    loop {
        let is_long = |part: &Run| part.count as usize > WIDTH;
        let longest =
            (0..parts.len()).filter(|&at| is_long(&parts[at])).max_by_key(|&at| parts[at].count);
        let Some(at) = longest else { return parts };
        let run = parts[at];
        let room = WIDTH + 1 - parts.len();
        let node = run.node.map(|node| tree.node(node)).filter(|node| !node.is_leaf());
        let pieces = match node {
            Some(node) if node.count() as usize <= WIDTH => node
                .range()
                .map(|child| owned[child as usize])
                .filter(|run| run.count > 0)
                .collect(),
            _ => halves(run),
        };
        if pieces.len() > room {
            return parts;
        }
        parts.splice(at..=at, pieces);
    }
}

/// Whole blocks, and the rest.
fn halves(Run { start, count, .. }: Run) -> Vec<Run> {
    let first = (count / 2).next_multiple_of(WIDTH as u32);
    vec![
        Run { start, count: first, node: None },
        Run { start: start + first, count: count - first, node: None },
    ]
}
