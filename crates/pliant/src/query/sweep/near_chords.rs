//! Whether features come near each other along their chords.
//!
//! Where only chords are known, and a bound of how features stray from one another, these may touch as
//! soon as their chords are within this bound. This is decided by steps in time: at each time a
//! direction is known along which the features are apart, and with it a time until which they stay
//! apart by more than the distance (as in [`first_contact`](crate::first_contact)).

use glam::DVec3;

use crate::contact::certain_separation;
use crate::query::first_contact::share_until_met;

/// Features nearer than a distance times this count as within the distance: else ever smaller steps
/// would be needed where they come to it and leave.
const ALARM: f64 = 1.25;

/// What is farther apart than the stray times this all the time is not looked at. It is more than
/// [`ALARM`] by more than computed separations are below true ones, so that what counts as near does
/// not depend on what boxes let through.
pub(super) const LOOKED_AT: f64 = 1.3;

/// Steps in time after which features count as near: things that slide along one another at little
/// more than the distance may need very many. They are never missed by that, and may be farther
/// apart than is said.
const MOST_STEPS: u32 = 10_000;

/// A computed separation is certain up to 2^-48 of the sum of both features' largest coordinates,
/// computed places are off by 2^-51 of them, and a separation along a direction after a step by
/// four roundings of 2^-53 of as much.
const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

/// Features whose chords stay farther apart than this are not within reach of one another, where boxes of
/// both together grow by `growth` for what they stray, and no coordinate is above `largest`.
pub(crate) fn looked_at(growth: f64, largest: f64) -> f64 {
    if growth == 0.0 { 0.0 } else { growth + 4.0 * largest * ROUNDING * LOOKED_AT }
}

/// The distance within which features certainly are for which [`near_chords`] gives a time, true
/// paths straying by `stray` included.
pub(super) fn reported(stray: f64) -> f64 {
    stray * (1.0 + ALARM)
}

/// A time before which the true paths of two features do not touch; `None` if they do not touch at
/// all. At that time the chords are within `stray` times [`ALARM`] of each other, or within
/// roundings.
///
/// `features` name the places of two triangles, which may be degenerate.
pub(super) fn near_chords(
    features: [[usize; 3]; 2],
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    stray: f64,
) -> Option<f64> {
    let largest = start.iter().chain(end).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let near = stray + largest * ROUNDING + f64::MIN_POSITIVE;
    if !largest.is_finite() {
        return Some(0.0);
    }
    let mut time = 0.0;
    for _ in 0..MOST_STEPS {
        let at = |i: usize| start[i] * (1.0 - time) + end[i] * time;
        let [a, b] = features.map(|corners| corners.map(at));
        let separation = certain_separation(&a, &b);
        if separation.gap <= near * ALARM {
            return Some(time);
        }
        let mut step = f64::INFINITY;
        for (p, &i) in a.iter().zip(&features[0]) {
            for (q, &j) in b.iter().zip(&features[1]) {
                let apart = (*p - *q).dot(separation.direction) - near;
                let closing = ((end[j] - start[j]) - (end[i] - start[i])).dot(separation.direction);
                step = step.min(share_until_met(apart, closing, 0.0));
            }
        }
        // The gap is above the alarm, so that a step is never 0 but for numbers without meaning.
        if step.is_nan() || step <= 0.0 {
            return Some(time);
        }
        time = (time + step * (1.0 - 1e-12)).max(time.next_up());
        if time > 1.0 {
            return None;
        }
    }
    Some(time)
}
