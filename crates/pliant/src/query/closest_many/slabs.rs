//! How far boxes and triangles are at least from sixteen points, in `f32` around their middle.
//!
//! Both bounds are distances along directions: what lies beyond a plane is at least as far as the
//! plane. That holds for every direction, so a direction that rounding has turned gives a weaker bound
//! and not a wrong one. Roundings of places are proportional to `size`, the largest coordinate around
//! the middle that takes part; [`SLACK`] of it is subtracted from every distance.

use glam::{DVec3, Vec3};

use super::group::LANES;

/// Sixteen numbers.
pub(super) type Lanes = [f32; LANES];

/// What is subtracted from each distance, as a share of the largest coordinate. A coordinate is rounded
/// by 2^-24 of it; the product with a direction adds three products and two sums of at most twice its
/// length, in all less than 2^-20.
const SLACK: f32 = 1.0 / (1 << 19) as f32;

/// By this a square is diminished: more than the roundings of the sum of two squares, and than two
/// directions that are at right angles but for their rounding to `f32` (2e-7) can add.
const SHRINK: f32 = 1.0 - 1e-5;

/// The larger number, and `b` if `a` is NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Lower bounds of the squared distances from a box, whose corners are around the middle.
#[inline]
pub(super) fn box_distances(points: &[Lanes; 3], size: f32, low: Vec3, high: Vec3) -> Lanes {
    let corners = larger(low.abs().max_element(), high.abs().max_element());
    let slack = SLACK * larger(size, corners);
    let mut squares = [0.0; LANES];
    for axis in 0..3 {
        let (low, high) = (low[axis] - slack, high[axis] + slack);
        for (square, &x) in squares.iter_mut().zip(&points[axis]) {
            let beyond = larger(larger(low - x, x - high), 0.0);
            *square += beyond * beyond * SHRINK;
        }
    }
    squares
}

/// Lower bounds of the squared distances from a triangle, whose corners are around the middle.
///
/// One direction is the normal; three lie in the plane, at right angles to the edges. Distances along
/// the normal and along one of those three add up as squares. For points that are nearest to the inside
/// of the triangle or of an edge this is the distance itself.
#[inline]
pub(super) fn triangle_distances(points: &[Lanes; 3], size: f32, corners: &[DVec3; 3]) -> Lanes {
    let [a, b, c] = *corners;
    let largest = a.abs().max(b.abs()).max(c.abs()).max_element() as f32;
    let slack = SLACK * larger(size, largest);
    let normal = (b - a).cross(c - a);
    let up = direction(normal);
    let mut squares = beyond(points, up, slack, corners, Sides::Both);
    let mut across = [0.0; LANES];
    for edge in [b - a, c - b, a - c] {
        let outward = direction(edge.cross(normal));
        let gaps = beyond(points, outward, slack, corners, Sides::Outer);
        for (most, gap) in across.iter_mut().zip(gaps) {
            *most = larger(gap, *most);
        }
    }
    for (square, gap) in squares.iter_mut().zip(across) {
        *square = (*square * *square + gap * gap) * SHRINK;
    }
    squares
}

/// A vector of length 1 up to rounding; zero, which bounds nothing, for one whose squared length has
/// lost bits or overflowed.
#[inline]
fn direction(vector: DVec3) -> Vec3 {
    let squared = vector.length_squared();
    if squared > 1e-280 && squared < 1e280 {
        (vector / squared.sqrt()).as_vec3()
    } else {
        Vec3::ZERO
    }
}

/// On which sides of a triangle points are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sides {
    Both,
    Outer,
}

/// How far points are beyond a triangle along a direction.
#[inline(always)]
fn beyond(
    points: &[Lanes; 3],
    along: Vec3,
    slack: f32,
    corners: &[DVec3; 3],
    sides: Sides,
) -> Lanes {
    let heights = corners.map(|corner| along.as_dvec3().dot(corner) as f32);
    let highest = larger(larger(heights[0], heights[1]), heights[2]) + slack;
    let smaller = |a: f32, b: f32| if a < b { a } else { b };
    let lowest = smaller(smaller(heights[0], heights[1]), heights[2]) - slack;
    let [xs, ys, zs] = points;
    let mut gaps = [0.0; LANES];
    for lane in 0..LANES {
        let height = along.x * xs[lane] + along.y * ys[lane] + along.z * zs[lane];
        let above = height - highest;
        let gap = if sides == Sides::Both { larger(above, lowest - height) } else { above };
        gaps[lane] = larger(gap, 0.0);
    }
    gaps
}
