//! Small subtrees, whose boxes are fitted together when the first of them is asked for.
//!
//! Deep in a tree a box from joints or coordinates costs more than the vertices below it, and is looser.
//! The test of the triangles needs the vertices anyway. So the largest subtrees of few triangles are
//! each fitted at once around their vertices, from the leaves up, by loops without branches over lists
//! that were prepared beforehand.

use std::ops::Range;

use glam::{DVec3, Vec3A};

use super::FewTriangles;
use crate::Mesh;
use crate::memo::Memo;
use crate::tree::{Node, Tree, primitive_runs};
use crate::volume::Aabb;

/// The largest number of triangles of a small subtree.
///
/// More triangles save bounds in contact. Fewer spare a ray vertices that it does not need: with
/// this many it moves less than 1 % of those of a large character.
const MAX_TRIANGLES: usize = 24;

/// Places in a subtree fit into a byte.
const MAX_NODES: usize = 64;
const MAX_CORNERS: usize = 3 * MAX_TRIANGLES;
const _: () = assert!(2 * MAX_TRIANGLES <= MAX_NODES && MAX_CORNERS < u8::MAX as usize);

/// The small subtrees of a tree over a mesh.
#[derive(Debug, Clone, Default)]
pub(super) struct SmallSubtrees {
    /// The subtree of each node. For a node just above a subtree, its number and [`OUTSIDE`]. For other
    /// nodes above subtrees, [`ABOVE`].
    of_node: Vec<u32>,
    subtrees: Vec<Subtree>,
    /// The nodes of each subtree by descending number: children stand side by side, and before
    /// their parents.
    nodes: Vec<u32>,
    /// The vertices of each subtree, each once.
    vertices: Vec<u32>,
    leaves: Vec<Leaf>,
    /// Corners of the leaves' triangles, as places among the vertices of the subtree.
    triangles: Vec<[u8; 3]>,
    /// The numbers of these triangles in the mesh.
    numbers: Vec<u32>,
    /// Children before parents.
    inner: Vec<Inner>,
    /// Whether every leaf has one triangle and every inner node two children.
    plain: bool,
}

const ABOVE: u32 = u32::MAX;
const OUTSIDE: u32 = 1 << 31;

/// The ranges of one subtree in the lists.
#[derive(Debug, Clone)]
struct Subtree {
    nodes: Range<u32>,
    vertices: Range<u32>,
    leaves: Range<u32>,
    triangles: Range<u32>,
    inner: Range<u32>,
}

#[derive(Debug, Clone)]
struct Leaf {
    /// Its place among the nodes of the subtree.
    place: u8,
    triangles: u8,
}

#[derive(Debug, Clone)]
struct Inner {
    place: u8,
    /// The places of its children.
    children: Range<u8>,
}

impl SmallSubtrees {
    /// The largest subtrees of at most [`MAX_TRIANGLES`] triangles.
    pub(super) fn new(tree: &Tree, mesh: &Mesh) -> Self {
        Self::with_roots(tree, mesh.triangles(), mesh.positions().len(), true)
    }

    /// The same without their topmost nodes, unless these are leaves. For tight bounds: the bound of the
    /// topmost node often tells that nothing below it is needed. Corners of triangles may be replaced by other
    /// vertices that always have the same position.
    pub(super) fn below_roots(tree: &Tree, triangles: &[[u32; 3]], vertices: usize) -> Self {
        Self::with_roots(tree, triangles, vertices, false)
    }

    fn with_roots(tree: &Tree, triangles: &[[u32; 3]], vertices: usize, with_roots: bool) -> Self {
        let plain = |node: &Node| node.count() == if node.is_leaf() { 1 } else { 2 };
        let mut made = Self {
            of_node: vec![ABOVE; tree.nodes.len()],
            plain: tree.nodes.iter().all(plain),
            ..Self::default()
        };
        let runs = primitive_runs(tree);
        let few = |node: usize| !runs[node].is_empty() && runs[node].len() <= MAX_TRIANGLES;
        let mut place_of_vertex = vec![u8::MAX; vertices];
        let mut above = vec![true; tree.nodes.len()];
        for root in 0..tree.nodes.len() {
            let node = tree.node(root as u32);
            let tops = match with_roots || node.is_leaf() {
                true => root as u32..root as u32 + 1,
                false => node.range(),
            };
            if few(root) && above[root] {
                if !tops.contains(&(root as u32)) {
                    made.of_node[root] = OUTSIDE | made.subtrees.len() as u32;
                }
                made.add(tree, triangles, tops, &mut place_of_vertex);
            }
            if few(root) && !node.is_leaf() {
                node.range().for_each(|child| above[child as usize] = false);
            }
        }
        made
    }

    /// Adds the subtree of these nodes and all below them.
    fn add(
        &mut self,
        tree: &Tree,
        triangles: &[[u32; 3]],
        tops: Range<u32>,
        place_of_vertex: &mut [u8],
    ) {
        let before = self.lens();
        let own = |list: &Vec<u32>, number: usize| list[before[number] as usize..].to_vec();
        self.nodes.extend(tops);
        let mut next = before[0] as usize;
        while let Some(&number) = self.nodes.get(next) {
            next += 1;
            self.of_node[number as usize] = self.subtrees.len() as u32;
            let node = tree.node(number);
            if !node.is_leaf() {
                self.nodes.extend(node.range());
            }
        }
        self.nodes[before[0] as usize..].sort_unstable_by(|a, b| b.cmp(a));
        let nodes = own(&self.nodes, 0);
        for (place, &number) in nodes.iter().enumerate() {
            let (place, node) = (place as u8, tree.node(number));
            if !node.is_leaf() {
                let first = nodes.partition_point(|&other| other >= node.range().end) as u8;
                let children = first..first + node.count() as u8;
                self.inner.push(Inner { place, children });
                continue;
            }
            self.leaves.push(Leaf { place, triangles: node.count() as u8 });
            for &triangle in tree.leaf_primitives(node) {
                let corners = triangles[triangle as usize].map(|vertex| {
                    let place = &mut place_of_vertex[vertex as usize];
                    if *place == u8::MAX {
                        *place = (self.vertices.len() - before[1] as usize) as u8;
                        self.vertices.push(vertex);
                    }
                    *place
                });
                self.triangles.push(corners);
                self.numbers.push(triangle);
            }
        }
        for vertex in own(&self.vertices, 1) {
            place_of_vertex[vertex as usize] = u8::MAX;
        }
        let after = self.lens();
        let [nodes, vertices, leaves, triangles, inner] =
            [0, 1, 2, 3, 4].map(|list| before[list]..after[list]);
        self.subtrees.push(Subtree { nodes, vertices, leaves, triangles, inner });
    }

    fn lens(&self) -> [u32; 5] {
        let Self { nodes, vertices, leaves, triangles, inner, .. } = self;
        [nodes.len(), vertices.len(), leaves.len(), triangles.len(), inner.len()]
            .map(|len| len as u32)
    }

    /// Whether a node belongs to a subtree.
    #[inline]
    pub(super) fn contains(&self, node: u32) -> bool {
        self.of_node[node as usize] & OUTSIDE == 0
    }

    /// The number of the subtree of all nodes below a node.
    #[inline]
    pub(super) fn below(&self, node: u32) -> Option<usize> {
        let subtree = self.of_node[node as usize];
        (subtree & OUTSIDE != 0 && subtree != ABOVE).then_some((subtree & !OUTSIDE) as usize)
    }

    /// The triangles of a subtree.
    #[inline]
    pub(super) fn triangles(&self, subtree: usize) -> FewTriangles<'_> {
        let Subtree { vertices, triangles, .. } = &self.subtrees[subtree];
        FewTriangles {
            vertices: own(&self.vertices, vertices),
            numbers: own(&self.numbers, triangles),
            corners: own(&self.triangles, triangles),
        }
    }

    /// The number of subtrees.
    pub(super) fn len(&self) -> usize {
        self.subtrees.len()
    }

    /// The number of subtrees that were fitted in the current state.
    pub(super) fn fitted(&self, known: &Memo<Aabb>) -> usize {
        let first = |subtree: &&Subtree| self.nodes[subtree.nodes.end as usize - 1];
        self.subtrees.iter().filter(|subtree| known.knows(first(subtree) as usize)).count()
    }

    /// Fits the boxes of a node's subtree around the positions of its vertices, and stores all of
    /// them in `known`. Returns the box of the node. `enlarge` is applied to the box around a leaf.
    ///
    /// Guarantee: up to what `enlarge` adds, the boxes are those of a bottom-up refit.
    #[inline(never)]
    pub(super) fn fit(
        &self,
        node: u32,
        position: impl Fn(u32) -> DVec3,
        enlarge: impl Fn(Aabb) -> Aabb,
        known: &Memo<Aabb>,
    ) -> Aabb {
        let subtree = &self.subtrees[self.of_node[node as usize] as usize];
        let mut points = [Vec3A::ZERO; MAX_CORNERS];
        for (point, &vertex) in points.iter_mut().zip(own(&self.vertices, &subtree.vertices)) {
            *point = position(vertex).as_vec3a();
        }
        let around = |triangle: &[u8; 3]| {
            let [a, b, c] = triangle.map(|place| points[place as usize]);
            [a.min(b).min(c), a.max(b).max(c)]
        };
        let mut boxes = [Aabb::EMPTY; MAX_NODES];
        let triangles = own(&self.triangles, &subtree.triangles);
        let leaves = own(&self.leaves, &subtree.leaves);
        let inner = own(&self.inner, &subtree.inner);
        if self.plain {
            for (leaf, triangle) in leaves.iter().zip(triangles) {
                let [min, max] = around(triangle);
                boxes[leaf.place as usize] = enlarge(Aabb::around_nearest(min, max));
            }
            for Inner { place, children } in inner {
                let first = children.start as usize;
                boxes[*place as usize] = boxes[first].merge(&boxes[first + 1]);
            }
        } else {
            let mut triangles = triangles.iter();
            for leaf in leaves {
                let of_leaf = triangles.by_ref().take(leaf.triangles as usize).map(around);
                let corners = of_leaf.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)]);
                let [min, max] = corners.unwrap_or([Vec3A::INFINITY, Vec3A::NEG_INFINITY]);
                boxes[leaf.place as usize] = enlarge(Aabb::around_nearest(min, max));
            }
            for Inner { place, children } in inner {
                let children = &boxes[children.start as usize..children.end as usize];
                boxes[*place as usize] = children.iter().fold(Aabb::EMPTY, |all, b| all.merge(b));
            }
        }
        let mut asked = Aabb::EMPTY;
        for (&number, fitted) in own(&self.nodes, &subtree.nodes).iter().zip(&boxes) {
            known.put(number as usize, *fitted);
            if number == node {
                asked = *fitted;
            }
        }
        asked
    }
}

#[inline]
fn own<'a, T>(list: &'a [T], range: &Range<u32>) -> &'a [T] {
    &list[range.start as usize..range.end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::{BottomUp, SphereForm};
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::{BuildSettings, build_over_mesh};

    #[test]
    fn boxes_are_those_of_a_refit() {
        let mesh = bumpy_sheet(13, 0.0);
        for (arity, leaf_size) in [(2, 1), (2, 3), (4, 1), (8, 5), (2, 40)] {
            let settings = BuildSettings { arity, leaf_size, ..BuildSettings::default() };
            let tree = build_over_mesh(&mesh, &settings).unwrap();
            let refitted =
                BottomUp::<Aabb>::new(&tree, &mesh, mesh.positions(), SphereForm::Layered);
            let subtrees = SmallSubtrees::new(&tree, &mesh);
            let runs = primitive_runs(&tree);
            for node in 0..tree.nodes.len() as u32 {
                let few = runs[node as usize].len() <= MAX_TRIANGLES;
                assert_eq!(subtrees.contains(node), few, "{settings:?}: node {node}");
                if !few {
                    continue;
                }
                let known = Memo::new(tree.nodes.len());
                let place = |vertex: u32| mesh.positions()[vertex as usize];
                let fitted = subtrees.fit(node, place, |fitted| fitted, &known);
                assert_eq!(fitted, refitted.volumes()[node as usize]);
                for below in tree.node(node).range().filter(|_| !tree.node(node).is_leaf()) {
                    let kept = known.get_or(below as usize, || unreachable!("it is known"));
                    assert_eq!(kept, refitted.volumes()[below as usize]);
                }
            }
        }
    }

    #[test]
    fn below_roots_there_is_the_same_without_the_roots() {
        let mesh = bumpy_sheet(13, 0.0);
        for (arity, leaf_size) in [(2, 1), (4, 1), (2, 40)] {
            let settings = BuildSettings { arity, leaf_size, ..BuildSettings::default() };
            let tree = build_over_mesh(&mesh, &settings).unwrap();
            let refitted =
                BottomUp::<Aabb>::new(&tree, &mesh, mesh.positions(), SphereForm::Layered);
            let (all, below) = (
                SmallSubtrees::new(&tree, &mesh),
                SmallSubtrees::below_roots(&tree, mesh.triangles(), mesh.positions().len()),
            );
            let mut roots = 0;
            let mut is_root = vec![true; tree.nodes.len()];
            for node in 0..tree.nodes.len() as u32 {
                if !tree.node(node).is_leaf() && all.contains(node) {
                    tree.node(node).range().for_each(|child| is_root[child as usize] = false);
                }
                let root = all.contains(node) && is_root[node as usize];
                roots += usize::from(root);
                let kept = all.contains(node) && (!root || tree.node(node).is_leaf());
                assert_eq!(below.contains(node), kept, "{settings:?}: node {node}");
                if kept {
                    let known = Memo::new(tree.nodes.len());
                    let place = |vertex: u32| mesh.positions()[vertex as usize];
                    let fitted = below.fit(node, place, |fitted| fitted, &known);
                    assert_eq!(fitted, refitted.volumes()[node as usize]);
                }
            }
            assert!(roots > 0);
        }
    }
}
