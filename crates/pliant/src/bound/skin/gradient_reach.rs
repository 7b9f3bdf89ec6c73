//! How far a part reaches from its centre when its weights vary with the position: the part is then
//! mapped by a rotation plus a matrix of weight gradients.

use glam::Vec3A;

use super::weight_bounds::WeightBounds;
use crate::numeric::F32_SLACK;

/// An upper bound of |A e + G e| for |e| <= `radius`, G = `gradient`, and any matrix A within `deviation`
/// of `base` with a norm of at most `growth`.
///
/// With B the base, |A e + G e|² = |A e|² + 2 Ae·Ge + |G e|² is at most
///
/// growth² |e|² + e·(BᵀG + GᵀB + GᵀG) e + 2 |(A - B) e| |G e|.
///
/// So the difference of A and B counts only in proportion to G. If G is 0, nothing is lost.
///
/// Everything is computed in units of the growth. If G is larger than twice the growth the result is
/// infinite, and the result is at least half of the growth: an error of G enters at most six times.
#[inline(always)]
pub(super) fn gradient_reach(
    base: [Vec3A; 3],
    gradient: [Vec3A; 3],
    growth: f32,
    deviation: f32,
    radius: f32,
) -> f32 {
    let unit = growth * growth;
    let [g, h, k] = gradient;
    let square = g.dot(g) + h.dot(h) + k.dot(k);
    // The comparison also fails if a square underflowed, overflowed or is NaN.
    if !(unit > 1e-30 && square <= 4.0 * unit) {
        return f32::INFINITY;
    }
    let sum = [base[0] + g, base[1] + h, base[2] + k];
    let inverse = 1.0 / unit;
    let entry = |i: usize, j: usize| (base[i].dot(gradient[j]) + gradient[i].dot(sum[j])) * inverse;
    let diagonal = Vec3A::new(entry(0, 0), entry(1, 1), entry(2, 2));
    let off = Vec3A::new(entry(1, 2), entry(0, 2), entry(0, 1));
    let cross_term = 2.0 * (square * inverse).sqrt() * (deviation / growth);
    let most = 1.0 + largest_eigenvalue(diagonal, off) + cross_term;
    growth * radius * most.max(0.25).sqrt() * (1.0 + F32_SLACK)
}

/// Sums over the joints of a part, where a_i is the offset that one unit of weight of joint i adds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GradientSums {
    /// The matrix G = sum a_i g_iᵀ with the weight gradients g_i, as columns.
    pub(super) columns: [Vec3A; 3],
    /// The sum of |a_i| times the residual at the rim.
    pub(super) at_rim: f32,
    /// The sum of |a_i| times the residual anywhere.
    pub(super) anywhere: f32,
    /// The sum of |a_i|.
    pub(super) lengths: f32,
}

impl GradientSums {
    /// Adds a joint with the offset a_i and its length.
    #[inline(always)]
    pub(super) fn add(&mut self, weight: &WeightBounds, offset: Vec3A, length: f32) {
        self.at_rim += length * weight.rim_residual;
        self.anywhere += length * weight.residual;
        self.lengths += length;
        self.columns[0] += offset * weight.gradient.x;
        self.columns[1] += offset * weight.gradient.y;
        self.columns[2] += offset * weight.gradient.z;
    }

    /// How far the residuals of the weights take a vertex beyond `reach`, at most.
    ///
    /// Proof. A vertex at e, whose image is within `reach` |e| / r, is moved by sum x_i a_i. |x_i| is at
    /// most l_i (the residual), and at most n_i + 1 - |e| / r (n_i the residual at the rim). For any f
    /// from 0 to 1, f times the second bound plus 1 - f times the first is a bound too, and everything
    /// adds up to (reach - f sum |a_i|) |e| / r + f sum |a_i| + sum (f n_i + (1 - f) l_i) |a_i|. If
    /// f sum |a_i| is at most `reach`, this is largest for |e| = r.
    #[inline(always)]
    pub(super) fn residual_reach(&self, reach: f32) -> f32 {
        // If all lengths are 0, f does not matter; `min` turns NaN into 1.
        let f = (reach / self.lengths).min(1.0);
        self.at_rim * f + self.anywhere * (1.0 - f)
    }
}

/// An upper bound of the largest eigenvalue of a symmetric matrix with this diagonal. `off` are the
/// entries 23, 13 and 12.
///
/// The largest eigenvalue is p + 2 sqrt(q) f(d) with p the mean of the diagonal, K the matrix less p, 6q
/// the sum of the squares of all entries of K, d = det K / (2 q sqrt(q)) and f(d) the cosine of a third
/// of the angle with cosine d. f is concave, so its tangents at 0 and at -0.9, and 1, are upper bounds.
/// In `f32` the result errs by less than 64 * 2^-24 of the entries.
#[inline(always)]
fn largest_eigenvalue(diagonal: Vec3A, off: Vec3A) -> f32 {
    let mean = diagonal.element_sum() * (1.0 / 3.0);
    let k = diagonal - Vec3A::splat(mean);
    let squares = off * off;
    let q = (k.dot(k) + 2.0 * squares.element_sum()) * (1.0 / 6.0);
    let determinant = k.x * k.y * k.z + 2.0 * off.x * off.y * off.z - k.dot(squares);
    let root = q.sqrt();
    // If the squares underflow, the entries are negligible beside 1.
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

    /// The largest eigenvalue, by power iteration.
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
            // The bound is also tight.
            let size = matrix.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
            prop_assert!(bound - largest < 0.1 * size + 1e-5, "{largest} {bound} {size}");
        }

        #[test]
        fn nothing_reaches_farther(
            axis in vector(1.0), angle in -3f32..3.0, other in vector(1.0), by in 0f32..1.0,
            gradient in prop::array::uniform3(vector(0.8)), e in vector(1.0), growth in 0.01f32..100.0,
        ) {
            let rotation = |axis: Vec3A, angle| {
                let axis = Vec3::from(axis).try_normalize().unwrap_or(Vec3::X);
                Mat3A::from_quat(Quat::from_axis_angle(axis, angle))
            };
            let base = rotation(axis, angle) * growth;
            let turned = rotation(other, by) * base;
            let gradient = gradient.map(|v| v * growth);
            let deviation = 2.0 * (0.5 * by).sin() * growth;
            let e = e.normalize_or(Vec3A::X);
            let reach = (turned * e + Mat3A::from_cols(gradient[0], gradient[1], gradient[2]) * e).length();
            let base = [base.x_axis, base.y_axis, base.z_axis];
            let bound = gradient_reach(base, gradient, growth, deviation, 1.0);
            prop_assert!(reach <= bound * (1.0 + 1e-5), "{reach} {bound}");
        }
    }
}
