//! Whether a point lies inside a body.

mod rays;
mod winding_number;

use crate::parallel::*;
use glam::DVec3;

use super::Work;
use super::closest::check_point;
use crate::Result;
use crate::body::Surface;
use crate::shape::Closure;
use crate::volume::Volume as _;
use rays::see;
pub(super) use rays::{Count, Direction, Seen, all_ahead};
pub use winding_number::winding_number;

/// Where a point lies with respect to a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Inside {
    /// The surface encloses the point.
    In,
    /// The surface does not enclose the point.
    Out,
    /// The point lies on a triangle.
    On,
    /// The surface has a border, and whether it encloses the point depends on how the border
    /// is closed.
    Open,
}

/// Where a point lies with respect to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointLocation {
    /// Whether it lies inside.
    pub inside: Inside,
    /// How often the oriented closed pieces of the surface wind around the point: 1 inside a
    /// body that faces outward, 2 where two parts of it overlap. 0 for a point on the surface.
    pub winding: i64,
    /// What the query did.
    pub work: Work,
}

/// Where points lie with respect to a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PointLocations {
    /// For each point whether it lies inside.
    pub inside: Vec<Inside>,
    /// What the query did.
    pub work: Work,
}

/// Whether a body encloses a point.
///
/// Guarantee: exact. Signs of determinants decide, over the whole range of `f64`, and no tolerance.
/// The answer is that of [`brute_force::inside`](super::brute_force::inside). It does not depend on
/// trees, bounds or threads.
///
/// The triangles of a mesh form pieces that are connected through edges
/// ([`Mesh::connectivity`](crate::Mesh::connectivity)). A point is
/// 1. [`Inside::On`] if it lies on a triangle;
/// 2. [`Inside::In`] if the winding numbers of the closed, consistently oriented pieces do not add up
///    to zero, or if the closed pieces without a consistent orientation enclose it by parity;
/// 3. [`Inside::Open`] if rays in the six directions of the axes do not all cross a piece with a
///    border the same number of times (front sides minus back sides);
/// 4. [`Inside::In`] if they all cross such a piece the same number of times, and not zero times;
/// 5. [`Inside::Out`] otherwise.
///
/// Whether a piece is closed is a property of the mesh at rest, in which vertices at one place count
/// as one. If a deformation moves them apart, the surface has a crack, and a ray that passes through
/// it counts what it meets.
///
/// ```
/// use pliant::{Body, Inside, Mesh, glam::DVec3};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
/// let body = Body::rigid(Mesh::new(corners, faces)?)?;
/// assert_eq!(pliant::inside(&body, DVec3::splat(0.25))?.inside, Inside::In);
/// assert_eq!(pliant::inside(&body, DVec3::new(0.5, 0.5, 0.0))?.inside, Inside::On);
/// assert_eq!(pliant::inside(&body, DVec3::new(0.5, 0.5, 1e-300))?.inside, Inside::Out);
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
pub fn inside<A: Surface>(body: &A, point: DVec3) -> Result<PointLocation> {
    check_point(point)?;
    let work = Work { bounds: 1, ..Work::default() };
    // Any direction gives the same answer: the way out of the box that is shortest crosses least.
    let [min, max] = body.bound(0).corners();
    let ways = Direction::ALL.map(|direction| direction.way_out(point, min, max));
    let shortest = (0..6).min_by(|&i, &j| ways[i].total_cmp(&ways[j])).unwrap_or(0);
    let see = |direction: Direction, work: &mut Work| see(body, point, direction, work);
    Ok(located(body, Direction::ALL[shortest], see, work))
}

/// As [`inside`], for many points, on all threads of rayon's current pool.
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) if a point is not finite.
pub fn inside_many<A: Surface>(body: &A, points: &[DVec3]) -> Result<PointLocations> {
    let found: Result<Vec<_>> = points.par_iter().map(|&point| inside(body, point)).collect();
    let mut all = PointLocations::default();
    for location in found? {
        all.inside.push(location.inside);
        all.work += location.work;
    }
    Ok(all)
}

/// Where a point lies, given what rays from it cross.
pub(super) fn located<A: Surface>(
    body: &A,
    first: Direction,
    mut see: impl FnMut(Direction, &mut Work) -> Seen,
    mut work: Work,
) -> PointLocation {
    let connectivity = body.mesh().connectivity();
    let Seen::Crossed(crossed) = see(first, &mut work) else {
        return PointLocation { inside: Inside::On, winding: 0, work };
    };
    let (mut winding, mut odd) = (0, false);
    for &(piece, count) in &crossed {
        match connectivity.closure(piece) {
            Closure::Oriented => winding += count,
            Closure::Unoriented => odd ^= count % 2 != 0,
            Closure::Open => {}
        }
    }
    let done = |inside, work| PointLocation { inside, winding, work };
    if winding != 0 || odd {
        return done(Inside::In, work);
    }
    if !connectivity.has(Closure::Open) {
        return done(Inside::Out, work);
    }
    let is_open = |&(piece, _): &(u32, i64)| connectivity.closure(piece) == Closure::Open;
    let open: Vec<_> = crossed.into_iter().filter(is_open).collect();
    for direction in Direction::ALL.into_iter().filter(|&direction| direction != first) {
        // The first ray has seen every triangle that the point lies on.
        let Seen::Crossed(other) = see(direction, &mut work) else { continue };
        if !other.iter().filter(|&crossing| is_open(crossing)).eq(&open) {
            return done(Inside::Open, work);
        }
    }
    done(if open.is_empty() { Inside::Out } else { Inside::In }, work)
}
