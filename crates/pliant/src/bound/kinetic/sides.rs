//! What both kinetic trees share: the sides of their boxes, moved through time.

use std::sync::Arc;

use glam::{DVec3, Vec3A};

use super::certificate::{Side, allowance, is_bounded};
use super::tournament::{Contests, Earlier, EventCount, Tournament};
use crate::bound::flight::LeavesOfVertices;
use crate::deform::Flight;
use crate::tree::{Tree, level_of_nodes};
use crate::volume::Aabb;
use crate::{Mesh, Result};

/// The sides of the boxes of a body. Clones share the contests, and the winners until one of them
/// has an event.
#[derive(Debug)]
pub(super) struct Sides<C> {
    contests: Arc<C>,
    leaves: Arc<LeavesOfVertices>,
    tournament: Arc<Tournament>,
    /// The largest number of certificates between a vertex and a winner above it.
    height: u32,
    /// How far a box reaches past its winners, for slacks.
    allowance: f64,
    /// Whether coordinates are so small that no difference of two of them overflows.
    bounded: bool,
}

impl<C> Clone for Sides<C> {
    fn clone(&self) -> Self {
        Self {
            contests: Arc::clone(&self.contests),
            leaves: Arc::clone(&self.leaves),
            tournament: Arc::clone(&self.tournament),
            ..*self
        }
    }
}

impl<C: Contests> Sides<C> {
    pub(super) fn new(contests: C, tree: &Tree, mesh: &Mesh, flight: &Flight) -> Self {
        let height = level_of_nodes(tree).into_iter().max().unwrap_or(0) + 1;
        Self {
            tournament: Arc::new(Tournament::new(&contests, flight)),
            contests: Arc::new(contests),
            leaves: Arc::new(LeavesOfVertices::new(tree, mesh)),
            height,
            allowance: allowance(flight, height),
            bounded: is_bounded(flight),
        }
    }

    /// What events did so far.
    pub(super) fn count(&self) -> EventCount {
        self.tournament.count()
    }

    /// The box of a node at the flight's current time.
    #[inline]
    pub(super) fn bound(&self, flight: &Flight, node: u32) -> Aabb {
        if !self.bounded {
            return Aabb { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };
        }
        let slots = self.contests.slots_of(node);
        let at = |number: usize| self.place(flight, slots[number], number);
        Aabb::from_corners(DVec3::new(at(0), at(1), at(2)), DVec3::new(at(3), at(4), at(5)))
    }

    /// The contests.
    pub(super) fn contests(&self) -> &C {
        &self.contests
    }

    /// Whether coordinates are so small that boxes can be told.
    pub(super) fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// Where the side of a slot is, with what boxes are grown by.
    #[inline]
    pub(super) fn place(&self, flight: &Flight, slot: u32, number: usize) -> f64 {
        let (winner, side) = (self.tournament.winner(slot), Side::number(number));
        side.sign * (side.value(flight, flight.now(), winner) + self.allowance)
    }

    /// Moves the flight to a later time, and the sides through all events on the way.
    pub(super) fn advance(&mut self, flight: &mut Flight, time: f64) -> Result<()> {
        let time = flight.check_advance(time)?;
        if self.bounded && self.tournament.changes_until(time) {
            Arc::make_mut(&mut self.tournament).advance(&*self.contests, flight, time);
        }
        flight.advance(time)
    }

    /// Finds all sides at the flight's current time.
    pub(super) fn restart(&mut self, flight: &Flight) {
        let tournament = Arc::make_mut(&mut self.tournament);
        tournament.restart(&*self.contests, flight, *flight.now(), Earlier::Forgotten);
    }

    /// Takes new plans of some vertices into account.
    pub(super) fn replan(&mut self, flight: &Flight, vertices: &[u32]) {
        self.allowance = allowance(flight, self.height);
        self.bounded = is_bounded(flight);
        let leaves = vertices.iter().flat_map(|&vertex| self.leaves.of(vertex));
        // A leaf takes part in the contests for its own six sides.
        let slots = leaves.flat_map(|&leaf| self.contests.slots_of(leaf)).collect();
        let tournament = Arc::make_mut(&mut self.tournament);
        tournament.replan(&*self.contests, flight, vertices, slots);
    }

    /// The sides of an edited tree: winners and events of slots that stay go on, those in `changed` are
    /// decided. `from` has the old slot of a new one.
    pub(super) fn edited(
        &self,
        contests: C,
        (tree, mesh): (&Tree, &Mesh),
        flight: &Flight,
        from: impl Fn(u32) -> Option<u32>,
        changed: Vec<u32>,
    ) -> Self {
        let height = level_of_nodes(tree).into_iter().max().unwrap_or(0) + 1;
        Self {
            tournament: Arc::new(self.tournament.carried(&contests, flight, from, changed)),
            contests: Arc::new(contests),
            leaves: Arc::new(LeavesOfVertices::new(tree, mesh)),
            height,
            allowance: allowance(flight, height),
            bounded: is_bounded(flight),
        }
    }

    /// Winners and times of failure.
    #[cfg(test)]
    pub(super) fn state(&self) -> (Vec<u32>, Vec<f64>) {
        self.tournament.state()
    }

    /// Decides all sides slot by slot.
    #[cfg(test)]
    pub(super) fn restart_by_slots(&mut self, flight: &Flight) {
        let tournament = Arc::make_mut(&mut self.tournament);
        tournament.decide_by_slots(&*self.contests, flight, *flight.now());
    }

    /// Whether two clones still share their winners.
    #[cfg(test)]
    pub(super) fn shares_winners(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tournament, &other.tournament)
    }
}
