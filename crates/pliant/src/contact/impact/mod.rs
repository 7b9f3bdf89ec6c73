//! The time of first touch of features that move along straight lines.
//!
//! A point is at `(1 - t) p + t q` at the time t, between its `f64` places p at 0 and q at 1, in
//! real arithmetic. Features are closed: touching counts, at both ends of the step as well. A
//! degenerate face or edge is the segment or point that it is.
//!
//! The answer is exact for all finite coordinates. There is no tolerance and no limit on steps.

mod approach;
#[cfg(test)]
mod bound_tests;
mod dyadic;
mod exact;
mod filter;
mod motion;
mod polynomial;
mod refine;
mod root;

use glam::DVec3;

pub use approach::{
    ball_ball_impact, ball_triangle_impact, edge_edge_approach, vertex_face_approach,
};
use exact::IsFlat;
use filter::Verdict;
use motion::{Features, Motion, apart_along_axis};

/// The time of an impact: neighbouring `f64` around the true one, equal if that is an `f64`.
///
/// The true time is in `[lo, hi]`, within [0, 1]. So `lo` is never late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactTime {
    /// The largest `f64` that is not after the impact.
    pub lo: f64,
    /// The smallest `f64` that is not before the impact.
    pub hi: f64,
}

/// Which stage decided how many queries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImpactStages {
    /// No touch, by floating-point arithmetic.
    pub filter_no: u64,
    /// A touch, by floating-point arithmetic.
    pub filter_yes: u64,
    /// Decided by integers.
    pub exact: u64,
    /// Of the exact ones: points that are coplanar all the time.
    pub flat: u64,
    /// Of the exact ones: coordinates of so different sizes that integers are long.
    pub long: u64,
}

/// The earliest time at which a moving vertex touches a moving triangle, given as the vertex and
/// then the corners, at the start and at the end of the step. `None` if they do not touch.
///
/// Exact for all finite coordinates; `None` if any is infinite or NaN.
///
/// ```
/// use pliant::{contact::vertex_face_impact, glam::DVec3};
/// let [a, b, c] = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let (above, below) = (DVec3::new(0.25, 0.25, 3.0), DVec3::new(0.25, 0.25, -1.0));
/// let time = vertex_face_impact([above, a, b, c], [below, a, b, c]).unwrap();
/// assert_eq!((time.lo, time.hi), (0.75, 0.75));
/// ```
#[must_use]
pub fn vertex_face_impact(start: [DVec3; 4], end: [DVec3; 4]) -> Option<ImpactTime> {
    vertex_face_impact_counted(start, end, &mut ImpactStages::default())
}

/// [`vertex_face_impact`], which also counts the stage that decided.
#[must_use]
pub fn vertex_face_impact_counted(
    start: [DVec3; 4],
    end: [DVec3; 4],
    stages: &mut ImpactStages,
) -> Option<ImpactTime> {
    impact(Features::VertexFace, &start, &end, stages)
}

/// The earliest time at which two moving edges touch, given as the ends of one and then those of
/// the other, at the start and at the end of the step. `None` if they do not touch.
///
/// Exact for all finite coordinates; `None` if any is infinite or NaN.
///
/// ```
/// use pliant::{contact::edge_edge_impact, glam::DVec3};
/// let edge = |z: f64| [DVec3::new(0.0, -1.0, z), DVec3::new(0.0, 1.0, z)];
/// let [a, b] = [-DVec3::X, DVec3::X];
/// let ([p, q], [r, s]) = (edge(1.0), edge(-2.0));
/// let time = edge_edge_impact([a, b, p, q], [a, b, r, s]).unwrap();
/// assert!(time.lo < 1.0 / 3.0 + 1e-16 && time.hi == time.lo.next_up());
/// ```
#[must_use]
pub fn edge_edge_impact(start: [DVec3; 4], end: [DVec3; 4]) -> Option<ImpactTime> {
    edge_edge_impact_counted(start, end, &mut ImpactStages::default())
}

/// [`edge_edge_impact`], which also counts the stage that decided.
#[must_use]
pub fn edge_edge_impact_counted(
    start: [DVec3; 4],
    end: [DVec3; 4],
    stages: &mut ImpactStages,
) -> Option<ImpactTime> {
    impact(Features::EdgeEdge, &start, &end, stages)
}

/// [`vertex_face_impact`] of features whose boxes are known to meet: coordinates are not compared.
#[inline]
pub(crate) fn close_vertex_face_impact(start: [DVec3; 4], end: [DVec3; 4]) -> Option<ImpactTime> {
    close_impact(Features::VertexFace, &start, &end, &mut ImpactStages::default())
}

/// [`edge_edge_impact`] of features whose boxes are known to meet: coordinates are not compared.
#[inline]
pub(crate) fn close_edge_edge_impact(start: [DVec3; 4], end: [DVec3; 4]) -> Option<ImpactTime> {
    close_impact(Features::EdgeEdge, &start, &end, &mut ImpactStages::default())
}

#[inline(always)]
fn impact(
    features: Features,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    stages: &mut ImpactStages,
) -> Option<ImpactTime> {
    if apart_along_axis(features, start, end) {
        stages.filter_no += 1;
        return None;
    }
    close_impact(features, start, end, stages)
}

#[inline(always)]
fn close_impact(
    features: Features,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    stages: &mut ImpactStages,
) -> Option<ImpactTime> {
    let motion = Motion::new(features, start, end);
    match filter::decide(&motion) {
        Verdict::No => {
            stages.filter_no += 1;
            None
        }
        Verdict::Yes(bracket) => {
            stages.filter_yes += 1;
            Some(refine::time_in(&bracket, &motion, start, end))
        }
        Verdict::Unknown => decide_exactly(features, start, end, stages),
    }
}

#[cold]
#[inline(never)]
fn decide_exactly(
    features: Features,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    stages: &mut ImpactStages,
) -> Option<ImpactTime> {
    if !start.iter().chain(end).all(|p| p.is_finite()) {
        return None;
    }
    let (time, flat) = exact::impact(features, start, end);
    stages.exact += 1;
    stages.long += u64::from(exact::is_long(start, end));
    stages.flat += u64::from(flat == IsFlat::Yes);
    time
}
