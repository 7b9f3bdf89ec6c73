//! A skin as one ray sees it: bounds in the ray's own frame, without boxes along the world's axes.
//!
//! The first rays of a pose find no box that another query left behind, and would leave behind boxes that
//! hardly anybody asks for again. In a frame with the ray as an axis a node's box is as cheap as one
//! along the world's axes, a look at two pairs of numbers tells whether the ray enters it, and its outline as seen
//! along the ray is a third smaller. Below a patch's root all triangles are tried: their vertices are
//! computed anyway, and to fit boxes around them takes longer than the tests.
//!
//! # Why no hit is missed
//! Let N be the rotation to the frame and o a point of the ray near the body. Linear blending of joints C_i and of
//! maps N (C_i - o) differ by that map, as weights sum to 1 (by how much they do not, o is off). So the formulas of
//! [`skinned_place`](super::skinned_place) and [`skinned_blended`](super::skinned_blended) bound the images under N of the
//! vertices, seen from o, if they are given these maps. In `f32` the maps err by more than joints that
//! were only rounded: an entry by 5u of its column's length, thus images by 15um (and lengths of rows likewise). That enters once
//! into a middle, once into a reach, and twice, as a difference, into what is multiplied with D: 30um and
//! 60Dum, which the slack of parts has left over; the magnitude is doubled all the same.
//!
//! What `f64` loses, in the vertices, in o, in the ray's distance from the frame's axis, and by the lemma of
//! [`ray_triangle`](crate::contact::ray_triangle), is a few 2^-53 of the magnitudes in the world and of
//! how far the ray's origin is away. `room` is 2^-32 of these: more than a hundred
//! thousand influences a vertex could bring about.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::{DVec3, Mat3A, Vec3A};

use super::skinned::Fixed;
use super::skinned_blended::{Image, blend, carry};
use super::skinned_parts::Linear;
use super::skinned_place::place;
use super::skinned_pose::Pose;
use super::skinned_volume::SkinVolume as _;
use crate::Mesh;
use crate::deform::{Blending, Skin};
use crate::limits::RAYS_APART;
use crate::volume::{Aabb, Ray};

/// How a ray sees a skin: what [`Collide::sight`](crate::Collide::sight) is for.
///
/// Guarantee: skipping a node that it says is missed, or that is entered after what was found,
/// never changes the answer.
#[derive(Debug)]
pub struct RaySight<'a> {
    fixed: &'a Fixed,
    mesh: &'a Mesh,
    skin: &'a Skin,
    frame: Option<Frame>,
}

/// The frame of a ray.
#[derive(Debug)]
struct Frame {
    /// The joints in it: the ray goes along z.
    pose: Pose,
    /// How far, along the ray, its middle is from the ray's origin.
    ahead: f64,
    /// How far a step of one unit leads along the ray's longest axis.
    shrink: f64,
}

/// What a ray sees of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Entry {
    /// Nothing: ask the node's bound.
    Unknown,
    /// Nothing below is hit.
    Missed,
    /// Nothing below is hit before.
    From(f64),
}

/// All triangles below a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FewTriangles<'a> {
    /// Their vertices, each once.
    pub(crate) vertices: &'a [u32],
    /// The triangles' numbers.
    pub(crate) numbers: &'a [u32],
    /// For each the places of its corners among the vertices.
    pub(crate) corners: &'a [[u8; 3]],
}

impl<'a> RaySight<'a> {
    /// Of a pose that is bounded.
    pub(super) fn new(
        fixed: &'a Fixed,
        pose: &Pose,
        mesh: &'a Mesh,
        skin: &'a Skin,
        ray: &Ray,
    ) -> Self {
        let linear = skin.blending() == Blending::Linear;
        let frame = if linear { Frame::new(fixed, pose, skin, ray) } else { None };
        Self { fixed, mesh, skin, frame }
    }

    /// What the ray sees of a node.
    ///
    /// A ray that meets the body meets its root, and others find out from the root's children for hardly more: it is
    /// entered without a look.
    #[inline]
    pub(crate) fn entry(&self, ray: &Ray, node: u32) -> Entry {
        let Some(frame) = &self.frame else { return Entry::Unknown };
        let (parts, pose) = (&self.fixed.parts, &frame.pose);
        let place = match parts.linear_of(node) {
            _ if node == 0 => return Entry::From(0.0),
            Linear::BySet([only], []) => outlined(&carry::<Aabb>(pose)(only, 0.0)),
            Linear::BySet([], [only]) => outlined(&blend::<Aabb>(pose, parts.pulls())(only, 0.0)),
            Linear::BySet([], []) => match frame.around_parts(self.fixed, self.skin, node) {
                Some(around) => Some(around),
                None => return Entry::Unknown,
            },
            several => parts.around_linear(pose, several),
        };
        place.map_or(Entry::Missed, |around| frame.entry(ray, &around))
    }

    /// The triangles below a node, where they are so few that it is quicker to try them one by
    /// one than to ask for their bounds; puts their vertices as the ray sees them into `points`.
    #[inline]
    pub(crate) fn few_below(
        &self,
        ray: &Ray,
        node: u32,
        points: &mut Vec<DVec3>,
    ) -> Option<FewTriangles<'a>> {
        let few = self.fixed.patches.triangles(self.fixed.patches.below(node)?);
        points.clear();
        let positions = self.skin.positions_of(self.mesh, few.vertices);
        points.extend(positions.map(|position| ray.shear(position)));
        Some(few)
    }
}

impl Frame {
    /// `None` if the ray, or what it sees, is too far away.
    fn new(fixed: &Fixed, world: &Pose, skin: &Skin, ray: &Ray) -> Option<Self> {
        let stretch = ray.slope().length();
        let along = ray.slope() / stretch;
        let side = along.any_orthonormal_vector();
        let other = along.cross(side);
        let middle = fixed.extent.middle(skin.joints())?;
        let ahead = (middle - ray.origin()).dot(along);
        let from = ray.origin() + along * ahead;
        let far = [ray.origin(), from].map(|point| point.abs().max_element());
        let room = (f64::from(world.magnitude) + far[0] + far[1] + ahead.abs()) * 2f64.powi(-32);
        let axes =
            Mat3A::from_cols(side.as_vec3a(), other.as_vec3a(), along.as_vec3a()).transpose();
        let pose = world.seen(skin, &fixed.extent, axes, from, room);
        pose.bounded.then_some(Self { pose, ahead, shrink: 1.0 / stretch })
    }

    /// Where the ray enters a box in the frame.
    #[inline(always)]
    fn entry(&self, ray: &Ray, &Aabb { min, max }: &Aabb) -> Entry {
        // Of what is no number nothing is said.
        let beside = min.x > 0.0 || min.y > 0.0 || max.x < 0.0 || max.y < 0.0;
        let behind = self.ahead + f64::from(max.z) < 0.0;
        if beside || behind {
            return Entry::Missed;
        }
        let near = (self.ahead + f64::from(min.z)) * self.shrink;
        // `max` prefers a number to NaN.
        Entry::From(ray.t(near.max(0.0)))
    }

    /// Around a node with morph targets, in the frame; `None` if that is not known.
    fn around_parts(&self, fixed: &Fixed, skin: &Skin, node: u32) -> Option<Aabb> {
        let parts = &fixed.parts;
        let own = parts.of(node).parts;
        let placed = own.iter().map(|part| {
            let (shares, morphs) = (parts.shares(part), parts.morphs(part));
            place::<Aabb>(Blending::Linear, skin, &self.pose, part, shares, morphs)
        });
        (!own.is_empty()).then(|| Aabb::around_places(placed))
    }
}

/// The box around an image, unless the frame's axis misses what is inside: a look along the image's own sides.
///
/// Across a side, the outline of the box with these sides reaches as far as the other two sides do; vertices
/// may be beside it by so much along each axis. The products err by 4u of the magnitude and the side, for
/// which there is room: of the slack in what is beside the sides hardly a half is needed, as the magnitude
/// is doubled. The sums err by less than the factor allows. What underflows is far below 1e-30.
#[inline(always)]
fn outlined(image: &Image) -> Option<Aabb> {
    let place = image.place::<Aabb>();
    if place.center.x.abs() > place.half.x || place.center.y.abs() > place.half.y {
        return None;
    }
    let (sides, beside) = (image.sides, image.beside_sides());
    let across = |a: Vec3A, b: Vec3A| (a.x * b.y - a.y * b.x).abs();
    let [xy, yz, zx] = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| across(sides[i], sides[j]));
    for (side, others) in sides.into_iter().zip([xy + zx, xy + yz, yz + zx]) {
        let most = others + side.x.abs() * beside.y + side.y.abs() * beside.x;
        if across(image.center, side) > most * 1.0001 + 1e-30 {
            return None;
        }
    }
    Some(Aabb::around_place(&place))
}

/// How many rays asked in the current pose.
#[derive(Debug, Default)]
pub(super) struct RayCount(AtomicU32);

impl RayCount {
    /// Counts a ray, and says whether it is one of the first.
    pub(super) fn is_early(&self) -> bool {
        self.0.load(Ordering::Relaxed) < RAYS_APART
            && self.0.fetch_add(1, Ordering::Relaxed) < RAYS_APART
    }

    /// The pose changed.
    pub(super) fn restart(&mut self) {
        *self.0.get_mut() = 0;
    }
}

/// A copy starts anew: it will have poses of its own.
impl Clone for RayCount {
    fn clone(&self) -> Self {
        Self::default()
    }
}
