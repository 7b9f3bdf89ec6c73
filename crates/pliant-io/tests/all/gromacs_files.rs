//! TRR files made by hand, and compressed molecules.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use pliant::glam::DVec3;
use pliant_io::{Trajectory, read_structure};

/// A TRR of frames: a box of 2, 3 and 4 nanometres, then positions, or only velocities.
pub(crate) fn trr(frames: &[(bool, Vec<[f64; 3]>)], is_double: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let number = |value: f64, out: &mut Vec<u8>| match is_double {
        true => out.extend(value.to_be_bytes()),
        false => out.extend((value as f32).to_be_bytes()),
    };
    let width = if is_double { 8 } else { 4 };
    for (has_places, places) in frames {
        for value in [1993, 13, 12] {
            out.extend(i32::to_be_bytes(value));
        }
        out.extend(b"GMX_trn_file");
        let block = 3 * width * places.len() as i32;
        let (x, v) = if *has_places { (block, 0) } else { (0, block) };
        let sizes = [0, 0, 9 * width, 0, 0, 0, 0, x, v, 0, places.len() as i32, 5, 0];
        out.extend(sizes.into_iter().flat_map(i32::to_be_bytes));
        for value in [1.5, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.5, 4.0] {
            number(value, &mut out);
        }
        places.iter().flatten().for_each(|&value| number(value, &mut out));
    }
    out
}

pub(crate) fn two_frames(is_double: bool) -> Vec<u8> {
    let places = |x: f64| vec![[x, 0.5, 0.25], [0.0, -1.0, 2.0], [1.0, 1.0, 1.0]];
    trr(&[(true, places(0.125)), (false, places(9.0)), (true, places(0.75))], is_double)
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, bytes).unwrap();
    file
}

#[test]
fn frames_with_positions_are_read() {
    for is_double in [false, true] {
        let file = written("hand.trr", &two_frames(is_double));
        let mut trajectory = Trajectory::open(&file, 3).unwrap();
        let mut positions = Vec::new();
        assert!(trajectory.read(&mut positions).unwrap());
        assert_eq!(positions[0], DVec3::new(1.25, 5.0, 2.5));
        let [a, _, c] = trajectory.cell().unwrap().edges();
        assert_eq!((a, c), (DVec3::X * 20.0, DVec3::new(0.0, 5.0, 40.0)));
        assert!(trajectory.read(&mut positions).unwrap());
        assert_eq!(positions[0].x, 7.5);
        assert!(!trajectory.read(&mut positions).unwrap());
    }
}

#[test]
fn false_claims_are_refused_with_the_frame() {
    let good = two_frames(false);
    let message = |bytes: Vec<u8>, atoms: usize| {
        let mut trajectory = Trajectory::from_bytes(bytes, "t.trr", atoms).unwrap();
        let mut positions = Vec::new();
        loop {
            match trajectory.read(&mut positions) {
                Ok(true) => {}
                Ok(false) => return "no error".to_owned(),
                Err(error) => return error.to_string(),
            }
        }
    };
    assert_eq!(message(good.clone(), 3), "no error");
    assert_eq!(message(good.clone(), 4), "t.trr: frame 0: has 3 atoms, but the structure has 4");
    assert!(message(good[..good.len() - 5].to_vec(), 3).starts_with("t.trr: frame 1: needs 36"));
    let change = |at: usize, value: i32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
        message(bytes, 3)
    };
    assert_eq!(change(0, 1995), "t.trr: frame 0: begins with 1995, not with 1993");
    assert_eq!(change(8, i32::MAX), "t.trr: frame 0: has a version of 2147483647 bytes");
    assert_eq!(
        change(24 + 8, 37),
        "t.trr: frame 0: has blocks of neither single nor double precision"
    );
    assert_eq!(change(24 + 28, 40), "t.trr: frame 0: positions take 40 bytes, not 36");
    assert!(change(24 + 28, i32::MAX).contains("needs 2147483647 bytes"));
    assert_eq!(change(24 + 28, -4), "t.trr: frame 0: has a block of -4 bytes");
}

#[test]
fn compressed_files_are_read() {
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let text = b"ATOM      1  CA  GLY A   7       1.000   2.000   3.000  1.00  0.00           C\n";
    let structure = read_structure(written("one.pdb.gz", &gzip(text))).unwrap();
    assert_eq!(structure.models[0], [DVec3::new(1.0, 2.0, 3.0)]);
    let file = written("hand.trr.gz", &gzip(&two_frames(true)));
    let mut trajectory = Trajectory::open(file, 3).unwrap();
    let mut positions = Vec::new();
    assert!(trajectory.read(&mut positions).unwrap() && positions.len() == 3);
}
