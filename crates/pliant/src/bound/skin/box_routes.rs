//! Which route leads to the box of each node, decided when the skin is bound, and what the routes use.
//!
//! Nodes of few joint sets are bounded set by set, from one part per set. Where the sets have many joints
//! together, there is one box per joint instead, with all vertices that the joint moves: a linear blend of
//! images lies in their hull, so a box around all joints' images of their own vertices contains it. Blended
//! rotations add the blend error. With morph targets and many joint sets they have no parts, and the node is
//! bounded by its children.

use std::ops::Range;

use crate::parallel::*;

use super::blend_error::{NodePair, SetPair, SetVertices, node_pairs, set_pairs};
use super::grouping::{Grouping, NodeVertex, by_set, joints_of};
use super::joint_pairs::JointPairs;
use super::linear_box::{
    BlendedPart, JointBox, PivotedWeight, RigidPart, around, blended_images, joint_box_images,
    rigid_images,
};
use super::parts::{PartDraft, PartLists, Span};
use super::pose::Pose;
use super::rest_shape::RestShape;
use super::tuning::{
    MAX_MERGED_JOINTS, MAX_SET_JOINTS, MAX_SPHERICAL_SET_JOINTS, MERGED_DEVIATION, MERGED_GROWTH,
};
use crate::Mesh;
use crate::bound::small_subtrees::SmallSubtrees;
use crate::deform::{Binding, Blending};
use crate::tree::Tree;
use crate::volume::Aabb;

/// How the box of a node is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BoxRoute {
    /// The node belongs to a small subtree, all of which is fitted around its vertices.
    SmallSubtree,
    /// Around the vertices of a leaf.
    Vertices,
    /// Around the boxes of the children.
    Children,
    /// Linear blending, few joint sets: around parts of one joint, and parts of several.
    LinearSets { rigid: Span, blended: Span },
    /// Linear blending, many joint sets: around one box per joint.
    LinearJoints { boxes: Span },
    /// Blended rotations, few joint sets: as `LinearSets`, enlarged by the blend errors. If joints are
    /// turned too far against one another, around `parts`.
    RotatedSets { rigid: Span, blended: Span, parts: Span },
    /// Blended rotations, many joint sets: as `LinearJoints`, enlarged by the blend error. If joints are
    /// turned too far against one another, as `Vertices` or `Children`.
    RotatedJoints { boxes: Span, pairs: Span },
    /// With morph targets: around parts.
    Parts { parts: Span },
}

/// The routes of all nodes, and the lists that they refer to.
#[derive(Debug, Clone, Default)]
pub(super) struct BoxRoutes {
    /// The place of each node's route. Most nodes belong to small subtrees and share one route, so that
    /// the others stay in the cache.
    of_node: Vec<u32>,
    routes: Vec<BoxRoute>,
    pub(super) lists: PartLists,
    rigid: Vec<RigidPart>,
    blended: Vec<BlendedPart>,
    weights: Vec<PivotedWeight>,
    boxes: Vec<JointBox>,
    /// Where rotations are blended, one element per blended part, at the same place.
    set_vertices: Vec<SetVertices>,
    pub(super) set_pairs: Vec<SetPair>,
    node_pairs: Vec<NodePair>,
    pub(super) joint_pairs: JointPairs,
}

/// A route on its way into the lists.
enum Draft {
    SmallSubtree,
    Vertices,
    Children,
    LinearSets(Vec<PartDraft>),
    LinearJoints(Vec<JointBox>),
    RotatedSets(Vec<PartDraft>, Vec<(SetVertices, Vec<SetPair>)>),
    RotatedJoints(Vec<JointBox>, Vec<NodePair>),
    Parts(Vec<PartDraft>),
}

/// What it takes to decide a node's route.
struct Planner<'a> {
    grouping: Grouping<'a>,
    blending: Blending,
    joint_pairs: &'a JointPairs,
}

impl Planner<'_> {
    /// The route of a node outside of all small subtrees.
    fn plan(&self, triangles: &[u32], is_leaf: bool) -> Draft {
        let Self { grouping, blending, joint_pairs } = *self;
        let binding = grouping.binding;
        let vertices = grouping.vertices(triangles);
        let linear = blending == Blending::Linear;
        let morphed = binding.morph.is_some();
        let most = match blending {
            Blending::Spherical => MAX_SPHERICAL_SET_JOINTS,
            _ => MAX_SET_JOINTS,
        };
        if vertices.is_empty() {
            return if is_leaf { Draft::Vertices } else { Draft::Children };
        }
        let few_sets = grouping.set_joint_count(&vertices) <= most;
        match (few_sets, linear, morphed) {
            (true, true, false) => Draft::LinearSets(self.linear_parts(&vertices)),
            (true, true, true) => Draft::Parts(self.linear_parts(&vertices)),
            (true, false, true) => Draft::Parts(grouping.set_parts(&vertices)),
            (true, false, false) => {
                let parts = grouping.set_parts(&vertices);
                let several = by_set(&vertices).zip(&parts).filter(|(_, part)| !is_rigid(part));
                let positions = grouping.mesh.positions();
                let set_vertices = several.map(|(own, part)| {
                    let new = SetVertices::new(binding, blending, positions, &part.rest, own);
                    (new, set_pairs(binding, joint_pairs, own))
                });
                let set_vertices = set_vertices.collect();
                Draft::RotatedSets(parts, set_vertices)
            }
            (false, true, false) => Draft::LinearJoints(self.joint_boxes(&vertices)),
            (false, true, true) => Draft::Parts(grouping.joint_parts(&vertices)),
            (false, false, false) => {
                let positions = grouping.mesh.positions();
                let pairs = node_pairs(binding, joint_pairs, positions, &vertices, grouping.fit);
                Draft::RotatedJoints(self.joint_boxes(&vertices), pairs)
            }
            (false, false, true) if is_leaf => Draft::Vertices,
            (false, false, true) => Draft::Children,
        }
    }

    /// The parts of the joint sets of a linear skin; all in one where that hardly makes the box larger. In
    /// linear blending a joint may have no weight in some vertices of a part, and with the same joints in
    /// several parts a box costs more than it gains.
    fn linear_parts(&self, vertices: &[NodeVertex]) -> Vec<PartDraft> {
        let parts = self.grouping.set_parts(vertices);
        let joints = joints_of(&parts);
        if parts.len() < 2 || joints.len() > MAX_MERGED_JOINTS {
            return parts;
        }
        let merged = self.grouping.part(u32::MAX, &joints, vertices);
        let most = parts.iter().map(PartDraft::deviation).fold(0.0, f32::max);
        let small = merged.deviation() <= MERGED_DEVIATION.max(MERGED_GROWTH * most);
        if small { vec![merged] } else { parts }
    }

    fn joint_boxes(&self, vertices: &[NodeVertex]) -> Vec<JointBox> {
        let new =
            |points: &[_], joint, _: &[u32]| JointBox::new(RestShape::axis_aligned(points), joint);
        self.grouping.by_joint(vertices, new)
    }
}

/// Whether one joint moves a part alone.
fn is_rigid(part: &PartDraft) -> bool {
    part.weights.len() == 1
}

/// The place of [`BoxRoute::SmallSubtree`] among the routes.
const SMALL_SUBTREE: u32 = 0;

impl BoxRoutes {
    /// Decides the route of every node. `runs` are the runs of the tree's primitives below each node.
    pub(super) fn new(
        tree: &Tree,
        runs: &[Range<u32>],
        mesh: &Mesh,
        binding: &Binding,
        blending: Blending,
        subtrees: &SmallSubtrees,
    ) -> Self {
        let joint_pairs = match blending {
            Blending::Linear => JointPairs::default(),
            _ => JointPairs::new(binding),
        };
        let fit = RestShape::oriented;
        let grouping = Grouping { mesh, binding, fit, with_gradients: false };
        let planner = Planner { grouping, blending, joint_pairs: &joint_pairs };
        let plan = |(node, Range { start, end }): (usize, &Range<u32>)| {
            if subtrees.contains(node as u32) {
                return Draft::SmallSubtree;
            }
            let triangles = &tree.primitives[*start as usize..*end as usize];
            planner.plan(triangles, tree.node(node as u32).is_leaf())
        };
        let drafts: Vec<Draft> = runs.par_iter().enumerate().map(plan).collect();
        let mut made = Self { routes: vec![BoxRoute::SmallSubtree], ..Self::default() };
        for draft in drafts {
            let place = match draft {
                Draft::SmallSubtree => SMALL_SUBTREE,
                draft => {
                    let route = made.add(draft);
                    made.routes.push(route);
                    made.routes.len() as u32 - 1
                }
            };
            made.of_node.push(place);
        }
        made.joint_pairs = joint_pairs;
        made
    }

    fn add(&mut self, draft: Draft) -> BoxRoute {
        match draft {
            Draft::SmallSubtree => BoxRoute::SmallSubtree,
            Draft::Vertices => BoxRoute::Vertices,
            Draft::Children => BoxRoute::Children,
            Draft::LinearSets(parts) => {
                let [rigid, blended] = self.add_sets(&parts);
                BoxRoute::LinearSets { rigid, blended }
            }
            Draft::LinearJoints(boxes) => {
                BoxRoute::LinearJoints { boxes: Span::append(&mut self.boxes, boxes) }
            }
            Draft::RotatedSets(parts, set_vertices) => {
                let [rigid, blended] = self.add_sets(&parts);
                for (own, pairs) in set_vertices {
                    let pairs = Span::append(&mut self.set_pairs, pairs);
                    self.set_vertices.push(own.with_pairs(pairs));
                }
                BoxRoute::RotatedSets { rigid, blended, parts: self.lists.add(parts) }
            }
            Draft::RotatedJoints(boxes, pairs) => BoxRoute::RotatedJoints {
                boxes: Span::append(&mut self.boxes, boxes),
                pairs: Span::append(&mut self.node_pairs, pairs),
            },
            Draft::Parts(parts) => BoxRoute::Parts { parts: self.lists.add(parts) },
        }
    }

    /// Adds the parts of joint sets, those of one joint and those of several apart.
    fn add_sets(&mut self, parts: &[PartDraft]) -> [Span; 2] {
        let Self { rigid, blended, weights, .. } = self;
        let alone = parts.iter().filter(|part| is_rigid(part));
        let several = parts.iter().filter(|part| !is_rigid(part));
        let alone = alone.map(|part| RigidPart { rest: part.rest, joint: part.weights[0].joint });
        [
            Span::append(rigid, alone),
            Span::append(blended, several.map(|part| BlendedPart::new(part, weights))),
        ]
    }

    /// The route of a node.
    #[inline(always)]
    pub(super) fn of(&self, node: u32) -> BoxRoute {
        self.routes[self.of_node[node as usize] as usize]
    }

    /// The parts of one joint, those of several, and the weights that the latter refer to.
    #[inline(always)]
    pub(super) fn sets(
        &self,
        rigid: Span,
        blended: Span,
    ) -> (&[RigidPart], &[BlendedPart], &[PivotedWeight]) {
        (rigid.of(&self.rigid), blended.of(&self.blended), &self.weights)
    }

    /// The vertices of blended parts by their joint sets.
    #[inline(always)]
    pub(super) fn set_vertices(&self, blended: Span) -> &[SetVertices] {
        blended.of(&self.set_vertices)
    }

    /// The joint pairs of a node.
    pub(super) fn node_pairs(&self, pairs: Span) -> &[NodePair] {
        pairs.of(&self.node_pairs)
    }

    /// The box of a node by [`BoxRoute::LinearSets`].
    #[inline(always)]
    pub(super) fn around_sets(&self, pose: &Pose, rigid: Span, blended: Span) -> Aabb {
        let (rigid, blended, weights) = self.sets(rigid, blended);
        let (move_rigid, blend) = (rigid_images(pose), blended_images(pose, weights));
        let rigid = rigid.iter().map(|own| move_rigid(own, 0.0).to_box());
        let blended = blended.iter().map(|own| blend(own, 0.0).to_box());
        around(rigid.chain(blended))
    }

    /// The box of a node by [`BoxRoute::LinearJoints`], enlarged by a blend error.
    #[inline(always)]
    pub(super) fn around_joints(&self, pose: &Pose, boxes: Span, blend_error: f32) -> Aabb {
        let image = joint_box_images(pose);
        around(boxes.of(&self.boxes).iter().map(|own| image(own, blend_error)))
    }
}
