//! Which edges of touching triangles meet which triangles of the other surface.

use std::cmp::Ordering;

use glam::DVec3;

use super::numbers::NumberSet;
use crate::body::Surface;
use crate::contact::{EdgeHit, edge_hit, edge_lies_in, orient3d};
use crate::query::Work;
use crate::shape::{DisjointSets, NO_EDGE};

/// A pair of touching triangles as one of the surfaces sees it: its own triangle, the other, and the
/// number of the pair.
pub(super) type OwnPair = (u32, u32, u32);

/// An edge of one surface that meets a triangle of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    /// The edge, in the numbering of the mesh's connectivity.
    pub(super) edge: u32,
    /// The other triangle.
    pub(super) other: u32,
    /// How the edge meets it, from its smaller place to its larger.
    pub(super) how: EdgeHit,
    /// One of the pairs of triangles in which this happens.
    pub(super) pair: u32,
}

/// The edges of one surface that meet the other, by edge.
#[derive(Debug, Default)]
pub(super) struct EdgeHits {
    /// By ascending edge, then by other triangle, each once.
    hits: Vec<Hit>,
    /// The edges that have hits.
    edges: NumberSet<u32>,
    /// Pairs of which an edge lies in the other triangle, and the triangles at the edge on both sides
    /// of it.
    pub(super) folds: Vec<u32>,
    /// Pairs in which no edge of the own triangle meets the other.
    pub(super) unhit: Vec<OwnPair>,
}

impl EdgeHits {
    /// Tests the edges of the first triangle of each pair against the second, and joins pairs whose
    /// curves meet: a pair's curve goes on where an edge meets the other triangle, in every pair of
    /// the edge's triangles and that triangle.
    pub(super) fn new<S: Surface, T: Surface>(
        own: &S,
        other: &T,
        pairs: impl Iterator<Item = OwnPair>,
        joined: &mut DisjointSets,
        work: &mut Work,
    ) -> Self {
        let connectivity = own.mesh().connectivity();
        let mut hits = Vec::new();
        let mut beside = Vec::new();
        let mut unhit = Vec::new();
        for (i, j, pair) in pairs {
            let before = hits.len();
            let (corners, triangle) = (own.triangle(i), other.triangle(j));
            let places = own.mesh().places_of_triangles()[i as usize];
            let [a, b, c] = triangle;
            let sides = corners.map(|corner| orient3d(a, b, c, corner));
            for (side, edge) in connectivity.edges(i).into_iter().enumerate() {
                if edge == NO_EDGE {
                    continue;
                }
                let next = (side + 1) % 3;
                let (from, to) =
                    if places[side] < places[next] { (side, next) } else { (next, side) };
                let (p, q) = (corners[from], corners[to]);
                work.primitive_tests += 1;
                let found = edge_hit((p, q), (sides[from], sides[to]), &triangle);
                let Some(how) = found else { continue };
                hits.push(Hit { edge, other: j, how, pair });
                let is_in_plane = sides[from].is_eq() && sides[to].is_eq();
                if is_in_plane && edge_lies_in(p, q, &triangle) {
                    beside.push((edge, j, sides[(side + 2) % 3], pair));
                }
            }
            if hits.len() == before {
                unhit.push((i, j, pair));
            }
        }
        hits.sort_unstable_by_key(|hit| (hit.edge, hit.other, hit.pair));
        for same in hits.chunk_by(|a, b| (a.edge, a.other) == (b.edge, b.other)) {
            same.iter().for_each(|hit| joined.join(same[0].pair, hit.pair));
        }
        hits.dedup_by_key(|hit| (hit.edge, hit.other));
        let edges = hits.iter().map(|hit| hit.edge).collect();
        Self { hits, edges, folds: passing_folds(beside), unhit }
    }

    /// Whether an edge meets the other surface.
    pub(super) fn blocks(&self, edge: u32) -> bool {
        self.edges.contains(&edge)
    }

    /// All hits, a run per edge.
    pub(super) fn by_edge(&self) -> impl Iterator<Item = &[Hit]> {
        self.hits.chunk_by(|a, b| a.edge == b.edge)
    }
}

/// A pair for each edge that lies in another triangle and whose own triangles stand on both sides of
/// that: the surface passes through the other along the edge.
fn passing_folds(mut beside: Vec<(u32, u32, Ordering, u32)>) -> Vec<u32> {
    beside.sort_unstable();
    let groups = beside.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let has = |group: &[(u32, u32, Ordering, u32)], side| group.iter().any(|own| own.2 == side);
    groups
        .filter(|group| has(group, Ordering::Less) && has(group, Ordering::Greater))
        .map(|group| group[0].3)
        .collect()
}

/// Where an edge meets a triangle: 0 at its end at the smaller place, 1 at the other. Rounded; `None`
/// if the edge lies in the plane.
pub(super) fn share_of<T: Surface>([p, q]: [DVec3; 2], other: &T, hit: &Hit) -> Option<f64> {
    let [a, b, c] = other.triangle(hit.other);
    let normal = (b - a).cross(c - a);
    let (from, to) = (normal.dot(p - a), normal.dot(q - a));
    let share = from / (from - to);
    share.is_finite().then(|| share.clamp(0.0, 1.0))
}

/// The two ends of an edge of a surface, the one at the smaller place first.
pub(super) fn ends_of<S: Surface>(surface: &S, edge: u32) -> [DVec3; 2] {
    surface.mesh().connectivity().ends(edge).map(|place| surface.vertex(place))
}
