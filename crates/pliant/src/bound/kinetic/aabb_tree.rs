//! The kinetic AABB tree of Zachmann and Weller (2006, section 4).

use glam::Vec3A;

use super::kinetic_crossing::{Segment, Side, allowance, is_bounded};
use super::kinetic_leaves::{LeavesOfVertices, parents};
use super::kinetic_queue::{EventQueue, IndexedHeap};
use super::kinetic_tournament::{Contestant, Contests, EventCount, Tournament};
use super::{Bounds, FlightBounds};
use crate::deform::Flight;
use crate::tree::{Tree, level_of_nodes};
use crate::volume::Aabb;
use crate::{Mesh, Result};

/// For each node the vertices that realise the six sides of its box, kept up to date by events.
///
/// Valid at every moment. Guarantee: a box contains the computed vertices below the node, and
/// reaches past them by at most 2^-44 of the flight's largest coordinate for each level
/// of the tree, rounded outward to `f32`.
///
/// ```
/// use pliant::{Body, Mesh, bound::KineticAabb, deform::{Course, Flight}, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let courses = mesh.positions().iter().map(|&p| Course::linear(0.0, p, -p)).collect::<Vec<_>>();
/// let flight = Flight::along(&courses, 0.0, 2.0)?; // to zero and beyond
/// let mut body = Body::<_, KineticAabb>::flying(mesh, flight, &Default::default())?;
/// body.advance(2.0)?;
/// assert_eq!(body.bounds().count().events, 4); // low and high sides of x and y
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KineticAabb<Q = IndexedHeap> {
    tournament: Tournament<Sides, Q>,
    leaves: LeavesOfVertices,
    /// Certificates between a vertex and a winner above it, at the most.
    height: u32,
    /// What a box reaches past the winner, for slacks.
    allowance: f64,
    /// Whether coordinates are small enough for their differences to be numbers.
    bounded: bool,
}

/// Six slots a node.
#[derive(Debug, Clone)]
struct Sides {
    tree: Tree,
    triangles: Vec<[u32; 3]>,
    parents: Vec<u32>,
}

impl Contests for Sides {
    fn slots(&self) -> usize {
        self.parents.len() * 6
    }

    #[inline]
    fn side(&self, slot: u32) -> Side {
        Side::number(slot as usize % 6)
    }

    #[inline]
    fn above(&self, slot: u32) -> Option<u32> {
        let (node, side) = (slot / 6, slot % 6);
        (node != 0).then(|| self.parents[node as usize] * 6 + side)
    }

    #[inline]
    fn contestants(&self, slot: u32, mut tell: impl FnMut(Contestant)) {
        let (number, side) = (slot / 6, slot % 6);
        let node = self.tree.node(number);
        if node.is_leaf() {
            for &triangle in self.tree.leaf_primitives(node) {
                let corners = self.triangles[triangle as usize];
                corners.into_iter().for_each(|vertex| tell(Contestant::Vertex(vertex)));
            }
        } else {
            node.range().for_each(|child| tell(Contestant::Winner(child * 6 + side)));
        }
    }

    #[inline]
    fn is_wide(&self, _: u32) -> bool {
        false
    }
}

impl<Q> KineticAabb<Q> {
    /// What events did so far.
    #[must_use]
    pub fn count(&self) -> EventCount {
        self.tournament.count
    }

    /// The events to come.
    #[must_use]
    pub fn queue(&self) -> &Q {
        &self.tournament.queue
    }

    fn follow(&mut self, flight: &Flight) {
        self.allowance = allowance(flight, self.height);
        self.bounded = is_bounded(flight);
    }
}

impl<Q: EventQueue> Bounds<Flight> for KineticAabb<Q> {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, flight: &Flight, node: u32) -> Aabb {
        if !self.bounded {
            return Aabb { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };
        }
        let at = |side: u32| {
            let winner = self.tournament.winner(node * 6 + side);
            let side = Side::number(side as usize);
            side.sign * (Segment::value(flight, flight.now(), side, winner) + self.allowance)
        };
        Aabb::from_corners(
            glam::DVec3::new(at(0), at(1), at(2)),
            glam::DVec3::new(at(3), at(4), at(5)),
        )
    }
}

impl<Q: EventQueue> FlightBounds for KineticAabb<Q> {
    fn made(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Result<Self> {
        let parents = parents(tree);
        let sides = Sides { tree: tree.clone(), triangles: mesh.triangles().to_vec(), parents };
        let tournament = Tournament::new(sides, flight);
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
        let slots = |&vertex: &u32| {
            let leaves = self.leaves.of(vertex).iter();
            leaves.flat_map(|&leaf| (0..6).map(move |side| leaf * 6 + side))
        };
        let slots = vertices.iter().flat_map(slots).collect();
        self.tournament.replan(flight, vertices, slots);
    }
}
