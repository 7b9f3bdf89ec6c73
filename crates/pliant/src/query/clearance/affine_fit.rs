//! Parts of a surface that move nearly as one affine map does keep clear of one another.
//!
//! # The certificate
//!
//! Let A and B be sets of triangles (also one and the same set), and d a lower bound of
//! the distance at rest of every triangle of A to every triangle of B that is not
//! adjacent to it. Let T(x) = M x + t be any affine map, and let every vertex v of A,
//! which rested at p, now be at p' with |p' - T(p)| <= e; likewise B with f. If
//!
//! > sigma(M) d > e + f, with sigma(M) the least stretch of M, min |M x| / |x|,
//!
//! then no triangle of A touches a triangle of B that is not adjacent to it.
//!
//! *Proof.* A point of a triangle of A is a convex combination of its corners, now and
//! at rest with the same weights. T keeps such combinations, and a ball is convex: the
//! point now lies within e of the image of the point at rest. The same holds for B and f.
//! Two points at rest of triangles that are not adjacent are at least d apart, their
//! images at least sigma(M) d, and the points now at least sigma(M) d - e - f > 0. *qed*
//!
//! Nothing is asked of the surface or of the deformation: it may be torn, mirrored, not
//! oriented, degenerate. Where the map is a bad fit, e is large and nothing is certified.
//!
//! # Two parts with maps of their own
//!
//! Let T_i(x) = y_i + M_i (x - c_i) fit part i within e_i, and let its vertices rest in
//! the box c_i ± h_i. Take the map between: M = (M_A + M_B) / 2, which takes the middle of
//! the c_i to the middle of the y_i. For x = c_A + z with |z_k| <= h_Ak,
//!
//! > T_A(x) - T(x) = -s / 2 - (M_B - M_A) z / 2, with s = (y_B - y_A) - M (c_B - c_A),
//!
//! so A strays from T by at most e_A + |s| / 2 + h_A.n / 2, where n_k is the length of
//! column k of M_B - M_A; B the same. The least stretch is at least that of M_A, or of M_B,
//! less |M_B - M_A| / 2 <= |n| / 2. The map between is better than either: on a surface
//! that bends evenly, s is of third order in its size. The fit of a whole out of
//! its children's is made by the same estimate.
//!
//! # Rounding
//!
//! The stored numbers *are* the maps; only lengths and least stretches are computed, in
//! `f64`, u = 2^-53. The allowances are counted where they are added.

use glam::{DMat3, DVec3};

use crate::limits::{AFFINE_SLACK, AFFINE_SLIP_ERROR, LEAST_STRETCH_ERROR};

/// The box in which the vertices of a part rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RestBox {
    /// A point near the middle.
    pub(crate) center: DVec3,
    /// How far, on each axis, a vertex rests from it at the most.
    pub(crate) half: DVec3,
}

/// An affine map, x -> image + matrix (x - centre of the part's rest box), and how far
/// off it the part is now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AffineFit {
    matrix: DMat3,
    image: DVec3,
    /// No vertex of the part is farther from where the map takes its rest position.
    stray: f64,
    /// Not above the least stretch of the matrix.
    stretch: f64,
    /// Not below the length of the matrix, taken as a vector.
    norm: f64,
}

impl AffineFit {
    /// Certifies nothing.
    pub(crate) const NONE: Self = Self {
        matrix: DMat3::ZERO,
        image: DVec3::ZERO,
        stray: f64::INFINITY,
        stretch: 0.0,
        norm: 0.0,
    };

    /// A map and its stray. Numbers that are not finite make a fit that certifies nothing.
    #[inline]
    pub(crate) fn new(matrix: DMat3, image: DVec3, stray: f64) -> Self {
        let (stretch, norm) = stretch_and_norm(&matrix);
        Self { matrix, image, stray, stretch, norm }
    }

    /// The fit of a part, given those of the parts that it consists of: the average map.
    ///
    /// It is the stored numbers that count, however they were rounded.
    pub(crate) fn merged<'a>(
        whole: &RestBox,
        children: impl ExactSizeIterator<Item = (&'a RestBox, &'a Self)> + Clone,
    ) -> Self {
        let share = 1.0 / children.len() as f64;
        let (mut matrix, mut image, mut center) = (DMat3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (rest, fit) in children.clone() {
            matrix += fit.matrix;
            image += fit.image * share;
            center += rest.center * share;
        }
        let matrix = matrix * share;
        // The children's centres need not have the whole's in their middle.
        let mut merged = Self::new(matrix, image + matrix * (whole.center - center), 0.0);
        for (rest, fit) in children {
            let between = rest.center - whole.center;
            let (slip, columns) = merged.against(fit, &merged.matrix, merged.norm, between);
            let stray = (fit.stray + slip + rest.half.dot(columns)) * (1.0 + AFFINE_SLACK);
            // Not `max`, which would pass over NaN.
            if !(stray <= merged.stray) {
                merged.stray = stray;
            }
        }
        merged
    }

    /// Whether no two triangles of the part touch that are not adjacent, given how far apart
    /// such are at rest at the least. In doubt not.
    #[inline]
    pub(crate) fn is_clear_of_itself(&self, rest_gap: f64) -> bool {
        self.stretch * rest_gap * (1.0 - AFFINE_SLACK) > 2.0 * self.stray
    }

    /// Whether no triangle of this part touches one of another, adjacent ones excepted,
    /// given how far apart such are at rest at the least. In doubt not.
    #[inline]
    pub(crate) fn is_clear_of(
        &self,
        rest: &RestBox,
        other: &Self,
        other_rest: &RestBox,
        rest_gap: f64,
    ) -> bool {
        // Most of what fails, fails here already.
        let stray = self.stray + other.stray;
        let stretch = self.stretch.max(other.stretch);
        if !(stretch * rest_gap > stray) {
            return false;
        }
        let middle = (self.matrix + other.matrix) * 0.5;
        let norm = 0.5 * (self.norm + other.norm);
        let (slip, columns) =
            self.against(other, &middle, norm, other_rest.center - rest.center);
        let stray = stray + slip + 0.5 * (rest.half + other_rest.half).dot(columns);
        let stretch = stretch - 0.5 * columns.length();
        stretch * rest_gap * (1.0 - AFFINE_SLACK) > stray * (1.0 + AFFINE_SLACK)
    }

    /// The length of s = (y_B - y_A) - M (c_B - c_A), and those of the columns of
    /// M_B - M_A; none of them too small.
    ///
    /// `norm` bounds the length of M. The difference of the y errs by u of itself, those of
    /// the c too, M by 2u of `norm` at the most if it is an average that was just
    /// computed, a product with it by 3u, the last difference by u:
    /// less than 8u of |y_B - y_A| + `norm` |c_B - c_A| in length; here 64u.
    /// Roots of sums of squares err by 4u of themselves, for which all callers pay with
    /// [`AFFINE_SLACK`]. What underflow takes from squares, [`f64::MIN_POSITIVE`] gives back.
    #[inline]
    fn against(&self, other: &Self, matrix: &DMat3, norm: f64, between: DVec3) -> (f64, DVec3) {
        let moved = other.image - self.image;
        let slip = moved - *matrix * between;
        let apart = sum_of_magnitudes(moved) + norm * sum_of_magnitudes(between);
        let slip = length(slip) + AFFINE_SLIP_ERROR * apart;
        let change = other.matrix - self.matrix;
        (slip, DVec3::new(length(change.x_axis), length(change.y_axis), length(change.z_axis)))
    }
}

#[inline]
fn length(vector: DVec3) -> f64 {
    (vector.length_squared() + f64::MIN_POSITIVE).sqrt()
}

#[inline]
fn sum_of_magnitudes(vector: DVec3) -> f64 {
    vector.x.abs() + vector.y.abs() + vector.z.abs()
}

/// A lower bound of the least stretch of a matrix M, and an upper bound of its length F as
/// a vector.
///
/// The better of two bounds. The square of the least stretch is the smallest eigenvalue of
/// the columns' Gram matrix, which lies in one of Gershgorin's discs: exact for a rotation,
/// good for what is nearly one. And the product of all three stretches is |det M|, that of
/// two of them at most F^2 / 2: never bad, where M is sheared.
///
/// With u = 2^-53: an entry of the Gram matrix errs by 3u F^2 at the most, the sums by 3u
/// more, all together by less than 12u F^2. The determinant errs by less than 8u of
/// F^3. The allowance is 64u, which also pays for the rounding of F itself.
#[inline]
fn stretch_and_norm(m: &DMat3) -> (f64, f64) {
    let [a, b, c] = [m.x_axis, m.y_axis, m.z_axis];
    let (aa, bb, cc) = (a.length_squared(), b.length_squared(), c.length_squared());
    let (ab, bc, ca) = (a.dot(b).abs(), b.dot(c).abs(), c.dot(a).abs());
    let squared = aa + bb + cc;
    let norm = (squared + f64::MIN_POSITIVE).sqrt() * (1.0 + AFFINE_SLACK);
    let disc = (aa - ab - ca).min(bb - ab - bc).min(cc - bc - ca);
    let disc = disc - (LEAST_STRETCH_ERROR * squared + f64::MIN_POSITIVE);
    let volume = a.cross(b).dot(c).abs();
    let volume = volume - (LEAST_STRETCH_ERROR * squared * norm + f64::MIN_POSITIVE);
    // Without this, the volume's underflow could outweigh the rest.
    if !(squared > LEAST_SQUARE) {
        return (0.0, norm);
    }
    let by_discs = disc.max(0.0).sqrt();
    let by_volume = 2.0 * volume.max(0.0) / squared;
    // `max` passes over NaN, which infinite entries make.
    (by_discs.max(by_volume).max(0.0) * (1.0 - AFFINE_SLACK), norm)
}

/// Below, a determinant may be lost to underflow.
const LEAST_SQUARE: f64 = 1e-180;
impl AffineFit { pub(crate) fn debug(&self) -> [f64; 3] { [self.stray, self.stretch, self.norm] } }
