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
use crate::tree::{BuildSettings, Tree, check_build};
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
    /// The slot in which the winner of each slot takes part, or `u32::MAX`.
    above: Vec<u32>,
    /// Where the contestants of each slot begin, then where the last ones end.
    starts: Vec<u32>,
    contestants: Vec<Contestant>,
}

/// With more contestants than this a slot is not decided again where one certificate with the new
/// contestant is enough.
const MANY: u32 = 8;

impl Planes {
    fn new(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Self {
        let own = box_tree_build::own_sides(tree, mesh, flight);
        let mut first = Vec::with_capacity(own.len());
        let mut sides = Vec::new();
        for &own in &own {
            first.push(sides.len() as u32);
            sides.extend((0..6).filter(|side| own >> side & 1 == 1));
        }
        let mut planes = Self {
            parents: parents(tree),
            above: vec![u32::MAX; sides.len()],
            own,
            first,
            sides,
            starts: vec![0],
            contestants: Vec::new(),
        };
        for node in 0..tree.nodes.len() as u32 {
            let own = planes.own[node as usize];
            for side in (0..6).filter(|side| own >> side & 1 == 1) {
                let first = planes.contestants.len();
                planes.gather(tree, mesh, node, side);
                let mut own = planes.contestants.split_off(first);
                own.sort_unstable_by_key(order);
                own.dedup();
                planes.contestants.extend(own);
                planes.starts.push(planes.contestants.len() as u32);
            }
        }
        planes
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
    fn gather(&mut self, tree: &Tree, mesh: &Mesh, node: u32, side: usize) {
        let slot = self.slot_of(node, side);
        let mut open = vec![node];
        while let Some(number) = open.pop() {
            if number != node && self.owns(number, side) {
                let below = self.slot_of(number, side);
                self.contestants.push(Contestant::Winner(below));
                self.above[below as usize] = slot;
                continue;
            }
            let found = tree.node(number);
            if found.is_leaf() {
                for &triangle in tree.leaf_primitives(found) {
                    let corners = mesh.triangles()[triangle as usize];
                    self.contestants.extend(corners.map(Contestant::Vertex));
                }
            } else {
                open.extend(found.range());
            }
        }
    }
}

/// Vertices before winners, then by number.
fn order(contestant: &Contestant) -> (bool, u32) {
    match *contestant {
        Contestant::Vertex(vertex) => (false, vertex),
        Contestant::Winner(slot) => (true, slot),
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
        let mut open = 0b11_1111u8;
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
        Some(self.above[slot as usize]).filter(|&above| above != u32::MAX)
    }

    fn contestants(&self, slot: u32, tell: impl FnMut(Contestant)) {
        let slot = slot as usize;
        let own = &self.contestants[self.starts[slot] as usize..self.starts[slot + 1] as usize];
        own.iter().copied().for_each(tell);
    }

    fn has_many(&self, slot: u32) -> bool {
        let slot = slot as usize;
        self.starts[slot + 1] - self.starts[slot] > MANY
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
}
