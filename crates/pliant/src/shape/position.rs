//! Positions as bodies store them: in `f64` or in `f32`.

use std::fmt::Debug;

use glam::{DVec3, Vec3};

use crate::simd::{level, vectorize};
use crate::volume::Fit;
use crate::{Error, Result};

/// A position as a freely moved body stores it: [`DVec3`], or [`Vec3`] for half the memory.
///
/// Every `f32` is an `f64`: what is asked of a body in `f32` is decided exactly on its values.
pub trait Position: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The same position in `f64`.
    fn to_f64(self) -> DVec3;

    /// The nearest position in this form. It may be infinite.
    fn nearest(position: DVec3) -> Self;

    /// The position in the form that fits of volumes need.
    fn point<V: Fit>(self) -> V::Point;

    /// Copies positions; returns whether all are finite.
    fn copy_finite(from: &[Self], to: &mut [Self]) -> bool;

    /// Whether all positions are finite.
    fn all_finite(positions: &[Self]) -> bool;
}

impl Position for DVec3 {
    #[inline(always)]
    fn to_f64(self) -> DVec3 {
        self
    }

    #[inline(always)]
    fn nearest(position: DVec3) -> Self {
        position
    }

    #[inline(always)]
    fn point<V: Fit>(self) -> V::Point {
        V::point(self)
    }

    fn copy_finite(from: &[Self], to: &mut [Self]) -> bool {
        let (from, to) = (bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to));
        vectorize!(level(), copy_f64(from, to))
    }

    fn all_finite(positions: &[Self]) -> bool {
        let numbers = bytemuck::cast_slice(positions);
        vectorize!(level(), finite_f64(numbers))
    }
}

impl Position for Vec3 {
    #[inline(always)]
    fn to_f64(self) -> DVec3 {
        self.as_dvec3()
    }

    #[inline(always)]
    fn nearest(position: DVec3) -> Self {
        position.as_vec3()
    }

    #[inline(always)]
    fn point<V: Fit>(self) -> V::Point {
        V::point_f32(self)
    }

    fn copy_finite(from: &[Self], to: &mut [Self]) -> bool {
        let (from, to) = (bytemuck::cast_slice(from), bytemuck::cast_slice_mut(to));
        vectorize!(level(), copy_f32(from, to))
    }

    fn all_finite(positions: &[Self]) -> bool {
        let numbers = bytemuck::cast_slice(positions);
        vectorize!(level(), finite_f32(numbers))
    }
}

/// An integer with the sign bit if a number is not finite: adding 1 to an exponent of all ones carries
/// into that bit. So one `or` of all numbers answers, without a branch per number.
#[inline(always)]
fn sign_if_not_finite_f64(x: f64) -> u64 {
    (x.to_bits() & f64::INFINITY.to_bits()).wrapping_add(1 << 52)
}

#[inline(always)]
fn sign_if_not_finite_f32(x: f32) -> u32 {
    (x.to_bits() & f32::INFINITY.to_bits()).wrapping_add(1 << 23)
}

#[inline(always)]
fn copy_f64(from: &[f64], to: &mut [f64]) -> bool {
    let mut signs = 0;
    for (from, to) in from.iter().zip(to) {
        *to = *from;
        signs |= sign_if_not_finite_f64(*from);
    }
    signs >> 63 == 0
}

#[inline(always)]
fn copy_f32(from: &[f32], to: &mut [f32]) -> bool {
    let mut signs = 0;
    for (from, to) in from.iter().zip(to) {
        *to = *from;
        signs |= sign_if_not_finite_f32(*from);
    }
    signs >> 31 == 0
}

#[inline(always)]
fn finite_f64(numbers: &[f64]) -> bool {
    numbers.iter().fold(0, |signs, &x| signs | sign_if_not_finite_f64(x)) >> 63 == 0
}

#[inline(always)]
fn finite_f32(numbers: &[f32]) -> bool {
    numbers.iter().fold(0, |signs, &x| signs | sign_if_not_finite_f32(x)) >> 31 == 0
}

/// Returns an error with the first position that is NaN or infinite.
pub(crate) fn check_finite<P: Position>(positions: &[P]) -> Result<()> {
    let mut numbered = positions.iter().map(|position| position.to_f64()).enumerate();
    match numbered.find(|(_, position)| !position.is_finite()) {
        None => Ok(()),
        Some((vertex, position)) => {
            Err(Error::NonFinitePosition { vertex, position: position.to_array() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::levels;

    #[test]
    fn a_number_that_is_not_finite_is_found_at_any_place_and_level() {
        let of_f64 = [f64::MAX, -f64::MAX, 1e-310, -0.0, 0.0, 1.0].repeat(7);
        let of_f32 = [f32::MAX, -f32::MAX, 1e-40, -0.0, 0.0, 1.0].repeat(7);
        for level in levels() {
            let (mut to_f64, mut to_f32) = (vec![9.0; of_f64.len()], vec![9.0; of_f32.len()]);
            assert!(vectorize!(level, copy_f64(&of_f64, &mut to_f64)));
            assert!(vectorize!(level, copy_f32(&of_f32, &mut to_f32)));
            assert!(vectorize!(level, finite_f64(&of_f64)) && to_f64 == of_f64);
            assert!(vectorize!(level, finite_f32(&of_f32)) && to_f32 == of_f32);
            for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                for place in 0..of_f64.len() {
                    let (mut numbers, mut numbers_f32) = (of_f64.clone(), of_f32.clone());
                    (numbers[place], numbers_f32[place]) = (bad.into(), bad);
                    assert!(
                        !vectorize!(level, finite_f64(&numbers)),
                        "{bad} at {place}, {level:?}"
                    );
                    assert!(!vectorize!(level, finite_f32(&numbers_f32)), "{bad} at {place}");
                    assert!(!vectorize!(level, copy_f64(&numbers, &mut to_f64)));
                    assert!(!vectorize!(level, copy_f32(&numbers_f32, &mut to_f32)));
                }
            }
        }
    }
}
