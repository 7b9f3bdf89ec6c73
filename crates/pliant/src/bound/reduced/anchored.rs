//! Spheres that follow small changes in O(1) per node (James and Pai 2004, section 3.5).

use std::sync::Arc;

use glam::DMat3;

use super::placement::placement;
use super::{BoundedDeformation, ReducedBounds, SphereCenter, rounding};
use crate::bound::Bounds;
use crate::deform::{Modes, Reduced};
use crate::numeric::{F32_RANGE, F64_SLACK, PowerOfTwo, largest_eigenvalue, scaled_length};
use crate::tree::{BuildSettings, Tree};
use crate::volume::{Fit as _, Sphere, round_up};
use crate::{Body, Mesh, Result};

/// Spheres of one state, the anchor, that grow with the distance of the coordinates from it.
///
/// A node's sphere at the anchor is computed once, in O(modes). At other coordinates q + dq its
/// middle stays and its radius grows by g |dq|. Here g is the largest factor by which the modes of
/// a vertex below the node stretch a vector, so no vertex moves farther than that. The update
/// costs one multiplication and one addition and holds for any dq. It is tight while dq is small.
#[derive(Debug, Clone)]
pub struct Anchored {
    /// Active rows, kept spheres and the unit of own space are those of the anchor. Only the motion
    /// is that of the current state.
    spheres: BoundedDeformation<Sphere>,
    /// The coordinates of the anchor.
    anchor: Vec<f64>,
    /// For each node, the growth for a step of length 1, in units of `growth_unit`.
    growth: Arc<[f32]>,
    /// A power of two above the growth of the root.
    growth_unit: PowerOfTwo,
    /// At least the magnitude of every coordinate at the anchor, in the body's own space.
    reach: f64,
    /// At least the length of the step from the anchor, so that times the growth of a node it is in
    /// the unit of own space.
    moved: f32,
}

impl Body<Reduced, Anchored> {
    /// A reduced body whose bounds follow small changes in O(1) per node, anchored at rest.
    ///
    /// [`Body::set_coordinates`], [`Body::set_frame`] and [`Body::set_state`] keep the anchor.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::{Body, Mesh, deform::Modes, glam::DVec3};
    /// use pliant::{bound::SphereCenter, tree::BuildSettings};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let modes = Arc::new(Modes::from_fields(3, &[vec![DVec3::Z; 3]])?);
    /// let settings = BuildSettings::default();
    /// let mut sheet = Body::reduced_anchored(mesh, modes, SphereCenter::Mean, &settings)?;
    /// sheet.set_coordinates(&[1e-3])?; // spheres grow by a thousandth
    /// sheet.set_coordinates(&[1.0])?; // still correct, but now they are large
    /// sheet.anchor(); // fits them to the current state
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Body::reduced_spheres`].
    pub fn reduced_anchored(
        mesh: Mesh,
        modes: Arc<Modes>,
        center: SphereCenter,
        settings: &BuildSettings,
    ) -> Result<Self> {
        let growth = growth_of_vertices(&modes);
        let body = Body::reduced_spheres(mesh, modes, center, settings)?;
        let Body { mesh, tree, deformation, bounds: spheres, .. } = body;
        let growth_unit = PowerOfTwo::above(growth.iter().copied().fold(0.0, f64::max));
        let growth: Vec<f32> = growth.iter().map(|&g| round_up(growth_unit.down(g))).collect();
        let growth = growth_of_nodes(&mesh, &tree, &growth).into();
        let anchor = deformation.coordinates().to_vec();
        let reach = deformation.reach();
        let bounds = Anchored { spheres, anchor, growth, growth_unit, reach, moved: 0.0 };
        Ok(Self { mesh, tree, deformation, bounds })
    }

    /// Makes the current state the anchor. Bounds are then as tight as those of
    /// [`Body::reduced_spheres`], and are computed again when a query needs them.
    pub fn anchor(&mut self) {
        let bounds = &mut self.bounds;
        bounds.spheres.follow(&self.deformation);
        bounds.reach = self.deformation.reach();
        bounds.anchor.copy_from_slice(self.deformation.coordinates());
        bounds.follow(&self.deformation);
    }
}

impl ReducedBounds for Anchored {
    /// The anchor stays.
    fn follow(&mut self, state: &Reduced) {
        // Differences and the length err by some 2^-53 per mode. The factor 1 + rounding is far
        // larger.
        let steps = state.coordinates().iter().zip(&self.anchor).map(|(q, at)| q - at);
        let length = scaled_length(steps);
        let unit = self.growth_unit.over(self.spheres.unit);
        self.moved = round_up(unit.up(length * (1.0 + rounding(self.anchor.len()))));
        // No node grows by more than the root. If the step is infinite and the growth zero, the
        // product is NaN and the comparison is false.
        let fits = f64::from(self.growth[0]) * f64::from(self.moved) < F32_RANGE;
        let motion = placement(state, self.spheres.unit, self.reach, 0.0);
        self.spheres.motion = motion.bounded_if(fits);
    }
}

impl Bounds<Reduced> for Anchored {
    type Volume = Sphere;

    /// The sphere of the anchor, grown.
    ///
    /// The growth of a node includes a factor for the two roundings here and for those of the
    /// vertices, whose terms beyond the anchor's are at most sqrt(3) g |dq|.
    #[inline]
    fn bound(&self, _: &Reduced, node: u32) -> Sphere {
        let BoundedDeformation { table, active, motion, memo, .. } = &self.spheres;
        if !motion.is_bounded() {
            return Sphere::EVERYWHERE;
        }
        let Sphere { center, radius } = memo.get_or(node as usize, || {
            let own = table.own(node, active);
            Sphere { center: own.truncate(), radius: own.w }
        });
        let grown = radius + self.growth[node as usize] * self.moved;
        Sphere::moved(&center.extend(grown), motion)
    }
}

/// For each vertex, the largest factor by which its 3 x M block of modes stretches a vector: the
/// square root of the largest eigenvalue of the block times its transpose.
fn growth_of_vertices(modes: &Modes) -> Vec<f64> {
    let factor = (1.0 + rounding(modes.count())) * (1.0 + F64_SLACK);
    let growth = |vertex: usize| {
        let mut square = DMat3::ZERO;
        for u in modes.of(vertex).iter().map(|u| u.as_dvec3()) {
            square += DMat3::from_cols(u * u.x, u * u.y, u * u.z);
        }
        largest_eigenvalue(square).sqrt() * factor
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
