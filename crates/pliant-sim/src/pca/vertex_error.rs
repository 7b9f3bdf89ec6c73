//! The distance between a reduced animation and the original, rounded up.

use pliant::deform::Modes;
use pliant::glam::DVec3;

/// Relative allowance for lengths computed in `f64`, which have a dozen roundings of 2^-53.
const F64_SLACK: f64 = 64.0 * f64::EPSILON;
/// Squared lengths above this, 2^-900, have no significant underflow.
const SAFE_SQUARE: f64 = f64::from_bits((1023 - 900) << 52);
/// 2^-449, which exceeds any length whose computed square is not above [`SAFE_SQUARE`].
const TINY_LENGTH: f64 = f64::from_bits((1023 - 449) << 52);

/// The largest distance of a vertex in any frame to the result of [`Modes::displaced`], with the
/// first `fewest` modes, with one more, and so on up to all of them.
///
/// The sum is that of `displaced`, stopped after each mode: the same numbers in the same order give
/// the same bits. It runs over all frames of a vertex at once, so the processor computes several at
/// a time. This is four times as fast as calling `displaced`.
pub(super) fn by_rank(
    frames: &[&[DVec3]],
    rest: &[DVec3],
    modes: &Modes,
    coordinates: &[Vec<f64>],
    fewest: usize,
) -> Vec<f64> {
    let count = frames.len();
    let q_of_mode: Vec<Vec<f64>> =
        (0..modes.count()).map(|mode| coordinates.iter().map(|q| q[mode]).collect()).collect();
    let mut largest = vec![Largest::default(); modes.count() + 1 - fewest];
    let mut original = [vec![0.0; count], vec![0.0; count], vec![0.0; count]];
    let mut reduced = original.clone();
    for (vertex, &rest) in rest.iter().enumerate() {
        for axis in 0..3 {
            for (original, frame) in original[axis].iter_mut().zip(frames) {
                *original = frame[vertex][axis];
            }
            reduced[axis].fill(rest[axis]);
        }
        if fewest == 0 {
            largest[0].add(&original, &reduced);
        }
        for (number, (mode, q)) in modes.of(vertex).iter().zip(&q_of_mode).enumerate() {
            let mode = mode.as_dvec3();
            for axis in 0..3 {
                for (reduced, q) in reduced[axis].iter_mut().zip(q) {
                    *reduced += q * mode[axis];
                }
            }
            if let Some(place) = (number + 1).checked_sub(fewest) {
                largest[place].add(&original, &reduced);
            }
        }
    }
    largest.iter().map(Largest::length).collect()
}

/// The largest of many lengths, rounded up.
#[derive(Debug, Clone, Copy, Default)]
struct Largest {
    square: f64,
    /// Whether any component was nonzero.
    differs: bool,
}

impl Largest {
    /// Includes the distances between points that are given as arrays of x, y and z.
    ///
    /// Nothing here is NaN: coordinates are below 2^500, so q is below 2^510, and sums over 4096
    /// modes are below 2^523. A square may be infinite; then the error is infinite.
    #[inline]
    fn add(&mut self, [a, b, c]: &[Vec<f64>; 3], [x, y, z]: &[Vec<f64>; 3]) {
        let mut squares = [0.0; LANES];
        let mut sums = [0.0; LANES];
        let mut add = |lane: usize, dx: f64, dy: f64, dz: f64| {
            let square = dx * dx + dy * dy + dz * dz;
            squares[lane] = if square > squares[lane] { square } else { squares[lane] };
            sums[lane] += dx.abs() + dy.abs() + dz.abs();
        };
        let whole = a.len() / LANES * LANES;
        for start in (0..whole).step_by(LANES) {
            let run = start..start + LANES;
            let (a, b, c) = (&a[run.clone()], &b[run.clone()], &c[run.clone()]);
            let (x, y, z) = (&x[run.clone()], &y[run.clone()], &z[run]);
            for lane in 0..LANES {
                add(lane, a[lane] - x[lane], b[lane] - y[lane], c[lane] - z[lane]);
            }
        }
        for n in whole..a.len() {
            add(0, a[n] - x[n], b[n] - y[n], c[n] - z[n]);
        }
        self.square = squares.into_iter().fold(self.square, f64::max);
        self.differs |= sums.into_iter().any(|sum| sum > 0.0);
    }

    /// An upper bound of the longest true difference.
    ///
    /// Let u = 2^-53, and assume no underflow. A component of a difference has a relative error of
    /// u, its square has two of these and one of its own, and the two sums add one each. The true
    /// squared length is therefore at most (1 + 6u) times the computed one. Its root is at most
    /// 1 + 3u times the true root of that, which is at most 1 + u times the computed root.
    /// `F64_SLACK` is 128u. Underflow of squares adds less than 2^-1072, which is negligible beside
    /// `SAFE_SQUARE`. Below that the length is under 2^-450 (1 + 4u) < `TINY_LENGTH`, unless every
    /// component is zero. (A difference of two distinct numbers is never rounded to zero.)
    fn length(&self) -> f64 {
        if self.square > SAFE_SQUARE {
            self.square.sqrt() * (1.0 + F64_SLACK)
        } else if self.differs {
            TINY_LENGTH
        } else {
            0.0
        }
    }
}

/// The number of maxima that are computed in parallel.
const LANES: usize = 4;
