//! The power test: whether a ball is closer than orthogonal to the sphere that is orthogonal to
//! four others.
//!
//! Lift each ball with centre c and radius r to the point (c, |c|^2 - r^2) of four-dimensional
//! space. The regular triangulation is the lower convex hull of the lifted points. A tetrahedron
//! belongs to it if no lifted ball lies below the hyperplane through its four lifted corners. This
//! is the sign of a determinant. It is computed in `f64` where a bound of the error makes the sign
//! certain, and in integers otherwise.

use std::cmp::Ordering;

use glam::DVec3;

use super::exact_side::exact_side;
use crate::contact::{certain_sign, orient3d};
use crate::volume::Ball;

/// The error bound of the determinant, as a factor on the product of the largest magnitudes in its
/// four columns.
///
/// Let u = 2^-53. Each of the 24 terms takes at most 19 roundings: 7 in its lifted height
/// (difference, square, two sums, a squared radius, the difference of two of those, and the last
/// difference), 3 in its other differences, 2 products, 3 sums up to the 3x3 minor, a product with
/// the height, and 3 sums. Its relative error is therefore below 19.1 u, and each term is at most
/// the product of the columns' maxima: 24 * 19.1 = 459 u. The computed maxima and their product are
/// too small by at most a relative 16 u. The factor is 512 u.
const POWER_TEST_ERROR: f64 = 256.0 * f64::EPSILON;

/// The smallest coordinate difference for which the bound above holds: no product overflows, and
/// underflow is negligible. With 2^-200, a product of two maxima is above 2^-400, and the underflow
/// of a term, 2^-1075 times at most two maxima, is far below u times the product of all four.
const SMALLEST_DIFFERENCE: f64 = f64::from_bits((1023 - 200) << 52);
/// The same for lifted heights, which are squares of lengths up to 2^200.
const LARGEST_HEIGHT: f64 = f64::from_bits((1023 + 400) << 52);

/// Compares the lifted point of a ball with the hyperplane through the lifted points of four balls,
/// whose centres must be positively oriented ([`orient3d`] is `Greater`).
///
/// `Greater` means that the point lies below: the ball is closer than orthogonal to the sphere that
/// is orthogonal to the four, so these four form no tetrahedron of a regular triangulation that
/// contains the ball. `Equal` means orthogonal, `Less` means farther. Exact for all finite numbers.
/// For negatively oriented centres the answer is reversed; for coplanar centres it has no meaning.
///
/// ```
/// use pliant::{glam::DVec3, power::power_side, volume::Ball};
/// use std::cmp::Ordering;
///
/// let point = |p| Ball::new(p, 0.0);
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(point);
/// // The sphere through the corners also passes through (1, 1, 1).
/// assert_eq!(power_side(&corners, &point(DVec3::ONE)), Ordering::Equal);
/// assert_eq!(power_side(&corners, &Ball::new(DVec3::ONE, 1e-100)), Ordering::Greater);
/// ```
#[must_use]
#[inline]
pub fn power_side(corners: &[Ball; 4], ball: &Ball) -> Ordering {
    let [a, b, c, d] = corners;
    side([a, b, c, d], ball)
}

/// [`power_side`] without copying the corners.
#[inline(always)]
fn side(corners: [&Ball; 4], ball: &Ball) -> Ordering {
    let rows = Rows::new(corners, ball);
    certain_sign(rows.determinant(), rows.error()).unwrap_or_else(|| exact_side(corners, ball))
}

/// The rows of the determinant, relative to the tested ball.
struct Rows {
    places: [DVec3; 4],
    squares: [f64; 4],
    weights: [f64; 4],
    own_weight: f64,
}

impl Rows {
    #[inline(always)]
    fn new(corners: [&Ball; 4], ball: &Ball) -> Self {
        // Written out: `map` on arrays is not always inlined and then takes half of the running
        // time.
        let [a, b, c, d] = corners;
        let place = |corner: &Ball| corner.center - ball.center;
        let square = |q: DVec3| q.x * q.x + q.y * q.y + q.z * q.z;
        let weight = |ball: &Ball| ball.radius * ball.radius;
        let places = [place(a), place(b), place(c), place(d)];
        let [p, q, r, s] = places;
        Self {
            places,
            squares: [square(p), square(q), square(r), square(s)],
            weights: [weight(a), weight(b), weight(c), weight(d)],
            own_weight: weight(ball),
        }
    }

    #[inline(always)]
    fn determinant(&self) -> f64 {
        let [a, b, c, d] = self.places;
        let height = |i: usize| self.squares[i] - (self.weights[i] - self.own_weight);
        let minor = |p: DVec3, q: DVec3| p.x * q.y - p.y * q.x;
        let (ab, ac, ad) = (minor(a, b), minor(a, c), minor(a, d));
        let (bc, bd, cd) = (minor(b, c), minor(b, d), minor(c, d));
        let bcd = b.z * cd - c.z * bd + d.z * bc;
        let acd = a.z * cd - c.z * ad + d.z * ac;
        let abd = a.z * bd - b.z * ad + d.z * ab;
        let abc = a.z * bc - b.z * ac + c.z * ab;
        (height(0) * bcd - height(1) * acd) + (height(2) * abd - height(3) * abc)
    }

    /// A bound of the determinant's error.
    #[inline(always)]
    fn error(&self) -> f64 {
        let [a, b, c, d] = self.places.map(DVec3::abs);
        let [k, l, m, n] = [0, 1, 2, 3].map(|i| self.squares[i] + self.weights[i]);
        error_bound(a.max(b).max(c.max(d)), k.max(l).max(m.max(n)) + self.own_weight)
    }
}

/// A bound of the error of any determinant whose columns are at most these numbers in magnitude:
/// three columns of coordinate differences, and the terms of the lifted heights.
#[inline(always)]
fn error_bound(reach: DVec3, tallest: f64) -> f64 {
    if reach.min_element() >= SMALLEST_DIFFERENCE && tallest <= LARGEST_HEIGHT {
        POWER_TEST_ERROR * (reach.x * reach.y) * (reach.z * tallest)
    } else {
        f64::INFINITY
    }
}

/// Balls, and one bound for the error of all power tests among them. Most tests exceed it by far
/// and need no bound of their own.
#[derive(Debug, Clone)]
pub(super) struct TestedBalls {
    balls: Vec<Ball>,
    error: f64,
}

impl std::ops::Deref for TestedBalls {
    type Target = [Ball];

    #[inline(always)]
    fn deref(&self) -> &[Ball] {
        &self.balls
    }
}

impl TestedBalls {
    pub(super) fn new(balls: Vec<Ball>) -> Self {
        let (mut low, mut high, mut widest) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0f64);
        for ball in &balls {
            (low, high) = (low.min(ball.center), high.max(ball.center));
            widest = widest.max(ball.radius);
        }
        // Rounding is monotone: no difference of two centres is rounded to more.
        let reach = high - low;
        let error = error_bound(reach, reach.length_squared() + 2.0 * (widest * widest));
        Self { balls, error }
    }

    /// Whether a ball conflicts with a tetrahedron of positively oriented balls, with ties broken.
    ///
    /// Ties are broken by symbolic perturbation: every lifted point is raised by an infinitesimal,
    /// and each infinitesimal dominates that of the ball before it. All perturbations differ, so
    /// the triangulation of the raised points is unique, and every order of insertion leads to it.
    /// The derivative of the determinant with respect to a point's height is the orientation of the
    /// other four. The ball with the highest number whose four others span a volume therefore
    /// decides; for the tested ball they do.
    #[inline(always)]
    pub(super) fn conflicts(&self, corners: [u32; 4], ball: u32) -> bool {
        let rows = Rows::new(self.four(corners), &self.balls[ball as usize]);
        let value = rows.determinant();
        if value > self.error {
            true
        } else if value < -self.error {
            false
        } else {
            self.close_conflicts(corners, ball)
        }
    }

    #[inline(always)]
    pub(super) fn four(&self, [a, b, c, d]: [u32; 4]) -> [&Ball; 4] {
        let balls = &self.balls[..];
        [&balls[a as usize], &balls[b as usize], &balls[c as usize], &balls[d as usize]]
    }

    #[inline(never)]
    fn close_conflicts(&self, corners: [u32; 4], ball: u32) -> bool {
        match side(self.four(corners), &self.balls[ball as usize]) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => tie_conflicts(&self.balls, corners, ball),
        }
    }
}

#[cold]
fn tie_conflicts(balls: &[Ball], corners: [u32; 4], ball: u32) -> bool {
    let mut slots = [0, 1, 2, 3];
    slots.sort_unstable_by_key(|&slot| std::cmp::Reverse(corners[slot]));
    for slot in slots {
        if corners[slot] < ball {
            break;
        }
        let mut others = corners;
        others[slot] = ball;
        let [a, b, c, d] = others.map(|other| balls[other as usize].center);
        match orient3d(a, b, c, d) {
            Ordering::Greater => return true,
            Ordering::Less => return false,
            Ordering::Equal => {}
        }
    }
    // Raising the tested ball moves it away from the conflict.
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f64> {
        let exponent =
            prop_oneof![8 => -2..2i32, 2 => -50..50i32, 1 => -210..-190i32, 1 => -600..500i32];
        let mantissa = prop_oneof![(-8..=8i32).prop_map(f64::from), -1.0..1.0f64];
        (mantissa, exponent).prop_map(|(m, e)| m * 2f64.powi(e))
    }

    fn ball() -> impl Strategy<Value = Ball> {
        ([coordinate(), coordinate(), coordinate()], coordinate())
            .prop_map(|(p, r)| Ball::new(DVec3::from_array(p), r.abs()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

        #[test]
        fn the_filter_never_contradicts_the_integers(corners in [ball(), ball(), ball(), ball()], free in ball(),
            near in any::<bool>(), weights in [0.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64], nudge in -1..=1i8)
        {
            let [a, b, c, d] = &corners;
            let mut tested = free;
            if near {
                // A fifth ball that is almost orthogonal to the sphere of the other four.
                let [r, s, t] = weights;
                let center = a.center + (b.center - a.center) * r + (c.center - a.center) * s + (d.center - a.center) * t;
                let square = |q: &Ball| (q.center - center).length_squared() - q.radius * q.radius;
                let power = square(a) + (square(b) - square(a)) * r + (square(c) - square(a)) * s + (square(d) - square(a)) * t;
                let radius = (-power).max(0.0).sqrt();
                tested = Ball::new(center, if nudge > 0 { radius.next_up() } else { radius });
            }
            prop_assume!(tested.center.is_finite() && tested.radius.is_finite());
            let exact = exact_side([a, b, c, d], &tested);
            prop_assert_eq!(power_side(&corners, &tested), exact);
            let swapped = [*b, *a, *c, *d];
            prop_assert_eq!(power_side(&swapped, &tested), exact.reverse());
        }

        #[test]
        fn small_integers_agree_with_long_ones(p in [[-9..=9i32, -9..=9, -9..=9, 0..=9], [-9..=9, -9..=9, -9..=9, 0..=9],
            [-9..=9, -9..=9, -9..=9, 0..=9], [-9..=9, -9..=9, -9..=9, 0..=9], [-9..=9, -9..=9, -9..=9, 0..=9]])
        {
            let ball = |q: [i32; 4], unit: f64| {
                let [x, y, z, r] = q.map(|x| f64::from(x) * unit);
                Ball::new(DVec3::new(x, y, z), r)
            };
            let [a, b, c, d, e] = p.map(|q| ball(q, 1.0));
            let small = exact_side([&a, &b, &c, &d], &e);
            // A large shift forces a fine grid and cancels.
            let [a, b, c, d, e] = p.map(|q| {
                let moved = ball(q, 1.0);
                Ball::new(moved.center + DVec3::splat(2f64.powi(45)), moved.radius)
            });
            prop_assert_eq!(exact_side([&a, &b, &c, &d], &e), small);
            prop_assert_eq!(power_side(&[a, b, c, d], &e), small);
        }
    }
}
