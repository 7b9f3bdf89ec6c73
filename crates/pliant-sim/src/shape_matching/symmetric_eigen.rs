//! Eigenvalues and eigenvectors of small symmetric matrices.

/// Rotations over all pairs of rows before the method gives up. It converges quadratically: 3 to 6
/// suffice for matrices of up to 9 rows.
const MAX_SWEEPS: usize = 40;

/// Eigenvalues and unit eigenvectors of a symmetric matrix by cyclic Jacobi rotations, in no
/// particular order: `vectors[k]` belongs to `values[k]`.
///
/// The vectors are orthonormal up to rounding for every finite matrix, also if eigenvalues repeat.
/// Always ends. Numbers must be small enough for their squares to be finite.
pub(super) fn symmetric_eigen<const N: usize>(
    mut matrix: [[f64; N]; N],
) -> ([f64; N], [[f64; N]; N]) {
    let mut vectors = [[0.0; N]; N];
    for (at, vector) in vectors.iter_mut().enumerate() {
        vector[at] = 1.0;
    }
    for _ in 0..MAX_SWEEPS {
        let mut largest_rotation = 0.0f64;
        for p in 0..N {
            for q in p + 1..N {
                let off = matrix[p][q];
                let size = (matrix[p][p].abs() * matrix[q][q].abs()).sqrt();
                // Below rounding of both diagonal numbers a rotation changes nothing.
                if off.abs() <= 1e-17 * size || off == 0.0 {
                    continue;
                }
                let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                if !t.is_finite() || t == 0.0 {
                    continue;
                }
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                largest_rotation = largest_rotation.max(s.abs());
                rotate(&mut matrix, &mut vectors, [p, q], [c, s], t * off);
            }
        }
        if largest_rotation <= 1e-16 {
            break;
        }
    }
    let mut values = [0.0; N];
    for (at, value) in values.iter_mut().enumerate() {
        *value = matrix[at][at];
    }
    (values, vectors)
}

/// Turns rows and columns `p` and `q` so that their common number becomes 0.
fn rotate<const N: usize>(
    matrix: &mut [[f64; N]; N],
    vectors: &mut [[f64; N]; N],
    [p, q]: [usize; 2],
    [c, s]: [f64; 2],
    shift: f64,
) {
    matrix[p][p] -= shift;
    matrix[q][q] += shift;
    matrix[p][q] = 0.0;
    matrix[q][p] = 0.0;
    for r in 0..N {
        if r != p && r != q {
            let (a, b) = (matrix[r][p], matrix[r][q]);
            matrix[r][p] = c * a - s * b;
            matrix[r][q] = s * a + c * b;
            matrix[p][r] = matrix[r][p];
            matrix[q][r] = matrix[r][q];
        }
        let (a, b) = (vectors[p][r], vectors[q][r]);
        vectors[p][r] = c * a - s * b;
        vectors[q][r] = s * a + c * b;
    }
}

/// The inverse of a symmetric matrix without negative eigenvalues on the space that it spans:
/// eigenvalues below `1e-10` of the largest count as 0, and so do their inverses.
pub(super) fn pseudo_inverse<const N: usize>(matrix: [[f64; N]; N]) -> [[f64; N]; N] {
    let (values, vectors) = symmetric_eigen(matrix);
    let largest = values.iter().fold(0.0f64, |most, &value| most.max(value));
    let mut inverse = [[0.0; N]; N];
    for (value, vector) in values.iter().zip(&vectors) {
        if *value <= RANK_TOLERANCE * largest || *value <= 0.0 {
            continue;
        }
        for (row, &a) in inverse.iter_mut().zip(vector) {
            for (number, &b) in row.iter_mut().zip(vector) {
                *number += a * b / value;
            }
        }
    }
    inverse
}

/// The fraction of the largest eigenvalue below which a direction counts as not spanned. Squares of
/// lengths: points that are flat to a hundred-thousandth of their size count as flat.
const RANK_TOLERANCE: f64 = 1e-10;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const N: usize>(numbers: &[f64]) {
        let mut matrix = [[0.0; N]; N];
        for (at, &number) in numbers.iter().enumerate().take(N * N) {
            matrix[at / N][at % N] += number;
            matrix[at % N][at / N] += number;
        }
        let size = matrix.iter().flatten().fold(1e-300f64, |most, n| most.max(n.abs()));
        let (values, vectors) = symmetric_eigen(matrix);
        for k in 0..N {
            for l in 0..N {
                let dot: f64 = (0..N).map(|r| vectors[k][r] * vectors[l][r]).sum();
                assert!((dot - f64::from(u8::from(k == l))).abs() < 1e-13);
            }
            for r in 0..N {
                let image: f64 = (0..N).map(|c| matrix[r][c] * vectors[k][c]).sum();
                assert!((image - values[k] * vectors[k][r]).abs() <= 1e-13 * size * N as f64);
            }
        }
    }

    proptest! {
        #[test]
        fn vectors_are_orthonormal_and_belong_to_their_values(
            numbers in prop::collection::vec(prop_oneof![-1.0..1.0f64, Just(0.0), Just(1.0), Just(1e-12)], 81),
        ) {
            check::<3>(&numbers);
            check::<4>(&numbers);
            check::<9>(&numbers);
        }
    }

    #[test]
    fn a_pseudo_inverse_leaves_out_what_is_not_spanned() {
        let inverse = pseudo_inverse([[4.0, 0.0, 0.0], [0.0, 1e-14, 0.0], [0.0, 0.0, 2.0]]);
        assert_eq!(inverse, [[0.25, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.5]]);
        assert_eq!(pseudo_inverse([[0.0; 9]; 9]), [[0.0; 9]; 9]);
    }
}
