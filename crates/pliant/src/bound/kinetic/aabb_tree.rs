//! The kinetic AABB tree of Zachmann and Weller (2006, section 4).

use std::sync::Arc;

use super::certificate::Side;
use super::sides::Sides;
use super::tournament::{Contestant, Contests, EventCount};
use crate::bound::Bounds;
use crate::bound::flight::{FlightBounds, parents};
use crate::deform::Flight;
use crate::tree::{EditedTree, NO_NODE, Tree};
use crate::volume::Aabb;
use crate::{Mesh, Result};

/// For each node the vertices that realise the six sides of its box, kept up to date by events.
///
/// Boxes are valid at every moment. Guarantee: a box contains the computed vertices below the
/// node, and reaches past them by at most 2^-44 of the flight's largest coordinate per level of
/// the tree, rounded outward to `f32`.
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
pub struct KineticAabb(Sides<SidesOfNodes>);

/// Six slots per node, in the order of [`Side::number`].
#[derive(Debug)]
struct SidesOfNodes {
    tree: Arc<Tree>,
    mesh: Arc<Mesh>,
    parents: Vec<u32>,
}

impl Contests for SidesOfNodes {
    fn slots(&self) -> usize {
        self.parents.len() * 6
    }

    #[inline]
    fn slots_of(&self, node: u32) -> [u32; 6] {
        [0, 1, 2, 3, 4, 5].map(|side| node * 6 + side)
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
                let corners = self.mesh.triangles()[triangle as usize];
                corners.into_iter().for_each(|vertex| tell(Contestant::Vertex(vertex)));
            }
        } else {
            node.range().for_each(|child| tell(Contestant::Winner(child * 6 + side)));
        }
    }

    #[inline]
    fn has_many(&self, _: u32) -> bool {
        false
    }

    fn six_per_node(&self) -> Option<(&Tree, &Mesh)> {
        Some((&self.tree, &self.mesh))
    }
}

impl KineticAabb {
    /// What events did so far.
    #[must_use]
    pub fn count(&self) -> EventCount {
        self.0.count()
    }

    /// The bounds of an edited tree: what stays keeps its winners and events.
    pub(super) fn edited(&self, edited: &EditedTree, mesh: &Arc<Mesh>, flight: &Flight) -> Self {
        let tree = Arc::new(edited.tree.clone());
        let parents = parents(&tree);
        let contests = SidesOfNodes { tree, mesh: Arc::clone(mesh), parents };
        let from = |slot: u32| {
            let old = edited.from[slot as usize / 6];
            (old != NO_NODE).then(|| old * 6 + slot % 6)
        };
        let changed = edited.changed.iter().flat_map(|&node| contests.slots_of(node)).collect();
        Self(self.0.edited(contests, (&edited.tree, mesh), flight, from, changed))
    }

    /// Winners and times of failure.
    #[cfg(test)]
    pub(super) fn state(&self) -> (Vec<u32>, Vec<f64>) {
        self.0.state()
    }

    /// Decides all sides slot by slot.
    #[cfg(test)]
    pub(super) fn restart_by_slots(&mut self, flight: &Flight) {
        self.0.restart_by_slots(flight);
    }
}

impl Bounds<Flight> for KineticAabb {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, flight: &Flight, node: u32) -> Aabb {
        self.0.bound(flight, node)
    }
}

impl FlightBounds for KineticAabb {
    fn fit(tree: &Arc<Tree>, mesh: &Arc<Mesh>, flight: &Flight) -> Result<Self> {
        let parents = parents(tree);
        let contests = SidesOfNodes { tree: Arc::clone(tree), mesh: Arc::clone(mesh), parents };
        Ok(Self(Sides::new(contests, tree, mesh, flight)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::Keyframes;
    use crate::test_meshes::bumpy_sheet;
    use crate::{Body, Collide};

    #[test]
    fn clones_share_winners_until_an_event() {
        let mesh = bumpy_sheet(5, 0.0);
        let frames = [0.3, 2.3].map(|phase| bumpy_sheet(5, phase).positions().to_vec()).to_vec();
        let flight = Flight::keyframed(Keyframes::new(vec![0.0, 1.0], frames).unwrap());
        let body = Body::<_, KineticAabb>::flying(mesh, flight, &Default::default()).unwrap();
        let mut other = body.clone();
        other.advance(1e-9).unwrap();
        assert_eq!(other.bounds.count().events, 0);
        assert!(body.bounds.0.shares_winners(&other.bounds.0));
        let before = body.bound(0);
        other.advance(0.9).unwrap();
        assert!(other.bounds.count().events > 0);
        assert!(!body.bounds.0.shares_winners(&other.bounds.0));
        assert_eq!(body.bound(0), before);
        assert_eq!(body.bounds.count(), EventCount::default());
    }
}
