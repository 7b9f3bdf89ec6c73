//! Fronts: where the last descent of two trees ended, kept for the next.
//!
//! A descent ends at pairs of nodes whose boxes are apart, and at pairs of triangles that touch or
//! do not. A [`Front`] keeps these pairs, each with the motion that it outlasts: boxes with a gap
//! stay apart until what is below them moved by that gap, and the answer of two triangles stays
//! within their [margin](crate::contact::Margin). As long as the bodies moved less, a pair is not
//! looked at. When it is, its boxes or triangles are asked as they are now, and the descent goes on
//! from there. (Certificates that expire with motion: Guibas, Nguyen, Russel and Zhang 2002,
//! section 4, for necklaces; fronts: Li and Chen 1998.)
//!
//! Guarantee: the pairs of [`intersections`](crate::intersections), if `moved` is at least what the
//! computed vertices of both bodies moved together, farthest vertex each, since the front was made.
//!
//! A front goes down only. It rises by being made again: [`Front::is_spent`] tells when.

use super::Work;
use super::traverse::NodePair;
use crate::body::Collide;
use crate::contact::{Margin, touch_margin, triangles_touch};
use crate::numeric::{F64_SLACK, round_down, round_up};
use crate::volume::{Aabb, Apart as _};

/// The pairs at which a descent of two trees ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Front {
    /// Pairs of nodes whose boxes were apart.
    nodes: Watched,
    /// Pairs of triangles that do not touch.
    clear: Watched,
    /// Pairs of triangles that touch.
    touching: Watched,
    /// The pairs that touch, in ascending order.
    sorted: Vec<[u32; 2]>,
    /// How many pairs there were when it was made.
    made: usize,
    /// Margins are not made longer than this.
    enough: f64,
    /// How many queries followed, and the motion up to the last.
    queries: usize,
    moved: f64,
    /// Pairs of indices that a look found to be due, and memory to work in.
    due: Vec<u32>,
}

/// Pairs, and until which motion of both bodies together each of them stays what it is.
///
/// A pair of triangles with a margin shorter than a step is due in every query, and then the margin
/// costs more than the answer. Such a pair is [`HOT`]: it is tested without a margin, except now
/// and then.
#[derive(Debug, Clone, Default)]
struct Watched {
    pairs: Vec<[u32; 2]>,
    until: Vec<f32>,
}

/// So many steps are enough for a margin: the rest of its cost is better spent later.
const ENOUGH: f64 = 16.0;

/// Before every motion: always due.
const HOT: f32 = f32::NEG_INFINITY;

/// The margin of a hot pair is computed once in so many queries.
const COOLING: usize = 16;

impl Watched {
    fn add(&mut self, pair: [u32; 2], until: f32) {
        self.pairs.push(pair);
        self.until.push(until);
    }

    fn append(&mut self, other: &Self) {
        self.pairs.extend_from_slice(&other.pairs);
        self.until.extend_from_slice(&other.until);
    }

    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn remove(&mut self, at: usize) {
        self.pairs.swap_remove(at);
        self.until.swap_remove(at);
    }

    /// The pairs that do not outlast a motion, replacing what is in `due`.
    fn due(&self, moved: f32, due: &mut Vec<u32>) {
        const BLOCK: usize = 32;
        due.clear();
        for (block, until) in self.until.chunks(BLOCK).enumerate() {
            // Without a branch per pair: few blocks have one that is due.
            if until.iter().fold(false, |any, &until| any | (until <= moved)) {
                let first = (block * BLOCK) as u32;
                let own = (first..).zip(until).filter(|&(_, &until)| until <= moved);
                due.extend(own.map(|(at, _)| at));
            }
        }
    }

    fn count_due(&self, moved: f32) -> usize {
        self.until.iter().map(|&until| usize::from(until <= moved)).sum()
    }
}

/// The motion that a pair outlasts which is looked at now.
#[inline(always)]
fn outlasts(moved: f64, margin: f64) -> f32 {
    round_down(moved + margin).min(f32::MAX)
}

impl Front {
    /// How many pairs it holds.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() + self.clear.len() + self.touching.len()
    }

    /// The pairs of triangles that touch, in ascending order.
    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.sorted
    }

    /// Whether it has grown so much that a new one is better.
    pub(crate) fn is_spent(&self) -> bool {
        self.len() > 2 * self.made + 1024
    }

    /// How many pairs must be looked at after a motion.
    pub(crate) fn count_due(&self, moved: f64) -> usize {
        let moved = round_up(moved);
        [&self.nodes, &self.clear, &self.touching].iter().map(|own| own.count_due(moved)).sum()
    }

    /// The front of two bodies as they are, for steps of about this length; `None` if it has more than
    /// `most` pairs.
    pub(crate) fn new<A, B>(a: &A, b: &B, step: f64, most: usize, work: &mut Work) -> Option<Self>
    where
        A: Collide<Volume = Aabb>,
        B: Collide<Volume = Aabb>,
    {
        let mut made = Self { enough: ENOUGH * step, ..Self::default() };
        let mut stack = vec![[0, 0]];
        work.bounds += 2;
        work.overlap_tests += 1;
        let gap = gap(&a.bound(0), &b.bound(0));
        if gap > 0.0 {
            stack.clear();
            made.nodes.add([0, 0], outlasts(0.0, gap));
        }
        made.descend((a, b), &mut stack, 0.0, most, work);
        made.sorted.clone_from(&made.touching.pairs);
        made.sorted.sort_unstable();
        made.made = made.len();
        (made.len() <= most).then_some(made)
    }

    /// Looks at what is due after a motion. Afterwards it is the front of two bodies as they are,
    /// unless it has more than `most` pairs.
    pub(crate) fn follow<A, B>(&mut self, a: &A, b: &B, moved: f64, most: usize, work: &mut Work)
    where
        A: Collide<Volume = Aabb>,
        B: Collide<Volume = Aabb>,
    {
        let limit = round_up(moved);
        let step = moved - self.moved;
        self.queries += 1;
        self.moved = moved;
        self.enough = ENOUGH * step;
        let (turn, enough) = (self.queries, self.enough);
        // What a pair of triangles is, and until when.
        let look = |at: u32, pair: [u32; 2], until: f32, work: &mut Work| {
            if until == HOT && !(at as usize + turn).is_multiple_of(COOLING) {
                return (touches(a, b, pair, work), HOT);
            }
            let Margin { touch, length } = ask(a, b, pair, enough, work);
            (touch, if length > step { outlasts(moved, length) } else { HOT })
        };
        let (mut lost, mut gained) = (Watched::default(), Watched::default());
        let mut due = std::mem::take(&mut self.due);
        self.touching.due(limit, &mut due);
        for &at in due.iter().rev() {
            let own = &mut self.touching;
            let (pair, until) = (own.pairs[at as usize], own.until[at as usize]);
            let (touch, until) = look(at, pair, until, work);
            if touch {
                own.until[at as usize] = until;
            } else {
                own.remove(at as usize);
                lost.add(pair, until);
            }
        }
        self.clear.due(limit, &mut due);
        for &at in due.iter().rev() {
            let own = &mut self.clear;
            let (pair, until) = (own.pairs[at as usize], own.until[at as usize]);
            let (touch, until) = look(at, pair, until, work);
            if touch {
                own.remove(at as usize);
                gained.add(pair, until);
            } else {
                own.until[at as usize] = until;
            }
        }
        self.nodes.due(limit, &mut due);
        self.clear.append(&lost);
        let before = self.touching.len();
        self.touching.append(&gained);
        let mut stack = Vec::new();
        for &at in due.iter().rev() {
            let pair = self.nodes.pairs[at as usize];
            work.bounds += 2;
            work.overlap_tests += 1;
            let gap = gap(&a.bound(pair[0]), &b.bound(pair[1]));
            if gap > 0.0 {
                self.nodes.until[at as usize] = outlasts(moved, gap);
            } else {
                self.nodes.remove(at as usize);
                stack.push(pair);
            }
        }
        self.descend((a, b), &mut stack, moved, most, work);
        self.due = due;
        exchange(&mut self.sorted, lost.pairs, self.touching.pairs[before..].to_vec());
    }

    /// Goes down from pairs of nodes whose boxes overlap, until the front has more than `most` pairs.
    fn descend<A, B>(
        &mut self,
        (a, b): (&A, &B),
        stack: &mut Vec<NodePair>,
        moved: f64,
        most: usize,
        work: &mut Work,
    ) where
        A: Collide<Volume = Aabb>,
        B: Collide<Volume = Aabb>,
    {
        while let Some([i, j]) = stack.pop() {
            if self.len() > most {
                return;
            }
            let (node_a, node_b) = (a.tree().node(i), b.tree().node(j));
            if node_a.is_leaf() && node_b.is_leaf() {
                for &s in a.tree().leaf_primitives(node_a) {
                    for &t in b.tree().leaf_primitives(node_b) {
                        let Margin { touch, length } = ask(a, b, [s, t], self.enough, work);
                        let list = if touch { &mut self.touching } else { &mut self.clear };
                        list.add([s, t], outlasts(moved, length));
                    }
                }
                continue;
            }
            let children_a = if node_a.is_leaf() { i..i + 1 } else { node_a.range() };
            let children_b = if node_b.is_leaf() { j..j + 1 } else { node_b.range() };
            work.bounds += u64::from(node_a.count() * !node_a.is_leaf() as u32);
            for child_a in children_a {
                let around = a.bound(child_a);
                for child_b in children_b.clone() {
                    work.bounds += 1;
                    work.overlap_tests += 1;
                    let gap = gap(&around, &b.bound(child_b));
                    if gap > 0.0 {
                        self.nodes.add([child_a, child_b], outlasts(moved, gap));
                    } else {
                        stack.push([child_a, child_b]);
                    }
                }
            }
        }
    }
}

/// How far two boxes are apart, never more than they are; 0 if they overlap.
#[inline(always)]
fn gap(a: &Aabb, b: &Aabb) -> f64 {
    a.distance_squared_to(b).sqrt() * (1.0 - F64_SLACK)
}

#[inline(always)]
fn ask<A, B>(a: &A, b: &B, [i, j]: [u32; 2], enough: f64, work: &mut Work) -> Margin
where
    A: Collide,
    B: Collide,
{
    work.primitive_tests += 1;
    touch_margin(&a.triangle(i), &b.triangle(j), enough)
}

#[inline(always)]
fn touches<A: Collide, B: Collide>(a: &A, b: &B, [i, j]: [u32; 2], work: &mut Work) -> bool {
    work.primitive_tests += 1;
    triangles_touch(&a.triangle(i), &b.triangle(j))
}

/// Takes some pairs out of an ascending list and puts others in.
fn exchange(sorted: &mut Vec<[u32; 2]>, mut lost: Vec<[u32; 2]>, mut gained: Vec<[u32; 2]>) {
    lost.sort_unstable();
    gained.sort_unstable();
    if !lost.is_empty() {
        let mut lost = lost.iter().peekable();
        sorted.retain(|pair| lost.next_if_eq(&pair).is_none());
    }
    if !gained.is_empty() {
        // Both runs ascend: a stable sort merges them in one pass.
        sorted.append(&mut gained);
        sorted.sort();
    }
}
