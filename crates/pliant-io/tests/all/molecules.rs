//! Molecules from real files and from files with false claims.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_io::{
    AtomChoice, BeadRadius, Beads, Structure, Trajectory, read_mmcif, read_pdb, read_structure,
};
use proptest::prelude::*;

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

/// A small DCD of three atoms and two frames, built by hand.
fn tiny_dcd() -> Vec<u8> {
    let mut out = Vec::new();
    let mut record = |body: &[u8]| {
        out.extend((body.len() as u32).to_le_bytes());
        out.extend(body);
        out.extend((body.len() as u32).to_le_bytes());
    };
    let mut head = b"CORD".to_vec();
    head.extend([0_u8; 80]);
    record(&head);
    record(&[0; 84]);
    record(&3_u32.to_le_bytes());
    for frame in 0..2 {
        for axis in 0..3 {
            let numbers = [0, 1, 2].map(|atom| (frame * 100 + axis * 10 + atom) as f32);
            record(&numbers.map(f32::to_le_bytes).concat());
        }
    }
    out
}

/// A small XTC of twelve atoms from a separate writer, with full coordinates only.
fn tiny_xtc() -> Vec<u8> {
    let mut out = Vec::new();
    let int = |value: i32, out: &mut Vec<u8>| out.extend(value.to_be_bytes());
    int(1995, &mut out);
    int(12, &mut out);
    out.extend([0; 44]);
    int(12, &mut out);
    out.extend(1000_f32.to_be_bytes());
    for low in [-5, 0, 7] {
        int(low, &mut out);
    }
    for high in [-5 + 15, 15, 7 + 15] {
        int(high, &mut out);
    }
    int(9, &mut out);
    // Sixteen values per axis: their product has 13 bits; then a 0 for `no run`.
    let mut bits = String::new();
    for atom in 0..12_u32 {
        let value = (atom * 16 + (atom + 1)) * 16 + (atom + 2);
        bits += &format!("{:08b}{:05b}0", value & 255, value >> 8);
    }
    while !bits.len().is_multiple_of(32) {
        bits.push('0');
    }
    int((bits.len() / 8) as i32, &mut out);
    for byte in bits.as_bytes().chunks(8) {
        out.push(u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap());
    }
    out
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, bytes).unwrap();
    file
}

#[test]
fn small_files_made_by_hand_are_read() {
    let dcd = frames(&written("tiny.dcd", &tiny_dcd()), 3);
    assert_eq!(dcd[1][2].to_array(), [102.0, 112.0, 122.0]);
    let xtc = frames(&written("tiny.xtc", &tiny_xtc()), 12);
    let expected = [-5 + 3, 4, 7 + 5].map(|x| f64::from(x) * 0.01);
    for (coordinate, expected) in xtc[0][3].to_array().into_iter().zip(expected) {
        assert!((coordinate - expected).abs() < 1e-12);
    }
}

#[test]
fn what_is_cut_off_is_refused_with_the_frame() {
    let dcd = tiny_dcd();
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
    let mut dcd = tiny_dcd();
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
            [("changed.dcd", 3, tiny_dcd()), ("changed.xtc", 12, tiny_xtc())]
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
