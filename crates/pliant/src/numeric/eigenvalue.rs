//! Upper bounds of eigenvalues and stretches of 3 x 3 matrices.

use glam::{DMat3, DVec3};

use super::F64_SLACK;

/// A factor by which no length grows under a linear map: the root of the largest eigenvalue of
/// A^T A, at most a hundredth too large. For rotations and scalings it is exact up to rounding.
///
/// The entries are scaled to at most 1 first, so that no product leaves the range of `f64`. A map
/// that is not finite gives infinity or NaN.
pub(crate) fn largest_stretch(map: &DMat3) -> f64 {
    let largest = map.to_cols_array().iter().fold(0.0, |sum: f64, x| sum.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return largest;
    }
    let scaled = *map * (1.0 / largest);
    if !scaled.is_finite() {
        return 3.0 * largest;
    }
    largest_eigenvalue(scaled.transpose() * scaled).sqrt() * largest * (1.0 + F64_SLACK)
}

/// An upper bound, at most a fiftieth too large, of the eigenvalues of a symmetric matrix that has
/// no negative ones.
///
/// For such a matrix G the largest row sum s of |G| bounds the largest eigenvalue e, and
/// s <= sqrt(3) e. The same is true of G^n and e^n, so that the n-th root of the row sum of G^n is
/// at most 3^(1/2n) e: six squarings give n = 64. The least of the bounds met on the way is taken;
/// for rotations and scalings it is the first. A squaring doubles the relative error of its
/// argument and adds a few 2^-53, and the root halves it again: the slack at the end covers that.
pub(crate) fn largest_eigenvalue(matrix: DMat3) -> f64 {
    let mut power = matrix;
    // The true power is `power` times e^scale, and its exponent is 1 / root.
    let (mut scale, mut root, mut least) = (0.0, 1.0, f64::INFINITY);
    for _ in 0..7 {
        let columns = [power.x_axis, power.y_axis, power.z_axis].map(DVec3::abs);
        let bound = (columns[0] + columns[1] + columns[2]).max_element();
        if bound == 0.0 {
            return 0.0;
        }
        least = least.min((bound.ln() + scale) * root);
        power *= 1.0 / bound;
        scale = 2.0 * (scale + bound.ln());
        root *= 0.5;
        power = power * power;
    }
    // Logarithms and exponentials err by a few 2^-53 of themselves, and the logarithms of squares
    // of `f32` are below 200: together less than a thousand 2^-53.
    least.exp() * (1.0 + 32.0 * F64_SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_stretched_by_more(
            entries in proptest::array::uniform9(-1.0..1.0f64), exponent in -300..300i32,
            directions in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 50),
        ) {
            let map = DMat3::from_cols_array(&entries);
            let bound = largest_stretch(&(map * 10f64.powi(exponent))) / 10f64.powi(exponent);
            let mut reached: f64 = 0.0;
            for direction in directions {
                let mut direction = DVec3::from_array(direction).normalize_or(DVec3::X);
                // Towards the direction that is stretched most.
                for _ in 0..100 {
                    direction = (map.transpose() * (map * direction)).normalize_or(DVec3::X);
                }
                reached = reached.max((map * direction).length());
            }
            prop_assert!(reached <= bound * (1.0 + 1e-12));
            prop_assert!(bound <= 1.01 * reached + 1e-12, "{bound} {reached}");
        }

        #[test]
        fn rotations_and_scalings_are_exact(
            turn in proptest::array::uniform4(-1.0..1.0f64),
            scale in proptest::array::uniform3(-1e3..1e3f64),
        ) {
            prop_assume!(DQuat::from_array(turn).length() > 1e-3);
            let turn = DMat3::from_quat(DQuat::from_array(turn).normalize());
            let scale = DVec3::from_array(scale);
            let bound = largest_stretch(&(turn * DMat3::from_diagonal(scale)));
            let exact = scale.abs().max_element();
            prop_assert!(exact * (1.0 - 1e-14) <= bound && bound <= exact * (1.0 + 1e-11));
        }
    }

    #[test]
    fn maps_without_size() {
        assert_eq!(largest_stretch(&DMat3::ZERO), 0.0);
        assert!(largest_stretch(&(DMat3::IDENTITY * f64::MIN_POSITIVE)) >= f64::MIN_POSITIVE);
        assert!(largest_stretch(&(DMat3::IDENTITY * 1e-310)) >= 1e-310);
        assert!(largest_stretch(&(DMat3::IDENTITY * 1e300)) >= 1e300);
    }
}
