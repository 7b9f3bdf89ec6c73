//! The one place where an object of a file becomes a body that collides.
//!
//! A new method is a new [`Method`] and its arm here. Every method must move the
//! vertices to the bits of `Posed::positions`, so that all find the same pairs.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use glam::{DAffine3, DVec3};
use pliant::bound::BottomUp;
use pliant::deform::Free;
use pliant::query::{Watched, brute_force, descent, self_descent};
use pliant::tree::Tree;
use pliant::volume::{Aabb, Sphere};
use pliant::{Body, Collide as _, Intersections, Mesh, intersections, self_intersections};
use pliant_io::{Deformation, Object, Pose, Scene};

/// How bounds are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Method {
    /// What suits each object best: now bottom-up for all.
    Auto,
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
            Self::BottomUp => "bottom-up",
            Self::BruteForce => "brute-force",
        }
    }
}

/// An object that takes part: its surface in the current pose, and how it is asked.
///
/// Also rigid objects have their vertices moved by the frame of their node, which
/// may scale and shear, rather than by an isometry: one rounding for all methods.
#[derive(Debug, Clone)]
pub(crate) struct Collider {
    body: Body<Free, BottomUp<Aabb>>,
    method: Method,
    /// Where a rigid object was put last: it stays put while its node does.
    placed: Option<DAffine3>,
}

/// Where the time of moving an object goes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MoveTime {
    pub(crate) vertices: Duration,
    pub(crate) refit: Duration,
}

impl Collider {
    /// Builds the tree over the mesh at rest; `prepared` for asking many times for what
    /// touches within it.
    pub(crate) fn new(mesh: &Mesh, method: Method, prepared: bool) -> Result<Self> {
        let mut body = Body::free(mesh.clone())?;
        if prepared && method != Method::BruteForce {
            body.prepare_self_intersections();
        }
        Ok(Self { body, method, placed: None })
    }

    /// Moves it into a pose; `scratch` holds the vertices on the way.
    pub(crate) fn set_pose(
        &mut self,
        scene: &Scene,
        number: usize,
        pose: &Pose,
        scratch: &mut Vec<DVec3>,
    ) -> Result<MoveTime> {
        let object = &scene.objects()[number];
        let frame = rigid_frame(object, pose);
        if frame.is_some() && frame == self.placed {
            return Ok(MoveTime::default());
        }
        let start = Instant::now();
        scene.posed(number, pose)?.positions(scratch);
        let moved = Instant::now();
        self.body.set_positions(scratch).with_context(|| format!("object {:?}", object.name))?;
        self.placed = frame;
        Ok(MoveTime { vertices: moved - start, refit: moved.elapsed() })
    }

    /// A box around all of it.
    pub(crate) fn bounding_box(&self) -> Aabb {
        self.body.bound(0)
    }

    /// All pairs of triangles that touch.
    pub(crate) fn meet(&self, other: &Self) -> Intersections {
        match self.method {
            Method::Auto | Method::BottomUp => intersections(&self.body, &other.body),
            Method::BruteForce => brute_force::intersections(&self.body, &other.body),
        }
    }

    /// As [`Self::meet`], but without testing triangles; nothing for brute force, which does
    /// nothing else.
    pub(crate) fn descend(&self, other: &Self) {
        if self.method != Method::BruteForce {
            let _ = descent(&self.body, &other.body);
        }
    }

    /// As [`Self::meet_itself`], but without testing triangles.
    pub(crate) fn descend_itself(&self) {
        if self.method != Method::BruteForce {
            let _ = self_descent(&self.body);
        }
    }

    /// All pairs of its own triangles that touch, but for neighbours.
    pub(crate) fn meet_itself(&self) -> Intersections {
        match self.method {
            Method::Auto | Method::BottomUp => self_intersections(&self.body),
            Method::BruteForce => brute_force::self_intersections(&self.body),
        }
    }

    /// The hierarchy over its triangles.
    pub(crate) fn tree(&self) -> &Tree {
        self.body.tree()
    }

    /// The numbers of a node's volume in the current pose.
    pub(crate) fn volume(&self, node: u32) -> VolumeNumbers {
        self.body.bound(node).into()
    }

    /// Which nodes of both are looked at when they meet.
    pub(crate) fn visited(&self, other: &Self) -> [Vec<bool>; 2] {
        let (a, b) = (Watched::new(&self.body), Watched::new(&other.body));
        let _ = intersections(&a, &b);
        [a.visited(), b.visited()]
    }

    /// Which nodes are looked at when it meets itself.
    pub(crate) fn visited_by_itself(&self) -> Vec<bool> {
        let watched = Watched::new(&self.body);
        let _ = self_intersections(&watched);
        watched.visited()
    }

    /// The corners of a triangle in the current pose.
    pub(crate) fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.body.triangle(triangle)
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
