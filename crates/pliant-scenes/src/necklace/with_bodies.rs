//! Necklaces that meet bodies: a rope around a walking man, and a protein against a surface.

use std::f64::consts::TAU;

use pliant::glam::DVec3;
use pliant::{Mesh, Result};

use super::{Beads, random_protein_of};
use crate::character::{Character, man};
use crate::grid::grid;

/// Beads of the rope of [`roped_man`].
pub const ROPE_BEADS: usize = 600;

/// A walking man with a rope around his waist.
#[derive(Debug, Clone)]
pub struct RopedMan {
    /// The man; [`Character::pose`] says where his joints are.
    pub man: Character,
    /// The radius of the rope's beads.
    pub radius: f64,
}

/// Returns a man with a rope wound three times around his waist, which he drags along as he walks:
/// it swings a little behind him, and touches him here and there all the time.
///
/// # Errors
/// None in practice; all generators have this type.
///
/// ```
/// let scene = pliant_scenes::roped_man()?;
/// assert_eq!(scene.rope(0.5).len(), pliant_scenes::ROPE_BEADS);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn roped_man() -> Result<RopedMan> {
    Ok(RopedMan { man: man()?, radius: 0.006 })
}

impl RopedMan {
    /// The centres of the rope's beads at a time in seconds.
    #[must_use]
    pub fn rope(&self, time: f64) -> Vec<DVec3> {
        let waist = self.man.joint("waist").unwrap_or_default();
        let rest = self.man.joints.get(waist).map_or(DVec3::Y, |joint| joint.rest);
        // The rope hangs on the waist, and lags behind it.
        let joint = |time: f64| {
            self.man.pose(time).get(waist).map_or(rest, |joint| joint.transform_point3(rest))
        };
        let middle = joint(time - 0.02);
        let sway = 0.01 * (TAU * time / self.man.walk_period()).sin();
        (0..ROPE_BEADS)
            .map(|bead| {
                let part = bead as f64 / (ROPE_BEADS - 1) as f64;
                let angle = 3.0 * TAU * part;
                let reach = 0.15 + 0.02 * (2.0 * angle).cos() + 0.01 * part;
                let drop = 0.08 * (part - 0.5) + sway * angle.sin();
                middle + DVec3::new(reach * angle.cos(), drop, 0.75 * reach * angle.sin())
            })
            .collect()
    }
}

/// A protein above a wavy surface. Lengths are in ångström.
#[derive(Debug, Clone)]
pub struct ProteinOnSurface {
    /// The protein where it is farthest from the surface.
    pub protein: Beads,
    /// The surface.
    pub surface: Mesh,
    /// How far the protein sinks.
    pub way: f64,
}

/// Returns a [random protein](random_protein_of) of so many beads and a surface into which it sinks:
/// apart at first, a third of it below the surface's hills at the end.
///
/// # Errors
/// [`Error::InvalidSetting`](pliant::Error::InvalidSetting) for fewer than 2 beads.
///
/// ```
/// let scene = pliant_scenes::protein_on_surface(300, 1)?;
/// assert_eq!((scene.beads(0.0).len(), scene.surface.triangles().len()), (300, 7200));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn protein_on_surface(beads: usize, seed: u64) -> Result<ProteinOnSurface> {
    let mut protein = random_protein_of(beads, seed)?;
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for p in &protein.positions {
        (low, high) = (low.min(*p), high.max(*p));
    }
    let size = (high - low).max_element() + 20.0;
    let flat = grid(60, 60, size, size)?;
    let hill = |p: &DVec3| 2.0 * (0.25 * p.x).sin() * (0.2 * p.z).cos();
    let hilly = flat.positions().iter().map(|p| DVec3::new(p.x, p.y + hill(p), p.z)).collect();
    let surface = Mesh::new(hilly, flat.triangles().to_vec())?;
    // Above the highest hill by the size of a bead.
    let middle = (low + high) / 2.0;
    let up = DVec3::new(-middle.x, 2.0 + 2.0 * protein.radius - low.y, -middle.z);
    protein.positions.iter_mut().for_each(|p| *p += up);
    Ok(ProteinOnSurface { protein, surface, way: 4.0 + (high.y - low.y) / 3.0 })
}

impl ProteinOnSurface {
    /// The beads at a progress from 0, apart, to 1.
    #[must_use]
    pub fn beads(&self, progress: f64) -> Vec<DVec3> {
        self.protein.positions.iter().map(|&p| p - DVec3::Y * (self.way * progress)).collect()
    }
}
