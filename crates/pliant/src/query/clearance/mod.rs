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
mod fits;
mod free_fit;
mod parts;
mod principal_axes;
mod rest_gaps;
mod rigid_fit;

use std::fmt::Debug;
use std::sync::Arc;

use fits::Fits;
use parts::{FITTED, PATCH, Parts};
use rest_gaps::{RestGap, box_gap, pairs_of_children, rest_gaps};

use super::Work;
use super::traverse::NodePair;
use crate::Mesh;
use crate::body::{Body, Collide};
use crate::deform::{Free, Rigid};
use crate::tree::Tree;
use crate::volume::{Overlap, round_down};

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
    gaps: Vec<RestGap>,
    fits: Box<dyn FitParts<D>>,
}

impl<D> Prepared<D> {
    fn new(tree: &Tree, mesh: &Mesh, fits: impl FnOnce(&Parts) -> Box<dyn FitParts<D>>) -> Self {
        let parts = Parts::new(tree, mesh, FITTED, PATCH);
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
    /// Takes as long as about forty queries without it, and memory of about 130 bytes a triangle. Nothing
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
    /// Takes as long as about forty queries without it, and memory of about 50 bytes a triangle. Nothing
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
    gaps: &'a [RestGap],
    fits: Fits<'a>,
}

/// What may touch: everything else certainly does not, adjacent triangles excepted.
#[derive(Debug, Default)]
pub(super) struct Doubtful {
    /// Nodes that may touch themselves.
    pub(super) nodes: Vec<u32>,
    /// Pairs of nodes that may touch, and whose volumes overlap.
    pub(super) pairs: Vec<NodePair>,
}

impl Clearance<'_> {
    /// Finds what may touch.
    pub(super) fn doubtful<A: Collide>(&mut self, body: &A, work: &mut Work) -> Doubtful
    where
        A::Volume: Overlap<A::Volume>,
    {
        let Self { parts, gaps, fits } = self;
        let mut doubtful = Doubtful::default();
        let mut stack = vec![gaps[0].clone()];
        while let Some(RestGap { parts: [a, b], gap, children }) = stack.pop() {
            let (part_a, part_b) = (parts.get(a), parts.get(b));
            if a == b {
                if gap == f32::INFINITY || fits.get(a).is_clear_of_itself(f64::from(gap)) {
                    continue;
                }
                if part_a.is_patch() {
                    doubtful.nodes.push(part_a.node);
                }
            } else {
                work.bounds += 2;
                work.overlap_tests += 1;
                if !body.bound(part_a.node).overlaps(&body.bound(part_b.node)) {
                    continue;
                }
                let [fit_a, fit_b] = fits.get_two([a, b]);
                if gap == f32::INFINITY
                    || fit_a.is_clear_of(&part_a.rest, fit_b, &part_b.rest, f64::from(gap))
                {
                    continue;
                }
                if part_a.is_patch() && part_b.is_patch() {
                    doubtful.pairs.push([part_a.node, part_b.node]);
                }
            }
            if !children.is_empty() {
                let children = children.start as usize..children.end as usize;
                stack.extend_from_slice(&gaps[children]);
            } else {
                pairs_of_children(parts, [a, b], |pair| {
                    let [a, b] = pair.map(|part| &parts.get(part).rest);
                    let gap = round_down(box_gap(a, b));
                    stack.push(RestGap { parts: pair, gap, children: 0..0 });
                });
            }
        }
        doubtful
    }
}
