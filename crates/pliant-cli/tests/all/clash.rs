//! `pliant clash --radius`: the real program on chains of beads, from small files of the tests' own
//! and from real molecules.

use std::fs;
use std::process::{Command, Output};

use crate::common::schema::validate;
use crate::common::*;
use serde_json::{Value, json};

/// Alpha carbons of one chain at given places, as PDB.
fn pdb(places: &[[f64; 3]]) -> String {
    let mut text = String::new();
    for (number, [x, y, z]) in (1..).zip(places) {
        text += &format!(
            "ATOM  {number:>5}  CA  GLY A{number:>4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           C\n"
        );
    }
    text
}

/// A hairpin of six: the ends, 3.4 apart, touch with the radius of carbon; nothing else does.
const HAIRPIN: [[f64; 3]; 6] = [
    [0.0, 0.0, 0.0],
    [3.8, 0.0, 0.0],
    [7.6, 0.0, 0.0],
    [7.6, 3.6, 0.0],
    [3.8, 3.6, 0.0],
    [0.0, 3.375, 0.0],
];

/// A DCD of frames of `f32`.
fn dcd(frames: &[Vec<[f64; 3]>]) -> Vec<u8> {
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
    record(&(frames[0].len() as u32).to_le_bytes());
    for frame in frames {
        for axis in 0..3 {
            let bytes: Vec<u8> =
                frame.iter().flat_map(|place| (place[axis] as f32).to_le_bytes()).collect();
            record(&bytes);
        }
    }
    out
}

/// The hairpin, ever wider, in six frames.
fn opening() -> Vec<Vec<[f64; 3]>> {
    let frame = |step: i32| {
        let mut places = HAIRPIN.to_vec();
        places[5][1] += 0.015625 * f64::from(step);
        places
    };
    (0..6).map(frame).collect()
}

/// Beads with the radii of their elements, unless the arguments say others.
fn clash(arguments: &[&str]) -> Output {
    let is_given = arguments.contains(&"--radius");
    let radius: &[&str] = if is_given { &[] } else { &["--radius", "vdw"] };
    pliant([&["clash"], arguments, radius].concat())
}

fn clash_json(arguments: &[&str]) -> Value {
    let run = clash(&[arguments, &["--json", "-"]].concat());
    assert_eq!(code(&run), 0, "{}", error(&run));
    let report = serde_json::from_slice(&run.stdout).unwrap();
    validate(&report, "clash.schema.json");
    report
}

/// The pairs of each frame.
fn pairs(report: &Value) -> Vec<Value> {
    let frames = report["frames"].as_array().unwrap();
    let indices: Vec<usize> =
        frames.iter().map(|frame| frame["index"].as_u64().unwrap() as usize).collect();
    assert_eq!(indices, (0..frames.len()).collect::<Vec<_>>());
    frames.iter().map(|frame| frame["clashes"].clone()).collect()
}

#[test]
fn a_clash_is_named_and_counted() {
    let file = written("hairpin.pdb", pdb(&HAIRPIN));
    let run = clash(&[&file]);
    assert_eq!((code(&run), error(&run).as_str()), (0, ""));
    let text = text(&run);
    assert!(text.contains("6 beads in 1 chain, 1 frame"), "{text}");
    assert!(text.contains("A GLY 1 CA and A GLY 6 CA"), "{text}");
    assert!(text.contains("\n1 clash.\n"), "{text}");
    let report = clash_json(&[&file]);
    assert_eq!((&report["beads"], pairs(&report)), (&json!(6), vec![json!([[0, 5]])]));
    assert_eq!(report["pliant"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn exit_codes_tell_apart() {
    let clashing = written("exit_hairpin.pdb", pdb(&HAIRPIN));
    let apart = written("exit_line.pdb", pdb(&HAIRPIN[..3]));
    assert_eq!(code(&clash(&[&clashing])), 0);
    assert_eq!(code(&clash(&[&clashing, "--fail-on-contact"])), 1);
    let run = clash(&[&apart, "--fail-on-contact"]);
    assert_eq!(code(&run), 0);
    assert!(text(&run).contains("Nothing clashes."), "{}", text(&run));
    let run = clash(&[&clashing, "--fail-on-contact", "--quiet"]);
    assert_eq!((code(&run), text(&run), error(&run)), (1, String::new(), String::new()));
    for wrong in [
        &["no_such_file.pdb"][..],
        &[&clashing, "--radius", "0"],
        &[&clashing, "--radius", "-1"],
        &[&clashing, "--radius", "large"],
        &[&clashing, "--min-gap", "1"],
        &[&clashing, "--atoms", "some"],
        &[&clashing, "--atoms", "heavy"],
        &[&clashing, "--overlap", "0.4"],
        &[&clashing, "--periodic"],
        &[&clashing, "--json", "no_such_folder/out.json"],
        &[&clashing, "no_such_run.dcd"],
        &[],
    ] {
        let run = clash(wrong);
        assert_eq!((code(&run), text(&run)), (2, String::new()), "{wrong:?}");
        assert!(!error(&run).is_empty());
    }
}

#[test]
fn radius_gap_and_atoms_are_heeded() {
    let file = written("options.pdb", pdb(&HAIRPIN));
    let found = |options: &[&str]| pairs(&clash_json(&[&[file.as_str()], options].concat()));
    assert_eq!(found(&["--radius", "1.6"]), [json!([])]);
    // 3.375 apart: a radius of 1.6875 makes the ends touch exactly.
    assert_eq!(found(&["--radius", "1.6875"]), [json!([[0, 5]])]);
    assert_eq!(found(&["--radius", "1.8"]), [json!([[0, 5], [1, 4]])]);
    assert_eq!(found(&["--radius", "1.8", "--min-gap", "4"]), [json!([[0, 5]])]);
    assert_eq!(found(&["--radius", "1.8", "--min-gap", "6"]), [json!([])]);
    // Other atoms: an oxygen beside the first residue.
    let oxygen = "ATOM      7  O   GLY A   6       0.000   6.400   0.000  1.00  0.00           O\n";
    let file = written("atoms.pdb", pdb(&HAIRPIN) + oxygen);
    assert_eq!(clash_json(&[&file])["beads"], 6);
    let run = clash(&[&file, "--atoms", "all"]);
    assert_eq!(code(&run), 0);
    assert!(text(&run).contains("7 beads"), "{}", text(&run));
    assert!(error(&run).contains("--min-gap 4"), "{}", error(&run));
    let all = clash_json(&[&file, "--atoms", "all"]);
    assert_eq!((&all["beads"], pairs(&all)), (&json!(7), vec![json!([[0, 5]])]));
    // An XYZ file has no alpha carbons, and the message says what to do.
    let xyz = written("rope.xyz", "4\nrope\nX 0 0 0\nX 1 0 0\nX 1 1 0\nX 0 1 0\n");
    let run = clash(&[&xyz]);
    assert_eq!(code(&run), 2);
    assert!(
        error(&run).contains("rope.xyz") && error(&run).contains("--atoms all"),
        "{}",
        error(&run)
    );
    let rope = clash_json(&[&xyz, "--atoms", "all", "--radius", "0.5"]);
    assert_eq!(pairs(&rope), [json!([[0, 3]])]);
}

#[test]
fn a_trajectory_moves_the_beads() {
    let structure = written("moved.pdb", pdb(&HAIRPIN));
    let run = written("moved.dcd", dcd(&opening()));
    let report = clash_json(&[&structure, &run]);
    // 3.375, 3.390625, then beyond 3.4.
    let expected = [json!([[0, 5]]), json!([[0, 5]]), json!([]), json!([]), json!([]), json!([])];
    assert_eq!(pairs(&report), expected);
    let out = clash(&[&structure, &run, "--fail-on-contact"]);
    assert_eq!(code(&out), 1);
    assert!(text(&out).contains("2 of 6"), "{}", text(&out));
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let structure = written("threads.pdb", pdb(&HAIRPIN));
    let frames: Vec<_> = (0..40).flat_map(|_| opening()).collect();
    let run = written("threads.dcd", dcd(&frames));
    let with = |threads: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(["clash", &structure, &run, "--radius", "vdw", "--json", "-"])
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        assert_eq!(code(&out), 0);
        let mut report: Value = serde_json::from_slice(&out.stdout).unwrap();
        for frame in report["frames"].as_array_mut().unwrap() {
            frame["work"]["seconds"] = json!(0);
        }
        report
    };
    let one = with("1");
    assert_eq!(pairs(&one).len(), 240);
    assert_eq!(one, with("2"));
}

#[test]
fn what_is_malformed_is_named() {
    let good = written("bad_good.pdb", pdb(&HAIRPIN));
    let refused = |arguments: &[&str], parts: &[&str]| {
        let run = clash(arguments);
        assert_eq!((code(&run), text(&run)), (2, String::new()), "{arguments:?}");
        for part in parts {
            assert!(error(&run).contains(part), "{part} is not in: {}", error(&run));
        }
    };
    let file = written("bad.pdb", pdb(&HAIRPIN).replace("   7.600   3.600", "   7.6x0   3.600"));
    refused(&[&file], &["bad.pdb", "line 4"]);
    let file = written("empty.pdb", "REMARK nothing\n");
    refused(&[&file], &["empty.pdb"]);
    let cif = "data_x\nloop_\n_atom_site.label_atom_id\n_atom_site.type_symbol\n_atom_site.Cartn_x\n\
               _atom_site.Cartn_y\n_atom_site.Cartn_z\nCA C 0 0 0\nCA C 1 2 three\n";
    let file = written("bad.cif", cif);
    refused(&[&file], &["bad.cif", "line 9"]);
    let whole = dcd(&opening());
    let file = written("cut.dcd", &whole[..whole.len() - 6]);
    refused(&[&good, &file], &["cut.dcd", "frame 5"]);
    let file = written("other.dcd", dcd(&[HAIRPIN[..5].to_vec()]));
    refused(&[&good, &file], &["other.dcd", "5 atoms", "6"]);
    let mut nan = opening();
    nan[2][3][0] = f64::NAN;
    let file = written("nan.dcd", dcd(&nan));
    refused(&[&good, &file], &["nan.dcd", "frame 2", "atom 3"]);
    let file = written("bad.xtc", [0_u8; 64]);
    refused(&[&good, &file], &["bad.xtc", "frame 0"]);
    let file = written("run.mp4", [0_u8; 64]);
    refused(&[&good, &file], &["run.mp4", ".dcd, .xtc, .trr"]);
    refused(&[&file], &["run.mp4", "pdb"]);
}

/// A run that fails after frames were written leaves no half report behind.
#[test]
fn half_a_report_is_none() {
    let structure = written("half.pdb", pdb(&HAIRPIN));
    let whole = dcd(&opening());
    let run = written("half.dcd", &whole[..whole.len() - 6]);
    let out = path("half.json");
    let _ = fs::remove_file(&out);
    assert_eq!(code(&clash(&[&structure, &run, "--json", &out])), 2);
    assert!(!fs::exists(&out).unwrap());
}

#[test]
fn reports_are_written() {
    let structure = written("report.pdb", pdb(&HAIRPIN));
    let run = written("report.dcd", dcd(&opening()));
    let (page, data) = (path("report.html"), path("report.json"));
    let out = clash(&[&structure, &run, "--report", &page, "--json", &data]);
    assert_eq!(code(&out), 0, "{}", error(&out));
    assert!(text(&out).contains("2 clashes"), "{}", text(&out));
    let html = fs::read_to_string(&page).unwrap();
    assert!(
        html.contains("<html")
            && html.contains("A GLY 6 CA")
            && html.trim_end().ends_with("</html>")
    );
    let report: Value = serde_json::from_slice(&fs::read(&data).unwrap()).unwrap();
    validate(&report, "clash.schema.json");
    assert_eq!(pairs(&report), pairs(&clash_json(&[&structure, &run])));
}

#[test]
fn real_molecules() {
    let Some(folder) = shared("protein") else { return };
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let models = clash_json(&[&file("trpcage/1l2y.pdb"), "--radius", "2.6"]);
    assert_eq!((&models["beads"], pairs(&models).len()), (&json!(20), 38));
    let structure = file("bpti/bpti_ca.pdb");
    let [dcd, xtc] = ["bpti/bpti_mini.dcd", "bpti/bpti_mini.xtc"].map(file);
    let by =
        |run: &str| pairs(&clash_json(&[&structure, run, "--radius", "2.6", "--min-gap", "3"]));
    assert_eq!((by(&dcd).len(), by(&xtc).len()), (100, 100));
    // Alpha carbons lie 3.8 ångströms apart: with less than 1.6 nothing clashes.
    let run = clash(&[&structure, &xtc, "--radius", "1.5", "--fail-on-contact"]);
    assert_eq!(code(&run), 0, "{}", text(&run));
    let large = clash_json(&[&file("static/1hv4.pdb"), "--atoms", "all", "--min-gap", "4"]);
    assert!(large["beads"].as_u64().unwrap() > 9000);
}

/// More pairs than are told apart: their number is not known, and none is made up.
#[test]
fn pairs_that_are_not_told_apart_are_not_counted_as_pairs() {
    let heap = written("heap_of_beads.pdb", pdb(&[[0.0; 3]; 1500]));
    let run = clash(&[&heap, "--radius", "1"]);
    let text = text(&run);
    // Every pair but the 1499 neighbours along the chain.
    assert!(text.contains("\n1 122 751 clashes.\n"), "{text}");
    let note = "1 048 566 more pairs that are told apart, and 74 175 clashes of other pairs";
    assert!(text.contains(note), "{text}");
}

/// All beads at one place: every pair clashes but neighbours, and the program says so early.
#[test]
fn too_many_clashes_are_an_error_that_names_the_option() {
    let heap = |beads: usize| format!("{beads}\n\n{}", "C 0 0 0\n".repeat(beads));
    let file = written("heap.xyz", heap(5_000));
    let run = clash(&[&file, "--atoms", "all", "--quiet"]);
    assert_eq!(code(&run), 2);
    let expected = "more than 10000000 pairs in frame 0; --max-pairs raises the limit";
    assert!(error(&run).contains(expected), "{}", error(&run));

    // A hundred beads have 4950 pairs, of which 99 are neighbours.
    let file = written("small_heap.xyz", heap(100));
    let limited = |most: &str| clash(&[&file, "--atoms", "all", "--max-pairs", most]);
    assert_eq!(code(&limited("4851")), 0, "{}", error(&limited("4851")));
    let run = limited("4850");
    assert_eq!(code(&run), 2);
    assert!(error(&run).contains("more than 4850 pairs in frame 0"), "{}", error(&run));
    // More than the share of a frame in a batch, and no error.
    let file = written("medium_heap.xyz", heap(3_000));
    let run = clash(&[&file, "--atoms", "all"]);
    assert_eq!(code(&run), 0, "{}", error(&run));
    assert!(text(&run).contains("\n4 495 501 clashes.\n"), "{}", text(&run));
}

#[test]
fn ranges_of_frames_are_heeded() {
    let structure = written("range.pdb", pdb(&HAIRPIN));
    let run = written("range.dcd", dcd(&opening()));
    let report = clash_json(&[&structure, &run, "--start", "1", "--step", "2"]);
    let frames = report["frames"].as_array().unwrap();
    let found: Vec<_> = frames.iter().map(|frame| (&frame["index"], &frame["clashes"])).collect();
    let expected =
        [(&json!(1), &json!([[0, 5]])), (&json!(3), &json!([])), (&json!(5), &json!([]))];
    assert_eq!(found, expected);
}
