//! Filters over decoded elements. All numbers are little-endian.
//!
//! They are computed in `f64` and rounded once. Implementations in `f32` may differ in the last bit
//! of a stored integer, which the specification allows.

use std::f64::consts::FRAC_1_SQRT_2;

use super::Filter;

/// Changes elements of `stride` bytes, which suits the filter, in place.
pub(super) fn apply(filter: Filter, bytes: &mut [u8], stride: usize) {
    match filter {
        Filter::None => {}
        Filter::Exponential => bytes.chunks_exact_mut(4).for_each(exponential),
        Filter::Quaternion => bytes.chunks_exact_mut(8).for_each(quaternion),
        Filter::Octahedral if stride == 4 => bytes.chunks_exact_mut(4).for_each(|element| {
            let [x, y, one] = [0, 1, 2].map(|at| f64::from(element[at] as i8));
            for (byte, number) in element.iter_mut().zip(octahedral(x, y, one, 127.0)) {
                *byte = number as i8 as u8;
            }
        }),
        Filter::Octahedral => bytes.chunks_exact_mut(8).for_each(|element| {
            let [x, y, one] = [0, 1, 2].map(|at| f64::from(signed(element, at)));
            for (at, number) in octahedral(x, y, one, 32767.0).into_iter().enumerate() {
                element[2 * at..2 * at + 2].copy_from_slice(&(number as i16).to_le_bytes());
            }
        }),
        Filter::Color if stride == 4 => bytes.chunks_exact_mut(4).for_each(|element| {
            let [y, a] = [0, 3].map(|at| i32::from(element[at]));
            let [co, cg] = [1, 2].map(|at| i32::from(element[at] as i8));
            for (byte, number) in element.iter_mut().zip(color([y, co, cg, a], 255.0)) {
                *byte = number as u8;
            }
        }),
        Filter::Color => bytes.chunks_exact_mut(8).for_each(|element| {
            let [y, a] = [0, 3].map(|at| i32::from(signed(element, at) as u16));
            let [co, cg] = [1, 2].map(|at| i32::from(signed(element, at)));
            for (at, number) in color([y, co, cg, a], 65535.0).into_iter().enumerate() {
                element[2 * at..2 * at + 2].copy_from_slice(&(number as u16).to_le_bytes());
            }
        }),
    }
}

fn signed(element: &[u8], at: usize) -> i16 {
    i16::from_le_bytes([element[2 * at], element[2 * at + 1]])
}

/// An `f32` from a signed exponent of 8 bits above a signed mantissa of 24 bits.
fn exponential(bytes: &mut [u8]) {
    let word = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let (exponent, mantissa) = (word >> 24, word << 8 >> 8);
    let number = f64::from(mantissa) * 2f64.powi(exponent);
    bytes.copy_from_slice(&(number as f32).to_le_bytes());
}

/// A unit quaternion in four normalized integers. Three numbers are stored as fractions of the
/// fourth, whose two lowest bits say which component was the largest and is left out.
fn quaternion(element: &mut [u8]) {
    let last = signed(element, 3);
    let largest = (last & 3) as usize;
    let scale = FRAC_1_SQRT_2 / f64::from(last | 3);
    let [x, y, z] = [0, 1, 2].map(|at| f64::from(signed(element, at)) * scale);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    for (after, number) in [w, x, y, z].into_iter().enumerate() {
        let at = (largest + after) % 4;
        let number = (number * 32767.0).round() as i16;
        element[2 * at..2 * at + 2].copy_from_slice(&number.to_le_bytes());
    }
}

/// A unit vector from its place on an octahedron, times `max`.
fn octahedral(x: f64, y: f64, one: f64, max: f64) -> [f64; 3] {
    let (x, y) = (x / one, y / one);
    let z = 1.0 - x.abs() - y.abs();
    let fold = (-z).max(0.0);
    let [x, y] = [x, y].map(|number| number - fold.copysign(number));
    let scale = max / (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|number| (number * scale).round())
}

/// Red, green, blue and alpha, at most `max`, from luma, two differences and alpha, whose highest
/// bit states the number of bits.
fn color([y, co, cg, a]: [i32; 4], max: f64) -> [f64; 4] {
    let bits = 32 - a.leading_zeros();
    let range = (1 << bits) - 1;
    let scale = max / f64::from(range);
    let alpha = a & range >> 1;
    let alpha = alpha << 1 | alpha & 1;
    [y + co - cg, y + cg, y - co - cg, alpha].map(|number| (f64::from(number) * scale).round())
}
