//! The kinetic BoxTree of Zachmann and Weller (2006, section 6).
//!
//! A node is cut by two planes across one axis: the first child ends at one plane, the second
//! child begins at the other. So each child adds one side to the sides of its parent, and the root
//! has six sides of its own. Some nodes have further sides, which cut off what is empty. A box is
//! handed down: it is the parent's with the node's own sides in place of the parent's. There are
//! fewer sides than in a kinetic AABB tree, but a contest may have many contestants: everything
//! below the node that is not below another slot of the same side.

use std::sync::Arc;

use super::box_tree_build;
use super::certificate::Side;
use super::sides::Sides;
use super::tournament::{Contestant, Contests, EventCount};
use crate::bound::Bounds;
use crate::bound::flight::{FlightBounds, parents};
use crate::deform::Flight;
use crate::memo::Memo;
use crate::tree::{BuildSettings, EditedTree, NO_NODE, Tree, check_build};
use crate::volume::{Aabb, Volume as _};
use crate::{Error, Mesh, Result};

/// Two planes per inner node, and some more where boxes would be much too large, kept up to date by
/// events. Boxes are implicit. For binary trees, which it builds in its own way: the split of the
/// settings has no influence.
///
/// Boxes are valid at every moment. They are looser than those of
/// [`KineticAabb`](super::KineticAabb): most sides of a node are those of ancestors.
#[derive(Debug, Clone)]
pub struct KineticBox {
    sides: Sides<Planes>,
    /// Boxes at the current time.
    known: Memo<Aabb>,
}

/// The slots of all nodes, in the order of the nodes and for each in the order of [`Side::number`].
#[derive(Debug)]
struct Planes {
    parents: Vec<u32>,
    /// The own sides of each node, a bit for each.
    own: Vec<u8>,
    /// The first slot of each node.
    first: Vec<u32>,
    /// The number of the side of each slot.
    sides: Vec<u8>,
    /// The slot in which the winner of each slot takes part, or [`NO_SLOT`].
    above: Vec<u32>,
    /// Where the vertices and the slots further down that take part in each slot begin, then where the last
    /// ones end.
    starts: Vec<[u32; 2]>,
    /// The vertices that take part, slot by slot, ascending.
    vertices: Vec<u32>,
    /// The slots whose winners take part, slot by slot, ascending.
    below: Vec<u32>,
}

/// With more contestants than this a slot is not decided again where one certificate with the new
/// contestant is enough.
const MANY: usize = 8;

/// No slot.
const NO_SLOT: u32 = u32::MAX;

/// The bits of all six sides.
const ALL_SIDES: u8 = 0b11_1111;

/// Memory to gather contestants in.
#[derive(Default)]
struct Scratch {
    open: Vec<u32>,
    found: Vec<u32>,
}

impl Planes {
    fn new(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Self {
        let mut planes =
            Self::without_contestants(tree, box_tree_build::own_sides(tree, mesh, flight));
        let mut scratch = Scratch::default();
        for (node, side) in planes.slots_in_order() {
            planes.gather(tree, mesh, (node, side), &mut scratch);
        }
        planes
    }

    /// The slots for the own sides of all nodes.
    fn without_contestants(tree: &Tree, own: Vec<u8>) -> Self {
        let mut first = Vec::with_capacity(own.len());
        let mut sides = Vec::new();
        for &own in &own {
            first.push(sides.len() as u32);
            sides.extend((0..6).filter(|side| own >> side & 1 == 1));
        }
        Self {
            parents: parents(tree),
            above: vec![NO_SLOT; sides.len()],
            own,
            first,
            sides,
            starts: vec![[0; 2]],
            vertices: Vec::new(),
            below: Vec::new(),
        }
    }

    /// Node and side of every slot.
    fn slots_in_order(&self) -> Vec<(u32, usize)> {
        let nodes = (0..).zip(&self.own);
        let sides = |own: u8| (0..6).filter(move |side| own >> side & 1 == 1);
        nodes.flat_map(|(node, &own)| sides(own).map(move |side| (node, side))).collect()
    }

    /// The planes of an edited tree. Nodes that stay keep their sides, and take over those of a parent that
    /// went; new nodes have six. Returns also the old slot of each slot, or [`NO_SLOT`], and the
    /// slots whose contestants are others than before.
    fn edited(&self, edited: &EditedTree, mesh: &Mesh) -> (Self, Vec<u32>, Vec<u32>) {
        let tree = &edited.tree;
        let parents = parents(tree);
        let own = (0..).zip(&edited.from).map(|(node, &old)| {
            if node == 0 || old == NO_NODE {
                return ALL_SIDES;
            }
            let end = edited.from[parents[node] as usize];
            let mut own = self.own[old as usize];
            let mut above = self.parents[old as usize];
            while above != end && above != 0 {
                own |= self.own[above as usize];
                above = self.parents[above as usize];
            }
            own
        });
        let mut made = Self::without_contestants(tree, own.collect());
        let slots = made.slots_in_order();
        let mut from = vec![NO_SLOT; slots.len()];
        let mut to = vec![NO_SLOT; self.sides.len()];
        for (slot, &(node, side)) in slots.iter().enumerate() {
            let old = edited.from[node as usize];
            if old != NO_NODE && self.owns(old, side) {
                from[slot] = self.slot_of(old, side);
                to[from[slot] as usize] = slot as u32;
            }
        }
        let mut differs = vec![false; slots.len()];
        let nearest = edited.changed.iter().flat_map(|&node| made.slots_of(node));
        nearest.for_each(|slot| differs[slot as usize] = true);
        for (slot, &(node, side)) in slots.iter().enumerate() {
            if from[slot] == NO_SLOT {
                differs[slot] = true;
                // What is below a new slot took part in the one above.
                let above = made.slots_of(made.parents[node as usize])[side];
                differs[above as usize] = true;
            }
        }
        let mut scratch = Scratch::default();
        for (slot, &(node, side)) in slots.iter().enumerate() {
            if differs[slot] {
                made.gather(tree, mesh, (node, side), &mut scratch);
                continue;
            }
            let [vertices, below] = self.lists(from[slot]);
            made.vertices.extend(vertices);
            for &old in below {
                let new = to[old as usize];
                made.below.push(new);
                made.above[new as usize] = slot as u32;
            }
            made.end_slot();
        }
        let changed = (0..).zip(&differs).filter(|&(_, &differs)| differs).map(|(slot, _)| slot);
        (made, from, changed.collect())
    }

    /// Ends the contestants of a slot.
    fn end_slot(&mut self) {
        self.starts.push([self.vertices.len() as u32, self.below.len() as u32]);
    }

    #[inline]
    fn owns(&self, node: u32, side: usize) -> bool {
        self.own[node as usize] >> side & 1 == 1
    }

    /// The slot of a side that a node owns.
    #[inline]
    fn slot_of(&self, node: u32, side: usize) -> u32 {
        let before = self.own[node as usize] & ((1 << side) - 1);
        self.first[node as usize] + before.count_ones()
    }

    /// Adds the contestants for an own side of a node: other slots of that side below it, and the
    /// vertices that are not below such a slot.
    fn gather(
        &mut self,
        tree: &Tree,
        mesh: &Mesh,
        (node, side): (u32, usize),
        Scratch { open, found }: &mut Scratch,
    ) {
        let slot = self.slot_of(node, side);
        let first = self.below.len();
        found.clear();
        open.push(node);
        while let Some(number) = open.pop() {
            if number != node && self.owns(number, side) {
                let below = self.slot_of(number, side);
                self.below.push(below);
                self.above[below as usize] = slot;
                continue;
            }
            let node = tree.node(number);
            if node.is_leaf() {
                let triangles = tree.leaf_primitives(node).iter();
                found.extend(triangles.flat_map(|&triangle| mesh.triangles()[triangle as usize]));
            } else {
                open.extend(node.range());
            }
        }
        self.below[first..].sort_unstable();
        found.sort_unstable();
        found.dedup();
        self.vertices.extend(&*found);
        self.end_slot();
    }

    /// The vertices that take part in a slot, and the slots further down whose winners do.
    #[inline]
    fn lists(&self, slot: u32) -> [&[u32]; 2] {
        let ([v, w], [v_end, w_end]) = (self.starts[slot as usize], self.starts[slot as usize + 1]);
        [&self.vertices[v as usize..v_end as usize], &self.below[w as usize..w_end as usize]]
    }
}

impl Contests for Planes {
    fn slots(&self) -> usize {
        self.starts.len() - 1
    }

    /// The nearest slot of each side on the way up.
    #[inline]
    fn slots_of(&self, node: u32) -> [u32; 6] {
        let mut slots = [0, 1, 2, 3, 4, 5];
        let mut open = ALL_SIDES;
        let mut number = node;
        while number != 0 && open != 0 {
            for (side, slot) in slots.iter_mut().enumerate() {
                if open >> side & 1 == 1 && self.owns(number, side) {
                    open &= !(1 << side);
                    *slot = self.slot_of(number, side);
                }
            }
            number = self.parents[number as usize];
        }
        slots
    }

    fn side(&self, slot: u32) -> Side {
        Side::number(usize::from(self.sides[slot as usize]))
    }

    fn above(&self, slot: u32) -> Option<u32> {
        Some(self.above[slot as usize]).filter(|&above| above != NO_SLOT)
    }

    fn contestants(&self, slot: u32, mut tell: impl FnMut(Contestant)) {
        let [vertices, below] = self.lists(slot);
        vertices.iter().for_each(|&vertex| tell(Contestant::Vertex(vertex)));
        below.iter().for_each(|&slot| tell(Contestant::Winner(slot)));
    }

    #[inline]
    fn has_many(&self, slot: u32) -> bool {
        self.lists(slot).iter().map(|list| list.len()).sum::<usize>() > MANY
    }
}

impl KineticBox {
    /// What events did so far.
    #[must_use]
    pub fn count(&self) -> EventCount {
        self.sides.count()
    }

    /// The number of sides that events keep up to date; a kinetic AABB tree has six per node.
    #[must_use]
    pub fn sides(&self) -> usize {
        self.sides.contests().slots()
    }

    /// The bounds of an edited tree: what stays keeps its winners and events.
    pub(super) fn edited(&self, edited: &EditedTree, mesh: &Arc<Mesh>, flight: &Flight) -> Self {
        let (planes, from, changed) = self.sides.contests().edited(edited, mesh);
        let from = |slot: u32| Some(from[slot as usize]).filter(|&old| old != NO_SLOT);
        let sides = self.sides.edited(planes, (&edited.tree, mesh), flight, from, changed);
        Self { sides, known: Memo::new(edited.tree.nodes.len()) }
    }

    /// Decides all sides slot by slot.
    #[cfg(test)]
    pub(super) fn restart_by_slots(&mut self, flight: &Flight) {
        self.sides.restart_by_slots(flight);
        self.known.forget();
    }

    /// The parent's box with the node's own sides. Queries ask for parents first, whose boxes are
    /// known then; else the way up is as long as the tree is deep.
    fn hand_down(&self, flight: &Flight, node: u32) -> Aabb {
        let planes = self.sides.contests();
        let above = match node {
            0 => Aabb::EVERYWHERE,
            _ => self.bound(flight, planes.parents[node as usize]),
        };
        let [mut low, mut high] = above.corners();
        for side in (0..6).filter(|&side| planes.owns(node, side)) {
            let at = self.sides.place(flight, planes.slot_of(node, side), side);
            if side < 3 { low[side] = at } else { high[side - 3] = at }
        }
        // Numbers of the parent's box are those of `f32` already, and stay.
        Aabb::from_corners(low, high)
    }
}

impl Bounds<Flight> for KineticBox {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, flight: &Flight, node: u32) -> Aabb {
        if !self.sides.is_bounded() {
            return Aabb::EVERYWHERE;
        }
        self.known.get_or(node as usize, || self.hand_down(flight, node))
    }
}

impl FlightBounds for KineticBox {
    /// The construction of a BoxTree, over the mesh where it is now.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] if a node could have more than two children.
    fn build(mesh: &Mesh, flight: &Flight, settings: &BuildSettings) -> Result<Tree> {
        check_build(mesh.triangles().len(), settings)?;
        check_arity(settings.arity)?;
        Ok(box_tree_build::build(mesh, flight, settings.leaf_size))
    }

    /// # Errors
    /// [`Error::InvalidSetting`] if a node has more than two children.
    fn fit(tree: &Arc<Tree>, mesh: &Arc<Mesh>, flight: &Flight) -> Result<Self> {
        let most = tree.nodes.iter().filter(|n| !n.is_leaf()).map(|n| n.count()).max();
        check_arity(most.unwrap_or(2) as usize)?;
        let sides = Sides::new(Planes::new(tree, mesh, flight), tree, mesh, flight);
        Ok(Self { sides, known: Memo::new(tree.nodes.len()) })
    }

    fn advance(&mut self, _: &Tree, _: &Mesh, flight: &mut Flight, time: f64) -> Result<()> {
        self.sides.advance(flight, time)?;
        self.known.forget();
        Ok(())
    }

    fn restart(&mut self, _: &Tree, _: &Mesh, flight: &Flight) {
        self.sides.restart(flight);
        self.known.forget();
    }

    fn replan(&mut self, _: &Tree, _: &Mesh, flight: &Flight, vertices: &[u32]) {
        self.sides.replan(flight, vertices);
        self.known.forget();
    }
}

fn check_arity(value: usize) -> Result<()> {
    let (setting, range) = ("arity", "2 for box trees");
    if value > 2 { Err(Error::InvalidSetting { setting, value, range }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::Keyframes;
    use crate::test_meshes::bumpy_sheet;
    use crate::{Body, Collide as _};

    /// A box that is handed down has the sides that the way up to the root finds, in any order.
    #[test]
    fn boxes_are_those_of_the_nearest_planes() {
        let mesh = bumpy_sheet(9, 0.0);
        let frames = [0.3, 2.3].map(|phase| bumpy_sheet(9, phase).positions().to_vec()).to_vec();
        let flight = Flight::keyframed(Keyframes::new(vec![0.0, 1.0], frames).unwrap());
        let mut body = Body::<_, KineticBox>::flying(mesh, flight, &Default::default()).unwrap();
        let nodes = body.tree().nodes.len();
        assert!(body.bounds.sides() < 4 * nodes, "{} sides", body.bounds.sides());
        for time in [0.0, 0.4, 0.9, 1.0] {
            body.advance(time).unwrap();
            for node in (0..nodes as u32).rev() {
                let climbed = body.bounds.sides.bound(&body.deformation, node);
                assert_eq!(body.bound(node), climbed, "{node} at {time}");
            }
        }
    }
    /// Past a keyframe there are the events that a restart finds, for all slots whose contestants are the same,
    /// and most winners stay.
    #[test]
    fn a_keyframe_keeps_winners_and_finds_their_failures() {
        let frames = [0.0, 0.7, 1.9, 2.4, 2.4].map(|at| bumpy_sheet(9, at).positions().to_vec());
        let keyframes = Keyframes::new(vec![0.0, 1.0, 2.0, 3.0, 4.0], frames.to_vec()).unwrap();
        let (mesh, flight) = (bumpy_sheet(9, 0.0), Flight::keyframed(keyframes));
        let mut body = Body::<_, KineticBox>::flying(mesh, flight, &Default::default()).unwrap();
        let mut events = 0;
        for knot in [1.0_f64, 2.0, 3.0, 4.0] {
            body.advance(knot.next_down()).unwrap();
            let held = body.bounds.sides.state().0;
            body.advance(knot).unwrap();
            let (winners, failures) = body.bounds.sides.state();
            let changed = held.iter().zip(&winners).filter(|(a, b)| a != b).count();
            assert!(changed * 100 < held.len(), "{changed} of {} at {knot}", held.len());
            let mut anew = body.clone();
            anew.bounds.restart_by_slots(&anew.deformation);
            let (others, expected) = anew.bounds.sides.state();
            for slot in 0..winners.len() {
                let below = body.bounds.sides.contests().lists(slot as u32)[1].iter();
                let mut all = below.map(|&slot| slot as usize).chain([slot]);
                if all.all(|slot| winners[slot] == others[slot]) {
                    assert_eq!(failures[slot], expected[slot], "slot {slot} at {knot}");
                    events += usize::from(failures[slot].is_finite());
                }
            }
        }
        assert!(events > 50, "{events}");
    }
}
