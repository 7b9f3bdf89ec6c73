//! A bounded run of the targets in `fuzz/` on the stable compiler: every reader on mutations of its
//! own files, and of real ones if they are available.
//!
//! A failure prints the reader, the seed file and the round, which determine the bytes.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::common::{busy_scene, exercise, shared};
use crate::written::{Plain, Ply};

/// Mutations per reader, unless `PLIANT_FUZZ_ROUNDS` is set; a few seconds each.
const ROUNDS: u64 = 12_000;

/// Larger real files are cut to this length: mutations of small files cover more in the same time.
/// It allows a whole MD2 and a frame of a point cache, which are refused if they are cut.
const SEED_BYTES: usize = 320 << 10;

/// The largest number of real seeds per reader, spread over those that exist.
const REAL_SEEDS: usize = 60;

/// SplitMix64, which suffices to spread mutations and is the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below a positive bound.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Words that reach rare branches of the readers.
const WORDS: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1e308",
    b"-1e-320",
    b"nan",
    b"inf",
    b"4294967295",
    b"9007199254740993",
    b"null",
    b"[]",
    b"{}",
    b"\"",
    b"\n",
    b"\r\n",
    b" ",
    b"/",
    b"\\\n",
    b"\xff\xff\xff\xff",
    b"\0\0\0\x80",
    b"\x01\0\0\0",
    b"\0\0\xc0\x7f",
    b"end_header",
    b"facet",
    b"f ",
    b"v ",
    b"ATOM  ",
    b"TER\n",
    b"loop_\n",
    b"_atom_site.id\n",
    b"\n;",
    b"'",
    b"\x54\0\0\0",
];

/// Changes a file in one to four ways.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let length = bytes.len();
        if length == 0 {
            return;
        }
        let at = random.below(length);
        match random.below(8) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => {
                // A number of four bytes, in either byte order, is often a count.
                let number = (random.next() >> random.below(64)) as u32;
                let number =
                    if random.below(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
                let at = at & !3;
                bytes.iter_mut().skip(at).zip(number).for_each(|(byte, new)| *byte = new);
            }
            3 => bytes.truncate(at),
            4 => {
                let end = (at + 1 + random.below(64)).min(length);
                bytes.drain(at..end);
            }
            5 => {
                let end = (at + 1 + random.below(64)).min(length);
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            6 => {
                let word = WORDS[random.below(WORDS.len())];
                let end = if random.below(2) == 0 { (at + word.len()).min(length) } else { at };
                bytes.splice(at..end, word.iter().copied());
            }
            _ if !other.is_empty() => {
                let from = random.below(other.len());
                let end = (from + 1 + random.below(128)).min(other.len());
                bytes.splice(at..at, other[from..end].iter().copied());
            }
            _ => {}
        }
    }
}

/// The start of every file with one of the extensions below a folder of the shared data.
fn real_seeds(extensions: &[&str]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders: Vec<_> = shared("").into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|it| it.to_str()).map(str::to_lowercase);
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|it| extensions.contains(&it.as_str())) {
                files.push(path);
            }
        }
    }
    files.sort();
    let step = files.len().div_ceil(REAL_SEEDS).max(1);
    let read = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes.truncate(SEED_BYTES);
        (path.display().to_string(), bytes)
    };
    files.iter().step_by(step).map(|path| read(path)).collect()
}

fn run(reader: fn(&[u8]), own: Vec<Vec<u8>>, extensions: &[&str]) {
    let mut seeds = real_seeds(extensions);
    let real = seeds.len();
    seeds.extend(
        own.into_iter().enumerate().map(|(number, bytes)| (format!("own {number}"), bytes)),
    );
    if extensions == ["pc2"] {
        seeds[..real].iter_mut().for_each(|(_, bytes)| keep_first_sample(bytes));
    }
    println!("{} real seeds, {} own", real, seeds.len() - real);
    let rounds = std::env::var("PLIANT_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok());
    for round in 0..rounds.unwrap_or(ROUNDS) {
        // Real files and our own alternate, regardless of their numbers.
        let random = &mut Random(round);
        let group = if real == 0 || round % 2 == 0 { real..seeds.len() } else { 0..real };
        let (name, seed) = &seeds[group.start + random.below(group.len())];
        let other = &seeds[random.below(seeds.len())].1;
        let mut bytes = seed.clone();
        // The first rounds take each file unchanged.
        if round as usize >= seeds.len() {
            mutate(&mut bytes, other, random);
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| reader(&bytes)));
        assert!(outcome.is_ok(), "{extensions:?}: round {round} of {name} ({} bytes)", bytes.len());
    }
}

/// Cuts a PC2 file after its first sample and adjusts its header.
fn keep_first_sample(bytes: &mut Vec<u8>) {
    let points = u32::from_le_bytes(bytes[16..20].try_into().unwrap()) as usize;
    bytes[28..32].copy_from_slice(&1u32.to_le_bytes());
    bytes.truncate(32 + 12 * points);
    assert!(pliant_io::read_pc2(bytes, Path::new("cut.pc2"), 24.0).is_ok());
}

fn tetrahedron() -> Plain {
    Plain {
        positions: vec![[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.0, -2.0, 0.25], [0.125, 1.0, 3.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    }
}

fn frames() -> Vec<Vec<[f32; 3]>> {
    vec![tetrahedron().positions.iter().map(|place| place.map(|x| x as f32)).collect(); 3]
}

#[test]
fn gltf() {
    let text =
        crate::common::triangle::skinned([[0, 1, 0, 0]; 4], [[0.5, 0.5, 0.0, 0.0]; 4]).to_string();
    run(exercise::gltf, vec![text.into_bytes()], &["gltf"]);
}

#[test]
fn glb() {
    run(exercise::gltf, vec![pliant_io::glb_bytes(&busy_scene()).unwrap()], &["glb"]);
}

/// The files of `tests/files`; only their binary chunks change, so that streams reach the decoders.
#[test]
fn compressed_glb() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let names = [
        "meshopt_quantized",
        "meshopt_filtered",
        "meshopt_khr",
        "draco_edgebreaker",
        "draco_sequential",
    ];
    let seeds = names.map(|name| fs::read(folder.join(format!("{name}.glb"))).unwrap());
    let rounds = std::env::var("PLIANT_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok());
    let mut read = 0;
    for round in 0..rounds.unwrap_or(ROUNDS) {
        let random = &mut Random(round);
        let seed = random.below(seeds.len());
        let mut bytes = seeds[seed].clone();
        let text = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let start = 28 + text;
        for _ in 0..=random.below(3) {
            let at = start + random.below(bytes.len() - start);
            match random.below(3) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = random.next() as u8,
                _ => {
                    let from = start + random.below(bytes.len() - start);
                    let end = (from + 1 + random.below(32)).min(bytes.len());
                    let some = bytes[from..end].to_vec();
                    bytes.iter_mut().skip(at).zip(some).for_each(|(byte, new)| *byte = new);
                }
            }
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| exercise::gltf(&bytes)));
        assert!(outcome.is_ok(), "round {round} of {}", names[seed]);
        read += usize::from(pliant_io::read_gltf_bytes(&bytes, "any.glb").is_ok());
    }
    assert!(read > 0, "some changes give other files that are valid");
}

#[test]
fn obj() {
    let polygons =
        b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 2 1\no a\nf -1 -2/1 -3//1 1/2/3 2\nusemtl b\nf 1 2 3\n";
    run(exercise::obj, vec![crate::written::obj(&tetrahedron()), polygons.to_vec()], &["obj"]);
}

#[test]
fn ply() {
    let kinds = [(Ply::Ascii, false), (Ply::Little, false), (Ply::Big, true)];
    let own = kinds.map(|(kind, wide)| crate::written::ply(&tetrahedron(), kind, wide));
    run(exercise::ply, own.into(), &["ply"]);
}

#[test]
fn stl() {
    let mesh = tetrahedron();
    let own = vec![crate::written::stl_text(&mesh), crate::written::stl_binary(&mesh)];
    run(exercise::stl, own, &["stl", "stl_ascii", "stla"]);
}

#[test]
fn pc2() {
    run(exercise::pc2, vec![crate::written::pc2(&frames())], &["pc2"]);
}

#[test]
fn mdd() {
    run(exercise::mdd, vec![crate::written::mdd(&frames())], &["mdd"]);
}

#[test]
fn md2() {
    let steps = vec![vec![[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]]; 2];
    run(exercise::md2, vec![crate::written::md2(&steps, &tetrahedron().triangles)], &["md2"]);
}

/// Two models, a chain that ends, alternate locations, a ligand.
const PDB: &[u8] = b"\
MODEL        1
ATOM      1  N  AGLY A   1       0.000   0.000   0.000  0.40  0.00           N
ATOM      2  N  BGLY A   1       0.100   0.000   0.000  0.60  0.00           N
ATOM      3  CA  GLY A   1       1.000   0.000   0.000  1.00  0.00           C
TER
HETATM    4 CA    CA B   2       5.000   0.000  -1.000  1.00  0.00          CA
ENDMDL
MODEL        2
ATOM      1  N   GLY A   1       0.000   0.000   0.000  1.00  0.00           N
ATOM      3  CA  GLY A   1       1.000   0.000   0.000
TER
HETATM    4 CA    CA B   2       5.000   0.000  -1.000  1.00  0.00          CA
ENDMDL
";

const MMCIF: &[u8] = b"\
data_x
# comment
_entry.id 'a b'
loop_
_atom_site.group_PDB
_atom_site.label_atom_id
_atom_site.label_comp_id
_atom_site.auth_seq_id
_atom_site.auth_asym_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
_atom_site.pdbx_PDB_model_num
ATOM CA GLY 1 A 1.0 2.0 -3e1 1
HETATM \"O5'\" HOH . ? 1.0 2.0 3.0 1
ATOM CA GLY 1 A 1.0 2.0 -3e1 2
HETATM \"O5'\" HOH . ? 1.0 2.0 3.0 2
#
_other.text
;several
lines
;
";

/// Bonds, a cell, alternate locations, water and an ion.
const BONDED_PDB: &[u8] = b"\
CRYST1   20.840   22.770   28.950  80.00 100.00  90.00 P 1
SSBOND   1 CYS A    1    CYS A    2                          1555   1555  2.03
LINK        ZN    ZN B   3                 SG  CYS A   2     1555   1555  2.33
ATOM      1  N   CYS A   1      -1.400   0.000   0.000  1.00  0.00           N
ATOM      2  CA  CYS A   1       0.000   0.000   0.000  1.00  0.00           C
ATOM      3  C   CYS A   1       0.500   1.400   0.000  1.00  0.00           C
ATOM      4  SG  CYS A   1       0.500  -1.500   1.000  1.00  0.00           S
ATOM      5  N   CYS A   2       1.800   1.500   0.000  1.00  0.00           N
ATOM      6  SG ACYS A   2       2.000  -1.500   2.000  0.50  0.00           S
ATOM      7  SG BCYS A   2       2.100  -1.500   2.000  0.50  0.00           S
HETATM    8 ZN    ZN B   3       4.000  -1.500   3.000  1.00  0.00          ZN
HETATM    9  O   HOH B   4       4.500  -1.500   3.500  1.00  0.00           O
HETATM   10  O   HOH B   5       4.500  -1.500   4.000  1.00  0.00           O
CONECT    8    4    6    9
";

const BONDED_MMCIF: &[u8] = b"\
_cell.length_a 20.0(3)
_cell.length_b 22
_cell.length_c 25
_cell.angle_alpha 80
_cell.angle_beta 90
_cell.angle_gamma 100
loop_
_struct_conn.conn_type_id
_struct_conn.ptnr1_auth_asym_id
_struct_conn.ptnr1_auth_seq_id
_struct_conn.ptnr1_label_atom_id
_struct_conn.ptnr2_auth_asym_id
_struct_conn.ptnr2_auth_seq_id
_struct_conn.ptnr2_label_atom_id
covale A 1 CA ? . \"O5'\"
";

#[test]
fn pdb() {
    run(exercise::pdb, vec![PDB.to_vec(), BONDED_PDB.to_vec()], &["pdb", "ent"]);
}

#[test]
fn mmcif() {
    let bonded = [MMCIF, BONDED_MMCIF].concat();
    run(exercise::mmcif, vec![MMCIF.to_vec(), bonded], &["cif", "mmcif"]);
}

#[test]
fn xyz() {
    let own = b"2\nrope\nC 0 0 0\nFe 1.5 -2e3 0\n2\n\nC 0 0 1\nFe 1.5 0 1\n";
    run(exercise::xyz, vec![own.to_vec()], &["xyz"]);
}

#[test]
fn dcd() {
    let own = vec![crate::written::dcd(&[]), crate::written::dcd(&[3, 1])];
    run(exercise::dcd, own, &["dcd"]);
}

#[test]
fn xtc() {
    run(exercise::xtc, vec![crate::written::tiny_xtc()], &["xtc"]);
}

#[test]
fn gro() {
    let own = b"t\n 2\n    1SOL     OW    1   0.126   1.624   1.679\n    \
                2CA      CA    2   0.275  -0.053   0.622  0.1 0.2 0.3\n 2.0 2.1 2.2 0 0 0.5 0 0 0\n";
    run(exercise::gro, vec![own.to_vec()], &["gro"]);
}

#[test]
fn trr() {
    let own = [false, true].map(crate::gromacs_files::two_frames);
    run(exercise::trr, own.to_vec(), &["trr"]);
}
