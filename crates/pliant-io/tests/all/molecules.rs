//! Molecules from real files and from files with false claims.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_io::{
    AtomChoice, BeadRadius, Beads, Structure, Trajectory, read_mmcif, read_pdb, read_structure,
};
use proptest::prelude::*;

use crate::written::{dcd, tiny_xtc};

/// The folder of real molecules; prints a message if it is absent.
fn proteins() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let data = std::env::var("PLIANT_SHARED_DATA").unwrap_or_else(|_| beside.into());
    let folder = Path::new(&data).join("protein");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} is not there", folder.display());
    None
}

fn alpha_carbons(structure: &Structure) -> Beads {
    Beads::choose(structure, AtomChoice::AlphaCarbons, BeadRadius::VanDerWaals)
}

#[test]
fn real_structures_have_the_residues_that_they_are_known_for() {
    let Some(folder) = proteins() else { return };
    for (file, residues, models) in [
        ("villin/1vii.pdb", 36, 1),
        ("villin/1vii.cif", 36, 1),
        ("ubiquitin/1ubq.pdb", 76, 1),
        ("trpcage/1l2y.pdb", 20, 38),
        ("bpti/bpti_ca.pdb", 58, 1),
    ] {
        let structure = read_structure(folder.join(file)).unwrap();
        assert_eq!(alpha_carbons(&structure).atoms.len(), residues, "{file}");
        assert_eq!(structure.models.len(), models, "{file}");
    }
    let large = read_structure(folder.join("static/1hv4.pdb")).unwrap();
    assert!(alpha_carbons(&large).chains.len() >= 8);
}

#[test]
fn pdb_and_mmcif_say_the_same() {
    let Some(folder) = proteins() else { return };
    let pdb = read_structure(folder.join("villin/1vii.pdb")).unwrap();
    let cif = read_structure(folder.join("villin/1vii.cif")).unwrap();
    assert_eq!(pdb.models, cif.models);
    let labels = |structure: &Structure| -> Vec<String> {
        structure.atoms.iter().map(|atom| atom.label()).collect()
    };
    assert_eq!(labels(&pdb), labels(&cif));
}

fn frames(file: &Path, atoms: usize) -> Vec<Vec<pliant::glam::DVec3>> {
    let mut trajectory = Trajectory::open(file, atoms).unwrap();
    let (mut frames, mut positions) = (Vec::new(), Vec::new());
    while trajectory.read(&mut positions).unwrap() {
        frames.push(positions.clone());
    }
    assert_eq!(trajectory.share_read(), 1.0);
    frames
}

#[test]
fn both_trajectories_of_bpti_agree_frame_by_frame() {
    let Some(folder) = proteins() else { return };
    let dcd = frames(&folder.join("bpti/bpti_mini.dcd"), 58);
    let xtc = frames(&folder.join("bpti/bpti_mini.xtc"), 58);
    assert_eq!((dcd.len(), xtc.len()), (100, 100));
    for (number, (a, b)) in dcd.iter().zip(&xtc).enumerate() {
        for (atom, (p, q)) in a.iter().zip(b).enumerate() {
            // XTC has a precision of hundredths of an ångström, DCD single precision.
            assert!((*p - *q).abs().max_element() < 0.0051, "frame {number} atom {atom}: {p} {q}");
        }
    }
}

#[test]
fn a_trajectory_of_other_atoms_is_refused() {
    let Some(folder) = proteins() else { return };
    let error = Trajectory::open(folder.join("bpti/bpti_mini.dcd"), 57).unwrap_err().to_string();
    assert!(error.ends_with("header: has 58 atoms, but the structure has 57"), "{error}");
    let mut xtc = Trajectory::open(folder.join("bpti/bpti_mini.xtc"), 59).unwrap();
    let error = xtc.read(&mut Vec::new()).unwrap_err().to_string();
    assert!(error.ends_with("frame 0: has 58 atoms, but the structure has 59"), "{error}");
}

/// Reads all frames or fails; it must return quickly in either case.
fn read_all(file: &Path, atoms: usize) {
    let Ok(mut trajectory) = Trajectory::open(file, atoms) else { return };
    let mut positions = Vec::new();
    while let Ok(true) = trajectory.read(&mut positions) {
        assert_eq!(positions.len(), atoms);
    }
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, bytes).unwrap();
    file
}

#[test]
fn small_files_made_by_hand_are_read() {
    let dcd = frames(&written("tiny.dcd", &dcd(&[])), 3);
    assert_eq!(dcd[1][2].to_array(), [102.0, 112.0, 122.0]);
    let xtc = frames(&written("tiny.xtc", &tiny_xtc()), 12);
    let expected = [-5 + 3, 4, 7 + 5].map(|x| f64::from(x) * 0.01);
    for (coordinate, expected) in xtc[0][3].to_array().into_iter().zip(expected) {
        assert!((coordinate - expected).abs() < 1e-12);
    }
}

/// Of three atoms, the first is fixed: later frames have the other two.
#[test]
fn free_atoms_move_and_each_is_listed_once() {
    let read = |free: &[u32]| {
        let file = written("free.dcd", &dcd(free));
        let mut trajectory = Trajectory::open(&file, 3)?;
        let mut positions = Vec::new();
        while trajectory.read(&mut positions)? {}
        Ok::<_, pliant_io::Error>(positions)
    };
    let last = read(&[3, 2]).unwrap();
    assert_eq!(last[0].to_array(), [0.0, 10.0, 20.0], "of the first frame");
    assert_eq!(last[2].to_array(), [100.0, 110.0, 120.0], "the first that is listed");
    let message = |free: &[u32]| read(free).unwrap_err().to_string();
    assert!(message(&[2, 2]).ends_with("header: free atom 2 is listed twice"));
    assert!(message(&[0, 2]).ends_with("header: free atom 0 does not exist"));
    assert!(message(&[2, 4]).ends_with("header: free atom 4 does not exist"));
}

/// The two counts of an XTC frame disagree: the message does not blame the structure.
#[test]
fn counts_that_disagree_are_both_named() {
    let mut xtc = tiny_xtc();
    xtc[52..56].copy_from_slice(&13_i32.to_be_bytes());
    let mut trajectory = Trajectory::from_bytes(xtc, "two.xtc", 12).unwrap();
    let error = trajectory.read(&mut Vec::new()).unwrap_err().to_string();
    assert_eq!(error, "two.xtc: frame 0: has 12 atoms, but coordinates of 13");
    // A number of atoms that is not a number of four bytes.
    let mut short = dcd(&[]);
    let at = 92 + 92;
    short.splice(at..at + 12, [2, 0, 0, 0, 3, 0, 2, 0, 0, 0]);
    let error = Trajectory::from_bytes(short, "short.dcd", 3).unwrap_err().to_string();
    assert_eq!(error, "short.dcd: header: the number of atoms takes 2 bytes, not 4");
}

#[test]
fn what_is_cut_off_is_refused_with_the_frame() {
    let dcd = dcd(&[]);
    let file = written("cut.dcd", &dcd[..dcd.len() - 6]);
    let mut trajectory = Trajectory::open(&file, 3).unwrap();
    let mut positions = Vec::new();
    assert!(trajectory.read(&mut positions).unwrap());
    let error = trajectory.read(&mut positions).unwrap_err().to_string();
    assert!(error.contains("cut.dcd: frame 1: needs "), "{error}");
    let xtc = tiny_xtc();
    let file = written("cut.xtc", &xtc[..xtc.len() - 8]);
    let error = Trajectory::open(&file, 12).unwrap().read(&mut positions).unwrap_err().to_string();
    assert!(error.contains("cut.xtc: frame 0: needs "), "{error}");
}

#[test]
fn no_count_in_a_file_is_believed() {
    // A record that claims four gigabytes, and a frame that claims two billion atoms.
    let mut dcd = dcd(&[]);
    dcd[92..96].fill(0xff);
    read_all(&written("claims.dcd", &dcd), 3);
    let mut xtc = tiny_xtc();
    xtc[4..8].copy_from_slice(&i32::MAX.to_be_bytes());
    xtc[52..56].copy_from_slice(&i32::MAX.to_be_bytes());
    read_all(&written("claims.xtc", &xtc), i32::MAX as usize);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Any bytes in place of any others: an error or a result, no panic, no hang.
    #[test]
    fn changed_bytes_do_no_harm(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        for (name, atoms, mut bytes) in
            [("changed.dcd", 3, dcd(&[])), ("changed.xtc", 12, tiny_xtc())]
        {
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if cut.index(4) == 0 {
                bytes.truncate(cut.index(bytes.len()));
            }
            read_all(&written(name, &bytes), atoms);
        }
        let text = "MODEL 1\nATOM      1  CA  GLY A   7       1.000   2.000   3.000  1.00  0.00\n\
                    ENDMDL\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n\
                    _atom_site.label_atom_id\n1 2 3 CA\n;\n";
        let mut text = text.as_bytes().to_vec();
        for (at, byte) in &changes {
            let at = at.index(text.len());
            text[at] = *byte;
        }
        let _ = read_pdb(&text, Path::new("changed.pdb"));
        let _ = read_mmcif(&text, Path::new("changed.cif"));
    }
}
