//! How the vertices of a node are grouped into parts, once, when the skin is bound.

use glam::DVec3;

use super::parts::{MorphBounds, PartDraft};
use super::rest_shape::RestShape;
use super::weight_bounds::{WeightBounds, weight_bounds};
use crate::Mesh;
use crate::deform::Binding;
use crate::volume::round_up;

/// A vertex of a node: its joint set and its number.
pub(super) type NodeVertex = (u32, u32);

/// What it takes to group the vertices of a node.
#[derive(Clone, Copy)]
pub(super) struct Grouping<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) binding: &'a Binding,
    /// Fits the rest shape of a part.
    pub(super) fit: fn(&[DVec3]) -> RestShape,
    /// Whether weights have gradients: those of spheres do, those of boxes do not.
    pub(super) with_gradients: bool,
}

/// The runs of vertices with the same joint set.
pub(super) fn by_set(vertices: &[NodeVertex]) -> impl Iterator<Item = &[NodeVertex]> {
    vertices.chunk_by(|a, b| a.0 == b.0)
}

/// All joints of some parts, ascending.
pub(super) fn joints_of(parts: &[PartDraft]) -> Vec<u32> {
    let weights = parts.iter().flat_map(|part| &part.weights);
    let mut joints: Vec<u32> = weights.map(|own| own.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

impl<'a> Grouping<'a> {
    /// The vertices of triangles, each once, sorted by joint set.
    pub(super) fn vertices(&self, triangles: &[u32]) -> Vec<NodeVertex> {
        let corners = triangles.iter().flat_map(|&t| self.mesh.triangles()[t as usize]);
        let mut vertices: Vec<NodeVertex> =
            corners.map(|v| (self.binding.sets.of_vertex(v as usize), v)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }

    /// The joints of the joint set of some vertices, which is the same for all.
    pub(super) fn set_joints(&self, vertices: &[NodeVertex]) -> &'a [u32] {
        self.binding.sets.joints(vertices[0].0)
    }

    /// How many joints the joint sets of vertices have together. A joint counts once per set.
    pub(super) fn set_joint_count(&self, vertices: &[NodeVertex]) -> usize {
        by_set(vertices).map(|own| self.set_joints(own).len()).sum()
    }

    /// One part per joint set.
    pub(super) fn set_parts(&self, vertices: &[NodeVertex]) -> Vec<PartDraft> {
        by_set(vertices).map(|own| self.part(own[0].0, self.set_joints(own), own)).collect()
    }

    /// The part of vertices that no other than these joints move, which are in ascending order.
    pub(super) fn part(&self, set: u32, joints: &[u32], vertices: &[NodeVertex]) -> PartDraft {
        let mut rows = vec![0.0; joints.len() * vertices.len()];
        for (own, &(_, vertex)) in rows.chunks_exact_mut(joints.len()).zip(vertices) {
            for influence in self.binding.weights.of(vertex as usize) {
                if let Ok(place) = joints.binary_search(&influence.joint) {
                    own[place] += influence.weight;
                }
            }
        }
        let vertices: Vec<u32> = vertices.iter().map(|&(_, vertex)| vertex).collect();
        let points = self.points(&vertices);
        let rest = (self.fit)(&points);
        let weights = weight_bounds(joints, &rows, &rest, &points, self.with_gradients);
        PartDraft { rest, set, is_node_part: false, weights, morphs: self.morphs(&vertices) }
    }

    /// One part per joint, with all vertices that the joint moves. Under linear blending the volume around
    /// all joints' images of their own vertices contains every vertex, since a blend of images lies in
    /// their hull.
    pub(super) fn joint_parts(&self, vertices: &[NodeVertex]) -> Vec<PartDraft> {
        self.by_joint(vertices, |points, joint, moved| PartDraft {
            rest: (self.fit)(points),
            set: u32::MAX,
            is_node_part: false,
            weights: vec![WeightBounds::alone(joint)],
            morphs: self.morphs(moved),
        })
    }

    /// What is made of each joint's vertices, given their positions, the joint, and the vertices.
    pub(super) fn by_joint<T>(
        &self,
        vertices: &[NodeVertex],
        made: impl Fn(&[DVec3], u32, &[u32]) -> T,
    ) -> Vec<T> {
        let sets = &self.binding.sets;
        let mut moved: Vec<(u32, u32)> = vertices
            .iter()
            .flat_map(|&(set, vertex)| sets.joints(set).iter().map(move |&joint| (joint, vertex)))
            .collect();
        moved.sort_unstable();
        let joints = moved.chunk_by(|a, b| a.0 == b.0);
        let of_joint = |own: &[(u32, u32)]| {
            let vertices: Vec<u32> = own.iter().map(|&(_, vertex)| vertex).collect();
            made(&self.points(&vertices), own[0].0, &vertices)
        };
        joints.map(of_joint).collect()
    }

    fn points(&self, vertices: &[u32]) -> Vec<DVec3> {
        vertices.iter().map(|&vertex| self.mesh.positions()[vertex as usize]).collect()
    }

    /// How the morph targets move some vertices. Targets that do not move them are left out.
    fn morphs(&self, vertices: &[u32]) -> Vec<MorphBounds> {
        let Some(modes) = &self.binding.morph else { return Vec::new() };
        let bounds = |target: usize| {
            let own = || vertices.iter().map(move |&v| modes.of(v as usize)[target].as_dvec3());
            let (low, high) = own()
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), d| {
                    (low.min(d), high.max(d))
                });
            if low == DVec3::ZERO && high == DVec3::ZERO {
                return None;
            }
            let mean = (low * 0.5 + high * 0.5).as_vec3a();
            let off = own().map(|d| (d - mean.as_dvec3()).abs());
            // Squares of tiny numbers underflow. The sum of the components is then an upper bound.
            let length =
                |d: DVec3| if d.max_element() < 1e-150 { d.element_sum() } else { d.length() };
            let deviation = round_up(off.map(length).fold(0.0, f64::max) * (1.0 + 1e-12));
            Some(MorphBounds { target: target as u32, deviation, mean })
        };
        (0..modes.count()).filter_map(bounds).collect()
    }
}
