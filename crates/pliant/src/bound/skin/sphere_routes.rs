//! Which route leads to the sphere of each node, decided when the skin is bound, and what the routes use.
//!
//! As in [`box_routes`](super::box_routes) nodes of few joint sets are bounded set by set, and others joint by
//! joint. A node of few joints also has a node part, which holds all vertices as if they had one set with all
//! their joints, some of which have no weight in some vertices: spheres around the parts of sets leave
//! more room between them than one sphere around the node part does.

use std::collections::HashMap;
use std::ops::Range;

use crate::parallel::*;
use glam::{DVec3, Vec3A};

use super::blend_error::{NodePair, node_pairs};
use super::grouping::{Grouping, NodeVertex, by_set, joints_of};
use super::joint_pairs::JointPairs;
use super::parts::{PartDraft, PartLists, Span};
use super::rest_shape::RestShape;
use super::rotation_center::{OtherCenter, mixing};
use super::tuning::{EXACT_SPHERE_TRIANGLES, MAX_NODE_PART_JOINTS, MAX_SPHERE_SET_JOINTS};
use crate::Mesh;
use crate::deform::{Binding, Blending};
use crate::tree::Tree;

/// How the sphere of a node is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SphereRoute {
    /// Around the vertices of a leaf, or of few triangles.
    Vertices,
    /// Around the spheres of the children.
    Children,
    /// Around parts: one per joint set, or one per joint in linear skins with morph targets and many
    /// joint sets.
    Parts { parts: Span },
    /// Few joint sets of few joints: around the node part, or if that is large also around `parts`.
    NodePart { node_part: u32, centers: Span, parts: Span },
    /// Linear blending, many joint sets: around one ball per joint.
    LinearJoints { balls: Span },
    /// Blended rotations, many joint sets: as `LinearJoints`, enlarged by the blend error. If joints are
    /// turned too far against one another, as `Vertices` or `Children`.
    RotatedJoints { balls: Span, pairs: Span },
}

/// All vertices of a node that a joint moves, by any weight, in a ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct JointBall {
    pub(super) center: Vec3A,
    pub(super) radius: f32,
    pub(super) joint: u32,
}

/// The routes of all nodes, and the lists that they refer to.
#[derive(Debug, Clone, Default)]
pub(super) struct SphereRoutes {
    /// The place of each node's route. Most nodes have few triangles and share one route.
    of_node: Vec<u32>,
    routes: Vec<SphereRoute>,
    pub(super) lists: PartLists,
    balls: Vec<JointBall>,
    node_pairs: Vec<NodePair>,
    /// Where blending is spherical, the sets whose rotation centres node parts do not use.
    centers: Vec<OtherCenter>,
    /// The number of different pairs of a used and another centre.
    pub(super) center_pairs: usize,
    pub(super) joint_pairs: JointPairs,
}

/// A route on its way into the lists.
enum Draft {
    Vertices,
    Children,
    Parts(Vec<PartDraft>),
    NodePart(PartDraft, Vec<OtherCenter>, Vec<PartDraft>),
    LinearJoints(Vec<JointBall>),
    RotatedJoints(Vec<JointBall>, Vec<NodePair>),
}

/// What it takes to decide a node's route.
struct Planner<'a> {
    grouping: Grouping<'a>,
    blending: Blending,
    joint_pairs: &'a JointPairs,
}

impl Planner<'_> {
    fn plan(&self, triangles: &[u32], is_leaf: bool) -> Draft {
        if triangles.len() <= EXACT_SPHERE_TRIANGLES {
            return Draft::Vertices;
        }
        let Self { grouping, blending, joint_pairs } = *self;
        let binding = grouping.binding;
        let vertices = grouping.vertices(triangles);
        if grouping.set_joint_count(&vertices) <= MAX_SPHERE_SET_JOINTS {
            let parts = grouping.set_parts(&vertices);
            let joints = joints_of(&parts);
            if parts.len() == 1 || joints.len() > MAX_NODE_PART_JOINTS {
                return Draft::Parts(parts);
            }
            let (used, others) = self.rotation_centers(&vertices);
            let node_part = grouping.part(used, &joints, &vertices);
            return Draft::NodePart(PartDraft { is_node_part: true, ..node_part }, others, parts);
        }
        match (blending == Blending::Linear, binding.morph.is_some()) {
            (true, false) => Draft::LinearJoints(self.joint_balls(&vertices)),
            (true, true) => Draft::Parts(grouping.joint_parts(&vertices)),
            (false, false) => {
                let positions = grouping.mesh.positions();
                let pairs = node_pairs(binding, joint_pairs, positions, &vertices, grouping.fit);
                Draft::RotatedJoints(self.joint_balls(&vertices), pairs)
            }
            (false, true) if is_leaf => Draft::Vertices,
            (false, true) => Draft::Children,
        }
    }

    fn joint_balls(&self, vertices: &[NodeVertex]) -> Vec<JointBall> {
        let new = |points: &[DVec3], joint, _: &[u32]| {
            let RestShape { center, radius, .. } = (self.grouping.fit)(points);
            JointBall { center, radius, joint }
        };
        self.grouping.by_joint(vertices, new)
    }

    /// The joint set whose rotation centre a node part uses for spherical blending, and the other sets. It
    /// is the set with the largest mixing. A set of one joint has the same motion about any centre.
    fn rotation_centers(&self, vertices: &[NodeVertex]) -> (u32, Vec<OtherCenter>) {
        if self.blending != Blending::Spherical {
            return (u32::MAX, Vec::new());
        }
        let grouping = self.grouping;
        let several = |own: &&[NodeVertex]| grouping.set_joints(own).len() > 1;
        let mut sets: Vec<_> = by_set(vertices).filter(several).collect();
        let influences = |&(_, vertex): &NodeVertex| grouping.binding.weights.of(vertex as usize);
        let mixed = |own: &[NodeVertex]| own.iter().map(|v| mixing(influences(v))).sum::<f64>();
        sets.sort_by(|a, b| mixed(b).total_cmp(&mixed(a)));
        let other = |own: &&[NodeVertex]| OtherCenter::new(own[0].0, own.iter().map(influences));
        (sets.first().map_or(0, |own| own[0].0), sets.iter().skip(1).map(other).collect())
    }
}

/// The place of [`SphereRoute::Vertices`] among the routes.
const VERTICES: u32 = 0;

impl SphereRoutes {
    /// Decides the route of every node. `runs` are the runs of the tree's primitives below each node.
    pub(super) fn new(
        tree: &Tree,
        runs: &[Range<u32>],
        mesh: &Mesh,
        binding: &Binding,
        blending: Blending,
    ) -> Self {
        let joint_pairs = match blending {
            Blending::Linear => JointPairs::default(),
            _ => JointPairs::new(binding),
        };
        let fit = RestShape::ball;
        let grouping = Grouping { mesh, binding, fit, with_gradients: true };
        let planner = Planner { grouping, blending, joint_pairs: &joint_pairs };
        let plan = |(node, Range { start, end }): (usize, &Range<u32>)| {
            let triangles = &tree.primitives[*start as usize..*end as usize];
            planner.plan(triangles, tree.node(node as u32).is_leaf())
        };
        let drafts: Vec<Draft> = runs.par_iter().enumerate().map(plan).collect();
        let mut made = Self { routes: vec![SphereRoute::Vertices], ..Self::default() };
        let mut pair_numbers = HashMap::new();
        for draft in drafts {
            let place = match draft {
                Draft::Vertices => VERTICES,
                draft => {
                    let route = made.add(draft, &mut pair_numbers);
                    made.routes.push(route);
                    made.routes.len() as u32 - 1
                }
            };
            made.of_node.push(place);
        }
        made.center_pairs = pair_numbers.len();
        made.joint_pairs = joint_pairs;
        made
    }

    /// Adds a node. `pair_numbers` are the numbers of pairs of rotation centres, by their sets.
    fn add(&mut self, draft: Draft, pair_numbers: &mut HashMap<[u32; 2], u32>) -> SphereRoute {
        match draft {
            Draft::Vertices => SphereRoute::Vertices,
            Draft::Children => SphereRoute::Children,
            Draft::Parts(parts) => SphereRoute::Parts { parts: self.lists.add(parts) },
            Draft::NodePart(node_part, others, parts) => {
                let used = node_part.set;
                let numbered = others.into_iter().map(|mut other| {
                    let next = pair_numbers.len() as u32;
                    other.pair = *pair_numbers.entry([used, other.set]).or_insert(next);
                    other
                });
                let centers = Span::append(&mut self.centers, numbered);
                let parts = self.lists.add(parts);
                self.lists.add([node_part]);
                let node_part = self.lists.parts.len() as u32 - 1;
                SphereRoute::NodePart { node_part, centers, parts }
            }
            Draft::LinearJoints(balls) => {
                SphereRoute::LinearJoints { balls: Span::append(&mut self.balls, balls) }
            }
            Draft::RotatedJoints(balls, pairs) => SphereRoute::RotatedJoints {
                balls: Span::append(&mut self.balls, balls),
                pairs: Span::append(&mut self.node_pairs, pairs),
            },
        }
    }

    /// The route of a node.
    #[inline(always)]
    pub(super) fn of(&self, node: u32) -> SphereRoute {
        self.routes[self.of_node[node as usize] as usize]
    }

    /// The balls of a node's joints.
    pub(super) fn balls(&self, balls: Span) -> &[JointBall] {
        balls.of(&self.balls)
    }

    /// The joint pairs of a node.
    pub(super) fn node_pairs(&self, pairs: Span) -> &[NodePair] {
        pairs.of(&self.node_pairs)
    }

    /// The sets whose rotation centres a node part does not use.
    pub(super) fn centers(&self, centers: Span) -> &[OtherCenter] {
        centers.of(&self.centers)
    }
}
