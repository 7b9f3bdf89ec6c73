//! A surface taken apart, coarser and finer, along its tree.

use std::ops::Range;

use glam::DVec3;

use super::affine_fit::RestBox;
use crate::Mesh;
use crate::limits::F64_SLACK;
use crate::tree::{Tree, primitive_runs};

/// Triangles, at the most, of a part that a least-squares fit is made for; larger ones get
/// theirs from their children. All those fits are made in every query: larger parts are fewer,
/// smaller ones bend less. Of 16, 32, 64 and 128, this did best where bodies move.
pub(crate) const FITTED: u32 = 64;

/// Triangles, at the most, of a patch, which is the smallest part. Where it cannot be shown to keep
/// clear, a query opens it as if nothing were known. Of 4, 8, 16, 32 and 64, this did best.
pub(crate) const PATCH: u32 = 16;

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
    /// Those of more than [`FITTED`] triangles and their children, then all smaller ones.
    pub(crate) parts: Vec<Part>,
    /// How many of them are the former.
    pub(crate) coarse: u32,
}

impl Parts {
    /// Patches are the largest nodes with at most `patch` triangles, and leaves.
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, fitted: u32, patch: u32) -> Self {
        let runs = primitive_runs(tree);
        let rest = RestBox { center: DVec3::ZERO, half: DVec3::ZERO, radius: 0.0 };
        let part = |node: u32| {
            let run = runs[node as usize].clone();
            Part { node, children: 0..0, run, rest }
        };
        let mut parts = vec![part(0)];
        let open = |limit: u32, parts: &mut Vec<Part>| {
            let mut at = 0;
            while at < parts.len() {
                let node = tree.node(parts[at].node);
                if parts[at].is_patch() && !node.is_leaf() && parts[at].run.len() > limit as usize {
                    let first = parts.len() as u32;
                    parts.extend(node.range().map(part));
                    parts[at].children = first..parts.len() as u32;
                }
                at += 1;
            }
            parts.len() as u32
        };
        let coarse = open(fitted.max(patch), &mut parts);
        open(patch, &mut parts);
        for part in &mut parts {
            part.rest = rest_box(tree, mesh, &part.run);
        }
        Self { parts, coarse }
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
