//! When two bodies touch for the first time.
//!
//! If motion is known ahead, the boxes of a span are linear functions of time. So the time during
//! which two nodes overlap is an interval with known ends. Pairs of nodes are opened in the order
//! in which their overlap begins. Pairs of triangles advance by steps in which they cannot meet. A
//! step is as long as their motion along a direction that separates them allows.

mod approach;
mod path;
mod search;

pub(super) use approach::share_until_met;
use search::{Ahead, Search};

use super::Work;
#[cfg(doc)]
use crate::bound::Expiring;
use crate::bound::FlightBounds;
use crate::deform::Flight;
use crate::{Body, Error, Result};

/// What [`first_contact`] found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstContact {
    /// The time at which both bodies now are: that of the contact, or the end of the search.
    pub time: f64,
    /// Triangle of the first body, triangle of the second; `None` if nothing came near.
    pub pair: Option<[u32; 2]>,
    /// Whether the two touch at this time by the exact test. If not they are so close that they
    /// could touch within the tolerance, but perhaps they pass each other.
    pub touching: bool,
    /// What the query did.
    pub work: Work,
}

/// Takes two bodies from their common time to the first contact of their triangles, or to `until`
/// if there is none.
///
/// The bodies may have any plans, keyframes or polynomials, and any bounds. [`Expiring`] boxes serve
/// as they are; for others such boxes are made for each span, which costs a few refits.
///
/// Guarantee, with T the time that is returned:
/// - No triangles touch before T: the answer is never late. This is proven for every input.
/// - If a pair is returned, it either touches at T by the exact test, or it is closer than
///   V times `tolerance` (a time), where V bounds the speed at which its points approach each
///   other along a direction that separates them. What slides past does not count as near. [`FirstContact::touching`] tells which. In the second case the answer may be early
///   or a false alarm. A distance of 1e-12 of the coordinates counts as near too, because of
///   rounding. How near a false alarm is depends on the accuracy of
///   [`triangle_distance`](crate::contact::triangle_distance()), which holds where differences
///   of coordinates lie between 1e-70 and 1e70.
/// - If no pair is returned, no triangles touch up to and including `until`.
///
/// After a false alarm the caller chooses a later time from which to search on.
///
/// ```
/// use pliant::{Body, Mesh, deform::Keyframes, first_contact, glam::DVec3};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]])?;
/// let moved = |z: f64| corners.iter().map(|p| p + DVec3::Z * z).collect::<Vec<_>>();
/// let still = Keyframes::new(vec![0.0], vec![moved(0.0)])?;
/// let falls = Keyframes::new(vec![0.0, 1.0], vec![moved(3.0), moved(-1.0)])?;
/// let mut floor = Body::keyframed(mesh.clone(), still)?;
/// let mut leaf = Body::keyframed(mesh, falls)?;
/// let met = first_contact(&mut floor, &mut leaf, 1.0, 1e-6)?;
/// assert_eq!(met.pair, Some([0, 0]));
/// assert!(0.75 - 1e-5 < met.time && met.time <= 0.75);
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidTime`] if the bodies are at different times, if `until` is before them or not
/// finite, or if the tolerance is not positive. Then nothing has moved.
pub fn first_contact<A: FlightBounds, B: FlightBounds>(
    a: &mut Body<Flight, A>,
    b: &mut Body<Flight, B>,
    until: f64,
    tolerance: f64,
) -> Result<FirstContact> {
    let refused = |time, reason| Err(Error::InvalidTime { time, reason });
    if a.time() != b.time() {
        return refused(b.time(), "the first body is at another time");
    }
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return refused(tolerance, "a tolerance must be positive");
    }
    a.deformation().check_advance(until)?;
    let mut work = Work::default();
    let (mut made_a, mut made_b) = (None, None);
    loop {
        let from = a.time();
        let (ahead_a, ahead_b) = (Ahead::of(a, &mut made_a), Ahead::of(b, &mut made_b));
        let to = until.min(ahead_a.boxes.expires_at()).min(ahead_b.boxes.expires_at());
        let found = Search::new(ahead_a, ahead_b, from, to, tolerance).run(&mut work);
        let time = found.map_or(to, |found| found.time);
        a.advance(time)?;
        b.advance(time)?;
        if found.is_some() || to >= until {
            let (pair, touching) = (found.map(|f| f.pair), found.is_some_and(|f| f.touching));
            return Ok(FirstContact { time, pair, touching, work });
        }
    }
}
