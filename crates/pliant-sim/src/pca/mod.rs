//! Principal components of an animation: few displacement fields that reproduce all frames.

mod decompose;
mod vertex_error;

use pliant::deform::Modes;
use pliant::glam::DVec3;

use crate::limits::{MAX_COORDINATE, MAX_FRAMES};
use crate::{Error, Result};
use decompose::Components;

/// How many components to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keep {
    /// This many, the most important ones; fewer if the motion has fewer.
    Rank(usize),
    /// The fewest with which no vertex of any frame is off by more than this.
    Error(f64),
}

/// An animation as rest shape, modes and coordinates.
///
/// Vertex v of frame f is near `modes.displaced(rest[v], v, &coordinates[f])` and **never farther
/// from it than `largest_error`**. This is the distance in real arithmetic between the frame's
/// `f64` position and the computed `f64` position. A bound of the reduced body that is enlarged by
/// `largest_error` is therefore valid for the original animation.
#[derive(Debug, Clone)]
pub struct PrincipalComponents {
    /// The positions for q = 0: the mean of the frames, or the given shape.
    pub rest: Vec<DVec3>,
    /// The components, in descending order of motion. The largest displacement of a mode for a
    /// coordinate of 1 is 1, up to `f32` rounding, so coordinates are lengths.
    pub modes: Modes,
    /// One coordinate per mode, for each frame.
    pub coordinates: Vec<Vec<f64>>,
    /// No vertex of any frame is farther from its reduced position than this.
    pub largest_error: f64,
}

/// Splits an animation into its principal components. Of all linear models with the same number of
/// modes, the result has the least squared distance to the frames, up to rounding.
///
/// `rest` is the shape for q = 0; `None` uses the mean of the frames. Components that `f64` cannot
/// distinguish from rounding (below about 1e-7 of the strongest) are left out. Identical frames
/// therefore give no modes, and a vertex that does not move keeps its position.
///
/// Besides the frames this takes memory for the rest shape, 36 bytes per vertex and mode, and about
/// 40 bytes per pair of frames.
///
/// # Errors
/// [`Error::NoFrames`], [`Error::VertexCount`], [`Error::InvalidPosition`], [`Error::TooMany`] for
/// more than [`MAX_FRAMES`] frames, [`Error::InvalidSetting`] for an error that is negative or NaN,
/// [`Error::ErrorOutOfReach`] for one that the rounding of modes to `f32` does not allow.
///
/// ```
/// use pliant::glam::DVec3;
/// use pliant_sim::{Keep, principal_components};
///
/// // A string of 50 vertices with two waves.
/// let string = |t: f64| (0..50).map(|i| {
///     let x = f64::from(i) / 49.0 * std::f64::consts::PI;
///     DVec3::new(x, x.sin() * t.sin() + 0.1 * (2.0 * x).sin() * (2.0 * t).cos(), 0.0)
/// }).collect::<Vec<_>>();
/// let frames: Vec<_> = (0..40).map(|frame| string(0.3 * f64::from(frame))).collect();
///
/// let coarse = principal_components(&frames, None, Keep::Error(0.2))?;
/// let fine = principal_components(&frames, None, Keep::Error(1e-6))?;
/// assert_eq!((coarse.modes.count(), fine.modes.count()), (1, 2));
/// # Ok::<(), pliant_sim::Error>(())
/// ```
pub fn principal_components<F: AsRef<[DVec3]>>(
    frames: &[F],
    rest: Option<&[DVec3]>,
    keep: Keep,
) -> Result<PrincipalComponents> {
    let frames: Vec<&[DVec3]> = frames.iter().map(AsRef::as_ref).collect();
    check(&frames, rest)?;
    let rest = rest.map_or_else(|| mean(&frames), <[DVec3]>::to_vec);
    let components = Components::of(&frames, &rest)?;
    let rank = match keep {
        Keep::Rank(rank) => rank.min(components.rank()),
        Keep::Error(asked) => return fewest(&frames, rest, &components, asked),
    };
    let (fields, coordinates) = components.fields(&frames, &rest, rank);
    let modes = Modes::from_fields(rest.len(), &fields)?;
    let errors = vertex_error::by_rank(&frames, &rest, &modes, &coordinates, rank);
    Ok(PrincipalComponents { rest, modes, coordinates, largest_error: errors[0] })
}

/// The smallest number of components whose largest vertex error is at most the requested one.
fn fewest(
    frames: &[&[DVec3]],
    rest: Vec<DVec3>,
    components: &Components,
    asked: f64,
) -> Result<PrincipalComponents> {
    if asked.is_nan() || asked < 0.0 {
        let setting = "largest vertex error";
        return Err(Error::InvalidSetting { setting, value: asked, range: "0 and above" });
    }
    // The first modes of a model are the model of that rank, so one pass measures all ranks up to
    // its own. The number grows by half each time, so that little is computed in vain.
    let all = components.rank();
    let mut low = components.rank_of_mean_error(asked);
    let mut high = (low + low / 2 + 2).min(all);
    loop {
        let (mut fields, mut coordinates) = components.fields(frames, &rest, high);
        let modes = Modes::from_fields(rest.len(), &fields)?;
        let errors = vertex_error::by_rank(frames, &rest, &modes, &coordinates, low);
        if let Some(found) = errors.iter().position(|&error| error <= asked) {
            fields.truncate(low + found);
            coordinates.iter_mut().for_each(|coordinates| coordinates.truncate(low + found));
            let modes = Modes::from_fields(rest.len(), &fields)?;
            return Ok(PrincipalComponents {
                rest,
                modes,
                coordinates,
                largest_error: errors[found],
            });
        }
        if high == all {
            let reached = errors.last().copied().unwrap_or(f64::INFINITY);
            return Err(Error::ErrorOutOfReach { asked, rank: all, reached });
        }
        low = high + 1;
        high = (high + high / 2 + 2).min(all);
    }
}

/// Checks that all frames have the same number of vertices and that every coordinate is usable.
fn check(frames: &[&[DVec3]], rest: Option<&[DVec3]>) -> Result<()> {
    let Some(first) = frames.first() else { return Err(Error::NoFrames) };
    if frames.len() > MAX_FRAMES {
        let (what, count) = ("frames", frames.len() as f64);
        return Err(Error::TooMany { what, count, limit: MAX_FRAMES });
    }
    let numbered = frames.iter().enumerate().map(|(number, &frame)| ("frame", number, frame));
    for (what, number, shape) in numbered.chain(rest.map(|rest| ("rest shape", 0, rest))) {
        let (expected, given) = (first.len(), shape.len());
        if given != expected {
            return Err(Error::VertexCount { what, number, expected, given });
        }
        // Written so that NaN is not usable.
        let usable = |p: &DVec3| p.abs().cmple(DVec3::splat(MAX_COORDINATE)).all();
        if let Some(vertex) = shape.iter().position(|position| !usable(position)) {
            let position = shape[vertex].to_array();
            return Err(Error::InvalidPosition { what, number, vertex, position });
        }
    }
    Ok(())
}

/// The mean of the frames, computed from differences to the first frame, so that vertices which do
/// not move keep their exact position.
fn mean(frames: &[&[DVec3]]) -> Vec<DVec3> {
    let mut sum = vec![DVec3::ZERO; frames[0].len()];
    for frame in frames {
        for (sum, (&position, &first)) in sum.iter_mut().zip(frame.iter().zip(frames[0])) {
            *sum += position - first;
        }
    }
    let count = frames.len() as f64;
    frames[0].iter().zip(&sum).map(|(&first, &sum)| first + sum / count).collect()
}
