//! A surface taken apart, coarser and finer, along its tree.

use std::ops::Range;

use glam::DVec3;

use super::affine_fit::RestBox;
use crate::Mesh;
use crate::tree::{Tree, primitive_runs};

/// Triangles a patch, at the most, unless a leaf of the tree holds more.
///
/// Smaller patches bend less and are more often certified; there are more of them.
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

/// All parts, the whole first, children side by side after their parents.
///
/// Patches are the largest nodes with at most [`PATCH`] triangles, and leaves.
pub(crate) fn parts(tree: &Tree, mesh: &Mesh, patch: u32) -> Vec<Part> {
    let runs = primitive_runs(tree);
    let mut parts: Vec<Part> = Vec::new();
    let part = |node: u32| Part {
        node,
        children: 0..0,
        run: runs[node as usize].clone(),
        rest: RestBox { center: DVec3::ZERO, half: DVec3::ZERO },
    };
    parts.push(part(0));
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
    let mut corners = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; parts.len()];
    for at in (0..parts.len()).rev() {
        let part = &parts[at];
        let [mut min, mut max] = corners[at];
        for &triangle in &tree.primitives[part.run.start as usize..part.run.end as usize] {
            if part.is_patch() {
                for vertex in mesh.triangles()[triangle as usize] {
                    min = min.min(mesh.positions()[vertex as usize]);
                    max = max.max(mesh.positions()[vertex as usize]);
                }
            }
        }
        for child in part.children.clone() {
            min = min.min(corners[child as usize][0]);
            max = max.max(corners[child as usize][1]);
        }
        corners[at] = [min, max];
        let center = min * 0.5 + max * 0.5;
        // Differences err by 2^-53 of themselves.
        let half = (max - center).max(center - min) * (1.0 + 2.0 * f64::EPSILON);
        parts[at].rest = RestBox { center, half };
    }
    parts
}
