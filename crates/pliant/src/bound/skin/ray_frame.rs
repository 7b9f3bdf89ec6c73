//! The frame of one ray: boxes of a skin along the ray instead of along the world's axes.
//!
//! The first rays of a pose find no box that another query left behind, and would leave behind boxes that
//! are hardly used again. In a frame with the ray as an axis the box of a node costs as much as one
//! along the world's axes, four comparisons tell whether the ray enters it, and its outline as seen
//! along the ray is a third smaller. Below the root of a small subtree all triangles are tried: their
//! vertices are computed anyway, and fitting boxes around them takes longer than the tests.
//!
//! # Why no hit is missed
//! Let N be the rotation to the frame and o a point of the ray near the body. Linear blending commutes with
//! x -> N (x - o), as weights sum to 1 (the error of their sum moves o). So the formulas of
//! [`linear_part`](super::linear_part) and [`linear_box`](super::linear_box) bound the images of the
//! vertices in the frame, if they are given the maps N (C_i - o). In `f32` these maps err by more than joints
//! that were only rounded: an entry by 5u of its column's length, thus images by 15um (and lengths of rows
//! likewise). That enters once into a centre, once into a reach, and twice, as a difference, into what is
//! multiplied with D: 30um and 60Dum. The slack of parts covers that; the magnitude is doubled all the same.
//!
//! `f64` loses a few 2^-53 of the magnitudes in the world and of the distance to the ray's origin: in the
//! vertices, in o, in the ray's distance from the frame's axis, and by the lemma of
//! [`ray_triangle`](crate::contact::ray_triangle). `room` is 2^-32 of these: more than a hundred
//! thousand influences per vertex could cause.

use glam::{DVec3, Mat3A, Vec3A};

use super::box_routes::BoxRoute;
use super::boxes::FixedBoxes;
use super::linear_box::{OrientedImage, around, blended_images, rigid_images};
use super::part_image::part_box;
use super::parts::{Part, Span};
use super::pose::Pose;
use crate::Mesh;
use crate::body::{FewTriangles, NodeEntry, RayBounds};
use crate::deform::{Blending, Skin};
use crate::volume::{Aabb, Ray};

/// A skin in the frame of one ray.
///
/// Guarantee: skipping a node that it calls missed, or that is entered after what was found,
/// never changes the answer.
#[derive(Debug)]
pub(super) struct RayFrame<'a> {
    fixed: &'a FixedBoxes,
    mesh: &'a Mesh,
    skin: &'a Skin,
    frame: Option<Frame>,
}

/// A frame whose z axis is the ray.
#[derive(Debug)]
struct Frame {
    /// The joints in the frame.
    pose: Pose,
    /// How far, along the ray, the frame's origin is from the ray's origin.
    ahead: f64,
    /// The change of the coordinate along the ray's longest axis per unit of length.
    shrink: f64,
}

impl<'a> RayFrame<'a> {
    /// For a pose that is bounded. The frame is for linear blending; with other blendings a ray only gains
    /// the small subtrees.
    pub(super) fn new(
        fixed: &'a FixedBoxes,
        pose: &Pose,
        mesh: &'a Mesh,
        skin: &'a Skin,
        ray: &Ray,
    ) -> Self {
        let linear = skin.blending() == Blending::Linear;
        let frame = if linear { Frame::new(fixed, pose, skin, ray) } else { None };
        Self { fixed, mesh, skin, frame }
    }
}

impl RayBounds for RayFrame<'_> {
    /// The root is entered without a test: a ray that hits the body enters its root, and other rays find
    /// out from the root's children at little more cost.
    #[inline]
    fn entry(&self, ray: &Ray, node: u32) -> NodeEntry {
        let Some(frame) = &self.frame else { return NodeEntry::Unknown };
        if node == 0 {
            return NodeEntry::From(0.0);
        }
        let (routes, pose) = (&self.fixed.routes, &frame.pose);
        let outline = match routes.of(node) {
            BoxRoute::LinearSets { rigid, blended } => match routes.sets(rigid, blended) {
                ([only], [], _) => box_on_axis(&rigid_images(pose)(only, 0.0)),
                ([], [only], weights) => box_on_axis(&blended_images(pose, weights)(only, 0.0)),
                _ => Some(routes.around_sets(pose, rigid, blended)),
            },
            BoxRoute::LinearJoints { boxes } => Some(routes.around_joints(pose, boxes, 0.0)),
            BoxRoute::Parts { parts } => Some(frame.around_parts(self.fixed, self.skin, parts)),
            _ => return NodeEntry::Unknown,
        };
        outline.map_or(NodeEntry::Missed, |outline| frame.entry(ray, &outline))
    }

    #[inline]
    fn few_below(&self, node: u32, positions: &mut Vec<DVec3>) -> Option<FewTriangles<'_>> {
        let few = self.fixed.subtrees.triangles(self.fixed.subtrees.below(node)?);
        positions.clear();
        positions.extend(self.skin.positions_of(self.mesh, few.vertices));
        Some(few)
    }
}

impl Frame {
    /// `None` if the ray, or the body, is too far away.
    fn new(fixed: &FixedBoxes, world: &Pose, skin: &Skin, ray: &Ray) -> Option<Self> {
        let stretch = ray.slope().length();
        let along = ray.slope() / stretch;
        let side = along.any_orthonormal_vector();
        let other = along.cross(side);
        let middle = fixed.extent.middle(skin.joints())?;
        let ahead = (middle - ray.origin()).dot(along);
        let origin = ray.origin() + along * ahead;
        let far = [ray.origin(), origin].map(|point| point.abs().max_element());
        let room = (f64::from(world.magnitude) + far[0] + far[1] + ahead.abs()) * 2f64.powi(-32);
        let axes =
            Mat3A::from_cols(side.as_vec3a(), other.as_vec3a(), along.as_vec3a()).transpose();
        let pose = world.in_frame(skin, &fixed.extent, axes, origin, room);
        pose.bounded.then_some(Self { pose, ahead, shrink: 1.0 / stretch })
    }

    /// Where the ray enters a box in the frame.
    #[inline(always)]
    fn entry(&self, ray: &Ray, &Aabb { min, max }: &Aabb) -> NodeEntry {
        // With NaN the comparisons are false, and the node is entered.
        let beside = min.x > 0.0 || min.y > 0.0 || max.x < 0.0 || max.y < 0.0;
        let behind = self.ahead + f64::from(max.z) < 0.0;
        if beside || behind {
            return NodeEntry::Missed;
        }
        let near = (self.ahead + f64::from(min.z)) * self.shrink;
        // `max` turns NaN into 0.
        NodeEntry::From(ray.t(near.max(0.0)))
    }

    /// The box around parts in the frame.
    fn around_parts(&self, fixed: &FixedBoxes, skin: &Skin, parts: Span) -> Aabb {
        let lists = &fixed.routes.lists;
        let image = |part: &Part| part_box(Blending::Linear, skin, &self.pose, lists, part);
        around(parts.of(&lists.parts).iter().map(image))
    }
}

/// The box around an image; `None` if the frame's axis misses the oriented box inside, which is tested
/// along its own sides, too.
///
/// Across a side, the outline of the oriented box reaches as far as the other two sides do, and vertices
/// may be outside of it by `room` along each axis. The products err by 4u of the magnitude and the side, for
/// which there is room: hardly half of the slack in `room` is needed, as the magnitude
/// is doubled. The sums err by less than the factor allows. Underflow is far below 1e-30.
#[inline(always)]
fn box_on_axis(image: &OrientedImage) -> Option<Aabb> {
    let outline = image.to_box();
    let (center, half) = (outline.center, outline.half);
    if center.x.abs() > half.x || center.y.abs() > half.y {
        return None;
    }
    let (sides, room) = (image.half_sides, image.room());
    let across = |a: Vec3A, b: Vec3A| (a.x * b.y - a.y * b.x).abs();
    let [xy, yz, zx] = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| across(sides[i], sides[j]));
    for (side, others) in sides.into_iter().zip([xy + zx, xy + yz, yz + zx]) {
        let most = others + side.x.abs() * room.y + side.y.abs() * room.x;
        if across(center, side) > most * 1.0001 + 1e-30 {
            return None;
        }
    }
    Some(outline.to_aabb())
}
