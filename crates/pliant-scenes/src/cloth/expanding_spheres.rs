//! Two spheres that expand until they touch.

use pliant::glam::{DQuat, DVec3};
use pliant::{Mesh, Result};

use super::KeyframedCloth;
use crate::check::{at_least, triangle_count};
use crate::icosphere;
use crate::subdivide::subdivide;

/// Two spheres whose vertices move radially outward.
///
/// Vertex v of sphere s is at `spheres[s].positions()[v] + t * velocities[s][v]`. The radius is 0.5
/// at first and grows by 0.5 per second. At [`Self::CONTACT_TIME`] the spheres touch at the origin,
/// each with one vertex, and every velocity reverses.
#[derive(Debug, Clone)]
pub struct ExpandingSpheres {
    /// The spheres at the start, around x = -1 and x = 1. The second is the mirror image of the
    /// first.
    pub spheres: [Mesh; 2],
    /// The velocity of each vertex until contact in metres per second; afterwards it is reversed.
    pub velocities: [Vec<DVec3>; 2],
}

impl ExpandingSpheres {
    /// The time of contact in seconds.
    pub const CONTACT_TIME: f64 = 1.0;

    /// The two motions as keyframes: start, contact, and start again.
    ///
    /// # Errors
    /// None in practice; all generators have this type.
    pub fn keyframes(&self) -> Result<[KeyframedCloth; 2]> {
        let one = |sphere: usize| -> Result<KeyframedCloth> {
            let start = self.spheres[sphere].positions().to_vec();
            let flown = start.iter().zip(&self.velocities[sphere]);
            let contact = flown.map(|(&p, &v)| p + v * Self::CONTACT_TIME).collect();
            let times = vec![0.0, Self::CONTACT_TIME, 2.0 * Self::CONTACT_TIME];
            let frames = vec![start.clone(), contact, start];
            Ok(KeyframedCloth { mesh: self.spheres[sphere].clone(), times, frames })
        };
        Ok([one(0)?, one(1)?])
    }
}

/// Returns two expanding spheres of about `faces` triangles each: 20 k^2 for the nearest integer k.
/// Those of Zachmann and Weller have 2000 (k = 10) to 40,000 (k = 45: 40,500).
///
/// Square roots are the only irrational operation, so the bits are the same on every machine.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for fewer than 20 faces, [`pliant::Error::TooMany`].
///
/// ```
/// let scene = pliant_scenes::expanding_spheres(2000)?;
/// assert_eq!(scene.spheres[0].triangles().len(), 2000);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn expanding_spheres(faces: usize) -> Result<ExpandingSpheres> {
    at_least(20, "faces", faces, "20..")?;
    triangle_count(Some(faces))?;
    let parts = (faces as f64 / 20.0).sqrt().round().max(1.0) as u32;
    let solid = icosphere(0)?;
    // One corner lies exactly on the x axis; the spheres touch there.
    let turn = DQuat::from_rotation_arc(solid.positions()[0], DVec3::X);
    let mut corners: Vec<DVec3> = solid.positions().iter().map(|&corner| turn * corner).collect();
    corners[0] = DVec3::X;
    let finer = subdivide(solid.triangles(), parts);
    let directions: Vec<DVec3> =
        finer.vertices.iter().map(|vertex| vertex.of(&corners).normalize()).collect();
    let mirror = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
    let speed: Vec<DVec3> = directions.iter().map(|&d| 0.5 * d).collect();
    let start: Vec<DVec3> = speed.iter().map(|&v| v - DVec3::X).collect();
    let mirrored = start.iter().copied().map(mirror).collect();
    let turned = finer.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    Ok(ExpandingSpheres {
        velocities: [speed.clone(), speed.into_iter().map(mirror).collect()],
        spheres: [Mesh::new(start, finer.triangles)?, Mesh::new(mirrored, turned)?],
    })
}
