//! Bounds computed for all nodes at once, from the leaves to the root.

use std::ops::Range;
use std::slice;
use std::sync::Arc;

use crate::parallel::*;
use glam::DVec3;

use super::refit_plan::{Block, Inner, Leaf, LeafPair, Loose, PLACES, RefitPlan, Segment};
use super::refit_plan::{WideInner, WideLeaf};
use crate::Mesh;
use crate::shape::Position;
use crate::simd::{Level, level, vectorize};
use crate::tree::{Tree, primitive_runs};
use crate::volume::Fit;

/// Above this many nodes all threads refit together; below it, that takes longer than one does.
const PARALLEL: usize = 1 << 16;

/// How the volume of an inner node is fitted. The two differ for spheres: a box around boxes is
/// the box around the points in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SphereForm {
    /// Around the spheres of the children: one step per node, looser towards the root.
    #[default]
    Layered,
    /// Around the vertices below the node: tighter, but every vertex is visited once per level.
    Wrapped,
}

/// One volume per node, refitted from the leaves to the root whenever vertices move.
///
/// Clones share volumes until one of them is refitted.
#[derive(Debug)]
pub struct BottomUp<V: Fit> {
    volumes: Arc<[V]>,
    plan: Arc<RefitPlan>,
    /// What lies below each node, if volumes are wrapped.
    below: Option<Arc<Below>>,
    scratch: Scratch<V>,
}

/// Memory to work in: the vertices of a block, and its nodes where they cannot be written in place.
#[derive(Debug)]
struct Scratch<V: Fit> {
    points: Vec<V::Point>,
    nodes: Vec<V>,
}

impl<V: Fit> Default for Scratch<V> {
    fn default() -> Self {
        Self { points: Vec::new(), nodes: Vec::new() }
    }
}

impl<V: Fit> Clone for BottomUp<V> {
    fn clone(&self) -> Self {
        let Self { volumes, plan, below, .. } = self;
        let (volumes, plan, below) = (volumes.clone(), plan.clone(), below.clone());
        Self { volumes, plan, below, scratch: Scratch::default() }
    }
}

impl<V: Fit> BottomUp<V> {
    /// Volumes of a tree over a mesh, around the positions given.
    pub(crate) fn new<P: Position>(
        tree: &Tree,
        mesh: &Mesh,
        positions: &[P],
        form: SphereForm,
    ) -> Self {
        let wrapped = form == SphereForm::Wrapped;
        let mut made = Self {
            volumes: std::iter::repeat_n(V::EMPTY, tree.nodes.len()).collect(),
            plan: Arc::new(RefitPlan::new(tree, mesh)),
            below: wrapped.then(|| Arc::new(Below::new(tree, mesh))),
            scratch: Scratch::default(),
        };
        made.refit(tree, positions);
        made
    }

    /// Fits all volumes around positions, one per vertex of the mesh.
    pub(crate) fn refit<P: Position>(&mut self, tree: &Tree, positions: &[P]) {
        self.refit_at(level(), tree, positions);
    }

    fn refit_at<P: Position>(&mut self, level: Level, tree: &Tree, positions: &[P]) {
        let Self { volumes, plan, below, scratch } = self;
        let (volumes, plan) = (Arc::make_mut(volumes), &**plan);
        let refit = Refit { plan, tree, positions };
        if volumes.len() > PARALLEL && current_num_threads() > 1 {
            let mut rest = &mut volumes[..];
            let mut parts = Vec::with_capacity(plan.segments.len());
            for segment in &plan.segments {
                let (before, nodes) = rest.split_at_mut(segment.first_node as usize);
                parts.push((segment, nodes));
                rest = before;
            }
            parts.into_par_iter().for_each(|(segment, nodes)| {
                refit.segments(level, slice::from_ref(segment), nodes, &mut Scratch::default());
            });
        } else {
            refit.segments(level, &plan.segments, volumes, scratch);
        }
        refit.loose(&plan.loose[plan.above_segments.clone()], volumes, 0);
        if let Some(below) = below {
            below.wrap(positions, volumes);
        }
    }

    /// The volumes of all nodes.
    #[must_use]
    #[inline]
    pub fn volumes(&self) -> &[V] {
        &self.volumes
    }

    /// The volumes of all nodes, for those who change some of them.
    pub(crate) fn volumes_mut(&mut self) -> &mut [V] {
        Arc::make_mut(&mut self.volumes)
    }
}

/// What a refit reads.
#[derive(Clone, Copy)]
struct Refit<'a, P> {
    plan: &'a RefitPlan,
    tree: &'a Tree,
    positions: &'a [P],
}

impl<P: Position> Refit<'_, P> {
    /// Fits the nodes of some segments, from the last to the first. The last is at the end of `nodes`.
    fn segments<V: Fit>(
        &self,
        level: Level,
        segments: &[Segment],
        nodes: &mut [V],
        scratch: &mut Scratch<V>,
    ) {
        scratch.points.resize(PLACES, V::point(DVec3::ZERO));
        let first = segments.last().map_or(0, |segment| segment.first_node);
        for segment in segments {
            if V::WIDE {
                vectorize!(level, self.blocks(segment, first, nodes, scratch));
            } else {
                self.blocks(segment, first, nodes, scratch);
            }
            self.loose(&self.plan.loose[segment.loose.clone()], nodes, first);
        }
    }

    /// Fits the nodes of a segment's blocks, where `nodes[0]` has the number `first`.
    #[inline(always)]
    fn blocks<V: Fit>(
        &self,
        segment: &Segment,
        first: u32,
        nodes: &mut [V],
        scratch: &mut Scratch<V>,
    ) {
        let Some(points) = scratch.points.first_chunk_mut::<PLACES>() else { return };
        for block in &self.plan.blocks[segment.blocks.clone()] {
            let vertices = own(&self.plan.vertices, &block.vertices);
            for (point, &vertex) in points.iter_mut().zip(vertices) {
                *point = self.positions[vertex as usize].point::<V>();
            }
            // Bytes name places: with room for all of them behind the block's first node no index is
            // checked.
            let from = (block.nodes.start - first) as usize;
            if let Some(places) = nodes[from..].first_chunk_mut::<PLACES>() {
                self.plan.fit(block, points, places);
            } else {
                scratch.nodes.resize(PLACES, V::EMPTY);
                if let Some(places) = scratch.nodes.first_chunk_mut::<PLACES>() {
                    self.plan.fit(block, points, places);
                }
                let count = block.nodes.len();
                nodes[from..][..count].copy_from_slice(&scratch.nodes[..count]);
            }
        }
    }

    /// Fits loose nodes in their order, where `nodes[0]` has the number `first`.
    fn loose<V: Fit>(&self, loose: &[Loose], nodes: &mut [V], first: u32) {
        for Loose { number, triangles } in loose {
            let node = self.tree.node(*number);
            let fitted = if node.is_leaf() {
                let triangles = own(&self.plan.loose_triangles, triangles);
                let point = |&vertex: &u32| self.positions[vertex as usize].point::<V>();
                match triangles {
                    [corners] => V::fit_triangle(corners.map(|vertex| point(&vertex))),
                    _ => V::fit_points(triangles.as_flattened().iter().map(point)),
                }
            } else {
                let Range { start, end } = node.range();
                let children = &nodes[(start - first) as usize..(end - first) as usize];
                around_children(children)
            };
            nodes[(number - first) as usize] = fitted;
        }
    }
}

impl RefitPlan {
    /// Fits the nodes of a block, given its vertices.
    #[inline(always)]
    fn fit<V: Fit>(&self, block: &Block, points: &[V::Point; PLACES], nodes: &mut [V; PLACES]) {
        for &LeafPair { corners: [first_corners, second_corners], first, parent } in
            own(&self.leaf_pairs, &block.leaf_pairs)
        {
            let a = around_triangle::<V>(points, first_corners);
            let b = around_triangle::<V>(points, second_corners);
            nodes[parent as usize] = a.fit_two(&b);
            let [first, second] = siblings(first);
            nodes[first] = a;
            nodes[second] = b;
        }
        for &Leaf { corners, place } in own(&self.leaves, &block.leaves) {
            nodes[place as usize] = around_triangle(points, corners);
        }
        for &Inner { first, place } in own(&self.inner, &block.inner) {
            let [first, second] = siblings(first);
            nodes[place as usize] = nodes[first].fit_two(&nodes[second]);
        }
        let mut triangles = own(&self.triangles, &block.triangles);
        for &WideLeaf { place, triangles: count } in own(&self.wide_leaves, &block.wide_leaves) {
            let (own, others) = triangles.split_at(count as usize);
            let corners = own.as_flattened().iter().map(|&at| points[at as usize]);
            nodes[place as usize] = V::fit_points(corners);
            triangles = others;
        }
        for &WideInner { place, first, children } in own(&self.wide_inner, &block.wide_inner) {
            let first = first as usize;
            nodes[place as usize] = around_children(&nodes[first..first + children as usize]);
        }
    }
}

#[inline(always)]
fn around_triangle<V: Fit>(points: &[V::Point; PLACES], [a, b, c]: [u8; 3]) -> V {
    V::fit_triangle([points[a as usize], points[b as usize], points[c as usize]])
}

/// The places of two siblings in a block of a plain tree. The first place is even, and the compiler sees
/// that both are in range.
#[inline(always)]
fn siblings(first: u8) -> [usize; 2] {
    let first = (first & !1) as usize;
    [first, first + 1]
}

#[inline(always)]
fn around_children<V: Fit>(children: &[V]) -> V {
    match children {
        [first, second] => first.fit_two(second),
        _ => children.iter().fold(V::EMPTY, |all, child| all.fit_two(child)),
    }
}

#[inline(always)]
fn own<'a, T>(list: &'a [T], range: &Range<u32>) -> &'a [T] {
    &list[range.start as usize..range.end as usize]
}

/// The vertices below each node.
#[derive(Debug)]
struct Below {
    /// For each node a run of `triangles`.
    runs: Vec<Range<u32>>,
    /// The corners of the mesh's triangles in the tree's order.
    triangles: Vec<[u32; 3]>,
}

impl Below {
    fn new(tree: &Tree, mesh: &Mesh) -> Self {
        let triangles = tree.primitives.iter().map(|&triangle| mesh.triangles()[triangle as usize]);
        Self { runs: primitive_runs(tree), triangles: triangles.collect() }
    }

    /// Shrinks every volume to what its own vertices need.
    fn wrap<V: Fit, P: Position>(&self, positions: &[P], volumes: &mut [V]) {
        volumes.par_iter_mut().zip(&self.runs).for_each(|(volume, run)| {
            let triangles = &self.triangles[run.start as usize..run.end as usize];
            let corners = triangles.as_flattened().iter();
            let at = |&vertex: &u32| positions[vertex as usize].to_f64();
            *volume = volume.wrapped(corners.map(at));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::levels;
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::{BuildSettings, build_over_mesh};
    use crate::volume::{Aabb, Sphere};
    use glam::Vec3;

    /// Node by node from the last to the first.
    fn swept<V: Fit, P: Position>(tree: &Tree, mesh: &Mesh, positions: &[P]) -> Vec<V> {
        let mut volumes = vec![V::EMPTY; tree.nodes.len()];
        for number in (0..tree.nodes.len()).rev() {
            let node = tree.nodes[number];
            let triangles = tree.leaf_primitives(node).iter();
            let corners: Vec<V::Point> = triangles
                .flat_map(|&triangle| mesh.triangles()[triangle as usize])
                .map(|vertex| positions[vertex as usize].point::<V>())
                .collect();
            let Range { start, end } = node.range();
            volumes[number] = match corners[..] {
                [a, b, c] => V::fit_triangle([a, b, c]),
                [] => around_children(&volumes[start as usize..end as usize]),
                _ => V::fit_points(corners.into_iter()),
            };
        }
        volumes
    }

    fn bits(volumes: &[Aabb]) -> Vec<[[u32; 3]; 2]> {
        let corner = |corner: glam::Vec3A| corner.to_array().map(f32::to_bits);
        volumes.iter().map(|volume| [corner(volume.min), corner(volume.max)]).collect()
    }

    fn compare(mesh: &Mesh, settings: &BuildSettings) {
        let tree = build_over_mesh(mesh, settings).unwrap();
        let positions = mesh.positions();
        let in_f32: Vec<Vec3> = positions.iter().map(|position| position.as_vec3()).collect();
        let mut boxes = BottomUp::<Aabb>::new(&tree, mesh, positions, SphereForm::Layered);
        let of_f64 = bits(&swept(&tree, mesh, positions));
        let of_f32 = bits(&swept(&tree, mesh, &in_f32));
        let nodes = tree.nodes.len();
        for level in levels() {
            boxes.volumes_mut().fill(Aabb::EVERYWHERE);
            boxes.refit_at(level, &tree, positions);
            assert!(bits(boxes.volumes()) == of_f64, "{nodes} nodes, {settings:?}, {level:?}");
            boxes.volumes_mut().fill(Aabb::EVERYWHERE);
            boxes.refit_at(level, &tree, &in_f32);
            assert!(bits(boxes.volumes()) == of_f32, "{nodes} nodes, {settings:?}, {level:?}, f32");
        }
        let spheres = BottomUp::<Sphere>::new(&tree, mesh, positions, SphereForm::Layered);
        assert!(spheres.volumes() == swept::<Sphere, _>(&tree, mesh, positions), "{nodes} spheres");
    }

    /// Triangles that share no vertex: a block has fewer nodes than it could have.
    fn soup(mesh: &Mesh) -> Mesh {
        let corners = mesh.triangles().as_flattened();
        let positions = corners.iter().map(|&corner| mesh.positions()[corner as usize]).collect();
        let triangles = (0..mesh.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        Mesh::new(positions, triangles.collect()).unwrap()
    }

    /// Each triangle is twice as far away as the one before: a tree as deep as it may be.
    fn deep(count: i32) -> Mesh {
        let place = |t: i32| DVec3::X * 2f64.powi(t);
        let corners = |t: i32| [place(t), place(t) + DVec3::Y, place(t) + DVec3::Z];
        let positions = (0..count).flat_map(corners).collect();
        let triangles = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        Mesh::new(positions, triangles.collect()).unwrap()
    }

    #[test]
    fn a_refit_has_the_bits_of_a_sweep_at_every_level() {
        let wide = BuildSettings { arity: 8, leaf_size: 3, ..BuildSettings::default() };
        let one_leaf = BuildSettings { leaf_size: 1 << 20, ..BuildSettings::CLASSIC };
        let small = BuildSettings::SMALL_LEAVES;
        for settings in [BuildSettings::default(), BuildSettings::CLASSIC, small, wide, one_leaf] {
            for side in [2, 3, 5, 9, 12, 13, 30, 60] {
                compare(&bumpy_sheet(side, 0.1), &settings);
            }
            compare(&soup(&bumpy_sheet(40, 0.1)), &settings);
            compare(&deep(90), &settings);
        }
    }

    /// So many nodes that all threads take part.
    #[test]
    fn threads_do_not_change_the_bits() {
        let mesh = bumpy_sheet(150, 0.1);
        assert!(2 * mesh.triangles().len() > PARALLEL + 2 * PLACES);
        compare(&mesh, &BuildSettings::default());
        compare(&mesh, &BuildSettings { arity: 4, ..BuildSettings::default() });
    }
}
