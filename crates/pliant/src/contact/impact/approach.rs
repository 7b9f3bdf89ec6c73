//! The time at which moving features come within a distance: balls, and a minimum separation.
//!
//! The decision is exact, like that of a touch. The distance of two features is that of two of their
//! parts: corners; a corner and the interior of an edge or face; the interiors of two edges. Each
//! is a quotient of polynomials in time, and so is the comparison with the distance. Features that
//! are apart at the start come within the distance at a root of one of these polynomials: if the
//! polynomial of the nearest parts is always zero, they were not the nearest before, so their feet
//! enter an edge or corner just then, and its polynomial decides.

use glam::DVec3;

use super::ImpactTime;
use super::dyadic::Dyadic;
use super::exact::{Moving, cross, differences, dot, squared_sum};
use super::polynomial::Polynomial;
use super::root::{Root, earliest};

/// The earliest time at which two balls touch, whose centres move along straight lines, and whose
/// radii stay. `None` if they do not touch.
///
/// Exact for all finite numbers; `None` if any is infinite or NaN, or a radius negative.
///
/// ```
/// use pliant::{contact::ball_ball_impact, glam::DVec3};
/// let (start, end) = ([DVec3::ZERO, DVec3::X * 5.0], [DVec3::ZERO, DVec3::X]);
/// let time = ball_ball_impact(start, end, [1.0, 2.0]).unwrap();
/// assert_eq!((time.lo, time.hi), (0.5, 0.5));
/// ```
#[must_use]
pub fn ball_ball_impact(start: [DVec3; 2], end: [DVec3; 2], radii: [f64; 2]) -> Option<ImpactTime> {
    if certainly_apart(&start[..1], &start[1..], &end[..1], &end[1..], radii) {
        return None;
    }
    first_within(&start, &end, radii, |space| {
        vec![Near::points(&space.way([0, 1]), &space.squared)]
    })
}

/// The earliest time at which a moving ball touches a moving triangle, given as the ball's centre
/// and then the corners. `None` if they do not touch.
///
/// Exact for all finite numbers; `None` if any is infinite or NaN, or the radius negative.
///
/// ```
/// use pliant::{contact::ball_triangle_impact, glam::DVec3};
/// let [a, b, c] = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let (above, below) = (DVec3::new(0.25, 0.25, 3.0), DVec3::new(0.25, 0.25, -1.0));
/// let time = ball_triangle_impact([above, a, b, c], [below, a, b, c], 0.5).unwrap();
/// assert_eq!((time.lo, time.hi), (0.625, 0.625));
/// ```
#[must_use]
pub fn ball_triangle_impact(start: [DVec3; 4], end: [DVec3; 4], radius: f64) -> Option<ImpactTime> {
    if certainly_apart(&start[..1], &start[1..], &end[..1], &end[1..], [radius, 0.0]) {
        return None;
    }
    first_within(&start, &end, [radius, 0.0], |space| {
        let [a, b, c] = [1, 2, 3].map(|corner| space.way([0, corner]));
        let [u, v, w] = [[1, 2], [2, 3], [3, 1]].map(|side| space.way(side));
        let reach = &space.squared;
        let mut parts =
            vec![Near::points(&a, reach), Near::points(&b, reach), Near::points(&c, reach)];
        parts
            .extend([(&a, &u), (&b, &v), (&c, &w)].map(|(way, side)| Near::edge(way, side, reach)));
        let normal = cross(&u, &v);
        let inside = [(&a, &b), (&b, &c), (&c, &a)].map(|(p, q)| dot(&cross(p, q), &normal));
        parts.push(Near::plane(&a, &normal, inside.into(), reach));
        parts
    })
}

/// The earliest time at which a moving vertex and a moving triangle are within a distance of each
/// other: [`vertex_face_impact`](super::vertex_face_impact) with a minimum separation. No approach
/// to the distance is missed, and none beyond it is reported.
///
/// Exact for all finite numbers; `None` if any is infinite or NaN, or the distance negative.
#[must_use]
pub fn vertex_face_approach(
    start: [DVec3; 4],
    end: [DVec3; 4],
    distance: f64,
) -> Option<ImpactTime> {
    ball_triangle_impact(start, end, distance)
}

/// The earliest time at which two moving edges are within a distance of each other:
/// [`edge_edge_impact`](super::edge_edge_impact) with a minimum separation. No approach to the
/// distance is missed, and none beyond it is reported.
///
/// Exact for all finite numbers; `None` if any is infinite or NaN, or the distance negative.
///
/// ```
/// use pliant::{contact::edge_edge_approach, glam::DVec3};
/// let edge = |z: f64| [DVec3::new(0.0, -1.0, z), DVec3::new(0.0, 1.0, z)];
/// let [a, b] = [-DVec3::X, DVec3::X];
/// let ([p, q], [r, s]) = (edge(2.0), edge(1.0));
/// let time = edge_edge_approach([a, b, p, q], [a, b, r, s], 1.25).unwrap();
/// assert_eq!((time.lo, time.hi), (0.75, 0.75));
/// ```
#[must_use]
pub fn edge_edge_approach(start: [DVec3; 4], end: [DVec3; 4], distance: f64) -> Option<ImpactTime> {
    if certainly_apart(&start[..2], &start[2..], &end[..2], &end[2..], [distance, 0.0]) {
        return None;
    }
    first_within(&start, &end, [distance, 0.0], |space| {
        let [u, v] = [[0, 1], [2, 3]].map(|edge| space.way(edge));
        let [p, q, r, s] = [[0, 2], [0, 3], [1, 2], [1, 3]].map(|ends| space.way(ends));
        let reach = &space.squared;
        let mut parts: Vec<Near> = [&p, &q, &r, &s].map(|way| Near::points(way, reach)).into();
        let reversed = [&p, &q].map(|way| way.each_ref().map(Polynomial::negated));
        parts.extend([(&p, &v), (&r, &v)].map(|(way, edge)| Near::edge(way, edge, reach)));
        parts.extend(reversed.each_ref().map(|way| Near::edge(way, &u, reach)));
        let normal = cross(&u, &v);
        let whole = dot(&normal, &normal);
        let [along_u, along_v] = [&v, &u].map(|edge| dot(&cross(&p, edge), &normal));
        let inside = vec![whole.minus(&along_u), along_u, whole.minus(&along_v), along_v];
        parts.push(Near::plane(&p, &normal, inside, reach));
        parts
    })
}

/// Whether the features are apart by more than the distance along an axis, at both ends and so all
/// the time. A rounded difference is above the true one by less than the distance to its lower
/// neighbour, and a rounded sum of radii below the true one by less than that to its upper one.
fn certainly_apart(
    first: &[DVec3],
    second: &[DVec3],
    first_end: &[DVec3],
    second_end: &[DVec3],
    radii: [f64; 2],
) -> bool {
    let reach = (radii[0] + radii[1]).next_up();
    let least = |points: &[DVec3]| points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let most = |points: &[DVec3]| points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let beyond =
        |low: DVec3, high: DVec3| (low - high).to_array().map(|gap| gap.next_down() > reach);
    let up = [beyond(least(second), most(first)), beyond(least(second_end), most(first_end))];
    let down = [beyond(least(first), most(second)), beyond(least(first_end), most(second_end))];
    (0..3).any(|axis| up[0][axis] && up[1][axis] || down[0][axis] && down[1][axis])
}

/// Points and a distance as integers on a common grid.
struct Space<'a> {
    start: &'a [DVec3],
    end: &'a [DVec3],
    radii: [f64; 2],
    /// The square of the distance.
    squared: Polynomial,
}

impl Space<'_> {
    /// The way from one point to another.
    fn way(&self, pair: [usize; 2]) -> Moving {
        let [way] = differences(self.start, self.end, &self.radii, [pair]);
        way
    }
}

/// When two parts are within the distance: a polynomial is at most zero, another is positive (where
/// the part is not degenerate), and others are not negative (where the feet are inside).
struct Near {
    excess: Polynomial,
    positive: Option<Polynomial>,
    inside: Vec<Polynomial>,
}

impl Near {
    fn points(way: &Moving, squared: &Polynomial) -> Self {
        Self { excess: dot(way, way).minus(squared), positive: None, inside: Vec::new() }
    }

    /// A point and the line of an edge; the way is that from the point to the edge's first end.
    fn edge(way: &Moving, edge: &Moving, squared: &Polynomial) -> Self {
        let whole = dot(edge, edge);
        let foot = dot(way, edge).negated();
        let excess = dot(way, way).minus(squared).times(&whole).minus(&foot.times(&foot));
        Self { excess, inside: vec![whole.minus(&foot), foot], positive: Some(whole) }
    }

    /// A way between two planes that are perpendicular to a normal.
    fn plane(way: &Moving, normal: &Moving, inside: Vec<Polynomial>, squared: &Polynomial) -> Self {
        let whole = dot(normal, normal);
        let height = dot(way, normal);
        let excess = height.times(&height).minus(&squared.times(&whole));
        Self { excess, positive: Some(whole), inside }
    }

    fn holds(&self, root: &mut Root) -> bool {
        root.sign_of(&self.excess).is_le()
            && self.positive.as_ref().is_none_or(|whole| root.sign_of(whole).is_gt())
            && self.inside.iter().all(|inside| root.sign_of(inside).is_ge())
    }
}

/// The earliest time at which some parts are within the distance.
#[cold]
fn first_within(
    start: &[DVec3],
    end: &[DVec3],
    radii: [f64; 2],
    parts: impl Fn(&Space) -> Vec<Near>,
) -> Option<ImpactTime> {
    let are_numbers = radii.iter().all(|radius| radius.is_finite() && *radius >= 0.0);
    if !are_numbers || !start.iter().chain(end).all(|p| p.is_finite()) {
        return None;
    }
    let squared = squared_sum(start, end, radii);
    let parts = parts(&Space { start, end, radii, squared });
    let near = |root: &mut Root| parts.iter().any(|part| part.holds(root));
    if near(&mut Root::At(Dyadic::new(0.0))) {
        return Some(ImpactTime { lo: 0.0, hi: 0.0 });
    }
    earliest(parts.iter().map(|part| part.excess.clone()).collect(), near)
}
