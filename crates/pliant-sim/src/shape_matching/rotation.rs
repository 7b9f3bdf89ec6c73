//! The rotation nearest to a matrix: the rotational part of its polar decomposition.

use pliant::glam::{DMat3, DQuat};

use super::symmetric_eigen::symmetric_eigen;

/// The rotation `R` nearest to a matrix: it maximises the trace of `Rᵀ A`.
///
/// If `A = R S` with `S` symmetric and positive definite, this is the polar decomposition. Point sets
/// may also be flat, inverted or collapsed. A flat one has one rotation that keeps its orientation. An
/// inverted one is turned so that `S` has exactly one negative eigenvalue, the smallest. Of several
/// rotations that are equally near, one is taken; for a matrix that is zero or not finite, the identity.
///
/// The result is always a rotation up to rounding, never NaN. It is found as the unit quaternion with
/// the largest eigenvalue of a symmetric 4 x 4 matrix (Horn 1987). There is no inverse that could fail,
/// and no sign to choose: quaternions describe rotations alone.
///
/// ```
/// use pliant::glam::{DMat3, DVec3};
/// use pliant_sim::shape_matching::nearest_rotation;
///
/// let turn = DMat3::from_rotation_z(0.5);
/// let stretched = turn * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
/// assert!(nearest_rotation(stretched).abs_diff_eq(turn, 1e-14));
/// // A mirror image is no rotation.
/// let mirrored = nearest_rotation(DMat3::from_diagonal(DVec3::new(3.0, 2.0, -1.0)));
/// assert!(mirrored.abs_diff_eq(DMat3::IDENTITY, 1e-14));
/// ```
#[must_use]
pub fn nearest_rotation(matrix: DMat3) -> DMat3 {
    let numbers = matrix.to_cols_array();
    let size = numbers.iter().fold(0.0f64, |most, number| most.max(number.abs()));
    // Also refuses NaN, which `max` ignores.
    if !matrix.is_finite() || size == 0.0 {
        return DMat3::IDENTITY;
    }
    let [x, y, z] =
        [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| (axis / size).to_array());
    // x[1] is row 1 of column 0: where the rest's x goes along y.
    let form = [
        [x[0] + y[1] + z[2], y[2] - z[1], z[0] - x[2], x[1] - y[0]],
        [y[2] - z[1], x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2]],
        [z[0] - x[2], x[1] + y[0], y[1] - x[0] - z[2], y[2] + z[1]],
        [x[1] - y[0], z[0] + x[2], y[2] + z[1], z[2] - x[0] - y[1]],
    ];
    let (values, vectors) = symmetric_eigen(form);
    let mut best = 0;
    for at in 1..4 {
        if values[at] > values[best] {
            best = at;
        }
    }
    let [w, x, y, z] = vectors[best];
    DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::glam::DVec3;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![-1.0..1.0f64, Just(0.0), Just(1.0), Just(-1.0), Just(1e-9), Just(1e-300)]
    }

    fn matrix() -> impl Strategy<Value = DMat3> {
        (prop::array::uniform9(number()), prop_oneof![Just(1.0), Just(1e150), Just(1e-150)])
            .prop_map(|(numbers, size)| DMat3::from_cols_array(&numbers) * size)
    }

    fn rotation() -> impl Strategy<Value = DMat3> {
        prop::array::uniform4(-1.0..1.0f64)
            .prop_filter("a direction", |q| q.iter().map(|n| n * n).sum::<f64>() > 1e-3)
            .prop_map(|q| DMat3::from_quat(DQuat::from_array(q).normalize()))
    }

    fn is_rotation(matrix: DMat3) -> bool {
        (matrix * matrix.transpose()).abs_diff_eq(DMat3::IDENTITY, 1e-14)
            && (matrix.determinant() - 1.0).abs() < 1e-14
    }

    fn trace_with(rotation: DMat3, matrix: DMat3) -> f64 {
        rotation.x_axis.dot(matrix.x_axis)
            + rotation.y_axis.dot(matrix.y_axis)
            + rotation.z_axis.dot(matrix.z_axis)
    }

    proptest! {
        #[test]
        fn the_result_is_a_rotation_and_no_other_is_nearer(given in matrix(), other in rotation()) {
            let found = nearest_rotation(given);
            prop_assert!(is_rotation(found), "{found}");
            let size = given.to_cols_array().iter().fold(0.0f64, |most, n| most.max(n.abs()));
            prop_assert!(trace_with(found, given) >= trace_with(other, given) - 1e-13 * size);
        }

        #[test]
        fn what_remains_is_symmetric(given in matrix()) {
            let size = given.to_cols_array().iter().fold(1e-300f64, |most, n| most.max(n.abs()));
            let rest = given * (1.0 / size) * nearest_rotation(given).transpose();
            prop_assert!(rest.abs_diff_eq(rest.transpose(), 1e-13), "{rest}");
        }

        #[test]
        fn a_stretch_of_any_handedness_is_taken_off(
            turn in rotation(),
            frame in rotation(),
            stretch in prop::array::uniform3(0.1..2.0f64),
            inverted in any::<bool>(),
        ) {
            let [mut a, b, c] = stretch;
            let (b, c) = (a + b, a + b + c);
            if inverted {
                a = -a;
            }
            let stretch = frame * DMat3::from_diagonal(DVec3::new(a, b, c)) * frame.transpose();
            prop_assert!(nearest_rotation(turn * stretch).abs_diff_eq(turn, 1e-12));
        }
    }

    #[test]
    fn degenerate_matrices_have_rotations() {
        let flat = DMat3::from_diagonal(DVec3::new(2.0, 1.0, 0.0));
        assert!(nearest_rotation(flat).abs_diff_eq(DMat3::IDENTITY, 1e-14));
        assert_eq!(nearest_rotation(DMat3::ZERO), DMat3::IDENTITY);
        assert_eq!(nearest_rotation(DMat3::NAN), DMat3::IDENTITY);
        let nearly = DMat3::from_cols(DVec3::NAN, DVec3::X, DVec3::Y);
        assert_eq!(nearest_rotation(nearly), DMat3::IDENTITY);
        for line in [DVec3::X, DVec3::ONE, -DVec3::Y, DVec3::splat(1e-320)] {
            let found = nearest_rotation(DMat3::from_cols(line, line, line));
            assert!(is_rotation(found), "{line}: {found}");
        }
        for turned in [DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0)] {
            let half_turn = DMat3::from_diagonal(turned);
            assert!(nearest_rotation(half_turn).abs_diff_eq(half_turn, 1e-14));
        }
        assert!(is_rotation(nearest_rotation(DMat3::from_diagonal(-DVec3::ONE))));
    }
}
