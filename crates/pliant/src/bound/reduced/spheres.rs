//! Spheres from coordinates (James and Pai 2004, section 3.2).

use glam::{DVec3, Vec4};

use super::{RestTable, RowUnits, rounding};
use crate::Mesh;
use crate::deform::Modes;
use crate::numeric::smallest_ball_center;
use crate::tree::Tree;
use crate::volume::{Sphere, rest_sphere};

/// The point from which the size of a node's displacements by a mode is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SphereCenter {
    /// The mean of the displacements, as in the paper. At rest the centre of the box.
    Mean,
    /// The centre of the smallest ball around the displacements, which gives the least size.
    #[default]
    SmallestBall,
}

impl RestTable<Sphere> {
    /// The table with centres of the caller's choice.
    pub(super) fn around(
        mesh: &Mesh,
        tree: &Tree,
        modes: &Modes,
        units: &RowUnits,
        center: SphereCenter,
    ) -> Self {
        let rounding = rounding(modes.count());
        Self::new(mesh, tree, modes, units, |points, mode| -> Vec4 {
            let middle = match (center, mode) {
                (SphereCenter::SmallestBall, _) => smallest_ball_center(points),
                (SphereCenter::Mean, Some(_)) => points.iter().sum::<DVec3>() / points.len() as f64,
                (SphereCenter::Mean, None) => {
                    let min = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
                    let max = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
                    min * 0.5 + max * 0.5
                }
            };
            rest_sphere(middle, points, rounding)
        })
    }
}
