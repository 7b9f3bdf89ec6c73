//! The motion of curtain and ball, frame by frame.

use std::f64::consts::{PI, TAU};
use std::ops::RangeInclusive;

use pliant::glam::DVec3;

use super::cloth::flat;
use super::modes::{HIT, MODES, modes};
use crate::smooth_step::smooth_step;

/// Frames of the animation, at 30 frames per second, as in James and Pai 2004, section 4.
pub const FRAMES: usize = 110;

/// The frames in which ball and curtain cross. In all others they are at least a centimetre apart.
/// This holds for balls of 4 subdivisions or more: a coarser ball, which is inscribed in its
/// sphere, may miss the first and the last of these frames.
///
/// The ball arrives at 0.7 m/s and stays for two seconds, so contact dominates.
pub const CONTACT_FRAMES: RangeInclusive<usize> = 25..=84;

/// The same for a thrown ball: it arrives at 2 m/s and leaves after 0.7 seconds.
pub const THROWN_CONTACT_FRAMES: RangeInclusive<usize> = 44..=64;

/// How ball and curtain meet.
pub(super) struct Meeting {
    pub(super) frames: RangeInclusive<usize>,
    /// The height of the ball above its lowest position when it is a metre away, in metres.
    pub(super) rise: f64,
    /// The position of the ball's front at the last touch, in metres along z. It differs from that
    /// at the first touch because of the wind.
    pub(super) departure: f64,
}

/// The ball swings slowly.
pub(super) const SWUNG: Meeting = Meeting { frames: CONTACT_FRAMES, rise: 0.3, departure: 0.07 };

/// The ball flies straight.
pub(super) const THROWN: Meeting =
    Meeting { frames: THROWN_CONTACT_FRAMES, rise: 0.0, departure: 0.02 };

/// The ball's radius in metres.
pub const BALL_RADIUS: f64 = 0.25;

/// The position of the ball's front at the first touch, and how far it goes beyond, in metres along
/// z.
const ARRIVAL: f64 = 0.0;
const DEPTH: f64 = 0.45;
/// How far the cloth lags behind the ball's front in metres; this makes the two cross.
const LAG: f64 = 0.035;

/// The progress of a meeting at a frame: 0 at the first touch, 1 at the last.
fn progress(meeting: &Meeting, frame: usize) -> f64 {
    let first = *meeting.frames.start() as f64 - 0.5;
    let last = *meeting.frames.end() as f64 + 0.5;
    (frame as f64 - first) / (last - first)
}

/// The position of the ball's front along z at a progress of the meeting. It arrives on a straight
/// line, is decelerated and thrown back as by a spring, and leaves as fast as it arrived.
fn front(meeting: &Meeting, progress: f64) -> f64 {
    let forward = if progress < 0.0 {
        PI * progress
    } else if progress > 1.0 {
        PI * (1.0 - progress)
    } else {
        (PI * progress).sin()
    };
    ARRIVAL + (meeting.departure - ARRIVAL) * progress.clamp(0.0, 1.0) - DEPTH * forward
}

/// The ball's centre, lowest where it is deepest; it drifts to the right.
pub(super) fn ball_center(meeting: &Meeting, frame: usize) -> DVec3 {
    let progress = progress(meeting, frame);
    let hit = flat(HIT);
    let away = front(meeting, progress) + DEPTH;
    DVec3::new(
        hit.x + 0.1 * (progress - 0.5),
        hit.y + meeting.rise * away * away,
        front(meeting, progress) + BALL_RADIUS,
    )
}

/// The twelve coordinates of a frame in metres, in the order of the modes.
pub(super) fn coordinates(meeting: &Meeting, frame: usize) -> [f64; MODES] {
    let progress = progress(meeting, frame);
    let gust = |amplitude: f64, period: f64, phase: f64| {
        amplitude * (TAU * frame as f64 / period + phase).sin()
    };
    // The ball's depth in the cloth, and whether it is in contact at all, both from 0 to 1.
    let push = if (0.0..=1.0).contains(&progress) { (PI * progress).sin() } else { 0.0 };
    let hold = smooth_step(12.0 * progress) * smooth_step(12.0 * (1.0 - progress));
    // A ring wave runs outward from the first touch and fades.
    let since = progress.max(0.0);
    let ring = (3.0 * PI * since).sin() / (1.0 + 4.0 * since * since);
    let mut q = [
        gust(0.05, 70.0, 0.4),
        gust(0.03, 48.0, 1.3),
        gust(0.05, 62.0, 2.2),
        gust(0.03, 40.0, 0.0),
        gust(0.03, 40.0, PI / 2.0),
        gust(0.04, 80.0, 0.8),
        gust(0.015, 36.0, 0.0),
        -0.15 * push,
        0.0,
        0.06 * push * push,
        0.03 * hold,
        0.012 * ring,
    ];
    // The wide dent provides the remaining displacement: it holds the cloth at the ball's front
    // during contact, and oscillates after the cloth is released.
    let at_hit = modes(HIT);
    let cloth: f64 = at_hit.iter().zip(&q).map(|(mode, q)| mode.z * q).sum();
    let after = (progress - 1.0).max(0.0);
    let echo = 0.05 * (4.0 * PI * after).sin() / (1.0 + 8.0 * after * after);
    q[8] = hold * (front(meeting, progress) + LAG - cloth) / at_hit[8].z + echo;
    q
}
