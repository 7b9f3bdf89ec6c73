//! Fronts: where the last descent of two trees ended, kept for the next.
//!
//! A descent ends at pairs of nodes whose volumes are apart, and at pairs of primitives that touch or
//! do not. A [`Front`] keeps these pairs, each with the motion that it outlasts: volumes with a gap
//! stay apart until what is below them moved by that gap, and the answer of two primitives stays
//! within their [margin](crate::contact::Margin). As long as both sides moved less, a pair is not
//! looked at. When it is, its volumes or primitives are asked as they are now, and the descent goes on
//! from there. (Certificates that expire with motion: Guibas, Nguyen, Russel and Zhang 2002,
//! section 4.1, for necklaces; fronts: Li and Chen 1998.)
//!
//! Motion is known for each patch of a body ([`Patches`]): the motion of a pair is that of its two
//! patches together.
//!
//! [`Sides`] says what is descended: two bodies, one body with itself, beads and a body.
//!
//! Guarantee: the pairs that a descent from scratch finds, if no computed vertex or bead of a patch
//! moved farther than [`Travel`] says, since the front was made.
//!
//! A front goes down only. It rises by being made again: [`Front::is_spent`] tells when.

mod patches;
mod sides;
mod watched;

pub(crate) use patches::{Patches, PerPatch, Travel};
pub(crate) use sides::{Below, Moved, OneBody, Sides, TwoBodies, gap};

use super::Work;
use super::traverse::NodePair;
use crate::contact::Margin;
use crate::numeric::round_up;
use watched::{HOT, Watched, outlasts};

/// The pairs at which a descent of two trees ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Front {
    /// Pairs of nodes whose boxes were apart.
    nodes: Watched,
    /// Pairs of primitives that do not touch.
    clear: Watched,
    /// Pairs of primitives that touch.
    touching: Watched,
    /// The pairs that touch, in ascending order.
    sorted: Vec<[u32; 2]>,
    /// How many pairs there were when it was made.
    made: usize,
    /// How many queries followed.
    queries: usize,
    /// The places of pairs that are due: of nodes, of clear and of touching primitives.
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

    /// The pairs of primitives that touch, in ascending order.
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
        let lists = [&mut self.nodes, &mut self.clear, &mut self.touching];
        for (list, due) in lists.into_iter().zip(&mut self.due) {
            list.due([&of_a, &of_b], due);
        }
        let [nodes, clear, touching] = self.due.each_ref().map(|due| due.len() as u64);
        (5 * (clear + touching) + 4 * nodes) / 2 + self.len() as u64 / 25
    }

    /// The front of both sides as they are; `None` if it has more than `most` pairs.
    pub(crate) fn new(
        sides: &impl Sides,
        travel: [Travel<'_>; 2],
        most: usize,
        work: &mut Work,
    ) -> Option<Self> {
        let mut made = Self::default();
        let mut stack = Vec::new();
        let mut primitives = Vec::new();
        sides.start(work, &mut |below| made.meet(below, travel, &mut stack, &mut primitives));
        made.test(sides, travel, &mut primitives, work);
        made.descend(sides, travel, &mut stack, most, work);
        for list in [&mut made.nodes, &mut made.clear, &mut made.touching] {
            list.sort();
        }
        made.sorted.clone_from(&made.touching.pairs);
        made.sorted.sort_unstable();
        made.made = made.len();
        (made.len() <= most).then_some(made)
    }

    /// Looks at what was [found to be due](Front::find_due) after the same motion. Afterwards it is the
    /// front of both sides as they are, unless it has more than `most` pairs.
    pub(crate) fn follow(
        &mut self,
        sides: &impl Sides,
        travel: [Travel<'_>; 2],
        most: usize,
        work: &mut Work,
    ) {
        self.queries += 1;
        let turn = self.queries;
        // What a pair of primitives is, and until when.
        let look = |own: &Watched, at: usize, work: &mut Work| {
            let pair = own.pairs[at];
            work.primitive_tests += 1;
            if own.until(at) == HOT && !(at + turn).is_multiple_of(COOLING) {
                return (sides.touch(pair), HOT);
            }
            let (moved, step) = motion(travel, own.patches(at));
            let Margin { touch, length } = sides.margin(pair, ENOUGH * step);
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
            match sides.gap(pair, work) {
                Some(gap) if gap > 0.0 => {
                    let (moved, _) = motion(travel, self.nodes.patches(at));
                    self.nodes.set_until(at, outlasts(moved, gap));
                }
                _ => {
                    self.nodes.remove(at);
                    stack.push(pair);
                }
            }
        }
        self.descend(sides, travel, &mut stack, most, work);
        exchange(&mut self.sorted, lost.pairs, self.touching.pairs[before..].to_vec());
    }

    /// Goes down from pairs of nodes that overlap, until the front has more than `most` pairs.
    fn descend(
        &mut self,
        sides: &impl Sides,
        travel: [Travel<'_>; 2],
        stack: &mut Vec<NodePair>,
        most: usize,
        work: &mut Work,
    ) {
        let mut primitives = Vec::new();
        while let Some(pair) = stack.pop() {
            if self.len() > most {
                return;
            }
            sides.open(pair, work, &mut |below| self.meet(below, travel, stack, &mut primitives));
            self.test(sides, travel, &mut primitives, work);
        }
    }

    /// Keeps nodes that are apart; the others and primitives wait to be looked at.
    #[inline(always)]
    fn meet(
        &mut self,
        below: Below,
        travel: [Travel<'_>; 2],
        stack: &mut Vec<NodePair>,
        primitives: &mut Vec<[u32; 2]>,
    ) {
        match below {
            Below::Nodes(pair, gap) if gap > 0.0 => {
                let [a, b] = travel;
                let patches = [a.patches.of_node(pair[0]), b.patches.of_node(pair[1])];
                let (moved, _) = motion(travel, patches);
                self.nodes.add(pair, patches, outlasts(moved, gap));
            }
            Below::Nodes(pair, _) => stack.push(pair),
            Below::Primitives(pair) => primitives.push(pair),
        }
    }

    /// Tests pairs of primitives and keeps them.
    fn test(
        &mut self,
        sides: &impl Sides,
        travel: [Travel<'_>; 2],
        primitives: &mut Vec<[u32; 2]>,
        work: &mut Work,
    ) {
        for pair in primitives.drain(..) {
            let [a, b] = travel;
            let patches = [a.patches.of_primitive(pair[0]), b.patches.of_primitive(pair[1])];
            let (moved, step) = motion(travel, patches);
            work.primitive_tests += 1;
            let Margin { touch, length } = sides.margin(pair, ENOUGH * step);
            let list = if touch { &mut self.touching } else { &mut self.clear };
            list.add(pair, patches, outlasts(moved, length));
        }
    }
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
            own.set_until(at, until);
        } else {
            changed.add(own.pairs[at], own.patches(at), until);
            own.remove(at);
        }
    }
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
