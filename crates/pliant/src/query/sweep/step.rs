//! Two states of one body.

use glam::DVec3;

use super::strays::{Straying, Strays};
use crate::body::Surface;
use crate::query::traverse::BoundedTree;
use crate::tree::Tree;
use crate::volume::{Aabb, MovingBox, Volume as _};
use crate::{Error, Result};

/// A body at the start of a step, time 0, and at its end, time 1. In between every vertex moves
/// along the straight line from where it is computed at the start to where it is computed at the
/// end: its chord.
///
/// Both are the same body: clones, of which one was moved, share mesh and tree. For a chain of steps
/// keep two and swap them: the end of a step is the start of the next.
///
/// ```
/// use pliant::{Body, Isometry, Mesh, glam::DVec3, query::Step};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let floor = Body::rigid(mesh.clone())?;
/// let (mut above, mut below) = (floor.clone(), floor.clone());
/// above.set_isometry(Isometry::from_translation(DVec3::Z)?);
/// below.set_isometry(Isometry::from_translation(-DVec3::Z)?);
/// let falling = Step::new(&above, &below)?;
/// let swept = pliant::sweep(&falling, &Step::still(&floor));
/// assert_eq!(swept.contacts[0].time.lo, 0.5); // though neither end touches the floor
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug)]
pub struct Step<'a, C> {
    start: &'a C,
    end: &'a C,
    strays: Straying<'a>,
}

// Not derived: a step of bodies that cannot be copied can.
impl<C> Clone for Step<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Step<'_, C> {}

impl<'a, C: Surface> Step<'a, C> {
    /// A step from one state of a body to another.
    ///
    /// # Errors
    /// [`Error::PreparedForAnother`] if the two have different triangles or trees.
    pub fn new(start: &'a C, end: &'a C) -> Result<Self> {
        let (mesh, other) = (start.mesh(), end.mesh());
        if !std::ptr::eq(mesh, other) && mesh.triangles() != other.triangles() {
            return Err(Error::PreparedForAnother { what: "mesh" });
        }
        if !std::ptr::eq(start.tree(), end.tree()) && start.tree() != end.tree() {
            return Err(Error::PreparedForAnother { what: "tree" });
        }
        Ok(Self { start, end, strays: Straying::NONE })
    }

    /// A step in which the body does not move.
    #[must_use]
    pub fn still(body: &'a C) -> Self {
        Self { start: body, end: body, strays: Straying::NONE }
    }

    /// The same step along a path of which only this is known: no vertex is ever farther from its
    /// chord than `stray`. Contacts of such a step are [`Within`](super::Certainty::Within) a
    /// distance.
    ///
    /// # Errors
    /// [`Error::InvalidDistance`] if it is negative, NaN or infinite.
    pub fn straying(self, stray: f64) -> Result<Self> {
        Ok(Self { strays: Straying::everywhere(stray)?, ..self })
    }

    /// As [`Self::straying`], where vertices stray by different distances.
    ///
    /// # Errors
    /// [`Error::PreparedForAnother`] if the strays are of another body.
    pub fn straying_by(self, strays: &'a Strays) -> Result<Self> {
        Ok(Self { strays: Straying::of(strays, self.start)?, ..self })
    }

    /// The same step of what is inside of a body of any kind.
    pub(crate) fn of_inner<D: Surface>(&self, start: &'a D, end: &'a D) -> Step<'a, D> {
        Step { start, end, strays: self.strays }
    }

    /// The body at time 0.
    #[must_use]
    pub fn start(&self) -> &'a C {
        self.start
    }

    /// The body at time 1.
    #[must_use]
    pub fn end(&self) -> &'a C {
        self.end
    }

    /// No vertex is ever farther from its chord.
    #[must_use]
    pub fn stray(&self) -> f64 {
        self.strays.largest
    }

    /// How far a vertex may be from its chord.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[must_use]
    pub fn stray_of(&self, vertex: u32) -> f64 {
        self.strays.of_vertex(vertex)
    }

    /// All strays.
    pub(super) fn strays(&self) -> Straying<'a> {
        self.strays
    }

    /// Whether features below two nodes may be due in this step.
    pub(crate) fn may_be_due(&self, nodes: [u32; 2]) -> bool {
        self.strays.may_be_due(nodes)
    }

    /// Whether features below a node are due in this step or in parts of it.
    pub(crate) fn is_active(&self, node: u32) -> bool {
        self.strays.is_active(node)
    }

    /// By how much the boxes of a node are larger because of strays: not less than what anything
    /// below strays.
    pub(crate) fn growth_of(&self, node: u32) -> f32 {
        self.strays.growth_of(node)
    }

    /// How far the fastest vertex moves: the longest chord of all vertices.
    #[must_use]
    pub fn longest_chord(&self) -> f64 {
        let vertices = 0..self.start.mesh().positions().len() as u32;
        let chord = |v| crate::contact::point_distance(self.start.vertex(v), self.end.vertex(v));
        vertices.map(chord).fold(0.0, f64::max)
    }

    /// A box around the whole way.
    pub(crate) fn way(&self) -> Aabb {
        self.bound(0).hull()
    }

    /// The corners of a triangle at both ends.
    #[inline]
    pub(super) fn triangle(&self, triangle: u32) -> [[DVec3; 3]; 2] {
        [self.start.triangle(triangle), self.end.triangle(triangle)]
    }
}

impl<C: Surface> BoundedTree for Step<'_, C> {
    type Volume = MovingBox;

    #[inline(always)]
    fn tree(&self) -> &Tree {
        self.start.tree()
    }

    /// The boxes at both ends: every vertex is at time t in the box that is t of the way between
    /// them, or within the stray of it.
    #[inline(always)]
    fn bound(&self, node: u32) -> MovingBox {
        let start = self.start.bound(node).bounding_box();
        let end = self.end.bound(node).bounding_box();
        let moving = MovingBox { start, end };
        let growth = self.strays.growth_of(node);
        if growth > 0.0 { moving.grown(growth) } else { moving }
    }
}
