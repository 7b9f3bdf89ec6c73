//! `pliant clash` for structures: bonds, overlaps, selections, cells, reports.

use std::process::Output;

use serde_json::{Value, json};

use crate::common::schema::validate;
use crate::common::*;

/// Single atoms as PDB: record, name, residue, chain, number, place, element.
fn atom(
    serial: usize,
    name: &str,
    residue: &str,
    chain: char,
    number: i32,
    place: [f64; 3],
) -> String {
    let [x, y, z] = place;
    let element = &name.trim()[..1];
    format!(
        "HETATM{serial:>5} {name:<4} {residue:>3} {chain}{number:>4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00          {element:>2}\n"
    )
}

/// Oxygen atoms of water along x.
fn waters(places: &[f64]) -> String {
    let row =
        |(at, &x): (usize, &f64)| atom(at + 1, " O", "HOH", 'W', at as i32 + 1, [x, 0.0, 0.0]);
    places.iter().enumerate().map(row).collect()
}

fn clash(arguments: &[&str]) -> Output {
    pliant([&["clash"], arguments].concat())
}

fn clash_json(arguments: &[&str]) -> Value {
    let run = clash(&[arguments, &["--json", "-"]].concat());
    assert_eq!(code(&run), 0, "{}", error(&run));
    let report = serde_json::from_slice(&run.stdout).unwrap();
    validate(&report, "clash.schema.json");
    report
}

fn first_clashes(arguments: &[&str]) -> Value {
    clash_json(arguments)["frames"][0]["clashes"].clone()
}

/// Waters are no neighbours, whatever their order in the file.
#[test]
fn consecutive_waters_half_an_angstrom_apart_clash() {
    let file = written("two_waters.pdb", waters(&[0.0, 0.5, 9.0]));
    let report = clash_json(&[&file]);
    let frame = &report["frames"][0];
    assert_eq!((&report["beads"], &frame["clashes"]), (&json!(3), &json!([[0, 1]])));
    assert_eq!(report["bonds"], json!([]));
    let contact = &frame["contacts"][0];
    assert_eq!(contact["atoms"], json!(["W HOH 1 O", "W HOH 2 O"]));
    assert_eq!(contact["distance"], 0.5);
    // Two oxygens of 1.52 with a hydrogen bond's allowance of 0.6.
    assert!((contact["overlap"].as_f64().unwrap() - 1.94).abs() < 1e-9);
    assert!((frame["score"].as_f64().unwrap() - 1000.0 / 3.0).abs() < 1e-9);
    let run = clash(&[&file, "--fail-on-contact"]);
    assert_eq!(code(&run), 1);
    let text = text(&run);
    assert!(text.contains("3 atoms with 0 bonds, 1 frame"), "{text}");
    assert!(text.contains("W HOH 1 O and W HOH 2 O"), "{text}");
    assert!(text.contains("Clash score, per 1 000 atoms: 333.33.\n"), "{text}");
}

/// More pairs than are told apart: their number is not known, and none is made up.
#[test]
fn pairs_that_are_not_told_apart_are_not_counted_as_pairs() {
    let heap = written("heap.pdb", waters(&[0.0; 1500]));
    let text = text(&clash(&[&heap]));
    assert!(text.contains("\n1 124 250 clashes.\n"), "{text}");
    let note = "1 048 566 more pairs that are told apart, and 75 674 clashes of other pairs";
    assert!(text.contains(note), "{text}");
    let run = clash(&[&heap, "--max-pairs", "1124249"]);
    assert_eq!(code(&run), 2);
    let expected =
        "heap.pdb: frame 0: more than 1124249 in one frame; --max-pairs raises the limit";
    assert!(error(&run).contains(expected), "{}", error(&run));
    assert_eq!(code(&clash(&[&heap, "--max-pairs", "1124250"])), 0);
}

#[test]
fn overlap_and_hydrogen_bonds_are_heeded() {
    // Two waters 2.2 Å apart overlap by 0.84 Å; a hydrogen bond allows for 0.6 of it.
    let file = written("overlap.pdb", waters(&[0.0, 2.2]));
    assert_eq!(first_clashes(&[&file]), json!([]));
    assert_eq!(first_clashes(&[&file, "--overlap", "0.2"]), json!([[0, 1]]));
    assert_eq!(first_clashes(&[&file, "--hydrogen-bond", "0"]), json!([[0, 1]]));
    // The geometric question knows no hydrogen bonds.
    assert_eq!(first_clashes(&[&file, "--overlap", "0"]), json!([[0, 1]]));
    assert_eq!(first_clashes(&[&file, "--overlap", "0", "--hydrogen-bond", "1"]), json!([]));
    // With a negative overlap, atoms that come near count.
    let file = written("near.pdb", waters(&[0.0, 3.2]));
    assert_eq!(
        first_clashes(&[&file, "--overlap", "-0.5", "--hydrogen-bond", "0"]),
        json!([[0, 1]])
    );
}

/// A ligand of four carbons in a row, 1.5 Å apart, each within three bonds of the others, and a
/// water in its middle.
fn butane() -> String {
    let mut text = String::new();
    for at in 0..4 {
        let place = [f64::from(at) * 1.3, f64::from(at % 2) * 0.75, 0.0];
        text += &atom(at as usize + 1, &format!(" C{}", at + 1), "BUT", 'L', 1, place);
    }
    text + &atom(5, " O", "HOH", 'W', 2, [2.0, 1.5, 0.0])
}

#[test]
fn bonded_atoms_never_clash() {
    let file = written("butane.pdb", butane());
    let report = clash_json(&[&file, "--overlap", "0"]);
    assert_eq!(report["bonds"], json!([[0, 1], [1, 2], [2, 3]]));
    assert_eq!(report["frames"][0]["clashes"], json!([[0, 4], [1, 4], [2, 4], [3, 4]]));
    // Bonds of the file count, too: a fifth bond binds the water.
    let file = written("bound.pdb", butane() + "CONECT    5    2\n");
    let report = clash_json(&[&file, "--overlap", "0"]);
    assert_eq!(report["bonds"], json!([[0, 1], [1, 2], [1, 4], [2, 3]]));
    assert_eq!(report["frames"][0]["clashes"], json!([]));
}

#[test]
fn selections_choose_atoms_and_pairs() {
    let file = written("selected.pdb", butane() + &waters(&[0.2, 0.4]));
    let found = |options: &[&str]| {
        let report = clash_json(&[&[file.as_str(), "--overlap", "0.4"], options].concat());
        let contacts = report["frames"][0]["contacts"].as_array().unwrap().clone();
        contacts.iter().map(|contact| contact["atoms"].to_string()).collect::<Vec<_>>()
    };
    let all = found(&[]).len();
    assert!(all > 4);
    assert_eq!(found(&["--select", "not water"]).len(), 0);
    assert_eq!(found(&["--select", "water and resi 1-2 and chain W"]).len(), 1);
    let between = found(&["--between", "chain L", "resi 2 and water"]);
    assert!(
        !between.is_empty() && between.iter().all(|pair| pair.contains("L BUT")),
        "{between:?}"
    );
    let run = clash(&[&file, "--select", "resi 1 xor water"]);
    assert_eq!(code(&run), 2);
    assert!(
        error(&run).contains("--select") && error(&run).contains("column 12"),
        "{}",
        error(&run)
    );
    let run = clash(&[&file, "--select", "none"]);
    assert!(error(&run).contains("none of the 7 takes part"), "{}", error(&run));
    assert_eq!(code(&clash(&[&file, "--between", "chain L"])), 2);
}

#[test]
fn periodic_images_meet() {
    let cell = "CRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1\n";
    let file = written("periodic.pdb", format!("{cell}{}", waters(&[0.5, 19.5])));
    assert_eq!(first_clashes(&[&file]), json!([]));
    let report = clash_json(&[&file, "--periodic"]);
    assert_eq!(report["frames"][0]["clashes"], json!([[0, 1]]));
    let distance = report["frames"][0]["contacts"][0]["distance"].as_f64().unwrap();
    assert!((distance - 1.0).abs() < 1e-12);
    let open = written("no_cell.pdb", waters(&[0.5, 19.5]));
    let run = clash(&[&open, "--periodic"]);
    assert_eq!(code(&run), 2);
    assert!(error(&run).contains("no_cell.pdb: frame 0 has no periodic cell"), "{}", error(&run));
}

/// Models of two waters that approach each other.
fn approaching() -> String {
    (0..10).fold(String::new(), |text, model| {
        let x = 4.0 - 0.4 * f64::from(model);
        text + &format!("MODEL {model:>8}\n{}ENDMDL\n", waters(&[0.0, x]))
    })
}

#[test]
fn ranges_of_frames_are_heeded() {
    let file = written("approaching.pdb", approaching());
    let indices = |options: &[&str]| {
        let report = clash_json(&[&[file.as_str()], options].concat());
        let frames = report["frames"].as_array().unwrap().clone();
        frames.iter().map(|frame| frame["index"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(indices(&[]), (0..10).collect::<Vec<_>>());
    assert_eq!(indices(&["--start", "2", "--stop", "9", "--step", "3"]), [2, 5, 8]);
    assert_eq!(indices(&["--stop", "1"]), [0]);
    let run = clash(&[&file, "--start", "10"]);
    assert_eq!(code(&run), 2);
    assert!(error(&run).contains("no frame is in the range"), "{}", error(&run));
    assert_eq!(code(&clash(&[&file, "--step", "0"])), 2);
}

/// Overlap, distance and frame of a row come from one frame.
#[test]
fn a_row_of_the_summary_is_of_one_frame() {
    let file = written("rows.pdb", approaching());
    let text = text(&clash(&[&file]));
    // Distances from 4.0 down to 0.4; below 2.04 they clash: from frame 5 on.
    let row = text.lines().find(|line| line.contains("W HOH 1 O and")).unwrap().to_owned();
    let cells: Vec<&str> = row.split_whitespace().rev().take(6).collect();
    assert_eq!(cells, ["10", "of", "5", "9", "0.400", "2.040"], "{row}");
    assert!(text.contains("5 clashes in 5 of 10 frames"), "{text}");
}

#[test]
fn csv_lists_every_clash() {
    let file = written("listed.pdb", waters(&[0.0, 0.5, 1.0]));
    let out = path("listed.csv");
    let run = clash(&[&file, "--csv", &out]);
    assert_eq!(code(&run), 0, "{}", error(&run));
    let csv = std::fs::read_to_string(&out).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("frame,chain_1,residue_1"));
    assert_eq!(lines[1], "0,W,HOH,1,O,W,HOH,2,O,0.5000,1.9400");
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let file = written("structure_threads.pdb", approaching());
    let with = |threads: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pliant"));
        let out = command
            .args(["clash", &file, "--json", "-"])
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        let mut report: Value = serde_json::from_slice(&out.stdout).unwrap();
        for frame in report["frames"].as_array_mut().unwrap() {
            frame["work"]["seconds"] = json!(0);
        }
        report
    };
    assert_eq!(with("1"), with("3"));
}

#[test]
fn a_page_is_written() {
    let file = written("structure_page.pdb", butane());
    let page = path("structure_page.html");
    assert_eq!(code(&clash(&[&file, "--report", &page])), 0);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("L BUT 1 C1") && html.trim_end().ends_with("</html>"));
}

/// Counts that `tests/oracles/clash.py` finds with gemmi, independently.
#[test]
fn real_structures() {
    let Some(folder) = shared("protein") else { return };
    for (name, atoms, bonds, clashes) in [
        ("ubiquitin/1ubq.pdb", 1271, 1237, 7),
        ("trpcage/1l2y.pdb", 304, 310, 104),
        ("static/1hv4.pdb", 9288, 9568, 345),
    ] {
        let file = folder.join(name).to_str().unwrap().to_owned();
        let report = clash_json(&[&file]);
        let found = report["frames"].as_array().unwrap().iter();
        let found: usize = found.map(|frame| frame["clashes"].as_array().unwrap().len()).sum();
        let counts =
            (report["beads"].as_u64().unwrap(), report["bonds"].as_array().unwrap().len(), found);
        assert_eq!(counts, (atoms, bonds, clashes), "{name}");
    }
    // Without the allowance for hydrogen bonds.
    let ubiquitin = folder.join("ubiquitin/1ubq.pdb").to_str().unwrap().to_owned();
    let found = first_clashes(&[&ubiquitin, "--hydrogen-bond", "0"]);
    assert_eq!(found.as_array().unwrap().len(), 76);
}
