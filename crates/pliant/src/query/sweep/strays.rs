//! How far the vertices of a body may be from their chords during a step.

use std::sync::Arc;

use super::due::Due;
use super::near_chords::LOOKED_AT;
use super::sag::{Sag, SagBox};
use crate::body::Surface;
use crate::contact::point_distance;
use crate::numeric::round_up;
use crate::{Error, Result};

/// How far the vertices of a body may be from their chords during a step: all alike, or each by
/// itself. A hand that turns does not make a torso stray that rests; and its fingers, which leave
/// their chords together, do not stray from one another.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3, query::{Sag, Step, Strays}};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let body = Body::rigid(mesh)?;
/// let strays = Strays::of_vertices(&body, vec![0.0, 0.1, 0.2])?;
/// let step = Step::still(&body).straying_by(&strays)?;
/// assert_eq!(step.stray_of(1), 0.1);
/// assert_eq!(step.stray(), 0.2);
/// let strays = Strays::of_sags(&body, vec![Sag { midway: DVec3::Z, error: 0.1 }; 3])?;
/// let stray = Step::still(&body).straying_by(&strays)?.stray_of(1);
/// assert!(stray >= 1.1 && stray < 1.1 + 1e-12);
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Strays {
    pub(super) field: Arc<Field>,
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

/// What is known of all vertices of a body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    largest: f64,
    /// What is known of any of them.
    all: SagBox,
    each: Option<Each>,
}

/// What is known of each vertex, and of all of a triangle and below a node.
#[derive(Debug, Clone, PartialEq)]
struct Each {
    vertices: Vec<Sag>,
    triangles: Vec<SagBox>,
    nodes: Vec<SagBox>,
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
        Self { field: Arc::new(Field::everywhere(0.0)), due: None }
    }
}

impl Strays {
    /// No vertex is ever farther from its chord.
    ///
    /// # Errors
    /// [`Error::InvalidDistance`] if it is negative, NaN or infinite.
    pub fn everywhere(stray: f64) -> Result<Self> {
        Ok(Self { field: Arc::new(Field::everywhere(checked(stray)?)), due: None })
    }

    /// For each vertex of a body how far it may be from its chord.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if there are not as many as vertices, [`Error::InvalidDistance`] if
    /// one is negative, NaN or infinite.
    pub fn of_vertices<C: Surface>(body: &C, vertices: Vec<f64>) -> Result<Self> {
        let sag = |error| Sag { error, ..Sag::default() };
        Self::of_sags(body, vertices.into_iter().map(sag).collect())
    }

    /// For each vertex of a body how it leaves its chord.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if there are not as many as vertices, [`Error::InvalidDistance`] if
    /// a vertex is at a distance from its chord that is not finite, or an error is negative.
    pub fn of_sags<C: Surface>(body: &C, vertices: Vec<Sag>) -> Result<Self> {
        let (mesh, tree) = (body.mesh(), body.tree());
        let (expected, given) = (mesh.positions().len(), vertices.len());
        if given != expected {
            return Err(Error::CountMismatch { what: "strays of vertices", expected, given });
        }
        let (mut largest, mut all) = (0.0f64, SagBox::EMPTY);
        for sag in &vertices {
            checked(sag.error)?;
            largest = largest.max(checked(length(sag))?);
            all = all.with(&SagBox::around(sag));
        }
        let around = |corners: &[u32; 3]| {
            let boxes = corners.map(|vertex| SagBox::around(&vertices[vertex as usize]));
            boxes[0].with(&boxes[1]).with(&boxes[2])
        };
        let triangles: Vec<SagBox> = mesh.triangles().iter().map(around).collect();
        // Children come after their parents.
        let mut nodes = vec![SagBox::EMPTY; tree.nodes.len()];
        for number in (0..nodes.len()).rev() {
            let node = tree.node(number as u32);
            let below = |all: SagBox, one: &SagBox| all.with(one);
            nodes[number] = if node.is_leaf() {
                let own = tree.leaf_primitives(node).iter();
                own.map(|&triangle| &triangles[triangle as usize]).fold(SagBox::EMPTY, below)
            } else {
                let children = node.range().start as usize..node.range().end as usize;
                nodes[children].iter().fold(SagBox::EMPTY, below)
            };
        }
        let each = Some(Each { vertices, triangles, nodes });
        Ok(Self { field: Arc::new(Field { largest, all, each }), due: None })
    }

    /// The same, where only pairs of features that are due are looked at: those that stray from one
    /// another by at most `within`, and the others too unless they are left to parts of this step. If this
    /// step is such a part itself, `before` are the strays of the step that was divided, and pairs of
    /// features that strayed from one another by at most `within` there are left out.
    ///
    /// So a step and its parts together look at every pair of features at every time. Of two bodies
    /// the smaller `within` counts, and a body that nothing is said of is as before and now.
    ///
    /// # Errors
    /// [`Error::PreparedForAnother`] if strays are of another body.
    pub fn due<C: Surface>(
        self,
        body: &C,
        within: f64,
        farther: Farther,
        before: Option<&Self>,
    ) -> Result<Self> {
        self.field.check(body)?;
        before.map_or(Ok(()), |before| before.field.check(body))?;
        let before = before.map(|before| Arc::clone(&before.field));
        Ok(Self { due: Some(Due { within, farther, before }), ..self })
    }

    /// No vertex is ever farther from its chord.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.field.largest
    }
}

/// No less than how far the vertex may be from its chord.
fn length(sag: &Sag) -> f64 {
    longer(point_distance(sag.midway, glam::DVec3::ZERO)) + sag.error
}

/// Not below a length that was computed with some roundings of 2^-53.
fn longer(length: f64) -> f64 {
    length * (1.0 + 8.0 * f64::EPSILON)
}

impl Field {
    fn everywhere(stray: f64) -> Self {
        let View { largest, all, .. } = View::everywhere(stray);
        Self { largest, all, each: None }
    }

    /// # Errors
    /// [`Error::PreparedForAnother`] if this is of another body.
    fn check<C: Surface>(&self, body: &C) -> Result<()> {
        let Some(each) = &self.each else { return Ok(()) };
        let (mesh, tree) = (body.mesh(), body.tree());
        if each.vertices.len() != mesh.positions().len()
            || each.triangles.len() != mesh.triangles().len()
        {
            return Err(Error::PreparedForAnother { what: "mesh" });
        }
        if each.nodes.len() != tree.nodes.len() {
            return Err(Error::PreparedForAnother { what: "tree" });
        }
        Ok(())
    }

    pub(super) fn view(&self) -> View<'_> {
        View { largest: self.largest, all: self.all, each: self.each.as_ref() }
    }
}

/// What is known of all vertices of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) largest: f64,
    all: SagBox,
    each: Option<&'a Each>,
}

impl View<'_> {
    fn everywhere(stray: f64) -> Self {
        let all = SagBox::around(&Sag { error: stray, ..Sag::default() });
        Self { largest: stray, all, each: None }
    }

    fn error(&self, vertices: &[u32]) -> f64 {
        match self.each {
            None => self.largest,
            Some(each) => {
                let errors = vertices.iter().map(|&vertex| each.vertices[vertex as usize].error);
                errors.fold(0.0, f64::max)
            }
        }
    }

    fn sag(&self, vertex: u32) -> Sag {
        let all = Sag { error: self.largest, ..Sag::default() };
        self.each.map_or(all, |each| each.vertices[vertex as usize])
    }

    /// What is known of all vertices below a node.
    #[inline]
    pub(super) fn node(&self, node: u32) -> &SagBox {
        self.each.map_or(&self.all, |each| &each.nodes[node as usize])
    }

    /// What is known of the vertices of a triangle.
    #[inline]
    pub(super) fn triangle(&self, triangle: u32) -> &SagBox {
        self.each.map_or(&self.all, |each| &each.triangles[triangle as usize])
    }

    /// By no more than this do two features with these vertices leave their chords differently: points
    /// of them are convex combinations of the vertices, and so are their sags.
    pub(super) fn between(&self, vertices: &[u32], other: &Self, others: &[u32]) -> f64 {
        let errors = self.error(vertices) + other.error(others);
        if self.each.is_none() && other.each.is_none() {
            return errors;
        }
        let mut far: f64 = 0.0;
        for &p in vertices {
            for &q in others {
                far = far.max(point_distance(self.sag(p).midway, other.sag(q).midway));
            }
        }
        longer(far) + errors
    }
}

/// By how much gaps between two may be too large because of what they stray.
#[inline]
pub(super) fn growth(a: &SagBox, b: &SagBox) -> f32 {
    round_up(a.most(b) * LOOKED_AT)
}

/// The strays of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Straying<'a> {
    pub(super) now: View<'a>,
    pub(super) due: Option<&'a Due>,
}

impl<'a> Straying<'a> {
    pub(super) fn none() -> Self {
        Self { now: View::everywhere(0.0), due: None }
    }

    pub(super) fn everywhere(stray: f64) -> Result<Self> {
        Ok(Self { now: View::everywhere(checked(stray)?), due: None })
    }

    /// # Errors
    /// [`Error::PreparedForAnother`] if the strays are of another body.
    pub(super) fn of<C: Surface>(strays: &'a Strays, body: &C) -> Result<Self> {
        strays.field.check(body)?;
        let due = strays.due.as_ref();
        due.and_then(|due| due.before.as_deref()).map_or(Ok(()), |before| before.check(body))?;
        Ok(Self { now: strays.field.view(), due })
    }

    /// No more than this is the vertex ever from its chord.
    pub(super) fn of_vertex(&self, vertex: u32) -> f64 {
        length(&self.now.sag(vertex))
    }

    /// Whether paths may leave their chords, or not all is due.
    #[inline]
    pub(super) fn matters(&self) -> bool {
        self.now.largest > 0.0 || self.due.is_some()
    }
}
