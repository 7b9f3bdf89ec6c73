//! How far a reduced animation is from the original: rounded up, never too small.

use pliant::deform::Modes;
use pliant::glam::DVec3;
use pliant::limits::F64_SLACK;

/// Vertices that are measured in all frames before the next: their modes stay in cache.
const BLOCK: usize = 512;

/// Squared lengths above this, 2^-900, suffered no underflow that matters.
const SAFE_SQUARE: f64 = f64::from_bits((1023 - 900) << 52);
/// 2^-449: more than any length whose computed square is not above [`SAFE_SQUARE`].
const TINY_LENGTH: f64 = f64::from_bits((1023 - 449) << 52);

/// The largest distance of a vertex in any frame to where [`Modes::displaced`] puts it.
pub(super) fn largest(
    frames: &[&[DVec3]],
    rest: &[DVec3],
    modes: &Modes,
    coordinates: &[Vec<f64>],
) -> f64 {
    let mut largest = Largest::default();
    for_each_vertex_and_frame(frames, |vertex, frame, position| {
        let reduced = modes.displaced(rest[vertex], vertex, &coordinates[frame]);
        largest.add(position - reduced);
    });
    largest.length()
}

/// The same for the first 0, 1, 2, ... modes alone.
///
/// The sum is that of [`Modes::displaced`], stopped after each mode: same numbers, same order.
pub(super) fn of_prefixes(
    frames: &[&[DVec3]],
    rest: &[DVec3],
    modes: &Modes,
    coordinates: &[Vec<f64>],
) -> Vec<f64> {
    let mut largest = vec![Largest::default(); modes.count() + 1];
    for_each_vertex_and_frame(frames, |vertex, frame, position| {
        let mut reduced = rest[vertex];
        largest[0].add(position - reduced);
        let terms = modes.of(vertex).iter().zip(&coordinates[frame]);
        for (largest, (mode, &q)) in largest[1..].iter_mut().zip(terms) {
            reduced += q * mode.as_dvec3();
            largest.add(position - reduced);
        }
    });
    largest.iter().map(Largest::length).collect()
}

fn for_each_vertex_and_frame(frames: &[&[DVec3]], mut visit: impl FnMut(usize, usize, DVec3)) {
    let vertices = frames.first().map_or(0, |frame| frame.len());
    for start in (0..vertices).step_by(BLOCK) {
        let end = (start + BLOCK).min(vertices);
        for (number, frame) in frames.iter().enumerate() {
            for (vertex, &position) in (start..).zip(&frame[start..end]) {
                visit(vertex, number, position);
            }
        }
    }
}

/// The largest of many lengths, rounded up.
#[derive(Debug, Clone, Copy, Default)]
struct Largest {
    square: f64,
    /// The largest magnitude of a component: zero if and only if all of them are.
    component: f64,
}

impl Largest {
    #[inline]
    fn add(&mut self, difference: DVec3) {
        // NaN must not be lost: an overflow of coordinates gives an infinite error.
        let square = difference.length_squared();
        let square = if square.is_nan() { f64::INFINITY } else { square };
        self.square = self.square.max(square);
        self.component = self.component.max(difference.abs().max_element());
    }

    /// Not below the longest true difference.
    ///
    /// With u = 2^-53 and no underflow: a component of a difference errs by a factor within
    /// 1 ± u, its square by two such and one of its own, the two sums by one each, so the
    /// true squared length is at most (1 + 6u) times the computed one; its root (1 + 3u)
    /// times the true root of that, which is (1 + u) times the computed root at the most.
    /// `F64_SLACK` is 128u. Underflow of squares adds less than 2^-1072, nothing beside
    /// `SAFE_SQUARE`; below that the length is under 2^-450 (1 + 4u) < `TINY_LENGTH`,
    /// unless every component is zero. (A difference of two numbers is never rounded to zero.)
    fn length(&self) -> f64 {
        if self.square > SAFE_SQUARE {
            self.square.sqrt() * (1.0 + F64_SLACK)
        } else if self.component > 0.0 {
            TINY_LENGTH
        } else {
            0.0
        }
    }
}
