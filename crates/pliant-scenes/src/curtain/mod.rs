//! A ball that meets a curtain in the wind.
//!
//! This is the scene of table 2 in James and Pai 2004: a curtain of 6184 vertices and 12,020
//! triangles, twelve modes, 110 frames. Their animation was recorded; this motion is similar and
//! defined by formulas. There are two versions: a ball that swings into the cloth and stays for
//! more than half of the time, for studying contact, and one that is thrown, as theirs was.

mod choreography;
mod cloth;
mod modes;

use pliant::glam::DVec3;
use pliant::{Error, Mesh, Result};

use crate::add_modes::add_modes;
use crate::icosphere;

pub use choreography::{BALL_RADIUS, CONTACT_FRAMES, FRAMES, THROWN_CONTACT_FRAMES};
use choreography::{Meeting, SWUNG, THROWN};
pub use modes::MODES;

/// A curtain and its animation: at frame f, vertex v is at
/// `rest[v] + modes[0][v] * q[0] + ... + modes[11][v] * q[11]` with `q = coordinates[f]`.
#[derive(Debug, Clone)]
pub struct Curtain {
    /// The curtain in still air, hanging from six tabs at y = 2.5, with its middle at x = z = 0.
    pub mesh: Mesh,
    /// [`MODES`] displacement fields with one vector per vertex.
    pub modes: Vec<Vec<DVec3>>,
    /// [`FRAMES`] states with [`MODES`] numbers each.
    pub coordinates: Vec<[f64; MODES]>,
}

/// The ball that meets the curtain. It translates without rotation.
#[derive(Debug, Clone)]
pub struct Ball {
    /// A sphere of [`BALL_RADIUS`] around the origin.
    pub mesh: Mesh,
    /// The position of its centre in each of the [`FRAMES`] frames.
    pub centers: Vec<DVec3>,
}

/// Curtain and ball in one scene: apart, in contact during [`CONTACT_FRAMES`] (or
/// [`THROWN_CONTACT_FRAMES`] if the ball is thrown), and apart again.
#[derive(Debug, Clone)]
pub struct CurtainAndBall {
    /// The curtain.
    pub curtain: Curtain,
    /// The ball.
    pub ball: Ball,
}

/// Returns the curtain at a resolution.
///
/// `refinements` = 0 gives exactly 6184 vertices and 12,020 triangles. Each further refinement cuts
/// every triangle into four; 3 give 769,280. New vertices take rest position and modes from the
/// same smooth functions and are not interpolated: they lie on the surface that the base
/// approximates.
///
/// # Errors
/// [`Error::TooMany`] for more than 8 refinements.
///
/// ```
/// let curtain = pliant_scenes::curtain(0)?;
/// assert_eq!((curtain.mesh.positions().len(), curtain.mesh.triangles().len()), (6184, 12_020));
/// assert_eq!((curtain.modes.len(), curtain.coordinates.len()), (12, 110));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn curtain(refinements: u32) -> Result<Curtain> {
    blown(refinements, &SWUNG)
}

fn blown(refinements: u32, meeting: &Meeting) -> Result<Curtain> {
    let (places, triangles) = cloth::cut(refinements)?;
    let mut fields = vec![Vec::new(); MODES];
    for &place in &places {
        for (field, displacement) in fields.iter_mut().zip(modes::modes(place)) {
            field.push(displacement);
        }
    }
    Ok(Curtain {
        mesh: Mesh::new(places.into_iter().map(cloth::rest).collect(), triangles)?,
        modes: fields,
        coordinates: (0..FRAMES).map(|frame| choreography::coordinates(meeting, frame)).collect(),
    })
}

/// Returns the curtain of [`curtain()`] and a ball of 20 * 4^`ball_subdivisions` triangles.
///
/// A ball of 4 subdivisions, 5120 triangles, is about as fine as the base curtain.
///
/// # Errors
/// [`Error::TooMany`], as for [`curtain()`] and [`icosphere`].
pub fn curtain_and_ball(refinements: u32, ball_subdivisions: u32) -> Result<CurtainAndBall> {
    meeting(refinements, ball_subdivisions, &SWUNG)
}

/// The same as [`curtain_and_ball`] with a thrown ball: the two cross only in
/// [`THROWN_CONTACT_FRAMES`].
///
/// # Errors
/// The same as for [`curtain_and_ball`].
///
/// ```
/// let scene = pliant_scenes::curtain_and_thrown_ball(0, 1)?;
/// let step = scene.ball.centers[0].distance(scene.ball.centers[1]);
/// assert!((30.0 * step - 2.0).abs() < 0.1); // metres per second
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn curtain_and_thrown_ball(refinements: u32, ball_subdivisions: u32) -> Result<CurtainAndBall> {
    meeting(refinements, ball_subdivisions, &THROWN)
}

fn meeting(refinements: u32, ball_subdivisions: u32, meeting: &Meeting) -> Result<CurtainAndBall> {
    let sphere = icosphere(ball_subdivisions)?;
    let positions = sphere.positions().iter().map(|&p| BALL_RADIUS * p).collect();
    let ball = Ball {
        mesh: Mesh::new(positions, sphere.triangles().to_vec())?,
        centers: (0..FRAMES).map(|frame| choreography::ball_center(meeting, frame)).collect(),
    };
    Ok(CurtainAndBall { curtain: blown(refinements, meeting)?, ball })
}

impl Curtain {
    /// The position of every vertex at a frame.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a frame that does not exist.
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>> {
        let mut positions = vec![DVec3::ZERO; self.mesh.positions().len()];
        self.positions_into(frame, &mut positions)?;
        Ok(positions)
    }

    /// Writes the position of every vertex at a frame.
    ///
    /// The modes are added to the rest position in their order.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a frame that does not exist, [`Error::CountMismatch`] for a
    /// slice of another length.
    pub fn positions_into(&self, frame: usize, positions: &mut [DVec3]) -> Result<()> {
        let Some(coordinates) = self.coordinates.get(frame) else {
            return Err(Error::InvalidSetting { setting: "frame", value: frame, range: "0..110" });
        };
        let rest = self.mesh.positions();
        if positions.len() != rest.len() {
            return Err(Error::CountMismatch {
                what: "vertices",
                expected: rest.len(),
                given: positions.len(),
            });
        }
        positions.copy_from_slice(rest);
        add_modes(positions, &self.modes, coordinates);
        Ok(())
    }
}
