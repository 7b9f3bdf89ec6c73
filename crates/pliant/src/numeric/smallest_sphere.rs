//! The smallest sphere around balls, and the few balls that determine it.
//!
//! A sphere around balls is the smallest if and only if it is the smallest around at most
//! four of them, its basis. The search goes from basis to basis: it looks for the ball that
//! sticks out farthest of the basis's sphere, and finds the new basis among the old one and
//! that ball. In exact arithmetic each step enlarges the sphere of the basis, so that no
//! basis comes twice and the search ends (the pivot rule of LP-type problems: Fischer and
//! Gärtner, "The smallest enclosing ball of balls", 2004, where it is also shown why
//! Welzl's recursion may fail for balls of different radii).
//!
//! Nothing is decided by a tolerance. Among the at most five balls of a step every subset proposes
//! a centre, and a centre is worth the radius that it *needs* around all five; the smallest wins.
//! The final radius is measured from the final centre over all balls: whatever rounding did to the
//! centre, the sphere encloses.

use glam::DVec3;

use super::Ball;
use super::tangent_sphere::tangent_centers;
use crate::limits::{F64_SLACK, MAX_PIVOTS, VANISHED_LENGTH};
use crate::volume::Sphere;

/// The balls that determine a smallest sphere, at most four, by their numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SphereBasis {
    members: [u32; 4],
    count: u8,
}

impl SphereBasis {
    /// A basis of the first four numbers given.
    #[must_use]
    #[inline]
    pub fn new(numbers: &[u32]) -> Self {
        let mut basis = Self::default();
        for (slot, &number) in basis.members.iter_mut().zip(numbers) {
            *slot = number;
            basis.count += 1;
        }
        basis
    }

    /// The numbers.
    #[must_use]
    #[inline]
    pub fn members(&self) -> &[u32] {
        &self.members[..usize::from(self.count)]
    }

    /// Whether two bases name the same balls, in whatever order.
    #[must_use]
    pub fn same_members(&self, other: &Self) -> bool {
        self.count == other.count && self.members().iter().all(|m| other.members().contains(m))
    }
}

/// The smallest sphere around balls.
///
/// Guarantee: the sphere contains every ball, rounding included. Its radius exceeds the smallest
/// possible by a relative 2^-46 and whatever rounding did to the centre: a few 2^-53 of its
/// coordinates for a basis in good position, more for one that is nearly flat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallestSphere {
    /// The middle.
    pub center: DVec3,
    /// The radius, rounded outward; negative infinity if there are no balls.
    pub radius: f64,
    /// The balls that determine the sphere.
    pub basis: SphereBasis,
}

impl SmallestSphere {
    /// A computed reach errs by less than 4 units of 2^-53 of itself, and by lengths whose
    /// squares vanish.
    #[inline]
    fn rounded_outward(mut self) -> Self {
        self.radius = self.radius * (1.0 + F64_SLACK) + VANISHED_LENGTH;
        self
    }

    /// The sphere in `f32`, rounded outward.
    #[must_use]
    #[inline]
    pub fn bound(&self) -> Sphere {
        Sphere::new(self.center, self.radius)
    }
}

/// The smallest sphere around balls; points are balls of radius zero.
///
/// ```
/// use pliant::{glam::DVec3, volume::{Ball, smallest_sphere}};
/// let beads: Vec<Ball> = (0..5).map(|i| Ball::new(DVec3::X * f64::from(i), 0.5)).collect();
/// let sphere = smallest_sphere(&beads);
/// assert!((sphere.center - DVec3::X * 2.0).length() < 1e-12);
/// assert!(sphere.radius >= 2.5 && sphere.radius < 2.5 + 1e-12);
/// assert!(sphere.basis.same_members(&pliant::volume::SphereBasis::new(&[0, 4])));
/// ```
#[must_use]
pub fn smallest_sphere(balls: &[Ball]) -> SmallestSphere {
    smallest_sphere_from(balls, &SphereBasis::new(&[0]))
}

/// As [`smallest_sphere`], starting from a basis that is expected to be the right one or
/// nearly so: that of the same balls a moment ago. Any basis gives the same sphere, up to rounding;
/// numbers that are not those of a ball are passed over.
#[must_use]
pub fn smallest_sphere_from(balls: &[Ball], basis: &SphereBasis) -> SmallestSphere {
    let known = basis.members().iter().filter(|&&m| (m as usize) < balls.len());
    let start = Pivot::of_basis(known.map(|&m| (m, balls[m as usize])));
    let start = start.or_else(|| balls.first().map(|&ball| Pivot::single(0, ball)));
    let Some(start) = start else {
        let (center, radius) = (DVec3::ZERO, f64::NEG_INFINITY);
        return SmallestSphere { center, radius, basis: SphereBasis::default() };
    };
    pivot(start, |center, radius| {
        let mut farthest = Farthest { radius, found: None };
        farthest.scan(balls, 0, center);
        farthest.found
    })
}

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
            // Without a root, and now and then in vain: the root decides. A negative room
            // means that the ball alone is larger. Squares that overflow tell nothing.
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

    /// The smallest sphere around at most four balls; more are passed over. `None` without balls.
    pub(crate) fn of_basis(balls: impl IntoIterator<Item = (u32, Ball)>) -> Option<Self> {
        let mut balls = balls.into_iter();
        let (number, ball) = balls.next()?;
        let mut all = Self::single(number, ball);
        for (slot, (number, ball)) in (1..4).zip(balls) {
            (all.numbers[slot], all.balls[slot], all.count) = (number, ball, slot + 1);
        }
        // Mostly the basis still is one: all of it touches the sphere, centre in its hull.
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

    /// The basis after a ball came in that sticks out of the sphere: the smallest sphere
    /// around the old basis and that ball, which the new basis must contain.
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
                // A sphere that touches this ball and is no smaller than the best so far is none
                // that is sought, nor is one that is clearly smaller than the old one.
                let own = ball.reach_from(center);
                if own >= best.radius || own < self.radius * CLEARLY_SMALLER {
                    return;
                }
                let radius = needed(center, candidates);
                // Another subset's centre may need as little and yet be no basis.
                let members = &trial.balls[..trial.count];
                let spans = inside && touches_all(center, radius, members, TOUCHING);
                // Not below, or not a number: no better.
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
        // Balls so degenerate that no computed sphere is spanned by those that it touches.
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

/// Spheres of a new basis below this share of the old one's radius are not looked at: a new basis
/// has a larger sphere, up to rounding. This saves time and decides nothing: what is looked at is
/// measured.
const CLEARLY_SMALLER: f64 = 1.0 - 1e-6;

/// Whether a sphere touches all balls, about. It does not where they are degenerate, so that the
/// centre is wrong: then the search goes on instead of ending here.
fn touches_all(center: DVec3, radius: f64, balls: &[Ball], share: f64) -> bool {
    radius.is_finite() && balls.iter().all(|b| b.reach_from(center) >= radius * (1.0 - share))
}

/// A sphere touches a ball, for the purpose of being its basis, if it is this share of its radius
/// from it at the most.
const TOUCHING: f64 = 1e-9;

/// Up to three of four members, as bits, the few first.
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
        // What an earlier centre needs may be as little, but its basis tells less.
        let radius = ball.reach_from(state.center);
        if radius <= smallest.radius {
            smallest = SmallestSphere { center: state.center, radius, basis: state.basis() };
        }
        let next = state.with(number, ball);
        // Rounding may let a basis come out no larger: then the best so far is as good as it gets.
        if next.radius <= state.radius {
            break;
        }
        state = next;
    }
    smallest.rounded_outward()
}
