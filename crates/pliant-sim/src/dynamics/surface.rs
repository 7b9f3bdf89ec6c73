//! A surface that moves by itself.

use pliant::AnyBody;
use pliant::glam::DAffine3;

use crate::{Error, Result};

/// How a surface moves. Frames are blended linearly in time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SurfaceMotion {
    /// It stands.
    Still,
    /// A keyframed body moves along its keyframes, and stands after the last.
    Keyframes,
    /// A reduced body repeats these coordinates; the first frame follows the last.
    Coordinates {
        /// One number per mode and frame.
        frames: Vec<Vec<f64>>,
        /// Frames per second.
        rate: f64,
    },
    /// A skinned body, blended linearly, repeats these poses; the first frame follows the last.
    Poses {
        /// One map per joint and frame, from the mesh at rest to the world.
        frames: Vec<Vec<DAffine3>>,
        /// Frames per second.
        rate: f64,
    },
}

/// A body as an obstacle. Proxies touch its nearest triangle.
///
/// Where it is depends on the time alone, so a simulation that goes on from a file finds it where
/// it was.
#[derive(Debug, Clone)]
pub struct SurfaceObstacle {
    now: AnyBody,
    /// One step later: velocities are differences.
    ahead: AnyBody,
    motion: SurfaceMotion,
}

impl SurfaceObstacle {
    /// A body that moves in this way, at time 0.
    ///
    /// # Errors
    /// [`Error::Obstacle`] if the motion is not for this kind of body, or has no frames or no
    /// usable rate; errors of the body for frames that it refuses.
    pub fn new(body: impl Into<AnyBody>, motion: SurfaceMotion) -> Result<Self> {
        let body = body.into();
        let refuse = |reason| Err(Error::Obstacle { reason });
        let frames = match (&motion, &body) {
            (SurfaceMotion::Still, _) | (SurfaceMotion::Keyframes, AnyBody::Keyframed(_)) => None,
            (SurfaceMotion::Coordinates { frames, rate }, AnyBody::Reduced(_)) => {
                Some((frames.len(), *rate))
            }
            (SurfaceMotion::Poses { frames, rate }, AnyBody::Skinned(_)) => {
                Some((frames.len(), *rate))
            }
            _ => return refuse("this motion is for another kind of body"),
        };
        if let Some((count, rate)) = frames {
            if count == 0 {
                return refuse("the motion has no frames");
            }
            if !(rate > 0.0 && rate.is_finite()) {
                return refuse("the rate of frames is not a positive, finite number");
            }
        }
        let mut made = Self { ahead: body.clone(), now: body, motion };
        // Every frame is checked now, so that a run does not end at one.
        if let Some((count, rate)) = frames {
            for frame in 0..count {
                set(&mut made.now, &made.motion, frame as f64 / rate)?;
            }
        }
        made.follow(0.0, 0.0)?;
        Ok(made)
    }

    /// The body where it is now.
    #[must_use]
    pub fn body(&self) -> &AnyBody {
        &self.now
    }

    /// How it moves.
    #[must_use]
    pub fn motion(&self) -> &SurfaceMotion {
        &self.motion
    }

    /// Moves it to a time, to look at. A step moves it to its own time in any case.
    ///
    /// # Errors
    /// Those of the body; none for a time that is finite and not negative.
    pub fn move_to(&mut self, time: f64) -> Result<()> {
        self.follow(time, 0.0)
    }

    pub(super) fn bodies(&self) -> [&AnyBody; 2] {
        [&self.now, &self.ahead]
    }

    pub(super) fn follow(&mut self, time: f64, step: f64) -> Result<()> {
        set(&mut self.now, &self.motion, time)?;
        set(&mut self.ahead, &self.motion, time + step)
    }
}

/// Moves a body to a time.
fn set(body: &mut AnyBody, motion: &SurfaceMotion, time: f64) -> Result<()> {
    match (motion, body) {
        (SurfaceMotion::Keyframes, AnyBody::Keyframed(body)) => {
            let time = time.min(body.deformation().until());
            if time >= body.time() { body.advance(time)? } else { body.rewind(time)? }
        }
        (SurfaceMotion::Coordinates { frames, rate }, AnyBody::Reduced(body)) => {
            let ([from, to], share) = around(frames, time * rate);
            let blend = |(a, b): (&f64, &f64)| a + share * (b - a);
            let q: Vec<f64> = from.iter().zip(to).map(blend).collect();
            body.set_coordinates(&q)?;
        }
        (SurfaceMotion::Poses { frames, rate }, AnyBody::Skinned(body)) => {
            let ([from, to], share) = around(frames, time * rate);
            let blend = |(a, b): (&DAffine3, &DAffine3)| DAffine3 {
                matrix3: a.matrix3 * (1.0 - share) + b.matrix3 * share,
                translation: a.translation.lerp(b.translation, share),
            };
            let pose: Vec<DAffine3> = from.iter().zip(to).map(blend).collect();
            body.set_pose(&pose, &[])?;
        }
        _ => {}
    }
    Ok(())
}

/// The frames around a place in a motion that repeats, and how far it is from the first to the
/// second.
fn around<T>(frames: &[Vec<T>], place: f64) -> ([&[T]; 2], f64) {
    let place = place.rem_euclid(frames.len() as f64);
    let at = (place as usize).min(frames.len() - 1);
    ([&frames[at], &frames[(at + 1) % frames.len()]], place - at as f64)
}
