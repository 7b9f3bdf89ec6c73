//! Two things whose trees are descended together, as a front sees them.

use std::cell::Cell;

use glam::DVec3;

use super::super::Work;
use super::super::traverse::NodePair;
use crate::body::Collide;
use crate::contact::{Margin, touch_margin, triangles_touch};
use crate::numeric::F64_SLACK;
use crate::volume::{Aabb, Apart};

/// What a descent comes to below a pair of nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Below {
    /// Two nodes, and how far their volumes are apart, never more than they are; 0 if they overlap.
    Nodes(NodePair, f64),
    /// Two primitives whose nodes overlap.
    Primitives([u32; 2]),
}

/// Two things with trees over primitives.
///
/// Guarantee of an implementation: from the starts, opening all pairs of nodes without a gap comes to
/// every pair of primitives that counts, once, unless it is below a pair with a gap.
pub(crate) trait Sides {
    /// Where a descent starts.
    fn start(&self, work: &mut Work, visit: &mut impl FnMut(Below));

    /// What is below two nodes that overlap.
    fn open(&self, pair: NodePair, work: &mut Work, visit: &mut impl FnMut(Below));

    /// How far two nodes are apart; `None` if it costs less to open them at once.
    fn gap(&self, pair: NodePair, work: &mut Work) -> Option<f64>;

    /// Whether two primitives touch.
    fn touch(&self, pair: [u32; 2]) -> bool;

    /// Whether two primitives touch, and by which margin. One that is `enough` is not made longer.
    fn margin(&self, pair: [u32; 2], enough: f64) -> Margin;
}

/// A body, with the triangles that were moved last: a triangle is in many pairs.
pub(crate) struct Moved<'a, A> {
    body: &'a A,
    /// By number; none if it costs little to move them.
    kept: Vec<Cell<(u32, [DVec3; 3])>>,
}

/// Triangles that are kept.
const KEPT: usize = 256;

impl<'a, A: Collide> Moved<'a, A> {
    pub(crate) fn new(body: &'a A, keeps: bool) -> Self {
        let none = Cell::new((u32::MAX, [DVec3::ZERO; 3]));
        Self { body, kept: vec![none; if keeps { KEPT } else { 0 }] }
    }

    #[inline]
    fn triangle(&self, number: u32) -> [DVec3; 3] {
        let Some(slot) = self.kept.get(number as usize % KEPT) else {
            return self.body.triangle(number);
        };
        let (own, corners) = slot.get();
        if own == number {
            return corners;
        }
        let corners = self.body.triangle(number);
        slot.set((number, corners));
        corners
    }
}

/// The triangles of two bodies.
pub(crate) struct TwoBodies<'a, A, B> {
    pub(crate) a: Moved<'a, A>,
    pub(crate) b: Moved<'a, B>,
}

impl<A, B> Sides for TwoBodies<'_, A, B>
where
    A: Collide<Volume = Aabb>,
    B: Collide<Volume = Aabb>,
{
    fn start(&self, work: &mut Work, visit: &mut impl FnMut(Below)) {
        visit(Below::Nodes([0, 0], bound_gap((self.a.body, self.b.body), [0, 0], work)));
    }

    fn open(&self, pair: NodePair, work: &mut Work, visit: &mut impl FnMut(Below)) {
        open((self.a.body, self.b.body), pair, work, visit);
    }

    #[inline]
    fn gap(&self, pair: NodePair, work: &mut Work) -> Option<f64> {
        inner_gap((self.a.body, self.b.body), pair, work)
    }

    #[inline]
    fn touch(&self, [i, j]: [u32; 2]) -> bool {
        triangles_touch(&self.a.triangle(i), &self.b.triangle(j))
    }

    #[inline]
    fn margin(&self, [i, j]: [u32; 2], enough: f64) -> Margin {
        touch_margin(&self.a.triangle(i), &self.b.triangle(j), enough)
    }
}

/// The triangles of one body with each other, the smaller number first. Neighbours do not count.
pub(crate) struct OneBody<'a, A>(pub(crate) Moved<'a, A>);

impl<A: Collide> OneBody<'_, A> {
    #[inline]
    fn count(&self, [i, j]: [u32; 2]) -> Option<Below> {
        (!self.0.body.adjacent(i, j)).then(|| Below::Primitives([i.min(j), i.max(j)]))
    }
}

impl<A: Collide<Volume = Aabb>> Sides for OneBody<'_, A> {
    /// Any two leaves part at one node, in two of its children: see
    /// [`self_intersections`](crate::self_intersections).
    fn start(&self, work: &mut Work, visit: &mut impl FnMut(Below)) {
        let body = self.0.body;
        let tree = body.tree();
        for node in &tree.nodes {
            if node.is_leaf() {
                let own = tree.leaf_primitives(*node);
                for (at, &i) in own.iter().enumerate() {
                    own[at + 1..].iter().filter_map(|&j| self.count([i, j])).for_each(&mut *visit);
                }
                continue;
            }
            let children = node.range();
            for pair in children.clone().flat_map(|a| (a + 1..children.end).map(move |b| [a, b])) {
                visit(Below::Nodes(pair, bound_gap((body, body), pair, work)));
            }
        }
    }

    fn open(&self, pair: NodePair, work: &mut Work, visit: &mut impl FnMut(Below)) {
        open((self.0.body, self.0.body), pair, work, &mut |below| match below {
            Below::Primitives(pair) => self.count(pair).into_iter().for_each(&mut *visit),
            nodes => visit(nodes),
        });
    }

    #[inline]
    fn gap(&self, pair: NodePair, work: &mut Work) -> Option<f64> {
        inner_gap((self.0.body, self.0.body), pair, work)
    }

    #[inline]
    fn touch(&self, [i, j]: [u32; 2]) -> bool {
        triangles_touch(&self.0.triangle(i), &self.0.triangle(j))
    }

    #[inline]
    fn margin(&self, [i, j]: [u32; 2], enough: f64) -> Margin {
        touch_margin(&self.0.triangle(i), &self.0.triangle(j), enough)
    }
}

/// The children of both nodes, or their triangles.
fn open<A, B>((a, b): (&A, &B), [i, j]: NodePair, work: &mut Work, visit: &mut impl FnMut(Below))
where
    A: Collide<Volume = Aabb>,
    B: Collide<Volume = Aabb>,
{
    let (node_a, node_b) = (a.tree().node(i), b.tree().node(j));
    if node_a.is_leaf() && node_b.is_leaf() {
        for &s in a.tree().leaf_primitives(node_a) {
            for &t in b.tree().leaf_primitives(node_b) {
                visit(Below::Primitives([s, t]));
            }
        }
        return;
    }
    let children_a = if node_a.is_leaf() { i..i + 1 } else { node_a.range() };
    let children_b = if node_b.is_leaf() { j..j + 1 } else { node_b.range() };
    work.bounds += u64::from(node_a.count() * !node_a.is_leaf() as u32);
    for child_a in children_a {
        let around = a.bound(child_a);
        for child_b in children_b.clone() {
            work.bounds += 1;
            work.overlap_tests += 1;
            visit(Below::Nodes([child_a, child_b], gap(&around, &b.bound(child_b))));
        }
    }
}

/// The gap of two nodes, of which one is not a leaf: a bound on demand may look at the vertices of many
/// leaves, where two will do.
#[inline]
fn inner_gap<A, B>((a, b): (&A, &B), pair: NodePair, work: &mut Work) -> Option<f64>
where
    A: Collide<Volume = Aabb>,
    B: Collide<Volume = Aabb>,
{
    let are_leaves = a.tree().node(pair[0]).is_leaf() && b.tree().node(pair[1]).is_leaf();
    (!are_leaves).then(|| bound_gap((a, b), pair, work))
}

fn bound_gap<A, B>((a, b): (&A, &B), [i, j]: NodePair, work: &mut Work) -> f64
where
    A: Collide<Volume = Aabb>,
    B: Collide<Volume = Aabb>,
{
    work.bounds += 2;
    work.overlap_tests += 1;
    gap(&a.bound(i), &b.bound(j))
}

/// How far two volumes are apart, never more than they are; 0 if they overlap.
#[inline(always)]
pub(crate) fn gap<A: Apart<B>, B>(a: &A, b: &B) -> f64 {
    a.distance_squared_to(b).sqrt() * (1.0 - F64_SLACK)
}
