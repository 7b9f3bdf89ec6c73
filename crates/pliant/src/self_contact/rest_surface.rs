//! How far apart triangles, leaves and boxes are at rest. All distances are lower bounds.

use glam::DVec3;

use super::clusters::{Cluster, RestBox};
use super::near_leaves::Nearest;
use crate::Mesh;
use crate::contact::triangle_distance;
use crate::numeric::REST_GAP_ERROR;
use crate::query::Adjacency;
use crate::tree::Tree;
use crate::volume::{Aabb, Apart};

/// What of two triangles must be apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// All of them, if they are not adjacent; adjacent triangles do not count.
    Triangles,
    /// Vertices and faces, and edges, that do not share a vertex.
    Features(Adjacency),
}

/// A mesh at rest, with a box around each triangle and its centroid.
pub(super) struct RestSurface<'a> {
    tree: &'a Tree,
    mesh: &'a Mesh,
    counted: Counted,
    corners: Vec<[DVec3; 3]>,
    boxes: Vec<Aabb>,
    centroids: Vec<DVec3>,
}

impl<'a> RestSurface<'a> {
    pub(super) fn new(tree: &'a Tree, mesh: &'a Mesh, counted: Counted) -> Self {
        let position = |vertex: u32| mesh.positions()[vertex as usize];
        let corners: Vec<[DVec3; 3]> = mesh.triangles().iter().map(|t| t.map(position)).collect();
        let boxes = corners.iter().map(|&corners| Aabb::around(corners)).collect();
        let centroid = |t: &[DVec3; 3]| t[0] / 3.0 + t[1] / 3.0 + t[2] / 3.0;
        let centroids = corners.iter().map(centroid).collect();
        Self { tree, mesh, counted, corners, boxes, centroids }
    }

    /// The pairs of leaves of two clusters, or of one, that are nearest, at most `listed`, and
    /// a lower bound of the distance of all others. Only what counts does.
    pub(super) fn nearest_leaves(&self, a: &Cluster, b: &Cluster, listed: usize) -> Nearest {
        let (first, second) = (self.leaves_below(a.node), self.leaves_below(b.node));
        // The squared distances of boxes are the cheapest bounds.
        let mut open: Vec<(f64, [u32; 2])> = Vec::with_capacity(first.len() * second.len());
        for (at, (i, around)) in first.iter().enumerate() {
            let others = if a.node == b.node { &first[at..] } else { &second };
            let pairs =
                others.iter().map(|(j, other)| (around.distance_squared_to(other), [*i, *j]));
            open.extend(pairs);
        }
        let by_gap = |one: &(f64, [u32; 2]), other: &(f64, [u32; 2])| {
            one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
        };
        let mut near: Vec<(f64, [u32; 2])> = Vec::new();
        let mut rest = &mut open[..];
        while !rest.is_empty() {
            let count = rest.len().min(2 * listed + 16);
            if count < rest.len() {
                rest.select_nth_unstable_by(count, by_gap);
            }
            let (nearest, others) = rest.split_at_mut(count);
            for &mut (_, leaves) in nearest {
                let gap = self.leaf_gap(leaves, |i, j| self.quick_gap(i, j));
                if gap < f64::INFINITY {
                    near.push((gap, leaves));
                }
            }
            near.sort_unstable_by(by_gap);
            near.truncate(listed + 1);
            rest = others;
            // No gap is below that of the boxes, and the first of the rest is the nearest of them.
            if let (Some(last), Some(next)) = (near.get(listed), rest.first())
                && gap_of_boxes(next.0) > last.0
            {
                break;
            }
        }
        let beyond = near.get(listed).map_or(f64::INFINITY, |&(gap, _)| gap);
        near.truncate(listed);
        // A few of a thousand entries are left, and all lists are in memory at once.
        near.shrink_to_fit();
        for (gap, leaves) in &mut near {
            *gap = gap.max(self.leaf_gap(*leaves, |i, j| self.triangle_gap(i, j)));
        }
        near.sort_unstable_by(by_gap);
        Nearest { near, beyond }
    }

    /// The leaves below a node, or the node if it is one, each with a box around its triangles.
    fn leaves_below(&self, node: u32) -> Vec<(u32, Aabb)> {
        let mut open = vec![node];
        let mut leaves = Vec::new();
        while let Some(number) = open.pop() {
            let node = self.tree.node(number);
            if node.is_leaf() {
                let own = self.tree.leaf_primitives(node).iter();
                let boxes = own.map(|&triangle| self.boxes[triangle as usize]);
                leaves.push((number, boxes.fold(Aabb::EMPTY, |all, one| all.merge(&one))));
            } else {
                open.extend(node.range().rev());
            }
        }
        leaves
    }

    /// The least gap of what counts of two leaves, or of one.
    fn leaf_gap(&self, leaves: [u32; 2], gap: impl Fn(u32, u32) -> f64) -> f64 {
        let [first, second] = leaves.map(|leaf| self.tree.leaf_primitives(self.tree.node(leaf)));
        let mut least = f64::INFINITY;
        for (at, &i) in first.iter().enumerate() {
            for &j in if leaves[0] == leaves[1] { &first[at + 1..] } else { second } {
                least = least.min(match self.counted {
                    Counted::Triangles if self.mesh.adjacent(i, j) => f64::INFINITY,
                    Counted::Features(adjacency) if self.share(adjacency, i, j) => {
                        self.feature_gap(adjacency, i, j)
                    }
                    _ => gap(i, j),
                });
            }
        }
        least
    }

    /// Whether two triangles share a vertex.
    fn share(&self, adjacency: Adjacency, i: u32, j: u32) -> bool {
        let names = adjacency.names(self.mesh);
        names[i as usize].iter().any(|name| names[j as usize].contains(name))
    }

    /// The least gap of a vertex and a face, or of two edges, of two triangles, that do not share a
    /// vertex; infinite if there are none.
    fn feature_gap(&self, adjacency: Adjacency, i: u32, j: u32) -> f64 {
        let names = adjacency.names(self.mesh);
        let (of_i, of_j) = (names[i as usize], names[j as usize]);
        let (a, b) = (&self.corners[i as usize], &self.corners[j as usize]);
        let mut least = f64::INFINITY;
        for corner in 0..3 {
            if !of_j.contains(&of_i[corner]) {
                least = least.min(triangle_gap(&[a[corner]; 3], b));
            }
            if !of_i.contains(&of_j[corner]) {
                least = least.min(triangle_gap(&[b[corner]; 3], a));
            }
        }
        for [p, q] in SIDES {
            for [r, s] in SIDES {
                if ![of_j[r], of_j[s]].iter().any(|name| [of_i[p], of_i[q]].contains(name)) {
                    least = least.min(triangle_gap(&[a[p], a[q], a[q]], &[b[r], b[s], b[s]]));
                }
            }
        }
        least
    }

    /// A lower bound of the distance of two triangles, by their centroids and boxes.
    fn quick_gap(&self, i: u32, j: u32) -> f64 {
        let (from, to) = (self.centroids[i as usize], self.centroids[j as usize]);
        let along =
            gap_along(to - from, from, &self.corners[i as usize], &self.corners[j as usize]);
        let squared = self.boxes[i as usize].distance_squared_to(&self.boxes[j as usize]);
        along.max(gap_of_boxes(squared))
    }

    fn triangle_gap(&self, i: u32, j: u32) -> f64 {
        triangle_gap(&self.corners[i as usize], &self.corners[j as usize])
    }
}

/// The corners of each side of a triangle.
const SIDES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// A lower bound of a distance, given the squared distance of boxes. It grows with that.
fn gap_of_boxes(squared: f64) -> f64 {
    (squared.sqrt() * (1.0 - REST_GAP_ERROR)).min(f64::MAX)
}

/// A lower bound of the distance of what rests in two boxes.
///
/// A difference of the boxes' ends errs by 2^-53 of each of its terms, the length by 2^-51
/// of itself: 2^-47 of the sums is more. The bound is finite: a gap is infinite only if there
/// are no triangles to be apart. And it is at most 1e150: where squares overflow, it is only
/// known that the distance is more than that.
#[inline]
pub(super) fn box_gap(a: &RestBox, b: &RestBox) -> f64 {
    let between = (a.center - b.center).abs();
    let reach = a.half + b.half;
    let sure = between - reach - (between + reach + f64::MIN_POSITIVE) * REST_GAP_ERROR;
    (sure.max(DVec3::ZERO).length() * (1.0 - REST_GAP_ERROR)).min(1e150)
}

/// A lower bound of the distance of two triangles; 0 if they touch.
pub(super) fn triangle_gap(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let nearest = triangle_distance(a, b);
    gap_along(nearest.on_b - nearest.on_a, nearest.on_a, a, b)
}

/// A lower bound of the distance of two triangles: the gap between their projections along
/// any direction. It is the distance, up to rounding, if the direction is that between their
/// nearest points.
///
/// With u = 2^-53: for a direction n and a point o, n.(p - o) errs by less than 4u of
/// |n| |p - o|, the gap by twice that, and the quotient by 4u of itself.
fn gap_along(direction: DVec3, from: DVec3, a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let length = direction.length();
    let along = |p: &DVec3| direction.dot(*p - from);
    let end_of_a = a.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let start_of_b = b.iter().map(along).fold(f64::INFINITY, f64::min);
    let reach = a.iter().chain(b).map(|p| p.distance_squared(from)).fold(0.0, f64::max).sqrt();
    let sure = (start_of_b - end_of_a) / length - REST_GAP_ERROR * reach;
    // Short directions lose digits to underflow.
    if length > 1e-140 && sure > 0.0 { (sure * (1.0 - REST_GAP_ERROR)).min(f64::MAX) } else { 0.0 }
}
