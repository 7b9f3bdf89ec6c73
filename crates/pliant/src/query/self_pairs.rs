//! Which triangles of one body touch one another.

use rayon::prelude::*;

use super::clearance::{Doubtful, Undecided};
use super::pairs::{Intersections, all_pairs};
use super::traverse::NodePair;
use crate::body::Collide;
use crate::contact::triangles_touch;
use crate::volume::Overlap;

/// All pairs of touching triangles within one body, except those that share a
/// place at rest.
///
/// Guarantee: the same pairs as
/// [`brute_force::self_intersections`](super::brute_force::self_intersections),
/// and the same bits for any number of threads.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3};
/// let corners = vec![
///     DVec3::ZERO, DVec3::X, DVec3::Y, // a triangle, its neighbour,
///     DVec3::X + DVec3::Y, // and one that cuts through both
///     DVec3::new(0.5, 0.5, -1.0), DVec3::new(0.4, 0.6, 1.0), DVec3::new(0.6, 0.4, 1.0),
/// ];
/// let body = Body::rigid(Mesh::new(corners, vec![[0, 1, 2], [1, 3, 2], [4, 5, 6]])?)?;
/// assert_eq!(pliant::self_intersections(&body).pairs, [[0, 2], [1, 2]]);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn self_intersections<A: Collide>(body: &A) -> Intersections
where
    A::Volume: Overlap<A::Volume>,
{
    let mut found = Intersections::default();
    let below = |mut starts: Vec<NodePair>, nodes: Vec<u32>, found: &mut Intersections| {
        starts.append(&mut starts_below(body, nodes, found));
        all_pairs(body, body, starts, found, &|[i, j]| !body.adjacent(i, j));
    };
    match body.clearance() {
        None => below(Vec::new(), vec![0], &mut found),
        Some(clearance) => {
            let undecided = clearance.undecided(body, &mut found.work);
            let decide = |undecided: &[Undecided]| {
                let mut part = Intersections::default();
                let Doubtful { nodes, pairs } = clearance.doubtful(undecided, body, &mut part.work);
                below(pairs, nodes, &mut part);
                part
            };
            let parts: Vec<Intersections> =
                if undecided.len() < 4 * SHARED || rayon::current_num_threads() == 1 {
                    vec![decide(&undecided)]
                } else {
                    undecided.par_chunks(SHARED).map(decide).collect()
                };
            for mut part in parts {
                found.pairs.append(&mut part.pairs);
                found.work += part.work;
            }
        }
    }
    for pair in &mut found.pairs {
        pair.sort_unstable();
    }
    found.pairs.sort_unstable();
    found
}

/// Undecided pairs of patches that are handed out to a thread at once: below a few of these,
/// waking others costs more than the query.
const SHARED: usize = 64;

/// Pairs of overlapping nodes below which, or within one leaf, are all pairs of triangles
/// below each of some nodes. Those within one leaf are tested here.
///
/// Any two leaves part at one node, in two of its children: all pairs of
/// children of one node, descended as if they were two bodies, meet every
/// pair of leaves once.
fn starts_below<A: Collide>(
    body: &A,
    mut open: Vec<u32>,
    found: &mut Intersections,
) -> Vec<NodePair>
where
    A::Volume: Overlap<A::Volume>,
{
    let tree = body.tree();
    let mut starts = Vec::new();
    while let Some(number) = open.pop() {
        let node = tree.node(number);
        if node.is_leaf() {
            let own = tree.leaf_primitives(node);
            for (at, &i) in own.iter().enumerate() {
                own[at + 1..].iter().for_each(|&j| test(body, found, i, j));
            }
            continue;
        }
        open.extend(node.range());
        for a in node.range() {
            let volume = body.bound(a);
            found.work.bounds += 1;
            for b in a + 1..node.range().end {
                found.work.bounds += 1;
                found.work.overlap_tests += 1;
                if volume.overlaps(&body.bound(b)) {
                    starts.push([a, b]);
                }
            }
        }
    }
    starts
}

/// Tests two triangles of one leaf.
fn test<A: Collide>(body: &A, found: &mut Intersections, i: u32, j: u32) {
    if body.adjacent(i, j) {
        return;
    }
    found.work.primitive_tests += 1;
    if triangles_touch(&body.triangle(i), &body.triangle(j)) {
        found.pairs.push([i.min(j), i.max(j)]);
    }
}
