//! Which features are due in a part of a step.
//!
//! A step is divided until what strays in it is near its chords. What strays little needs no division.
//! So a long step and its parts share the work: a vertex is *due* in the longest step in which it strays
//! by no more than a distance. Each pair of features is looked at when both are due, or one is and the
//! other was before, and in no part of that step.

use crate::Mesh;
use crate::tree::Tree;

/// Was looked at in a longer step.
const PAST: u8 = 0;
/// Is looked at in this step.
const NOW: u8 = 1;
/// Will be in a part of it.
const LATER: u8 = 2;

/// For each vertex whether it is past, due now or later, and the first and the last of these below each
/// node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Due {
    vertices: Vec<u8>,
    nodes: Vec<[u8; 2]>,
}

impl Due {
    /// What is past is not now.
    pub(super) fn new(
        (mesh, tree): (&Mesh, &Tree),
        is_past: impl Fn(u32) -> bool,
        is_now: impl Fn(u32) -> bool,
    ) -> Self {
        let class = |vertex: u32| match (is_past(vertex), is_now(vertex)) {
            (true, _) => PAST,
            (false, true) => NOW,
            (false, false) => LATER,
        };
        let vertices: Vec<u8> = (0..mesh.positions().len() as u32).map(class).collect();
        // Children come after their parents.
        let mut nodes = vec![[LATER, PAST]; tree.nodes.len()];
        for number in (0..nodes.len()).rev() {
            let node = tree.node(number as u32);
            let mut own = nodes[number];
            let mut add = |first: u8, last: u8| own = [own[0].min(first), own[1].max(last)];
            if node.is_leaf() {
                for &triangle in tree.leaf_primitives(node) {
                    for vertex in mesh.triangles()[triangle as usize] {
                        add(vertices[vertex as usize], vertices[vertex as usize]);
                    }
                }
            } else {
                for child in node.range() {
                    let [first, last] = nodes[child as usize];
                    add(first, last);
                }
            }
            nodes[number] = own;
        }
        Self { vertices, nodes }
    }

    /// Whether this many vertices fit a mesh and its tree.
    pub(super) fn is_of(&self, mesh: &Mesh, tree: &Tree) -> bool {
        self.vertices.len() == mesh.positions().len() && self.nodes.len() == tree.nodes.len()
    }

    /// The first and the last among vertices.
    #[inline]
    fn range(&self, vertices: &[u32]) -> [u8; 2] {
        let classes = vertices.iter().map(|&vertex| self.vertices[vertex as usize]);
        classes.fold([LATER, PAST], |[first, last], class| [first.min(class), last.max(class)])
    }
}

/// Whether a pair of features with these vertices is looked at.
#[inline]
pub(super) fn are_due(due: [Option<&Due>; 2], features: [&[u32]; 2]) -> bool {
    let last = |side: usize| due[side].map_or(NOW, |due| due.range(features[side])[1]);
    last(0).max(last(1)) == NOW
}

/// Whether any features of two triangles may be.
#[inline]
pub(super) fn may_be_due(due: [Option<&Due>; 2], triangles: [&[u32]; 2]) -> bool {
    let range = |side: usize| due[side].map_or([NOW; 2], |due| due.range(triangles[side]));
    some_now(range(0), range(1))
}

/// Whether any features of two bodies may be.
pub(super) fn bodies_may_be_due(due: [Option<&Due>; 2]) -> bool {
    let range = |side: usize| due[side].map_or([NOW; 2], |due| due.nodes[0]);
    some_now(range(0), range(1))
}

/// Whether any features below two nodes of one body may be.
#[inline]
pub(super) fn nodes_may_be_due(due: &Due, [a, b]: [u32; 2]) -> bool {
    some_now(due.nodes[a as usize], due.nodes[b as usize])
}

/// Whether something below a node is now or later.
#[inline]
pub(super) fn is_active(due: &Due, node: u32) -> bool {
    due.nodes[node as usize][1] > PAST
}

#[inline]
fn some_now([first, last]: [u8; 2], [other_first, other_last]: [u8; 2]) -> bool {
    last.max(other_last) >= NOW && first.max(other_first) <= NOW
}
