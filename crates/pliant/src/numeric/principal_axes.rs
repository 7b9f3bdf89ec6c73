//! The axes along which points spread most and least.

use glam::{DMat3, DVec3};

/// The principal axes of points whose mean is 0: orthonormal, each with the sum of the squares of
/// the coordinates along it, the largest first. Along these axes coordinates are not correlated.
///
/// Jacobi's method: each rotation removes one entry off the diagonal, and a few sweeps over the
/// three remove all of them. Squares of coordinates must not leave the range of `f64`.
pub(crate) fn principal_axes(points: impl Iterator<Item = DVec3>) -> [(DVec3, f64); 3] {
    let mut spread = [[0.0; 3]; 3];
    for p in points.map(|p| p.to_array()) {
        for (i, row) in spread.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += p[i] * p[j];
            }
        }
    }
    let mut axes = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = spread[p][q];
            // What is left of it would turn the axes by less than their rounding.
            if off.abs() <= 1e-18 * (spread[p][p] + spread[q][q]) {
                continue;
            }
            // The smaller angle whose rotation makes the entry zero.
            let ratio = (spread[q][q] - spread[p][p]) / (2.0 * off);
            let tangent = 1.0_f64.copysign(ratio) / (ratio.abs() + ratio.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let sine = tangent * cosine;
            let turn = |a: &mut f64, b: &mut f64| {
                (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
            };
            for row in &mut spread {
                let [mut a, mut b] = [row[p], row[q]];
                turn(&mut a, &mut b);
                (row[p], row[q]) = (a, b);
            }
            for k in 0..3 {
                let [mut a, mut b] = [spread[p][k], spread[q][k]];
                turn(&mut a, &mut b);
                (spread[p][k], spread[q][k]) = (a, b);
                let [mut a, mut b] = [axes[p][k], axes[q][k]];
                turn(&mut a, &mut b);
                (axes[p][k], axes[q][k]) = (a, b);
            }
        }
    }
    let mut found = [0, 1, 2].map(|i| (DVec3::from_array(axes[i]), spread[i][i]));
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn axes_are_orthonormal_and_coordinates_not_correlated(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 1..20),
            flat in prop::array::uniform3(0.0..1.0f64),
        ) {
            let flat = DVec3::from_array(flat);
            let points: Vec<_> = points.into_iter().map(|p| DVec3::from_array(p) * flat).collect();
            let found = principal_axes(points.iter().copied());
            prop_assert!(found.is_sorted_by(|a, b| a.1 >= b.1));
            for (i, (a, spread)) in found.iter().enumerate() {
                for (j, (b, _)) in found.iter().enumerate() {
                    let product: f64 = points.iter().map(|p| p.dot(*a) * p.dot(*b)).sum();
                    let expected = if i == j { *spread } else { 0.0 };
                    prop_assert!((product - expected).abs() < 1e-13 * points.len() as f64);
                    prop_assert!((a.dot(*b) - f64::from(i == j)).abs() < 1e-13);
                }
            }
        }
    }
}
