//! A surface divided into clusters of triangles, coarser and finer, along its tree.

use std::ops::Range;

use glam::DVec3;

use crate::Mesh;
use crate::numeric::F64_SLACK;
use crate::tree::{Tree, primitive_runs};

/// Triangles of a smallest cluster, at most. Smallest clusters are fitted in every query:
/// larger ones are fewer, smaller ones bend less. Between 16 and 40 it matters little.
pub(super) const CLUSTER_TRIANGLES: u32 = 32;

/// The triangles below a node of the tree.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    /// Its node.
    pub(super) node: u32,
    /// The clusters of the node's children; none for a smallest cluster.
    pub(super) children: Range<u32>,
    /// The run of the tree's primitives that it holds.
    pub(super) run: Range<u32>,
    /// Where its vertices rest.
    pub(super) rest: RestBox,
}

impl Cluster {
    pub(super) fn is_smallest(&self) -> bool {
        self.children.is_empty()
    }
}

/// The box, and the ball, in which the vertices of a cluster rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RestBox {
    /// A point near the middle.
    pub(super) center: DVec3,
    /// The largest distance of a vertex from it on each axis, or more.
    pub(super) half: DVec3,
    /// The largest distance of a vertex from it, or more.
    pub(super) radius: f64,
}

/// All clusters of a surface: the whole first, children side by side after their parents.
#[derive(Debug)]
pub struct Clusters {
    pub(super) clusters: Vec<Cluster>,
}

impl Clusters {
    /// Smallest clusters are the largest nodes with at most `most` triangles, and leaves.
    pub(super) fn new(tree: &Tree, mesh: &Mesh, most: u32) -> Self {
        let runs = primitive_runs(tree);
        let cluster = |node: u32| {
            let run = runs[node as usize].clone();
            let rest = rest_box(tree, mesh, &run);
            Cluster { node, children: 0..0, run, rest }
        };
        let mut clusters = vec![cluster(0)];
        let mut at = 0;
        while at < clusters.len() {
            let node = tree.node(clusters[at].node);
            if !node.is_leaf() && clusters[at].run.len() > most as usize {
                let first = clusters.len() as u32;
                clusters.extend(node.range().map(cluster));
                clusters[at].children = first..clusters.len() as u32;
            }
            at += 1;
        }
        Self { clusters }
    }

    /// The cluster of a number.
    #[inline]
    pub(super) fn get(&self, cluster: u32) -> &Cluster {
        &self.clusters[cluster as usize]
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
    // Where squares underflow or overflow the radius is unknown, and the box alone counts.
    let radius = if radius > 1e-140 && radius < 1e140 { radius } else { f64::INFINITY };
    RestBox { center, half, radius: radius * (1.0 + F64_SLACK) }
}
