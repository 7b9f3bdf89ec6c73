//! Which triangles are within a distance of each other.

mod visitor;

use glam::DVec3;

use super::Work;
use super::self_pairs::starts_below;
use super::share::traverse_all;
use super::traverse::PairVisitor as _;
use crate::body::Collide;
use crate::contact::Reach;
use crate::volume::Apart;
use crate::{Error, Result};
use visitor::Near;
pub(super) use visitor::pair_within;

/// Two triangles that are within a distance of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithinPair {
    /// Triangle of the first body, triangle of the second. For a body with itself the smaller number
    /// comes first.
    pub triangles: [u32; 2],
    /// How far apart they are: rounded, never above the distance asked for, and 0 if and only if
    /// they touch.
    pub distance: f64,
    /// The nearest point of the first triangle.
    pub on_a: DVec3,
    /// The nearest point of the second triangle. Triangles that touch have a common point.
    pub on_b: DVec3,
    /// The unit vector from the second point to the first: the way to move the first triangle away.
    /// For triangles that touch it is the unit normal of the second. Zero where there is none.
    pub normal: DVec3,
}

/// All pairs of triangles within a distance of each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Within {
    /// By ascending triangles, each pair once.
    pub pairs: Vec<WithinPair>,
    /// What the query did.
    pub work: Work,
}

/// All pairs of triangles of two bodies that are at most so far apart.
///
/// Guarantee: the pairs that [`brute_force::within`](super::brute_force::within) finds, and the same
/// bits for any number of threads. Which pairs these are is exact: the square of the distance is
/// compared without rounding, and no tolerance decides. Triangles at exactly the distance count, and
/// so do triangles that touch: at distance 0 the pairs are those of
/// [`intersections`](super::intersections). Nearest points and distances are those of
/// [`triangle_distance`](crate::contact::triangle_distance()).
///
/// ```
/// use pliant::{Body, Isometry, Mesh, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let (mut a, b) = (Body::rigid(mesh.clone())?, Body::rigid(mesh)?);
/// a.set_isometry(Isometry::from_translation(DVec3::Z * 0.5)?);
/// let near = pliant::within(&a, &b, 0.5)?.pairs;
/// assert_eq!((near[0].triangles, near[0].distance, near[0].normal), ([0, 0], 0.5, DVec3::Z));
/// assert!(pliant::within(&a, &b, 0.5f64.next_down())?.pairs.is_empty());
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidDistance`] if the distance is negative, NaN or infinite.
pub fn within<A: Collide, B: Collide>(a: &A, b: &B, distance: f64) -> Result<Within>
where
    A::Volume: Apart<B::Volume>,
{
    let reach = check_distance(distance)?;
    let mut work = Work { bounds: 2, overlap_tests: 1, primitive_tests: 0 };
    let mut near = Near::new(reach, false, &|_| true);
    if reach.may_reach(a.bound(0).distance_squared_to(&b.bound(0))) {
        traverse_all(a, b, vec![[0, 0]], &mut work, &mut near);
    }
    Ok(Within { pairs: sorted(&near.pairs), work })
}

/// All pairs of triangles within one body that are at most so far apart, except those that share a
/// place at rest, as [`self_intersections`](super::self_intersections) leaves them out.
///
/// Guarantee: as for [`within`]; the twin is
/// [`brute_force::self_within`](super::brute_force::self_within).
///
/// # Errors
/// [`Error::InvalidDistance`] if the distance is negative, NaN or infinite.
pub fn self_within<A: Collide>(body: &A, distance: f64) -> Result<Within>
where
    A::Volume: Apart<A::Volume>,
{
    let reach = check_distance(distance)?;
    let counts = |[i, j]: [u32; 2]| !body.adjacent(i, j);
    let mut work = Work::default();
    let mut near = Near::new(reach, true, &counts);
    let meets = |a: &A::Volume, b: &A::Volume| reach.may_reach(a.distance_squared_to(b));
    let starts = starts_below(body, vec![0], &mut work, (|_| true, meets), |[i, j], work| {
        let _ = near.meet_leaves((body, body), &[i], &[j], work);
    });
    traverse_all(body, body, starts, &mut work, &mut near);
    Ok(Within { pairs: sorted(&near.pairs), work })
}

/// Refuses a distance that is negative, NaN or infinite.
pub(crate) fn check_distance(distance: f64) -> Result<Reach> {
    if distance >= 0.0 && distance.is_finite() {
        return Ok(Reach::new(distance));
    }
    Err(Error::InvalidDistance { distance })
}

/// By ascending triangles. Pairs are large, so numbers are sorted instead, and each pair is moved once.
fn sorted(pairs: &[WithinPair]) -> Vec<WithinPair> {
    let key = |[i, j]: [u32; 2]| u64::from(i) << 32 | u64::from(j);
    let mut order: Vec<(u64, usize)> =
        pairs.iter().enumerate().map(|(at, pair)| (key(pair.triangles), at)).collect();
    order.sort_unstable();
    order.iter().map(|&(_, at)| pairs[at]).collect()
}
