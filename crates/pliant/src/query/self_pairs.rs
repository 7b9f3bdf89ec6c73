//! Which triangles of one body touch one another.

use super::Work;
use super::pair_limit::PairLimit;
use super::pairs::{Intersections, all_pairs};
use super::traverse::{BoundedTree, NodePair};
use crate::Result;
use crate::body::{Collide, Refitted};
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
    self_intersections_within(body, &PairLimit::none())
}

/// As [`self_intersections`], but stops where more pairs touch than are asked for, as
/// [`intersections_up_to`](super::intersections_up_to) does.
///
/// # Errors
/// [`Error::TooManyPairs`](crate::Error::TooManyPairs) if more than `most` pairs touch.
pub fn self_intersections_up_to<A: Collide>(body: &A, most: usize) -> Result<Intersections>
where
    A::Volume: Overlap<A::Volume>,
{
    PairLimit::up_to(most, |limit| self_intersections_within(body, limit))
}

/// As [`self_intersections`]. Pairs are missing if the limit is exceeded, and only then.
pub(crate) fn self_intersections_within<A: Collide>(body: &A, limit: &PairLimit) -> Intersections
where
    A::Volume: Overlap<A::Volume>,
{
    match body.refitted() {
        Some(body) => within_refitted(&body, limit),
        None => pairs_within(body, limit, &|[i, j]| !body.adjacent(i, j)),
    }
}

/// As [`self_intersections_within`], compiled once for all bodies that are refitted as a whole.
#[inline(never)]
fn within_refitted(body: &Refitted<'_>, limit: &PairLimit) -> Intersections {
    pairs_within(body, limit, &|[i, j]| !body.adjacent(i, j))
}

/// All pairs of touching triangles of one body that count, in canonical order.
pub(super) fn pairs_within<A: Collide>(
    body: &A,
    limit: &PairLimit,
    counts: &(impl Fn([u32; 2]) -> bool + Sync),
) -> Intersections
where
    A::Volume: Overlap<A::Volume>,
{
    let mut found = Intersections::default();
    add_pairs_below(body, vec![0], Vec::new(), &mut found, limit, counts);
    sort_pairs(&mut found);
    found
}

/// Adds all touching pairs of triangles that count and are below one of some nodes, or below
/// the two nodes of one of some pairs whose volumes overlap.
///
/// The pairs are in no particular order, nor are the triangles of a pair.
pub(crate) fn add_pairs_below<A: Collide>(
    body: &A,
    nodes: Vec<u32>,
    mut starts: Vec<NodePair>,
    found: &mut Intersections,
    limit: &PairLimit,
    counts: &(impl Fn([u32; 2]) -> bool + Sync),
) where
    A::Volume: Overlap<A::Volume>,
{
    let Intersections { pairs, work } = found;
    let meets = |a: &A::Volume, b: &A::Volume| a.overlaps(b);
    starts.append(&mut starts_below(body, nodes, work, (|_| true, meets), |[i, j], work| {
        if counts([i, j]) {
            work.primitive_tests += 1;
            if triangles_touch(&body.triangle(i), &body.triangle(j)) {
                pairs.push([i, j]);
            }
        }
    }));
    all_pairs(body, body, starts, found, limit, counts);
}

/// Puts pairs of triangles of one body in canonical order: the smaller number first, and the
/// pairs ascending.
pub(crate) fn sort_pairs(found: &mut Intersections) {
    found.pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    found.pairs.sort_unstable();
}

/// Pairs of nodes that meet and that cover all pairs of triangles below each of some nodes, except
/// those within one leaf, which are shown to `test`. What is below nodes that do not matter is left out.
///
/// Any two leaves part at one node, in two of its children. So all pairs of children of one
/// node, traversed as if they were two bodies, meet every pair of leaves once.
#[inline]
pub(super) fn starts_below<A: BoundedTree>(
    body: &A,
    mut open: Vec<u32>,
    work: &mut Work,
    (matters, meets): (impl Fn(u32) -> bool, impl Fn(&A::Volume, &A::Volume) -> bool),
    mut test: impl FnMut([u32; 2], &mut Work),
) -> Vec<NodePair> {
    let tree = body.tree();
    let mut starts = Vec::new();
    while let Some(number) = open.pop() {
        if !matters(number) {
            continue;
        }
        let node = tree.node(number);
        if node.is_leaf() {
            let own = tree.leaf_primitives(node);
            for (at, &i) in own.iter().enumerate() {
                own[at + 1..].iter().for_each(|&j| test([i, j], work));
            }
            continue;
        }
        open.extend(node.range());
        for a in node.range() {
            let volume = body.bound(a);
            work.bounds += 1;
            for b in a + 1..node.range().end {
                work.bounds += 1;
                work.overlap_tests += 1;
                if meets(&volume, &body.bound(b)) {
                    starts.push([a, b]);
                }
            }
        }
    }
    starts
}
