//! How far a part reaches from its middle when what the slopes of its weights explain bends it.

use glam::Vec3A;

use crate::limits::F32_SLACK;

/// No |A e + G e| is larger, for e no longer than `radius`, matrices A no farther than `turn` from
/// `base` that lengthen nothing by more than `growth`, and G = `bend`.
///
/// With B the base, |A e + G e|² = |A e|² + 2 Ae·Ge + |G e|² is at most
///
/// growth² |e|² + e·(BᵀG + GᵀB + GᵀG) e + 2 |(A - B) e| |G e|:
///
/// that A turns away from B counts only as much as there is bending. Without any, nothing is lost.
///
/// Everything is in units of the growth. Bends of more than twice that are not looked at, and the result
/// is at least half of it: an error of the bend enters no more than six times.
#[inline(always)]
pub(super) fn bent_reach(
    base: [Vec3A; 3],
    bend: [Vec3A; 3],
    growth: f32,
    turn: f32,
    radius: f32,
) -> f32 {
    let unit = growth * growth;
    let square = bend[0].dot(bend[0]) + bend[1].dot(bend[1]) + bend[2].dot(bend[2]);
    // Also where a square vanished, overflowed or is no number.
    if !(unit > 1e-30 && square <= 4.0 * unit) {
        return f32::INFINITY;
    }
    let bent = [base[0] + bend[0], base[1] + bend[1], base[2] + bend[2]];
    let inverse = 1.0 / unit;
    let entry = |i: usize, j: usize| (base[i].dot(bend[j]) + bend[i].dot(bent[j])) * inverse;
    let diagonal = Vec3A::new(entry(0, 0), entry(1, 1), entry(2, 2));
    let off = Vec3A::new(entry(1, 2), entry(0, 2), entry(0, 1));
    let turned = 2.0 * (square * inverse).sqrt() * (turn / growth);
    let most = 1.0 + largest_eigenvalue(diagonal, off) + turned;
    growth * radius * most.max(0.25).sqrt() * (1.0 + F32_SLACK)
}

/// What is left of the weights takes a vertex no farther than this beyond `reach`. Given are the sums over
/// all joints of |a_i|, `all`, and of |a_i| times what is left near the rim and anywhere.
///
/// A vertex at e, which is within `reach` |e| / r, is moved by sum x_i a_i, where |x_i| is at most l_i,
/// and at most n_i + 1 - |e| / r. With any part f from 0 to 1 of the second bound and the rest of the first,
/// that adds up to (reach - f sum |a_i|) |e| / r + f sum |a_i| + sum (f n_i + (1 - f) l_i) |a_i|. Where
/// f sum |a_i| is no more than the reach, that is largest for |e| = r.
#[inline(always)]
pub(super) fn left_over(reach: f32, near: f32, left: f32, all: f32) -> f32 {
    // Where nothing moves it does not matter; no number gives way.
    let f = (reach / all).min(1.0);
    near * f + left * (1.0 - f)
}

/// No eigenvalue of a symmetric matrix is larger: of the entries `diagonal`, and `off` it those of rows
/// and columns 23, 13 and 12.
///
/// The largest is p + 2 sqrt(q) f(d) with p the mean of the diagonal, 6q the sum of the squares of all
/// entries of K, the matrix less p, d = det K / (2 q sqrt(q)) and f(d) the cosine of a third of
/// the angle of cosine d. As f is concave, its tangents at 0 and at -0.9, and 1, are not below it.
/// In `f32` the result errs by less than 64 * 2^-24 of the entries.
#[inline(always)]
fn largest_eigenvalue(diagonal: Vec3A, off: Vec3A) -> f32 {
    let mean = diagonal.element_sum() * (1.0 / 3.0);
    let k = diagonal - Vec3A::splat(mean);
    let squares = off * off;
    let q = (k.dot(k) + 2.0 * squares.element_sum()) * (1.0 / 6.0);
    let determinant = k.x * k.y * k.z + 2.0 * off.x * off.y * off.z - k.dot(squares);
    let root = q.sqrt();
    // Where the squares vanish so do the entries, beside 1.
    let d = if q > 1e-25 { determinant / (2.0 * q * root) } else { 0.0 };
    let f = (0.8661 + 0.16667 * d).min(1.1630 + 0.59860 * d).min(1.0);
    mean + 2.0 * root * f + 4e-6 * (mean.abs() + root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat3, DVec3, Mat3A, Quat, Vec3};
    use proptest::prelude::*;

    fn vector(limit: f32) -> impl Strategy<Value = Vec3A> {
        prop::array::uniform3(-limit..limit).prop_map(Vec3A::from)
    }

    /// The largest eigenvalue, by iteration.
    fn iterated(matrix: DMat3) -> f64 {
        let shift =
            10.0 * matrix.to_cols_array().iter().fold(1e-9, |most: f64, x| most.max(x.abs()));
        let shifted = matrix + DMat3::from_diagonal(DVec3::splat(shift));
        let mut v = DVec3::new(0.6, 0.5, 0.4);
        for _ in 0..3000 {
            v = (shifted * v).normalize();
        }
        v.dot(matrix * v)
    }

    proptest! {
        #[test]
        fn no_eigenvalue_is_larger(diagonal in vector(2.0), off in vector(2.0), small in 0..3) {
            let off = off * 10f32.powi(-4 * small);
            let bound = f64::from(largest_eigenvalue(diagonal, off));
            let [d, o] = [diagonal, off].map(|v| v.as_dvec3());
            let matrix = DMat3::from_cols(
                DVec3::new(d.x, o.z, o.y),
                DVec3::new(o.z, d.y, o.x),
                DVec3::new(o.y, o.x, d.z),
            );
            let largest = iterated(matrix);
            prop_assert!(largest <= bound, "{largest} {bound}");
            // Not far off, either.
            let size = matrix.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
            prop_assert!(bound - largest < 0.1 * size + 1e-5, "{largest} {bound} {size}");
        }

        #[test]
        fn nothing_reaches_farther(
            axis in vector(1.0), angle in -3f32..3.0, other in vector(1.0), by in 0f32..1.0,
            bend in prop::array::uniform3(vector(0.8)), e in vector(1.0), growth in 0.01f32..100.0,
        ) {
            let rotation = |axis: Vec3A, angle| {
                let axis = Vec3::from(axis).try_normalize().unwrap_or(Vec3::X);
                Mat3A::from_quat(Quat::from_axis_angle(axis, angle))
            };
            let base = rotation(axis, angle) * growth;
            let turned = rotation(other, by) * base;
            let bend = bend.map(|v| v * growth);
            let turn = 2.0 * (0.5 * by).sin() * growth;
            let e = e.normalize_or(Vec3A::X);
            let reach = (turned * e + Mat3A::from_cols(bend[0], bend[1], bend[2]) * e).length();
            let bound = bent_reach([base.x_axis, base.y_axis, base.z_axis], bend, growth, turn, 1.0);
            prop_assert!(reach <= bound * (1.0 + 1e-5), "{reach} {bound}");
        }
    }
}
