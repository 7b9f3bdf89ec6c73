//! Measures of a tree: levels, runs of primitives, boxes, expected cost.

use std::ops::Range;

use crate::volume::Aabb;
use crate::{Error, Result};

use super::Tree;

/// Measures of a tree. See [`statistics`].
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// The number of nodes, including leaves.
    pub nodes: usize,
    /// The number of leaves.
    pub leaves: usize,
    /// The largest number of primitives in a leaf.
    pub largest_leaf: usize,
    /// The level of the deepest node; 0 if the root is a leaf.
    pub depth: usize,
    /// The number of nodes per level, root first.
    pub nodes_per_level: Vec<usize>,
    /// The expected cost of a query. See [`sah_cost`].
    pub sah_cost: f64,
}

/// Measures a tree whose nodes have these boxes.
///
/// ```
/// use pliant::{glam::DVec3, tree, volume::Aabb};
/// let boxes: Vec<_> = (0..8).map(|i| Aabb::around([DVec3::X * f64::from(i)])).collect();
/// let tree = tree::build(&boxes, &tree::BuildSettings::BALANCED)?;
/// let about = tree::statistics(&tree, &tree::node_boxes(&tree, &boxes)?)?;
/// assert_eq!(about.nodes_per_level, [1, 2, 4, 8]);
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::CountMismatch`] if the number of boxes is not the number of nodes.
pub fn statistics(tree: &Tree, boxes: &[Aabb]) -> Result<Statistics> {
    let mut nodes_per_level = Vec::new();
    for level in level_of_nodes(tree) {
        let level = level as usize;
        if nodes_per_level.len() <= level {
            nodes_per_level.resize(level + 1, 0);
        }
        nodes_per_level[level] += 1;
    }
    let leaves = || tree.nodes.iter().filter(|node| node.is_leaf());
    Ok(Statistics {
        nodes: tree.nodes.len(),
        leaves: leaves().count(),
        largest_leaf: leaves().map(|leaf| leaf.count() as usize).max().unwrap_or(0),
        depth: nodes_per_level.len().saturating_sub(1),
        nodes_per_level,
        sah_cost: sah_cost(tree, boxes)?,
    })
}

/// Returns the expected cost of a query by the surface area heuristic: the number of inner nodes
/// and primitives that are visited, averaged over the lines that meet the root's box.
///
/// The probability of visiting a node is its area divided by the root's area. An inner node costs
/// one, and a leaf costs one per primitive. If the root's area is zero or infinite, every node has
/// probability one.
///
/// # Errors
/// [`Error::CountMismatch`] if the number of boxes is not the number of nodes.
pub fn sah_cost(tree: &Tree, boxes: &[Aabb]) -> Result<f64> {
    expect_count("boxes of nodes", tree.nodes.len(), boxes.len())?;
    let area = |volume: &Aabb| {
        let side = (volume.max.as_dvec3() - volume.min.as_dvec3()).max(glam::DVec3::ZERO);
        side.x * side.y + side.y * side.z + side.z * side.x
    };
    let root = boxes.first().map_or(0.0, area);
    let is_measurable = root > 0.0 && root.is_finite();
    let weight = |volume| if is_measurable { area(volume) } else { 1.0 };
    let costs = tree.nodes.iter().zip(boxes).map(|(node, volume)| {
        let visits = if node.is_leaf() { node.count() } else { 1 };
        f64::from(visits) * weight(volume)
    });
    Ok(costs.sum::<f64>() / if is_measurable { root } else { 1.0 })
}

/// Returns the level of each node; the root has level 0.
#[must_use]
pub fn level_of_nodes(tree: &Tree) -> Vec<u32> {
    let mut levels = vec![0; tree.nodes.len()];
    for (number, node) in tree.nodes.iter().enumerate() {
        if !node.is_leaf() {
            let below = levels[number] + 1;
            let Range { start, end } = node.range();
            if let Some(children) = levels.get_mut(start as usize..end as usize) {
                children.fill(below);
            }
        }
    }
    levels
}

/// Returns the run of [`Tree::primitives`] below each node.
///
/// ```
/// use pliant::{glam::DVec3, tree, volume::Aabb};
/// let boxes: Vec<_> = (0..4).map(|i| Aabb::around([DVec3::X * f64::from(i)])).collect();
/// let tree = tree::build(&boxes, &tree::BuildSettings::BALANCED)?;
/// assert_eq!(tree::primitive_runs(&tree)[..3], [0..4, 0..2, 2..4]);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn primitive_runs(tree: &Tree) -> Vec<Range<u32>> {
    let mut runs = vec![0..0; tree.nodes.len()];
    for (number, node) in tree.nodes.iter().enumerate().rev() {
        let Range { start, end } = node.range();
        runs[number] = if node.is_leaf() {
            start..end
        } else {
            match runs.get(start as usize..end as usize) {
                Some([first, .., last]) => first.start..last.end,
                Some([only]) => only.clone(),
                _ => 0..0,
            }
        };
    }
    runs
}

/// Returns the smallest box around each node's primitives, given the boxes of the primitives, which
/// must not contain NaN.
///
/// ```
/// use pliant::{glam::DVec3, tree, volume::Aabb};
/// let boxes: Vec<_> = (0..8).map(|i| Aabb::around([DVec3::X * f64::from(i)])).collect();
/// let tree = tree::build(&boxes, &tree::BuildSettings::default())?;
/// let root = tree::node_boxes(&tree, &boxes)?[0];
/// assert!(boxes.iter().all(|one| root.contains(one)));
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::CountMismatch`] if the number of boxes is not the number of primitives.
pub fn node_boxes(tree: &Tree, boxes: &[Aabb]) -> Result<Vec<Aabb>> {
    expect_count("boxes of primitives", tree.primitives.len(), boxes.len())?;
    let mut around = vec![Aabb::EMPTY; tree.nodes.len()];
    for (number, &node) in tree.nodes.iter().enumerate().rev() {
        let Range { start, end } = node.range();
        let (start, end) = (start as usize, end as usize);
        around[number] = if node.is_leaf() {
            let primitives = tree.primitives.get(start..end).unwrap_or_default();
            let boxes = primitives.iter().filter_map(|&primitive| boxes.get(primitive as usize));
            boxes.fold(Aabb::EMPTY, |all, one| all.merge(one))
        } else {
            let children = around.get(start..end).unwrap_or_default();
            children.iter().fold(Aabb::EMPTY, |all, one| all.merge(one))
        };
    }
    Ok(around)
}

fn expect_count(what: &'static str, expected: usize, given: usize) -> Result<()> {
    if expected == given { Ok(()) } else { Err(Error::CountMismatch { what, expected, given }) }
}
