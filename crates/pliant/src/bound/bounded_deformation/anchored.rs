//! Spheres that follow small changes at O(1) a node (James & Pai 2004, section 3.5).

use std::sync::Arc;

use glam::{DAffine3, DMat3, Vec3};

use super::placement::Placement;
use super::{BoundedDeformation, Center, SphereTable, rounding};
use crate::bound::Bounds;
use crate::deform::{Modes, Reduced};
use crate::numeric::{F32_RANGE, F64_SLACK, largest_eigenvalue, scaled_length};
use crate::tree::{BuildSettings, Tree};
use crate::volume::{Sphere, round_up};
use crate::{Body, Mesh, Result};

/// Spheres of a state, the anchor, that grow with the distance of the coordinates from it.
///
/// A node's sphere at the anchor is computed once, in O(modes). At other coordinates q + dq its
/// middle stays and its radius grows by g |dq|, with g the largest factor by which the modes
/// of a vertex below the node stretch a vector: no vertex moves farther than that. One
/// multiplication and one addition, for any dq; tight as long as dq is small.
#[derive(Debug, Clone)]
pub struct Anchored {
    /// Weights and memory are those of the anchor; spheres in the body's own space.
    spheres: BoundedDeformation<SphereTable>,
    /// The anchor's coordinates.
    anchor: Vec<f64>,
    /// For each node, the growth for a step of length 1.
    growth: Arc<[f32]>,
    /// No coordinate at the anchor is larger, in the body's own space.
    reach: f64,
    /// Whether the anchor's spheres stay in the range of `f32`.
    bounded: bool,
    /// The length of the step from the anchor.
    moved: f32,
}

impl Body<Reduced, Anchored> {
    /// A reduced body whose bounds follow small changes at O(1) a node, anchored at rest.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::{Body, Mesh, deform::Modes, glam::DVec3};
    /// use pliant::{bound::Center, tree::BuildSettings};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let modes = Arc::new(Modes::from_fields(3, &[vec![DVec3::Z; 3]])?);
    /// let settings = BuildSettings::default();
    /// let mut sheet = Body::reduced_anchored(mesh, modes, Center::Mean, &settings)?;
    /// sheet.set_coordinates(&[1e-3])?; // spheres grow by a thousandth
    /// sheet.set_coordinates(&[1.0])?; // still right, but now they are large:
    /// sheet.anchor(); // fits them to the state that is
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Body::reduced_spheres`].
    pub fn reduced_anchored(
        mesh: Mesh,
        modes: Arc<Modes>,
        center: Center,
        settings: &BuildSettings,
    ) -> Result<Self> {
        let growth = growth_of_vertices(&modes);
        let body = Body::reduced_spheres(mesh, modes, center, settings)?;
        let Body { mesh, tree, deformation, bounds: spheres, .. } = body;
        let growth = growth_of_nodes(&mesh, &tree, &growth).into();
        let anchor = deformation.coordinates().to_vec();
        let (reach, bounded) = (deformation.reach(), spheres.placement.bounded);
        let bounds = Anchored { spheres, anchor, growth, reach, bounded, moved: 0.0 };
        Ok(Self { mesh, tree, deformation, bounds, prepared: None })
    }

    /// Deforms the body and keeps the anchor: O(modes). On an error nothing has changed.
    ///
    /// # Errors
    /// As for bodies with other bounds: [`Error::CountMismatch`](crate::Error::CountMismatch),
    /// [`Error::NonFiniteCoordinate`](crate::Error::NonFiniteCoordinate),
    /// [`Error::OutOfRange`](crate::Error::OutOfRange).
    pub fn set_coordinates(&mut self, q: &[f64]) -> Result<()> {
        self.set_state(q, self.deformation.frame())
    }

    /// Places the body and keeps the anchor: O(modes). On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::InvalidVector`](crate::Error::InvalidVector) for a frame that is not finite,
    /// [`Error::OutOfRange`](crate::Error::OutOfRange).
    pub fn set_frame(&mut self, frame: DAffine3) -> Result<()> {
        self.deformation.set(None, frame)?;
        self.bounds.follow(&self.deformation);
        Ok(())
    }

    /// [`Body::set_coordinates`] and [`Body::set_frame`] at once.
    ///
    /// # Errors
    /// Those of both.
    pub fn set_state(&mut self, q: &[f64], frame: DAffine3) -> Result<()> {
        self.deformation.set(Some(q), frame)?;
        self.bounds.follow(&self.deformation);
        Ok(())
    }

    /// Makes the current state the anchor: bounds are then as tight as without one, and are
    /// evaluated anew when they are asked for.
    pub fn anchor(&mut self) {
        let bounds = &mut self.bounds;
        bounds.spheres.follow(&self.deformation);
        bounds.reach = self.deformation.reach();
        bounds.bounded = bounds.spheres.placement.bounded;
        bounds.anchor.copy_from_slice(self.deformation.coordinates());
        bounds.follow(&self.deformation);
    }
}

impl Anchored {
    fn follow(&mut self, state: &Reduced) {
        // Differences and the length err by some 2^-53 per mode; the factor is far larger.
        let steps = state.coordinates().iter().zip(&self.anchor).map(|(q, at)| q - at);
        let length = scaled_length(steps);
        self.moved = round_up(length * (1.0 + rounding(self.anchor.len())));
        self.spheres.placement = Placement::new(state, self.reach, 0.0);
        // No node grows by more than the root; an infinite step times zero is not bounded either.
        let fits = f64::from(self.growth[0]) * f64::from(self.moved) < F32_RANGE;
        self.spheres.placement.bounded &= fits && self.bounded;
    }
}

impl Bounds<Reduced> for Anchored {
    type Volume = Sphere;

    /// The anchor's sphere, grown.
    ///
    /// The growth of a node carries a factor for the two roundings here and for those of the
    /// vertices, whose terms beyond the anchor's are at most sqrt(3) g |dq|.
    #[inline]
    fn bound(&self, _: &Reduced, node: u32) -> Sphere {
        if !self.spheres.placement.bounded {
            return Sphere { center: Vec3::ZERO, radius: f32::INFINITY };
        }
        let Sphere { center, radius } = self.spheres.memo.get_or(node as usize, || {
            let own = self.spheres.own_sphere(node);
            Sphere { center: own.truncate(), radius: own.w }
        });
        let grown = radius + self.growth[node as usize] * self.moved;
        self.spheres.placement.sphere(center, grown)
    }
}

/// For each vertex, the largest factor by which its 3 x M block stretches a vector: the root of
/// the largest eigenvalue of the block times its transpose.
fn growth_of_vertices(modes: &Modes) -> Vec<f32> {
    let factor = (1.0 + rounding(modes.count())) * (1.0 + F64_SLACK);
    let growth = |vertex: usize| {
        let mut square = DMat3::ZERO;
        for u in modes.of(vertex).iter().map(|u| u.as_dvec3()) {
            square += DMat3::from_cols(u * u.x, u * u.y, u * u.z);
        }
        round_up(largest_eigenvalue(square).sqrt() * factor)
    };
    (0..modes.vertices()).map(growth).collect()
}

/// For each node, the largest growth below it.
fn growth_of_nodes(mesh: &Mesh, tree: &Tree, of_vertices: &[f32]) -> Vec<f32> {
    let mut growth = vec![0.0_f32; tree.nodes.len()];
    for number in (0..tree.nodes.len()).rev() {
        let node = tree.nodes[number];
        let corners = tree.leaf_primitives(node).iter().flat_map(|&t| mesh.triangles()[t as usize]);
        let own = corners.map(|vertex| of_vertices[vertex as usize]).fold(0.0, f32::max);
        let children = if node.is_leaf() { 0..0 } else { node.range() };
        growth[number] = children.fold(own, |most, child| most.max(growth[child as usize]));
    }
    growth
}
