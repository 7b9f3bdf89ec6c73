//! Crossing triangles by brute force in plain `f64`, and a hash of positions.
//!
//! The former is accurate enough for counting; it may be wrong for triangles that just touch.

#![allow(dead_code, reason = "not every test file asks for everything")]

use pliant::glam::DVec3;

/// A triangle's corners.
pub(crate) type Corners = [DVec3; 3];

/// The corners of all triangles.
pub(crate) fn corners(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Corners> {
    triangles.iter().map(|t| t.map(|vertex| positions[vertex as usize])).collect()
}

/// All crossing pairs, first number from `first`, second from `second`.
///
/// Sweeps along y, then compares boxes, then triangles.
pub(crate) fn crossing_pairs(first: &[Corners], second: &[Corners]) -> Vec<[usize; 2]> {
    let low = |t: &Corners| t[0].min(t[1]).min(t[2]);
    let high = |t: &Corners| t[0].max(t[1]).max(t[2]);
    let tallest = second.iter().map(|t| high(t).y - low(t).y).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..second.len()).collect();
    order.sort_by(|&a, &b| low(&second[a]).y.total_cmp(&low(&second[b]).y));
    let mut pairs = Vec::new();
    for (i, a) in first.iter().enumerate() {
        let start = order.partition_point(|&j| low(&second[j]).y < low(a).y - tallest);
        for &j in &order[start..] {
            let b = &second[j];
            if low(b).y > high(a).y {
                break;
            }
            if low(a).cmple(high(b)).all() && low(b).cmple(high(a)).all() && cross(a, b) {
                pairs.push([i, j]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Whether an edge of one triangle pierces the other.
fn cross(a: &Corners, b: &Corners) -> bool {
    let pierced = |segments: &Corners, triangle: &Corners| {
        (0..3).any(|i| pierces(segments[i], segments[(i + 1) % 3], triangle))
    };
    pierced(a, b) || pierced(b, a)
}

fn pierces(from: DVec3, to: DVec3, &[a, b, c]: &Corners) -> bool {
    let volume = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| (q - p).cross(r - p).dot(s - p);
    if (volume(a, b, c, from) >= 0.0) == (volume(a, b, c, to) >= 0.0) {
        return false;
    }
    let side = [(a, b), (b, c), (c, a)].map(|(p, q)| volume(from, to, p, q) >= 0.0);
    side[0] == side[1] && side[1] == side[2]
}

/// A hash that changes with any bit of any coordinate, and with their order.
pub(crate) fn hash(points: &[DVec3]) -> u64 {
    let bits = points.iter().flat_map(|p| p.to_array()).map(f64::to_bits);
    bits.fold(1, |hash, word| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
}
