//! The kinetic BoxTree of Zachmann and Weller (2006, section 6).
//!
//! A node is cut by two planes across one axis: the first child ends at one, the second begins
//! at the other. So each child adds one side to what it has from its parent, the root has six of
//! its own, and a box is read off the way up. There is a third as many sides to keep as in
//! a kinetic AABB tree, but a contest may have many contestants: all that is below and not
//! below another slot of the same side.

use glam::{DVec3, Vec3A};

use super::kinetic_crossing::{Segment, Side, allowance, is_bounded};
use super::kinetic_leaves::{LeavesOfVertices, parents};
use super::kinetic_tournament::{Contestant, Contests, EventCount, Tournament};
use super::{Bounds, FlightBounds};
use crate::deform::Flight;
use crate::tree::{Tree, level_of_nodes, primitive_runs};
use crate::volume::Aabb;
use crate::{Error, Mesh, Result};

/// Two planes a node, kept up to date by events; boxes are implicit. For binary trees.
///
/// Valid at every moment. Boxes are looser than those of [`KineticAabb`](super::KineticAabb):
/// five of a node's six sides are an ancestor's.
#[derive(Debug, Clone)]
pub struct KineticBox {
    tournament: Tournament<Planes>,
    leaves: LeavesOfVertices,
    height: u32,
    allowance: f64,
    bounded: bool,
}

/// Six slots of the root, then one slot a node: that of node n is n + 5.
#[derive(Debug, Clone)]
struct Planes {
    parents: Vec<u32>,
    /// The number of the side that each node's slot is about; the root's is not used.
    sides: Vec<u8>,
    above: Vec<u32>,
    /// Where each slot's contestants begin, and where the last end.
    starts: Vec<u32>,
    contestants: Vec<Contestant>,
}

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
            let own = &mut planes.contestants[first..];
            own.sort_unstable_by_key(order);
            let mut kept: Vec<_> = own.to_vec();
            kept.dedup();
            planes.contestants.truncate(first);
            planes.contestants.extend(kept);
            planes.starts.push(planes.contestants.len() as u32);
        }
        planes
    }

    fn side_number(&self, slot: u32) -> usize {
        if slot < 6 { slot as usize } else { usize::from(self.sides[slot as usize - 5]) }
    }

    /// All that competes for a slot of a node: further slots of that side, else vertices.
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

    /// The slots of a node's six sides: the nearest on the way up.
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
}

fn order(contestant: &Contestant) -> (bool, u32) {
    match *contestant {
        Contestant::Vertex(vertex) => (false, vertex),
        Contestant::Winner(slot) => (true, slot),
    }
}

/// For each node the side towards its sibling, across the axis along which the two are farthest
/// apart now.
fn sides(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Vec<u8> {
    // Middles of the triangles' corners, summed over runs.
    let corners = |&triangle: &u32| {
        let corners = mesh.triangles()[triangle as usize];
        corners.iter().map(|&v| flight.position_at(flight.now(), v)).sum::<DVec3>() / 3.0
    };
    let mut sums = vec![DVec3::ZERO];
    for middle in tree.primitives.iter().map(corners) {
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
        // The lower child ends at its high side, the upper one begins at its low side.
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

    fn is_wide(&self, slot: u32) -> bool {
        let slot = slot as usize;
        self.starts[slot + 1] - self.starts[slot] > 8
    }
}

impl KineticBox {
    /// What events did so far.
    #[must_use]
    pub fn count(&self) -> EventCount {
        self.tournament.count
    }

    fn follow(&mut self, flight: &Flight) {
        self.allowance = allowance(flight, self.height);
        self.bounded = is_bounded(flight);
    }
}

impl Bounds<Flight> for KineticBox {
    type Volume = Aabb;

    fn bound(&self, flight: &Flight, node: u32) -> Aabb {
        if !self.bounded {
            return Aabb { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };
        }
        let slots = self.tournament.contests.slots_of(node);
        let at = |number: usize| {
            let (winner, side) = (self.tournament.winner(slots[number]), Side::number(number));
            side.sign * (Segment::value(flight, flight.now(), side, winner) + self.allowance)
        };
        Aabb::from_corners(DVec3::new(at(0), at(1), at(2)), DVec3::new(at(3), at(4), at(5)))
    }
}

impl FlightBounds for KineticBox {
    fn made(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Result<Self> {
        let widest = tree.nodes.iter().filter(|n| !n.is_leaf()).map(|n| n.count()).max();
        if let Some(value) = widest.map(|count| count as usize).filter(|&count| count > 2) {
            return Err(Error::InvalidSetting {
                setting: "arity",
                value,
                range: "2 for box trees",
            });
        }
        let tournament = Tournament::new(Planes::new(tree, mesh, flight), flight);
        let leaves = LeavesOfVertices::new(tree, mesh);
        let height = level_of_nodes(tree).into_iter().max().unwrap_or(0) + 1;
        let mut made = Self { tournament, leaves, height, allowance: 0.0, bounded: false };
        made.follow(flight);
        Ok(made)
    }

    fn advance(&mut self, _: &Tree, _: &Mesh, flight: &mut Flight, time: f64) -> Result<()> {
        let time = flight.check_advance(time)?;
        if self.bounded {
            self.tournament.advance(flight, time);
        }
        flight.advance(time)
    }

    fn restart(&mut self, _: &Tree, _: &Mesh, flight: &Flight) {
        self.tournament.restart(flight, *flight.now());
    }

    fn replan(&mut self, _: &Tree, _: &Mesh, flight: &Flight, vertices: &[u32]) {
        self.follow(flight);
        let planes = &self.tournament.contests;
        let leaves = vertices.iter().flat_map(|&vertex| self.leaves.of(vertex));
        // A leaf takes part in the slots of its own six sides.
        let slots = leaves.flat_map(|&leaf| planes.slots_of(leaf)).collect();
        self.tournament.replan(flight, vertices, slots);
    }
}
