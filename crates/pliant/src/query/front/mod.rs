//! Fronts: where the last descent of two trees ended, kept for the next.
//!
//! A descent ends at pairs of nodes whose boxes are apart, and at pairs of triangles that touch or
//! do not. A [`Front`] keeps these pairs, each with the motion that it outlasts: boxes with a gap
//! stay apart until what is below them moved by that gap, and the answer of two triangles stays
//! within their [margin](crate::contact::Margin). As long as the bodies moved less, a pair is not
//! looked at. When it is, its boxes or triangles are asked as they are now, and the descent goes on
//! from there. (Certificates that expire with motion: Guibas, Nguyen, Russel and Zhang 2002,
//! section 4.1, for necklaces; fronts: Li and Chen 1998.)
//!
//! Motion is known for each patch of a body ([`Patches`]): the motion of a pair is that of its two
//! patches together.
//!
//! Guarantee: the pairs of [`intersections`](crate::intersections), if no computed vertex of a patch
//! moved farther than [`Travel`] says, since the front was made.
//!
//! A front goes down only. It rises by being made again: [`Front::is_spent`] tells when.

mod patches;
mod watched;

pub(crate) use patches::{Patches, PerPatch, Travel};

use super::Work;
use super::traverse::NodePair;
use crate::body::Collide;
use crate::contact::{Margin, touch_margin, triangles_touch};
use crate::numeric::{F64_SLACK, round_up};
use crate::volume::{Aabb, Apart as _};
use watched::{HOT, Watched, outlasts};

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
    /// How many queries followed.
    queries: usize,
    /// The places of pairs that are due: of nodes, of clear and of touching triangles.
    due: [Vec<u32>; 3],
}

/// So many steps are enough for a margin: the rest of its cost is better spent later.
const ENOUGH: f64 = 8.0;

/// A pair with a margin of fewer steps is [`HOT`]: a margin costs about as much as two tests.
const COLD: f64 = 2.0;

/// The margin of a hot pair is computed once in so many queries.
const COOLING: usize = 16;

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

    /// Finds the pairs that must be looked at after a motion, for [`Front::follow`]. Returns about
    /// what that costs, in tests of two triangles from scratch.
    pub(crate) fn find_due(&mut self, travel: [Travel<'_>; 2]) -> u64 {
        let [of_a, of_b] = travel.map(|own| own.moved.map(round_up));
        let lists = [&self.nodes, &self.clear, &self.touching];
        for (list, due) in lists.iter().zip(&mut self.due) {
            list.due([&of_a, &of_b], due);
        }
        let [nodes, clear, touching] = self.due.each_ref().map(|due| due.len() as u64);
        (5 * (clear + touching) + 4 * nodes) / 2 + self.len() as u64 / 25
    }

    /// The front of two bodies as they are; `None` if it has more than `most` pairs.
    pub(crate) fn new<A, B>(
        (a, b): (&A, &B),
        travel: [Travel<'_>; 2],
        most: usize,
        work: &mut Work,
    ) -> Option<Self>
    where
        A: Collide<Volume = Aabb>,
        B: Collide<Volume = Aabb>,
    {
        let mut made = Self::default();
        let mut stack = vec![[0, 0]];
        work.bounds += 2;
        work.overlap_tests += 1;
        let gap = gap(&a.bound(0), &b.bound(0));
        if gap > 0.0 {
            stack.clear();
            made.nodes.add([0, 0], node_patches(travel, [0, 0]), outlasts(0.0, gap));
        }
        made.descend((a, b), travel, &mut stack, most, work);
        made.sorted.clone_from(&made.touching.pairs);
        made.sorted.sort_unstable();
        made.made = made.len();
        (made.len() <= most).then_some(made)
    }

    /// Looks at what was [found to be due](Front::find_due) after the same motion. Afterwards it is the front of two bodies as they are,
    /// unless it has more than `most` pairs.
    pub(crate) fn follow<A, B>(
        &mut self,
        (a, b): (&A, &B),
        travel: [Travel<'_>; 2],
        most: usize,
        work: &mut Work,
    ) where
        A: Collide<Volume = Aabb>,
        B: Collide<Volume = Aabb>,
    {
        self.queries += 1;
        let turn = self.queries;
        // What a pair of triangles is, and until when.
        let look = |own: &Watched, at: usize, work: &mut Work| {
            let pair = own.pairs[at];
            if own.until[at] == HOT && !(at + turn).is_multiple_of(COOLING) {
                return (touches(a, b, pair, work), HOT);
            }
            let (moved, step) = motion(travel, own.patches(at));
            let Margin { touch, length } = ask(a, b, pair, ENOUGH * step, work);
            (touch, if length > COLD * step { outlasts(moved, length) } else { HOT })
        };
        let (mut lost, mut gained) = (Watched::default(), Watched::default());
        let [due_nodes, due_clear, due_touching] = &self.due;
        look_again(&mut self.touching, due_touching, &mut lost, |own, at| look(own, at, work));
        look_again(&mut self.clear, due_clear, &mut gained, |own, at| {
            let (touch, until) = look(own, at, work);
            (!touch, until)
        });
        self.clear.append(&lost);
        let before = self.touching.len();
        self.touching.append(&gained);
        let mut stack = Vec::new();
        for &at in due_nodes.iter().rev() {
            let at = at as usize;
            let pair = self.nodes.pairs[at];
            if a.tree().node(pair[0]).is_leaf() && b.tree().node(pair[1]).is_leaf() {
                // A bound on demand may look at the vertices of many leaves; here two will do.
                self.nodes.remove(at);
                stack.push(pair);
                continue;
            }
            work.bounds += 2;
            work.overlap_tests += 1;
            let gap = gap(&a.bound(pair[0]), &b.bound(pair[1]));
            if gap > 0.0 {
                let (moved, _) = motion(travel, self.nodes.patches(at));
                self.nodes.until[at] = outlasts(moved, gap);
            } else {
                self.nodes.remove(at);
                stack.push(pair);
            }
        }
        self.descend((a, b), travel, &mut stack, most, work);
        exchange(&mut self.sorted, lost.pairs, self.touching.pairs[before..].to_vec());
    }

    /// Goes down from pairs of nodes whose boxes overlap, until the front has more than `most` pairs.
    fn descend<A, B>(
        &mut self,
        (a, b): (&A, &B),
        travel: [Travel<'_>; 2],
        stack: &mut Vec<NodePair>,
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
                        let [of_a, of_b] = travel;
                        let patches = [of_a.patches.of_triangle(s), of_b.patches.of_triangle(t)];
                        let (moved, step) = motion(travel, patches);
                        let Margin { touch, length } = ask(a, b, [s, t], ENOUGH * step, work);
                        let list = if touch { &mut self.touching } else { &mut self.clear };
                        list.add([s, t], patches, outlasts(moved, length));
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
                        let patches = node_patches(travel, [child_a, child_b]);
                        let (moved, _) = motion(travel, patches);
                        self.nodes.add([child_a, child_b], patches, outlasts(moved, gap));
                    } else {
                        stack.push([child_a, child_b]);
                    }
                }
            }
        }
    }
}

fn node_patches([a, b]: [Travel<'_>; 2], [i, j]: NodePair) -> [u8; 2] {
    [a.patches.of_node(i), b.patches.of_node(j)]
}

/// How far two patches moved together since the front was made, and in the last step.
#[inline(always)]
fn motion([a, b]: [Travel<'_>; 2], patches: [u8; 2]) -> (f64, f64) {
    let [i, j] = patches.map(usize::from);
    (a.moved[i] + b.moved[j], a.step[i] + b.step[j])
}

/// Looks at pairs that are due, whose places ascend. `stays` says whether a pair stays what it is,
/// and until when. The others move to `changed`.
fn look_again(
    own: &mut Watched,
    due: &[u32],
    changed: &mut Watched,
    mut stays: impl FnMut(&Watched, usize) -> (bool, f32),
) {
    for &at in due.iter().rev() {
        let at = at as usize;
        let (stays, until) = stays(own, at);
        if stays {
            own.until[at] = until;
        } else {
            changed.add(own.pairs[at], own.patches(at), until);
            own.remove(at);
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
