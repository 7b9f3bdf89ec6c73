//! Bounds of how much a matrix stretches: the least and the most.

use glam::{DMat3, DVec3};

use crate::numeric::{AFFINE_SLACK, LEAST_STRETCH_ERROR};

/// A lower bound of the least stretch of a matrix M, min |M x| / |x| (its smallest singular
/// value), and an upper bound of its Frobenius norm F.
///
/// The least stretch is the better of two bounds. Its square is the smallest eigenvalue of
/// the columns' Gram matrix, which lies in one of Gershgorin's discs: exact for a rotation,
/// good for what is nearly one. And the product of all three singular values is |det M|, that
/// of two of them at most F^2 / 2: never bad, where M is sheared.
///
/// With u = 2^-53: an entry of the Gram matrix errs by at most 3u F^2, the sums by 3u more,
/// all together by less than 12u F^2. The determinant errs by less than 8u of F^3. The
/// allowance is 64u, which also covers the rounding of F itself.
#[inline]
pub(super) fn least_stretch_and_norm(m: &DMat3) -> (f64, f64) {
    let [a, b, c] = [m.x_axis, m.y_axis, m.z_axis];
    let (aa, bb, cc) = (a.length_squared(), b.length_squared(), c.length_squared());
    let (ab, bc, ca) = (a.dot(b).abs(), b.dot(c).abs(), c.dot(a).abs());
    let squared = aa + bb + cc;
    let norm = (squared + f64::MIN_POSITIVE).sqrt() * (1.0 + AFFINE_SLACK);
    let disc = (aa - ab - ca).min(bb - ab - bc).min(cc - bc - ca);
    let disc = disc - (LEAST_STRETCH_ERROR * squared + f64::MIN_POSITIVE);
    let volume = a.cross(b).dot(c).abs();
    let volume = volume - (LEAST_STRETCH_ERROR * squared * norm + f64::MIN_POSITIVE);
    let by_discs = disc.max(0.0).sqrt();
    let by_volume = 2.0 * volume.max(0.0) / squared;
    // `max` ignores NaN, which infinite entries make.
    let stretch = by_discs.max(by_volume).max(0.0) * (1.0 - AFFINE_SLACK);
    (if squared > LEAST_SQUARE { stretch } else { 0.0 }, norm)
}

/// Below this squared norm a determinant may be lost to underflow.
const LEAST_SQUARE: f64 = 1e-180;

/// How far a matrix D, the difference of two, takes vectors.
pub(super) struct DifferenceNorms {
    /// The magnitudes of its entries, column by column.
    magnitudes: [DVec3; 3],
    /// Not below the square of its spectral norm, max |D x| / |x|.
    most_squared: f64,
}

impl DifferenceNorms {
    /// The square of the spectral norm is the largest eigenvalue of the columns' Gram matrix,
    /// and so at most the largest sum of the magnitudes of a row (Gershgorin).
    ///
    /// With u = 2^-53 and F the Frobenius norm of D, entries err by 3u F^2, and the sum by less
    /// than 12u F^2. The sum is at least F^2 / 3, so this is less than 36u of itself, and half
    /// of that after the root. Callers of [`most`](Self::most) and [`reach`](Self::reach) allow
    /// [`AFFINE_SLACK`] for it; [`f64::MIN_POSITIVE`] covers underflow.
    #[inline]
    pub(super) fn new(matrix: &DMat3) -> Self {
        let [a, b, c] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let (aa, bb, cc) = (a.length_squared(), b.length_squared(), c.length_squared());
        let (ab, bc, ca) = (a.dot(b).abs(), b.dot(c).abs(), c.dot(a).abs());
        let most = (aa + ab + ca).max(bb + ab + bc).max(cc + bc + ca);
        Self { magnitudes: [a.abs(), b.abs(), c.abs()], most_squared: most + f64::MIN_POSITIVE }
    }

    /// Not below its spectral norm.
    #[inline]
    pub(super) fn most(&self) -> f64 {
        self.most_squared.sqrt()
    }

    /// Not below |D z| for all z with magnitudes of at most `half` and a length of at most `radius`.
    ///
    /// A component of D z is at most that of the magnitudes of D times `half`. That errs by 6u of itself,
    /// its length by 3u more.
    #[inline]
    pub(super) fn reach(&self, half: DVec3, radius: f64) -> f64 {
        let [x, y, z] = self.magnitudes;
        let far = x * half.x + y * half.y + z * half.z;
        let squared = far.length_squared().min(self.most_squared * (radius * radius));
        (squared + f64::MIN_POSITIVE).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    fn rotation() -> impl Strategy<Value = DMat3> {
        prop::array::uniform4(-1.0..1.0f64)
            .prop_filter("no direction", |q| DQuat::from_array(*q).length() > 0.1)
            .prop_map(|q| DMat3::from_quat(DQuat::from_array(q).normalize()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn stretch_is_never_too_large(
            [first, second] in [rotation(), rotation()],
            stretches in prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), 1e-3..10.0f64]),
            mirror in any::<bool>(), exponent in -70..70i32,
        ) {
            let scale = 10f64.powi(exponent);
            let sign = if mirror { -scale } else { scale };
            let diagonal = DMat3::from_diagonal(DVec3::from_array(stretches) * sign);
            let least = stretches.into_iter().fold(f64::INFINITY, f64::min) * scale;
            let norm = DVec3::from_array(stretches).length() * scale;
            let (found, found_norm) = least_stretch_and_norm(&(first * diagonal * second));
            prop_assert!(found <= least * (1.0 + 1e-13) + norm * 1e-14, "{found} {least}");
            prop_assert!(found_norm >= norm * (1.0 - 1e-14));
            // Exact where the stretches are along the axes; a third or more of it anywhere.
            let (found, _) = least_stretch_and_norm(&(first * diagonal));
            prop_assert!(found <= least * (1.0 + 1e-15));
            prop_assert!(found >= least * (1.0 - 1e-10) - norm * 1e-6, "{found} {least}");
        }

        /// No vector is stretched by more than the spectral norm says, nor by the columns.
        #[test]
        fn differences_take_nothing_farther(
            entries in prop::array::uniform9(-1.0..1.0f64), exponent in -70..70i32,
            x in prop::array::uniform3(-1.0..1.0f64),
        ) {
            let matrix = DMat3::from_cols_array(&entries) * 10f64.powi(exponent);
            let norms = DifferenceNorms::new(&matrix);
            let x = DVec3::from_array(x);
            let taken = (matrix * x).length() * (1.0 - 1e-14);
            prop_assert!(taken <= norms.most() * x.length());
            prop_assert!(taken <= norms.reach(x.abs(), f64::INFINITY));
            prop_assert!(taken <= norms.reach(DVec3::INFINITY, x.length() * (1.0 + 1e-15)));
        }
    }
}
