//! The kinetic BoxTree of Zachmann and Weller (2006, section 6).
//!
//! A node is cut by two planes across one axis: the first child ends at one plane, the second
//! child begins at the other. So each child adds one side to the sides of its parent, and the root
//! has six sides of its own. A box is read off on the way up to the root. There is one third as
//! many sides as in a kinetic AABB tree, but a contest may have many contestants: everything below
//! the node that is not below another slot of the same side.

use std::sync::Arc;

use glam::DVec3;

use super::certificate::Side;
use super::sides::Sides;
use super::tournament::{Contestant, Contests, EventCount};
use crate::bound::Bounds;
use crate::bound::flight::{FlightBounds, parents};
use crate::deform::Flight;
use crate::tree::{Tree, primitive_runs};
use crate::volume::Aabb;
use crate::{Error, Mesh, Result};

/// Two planes per inner node, kept up to date by events. Boxes are implicit. For binary trees.
///
/// Boxes are valid at every moment. They are looser than those of
/// [`KineticAabb`](super::KineticAabb): five of the six sides of a node are those of ancestors.
#[derive(Debug, Clone)]
pub struct KineticBox(Sides<Planes>);

/// Six slots of the root, then one slot per other node: that of node n is n + 5.
#[derive(Debug)]
struct Planes {
    parents: Vec<u32>,
    /// The number of the side of each node's slot. That of the root is not used.
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

/// The slot of a node that is not the root.
fn slot_of(node: u32) -> u32 {
    node + 5
}

impl Planes {
    fn new(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Self {
        let parents = parents(tree);
        let sides = sides(tree, mesh, flight);
        let mut planes = Self {
            above: vec![u32::MAX; tree.nodes.len() + 5],
            parents,
            sides,
            starts: vec![0],
            contestants: Vec::new(),
        };
        for slot in 0..tree.nodes.len() as u32 + 5 {
            let node = slot.saturating_sub(5);
            let first = planes.contestants.len();
            planes.gather(tree, mesh, slot, node);
            let mut own = planes.contestants.split_off(first);
            own.sort_unstable_by_key(order);
            own.dedup();
            planes.contestants.extend(own);
            planes.starts.push(planes.contestants.len() as u32);
        }
        planes
    }

    fn side_number(&self, slot: u32) -> usize {
        if slot < 6 { slot as usize } else { usize::from(self.sides[slot as usize - 5]) }
    }

    /// Adds the contestants for a slot of a node: other slots of that side below it, and the
    /// vertices that are not below such a slot.
    fn gather(&mut self, tree: &Tree, mesh: &Mesh, slot: u32, node: u32) {
        let side = self.side_number(slot);
        let mut open = vec![node];
        while let Some(number) = open.pop() {
            if number != node && usize::from(self.sides[number as usize]) == side {
                self.contestants.push(Contestant::Winner(slot_of(number)));
                self.above[slot_of(number) as usize] = slot;
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

/// For each node the side towards its sibling, across the axis along which the middles of the two
/// are farthest apart now.
fn sides(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Vec<u8> {
    // Prefix sums of the triangles' centroids.
    let centroid = |&triangle: &u32| {
        let corners = mesh.triangles()[triangle as usize];
        corners.iter().map(|&v| flight.position_at(flight.now(), v)).sum::<DVec3>() / 3.0
    };
    let mut sums = vec![DVec3::ZERO];
    for middle in tree.primitives.iter().map(centroid) {
        sums.push(sums[sums.len() - 1] + middle);
    }
    let runs = primitive_runs(tree);
    let middle = |node: u32| {
        let run = &runs[node as usize];
        (sums[run.end as usize] - sums[run.start as usize]) / f64::from(run.end - run.start)
    };
    let mut sides = vec![0; tree.nodes.len()];
    for node in tree.nodes.iter().filter(|node| !node.is_leaf()) {
        let first = node.range().start;
        let apart = middle(first + 1) - middle(first);
        let axis = (0..3).fold(0, |a, b| if apart[b].abs() > apart[a].abs() { b } else { a });
        // The lower child ends at its high side. The upper child begins at its low side.
        let (low, high) = (axis as u8, axis as u8 + 3);
        let pair = if apart[axis] >= 0.0 { [high, low] } else { [low, high] };
        sides[first as usize..first as usize + 2].copy_from_slice(&pair);
    }
    sides
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
            let side = usize::from(self.sides[number as usize]);
            if open >> side & 1 == 1 {
                open &= !(1 << side);
                slots[side] = slot_of(number);
            }
            number = self.parents[number as usize];
        }
        slots
    }

    fn side(&self, slot: u32) -> Side {
        Side::number(self.side_number(slot))
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
        self.0.count()
    }
}

impl Bounds<Flight> for KineticBox {
    type Volume = Aabb;

    fn bound(&self, flight: &Flight, node: u32) -> Aabb {
        self.0.bound(flight, node)
    }
}

impl FlightBounds for KineticBox {
    /// # Errors
    /// [`Error::InvalidSetting`] if a node has more than two children.
    fn fit(tree: &Arc<Tree>, mesh: &Arc<Mesh>, flight: &Flight) -> Result<Self> {
        let most = tree.nodes.iter().filter(|n| !n.is_leaf()).map(|n| n.count()).max();
        if let Some(value) = most.map(|count| count as usize).filter(|&count| count > 2) {
            let (setting, range) = ("arity", "2 for box trees");
            return Err(Error::InvalidSetting { setting, value, range });
        }
        Ok(Self(Sides::new(Planes::new(tree, mesh, flight), tree, mesh, flight)))
    }

    fn advance(&mut self, _: &Tree, _: &Mesh, flight: &mut Flight, time: f64) -> Result<()> {
        self.0.advance(flight, time)
    }

    fn restart(&mut self, _: &Tree, _: &Mesh, flight: &Flight) {
        self.0.restart(flight);
    }

    fn replan(&mut self, _: &Tree, _: &Mesh, flight: &Flight, vertices: &[u32]) {
        self.0.replan(flight, vertices);
    }
}
