//! Small subtrees whose boxes are fitted together, when the first of them is asked for.
//!
//! Deep in a tree a box from a few numbers costs more than the vertices below it, and is looser:
//! the vertices are needed for the test of their triangles anyway. A patch is a largest subtree of
//! few triangles. All of it is fitted at once, from the leaves up, by loops without
//! branches over what was sorted out beforehand.

use std::ops::Range;

use glam::{DVec3, Vec3A};

use super::skinned_sight::FewTriangles;
use crate::Mesh;
use crate::limits::PATCH_TRIANGLES;
use crate::memo::Memo;
use crate::tree::{Node, Tree, primitive_runs};
use crate::volume::Aabb;

/// Places in a patch fit a byte.
const MOST_NODES: usize = 64;
const MOST_CORNERS: usize = 3 * PATCH_TRIANGLES;
const _: () = assert!(2 * PATCH_TRIANGLES <= MOST_NODES && MOST_CORNERS < u8::MAX as usize);

/// The patches of a tree over a mesh.
#[derive(Debug, Clone, Default)]
pub(super) struct Patches {
    /// The patch of each node. For a node just above a patch that number and [`OUTSIDE`], for other nodes
    /// above patches [`ABOVE`].
    of_node: Vec<u32>,
    patches: Vec<Patch>,
    /// The nodes of each patch by descending number: children stand side by side, and before
    /// their parents.
    nodes: Vec<u32>,
    /// The vertices of each patch, each once.
    vertices: Vec<u32>,
    leaves: Vec<Leaf>,
    /// Corners of the leaves' triangles, as places among the vertices of the patch.
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

/// Its parts of the lists.
#[derive(Debug, Clone)]
struct Patch {
    nodes: Range<u32>,
    vertices: Range<u32>,
    leaves: Range<u32>,
    triangles: Range<u32>,
    inner: Range<u32>,
}

#[derive(Debug, Clone)]
struct Leaf {
    /// Its place among the nodes of the patch.
    place: u8,
    triangles: u8,
}

#[derive(Debug, Clone)]
struct Inner {
    place: u8,
    /// The places of its children.
    children: Range<u8>,
}

impl Patches {
    /// The largest subtrees of at most [`PATCH_TRIANGLES`] triangles.
    pub(super) fn new(tree: &Tree, mesh: &Mesh) -> Self {
        Self::with_roots(tree, mesh, true)
    }

    /// The same without their topmost nodes, unless these are leaves: for bounds that are tight
    /// enough to say of many a subtree that nothing below it is needed.
    pub(super) fn below_roots(tree: &Tree, mesh: &Mesh) -> Self {
        Self::with_roots(tree, mesh, false)
    }

    fn with_roots(tree: &Tree, mesh: &Mesh, with_roots: bool) -> Self {
        let plain = |node: &Node| node.count() == if node.is_leaf() { 1 } else { 2 };
        let mut made = Self {
            of_node: vec![ABOVE; tree.nodes.len()],
            plain: tree.nodes.iter().all(plain),
            ..Self::default()
        };
        let runs = primitive_runs(tree);
        let few = |node: usize| !runs[node].is_empty() && runs[node].len() <= PATCH_TRIANGLES;
        let mut place_of_vertex = vec![u8::MAX; mesh.positions().len()];
        let mut above = vec![true; tree.nodes.len()];
        for root in 0..tree.nodes.len() {
            let node = tree.node(root as u32);
            let tops = match with_roots || node.is_leaf() {
                true => root as u32..root as u32 + 1,
                false => node.range(),
            };
            if few(root) && above[root] {
                if !tops.contains(&(root as u32)) {
                    made.of_node[root] = OUTSIDE | made.patches.len() as u32;
                }
                made.add(tree, mesh, tops, &mut place_of_vertex);
            }
            if few(root) && !node.is_leaf() {
                node.range().for_each(|child| above[child as usize] = false);
            }
        }
        made
    }

    /// Adds the patch of these nodes and all below them.
    fn add(&mut self, tree: &Tree, mesh: &Mesh, tops: Range<u32>, place_of_vertex: &mut [u8]) {
        let before = self.lens();
        let own = |list: &Vec<u32>, number: usize| list[before[number] as usize..].to_vec();
        self.nodes.extend(tops);
        let mut next = before[0] as usize;
        while let Some(&number) = self.nodes.get(next) {
            next += 1;
            self.of_node[number as usize] = self.patches.len() as u32;
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
                let corners = mesh.triangles()[triangle as usize].map(|vertex| {
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
        self.patches.push(Patch { nodes, vertices, leaves, triangles, inner });
    }

    fn lens(&self) -> [u32; 5] {
        let Self { nodes, vertices, leaves, triangles, inner, .. } = self;
        [nodes.len(), vertices.len(), leaves.len(), triangles.len(), inner.len()]
            .map(|len| len as u32)
    }

    /// Whether a node belongs to a patch.
    #[inline]
    pub(super) fn contains(&self, node: u32) -> bool {
        self.of_node[node as usize] & OUTSIDE == 0
    }

    /// The number of the patch of all nodes below a node.
    #[inline]
    pub(super) fn below(&self, node: u32) -> Option<usize> {
        let patch = self.of_node[node as usize];
        (patch & OUTSIDE != 0 && patch != ABOVE).then_some((patch & !OUTSIDE) as usize)
    }

    /// The triangles of a patch.
    #[inline]
    pub(super) fn triangles(&self, patch: usize) -> FewTriangles<'_> {
        let Patch { vertices, triangles, .. } = &self.patches[patch];
        FewTriangles {
            vertices: own(&self.vertices, vertices),
            numbers: own(&self.numbers, triangles),
            corners: own(&self.triangles, triangles),
        }
    }

    /// How many patches there are.
    pub(super) fn len(&self) -> usize {
        self.patches.len()
    }

    /// How many patches were fitted in the current state.
    pub(super) fn fitted(&self, known: &Memo) -> usize {
        let root = |patch: &&Patch| self.nodes[patch.nodes.end as usize - 1];
        self.patches.iter().filter(|patch| known.knows(root(patch) as usize)).count()
    }

    /// Fits the boxes of a node's patch around where its vertices are, and remembers all of
    /// them; that of the node is returned. `enlarge` is what is done to the box around a leaf.
    ///
    /// Guarantee: the boxes are those of a bottom-up refit, but for what `enlarge` adds.
    #[inline(never)]
    pub(super) fn fit(
        &self,
        node: u32,
        position: impl Fn(u32) -> DVec3,
        enlarge: impl Fn(Aabb) -> Aabb,
        known: &Memo,
    ) -> Aabb {
        let patch = &self.patches[self.of_node[node as usize] as usize];
        let mut points = [Vec3A::ZERO; MOST_CORNERS];
        for (point, &vertex) in points.iter_mut().zip(own(&self.vertices, &patch.vertices)) {
            *point = position(vertex).as_vec3a();
        }
        let around = |triangle: &[u8; 3]| {
            let [a, b, c] = triangle.map(|place| points[place as usize]);
            [a.min(b).min(c), a.max(b).max(c)]
        };
        let mut boxes = [Aabb::EMPTY; MOST_NODES];
        let triangles = own(&self.triangles, &patch.triangles);
        let leaves = own(&self.leaves, &patch.leaves);
        let inner = own(&self.inner, &patch.inner);
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
        for (&number, fitted) in own(&self.nodes, &patch.nodes).iter().zip(&boxes) {
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
    use crate::bound::BottomUp;
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::{BuildSettings, build_over_mesh};

    #[test]
    fn boxes_are_those_of_a_refit() {
        let mesh = bumpy_sheet(13, 0.0);
        for (arity, leaf_size) in [(2, 1), (2, 3), (4, 1), (8, 5), (2, 40)] {
            let settings = BuildSettings { arity, leaf_size, ..BuildSettings::default() };
            let tree = build_over_mesh(&mesh, &settings).unwrap();
            let refitted = BottomUp::boxes(&tree, &mesh, mesh.positions());
            let patches = Patches::new(&tree, &mesh);
            let runs = primitive_runs(&tree);
            for node in 0..tree.nodes.len() as u32 {
                let few = runs[node as usize].len() <= PATCH_TRIANGLES;
                assert_eq!(patches.contains(node), few, "{settings:?}: node {node}");
                if !few {
                    continue;
                }
                let known = Memo::new(tree.nodes.len());
                let place = |vertex: u32| mesh.positions()[vertex as usize];
                let fitted = patches.fit(node, place, |fitted| fitted, &known);
                assert_eq!(fitted, refitted.volumes()[node as usize]);
                for below in tree.node(node).range().filter(|_| !tree.node(node).is_leaf()) {
                    let kept: Aabb = known.get_or(below as usize, || unreachable!("it is known"));
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
            let refitted = BottomUp::boxes(&tree, &mesh, mesh.positions());
            let (all, below) = (Patches::new(&tree, &mesh), Patches::below_roots(&tree, &mesh));
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
