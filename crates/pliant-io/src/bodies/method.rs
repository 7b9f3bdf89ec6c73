//! The one place where an object of a file becomes a body that collides.
//!
//! A new method is a new [`Method`] and its arm here. Every method must move the
//! vertices to the bits of `Posed::positions`, so that all find the same pairs.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use glam::{DAffine3, DVec3};
use pliant::deform::{Binding, Blending, Modes};
use pliant::query::{Watched, brute_force, descent, self_descent};
use pliant::tree::Tree;
use pliant::volume::{Aabb, Sphere};
use pliant::{
    Body, Collide, FreeBody, Intersections, KeyframedBody, Mesh, ReducedBody, SkinnedBody,
    intersections, self_intersections,
};
use pliant_io::{Deformation, Keyframes, MorphTargets, Object, Pose, Scene, SkinWeights};

use crate::source::standing_frame;

/// How bounds are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Method {
    /// What suits each object best: bounds from weights for large ones with morph targets, from
    /// joints for large skins, from both ends of a span for keyframes, bottom-up for all others.
    Auto,
    /// Bounds from the weights of morph targets, without moving vertices that no test asks
    /// for; objects that deform in another way are refitted bottom-up.
    BoundedDeformation,
    /// Bounds of skins from their joints, without moving vertices that no test asks for;
    /// objects that deform in another way are refitted bottom-up.
    Skinned,
    /// Bounds of objects with keyframes from those before and after, refitted once a keyframe;
    /// objects that deform in another way, or hang from a node that moves, are refitted bottom-up.
    Keyframed,
    /// Move all vertices, then refit all boxes from the leaves to the root.
    BottomUp,
    /// No bounds: test every triangle with every other. Slow; for comparison.
    BruteForce,
}

impl Method {
    /// Its name on the command line and in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::BoundedDeformation => "bounded-deformation",
            Self::Skinned => "skinned",
            Self::Keyframed => "keyframed",
            Self::BottomUp => "bottom-up",
            Self::BruteForce => "brute-force",
        }
    }

    /// How this method bounds an object. Where contacts of objects with themselves are asked
    /// for often (`prepared`), freely moved bodies win, since they can be prepared for that.
    fn kind<'a>(self, scene: &Scene, object: &'a Object, prepared: bool) -> Kind<'a> {
        let triangles = object.mesh.triangles().len();
        match (self, &object.deformation) {
            (Self::Auto, _) if prepared => Kind::Free,
            (Self::Auto, Deformation::Morph(_)) if triangles < SMALL_MORPH => Kind::Free,
            (Self::Auto | Self::BoundedDeformation, Deformation::Morph(targets)) => {
                Kind::Reduced(targets)
            }
            (Self::Auto, Deformation::Skin { .. }) if triangles < SMALL_SKIN => Kind::Free,
            (Self::Auto | Self::Skinned, Deformation::Skin { skin, weights, morph }) => {
                Kind::Skinned(*skin, weights, morph.as_deref())
            }
            (Self::Auto | Self::Keyframed, Deformation::Keyframes(keyframes))
                if is_unmoved(scene, object.node) =>
            {
                Kind::Keyframed(keyframes)
            }
            _ => Kind::Free,
        }
    }
}

/// Skins of fewer triangles are moved and refitted faster than bounded by their joints: one of
/// a thousand is, where it is in contact, and one of 27,000 is not.
const SMALL_SKIN: usize = 4000;

/// Bodies of fewer triangles with morph targets are moved and refitted faster wherever they touch
/// something: at 320 triangles bounds from weights take 1.0 to 1.5 times as long, at 1280 they are
/// 1.1 to 1.4 times as fast where two touch, whether there are 2 targets or 50. (Deep in one
/// another refitting wins up to some 10,000 triangles; apart it always loses, but small bodies
/// cost next to nothing then.) See `pliant bench update`.
const SMALL_MORPH: usize = 1000;

/// What bounds an object.
enum Kind<'a> {
    Free,
    Reduced(&'a MorphTargets),
    Skinned(usize, &'a Arc<SkinWeights>, Option<&'a MorphTargets>),
    Keyframed(&'a Arc<Keyframes>),
}

/// Whether a node stays at the origin: then an object's keyframes are where it is in the world, bit
/// by bit. Without animations keyframes are not played.
fn is_unmoved(scene: &Scene, node: usize) -> bool {
    !scene.animations().is_empty() && standing_frame(scene, node) == Some(DAffine3::IDENTITY)
}

/// An object that takes part: its surface in the current pose, and how it is asked.
///
/// Also rigid objects have their vertices moved by the frame of their node, which
/// may scale and shear, rather than by an isometry: one rounding for all methods.
#[derive(Debug, Clone)]
pub(crate) struct Collider {
    shape: Shape,
    method: Method,
    /// Where a rigid object was put last: it stays put while its node does.
    placed: Option<DAffine3>,
}

/// A body of one of the kinds that a method may choose. A new kind is a variant here, an arm
/// in [`with_body`], and one each where bodies are made and moved.
#[derive(Debug, Clone)]
enum Shape {
    /// Every vertex is moved, all boxes are refitted.
    Free(FreeBody),
    /// Morph targets and the node's frame.
    Reduced(Box<ReducedBody>),
    /// Joints, after morph targets if there are any.
    Skinned(Box<SkinnedBody>),
    /// Keyframes, in the world.
    Keyframed(Box<KeyframedBody>),
}

/// Runs an expression for the body inside a shape, whatever its kind.
macro_rules! with_body {
    ($shape:expr, $body:ident => $run:expr) => {
        match $shape {
            Shape::Free($body) => $run,
            Shape::Reduced(boxed) => {
                let $body = &**boxed;
                $run
            }
            Shape::Skinned(boxed) => {
                let $body = &**boxed;
                $run
            }
            Shape::Keyframed(boxed) => {
                let $body = &**boxed;
                $run
            }
        }
    };
}

/// Where the time of moving an object goes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MoveTime {
    pub(crate) vertices: Duration,
    pub(crate) refit: Duration,
}

/// What objects have in common that can share a tree: mesh and what deforms it.
pub(crate) type ShapeKey = (*const Mesh, *const MorphTargets, *const SkinWeights, *const Keyframes);

impl Collider {
    /// Objects with the same key may be clones of one collider.
    pub(crate) fn key(scene: &Scene, object: &Object, method: Method, prepared: bool) -> ShapeKey {
        let pointer = |targets: Option<&MorphTargets>| targets.map_or(ptr::null(), ptr::from_ref);
        let mesh = Arc::as_ptr(&object.mesh);
        let none = (ptr::null(), ptr::null(), ptr::null());
        let (targets, weights, keyframes) = match method.kind(scene, object, prepared) {
            Kind::Free => none,
            Kind::Reduced(targets) => (ptr::from_ref(targets), none.1, none.2),
            Kind::Skinned(_, weights, morph) => (pointer(morph), Arc::as_ptr(weights), none.2),
            Kind::Keyframed(keyframes) => (none.0, none.1, Arc::as_ptr(keyframes)),
        };
        (mesh, targets, weights, keyframes)
    }

    /// Builds the tree over the mesh at rest; `prepared` for asking many times for what
    /// touches within it.
    pub(crate) fn new(
        scene: &Scene,
        object: &Object,
        method: Method,
        prepared: bool,
    ) -> Result<Self> {
        let mesh = Mesh::clone(&object.mesh);
        let vertices = mesh.positions().len();
        let modes = |targets: &MorphTargets| {
            Modes::from_fields(vertices, &targets.deltas)
                .with_context(|| format!("morph targets of object {:?}", object.name))
        };
        let shape = match method.kind(scene, object, prepared) {
            Kind::Reduced(targets) => {
                Shape::Reduced(Box::new(Body::reduced(mesh, Arc::new(modes(targets)?))?))
            }
            Kind::Skinned(skin, weights, morph) => {
                let joints = scene.skins()[skin].joints.len();
                let mut binding = Binding::new(SkinWeights::clone(weights), joints)
                    .with_context(|| format!("skin of object {:?}", object.name))?;
                if let Some(targets) = morph {
                    binding = binding.with_morph(modes(targets)?)?;
                }
                Shape::Skinned(Box::new(Body::skinned(mesh, binding, Blending::Linear)?))
            }
            Kind::Keyframed(keyframes) => {
                let plan = pliant::deform::Keyframes::new(
                    keyframes.times.clone(),
                    keyframes.frames.clone(),
                )
                .with_context(|| format!("keyframes of object {:?}", object.name))?;
                Shape::Keyframed(Box::new(Body::keyframed(mesh, plan)?))
            }
            Kind::Free => {
                let mut body = Body::free(mesh)?;
                if prepared && method != Method::BruteForce {
                    body.prepare_self_intersections();
                }
                Shape::Free(body)
            }
        };
        Ok(Self { shape, method, placed: None })
    }

    /// Moves it into a pose; `scratch` holds the vertices on the way.
    pub(crate) fn set_pose(
        &mut self,
        scene: &Scene,
        number: usize,
        (time, pose): (f64, &Pose),
        scratch: &mut Vec<DVec3>,
    ) -> Result<MoveTime> {
        let object = &scene.objects()[number];
        let frame = rigid_frame(object, pose);
        if frame.is_some() && frame == self.placed {
            return Ok(MoveTime::default());
        }
        let start = Instant::now();
        // Whatever the kind: a pose that does not fit the scene is refused here.
        let posed = scene.posed(number, pose)?;
        let mut moved = start;
        match &mut self.shape {
            Shape::Free(body) => {
                posed.positions(scratch);
                moved = Instant::now();
                body.set_positions(scratch)
            }
            Shape::Reduced(body) => body.set_state(&pose.weights[number], pose.nodes[object.node]),
            Shape::Skinned(body) => match &object.deformation {
                Deformation::Skin { skin, .. } => {
                    body.set_pose(&pose.joints[*skin], &pose.weights[number])
                }
                _ => Ok(()),
            },
            // Threads take frames as they come, and some frames are looked at twice.
            Shape::Keyframed(body) if time < body.time() => body.rewind(time),
            Shape::Keyframed(body) => body.advance(time),
        }
        .with_context(|| format!("object {:?}", object.name))?;
        self.placed = frame;
        Ok(MoveTime { vertices: moved - start, refit: moved.elapsed() })
    }

    /// A box around all of it.
    pub(crate) fn bounding_box(&self) -> Aabb {
        with_body!(&self.shape, body => body.bound(0))
    }

    /// All pairs of triangles that touch.
    pub(crate) fn meet(&self, other: &Self) -> Intersections {
        if self.method == Method::BruteForce {
            return brute_force::intersections(&self.any(), &other.any());
        }
        match (&self.shape, &other.shape) {
            (Shape::Free(a), Shape::Free(b)) => intersections(a, b),
            // One side through a table: sixteen descents would take minutes to compile.
            (shape, _) => with_body!(shape, a => intersections(a, &other.any())),
        }
    }

    /// As [`Self::meet`], but without testing triangles; nothing for brute force, which does
    /// nothing else.
    pub(crate) fn descend(&self, other: &Self) {
        if self.method != Method::BruteForce {
            let _ = match (&self.shape, &other.shape) {
                (Shape::Free(a), Shape::Free(b)) => descent(a, b),
                (shape, _) => with_body!(shape, a => descent(a, &other.any())),
            };
        }
    }

    /// As [`Self::meet_itself`], but without testing triangles.
    pub(crate) fn descend_itself(&self) {
        if self.method != Method::BruteForce {
            with_body!(&self.shape, body => {
                let _ = self_descent(body);
            });
        }
    }

    /// All pairs of its own triangles that touch, but for neighbours.
    pub(crate) fn meet_itself(&self) -> Intersections {
        match self.method {
            Method::BruteForce => brute_force::self_intersections(&self.any()),
            _ => with_body!(&self.shape, body => self_intersections(body)),
        }
    }

    /// The body, whatever its kind, behind one table of functions: slower to ask, and compiled
    /// once instead of for every pair of kinds.
    fn any(&self) -> &dyn Collide<Volume = Aabb> {
        with_body!(&self.shape, body => body)
    }

    /// The hierarchy over its triangles.
    pub(crate) fn tree(&self) -> &Tree {
        self.any().tree()
    }

    /// The numbers of a node's volume in the current pose.
    pub(crate) fn volume(&self, node: u32) -> VolumeNumbers {
        self.any().bound(node).into()
    }

    /// Which nodes of both are looked at when they meet.
    pub(crate) fn visited(&self, other: &Self) -> [Vec<bool>; 2] {
        let (a, b) = (self.any(), other.any());
        let (a, b) = (Watched::new(&a), Watched::new(&b));
        let _ = intersections(&a, &b);
        [a.visited(), b.visited()]
    }

    /// Which nodes are looked at when it meets itself.
    pub(crate) fn visited_by_itself(&self) -> Vec<bool> {
        let body = self.any();
        let watched = Watched::new(&body);
        let _ = self_intersections(&watched);
        watched.visited()
    }

    /// How its bounds are made, for people.
    pub(crate) fn method_name(&self) -> &'static str {
        match (&self.shape, self.method) {
            (_, Method::BruteForce) => "brute-force",
            (Shape::Free(_), _) => "bottom-up",
            (Shape::Reduced(_), _) => "bounded-deformation",
            (Shape::Skinned(_), _) => "skinned",
            (Shape::Keyframed(_), _) => "keyframed",
        }
    }

    /// The corners of a triangle in the current pose.
    pub(crate) fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.any().triangle(triangle)
    }
}

/// A volume as the page wants it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum VolumeNumbers {
    /// x, y, z of the centre, radius.
    Sphere([f32; 4]),
    /// Lowest corner, highest corner.
    Box([f32; 6]),
}

impl VolumeNumbers {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "sphere",
            Self::Box(_) => "box",
        }
    }

    pub(crate) fn numbers(&self) -> &[f32] {
        match self {
            Self::Sphere(numbers) => numbers,
            Self::Box(numbers) => numbers,
        }
    }
}

impl From<Aabb> for VolumeNumbers {
    fn from(aabb: Aabb) -> Self {
        let (min, max) = (aabb.min, aabb.max);
        Self::Box([min.x, min.y, min.z, max.x, max.y, max.z])
    }
}

impl From<Sphere> for VolumeNumbers {
    fn from(ball: Sphere) -> Self {
        Self::Sphere([ball.center.x, ball.center.y, ball.center.z, ball.radius])
    }
}

/// All that moves a rigid object.
fn rigid_frame(object: &Object, pose: &Pose) -> Option<DAffine3> {
    match object.deformation {
        Deformation::Rigid => pose.nodes.get(object.node).copied(),
        _ => None,
    }
}
