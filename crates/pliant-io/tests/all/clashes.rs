//! Clashes in real molecules: every method compared with all pairs, for every structure and frame.

use std::path::{Path, PathBuf};

use pliant::Necklace;
use pliant::glam::DVec3;
use pliant::necklace::{
    ClashFront, Layered, Verification, Wrapped, brute_force, clashes, clashes_by_blocks,
    clashes_by_cells, separate_self,
};
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant_io::{AtomChoice, BeadRadius, Beads, Structure, Trajectory, read_structure};

/// A file of the real molecules; prints a message if it is absent.
fn protein(file: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let data = std::env::var("PLIANT_SHARED_DATA").unwrap_or_else(|_| beside.into());
    let path = Path::new(&data).join("protein").join(file);
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}

/// The beads of a structure in its first model.
fn necklace(structure: &Structure, beads: &Beads) -> Necklace {
    let mut centers = Vec::new();
    beads.positions(&structure.models[0], &mut centers);
    let balls = centers.iter().zip(&beads.radii);
    let balls = balls.map(|(&center, &radius)| Ball::new(center, radius)).collect();
    let chains = beads.chains.iter();
    let chains: Vec<Chain> =
        chains.map(|&(first, end)| Chain { beads: end - first, closed: false }).collect();
    Necklace::new(balls, &chains).unwrap()
}

/// Checks every method that starts from scratch and returns the number of clashes.
fn check(necklace: &Necklace, min_gap: u32, what: &str) -> usize {
    let expected = brute_force::clashes(necklace, min_gap).pairs;
    assert_eq!(clashes(necklace, min_gap).pairs, expected, "{what}: the choice by density");
    assert_eq!(clashes_by_cells(necklace, min_gap).pairs, expected, "{what}: cells");
    assert_eq!(clashes_by_blocks(necklace, min_gap).pairs, expected, "{what}: boxes");
    let layered = separate_self(&Layered::new(necklace.clone()), min_gap);
    assert_eq!(layered.clashes(), expected, "{what}: layered");
    let wrapped = separate_self(&Wrapped::new(necklace.clone()), min_gap);
    assert_eq!(wrapped.clashes(), expected, "{what}: wrapped");
    expected.len()
}

/// Checks every incremental method over all frames and returns the number of frames with clashes.
fn follow(first: &Necklace, min_gap: u32, frames: &[Vec<DVec3>], what: &str) -> usize {
    let mut now = first.clone();
    let mut front = ClashFront::new(first.clone(), min_gap);
    let mut wrapped = Wrapped::new(first.clone());
    let mut family = separate_self(&wrapped, min_gap);
    let mut clashing = 0;
    for (number, centers) in frames.iter().enumerate() {
        let what = format!("{what}, frame {number}");
        now.set_positions(centers).unwrap();
        clashing += usize::from(check(&now, min_gap, &what) > 0);
        let expected = clashes(&now, min_gap).pairs;
        assert_eq!(front.step(centers).unwrap().pairs, expected, "{what}: front");
        wrapped.advance(centers, Verification::Cascade).unwrap();
        family = family.again_self(&wrapped).unwrap();
        assert_eq!(family.clashes(), expected, "{what}: last family");
    }
    clashing
}

/// All choices of atoms, with radii from barely linked to strongly overlapping.
fn choices() -> impl Iterator<Item = (AtomChoice, BeadRadius, u32)> {
    [
        (AtomChoice::AlphaCarbons, BeadRadius::VanDerWaals, 2),
        (AtomChoice::AlphaCarbons, BeadRadius::Fixed(2.6), 2),
        (AtomChoice::Backbone, BeadRadius::Fixed(0.78), 2),
        (AtomChoice::Backbone, BeadRadius::VanDerWaals, 4),
        (AtomChoice::All, BeadRadius::VanDerWaals, 2),
        (AtomChoice::All, BeadRadius::VanDerWaals, 6),
    ]
    .into_iter()
}

#[test]
fn every_structure() {
    for file in [
        "villin/1vii.pdb",
        "villin/1vii.cif",
        "ubiquitin/1ubq.pdb",
        "bpti/bpti_ca.pdb",
        "static/1hv4.pdb",
    ] {
        let Some(path) = protein(file) else { continue };
        let structure = read_structure(path).unwrap();
        let mut clashing = 0;
        for (atoms, radius, min_gap) in choices() {
            let beads = Beads::choose(&structure, atoms, radius);
            let what = format!("{file}, {atoms:?}, {radius:?}, {min_gap}");
            clashing += check(&necklace(&structure, &beads), min_gap, &what);
        }
        assert!(clashing > 0, "{file}: nothing was there to find");
    }
}

#[test]
fn every_model_of_trp_cage() {
    let Some(path) = protein("trpcage/1l2y.pdb") else { return };
    let structure = read_structure(path).unwrap();
    for (atoms, radius, min_gap) in choices() {
        let beads = Beads::choose(&structure, atoms, radius);
        let model = |positions: &Vec<DVec3>| {
            let mut centers = Vec::new();
            beads.positions(positions, &mut centers);
            centers
        };
        let frames: Vec<_> = structure.models.iter().map(model).collect();
        assert_eq!(frames.len(), 38);
        let what = format!("trp-cage, {atoms:?}, {radius:?}, {min_gap}");
        follow(&necklace(&structure, &beads), min_gap, &frames, &what);
    }
}

#[test]
fn every_frame_of_bpti() {
    let Some(path) = protein("bpti/bpti_ca.pdb") else { return };
    let structure = read_structure(path).unwrap();
    for file in ["bpti/bpti_mini.dcd", "bpti/bpti_mini.xtc"] {
        let Some(run) = protein(file) else { continue };
        let mut trajectory = Trajectory::open(run, structure.atoms.len()).unwrap();
        let (mut frames, mut positions) = (Vec::new(), Vec::new());
        while trajectory.read(&mut positions).unwrap() {
            frames.push(positions.clone());
        }
        assert_eq!(frames.len(), 100, "{file}");
        // Alpha carbons are at least 3.8 apart; larger beads clash in some frames or in all.
        for radius in [1.92, 2.3, 2.6, 3.5] {
            let radius = BeadRadius::Fixed(radius);
            let beads = Beads::choose(&structure, AtomChoice::AlphaCarbons, radius);
            let what = format!("{file}, {radius:?}");
            let clashing = follow(&necklace(&structure, &beads), 3, &frames, &what);
            assert!(radius != BeadRadius::Fixed(3.5) || clashing == 100, "{what}: {clashing}");
        }
    }
}
