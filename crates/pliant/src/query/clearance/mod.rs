//! What a body knows of where its parts keep clear of one another.
//!
//! Neighbours in a surface always overlap as volumes, though they seldom touch. How far
//! apart triangles are at rest is computed once ([`rest_gaps`]); while a part moves nearly
//! as an affine map does, they stay apart in proportion ([`affine_fit`]), and a query need
//! not look at them.
//!
//! A new kind of deformation is one file that implements [`FitParts`], and a method
//! `prepare_self_intersections` of its bodies.

mod affine_fit;
mod doubtful;
mod fits;
mod free_fit;
mod near_leaves;
mod parts;
mod rest_gaps;
mod rigid_fit;

use std::fmt::Debug;
use std::sync::Arc;

pub(super) use doubtful::{Doubtful, Undecided};
use fits::Fits;
use parts::{PATCH, Parts};
use rest_gaps::{RestGaps, rest_gaps};

use crate::Mesh;
use crate::body::Body;
use crate::deform::{Free, Rigid};
use crate::tree::Tree;

/// How a deformation `D` moves the parts of a surface: what differs from kind to kind.
pub(crate) trait FitParts<D>: Debug + Send + Sync {
    /// Affine fits of the parts for a state.
    ///
    /// Must hold: no vertex of a part, as `Deformation::position` computes it, is farther
    /// than the fit's stray from where the fit takes its rest position.
    fn fits<'a>(&'a self, parts: &'a Parts, mesh: &'a Mesh, state: &'a D) -> Fits<'a>;
}

/// What is computed once, on the rest shape.
#[derive(Debug)]
pub(crate) struct Prepared<D> {
    parts: Parts,
    gaps: RestGaps,
    fits: Box<dyn FitParts<D>>,
}

impl<D> Prepared<D> {
    fn new(tree: &Tree, mesh: &Mesh, fits: impl FnOnce(&Parts) -> Box<dyn FitParts<D>>) -> Self {
        let parts = Parts::new(tree, mesh, PATCH);
        Self { gaps: rest_gaps(tree, mesh, &parts), fits: fits(&parts), parts }
    }

    /// For a state.
    pub(crate) fn clearance<'a>(&'a self, mesh: &'a Mesh, state: &'a D) -> Clearance<'a> {
        let fits = self.fits.fits(&self.parts, mesh, state);
        Clearance { parts: &self.parts, gaps: &self.gaps, fits }
    }
}

impl<B> Body<Free, B> {
    /// Prepares for many [`self_intersections`](crate::self_intersections) of this body and of
    /// its later clones, which then cost little where parts of the surface keep their shape.
    ///
    /// Takes as long as about a hundred queries without it, and memory in proportion to the mesh. Nothing
    /// but the speed changes.
    ///
    /// ```
    /// use pliant::{Body, Mesh, glam::DVec3, self_intersections};
    /// let corners = |z: f64| [DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::new(0.0, 1.0, z)];
    /// let mesh = Mesh::new([corners(0.0), corners(0.1)].concat(), vec![[0, 1, 2], [3, 4, 5]])?;
    /// let mut body = Body::free(mesh)?;
    /// body.prepare_self_intersections();
    /// assert!(self_intersections(&body).pairs.is_empty());
    /// body.set_positions(&[corners(0.0), corners(0.0)].concat())?;
    /// assert_eq!(self_intersections(&body).pairs, [[0, 1]]);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn prepare_self_intersections(&mut self) {
        let (tree, mesh) = (&self.tree, &self.mesh);
        self.prepared.get_or_insert_with(|| {
            Arc::new(Prepared::new(tree, mesh, |parts| {
                Box::new(free_fit::FreeFits::new(tree, mesh, parts))
            }))
        });
    }
}

impl<B> Body<Rigid, B> {
    /// Prepares for many [`self_intersections`](crate::self_intersections) of this body and of
    /// its later clones: then only what touches at rest, or nearly, is looked at.
    ///
    /// Takes as long as about a hundred queries without it, and memory in proportion to the mesh. Nothing
    /// but the speed changes.
    pub fn prepare_self_intersections(&mut self) {
        let (tree, mesh) = (&self.tree, &self.mesh);
        self.prepared.get_or_insert_with(|| {
            Arc::new(Prepared::new(tree, mesh, |_| Box::new(rigid_fit::RigidFits)))
        });
    }
}

/// What a body knows, in its current state, of where its parts keep clear of one another.
///
/// Bodies have it after `prepare_self_intersections`; see
/// [`Collide::clearance`](crate::Collide::clearance).
pub struct Clearance<'a> {
    parts: &'a Parts,
    gaps: &'a RestGaps,
    fits: Fits<'a>,
}
