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
//! Nothing is decided by a tolerance. Among the at most five balls of a step every subset
//! proposes a centre, and a centre is worth the radius that it *needs* around all five; the smallest
//! wins. The final radius is measured from the final centre over all balls: whatever rounding
//! did to the centre, the sphere encloses.

use glam::DVec3;

use super::tangent_sphere::tangent_centers;
use super::{Ball, Sphere};
use crate::limits::{F64_SLACK, MAX_PIVOTS, VANISHED_LENGTH};

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
/// Guarantee: the sphere contains every ball, rounding included. Its radius exceeds the
/// smallest possible by a relative 2^-46 and whatever rounding did to the centre: a few 2^-53 of its
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
            // means that the ball alone is larger.
            let room = self.radius - ball.radius;
            let apart = (ball.center - center).length_squared();
            if apart > room * room * (1.0 - F64_SLACK) || room < 0.0 {
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
    pub(crate) fn pair(a: (u32, Ball), b: (u32, Ball)) -> Self {
        Self::best(&[a, b], 0)
    }

    /// The smallest sphere around at most four balls; more are passed over. `None` without balls.
    pub(crate) fn of_basis(balls: impl IntoIterator<Item = (u32, Ball)>) -> Option<Self> {
        let mut candidates = [(0, Ball::new(DVec3::ZERO, 0.0)); 4];
        let mut count = 0;
        for (slot, ball) in candidates.iter_mut().zip(balls) {
            *slot = ball;
            count += 1;
        }
        (count > 0).then(|| Self::of_candidates(&candidates[..count]))
    }

    fn of_candidates(candidates: &[(u32, Ball)]) -> Self {
        // Mostly the basis still is one: all of it touches the sphere, centre in its hull.
        let mut whole = None;
        let mut picked = Self::single(candidates[0].0, candidates[0].1);
        picked.take(candidates.iter().copied());
        tangent_centers(&picked.balls[..picked.count], |center, inside| {
            if inside && whole.is_none() {
                whole = Some(center);
            }
        });
        if let Some(center) = whole {
            picked.center = center;
            picked.radius = needed(center, candidates);
            if picked.radius.is_finite() {
                return picked;
            }
        }
        let last = candidates.len() - 1;
        let mut best = Self::best(candidates, last);
        for required in 0..last {
            let other = Self::best(candidates, required);
            if other.radius < best.radius {
                best = other;
            }
        }
        best
    }

    fn take(&mut self, members: impl IntoIterator<Item = (u32, Ball)>) {
        self.count = 0;
        for (slot, (number, ball)) in members.into_iter().take(4).enumerate() {
            (self.numbers[slot], self.balls[slot]) = (number, ball);
            self.count = slot + 1;
        }
    }

    /// The smallest sphere around at most five balls whose basis contains a given one of them.
    fn best(candidates: &[(u32, Ball)], required: usize) -> Self {
        let (number, ball) = candidates[required];
        let mut best = Self::single(number, ball);
        best.radius = needed(ball.center, candidates);
        if best.radius <= ball.radius {
            return best;
        }
        let others = candidates.len() - 1;
        for size in 1..=others.min(3) {
            for mask in 0..1u32 << others {
                if mask.count_ones() as usize != size {
                    continue;
                }
                let mut trial = best;
                let others = candidates.iter().enumerate().filter(|&(i, _)| i != required);
                let picked = others.enumerate().filter(|(slot, _)| mask >> slot & 1 == 1);
                trial.take(picked.map(|(_, (_, &c))| c).chain([candidates[required]]));
                let mut done = false;
                tangent_centers(&trial.balls[..trial.count], |center, inside| {
                    let radius = needed(center, candidates);
                    // Not below, or not a number: no better.
                    if radius < best.radius {
                        best = Self { center, radius, ..trial };
                        // Smallest around the subset, and around all: nothing is smaller.
                        done = inside && trial.own_radius(center) >= radius;
                    }
                });
                if done {
                    return best;
                }
            }
        }
        best
    }

    /// The radius that the basis alone needs around a centre.
    fn own_radius(&self, center: DVec3) -> f64 {
        let reaches = self.balls[..self.count].iter().map(|ball| ball.reach_from(center));
        reaches.fold(0.0, f64::max)
    }

    /// The basis after a ball outside of the sphere came in.
    fn with(&self, number: u32, ball: Ball) -> Self {
        let mut candidates = [(number, ball); 5];
        let members = self.numbers[..self.count].iter().zip(&self.balls);
        for (slot, (&number, &ball)) in candidates.iter_mut().zip(members) {
            *slot = (number, ball);
        }
        Self::best(&candidates[..=self.count], self.count)
    }

    /// The numbers of the basis.
    pub(crate) fn basis(&self) -> SphereBasis {
        SphereBasis::new(&self.numbers[..self.count])
    }
}

/// The radius that a sphere around all candidates needs at a centre; NaN if the centre is.
#[inline]
fn needed(center: DVec3, candidates: &[(u32, Ball)]) -> f64 {
    // `f64::max` would lose a NaN.
    candidates.iter().fold(0.0, |radius, (_, ball)| {
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
        let found = farthest(state.center, state.radius);
        let radius = found.map_or(state.radius, |(_, ball)| ball.reach_from(state.center));
        if radius < smallest.radius {
            smallest = SmallestSphere { center: state.center, radius, basis: state.basis() };
        }
        let Some((number, ball)) = found else { break };
        let next = state.with(number, ball);
        // Rounding may let a basis come out no larger: then the best so far is as good as it gets.
        if !(next.radius > state.radius) {
            break;
        }
        state = next;
    }
    // A computed reach errs by less than 4 units of 2^-53 of itself, and by lengths whose
    // squares vanish.
    smallest.radius = smallest.radius * (1.0 + F64_SLACK) + VANISHED_LENGTH;
    smallest
}
