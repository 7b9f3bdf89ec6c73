//! Which points of a body are closest to many given points.
//!
//! Points that lie near each other ask nearly the same question: each sixteen of them go down the tree
//! together.
//!
//! | file | content |
//! | --- | --- |
//! | `order` | which points go together |
//! | `group` | sixteen points: what may be near them, and what is nearest so far |
//! | `slabs` | how far a triangle is at least from sixteen points |

mod group;
mod order;
mod slabs;

use glam::DVec3;
use rayon::prelude::*;

use super::Work;
use super::closest::{ClosestPoint, check_point};
use crate::body::Collide;
use crate::contact::PointOnTriangle;
use crate::{AnyBody, Result};
use group::{Group, LANES};

/// Points that are answered one after the other, so that each group starts from what the one before
/// found. The size is fixed: counts of work do not depend on the number of threads.
const BLOCK: usize = 64 * LANES;

/// The points of a body that are closest to given points, in the order of those.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClosestPoints {
    /// The triangles that they lie on; of several at the same computed distance the smallest number.
    pub triangles: Vec<u32>,
    /// The points, their weights and their squared distances.
    pub found: Vec<PointOnTriangle>,
    /// What the query did.
    pub work: Work,
}

/// The points of a body's surface that are closest to given points.
///
/// Guarantee: for each point what [`closest_point`](super::closest_point) returns, bit for bit. Counts
/// of work are fewer, since neighbours among the points share it, and the same for any number of
/// threads.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let body = Body::rigid(mesh)?;
/// let points = [DVec3::new(0.25, 0.25, -2.0), DVec3::new(3.0, 0.0, 0.0)];
/// let closest = pliant::closest_points(&body, &points)?;
/// assert_eq!(closest.found[1].point, DVec3::X);
/// assert_eq!(closest.found[0], pliant::closest_point(&body, points[0])?.found);
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) for the first point that is not finite.
pub fn closest_points<A: Collide>(body: &A, points: &[DVec3]) -> Result<ClosestPoints> {
    points.iter().try_for_each(|&point| check_point(point))?;
    let order = order::in_groups(points, LANES);
    let blocks: Vec<(Vec<ClosestPoint>, Work)> =
        order.par_chunks(BLOCK).map(|block| answer_block(body, points, block)).collect();
    let mut all = ClosestPoints {
        triangles: vec![0; points.len()],
        found: vec![ClosestPoint::FARTHEST.found; points.len()],
        work: Work::default(),
    };
    for (block, (answers, work)) in order.chunks(BLOCK).zip(blocks) {
        all.work += work;
        for (&at, answer) in block.iter().zip(answers) {
            all.triangles[at as usize] = answer.triangle;
            all.found[at as usize] = answer.found;
        }
    }
    Ok(all)
}

/// The answers to a block of points, in its order.
fn answer_block<A: Collide>(
    body: &A,
    points: &[DVec3],
    block: &[u32],
) -> (Vec<ClosestPoint>, Work) {
    let (mut answers, mut work) = (Vec::with_capacity(block.len()), Work::default());
    let mut stack = Vec::with_capacity(64);
    for few in block.chunks(LANES) {
        let mut group = Group::new(few.iter().map(|&at| points[at as usize]));
        if let Some(&ClosestPoint { triangle, .. }) = answers.last() {
            group.start_from(body, triangle);
        }
        group.descend(body, &mut stack);
        work += group.work;
        answers.extend_from_slice(group.answers());
    }
    (answers, work)
}

impl AnyBody {
    /// As [`closest_points`], compiled for the kinds that are asked most.
    ///
    /// # Errors
    /// Those of [`closest_points`].
    pub fn closest_points(&self, points: &[DVec3]) -> Result<ClosestPoints> {
        match self {
            Self::Free(body) => closest_points(&**body, points),
            Self::Skinned(body) => closest_points(&**body, points),
            other => closest_points(other, points),
        }
    }
}
