//! How far the vertices of a body may be from their chords during a step.

use super::due::{Due, is_active, nodes_may_be_due};
use super::near_chords::LOOKED_AT;
use crate::body::Surface;
use crate::numeric::round_up;
use crate::{Error, Result};

/// How far the vertices of a body may be from their chords during a step: all alike, or each by
/// itself. A hand that turns does not make a torso stray that rests.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3, query::{Step, Strays}};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let body = Body::rigid(mesh)?;
/// let strays = Strays::of_vertices(&body, vec![0.0, 0.1, 0.2])?;
/// let step = Step::still(&body).straying_by(&strays)?;
/// assert_eq!(step.stray_of(1), 0.1);
/// assert_eq!(step.stray(), 0.2);
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Strays {
    largest: f64,
    each: Option<Each>,
    due: Option<Due>,
}

/// Where features are looked at that stray farther than is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Farther {
    /// In parts of the step.
    InParts,
    /// In this step.
    Here,
}

/// Strays of vertices.
#[derive(Debug, Clone, PartialEq)]
struct Each {
    vertices: Vec<f64>,
    /// By how much the boxes of each node are larger: by what the vertices below stray.
    growths: Vec<f32>,
}

/// By how much boxes are larger because of a stray.
pub(super) fn growth(stray: f64) -> f32 {
    round_up(stray * LOOKED_AT)
}

fn checked(stray: f64) -> Result<f64> {
    if stray >= 0.0 && stray.is_finite() {
        Ok(stray)
    } else {
        Err(Error::InvalidDistance { distance: stray })
    }
}

impl Default for Strays {
    /// Every vertex moves along its chord.
    fn default() -> Self {
        Self { largest: 0.0, each: None, due: None }
    }
}

impl Strays {
    /// No vertex is ever farther from its chord.
    ///
    /// # Errors
    /// [`Error::InvalidDistance`] if it is negative, NaN or infinite.
    pub fn everywhere(stray: f64) -> Result<Self> {
        Ok(Self { largest: checked(stray)?, each: None, due: None })
    }

    /// For each vertex of a body how far it may be from its chord.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if there are not as many as vertices, [`Error::InvalidDistance`] if
    /// one is negative, NaN or infinite.
    pub fn of_vertices<C: Surface>(body: &C, vertices: Vec<f64>) -> Result<Self> {
        let (mesh, tree) = (body.mesh(), body.tree());
        let (expected, given) = (mesh.positions().len(), vertices.len());
        if given != expected {
            return Err(Error::CountMismatch { what: "strays of vertices", expected, given });
        }
        let mut largest: f64 = 0.0;
        for &stray in &vertices {
            largest = largest.max(checked(stray)?);
        }
        // Children come after their parents.
        let mut growths = vec![0.0f32; tree.nodes.len()];
        for number in (0..growths.len()).rev() {
            let node = tree.node(number as u32);
            growths[number] = if node.is_leaf() {
                let corners = tree.leaf_primitives(node).iter();
                let corners = corners.flat_map(|&triangle| mesh.triangles()[triangle as usize]);
                growth(corners.map(|vertex| vertices[vertex as usize]).fold(0.0, f64::max))
            } else {
                let children = node.range().start as usize..node.range().end as usize;
                growths[children].iter().copied().fold(0.0, f32::max)
            };
        }
        Ok(Self { largest, each: Some(Each { vertices, growths }), due: None })
    }

    /// The same, where only features that are due are looked at: those of vertices that stray by at most
    /// `within`, and the others too unless they are left to parts of this step. If this step is such a part
    /// itself, `before` are the strays of the step that was divided, and pairs of features of which both
    /// strayed by at most `within` there are left out.
    ///
    /// So a step and its parts together look at every pair of features at every time.
    ///
    /// # Errors
    /// [`Error::PreparedForAnother`] if strays are of another body.
    pub fn due<C: Surface>(
        mut self,
        body: &C,
        within: f64,
        farther: Farther,
        before: Option<&Self>,
    ) -> Result<Self> {
        let (mesh, tree) = (body.mesh(), body.tree());
        let now = Straying::of(&self, body)?;
        let before = before.map(|before| Straying::of(before, body)).transpose()?;
        let is_now = |vertex: u32| farther == Farther::Here || now.of_vertex(vertex) <= within;
        let is_past = |vertex: u32| before.is_some_and(|before| before.of_vertex(vertex) <= within);
        let due = Due::new((mesh, tree), is_past, is_now);
        self.due = Some(due);
        Ok(self)
    }

    /// No vertex is ever farther from its chord.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.largest
    }
}

/// The strays of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Straying<'a> {
    pub(super) largest: f64,
    growth: f32,
    each: Option<&'a Each>,
    pub(super) due: Option<&'a Due>,
}

impl<'a> Straying<'a> {
    pub(super) const NONE: Self = Self { largest: 0.0, growth: 0.0, each: None, due: None };

    pub(super) fn everywhere(stray: f64) -> Result<Self> {
        Ok(Self { largest: checked(stray)?, growth: growth(stray), each: None, due: None })
    }

    /// # Errors
    /// [`Error::PreparedForAnother`] if the strays are of another body.
    pub(super) fn of<C: Surface>(strays: &'a Strays, body: &C) -> Result<Self> {
        let each = strays.each.as_ref();
        if each.is_some_and(|each| each.vertices.len() != body.mesh().positions().len()) {
            return Err(Error::PreparedForAnother { what: "mesh" });
        }
        if each.is_some_and(|each| each.growths.len() != body.tree().nodes.len()) {
            return Err(Error::PreparedForAnother { what: "tree" });
        }
        let due = strays.due.as_ref();
        if due.is_some_and(|due| !due.is_of(body.mesh(), body.tree())) {
            return Err(Error::PreparedForAnother { what: "mesh" });
        }
        Ok(Self { largest: strays.largest, growth: growth(strays.largest), each, due })
    }

    /// No more than this is the vertex ever from its chord.
    #[inline]
    pub(super) fn of_vertex(&self, vertex: u32) -> f64 {
        self.each.map_or(self.largest, |each| each.vertices[vertex as usize])
    }

    /// The same for all vertices of a feature.
    #[inline]
    pub(super) fn of_vertices(&self, vertices: &[u32]) -> f64 {
        if self.each.is_none() {
            return self.largest;
        }
        vertices.iter().map(|&vertex| self.of_vertex(vertex)).fold(0.0, f64::max)
    }

    /// By how much the boxes of a node are larger.
    #[inline(always)]
    pub(super) fn growth_of(&self, node: u32) -> f32 {
        self.each.map_or(self.growth, |each| each.growths[node as usize])
    }

    /// Whether something below two nodes of one body may be due.
    #[inline]
    pub(super) fn may_be_due(&self, nodes: [u32; 2]) -> bool {
        self.due.is_none_or(|due| nodes_may_be_due(due, nodes))
    }

    /// Whether something below a node is not past.
    #[inline]
    pub(super) fn is_active(&self, node: u32) -> bool {
        self.due.is_none_or(|due| is_active(due, node))
    }
}
