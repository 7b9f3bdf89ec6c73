//! Reference for tests: distances of integer points, segments and triangles, exact up to one final
//! division and square root. Coordinates may be up to 2^15.

use glam::DVec3;
use proptest::prelude::*;

type Point = [i128; 3];
type Triangle = [Point; 3];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn root_of_ratio(numerator: i128, denominator: i128) -> f64 {
    (numerator as f64 / denominator as f64).sqrt()
}

fn point_segment(p: Point, a: Point, b: Point) -> f64 {
    let (along, from) = (minus(b, a), minus(p, a));
    let (length, foot) = (dot(along, along), dot(from, along));
    if foot <= 0 {
        return root_of_ratio(dot(from, from), 1);
    }
    if foot >= length {
        return root_of_ratio(dot(minus(p, b), minus(p, b)), 1);
    }
    root_of_ratio(dot(from, from) * length - foot * foot, length)
}

fn point_inside(p: Point, [a, b, c]: Triangle) -> f64 {
    let (ab, ac, from) = (minus(b, a), minus(c, a), minus(p, a));
    let normal = cross(ab, ac);
    let whole = dot(normal, normal);
    let (v, w) = (dot(cross(from, ac), normal), dot(cross(ab, from), normal));
    if v <= 0 || w <= 0 || v + w >= whole {
        return f64::INFINITY;
    }
    let off = dot(from, normal);
    root_of_ratio(off * off, whole)
}

fn edges([a, b, c]: Triangle) -> [(Point, Point); 3] {
    [(a, b), (b, c), (c, a)]
}

fn segment_segment((p0, p1): (Point, Point), (q0, q1): (Point, Point)) -> f64 {
    let (p, q, between) = (minus(p1, p0), minus(q1, q0), minus(q0, p0));
    let normal = cross(p, q);
    let whole = dot(normal, normal);
    let (s, t) = (dot(cross(between, q), normal), dot(cross(between, p), normal));
    let ends = point_segment(p0, q0, q1)
        .min(point_segment(p1, q0, q1))
        .min(point_segment(q0, p0, p1))
        .min(point_segment(q1, p0, p1));
    if whole == 0 || s < 0 || s > whole || t < 0 || t > whole {
        return ends;
    }
    let off = dot(between, normal);
    ends.min(root_of_ratio(off * off, whole))
}

/// The distance from a point to a triangle.
pub(super) fn point_triangle(p: Point, triangle: Triangle) -> f64 {
    let to_edge = edges(triangle).map(|(a, b)| point_segment(p, a, b));
    to_edge.into_iter().fold(point_inside(p, triangle), f64::min)
}

/// Whether a segment crosses the interior of a triangle.
fn pierces((p, q): (Point, Point), [a, b, c]: Triangle) -> bool {
    let volume = |a: Point, b: Point, c: Point, d: Point| {
        dot(minus(d, a), cross(minus(b, a), minus(c, a))).signum()
    };
    let around = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    volume(a, b, c, p) * volume(a, b, c, q) < 0
        && (around.iter().all(|&s| s > 0) || around.iter().all(|&s| s < 0))
}

/// The distance between two triangles.
pub(super) fn triangle_triangle(a: Triangle, b: Triangle) -> f64 {
    if edges(a).iter().any(|&e| pierces(e, b)) || edges(b).iter().any(|&e| pierces(e, a)) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for i in 0..3 {
        least = least.min(point_inside(a[i], b)).min(point_inside(b[i], a));
        for edge in edges(b) {
            least = least.min(segment_segment(edges(a)[i], edge));
        }
    }
    least
}

/// The corners of the intersection of two triangles, each computed with one division.
pub(super) fn common_corners(a: Triangle, b: Triangle) -> Vec<DVec3> {
    let mut found = Vec::new();
    let at = |(p, q): (Point, Point), numerator: i128, denominator: i128| {
        let along = to_f64(minus(q, p));
        to_f64(p) + along * (numerator as f64 / denominator as f64)
    };
    for (one, other) in [(a, b), (b, a)] {
        found.extend(one.iter().filter(|&&p| point_triangle(p, other) == 0.0).map(|&p| to_f64(p)));
        let normal = cross(minus(other[1], other[0]), minus(other[2], other[0]));
        for (p, q) in edges(one) {
            if pierces((p, q), other) {
                let height = |p: Point| dot(minus(p, other[0]), normal);
                found.push(at((p, q), height(p), height(p) - height(q)));
            }
        }
    }
    for (p0, p1) in edges(a) {
        for (q0, q1) in edges(b) {
            let (p, q, between) = (minus(p1, p0), minus(q1, q0), minus(q0, p0));
            let normal = cross(p, q);
            let whole = dot(normal, normal);
            if whole != 0 && segment_segment((p0, p1), (q0, q1)) == 0.0 {
                found.push(at((p0, p1), dot(cross(between, q), normal), whole));
            }
        }
    }
    found
}

pub(super) fn to_f64(p: Point) -> DVec3 {
    DVec3::from_array(p.map(|x| x as f64))
}

pub(super) fn point(range: i128) -> impl Strategy<Value = Point> {
    prop::array::uniform3(-range..=range)
}

/// Triangles of all shapes: general ones, ones with few distinct values so that corners and edges
/// coincide, slivers, segments and points.
pub(super) fn triangle() -> impl Strategy<Value = Triangle> {
    let sliver = (point(100), point(100), 0..100i128, point(1)).prop_map(|(a, along, k, off)| {
        let at = |k: i128| [a[0] + k * along[0], a[1] + k * along[1], a[2] + k * along[2]];
        let c = at(k);
        [a, at(100), [c[0] + off[0], c[1] + off[1], c[2] + off[2]]]
    });
    let any = |range| prop::array::uniform3(point(range));
    prop_oneof![any(1 << 14), any(3), any(100), sliver]
}

/// Two triangles, near one another or not, anywhere and of any size, and their distance.
pub(super) fn placed_triangles() -> impl Strategy<Value = ([DVec3; 3], [DVec3; 3], f64)> {
    let shift = prop_oneof![Just([0; 3]), point(300)];
    let far = prop_oneof![Just(0.0), Just(2f64.powi(40))];
    (triangle(), triangle(), shift, far, -60..60i32).prop_map(|(a, b, shift, far, exponent)| {
        let b = b.map(|p| [p[0] + shift[0], p[1] + shift[1], p[2] + shift[2]]);
        let scale = 2f64.powi(exponent);
        let place = |p| (to_f64(p) + far) * scale;
        (a.map(place), b.map(place), triangle_triangle(a, b) * scale)
    })
}
