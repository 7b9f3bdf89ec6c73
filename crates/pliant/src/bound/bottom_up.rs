//! Bounds computed for all nodes at once, from the leaves to the root.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec3, Vec3A};

use super::refit_plan::{Chunk, RefitPlan};
use crate::Mesh;
use crate::tree::{Tree, primitive_runs};
use crate::volume::{Aabb, Sphere};

/// How a sphere is fitted around a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SphereForm {
    /// Around the spheres of the children: one step a node, looser towards the root.
    #[default]
    Layered,
    /// Around the vertices below the node: tighter, but every vertex is visited
    /// once a level.
    Wrapped,
}

/// One volume a node, refitted from the leaves to the root whenever vertices move.
#[derive(Debug, Clone)]
pub struct BottomUp<V> {
    pub(super) volumes: Vec<V>,
    plan: Arc<RefitPlan>,
    form: SphereForm,
}

impl<V> BottomUp<V> {
    /// The volumes of all nodes.
    #[must_use]
    pub fn volumes(&self) -> &[V] {
        &self.volumes
    }
}

impl BottomUp<Aabb> {
    /// Boxes of a tree over a mesh, around the positions given.
    pub(crate) fn boxes(tree: &Tree, mesh: &Mesh, positions: &[DVec3]) -> Self {
        let plan = Arc::new(RefitPlan::new(tree, mesh));
        let mut made =
            Self { volumes: vec![Aabb::EMPTY; tree.nodes.len()], plan, form: SphereForm::Layered };
        made.refit(tree, positions, &mut Vec::new());
        made
    }

    /// Fits all boxes around positions; `points` is memory to work in.
    ///
    /// Guarantee: each box contains the positions, and reaches past the tightest
    /// `f32` box by at most three steps of `f32` on each side.
    pub(crate) fn refit(&mut self, tree: &Tree, positions: &[DVec3], points: &mut Vec<Vec3A>) {
        points.resize(self.plan.vertices.len(), Vec3A::ZERO);
        if self.plan.plain {
            refit_plain_boxes(&self.plan, positions, points, &mut self.volumes);
        } else {
            refit_any_boxes(&self.plan, tree, positions, points, &mut self.volumes);
        }
    }
}

/// Rounds the positions that a chunk is the first to use to the nearest `f32`.
#[inline(always)]
fn take_points(plan: &RefitPlan, chunk: &Chunk, positions: &[DVec3], points: &mut [Vec3A]) {
    let vertices = &plan.vertices[chunk.vertices.clone()];
    for (&vertex, point) in vertices.iter().zip(&mut points[chunk.vertices.clone()]) {
        *point = positions[vertex as usize].as_vec3a();
    }
}

/// A binary tree with one triangle a leaf.
fn refit_plain_boxes(
    plan: &RefitPlan,
    positions: &[DVec3],
    points: &mut [Vec3A],
    boxes: &mut [Aabb],
) {
    let mut first_child = boxes.len();
    for chunk in &plan.chunks {
        take_points(plan, chunk, positions, points);
        let leaves = &plan.leaves[chunk.leaves.clone()];
        for (&leaf, triangle) in leaves.iter().zip(&plan.triangles[chunk.triangles.clone()]) {
            let [a, b, c] = triangle.map(|place| points[place as usize]);
            boxes[leaf as usize] = Aabb::around_nearest(a.min(b).min(c), a.max(b).max(c));
        }
        for &inner in &plan.inner[chunk.inner.clone()] {
            first_child -= 2;
            boxes[inner as usize] = boxes[first_child].merge(&boxes[first_child + 1]);
        }
    }
}

/// Any tree.
fn refit_any_boxes(
    plan: &RefitPlan,
    tree: &Tree,
    positions: &[DVec3],
    points: &mut [Vec3A],
    boxes: &mut [Aabb],
) {
    let mut triangles = plan.triangles.iter();
    for chunk in &plan.chunks {
        take_points(plan, chunk, positions, points);
        for &leaf in &plan.leaves[chunk.leaves.clone()] {
            let (mut min, mut max) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
            for triangle in triangles.by_ref().take(tree.node(leaf).count() as usize) {
                for point in triangle.map(|place| points[place as usize]) {
                    min = min.min(point);
                    max = max.max(point);
                }
            }
            boxes[leaf as usize] = Aabb::around_nearest(min, max);
        }
        for &inner in &plan.inner[chunk.inner.clone()] {
            let Range { start, end } = tree.node(inner).range();
            let children = &boxes[start as usize..end as usize];
            boxes[inner as usize] = children.iter().fold(Aabb::EMPTY, |all, b| all.merge(b));
        }
    }
}

impl BottomUp<Sphere> {
    /// Spheres of a tree over a mesh, around the positions given.
    pub(crate) fn spheres(tree: &Tree, mesh: &Mesh, positions: &[DVec3], form: SphereForm) -> Self {
        let plan = Arc::new(RefitPlan::new(tree, mesh));
        let mut made = Self { volumes: vec![Sphere::EMPTY; tree.nodes.len()], plan, form };
        made.refit(tree, mesh, positions);
        made
    }

    /// Fits all spheres around positions.
    pub(crate) fn refit(&mut self, tree: &Tree, mesh: &Mesh, positions: &[DVec3]) {
        let (plan, spheres) = (&self.plan, &mut self.volumes[..]);
        let mut triangles = plan.triangles.iter();
        for chunk in &plan.chunks {
            for &leaf in &plan.leaves[chunk.leaves.clone()] {
                let corners = triangles.by_ref().take(tree.node(leaf).count() as usize);
                let position = |place: u32| positions[plan.vertices[place as usize] as usize];
                let corners = corners.map(|t| t.map(position));
                spheres[leaf as usize] =
                    corners.map(around_triangle).fold(Sphere::EMPTY, |all, s| all.merge(&s));
            }
            for &inner in &plan.inner[chunk.inner.clone()] {
                let Range { start, end } = tree.node(inner).range();
                let children = &spheres[start as usize..end as usize];
                spheres[inner as usize] =
                    children.iter().fold(Sphere::EMPTY, |all, s| all.merge(s));
            }
        }
        if self.form == SphereForm::Wrapped {
            wrap(&mut self.volumes, tree, mesh, positions);
        }
    }
}

/// A sphere around a triangle: on its longest side where that suffices, else
/// through its three corners.
#[inline]
pub(super) fn around_triangle([a, b, c]: [DVec3; 3]) -> Sphere {
    let (ab, bc, ca) =
        ((b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared());
    // Opposite corner, longest side: its ends p, q, and the squares of all sides.
    let (p, q, r, longest, others) = if ab >= bc && ab >= ca {
        (a, b, c, ab, bc + ca)
    } else if bc >= ca {
        (b, c, a, bc, ab + ca)
    } else {
        (c, a, b, ca, ab + bc)
    };
    let mut center = p + (q - p) * 0.5;
    if others > longest {
        // An acute triangle: the circumcentre, from its barycentric weights.
        let (u, v) = (q - p, r - p);
        let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
        let twice = 2.0 * (uu * vv - uv * uv);
        let through = p + u * (vv * (uu - uv) / twice) + v * (uu * (vv - uv) / twice);
        if twice > 0.0 && through.is_finite() {
            center = through;
        }
    }
    Sphere::around(center, [a, b, c])
}

/// Shrinks every sphere of an inner node, keeping its centre, to what its own
/// vertices need (James & Pai 2004, section 3.1).
fn wrap(spheres: &mut [Sphere], tree: &Tree, mesh: &Mesh, positions: &[DVec3]) {
    use rayon::prelude::*;
    let runs = primitive_runs(tree);
    spheres.par_iter_mut().zip(runs).for_each(|(sphere, run)| {
        let slots = &tree.primitives[run.start as usize..run.end as usize];
        let corners = slots.iter().flat_map(|&t| mesh.triangles()[t as usize]);
        let own = Sphere::around(sphere.center.as_dvec3(), corners.map(|v| positions[v as usize]));
        if own.radius < sphere.radius {
            *sphere = own;
        }
    });
}
