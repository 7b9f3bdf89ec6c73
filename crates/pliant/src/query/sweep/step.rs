//! Two states of one body.

use glam::DVec3;

use super::due::nodes_may_be_due;
use super::near_chords::LOOKED_AT;
use super::strays::{Straying, Strays, growth};
use crate::body::Surface;
use crate::numeric::round_up;
use crate::query::traverse::BoundedTree;
use crate::tree::Tree;
use crate::volume::{Aabb, MovingBox, Overlap, Ray, RayEntry, Volume};
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
        Ok(Self { start, end, strays: Straying::none() })
    }

    /// A step in which the body does not move.
    #[must_use]
    pub fn still(body: &'a C) -> Self {
        Self { start: body, end: body, strays: Straying::none() }
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
        self.strays.now.largest
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
        nodes_may_be_due([&self.strays; 2], nodes)
    }

    /// Whether this is a part of a step that was looked at before.
    pub(crate) fn is_part(&self) -> bool {
        self.strays.due.is_some_and(|due| due.before.is_some())
    }

    /// By how much gaps between what is below two nodes may be too large because of strays.
    pub(crate) fn growth_between(&self, [a, b]: [u32; 2]) -> f32 {
        let strays = &self.strays.now;
        if strays.largest > 0.0 { growth(strays.node(a), strays.node(b)) } else { 0.0 }
    }

    /// Whether features below two nodes may be due and meet.
    pub(crate) fn may_meet(&self, nodes: [u32; 2]) -> bool {
        if !self.strays.matters() {
            let [a, b] = nodes.map(|node| self.boxes(node));
            return a.may_meet(&b);
        }
        let [a, b] = nodes.map(|node| self.bound(node));
        stray_and_meet([&self.strays; 2], [&a, &b], f32::INFINITY)
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
        let stray = self.strays.now.largest;
        let boxes = self.boxes(0);
        // As far as another box, which grows by its own strays.
        let by = round_up(stray * LOOKED_AT);
        if by > 0.0 { boxes.grown(by).hull() } else { boxes.hull() }
    }

    /// The boxes of a node at both ends.
    #[inline(always)]
    fn boxes(&self, node: u32) -> MovingBox {
        let start = self.start.bound(node).bounding_box();
        let end = self.end.bound(node).bounding_box();
        MovingBox { start, end }
    }

    /// The corners of a triangle at both ends.
    #[inline]
    pub(super) fn triangle(&self, triangle: u32) -> [[DVec3; 3]; 2] {
        [self.start.triangle(triangle), self.end.triangle(triangle)]
    }
}

/// A node during a step: every vertex is, but for what it strays, at time t in the box that is t of
/// the way between the boxes at both ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepBox {
    pub(super) boxes: MovingBox,
    pub(super) node: u32,
}

/// Whether something below two nodes may be due, and meet at a time that is not after another, its
/// strays included.
///
/// Differences of corners are off by 2^-24 of themselves, and the growth is larger by more than that
/// than what it has to be.
#[inline]
pub(super) fn stray_and_meet(strays: [&Straying; 2], [a, b]: [&StepBox; 2], until: f32) -> bool {
    let slack = growth(strays[0].now.node(a.node), strays[1].now.node(b.node));
    a.boxes.may_come_near(&b.boxes, slack, until) && nodes_may_be_due(strays, [a.node, b.node])
}

impl<C: Surface> BoundedTree for Step<'_, C> {
    type Volume = StepBox;

    #[inline(always)]
    fn tree(&self) -> &Tree {
        self.start.tree()
    }

    #[inline(always)]
    fn bound(&self, node: u32) -> StepBox {
        StepBox { boxes: self.boxes(node), node }
    }
}

impl Volume for StepBox {
    #[inline]
    fn corners(&self) -> [DVec3; 2] {
        self.boxes.corners()
    }

    #[inline]
    fn moving(&self) -> MovingBox {
        self.boxes
    }
}

impl Overlap<Aabb> for StepBox {
    fn overlaps(&self, other: &Aabb) -> bool {
        self.boxes.overlaps(other)
    }
}

impl RayEntry for StepBox {
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        self.boxes.ray_entry(ray, until)
    }
}
