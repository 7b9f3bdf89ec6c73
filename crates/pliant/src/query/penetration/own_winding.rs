//! How often a closed body winds around a vertex of itself, as seen from just outside.

use std::cmp::Ordering;

use glam::{DVec3, Vec3Swizzles as _};

use super::Ask;
use crate::body::Surface;
use crate::contact::{axis_crossing, point_on_triangle};
use crate::query::Work;
use crate::query::inside::{Direction, all_ahead};

/// The winding number of a closed, oriented surface just outside its vertex at a place.
///
/// Just inside the surface the winding number is one more than just outside. A ray along an axis that
/// leaves the vertex beside its own triangles starts on one of the two sides, and the other triangles
/// that it crosses give the winding number there. If rays see two numbers, the smaller is the one
/// outside. If they see one number, it is the one outside or the one inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutsideWinding {
    /// From the first to the second, which is the same or one more.
    Between(i64, i64),
    /// No ray leaves the vertex beside its own triangles.
    Unknown,
    /// The vertex lies on another triangle.
    OnAnother,
}

impl OutsideWinding {
    /// Whether the vertex is inside another part, if that is sure.
    pub(super) fn is_inside(self) -> Option<bool> {
        match self {
            Self::Between(low, _) if low >= 1 => Some(true),
            Self::Between(_, high) if high < 1 => Some(false),
            Self::OnAnother => Some(false),
            _ => None,
        }
    }
}

pub(super) fn outside_winding<S: Surface>(
    body: &S,
    place: u32,
    ask: Ask,
    work: &mut Work,
) -> OutsideWinding {
    let point = body.vertex(place);
    let own = own_triangles(body, place);
    let mut seen: Option<(i64, i64)> = None;
    for direction in Direction::ALL {
        if own.iter().any(|corners| contains_direction(point, corners, direction)) {
            continue;
        }
        let Some(count) = crossings(body, place, point, direction, ask, work) else {
            return OutsideWinding::OnAnother;
        };
        let (low, high) = seen.unwrap_or((count, count));
        seen = Some((low.min(count), high.max(count)));
        if low != high {
            break;
        }
    }
    match seen {
        Some((low, high)) if low != high => OutsideWinding::Between(low, low),
        Some((count, _)) => OutsideWinding::Between(count - 1, count),
        None => OutsideWinding::Unknown,
    }
}

/// The corners of the triangles at a place, those at the place first.
fn own_triangles<S: Surface>(body: &S, place: u32) -> Vec<[DVec3; 2]> {
    let mesh = body.mesh();
    let connectivity = mesh.connectivity();
    let neighbour = |edge: &u32| {
        let [a, b] = connectivity.ends(*edge);
        if a == place { b } else { a }
    };
    // Two neighbours of a place that are joined by an edge span a triangle at the place, or else a
    // gap that only makes the test skip a direction more.
    let around: Vec<u32> = connectivity.edges_at(place).iter().map(neighbour).collect();
    let mut found = Vec::new();
    for (at, &first) in around.iter().enumerate() {
        for &second in &around[at + 1..] {
            let joined = connectivity.edges_at(first).iter().any(|&edge| {
                let [a, b] = connectivity.ends(edge);
                a == second || b == second
            });
            if joined {
                found.push([body.vertex(first), body.vertex(second)]);
            }
        }
    }
    found
}

/// Whether a direction may lie in the closed cone from a point over the segment between two others.
/// Exact where it says no.
fn contains_direction(point: DVec3, &[b, c]: &[DVec3; 2], direction: Direction) -> bool {
    let flat = |p: DVec3| match direction.axis {
        0 => p.yz(),
        1 => p.zx(),
        _ => p.xy(),
    };
    let [p, q, r] = [point, b, c].map(flat);
    if crate::contact::orient2d(p, q, r).is_ne() {
        return false;
    }
    // The triangle is parallel to the axis: its projection is a part of a line through the point.
    let ahead = |corner: DVec3| match direction.forward {
        true => corner[direction.axis] > point[direction.axis],
        false => corner[direction.axis] < point[direction.axis],
    };
    match (q == p, r == p) {
        (true, true) => ahead(b) || ahead(c),
        (true, false) => ahead(b),
        (false, true) => ahead(c),
        (false, false) => {
            let side = |v: glam::DVec2| {
                let compare = |x: f64, y: f64| x.partial_cmp(&y).unwrap_or(Ordering::Equal);
                compare(v.x, p.x).then_with(|| compare(v.y, p.y))
            };
            side(q) != side(r)
        }
    }
}

/// Front sides minus back sides of the triangles that a ray from a vertex crosses and that have no
/// corner at its place; `None` if the vertex lies on one.
fn crossings<S: Surface>(
    body: &S,
    place: u32,
    point: DVec3,
    direction: Direction,
    ask: Ask,
    work: &mut Work,
) -> Option<i64> {
    let places = body.mesh().places_of_triangles();
    let mut sum = 0;
    let mut test = |triangle: u32, work: &mut Work| {
        if places[triangle as usize].contains(&place) {
            return true;
        }
        work.primitive_tests += 1;
        let corners = body.triangle(triangle);
        if point_on_triangle(point, &corners) {
            return false;
        }
        if let Some(crossing) = axis_crossing(point, direction.axis, &corners)
            && crossing.ahead == direction.forward
        {
            sum += if direction.forward { crossing.facing } else { -crossing.facing };
        }
        true
    };
    let is_off = match ask {
        Ask::EveryTriangle => (0..places.len() as u32).all(|triangle| test(triangle, work)),
        Ask::Tree => all_ahead(body, point, direction, work, test),
    };
    is_off.then_some(sum)
}
