//! Villin's motion, rebuilt from the dihedrals of its alpha carbons.
//!
//! The data holds 10,000 frames of 32 dihedrals, and nothing else: positions are a reconstruction.
//! Neighbours are 3.8 ångströms apart, as alpha carbons are, and each angle between two
//! steps is that of the structure 1vii, whose last 35 residues these are.

use std::f64::consts::PI;
use std::fs;

use anyhow::{Context, Result, ensure};
use glam::{DAffine3, DMat3, DVec3};
use pliant_io::{AtomChoice, BeadRadius, Beads, read_structure};

use super::npy::read_npy;
use super::scenes::shared;

pub(crate) const DIHEDRALS: &str =
    "protein/villin/derived/villin_calpha_dihedrals_10000x32_f32.npy";
const STRUCTURE: &str = "protein/villin/1vii.pdb";

/// Between neighbours, in ångströms.
const STEP: f64 = 3.8;
/// Neighbours overlap by a hundredth.
pub(crate) const RADIUS: f64 = 0.505 * STEP;
/// Of the beads of the backbone: those of a residue overlap.
pub(crate) const BACKBONE_RADIUS: f64 = super::scenes::BACKBONE_RADIUS;

/// The run: a row of dihedrals a frame, and the angles that stay.
pub(crate) struct Villin {
    dihedrals: Vec<f32>,
    columns: usize,
    angles: Vec<f64>,
    /// N, CA and C of each residue of 1vii.
    backbone: Vec<DVec3>,
}

impl Villin {
    /// Reads the run; `None` if a file is not there.
    pub(crate) fn read() -> Result<Option<Self>> {
        let (Some(run), Some(structure)) = (shared(DIHEDRALS), shared(STRUCTURE)) else {
            return Ok(None);
        };
        let name = || run.display().to_string();
        let matrix = read_npy(&fs::read(&run).with_context(name)?).with_context(name)?;
        let atoms = read_structure(&structure)?;
        let beads = Beads::choose(&atoms, AtomChoice::AlphaCarbons, BeadRadius::Fixed(RADIUS));
        let mut centers = Vec::new();
        beads.positions(atoms.models.first().context("a structure has a model")?, &mut centers);
        let count = matrix.columns + 3;
        ensure!(centers.len() >= count, "{}: fewer residues than dihedrals", structure.display());
        let angles = angles(&centers[centers.len() - count..]);
        let atom = BeadRadius::Fixed(BACKBONE_RADIUS);
        let all = Beads::choose(&atoms, AtomChoice::Backbone, atom);
        let mut backbone = Vec::new();
        all.positions(atoms.models.first().context("a structure has a model")?, &mut backbone);
        Ok(Some(Self { dihedrals: matrix.values, columns: matrix.columns, angles, backbone }))
    }

    /// N, CA and C of all 36 residues in a frame: 108 beads. Each residue of 1vii is carried as a whole by
    /// the frame of its alpha carbon and the two beside it; the first, of which the run has no dihedral,
    /// by that of the second. `None` if there is no such frame.
    pub(crate) fn backbone_frame(&self, frame: usize) -> Option<Vec<DVec3>> {
        let now = self.frame(frame)?;
        let rest: Vec<DVec3> = self.backbone.iter().skip(1).step_by(3).copied().collect();
        let first = rest.len().checked_sub(now.len())?;
        let mut out = Vec::with_capacity(self.backbone.len());
        for (number, &atom) in self.backbone.iter().enumerate() {
            let near = (number / 3).clamp(first + 1, rest.len() - 2);
            let from = local_frame(&rest[near - 1..near + 2]);
            let to = local_frame(&now[near - first - 1..near - first + 2]);
            out.push((to * from.inverse()).transform_point3(atom));
        }
        Some(out)
    }

    pub(crate) fn frames(&self) -> usize {
        self.dihedrals.len() / self.columns
    }

    /// Where the beads are in a frame, the first at the origin; `None` if there is no such frame.
    pub(crate) fn frame(&self, frame: usize) -> Option<Vec<DVec3>> {
        let row = self.dihedrals.chunks(self.columns).nth(frame)?;
        Some(rebuilt(&self.angles, row.iter().map(|&angle| wrapped(f64::from(angle)))))
    }
}

/// Axes at the middle of three points.
fn local_frame(three: &[DVec3]) -> DAffine3 {
    let x = (three[2] - three[0]).normalize_or(DVec3::X);
    let z = x.cross(three[1] - three[0]).normalize_or(DVec3::Z);
    let matrix3 = DMat3::from_cols(x, z.cross(x), z);
    DAffine3 { matrix3, translation: three[1] }
}

/// The angle at each bead but the first and the last.
fn angles(centers: &[DVec3]) -> Vec<f64> {
    centers
        .windows(3)
        .map(|three| (three[0] - three[1]).angle_between(three[2] - three[1]))
        .collect()
}

/// From -pi to pi.
fn wrapped(angle: f64) -> f64 {
    angle - 2.0 * PI * (angle / (2.0 * PI)).round()
}

/// A chain by its angles and dihedrals: of each bead, the direction of the last step turned by the
/// angle, in the plane that the dihedral says.
fn rebuilt(angles: &[f64], dihedrals: impl Iterator<Item = f64>) -> Vec<DVec3> {
    let turn = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        DVec3::new(-cos, sin, 0.0) * STEP
    };
    let mut chain = vec![DVec3::ZERO, DVec3::X * STEP];
    chain.extend(angles.first().map(|&angle| DVec3::X * STEP + turn(angle)));
    for (&angle, dihedral) in angles.iter().skip(1).zip(dihedrals) {
        let [.., a, b, c] = chain[..] else { break };
        let along = (c - b).normalize_or(DVec3::X);
        let normal = (b - a).cross(along).normalize_or(DVec3::Z);
        let aside = normal.cross(along);
        let (sin, cos) = dihedral.sin_cos();
        let bent = turn(angle);
        chain.push(c + along * bent.x + aside * (bent.y * cos) + normal * (bent.y * sin));
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::necklace::rivals::check_all;
    use pliant::Necklace;
    use pliant::necklace::{ClashFront, brute_force};

    fn dihedral(p: &[DVec3]) -> f64 {
        let [u, v, w] = [p[1] - p[0], p[2] - p[1], p[3] - p[2]];
        let (m, n) = (u.cross(v), v.cross(w));
        (m.cross(n).dot(v) / v.length()).atan2(m.dot(n))
    }

    #[test]
    fn a_chain_has_the_angles_and_dihedrals_that_it_was_built_from() {
        let given = [1.5, 1.9, 2.2, 1.6, 2.0];
        let turns = [0.5, -2.0, 3.0, -0.1];
        let chain = rebuilt(&given, turns.into_iter());
        assert_eq!(chain.len(), 7);
        for (found, expected) in angles(&chain).into_iter().zip(given) {
            assert!((found - expected).abs() < 1e-9);
        }
        for (four, expected) in chain.windows(4).zip(turns) {
            assert!((dihedral(four) - expected).abs() < 1e-9, "{} {expected}", dihedral(four));
        }
        assert!(chain.windows(2).all(|two| (two[0].distance(two[1]) - STEP).abs() < 1e-9));
        assert!((wrapped(6.2) - (6.2 - 2.0 * PI)).abs() < 1e-12 && wrapped(1.0) == 1.0);
    }

    /// All frames from scratch, and a stretch of them with a front.
    #[test]
    fn clashes_of_villin_are_those_of_brute_force() {
        let Some(villin) = Villin::read().unwrap() else {
            println!("skipped: {}", super::super::scenes::absent(DIHEDRALS));
            return;
        };
        assert_eq!((villin.frames(), villin.frame(10_000)), (10_000, None));
        let backbone = villin.backbone_frame(17).unwrap();
        assert_eq!(backbone.len(), 108);
        // Residues keep their shape, and alpha carbons are those of the frame.
        for (residue, atoms) in backbone.chunks(3).enumerate() {
            let rest = &villin.backbone[3 * residue..3 * residue + 3];
            for (a, b) in [(0, 1), (1, 2), (0, 2)] {
                let change = atoms[a].distance(atoms[b]) - rest[a].distance(rest[b]);
                assert!(change.abs() < 1e-9, "{residue}");
            }
        }
        for (atoms, alpha) in backbone.chunks(3).skip(2).zip(&villin.frame(17).unwrap()[1..34]) {
            assert!(atoms[1].distance(*alpha) < 1e-9);
        }
        let mut clashing = 0;
        for frame in 0..villin.frames() {
            let centers = villin.frame(frame).unwrap();
            assert_eq!(centers.len(), 35);
            // Larger beads too, so that there is something to find.
            for radius in [RADIUS, 1.5 * RADIUS] {
                let necklace = Necklace::open(&centers, radius).unwrap();
                clashing += usize::from(!check_all(&necklace, false).unwrap().is_empty());
            }
        }
        assert!(clashing > 10_000, "{clashing}");
        let first = Necklace::open(&villin.frame(0).unwrap(), 1.2 * RADIUS).unwrap();
        let mut front = ClashFront::new(first.clone(), 2);
        let mut necklace = first;
        for frame in 1..500 {
            let centers = villin.frame(frame).unwrap();
            necklace.set_positions(&centers).unwrap();
            let found = front.step(&centers).unwrap();
            assert_eq!(found.pairs, brute_force::clashes(&necklace, 2).pairs, "frame {frame}");
        }
    }
}
