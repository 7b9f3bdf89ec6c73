//! Cloth whose motion is known ahead: keyframes of all vertices.
//!
//! The scenes of Zachmann and Weller 2006, section 5, at their sizes. Their motions were
//! recorded; these are made by a small simulation or by formulas.

mod dress;
mod expanding_spheres;
mod shirt;
mod tablecloth;

use pliant::glam::{DAffine3, DVec3};
use pliant::{Error, Mesh, Result};

use crate::Character;

pub use dress::dress;
pub use expanding_spheres::{ExpandingSpheres, expanding_spheres};
pub use shirt::shirt;
pub use tablecloth::{TABLECLOTH_KEYFRAMES, Tablecloth, tablecloth};

/// Keyframes of a walk cycle; one more closes it.
pub const GARMENT_KEYFRAMES: usize = 10;

/// A mesh whose vertices move in straight lines between keyframes.
#[derive(Debug, Clone)]
pub struct KeyframedCloth {
    /// The first keyframe.
    pub mesh: Mesh,
    /// The times of the keyframes in seconds, strictly increasing.
    pub times: Vec<f64>,
    /// For each keyframe one position a vertex.
    pub frames: Vec<Vec<DVec3>>,
}

impl KeyframedCloth {
    /// The position of every vertex at a time: on the line between two keyframes, or that
    /// of the first or last keyframe before and after all.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] for a time that is not a number.
    pub fn positions(&self, time: f64) -> Result<Vec<DVec3>> {
        if time.is_nan() {
            let vector = [time; 3];
            return Err(Error::InvalidVector { what: "time", vector, reason: "not a number" });
        }
        let next = self.times.partition_point(|&keyframe| keyframe <= time);
        let keyframe = |at: usize| self.times.get(at).zip(self.frames.get(at));
        let before = next.checked_sub(1).and_then(keyframe);
        let (Some((start, from)), Some((end, to))) = (before, keyframe(next)) else {
            let nearest = if next == 0 { self.frames.first() } else { self.frames.last() };
            return Ok(nearest.cloned().unwrap_or_default());
        };
        let t = (time - start) / (end - start);
        Ok(from.iter().zip(to).map(|(a, &b)| a.lerp(b, t)).collect())
    }
}

/// A garment on the walking man.
#[derive(Debug, Clone)]
pub struct Garment {
    /// The cloth: [`GARMENT_KEYFRAMES`] keyframes a walk cycle and one to close it.
    pub cloth: KeyframedCloth,
    /// Who wears it; [`Character::pose`] gives his joints at any time.
    pub wearer: Character,
    /// His joint matrices at each keyframe.
    pub poses: Vec<Vec<DAffine3>>,
}

/// A garment from the position of its vertices at a time.
fn garment(
    wearer: Character,
    triangles: Vec<[u32; 3]>,
    positions: impl Fn(f64) -> Vec<DVec3>,
) -> Result<Garment> {
    let step = wearer.walk_period() / GARMENT_KEYFRAMES as f64;
    let times: Vec<f64> = (0..=GARMENT_KEYFRAMES).map(|frame| step * frame as f64).collect();
    let frames: Vec<Vec<DVec3>> = times.iter().map(|&time| positions(time)).collect();
    let poses = times.iter().map(|&time| wearer.pose(time)).collect();
    let mesh = Mesh::new(frames[0].clone(), triangles)?;
    Ok(Garment { cloth: KeyframedCloth { mesh, times, frames }, wearer, poses })
}
