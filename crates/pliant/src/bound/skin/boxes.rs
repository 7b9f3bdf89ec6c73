//! Boxes of a skin's nodes.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use glam::Vec3A;

use super::blend_error::{node_blend_error, set_blend_error};
use super::box_routes::{BoxRoute, BoxRoutes};
use super::joint_pairs::SkewErrors;
use super::linear_box::{around, blended_images, rigid_images};
use super::part_image::part_box;
use super::parts::{Part, Span};
use super::pose::{Pose, RestExtent};
use super::ray_frame::RayFrame;
use super::refit_policy::Refits;
use super::tuning::{MAX_SET_JOINTS, MAX_SPHERICAL_SET_JOINTS};
use crate::Mesh;
use crate::body::{RayBounds, Refitted};
use crate::bound::Bounds;
use crate::bound::small_subtrees::SmallSubtrees;
use crate::deform::{Blending, Deformation as _, Skin};
use crate::memo::{Memo, Remember as _};
use crate::tree::{Tree, primitive_runs};
use crate::volume::{Aabb, Ray};

/// Boxes of a skin's nodes, each computed from the joints that move its vertices when it is asked for.
///
/// Clones share what does not change with the pose. A box that was computed is remembered until the pose
/// changes.
#[derive(Debug, Clone)]
pub struct SkinBoxes {
    fixed: Arc<FixedBoxes>,
    /// The joints as they were given.
    pose: Pose,
    /// The rigid joints, computed when they are first needed. Linear blending and the topmost nodes do
    /// not need them.
    rigid_pose: OnceLock<Pose>,
    known: Memo<Aabb>,
    pub(super) refits: Refits,
}

/// What does not change with the pose.
#[derive(Debug)]
pub(super) struct FixedBoxes {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    pub(super) routes: BoxRoutes,
    pub(super) subtrees: SmallSubtrees,
    /// The run of the tree's primitives below each node.
    runs: Vec<Range<u32>>,
    pub(super) extent: RestExtent,
}

/// The largest number of blended parts of a node, which have at least two joints each.
const MAX_BLENDED_PARTS: usize = MAX_SPHERICAL_SET_JOINTS / 2;
const _: () = assert!(MAX_SET_JOINTS <= MAX_SPHERICAL_SET_JOINTS);

impl SkinBoxes {
    pub(super) fn new(mesh: &Arc<Mesh>, tree: &Arc<Tree>, skin: &Skin) -> Self {
        let (binding, blending) = (skin.binding(), skin.blending());
        let twins = binding.twins(mesh);
        let corners = |corners: &[u32; 3]| corners.map(|vertex| twins[vertex as usize]);
        let triangles: Vec<[u32; 3]> = mesh.triangles().iter().map(corners).collect();
        let subtrees = SmallSubtrees::below_roots(tree, &triangles, twins.len());
        let runs = primitive_runs(tree);
        let routes = BoxRoutes::new(tree, &runs, mesh, binding, blending, &subtrees);
        let extent = RestExtent::new(mesh, binding);
        let (mesh, tree) = (mesh.clone(), tree.clone());
        let known = Memo::new(tree.nodes.len());
        let mut made = Self {
            fixed: Arc::new(FixedBoxes { mesh, tree, routes, subtrees, runs, extent }),
            pose: Pose::default(),
            rigid_pose: OnceLock::new(),
            known,
            refits: Refits::default(),
        };
        made.take_pose(skin);
        made
    }

    /// Takes the pose of the skin. Returns whether the skin is to be refitted as a whole.
    pub(super) fn update(&mut self, skin: &Skin) -> bool {
        // Before the boxes of the last pose are forgotten.
        let refit_all =
            self.refits.next_pose(&self.fixed.subtrees, self.fixed.tree.nodes.len(), &self.known);
        self.take_pose(skin);
        refit_all && self.pose.bounded
    }

    fn take_pose(&mut self, skin: &Skin) {
        self.pose.update(skin, &self.fixed.extent, false);
        self.fixed.routes.joint_pairs.measure(&mut self.pose);
        self.rigid_pose.take();
        self.known.forget();
    }

    /// The number of nodes that were refitted for the current pose so far. It shows how little a query
    /// needs.
    #[must_use]
    pub fn refitted(&self) -> usize {
        match self.refits.boxes().is_empty() {
            true => self.known.known(),
            false => self.fixed.tree.nodes.len(),
        }
    }

    /// The box of a node, computed anew. Not inlined: usually a box is looked up.
    #[inline(never)]
    fn compute(&self, skin: &Skin, node: u32) -> Aabb {
        // Vertices may be NaN then, and a box around other vertices would not contain them.
        if !self.pose.bounded {
            return Aabb::EVERYWHERE;
        }
        let FixedBoxes { routes, subtrees, mesh, .. } = &*self.fixed;
        match routes.of(node) {
            BoxRoute::SmallSubtree => {
                self.refits.count_subtree();
                let position = |vertex| skin.position(mesh, vertex);
                subtrees.fit(node, position, |fitted| fitted, &self.known)
            }
            BoxRoute::LinearSets { rigid, blended } => {
                routes.around_sets(&self.pose, rigid, blended)
            }
            BoxRoute::LinearJoints { boxes } => routes.around_joints(&self.pose, boxes, 0.0),
            BoxRoute::RotatedSets { rigid, blended, parts } => {
                self.around_rotated_sets(skin, [rigid, blended, parts])
            }
            BoxRoute::RotatedJoints { boxes, pairs } => {
                match node_blend_error(skin, &self.pose, routes.node_pairs(pairs)) {
                    Some(error) => routes.around_joints(&self.pose, boxes, error),
                    None if self.fixed.tree.node(node).is_leaf() => {
                        self.around_vertices(skin, node)
                    }
                    None => self.around_children(skin, node),
                }
            }
            BoxRoute::Parts { parts } => self.around_parts(skin, parts),
            BoxRoute::Vertices => self.around_vertices(skin, node),
            BoxRoute::Children => self.around_children(skin, node),
        }
    }

    /// The box of a node by [`BoxRoute::RotatedSets`].
    fn around_rotated_sets(&self, skin: &Skin, [rigid, blended, parts]: [Span; 3]) -> Aabb {
        // Two calls, so that each is compiled for its blending.
        let enlarged = match skin.blending() {
            Blending::Spherical => self.around_enlarged(skin, Blending::Spherical, rigid, blended),
            _ => self.around_enlarged(skin, Blending::DualQuaternion, rigid, blended),
        };
        enlarged.unwrap_or_else(|| self.around_parts(skin, parts))
    }

    /// Around the images under linear blending, enlarged by blend errors; `None` if joints are turned too
    /// far against one another.
    #[inline(always)]
    fn around_enlarged(
        &self,
        skin: &Skin,
        blending: Blending,
        rigid: Span,
        blended: Span,
    ) -> Option<Aabb> {
        let (pose, routes) = (&self.pose, &self.fixed.routes);
        let skew = SkewErrors::new(pose, skin.exact_skew());
        let mut errors = [0.0; MAX_BLENDED_PARTS];
        for (error, vertices) in errors.iter_mut().zip(routes.set_vertices(blended)) {
            *error = set_blend_error(blending, pose, skew, vertices, &routes.set_pairs)?;
        }
        let (rigid, blended, weights) = routes.sets(rigid, blended);
        let (move_rigid, blend) = (rigid_images(pose), blended_images(pose, weights));
        let rigid = rigid.iter().map(|own| move_rigid(own, skew.images).to_box());
        let blended = blended.iter().zip(&errors);
        let blended = blended.map(|(own, error)| blend(own, *error).to_box());
        Some(around(rigid.chain(blended)))
    }

    /// The box around parts.
    fn around_parts(&self, skin: &Skin, parts: Span) -> Aabb {
        let lists = &self.fixed.routes.lists;
        let parts = parts.of(&lists.parts);
        let pose = match skin.blending() {
            Blending::Linear => &self.pose,
            _ => self.rigid_pose.get_or_init(|| Pose::of_rigid_joints(skin, &self.fixed.extent)),
        };
        if !pose.bounded {
            return Aabb::EVERYWHERE;
        }
        // One loop per blending: a loop for all would hardly fit the processor's registers.
        let all = |blending| {
            let image = move |part: &Part| part_box(blending, skin, pose, lists, part);
            around(parts.iter().map(image))
        };
        match skin.blending() {
            Blending::Linear => all(Blending::Linear),
            Blending::Spherical => all(Blending::Spherical),
            Blending::DualQuaternion => all(Blending::DualQuaternion),
        }
    }

    /// The box around all vertices below a node.
    fn around_vertices(&self, skin: &Skin, node: u32) -> Aabb {
        let FixedBoxes { mesh, tree, runs, .. } = &*self.fixed;
        let Range { start, end } = runs[node as usize];
        let triangles = tree.primitives[start as usize..end as usize].iter();
        let corners = triangles.flat_map(|&triangle| skin.triangle(mesh, triangle));
        let (min, max) = corners
            .map(|corner| corner.as_vec3a())
            .fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(min, max), corner| {
                (min.min(corner), max.max(corner))
            });
        Aabb::around_nearest(min, max)
    }

    /// The box around the boxes of a node's children.
    fn around_children(&self, skin: &Skin, node: u32) -> Aabb {
        let children = self.fixed.tree.node(node).range();
        let boxes = children.map(|child| self.bound(skin, child));
        boxes.reduce(|all, child| all.merge(&child)).unwrap_or(Aabb::EVERYWHERE)
    }
}

impl Bounds<Skin> for SkinBoxes {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, skin: &Skin, node: u32) -> Aabb {
        Aabb::from_words(match self.refits.boxes().get(node as usize) {
            Some(fitted) => fitted.to_words(),
            None => self.known.words_or(node as usize, || self.compute(skin, node).to_words()),
        })
    }

    fn for_ray<'a>(
        &'a self,
        mesh: &'a Mesh,
        skin: &'a Skin,
        ray: &Ray,
    ) -> Option<Box<dyn RayBounds + 'a>> {
        let own_frame = self.refits.count_ray();
        if !(own_frame && self.pose.bounded) {
            return None;
        }
        Some(Box::new(RayFrame::new(&self.fixed, &self.pose, mesh, skin, ray)))
    }

    fn refitted<'a>(
        &'a self,
        mesh: &'a Mesh,
        tree: &'a Tree,
        skin: &'a Skin,
    ) -> Option<Refitted<'a>> {
        let boxes = self.refits.boxes();
        let positions = skin.all_positions();
        let looked_at = self.refits.looked_at();
        (!boxes.is_empty()).then_some(Refitted { mesh, tree, positions, boxes, looked_at })
    }

    fn looked_at(&self, bounds: u64) {
        self.refits.looked_at().fetch_add(bounds, Ordering::Relaxed);
    }
}
