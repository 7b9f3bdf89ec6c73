//! A surface taken apart, coarser and finer, along its tree.

use std::ops::Range;

use glam::DVec3;

use super::affine_fit::RestBox;
use crate::Mesh;
use crate::numeric::F64_SLACK;
use crate::tree::{Tree, primitive_runs};

/// Triangles, at the most, of a patch, which is the smallest part. Patches are fitted in every
/// query: larger ones are fewer, smaller ones bend less. Between 16 and 40 it matters little.
pub(crate) const PATCH: u32 = 32;

/// A node of the tree that is a patch or contains patches.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Its node.
    pub(crate) node: u32,
    /// The parts that its children are; none for a patch.
    pub(crate) children: Range<u32>,
    /// The run of the tree's primitives that it holds.
    pub(crate) run: Range<u32>,
    /// Where its vertices rest.
    pub(crate) rest: RestBox,
}

impl Part {
    pub(crate) fn is_patch(&self) -> bool {
        self.children.is_empty()
    }
}

/// A surface taken apart: the whole first, children side by side after their parents.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) parts: Vec<Part>,
}

impl Parts {
    /// Patches are the largest nodes with at most `patch` triangles, and leaves.
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, patch: u32) -> Self {
        let runs = primitive_runs(tree);
        let part = |node: u32| {
            let run = runs[node as usize].clone();
            let rest = rest_box(tree, mesh, &run);
            Part { node, children: 0..0, run, rest }
        };
        let mut parts = vec![part(0)];
        let mut at = 0;
        while at < parts.len() {
            let node = tree.node(parts[at].node);
            if !node.is_leaf() && parts[at].run.len() > patch as usize {
                let first = parts.len() as u32;
                parts.extend(node.range().map(part));
                parts[at].children = first..parts.len() as u32;
            }
            at += 1;
        }
        Self { parts }
    }

    /// The part of a number.
    #[inline]
    pub(crate) fn get(&self, part: u32) -> &Part {
        &self.parts[part as usize]
    }
}

/// Where the vertices of a run of triangles rest.
///
/// Differences err by 2^-53 of themselves, the length by 2^-51.
fn rest_box(tree: &Tree, mesh: &Mesh, run: &Range<u32>) -> RestBox {
    let triangles = &tree.primitives[run.start as usize..run.end as usize];
    let corners = triangles.iter().flat_map(|&triangle| mesh.triangles()[triangle as usize]);
    let corners = corners.map(|vertex| mesh.positions()[vertex as usize]);
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for corner in corners.clone() {
        min = min.min(corner);
        max = max.max(corner);
    }
    let center = min * 0.5 + max * 0.5;
    let half = (max - center).max(center - min) * (1.0 + F64_SLACK);
    let radius = corners.map(|corner| corner.distance(center)).fold(0.0, f64::max);
    // Squares that vanish or overflow say nothing: then the box does.
    let radius = if radius > 1e-140 && radius < 1e140 { radius } else { f64::INFINITY };
    RestBox { center, half, radius: radius * (1.0 + F64_SLACK) }
}
