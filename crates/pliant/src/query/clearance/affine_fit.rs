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
//! so A strays from T by at most e_A + |s| / 2 + g / 2, where g bounds |(M_B - M_A) z|: by h_A and
//! the lengths of the columns of M_B - M_A, or by the part's radius and the most that
//! M_B - M_A stretches anything. The same for B. The least stretch is at least that of M_A, or
//! of M_B, less half of the latter. The map between is better than either: on a surface
//! that bends evenly, s is of third order in its size. The fit of a whole out of
//! its children's is made by the same estimate.
//!
//! # Rounding
//!
//! The stored numbers *are* the maps; only lengths and least stretches are computed, in
//! `f64`, u = 2^-53. The allowances are counted where they are added.

use glam::{DMat3, DVec3, Vec3A};

use crate::numeric::{AFFINE_SLACK, AFFINE_SLIP_ERROR, LEAST_STRETCH_ERROR};

/// The box, and the ball, in which the vertices of a part rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RestBox {
    /// A point near the middle.
    pub(crate) center: DVec3,
    /// How far, on each axis, a vertex rests from it at the most.
    pub(crate) half: DVec3,
    /// How far, at all, a vertex rests from it at the most.
    pub(crate) radius: f64,
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
            let Change { slip, turn } = merged.change(fit, &merged.matrix, merged.norm, between);
            let stray = (fit.stray + slip + turn.reach(rest)) * (1.0 + AFFINE_SLACK);
            // `max` would pass over NaN.
            merged.stray = merged.stray.max(if stray.is_nan() { f64::INFINITY } else { stray });
        }
        merged
    }

    /// Triangles of the part that are not adjacent do not touch if they rested farther apart
    /// than this. NaN, which nothing is above, if nothing is known.
    #[inline]
    pub(crate) fn clear_beyond_in_itself(&self) -> f64 {
        clear_beyond(2.0 * self.stray, self.stretch)
    }

    /// A triangle of this part and one of another that is not adjacent do not touch if they
    /// rested farther apart than this. NaN, which nothing is above, if nothing is known.
    #[inline]
    pub(crate) fn clear_beyond(&self, rest: &RestBox, other: &Self, other_rest: &RestBox) -> f64 {
        let middle = (self.matrix + other.matrix) * 0.5;
        let norm = 0.5 * (self.norm + other.norm);
        let between = other_rest.center - rest.center;
        let Change { slip, turn } = self.change(other, &middle, norm, between);
        let reach = 0.5 * (turn.reach(rest) + turn.reach(other_rest));
        let stretch = self.stretch.max(other.stretch) - 0.5 * turn.most * (1.0 + AFFINE_SLACK);
        clear_beyond(self.stray + other.stray + slip + reach, stretch)
    }

    /// The matrix between those of two fits, which may be any: in `f32`, so that vertices are
    /// quickly seen through it.
    #[inline]
    pub(crate) fn matrix_between(&self, other: &Self) -> [Vec3A; 3] {
        let matrix = (self.matrix + other.matrix) * 0.5;
        [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.as_vec3a())
    }

    /// The length of s = (y_B - y_A) - M (c_B - c_A), not too small, and M_B - M_A.
    ///
    /// `norm` bounds the length of M. The difference of the y errs by u of itself, that of
    /// the c too, M by 2u of `norm` at the most if it is an average that was just
    /// computed, a product with it by 3u, the last difference by u:
    /// less than 8u of |y_B - y_A| + `norm` |c_B - c_A| in length; here 64u.
    /// The root errs by 4u of itself, for which all callers pay with [`AFFINE_SLACK`].
    #[inline]
    fn change(&self, other: &Self, matrix: &DMat3, norm: f64, between: DVec3) -> Change {
        let moved = other.image - self.image;
        let slip = moved - *matrix * between;
        let apart = sum_of_magnitudes(moved) + norm * sum_of_magnitudes(between);
        let slip = length(slip) + AFFINE_SLIP_ERROR * apart;
        Change { slip, turn: Turn::new(&(other.matrix - self.matrix)) }
    }
}

/// How far the vertices of a part are off a matrix M: p' - M (p - centre of its rest box) of
/// each of them is within `range` of `image`, on each axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) image: DVec3,
    pub(crate) range: DVec3,
}

impl Spread {
    /// As [`AffineFit::clear_beyond`], of two parts seen through one matrix; `between` leads
    /// from the centre of this part to that of the other.
    #[inline]
    pub(crate) fn clear_beyond(&self, other: &Self, matrix: &[Vec3A; 3], between: DVec3) -> f64 {
        let [x, y, z] = matrix.map(|axis| axis.as_dvec3());
        let matrix = DMat3::from_cols(x, y, z);
        let (stretch, norm) = stretch_and_norm(&matrix);
        let moved = other.image - self.image;
        let slip = (moved - matrix * between).abs();
        let apart = sum_of_magnitudes(moved) + norm * sum_of_magnitudes(between);
        let stray = length(slip + self.range + other.range) + AFFINE_SLIP_ERROR * apart;
        clear_beyond(stray, stretch)
    }
}

/// The distance d from which on stretch d > stray, whatever rounding did to any of them within
/// [`AFFINE_SLACK`].
///
/// Distances at rest are of `f32`: where the quotient vanishes, those above it are far above.
#[inline]
fn clear_beyond(stray: f64, stretch: f64) -> f64 {
    let least = stray / stretch * (1.0 + 4.0 * AFFINE_SLACK);
    if stretch > 0.0 { least } else { f64::NAN }
}

/// How one fit differs from another.
struct Change {
    slip: f64,
    turn: Turn,
}

/// How far a matrix D = M_B - M_A takes things.
struct Turn {
    /// The lengths of its columns.
    columns: DVec3,
    /// Not below |D x| / |x| for any x.
    most: f64,
}

impl Turn {
    /// The square of the most that D stretches is the largest eigenvalue of its columns' Gram
    /// matrix, and so at most the largest sum of the magnitudes of a row (Gershgorin).
    ///
    /// With u = 2^-53 entries err by 3u F^2, F the length of D as a vector, and the sum by
    /// less than 12u F^2. It is at least F^2 / 3, so this is less than 36u of itself, half of it after the
    /// root. Callers pay with [`AFFINE_SLACK`]; [`f64::MIN_POSITIVE`] pays for underflow.
    #[inline]
    fn new(matrix: &DMat3) -> Self {
        let [a, b, c] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
        let (aa, bb, cc) = (a.length_squared(), b.length_squared(), c.length_squared());
        let (ab, bc, ca) = (a.dot(b).abs(), b.dot(c).abs(), c.dot(a).abs());
        let most = (aa + ab + ca).max(bb + ab + bc).max(cc + bc + ca);
        let root = |squared: f64| (squared + f64::MIN_POSITIVE).sqrt();
        Self { columns: DVec3::new(root(aa), root(bb), root(cc)), most: root(most) }
    }

    /// How far D takes a vertex of a part, seen from the part's centre.
    #[inline]
    fn reach(&self, rest: &RestBox) -> f64 {
        self.columns.dot(rest.half).min(self.most * rest.radius)
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
    let by_discs = disc.max(0.0).sqrt();
    let by_volume = 2.0 * volume.max(0.0) / squared;
    // `max` passes over NaN, which infinite entries make.
    let stretch = by_discs.max(by_volume).max(0.0) * (1.0 - AFFINE_SLACK);
    (if squared > LEAST_SQUARE { stretch } else { 0.0 }, norm)
}

/// Below, a determinant may be lost to underflow.
const LEAST_SQUARE: f64 = 1e-180;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::triangles_touch;
    use glam::DQuat;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array)
    }

    fn rotation() -> impl Strategy<Value = DMat3> {
        prop::array::uniform4(-1.0..1.0f64)
            .prop_filter("no direction", |q| DQuat::from_array(*q).length() > 0.1)
            .prop_map(|q| DMat3::from_quat(DQuat::from_array(q).normalize()))
    }

    fn rest_box(points: &[DVec3], center: DVec3) -> RestBox {
        let far = points.iter().map(|p| (*p - center).abs());
        let half = far.fold(DVec3::ZERO, DVec3::max) * (1.0 + 1e-15);
        let radius = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max) * (1.0 + 1e-15);
        RestBox { center, half, radius }
    }

    impl AffineFit {
        /// Whether a vertex is as near to its place as the stray says, up to the roundings here.
        pub(crate) fn holds(&self, rest: &RestBox, p: DVec3, now: DVec3) -> bool {
            let moved = now - self.image;
            let mapped = self.matrix * (p - rest.center);
            let slack = (moved.length() + self.norm * (p - rest.center).length()) * 1e-15;
            // What is not finite claims nothing.
            !self.matrix.is_finite()
                || !self.stray.is_finite()
                || (moved - mapped).length() <= self.stray + slack
        }

        fn is_clear_of_itself(&self, rest_gap: f64) -> bool {
            rest_gap > self.clear_beyond_in_itself()
        }

        fn is_clear_of(
            &self,
            rest: &RestBox,
            other: &Self,
            other_rest: &RestBox,
            rest_gap: f64,
        ) -> bool {
            rest_gap > self.clear_beyond(rest, other, other_rest)
        }

        fn apply(&self, rest: &RestBox, point: DVec3) -> DVec3 {
            self.image + self.matrix * (point - rest.center)
        }
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
            let (found, found_norm) = stretch_and_norm(&(first * diagonal * second));
            prop_assert!(found <= least * (1.0 + 1e-13) + norm * 1e-14, "{found} {least}");
            prop_assert!(found_norm >= norm * (1.0 - 1e-14));
            // Exact where the stretches are along the axes; a third or more of it anywhere.
            let (found, _) = stretch_and_norm(&(first * diagonal));
            prop_assert!(found <= least * (1.0 + 1e-15));
            prop_assert!(found >= least * (1.0 - 1e-10) - norm * 1e-6, "{found} {least}");
        }

        /// Two triangles whose nearest points lie in the direction that shrinks most, both pushed
        /// towards one another just as far as the strays allow, a little less, a little more.
        #[test]
        fn at_the_limit(
            turn in rotation(), stretches in prop::array::uniform3(0.1..3.0f64),
            share in 0.0..1.0f64, gap in 1e-3..1.0f64, shift in vector(), far in 0.0..1e3f64,
            off in prop_oneof![Just(0.0), -1e-9..1e-9f64, -0.1..0.1f64], mirror in any::<bool>(),
        ) {
            let least = stretches.into_iter().fold(f64::INFINITY, f64::min);
            let [_, y, z] = stretches;
            let diagonal = DVec3::new(if mirror { -least } else { least }, y, z);
            let matrix = turn * DMat3::from_diagonal(diagonal);
            // Seen along x, the first ends in an edge and the second begins with a crossing one.
            let a = [DVec3::new(0.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0), DVec3::NEG_X];
            let b = [DVec3::new(gap, 0.0, -1.0), DVec3::new(gap, 0.0, 1.0), DVec3::new(gap + 1.0, 0.0, 0.0)];
            let (rest_a, rest_b) = (rest_box(&a, shift * 0.3), rest_box(&b, DVec3::X));
            let stray = (least * gap * (1.0 + off)).max(0.0);
            let (stray_a, stray_b) = (stray * share, stray * (1.0 - share));
            let image = |rest: &RestBox| shift * far + matrix * rest.center;
            let fit_a = AffineFit::new(matrix, image(&rest_a), stray_a);
            let fit_b = AffineFit::new(matrix, image(&rest_b), stray_b);
            let towards = matrix.x_axis.normalize();
            let (push_a, push_b) = (towards * stray_a, towards * stray_b);
            let now_a = a.map(|p| fit_a.apply(&rest_a, p) + push_a);
            let now_b = b.map(|p| fit_b.apply(&rest_b, p) - push_b);
            let clear = fit_a.is_clear_of(&rest_a, &fit_b, &rest_b, gap);
            prop_assert_eq!(clear, fit_b.is_clear_of(&rest_b, &fit_a, &rest_a, gap));
            prop_assert!(!clear || !triangles_touch(&now_a, &now_b), "{stray} of {}", least * gap);
            // Not too careful either; and what is over the limit is never clear.
            prop_assert!(clear || off > -1e-9 * (1.0 + far));
            prop_assert!(!clear || off < 1e-15);
            let fit = AffineFit::new(matrix, image(&rest_a), stray / 2.0);
            prop_assert!(fit.is_clear_of_itself(gap) == clear || off.abs() < 1e-9 * (1.0 + far));
        }

        /// Two maps: vertices anywhere within the strays, far ones pushed together.
        #[test]
        fn two_maps(
            a in [vector(), vector(), vector()], b in [vector(), vector(), vector()],
            apart in 0.0..3.0f64, [turn, first, second] in [vector(), vector(), vector()],
            [tilt_a, tilt_b] in [rotation(), rotation()], bend in 0.0..0.5f64,
            strays in [0.0..0.3f64, 0.0..0.3f64], slips in [vector(), vector()],
        ) {
            let b = b.map(|p| p + DVec3::X * (apart + 1.0));
            let gap = super::super::rest_gaps::triangle_gap(&a, &b);
            let (rest_a, rest_b) = (rest_box(&a, a[0]), rest_box(&b, DVec3::X));
            let base = DMat3::from_quat(DQuat::from_scaled_axis(turn * 3.0));
            let [matrix_a, matrix_b] = [tilt_a, tilt_b].map(|tilt| base + tilt * (0.3 * bend));
            let image = |rest: &RestBox, slip: DVec3| base * rest.center + slip * (0.3 * bend);
            let fit_a = AffineFit::new(matrix_a, image(&rest_a, slips[0]), strays[0]);
            let fit_b = AffineFit::new(matrix_b, image(&rest_b, slips[1]), strays[1]);
            let towards = (fit_b.image - fit_a.image).normalize_or(DVec3::X);
            let near = |p: DVec3, to: DVec3, stray: f64| {
                p + (to * 3.0 + towards * 2.0 * stray.signum()).normalize_or(towards) * (stray.abs() * (1.0 - 1e-12))
            };
            let now_a = a.map(|p| near(fit_a.apply(&rest_a, p), first * 0.3, strays[0]));
            let now_b = b.map(|p| near(fit_b.apply(&rest_b, p), second * 0.3 - towards, strays[1]));
            let clear = fit_a.is_clear_of(&rest_a, &fit_b, &rest_b, gap);
            prop_assert!(!(clear && triangles_touch(&now_a, &now_b)));
            // The fit of both together holds, and says so too.
            let both = [a, b].concat();
            let whole = rest_box(&both, DVec3::new(0.4, 0.1, 0.0));
            let pair = [(&rest_a, &fit_a), (&rest_b, &fit_b)];
            let merged = AffineFit::merged(&whole, pair.into_iter());
            for (p, now) in both.iter().zip([now_a, now_b].concat()) {
                let off = now.distance(merged.apply(&whole, *p));
                prop_assert!(off <= merged.stray * (1.0 + 1e-14), "{off} {}", merged.stray);
            }
            prop_assert!(!(merged.is_clear_of_itself(gap) && triangles_touch(&now_a, &now_b)));
        }
    }

    /// Two points that were 1 apart and are at one place now, by maps that fit each of them.
    #[test]
    fn single_points_at_one_place() {
        let rest = |center| RestBox { center, half: DVec3::ZERO, radius: 0.0 };
        let (a, b) = (rest(DVec3::ZERO), rest(DVec3::X));
        let mirror = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        for matrix in [DMat3::IDENTITY, mirror] {
            let first = AffineFit::new(DMat3::IDENTITY, DVec3::ZERO, 0.0);
            let second = AffineFit::new(matrix, DVec3::ZERO, 0.0);
            assert!(!first.is_clear_of(&a, &second, &b, 1.0), "{matrix}");
        }
    }

    #[test]
    fn what_is_not_finite_certifies_nothing() {
        let rest = rest_box(&[DVec3::ONE, DVec3::ZERO], DVec3::ZERO);
        let good = AffineFit::new(DMat3::IDENTITY, DVec3::ZERO, 0.0);
        assert!(good.is_clear_of_itself(1.0) && good.is_clear_of(&rest, &good, &rest, 1.0));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e200, f64::MAX] {
            let matrix = DMat3::from_cols(DVec3::X, DVec3::new(0.0, 1.0, bad), DVec3::Z);
            let fits = [
                AffineFit::new(matrix, DVec3::ZERO, 0.0),
                AffineFit::new(DMat3::IDENTITY, DVec3::new(bad, 0.0, 0.0), 0.0),
                AffineFit::new(DMat3::IDENTITY, DVec3::ZERO, bad.abs()),
            ];
            for (which, fit) in fits.iter().enumerate() {
                assert!(!fit.is_clear_of(&rest, &good, &rest, 1.0), "{bad} {which}");
                assert!(!good.is_clear_of(&rest, fit, &rest, 1.0), "{bad} {which}");
                let merged = AffineFit::merged(&rest, [(&rest, fit), (&rest, &good)].into_iter());
                assert!(!merged.is_clear_of_itself(1.0), "{bad} {which}");
            }
        }
        assert!(!AffineFit::new(DMat3::ZERO, DVec3::ZERO, 0.0).is_clear_of_itself(1e30));
        assert!(!AffineFit::NONE.is_clear_of_itself(f64::INFINITY));
    }
}
