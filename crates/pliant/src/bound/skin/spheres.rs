//! Spheres of a skin's nodes, as in the paper of Kavan & Žára (2006).

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glam::{DVec3, Vec3, Vec3A};

use super::blend_error::node_blend_error;
use super::linear_box::SLACK_OF_ONE;
use super::part_image::{PartSphere, part_sphere};
use super::parts::{Part, Span};
use super::pose::{Pose, RestExtent, length};
use super::rotation_center::CenterErrors;
use super::sphere_routes::{JointBall, SphereRoute, SphereRoutes};
use super::tuning::{NODE_PART_GROWTH_LINEAR, NODE_PART_GROWTH_ROTATED};
use crate::Mesh;
use crate::bound::Bounds;
use crate::deform::{Blending, Deformation as _, Skin};
use crate::memo::{Memo, Remember as _};
use crate::numeric::F32_SLACK;
use crate::tree::{Tree, primitive_runs};
use crate::volume::{Aabb, Sphere};

/// Spheres of a skin's nodes, each computed from the joints that move its vertices when it is asked for.
///
/// Clones share what does not change with the pose. A sphere that was computed is remembered until the
/// pose changes. Spheres are always computed on demand: they have no
/// [`RefitPolicy`](super::RefitPolicy).
#[derive(Debug, Clone)]
pub struct SkinSpheres {
    fixed: Arc<FixedSpheres>,
    /// The joints as they were given.
    pose: Pose,
    /// The rigid joints, computed when they are first needed; not for linear blending.
    rigid_pose: OnceLock<Pose>,
    known: Memo<Sphere>,
    center_errors: CenterErrors,
}

/// What does not change with the pose.
#[derive(Debug)]
struct FixedSpheres {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    routes: SphereRoutes,
    /// The run of the tree's primitives below each node.
    runs: Vec<Range<u32>>,
    extent: RestExtent,
}

impl SkinSpheres {
    pub(super) fn new(mesh: &Arc<Mesh>, tree: &Arc<Tree>, skin: &Skin) -> Self {
        let (binding, blending) = (skin.binding(), skin.blending());
        let runs = primitive_runs(tree);
        let routes = SphereRoutes::new(tree, &runs, mesh, binding, blending);
        let extent = RestExtent::new(mesh, binding);
        let sets = if blending == Blending::Spherical { binding.joint_sets() } else { 0 };
        let center_errors = CenterErrors::new(sets, routes.center_pairs);
        let (mesh, tree) = (mesh.clone(), tree.clone());
        let known = Memo::new(tree.nodes.len());
        let mut made = Self {
            fixed: Arc::new(FixedSpheres { mesh, tree, routes, runs, extent }),
            pose: Pose::default(),
            rigid_pose: OnceLock::new(),
            known,
            center_errors,
        };
        made.update(skin);
        made
    }

    /// Takes the pose of the skin.
    pub(super) fn update(&mut self, skin: &Skin) {
        self.pose.update(skin, &self.fixed.extent, true);
        self.fixed.routes.joint_pairs.measure(&mut self.pose);
        self.rigid_pose.take();
        self.known.forget();
        self.center_errors.forget();
    }

    /// The number of nodes that were refitted for the current pose so far. It shows how little a query
    /// needs.
    #[must_use]
    pub fn refitted(&self) -> usize {
        self.known.known()
    }

    /// The sphere of a node, computed anew. Not inlined: usually a sphere is looked up.
    #[inline(never)]
    fn compute(&self, skin: &Skin, node: u32) -> Sphere {
        // Vertices may be NaN then, and a sphere around other vertices would not contain them.
        if !self.pose.bounded {
            return Sphere::EVERYWHERE;
        }
        let FixedSpheres { routes, tree, .. } = &*self.fixed;
        match routes.of(node) {
            SphereRoute::Vertices => self.around_vertices(skin, node),
            SphereRoute::Children => self.around_children(skin, node),
            SphereRoute::LinearJoints { balls } => self.around_joints(balls, 0.0),
            SphereRoute::RotatedJoints { balls, pairs } => {
                match node_blend_error(skin, &self.pose, routes.node_pairs(pairs)) {
                    Some(error) => self.around_joints(balls, error),
                    None if tree.node(node).is_leaf() => self.around_vertices(skin, node),
                    None => self.around_children(skin, node),
                }
            }
            SphereRoute::Parts { parts } => self.around_parts(skin, None, parts),
            SphereRoute::NodePart { node_part, centers, parts } => {
                self.around_parts(skin, Some((node_part, centers)), parts)
            }
        }
    }

    /// The sphere around one ball per joint, enlarged by a blend error.
    fn around_joints(&self, balls: Span, blend_error: f32) -> Sphere {
        let pose = &self.pose;
        let per_radius = 2.0 * pose.growth * SLACK_OF_ONE;
        let rounding = pose.magnitude * SLACK_OF_ONE + pose.underflow;
        let image = |&JointBall { center, radius, joint }: &JointBall| {
            let joint = &pose.joints[joint as usize];
            let room = radius * per_radius + (rounding + blend_error);
            PartSphere { center: joint.apply(center), radius: joint.norm * radius + room }
        };
        around(self.fixed.routes.balls(balls).iter().map(image))
    }

    /// The sphere around parts of joint sets, and around a node part if there is one.
    fn around_parts(&self, skin: &Skin, node_part: Option<(u32, Span)>, parts: Span) -> Sphere {
        let pose = match skin.blending() {
            Blending::Linear => &self.pose,
            _ => self.rigid_pose.get_or_init(|| Pose::of_rigid_joints(skin, &self.fixed.extent)),
        };
        if !pose.bounded {
            return Sphere::EVERYWHERE;
        }
        // One loop per blending: a loop for all would hardly fit the processor's registers.
        match skin.blending() {
            Blending::Linear => self.smaller(Blending::Linear, skin, pose, node_part, parts),
            Blending::Spherical => self.smaller(Blending::Spherical, skin, pose, node_part, parts),
            Blending::DualQuaternion => {
                self.smaller(Blending::DualQuaternion, skin, pose, node_part, parts)
            }
        }
    }

    /// The smaller of the spheres around a node part and around the parts of joint sets.
    #[inline(always)]
    fn smaller(
        &self,
        blending: Blending,
        skin: &Skin,
        pose: &Pose,
        node_part: Option<(u32, Span)>,
        parts: Span,
    ) -> Sphere {
        let routes = &self.fixed.routes;
        let parts = parts.of(&routes.lists.parts);
        let image = |part: &Part| part_sphere(blending, skin, pose, &routes.lists, part);
        if let [only] = parts
            && node_part.is_none()
        {
            return to_sphere(image(only));
        }
        let Some((node_part, centers)) = node_part else { return around(parts.iter().map(image)) };
        let node_part = &routes.lists.parts[node_part as usize];
        let PartSphere { center, radius } = image(node_part);
        let others = routes.centers(centers);
        let radius = radius + self.center_errors.largest(skin, pose, node_part.set, others);
        let sphere = to_sphere(PartSphere { center, radius });
        let enough = match blending {
            Blending::Linear => NODE_PART_GROWTH_LINEAR,
            _ => NODE_PART_GROWTH_ROTATED,
        };
        if radius <= enough * node_part.rest.radius {
            return sphere;
        }
        let around_sets = around(parts.iter().map(image));
        if around_sets.radius <= sphere.radius { around_sets } else { sphere }
    }

    /// The sphere around all vertices below a node.
    fn around_vertices(&self, skin: &Skin, node: u32) -> Sphere {
        let FixedSpheres { mesh, tree, runs, .. } = &*self.fixed;
        let Range { start, end } = runs[node as usize];
        let triangles = &tree.primitives[start as usize..end as usize];
        if let [only] = triangles {
            return Sphere::around_triangle(skin.triangle(mesh, *only));
        }
        let corners = || triangles.iter().flat_map(|&triangle| skin.triangle(mesh, triangle));
        let (low, high) = corners()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |all, p| (all.0.min(p), all.1.max(p)));
        Sphere::around(low * 0.5 + high * 0.5, corners())
    }

    /// The sphere around the spheres of a node's children.
    fn around_children(&self, skin: &Skin, node: u32) -> Sphere {
        let children = self.fixed.tree.node(node).range();
        let spheres = children.map(|child| self.bound(skin, child));
        spheres.reduce(|all, child| all.merge(&child)).unwrap_or(Sphere::EVERYWHERE)
    }
}

impl Bounds<Skin> for SkinSpheres {
    type Volume = Sphere;

    #[inline]
    fn bound(&self, skin: &Skin, node: u32) -> Sphere {
        let compute = || self.compute(skin, node).to_words();
        Sphere::from_words(self.known.words_or(node as usize, compute))
    }
}

/// Spheres of this many parts are kept without allocating memory.
const FEW_SPHERES: usize = 12;

/// Steps towards the farthest sphere. On a walking man four make spheres of the first level smaller by
/// 3 %, of the third by 1 %; twice as many gain half as much again.
const CENTER_STEPS: usize = 4;

fn to_sphere(PartSphere { center, radius }: PartSphere) -> Sphere {
    match center.is_finite() && radius.is_finite() {
        true => Sphere { center: Vec3::from(center), radius },
        false => Sphere::EVERYWHERE,
    }
}

/// A sphere around spheres. Its centre is found by steps towards the farthest sphere, from the middle of
/// the box around all.
#[inline]
fn around(spheres: impl Iterator<Item = PartSphere>) -> Sphere {
    let mut few = [PartSphere { center: Vec3A::ZERO, radius: 0.0 }; FEW_SPHERES];
    let mut many = Vec::new();
    let mut count = 0;
    for sphere in spheres {
        match few.get_mut(count) {
            Some(free) => *free = sphere,
            None => many.push(sphere),
        }
        count += 1;
    }
    let spheres = || few[..count.min(FEW_SPHERES)].iter().chain(&many);
    let around = spheres().fold(Aabb::EMPTY, |all, own| {
        let half = Vec3A::splat(own.radius);
        all.merge(&Aabb { min: own.center - half, max: own.center + half })
    });
    let mut center = around.min * 0.5 + around.max * 0.5;
    let mut best = (center, f32::INFINITY);
    for step in 1..=CENTER_STEPS {
        let (mut far, mut radius) = (center, 0.0_f32);
        for own in spheres() {
            let reach = length(own.center - center) + own.radius;
            if reach > radius {
                (far, radius) = (own.center, reach);
            }
        }
        if radius < best.1 {
            best = (center, radius);
        }
        // Each step is shorter than the one before, and does not go beyond the farthest centre.
        let way = far - center;
        let share = radius / ((step + 1) as f32 * length(way).max(f32::MIN_POSITIVE));
        center += way * share.min(1.0);
    }
    let (center, radius) = (best.0, best.1 * (1.0 + F32_SLACK));
    // If one sphere is infinite, so is the sphere around all.
    if !(around.min.is_finite() && around.max.is_finite() && radius.is_finite()) {
        return Sphere::EVERYWHERE;
    }
    Sphere { center: Vec3::from(center), radius: radius + f32::MIN_POSITIVE }
}
