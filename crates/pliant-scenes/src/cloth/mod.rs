//! Cloth with known motion: keyframes of all vertices.
//!
//! These are the scenes of Zachmann and Weller 2006, section 7, at their sizes. Their motions were
//! recorded; these come from a small simulation or from formulas.

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

/// Keyframes per walk cycle; one more closes the cycle.
pub const GARMENT_KEYFRAMES: usize = 10;

/// A mesh whose vertices move linearly between keyframes.
#[derive(Debug, Clone)]
pub struct KeyframedCloth {
    /// The first keyframe.
    pub mesh: Mesh,
    /// The times of the keyframes in seconds, strictly increasing.
    pub times: Vec<f64>,
    /// One position per vertex, for each keyframe.
    pub frames: Vec<Vec<DVec3>>,
}

impl KeyframedCloth {
    /// The position of every vertex at a time, interpolated linearly between two keyframes. Before
    /// the first and after the last keyframe, it is that of the keyframe.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] for a time that is NaN.
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
    /// The cloth: [`GARMENT_KEYFRAMES`] keyframes per walk cycle and one that closes it.
    pub cloth: KeyframedCloth,
    /// The wearer; [`Character::pose`] returns its joints at any time.
    pub wearer: Character,
    /// The wearer's joint matrices at each keyframe.
    pub poses: Vec<Vec<DAffine3>>,
}

/// Makes a garment from a function that returns the vertex positions at a time.
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
