//! Two states of one body.

use glam::DVec3;

use super::near_chords::LOOKED_AT;
use crate::body::Surface;
use crate::numeric::round_up;
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
    stray: f64,
    /// By how much boxes are larger because of the stray.
    growth: f32,
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
        Ok(Self { start, end, stray: 0.0, growth: 0.0 })
    }

    /// A step in which the body does not move.
    #[must_use]
    pub fn still(body: &'a C) -> Self {
        Self { start: body, end: body, stray: 0.0, growth: 0.0 }
    }

    /// The same step along a path of which only this is known: no vertex is ever farther from its
    /// chord than `stray`. Contacts of such a step are [`Within`](super::Certainty::Within) a
    /// distance.
    ///
    /// # Errors
    /// [`Error::InvalidDistance`] if it is negative, NaN or infinite.
    pub fn straying(self, stray: f64) -> Result<Self> {
        if !(stray >= 0.0 && stray.is_finite()) {
            return Err(Error::InvalidDistance { distance: stray });
        }
        Ok(Self { stray, growth: round_up(stray * LOOKED_AT), ..self })
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
        self.stray
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
        if self.growth > 0.0 { moving.grown(self.growth) } else { moving }
    }
}
