//! What a ball on its way first comes to, and which triangles are near a point.
//!
//! Both answer a moving probe that asks a thousand times per second: they may be given the memory
//! that a descent needs, and then take none.

use glam::DVec3;

use super::Work;
use super::closest::check_point;
use super::nearest::nearest_first_in;
use super::traverse::Descent;
use super::within::check_distance;
use crate::Result;
use crate::body::Collide;
use crate::contact::{
    BallHit, BallPath, PointOnTriangle, ball_cast_triangle, closest_point_on_triangle,
    computed_distance_floor,
};
use crate::tree::{Tree, level_of_nodes};
use crate::volume::{Aabb, Ray, RayEntry as _, Volume};

/// Memory for the descent of one tree, kept from one query to the next.
#[derive(Debug, Clone, Default)]
pub struct DescentStack(pub(super) Vec<(u32, f64)>);

impl DescentStack {
    /// How many nodes of a tree there may be on the stack at once.
    ///
    /// A node that is opened leaves the stack, and its children take its place. So on the way to a
    /// leaf at depth d there are never more than (children - 1) d + 1 nodes.
    #[must_use]
    pub fn needed(tree: &Tree) -> usize {
        let depth = level_of_nodes(tree).into_iter().max().unwrap_or(0) as usize;
        let inner = tree.nodes.iter().filter(|node| !node.is_leaf());
        let children = inner.map(|node| node.count() as usize).max().unwrap_or(1);
        (children - 1) * depth + 1
    }

    /// Makes room for so many nodes. Descents of trees that need no more allocate nothing.
    pub fn reserve(&mut self, nodes: usize) {
        self.0.clear();
        self.0.reserve(nodes);
    }

    /// How many nodes there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

/// What a ball on its way first comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BallCast {
    /// The triangle, and when and where. Of several triangles at the same computed `t`, the one with
    /// the smallest number.
    pub hit: Option<(u32, BallHit)>,
    /// What the query did.
    pub work: Work,
}

impl BallCast {
    /// Takes a triangle into account. The order of triangles does not matter.
    #[inline]
    pub(super) fn consider<A: Collide>(&mut self, body: &A, path: &BallPath, triangle: u32) {
        self.work.primitive_tests += 1;
        let Some(found) = ball_cast_triangle(path, &body.triangle(triangle)) else { return };
        if self.hit.is_none_or(|(other, hit)| (found.t, triangle) < (hit.t, other)) {
            self.hit = Some((triangle, found));
        }
    }

    /// How far along its way the ball goes as far as is known.
    #[inline]
    fn until(&self) -> f64 {
        self.hit.map_or(1.0, |(_, hit)| hit.t)
    }
}

/// The first triangle that a ball comes to on its way, as
/// [`ball_cast_triangle`] computes it.
///
/// Guarantee: bit for bit what [`brute_force::ball_cast`](super::brute_force::ball_cast) finds.
///
/// ```
/// use pliant::{Body, Mesh, contact::BallPath, glam::DVec3, query::ball_cast};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let body = Body::rigid(mesh)?;
/// let at = |z| DVec3::new(0.25, 0.25, z);
/// let path = BallPath::new(at(3.0), at(-1.0), 0.5)?;
/// let (triangle, hit) = ball_cast(&body, &path).hit.expect("a hit");
/// assert_eq!(triangle, 0);
/// assert!((path.at(hit.t).z - 0.5).abs() < 1e-6);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn ball_cast<A: Collide>(body: &A, path: &BallPath) -> BallCast {
    ball_cast_in(&mut DescentStack::default(), body, path)
}

/// As [`ball_cast`], in memory that was reserved before.
///
/// At the `t` of a hit the centre is within the radius and its clearance of a point in the box of the
/// triangle's corners, up to the rounding of the distance. So it is in the box of the node, grown by
/// the radius and twice the clearance, and the entry into that box is not after `t`.
#[must_use]
pub fn ball_cast_in<A: Collide>(stack: &mut DescentStack, body: &A, path: &BallPath) -> BallCast {
    let mut nearest = BallCast::default();
    // A ball that rests comes to nothing.
    let Ok(ray) = Ray::new(path.from(), path.motion()) else { return nearest };
    let grown = path.radius() * (1.0 + 2.0 * BallPath::CLEARANCE);
    nearest_first_in(
        &mut stack.0,
        body,
        &mut nearest,
        |nearest, node| {
            nearest.work.bounds += 1;
            nearest.work.overlap_tests += 1;
            let [min, max] = body.bound(node).bounding_box().corners();
            Aabb::from_corners(min - grown, max + grown).ray_entry(&ray, nearest.until())
        },
        |nearest, entry| entry <= nearest.until(),
        |nearest, _, node| {
            if !node.is_leaf() {
                return Descent::Descend;
            }
            let triangles = body.tree().leaf_primitives(node);
            triangles.iter().for_each(|&triangle| nearest.consider(body, path, triangle));
            Descent::Prune
        },
    );
    nearest
}

/// Triangles near a point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrianglesNear {
    /// By ascending number, each with its point that is closest.
    pub triangles: Vec<(u32, PointOnTriangle)>,
    /// What the query did.
    pub work: Work,
}

/// All triangles within a distance of a point, as [`closest_point_on_triangle`] computes it.
///
/// Guarantee: bit for bit what
/// [`brute_force::triangles_near`](super::brute_force::triangles_near) finds.
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite,
/// [`Error::InvalidDistance`](crate::Error::InvalidDistance) if the distance is negative or not a
/// number.
pub fn triangles_near<A: Collide>(body: &A, point: DVec3, distance: f64) -> Result<TrianglesNear> {
    check_point(point)?;
    check_distance(distance)?;
    let mut triangles = Vec::new();
    let mut stack = DescentStack::default();
    let work = triangles_near_in(&mut stack, body, point, distance, |triangle, found| {
        triangles.push((triangle, found));
    });
    triangles.sort_by_key(|&(triangle, _)| triangle);
    Ok(TrianglesNear { triangles, work })
}

/// As [`triangles_near`], in memory that was reserved before. Each triangle is told once, in the
/// order of the descent. A point or a distance that is not a number is near nothing.
pub fn triangles_near_in<A: Collide>(
    stack: &mut DescentStack,
    body: &A,
    point: DVec3,
    distance: f64,
    mut tell: impl FnMut(u32, PointOnTriangle),
) -> Work {
    let mut work = Work::default();
    let squared = distance * distance;
    nearest_first_in(
        &mut stack.0,
        body,
        &mut work,
        |work, node| {
            work.bounds += 1;
            work.overlap_tests += 1;
            let volume = body.bound(node);
            let apart = volume.distance_squared_to_point(point);
            let floor = computed_distance_floor(apart, volume.point_error());
            (floor <= squared).then_some(floor)
        },
        |_, _| true,
        |work, _, node| {
            if !node.is_leaf() {
                return Descent::Descend;
            }
            for &triangle in body.tree().leaf_primitives(node) {
                work.primitive_tests += 1;
                let found = closest_point_on_triangle(point, &body.triangle(triangle));
                if found.distance_squared <= squared {
                    tell(triangle, found);
                }
            }
            Descent::Prune
        },
    );
    work
}
