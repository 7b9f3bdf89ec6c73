//! The search for the smallest sphere around balls, from basis to basis.
//!
//! A sphere around balls is the smallest if and only if it is the smallest around at most four of
//! them, its basis. A step of the search looks for the ball that sticks out farthest of the
//! basis's sphere, and finds the new basis among the old one and that ball. In exact arithmetic
//! each step enlarges the sphere of the basis, so that no basis comes twice and the search ends.
//! This is the pivot rule of LP-type problems (Fischer and Gärtner, "The smallest enclosing ball
//! of balls", 2004, where it is also shown why Welzl's recursion may fail for balls of different
//! radii).
//!
//! Nothing is decided by a tolerance. Every subset of the at most five balls of a step proposes a
//! centre. The centre that needs the smallest radius around all five wins. The final radius is
//! measured from the final centre over all balls: the sphere encloses them however the centre was
//! rounded.

use glam::DVec3;

use super::tangent_sphere::tangent_centers;
use super::{Ball, F64_SLACK, SmallestSphere, SphereBasis};

/// Steps of the search before it returns the smallest sphere that it has seen. Each step enlarges
/// the sphere of a basis. Inputs that need more than a dozen steps are rare, and what is returned
/// encloses in any case.
const MAX_PIVOTS: usize = 200;

/// A search for the ball that reaches farthest from a centre.
pub(crate) struct Farthest {
    /// The reach to exceed.
    pub(crate) radius: f64,
    /// The ball that exceeds it most so far.
    pub(crate) found: Option<(u32, Ball)>,
}

impl Farthest {
    /// Looks at balls that are numbered from `first` on.
    #[inline]
    pub(crate) fn scan(&mut self, balls: &[Ball], first: u32, center: DVec3) {
        for (number, ball) in (first..).zip(balls) {
            // A filter without a root; the root decides. A negative room means that the ball
            // alone is larger. The filter passes balls whose squares overflow.
            let room = self.radius - ball.radius;
            let apart = (ball.center - center).length_squared();
            let surely_inside = apart < room * room * (1.0 - F64_SLACK);
            if room < 0.0 || !surely_inside {
                let reach = ball.reach_from(center);
                if reach > self.radius {
                    (self.radius, self.found) = (reach, Some((number, *ball)));
                }
            }
        }
    }
}

/// A basis with its balls and the sphere that it spans: the state of the search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pivot {
    pub(crate) center: DVec3,
    /// The largest computed reach of a ball of the basis from the centre.
    pub(crate) radius: f64,
    numbers: [u32; 4],
    balls: [Ball; 4],
    count: usize,
}

impl Pivot {
    /// One ball.
    pub(crate) fn single(number: u32, ball: Ball) -> Self {
        let (center, radius) = (ball.center, ball.radius);
        Self { center, radius, numbers: [number; 4], balls: [ball; 4], count: 1 }
    }

    /// Two balls; the larger alone if it contains the other.
    #[inline]
    pub(crate) fn pair((i, a): (u32, Ball), (j, b): (u32, Ball)) -> Self {
        let mut pair = if a.radius >= b.radius { Self::single(i, a) } else { Self::single(j, b) };
        let alone = b.reach_from(a.center).max(a.reach_from(b.center)) <= pair.radius;
        tangent_centers(&[a, b], |center, _| {
            let radius = needed(center, &[a, b]);
            if !alone && radius.is_finite() {
                pair.center = center;
                pair.radius = radius;
                pair.count = 2;
                (pair.numbers[0], pair.numbers[1], pair.balls[0], pair.balls[1]) = (i, j, a, b);
            }
        });
        pair
    }

    /// The smallest sphere around the first four balls given. `None` without balls.
    pub(crate) fn of_basis(balls: impl IntoIterator<Item = (u32, Ball)>) -> Option<Self> {
        let mut balls = balls.into_iter();
        let (number, ball) = balls.next()?;
        let mut all = Self::single(number, ball);
        for (slot, (number, ball)) in (1..4).zip(balls) {
            (all.numbers[slot], all.balls[slot], all.count) = (number, ball, slot + 1);
        }
        // Usually the basis still is one: all of it touches the sphere, the centre is in its hull.
        let members = &all.balls[..all.count];
        let mut whole = None;
        tangent_centers(members, |center, inside| {
            let radius = needed(center, members);
            if inside && whole.is_none() && touches_all(center, radius, members, TOUCHING) {
                whole = Some((center, radius));
            }
        });
        if let Some((center, radius)) = whole {
            return Some(Self { center, radius, ..all });
        }
        let mut state = Self::single(all.numbers[0], all.balls[0]);
        for _ in 0..MAX_PIVOTS {
            let mut farthest = Farthest { radius: state.radius, found: None };
            farthest.scan(members, 0, state.center);
            let Some((slot, ball)) = farthest.found else { break };
            let next = state.with(all.numbers[slot as usize], ball);
            if next.radius <= state.radius {
                break;
            }
            state = next;
        }
        Some(state)
    }

    /// The next basis, given a ball that sticks out of the sphere: that of the smallest sphere
    /// around the old basis and that ball. The new basis contains the ball.
    fn with(&self, number: u32, ball: Ball) -> Self {
        let mut candidates = [ball; 5];
        candidates[..4].copy_from_slice(&self.balls);
        candidates[self.count] = ball;
        let candidates = &candidates[..=self.count];
        let mut best = Self::single(number, ball);
        best.radius = needed(ball.center, candidates);
        if best.radius <= ball.radius {
            return best;
        }
        let mut spare = best;
        for mask in SUBSETS {
            if mask >= 1 << self.count {
                continue;
            }
            let mut trial = Self { count: 1, ..best };
            (trial.numbers[0], trial.balls[0]) = (number, ball);
            for member in 0..self.count {
                if mask >> member & 1 == 1 {
                    trial.numbers[trial.count] = self.numbers[member];
                    trial.balls[trial.count] = self.balls[member];
                    trial.count += 1;
                }
            }
            let mut done = false;
            tangent_centers(&trial.balls[..trial.count], |center, inside| {
                // Skip spheres that are no smaller than the best so far, and those that are
                // clearly smaller than the old one.
                let own = ball.reach_from(center);
                if own >= best.radius || own < self.radius * CLEARLY_SMALLER {
                    return;
                }
                let radius = needed(center, candidates);
                // Another subset's centre may need as small a radius without being a basis.
                let members = &trial.balls[..trial.count];
                let spans = inside && touches_all(center, radius, members, TOUCHING);
                // A radius that is NaN is no better.
                if spans && radius < best.radius {
                    best = Self { center, radius, ..trial };
                    // Smallest around the subset, and around all: nothing is smaller.
                    done = touches_all(center, radius, members, F64_SLACK);
                } else if radius < spare.radius {
                    spare = Self { center, radius, ..trial };
                }
            });
            if done {
                return best;
            }
        }
        // The balls may be so degenerate that no computed sphere touches all of its subset.
        if spare.radius < best.radius * (1.0 - TOUCHING) { spare } else { best }
    }

    /// The sphere, if the basis is known to be that of all balls.
    #[inline]
    pub(crate) fn finished(&self) -> SmallestSphere {
        let Self { center, radius, .. } = *self;
        SmallestSphere { center, radius, basis: self.basis() }.rounded_outward()
    }

    /// The numbers of the basis.
    #[inline]
    pub(crate) fn basis(&self) -> SphereBasis {
        SphereBasis::new(&self.numbers[..self.count])
    }
}

/// Spheres of a new basis below this share of the old one's radius are skipped: a new basis has a
/// larger sphere, up to rounding. This saves time and decides nothing: the others are measured.
const CLEARLY_SMALLER: f64 = 1.0 - 1e-6;

/// Whether a sphere touches all balls, up to a share of its radius. If it does not, the balls are
/// degenerate and the centre is wrong: the search goes on.
fn touches_all(center: DVec3, radius: f64, balls: &[Ball], share: f64) -> bool {
    radius.is_finite() && balls.iter().all(|b| b.reach_from(center) >= radius * (1.0 - share))
}

/// A sphere touches a ball, for the purpose of being its basis, if it is at most this share of its
/// radius away from it.
const TOUCHING: f64 = 1e-9;

/// Up to three of four members, as bits, small subsets first.
const SUBSETS: [u32; 14] = [1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14];

/// The radius that a sphere around all candidates needs at a centre; NaN if the centre is.
#[inline]
fn needed(center: DVec3, candidates: &[Ball]) -> f64 {
    // `f64::max` would lose a NaN.
    candidates.iter().fold(0.0, |radius, ball| {
        let reach = ball.reach_from(center);
        if radius >= reach { radius } else { reach }
    })
}

/// Goes from basis to basis until no ball sticks out.
///
/// `farthest(center, radius)` returns the ball whose computed reach from the centre is the
/// largest, or `None` if none exceeds the radius.
pub(crate) fn pivot(
    start: Pivot,
    mut farthest: impl FnMut(DVec3, f64) -> Option<(u32, Ball)>,
) -> SmallestSphere {
    let mut state = start;
    let mut smallest =
        SmallestSphere { center: state.center, radius: f64::INFINITY, basis: state.basis() };
    for _ in 0..MAX_PIVOTS {
        let Some((number, ball)) = farthest(state.center, state.radius) else {
            return state.finished();
        };
        // Of equal radii the later one is kept: its basis is nearer to the right one.
        let radius = ball.reach_from(state.center);
        if radius <= smallest.radius {
            smallest = SmallestSphere { center: state.center, radius, basis: state.basis() };
        }
        let next = state.with(number, ball);
        // Rounding may let a basis come out no larger: then the search ends with the best so far.
        if next.radius <= state.radius {
            break;
        }
        state = next;
    }
    smallest.rounded_outward()
}
