//! Bounds computed for all nodes at once, from the leaves to the root.

use std::ops::Range;
use std::sync::Arc;

use crate::parallel::*;
use glam::DVec3;

use super::refit_plan::{Chunk, RefitPlan};
use crate::Mesh;
use crate::tree::{Tree, primitive_runs};
use crate::volume::Fit;

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
    /// The vertices in the plan's order, as fits need them: memory to work in.
    points: Vec<V::Point>,
}

impl<V: Fit> Clone for BottomUp<V> {
    fn clone(&self) -> Self {
        let Self { volumes, plan, below, .. } = self;
        let (volumes, plan, below) = (volumes.clone(), plan.clone(), below.clone());
        Self { volumes, plan, below, points: Vec::new() }
    }
}

impl<V: Fit> BottomUp<V> {
    /// Volumes of a tree over a mesh, around the positions given.
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, positions: &[DVec3], form: SphereForm) -> Self {
        let wrapped = form == SphereForm::Wrapped;
        let mut made = Self {
            volumes: std::iter::repeat_n(V::EMPTY, tree.nodes.len()).collect(),
            plan: Arc::new(RefitPlan::new(tree, mesh)),
            below: wrapped.then(|| Arc::new(Below::new(tree, mesh))),
            points: Vec::new(),
        };
        made.refit(tree, positions);
        made
    }

    /// Fits all volumes around positions, one per vertex of the mesh.
    pub(crate) fn refit(&mut self, tree: &Tree, positions: &[DVec3]) {
        let Self { volumes, plan, below, points } = self;
        let volumes = Arc::make_mut(volumes);
        points.resize(plan.vertices.len(), V::point(DVec3::ZERO));
        if plan.plain {
            refit_plain(plan, positions, points, volumes);
        } else {
            refit_any(plan, tree, positions, points, volumes);
        }
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

/// Converts the positions that a chunk is the first to use.
#[inline(always)]
fn take_points<V: Fit>(
    plan: &RefitPlan,
    chunk: &Chunk,
    positions: &[DVec3],
    points: &mut [V::Point],
) {
    let vertices = &plan.vertices[chunk.vertices.clone()];
    for (&vertex, point) in vertices.iter().zip(&mut points[chunk.vertices.clone()]) {
        *point = V::point(positions[vertex as usize]);
    }
}

/// Refits a binary tree with one triangle per leaf.
fn refit_plain<V: Fit>(
    plan: &RefitPlan,
    positions: &[DVec3],
    points: &mut [V::Point],
    volumes: &mut [V],
) {
    let mut first_child = volumes.len();
    for chunk in &plan.chunks {
        take_points::<V>(plan, chunk, positions, points);
        let leaves = &plan.leaves[chunk.leaves.clone()];
        for (&leaf, triangle) in leaves.iter().zip(&plan.triangles[chunk.triangles.clone()]) {
            volumes[leaf as usize] = V::fit_triangle(triangle.map(|place| points[place as usize]));
        }
        for &inner in &plan.inner[chunk.inner.clone()] {
            first_child -= 2;
            volumes[inner as usize] = volumes[first_child].fit_two(&volumes[first_child + 1]);
        }
    }
}

/// Refits any tree.
fn refit_any<V: Fit>(
    plan: &RefitPlan,
    tree: &Tree,
    positions: &[DVec3],
    points: &mut [V::Point],
    volumes: &mut [V],
) {
    let mut triangles = &plan.triangles[..];
    for chunk in &plan.chunks {
        take_points::<V>(plan, chunk, positions, points);
        for &leaf in &plan.leaves[chunk.leaves.clone()] {
            let (own, others) = triangles.split_at(tree.node(leaf).count() as usize);
            let corners = own.as_flattened().iter().map(|&place| points[place as usize]);
            volumes[leaf as usize] = V::fit_points(corners);
            triangles = others;
        }
        for &inner in &plan.inner[chunk.inner.clone()] {
            let Range { start, end } = tree.node(inner).range();
            let children = &volumes[start as usize..end as usize];
            let both = |all: V, child: &V| all.fit_two(child);
            volumes[inner as usize] = children.iter().fold(V::EMPTY, both);
        }
    }
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
    fn wrap<V: Fit>(&self, positions: &[DVec3], volumes: &mut [V]) {
        volumes.par_iter_mut().zip(&self.runs).for_each(|(volume, run)| {
            let triangles = &self.triangles[run.start as usize..run.end as usize];
            let corners = triangles.as_flattened().iter();
            *volume = volume.wrapped(corners.map(|&vertex| positions[vertex as usize]));
        });
    }
}
