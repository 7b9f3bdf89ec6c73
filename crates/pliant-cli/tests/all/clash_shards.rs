//! `pliant clash --shard` and `pliant merge`: the parts of a run are the run.

use std::fs;

use serde_json::Value;

use crate::common::schema::validate;
use crate::common::*;

/// 38 models of a small protein's backbone.
const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/1l2y_backbone.pdb");

fn run(arguments: &[&str]) -> std::process::Output {
    pliant([&["clash", MODELS], arguments].concat())
}

/// What is printed but for the last line, which says how long it took.
fn untimed(text: &str) -> &str {
    text.trim_end().rsplit_once('\n').unwrap().0
}

/// A run in five parts, one of which has a frame less, as reports of the whole and as merged ones.
fn merged_as_whole(name: &str, question: &[&str], has_csv: bool) -> Vec<String> {
    let named = |file: &str| path(&format!("clash_shards_{name}_{file}"));
    let [whole, csv, merged, merged_csv] =
        ["whole.json", "whole.csv", "merged.json", "merged.csv"].map(named);
    let mut reports = vec!["--json", &whole, "--fail-on-contact"];
    reports.extend(has_csv.then_some(["--csv", &csv]).into_iter().flatten());
    let printed = run(&[question, &reports].concat());
    assert_eq!(code(&printed), 1, "{}", error(&printed));
    let parts: Vec<String> = (1..=5).map(|part| named(&format!("{part}.json"))).collect();
    for (number, part) in parts.iter().enumerate() {
        let shard = format!("{}/5", number + 1);
        let one = run(&[question, &["-q", "--shard", &shard, "--json", part]].concat());
        assert_eq!(code(&one), 0, "{}", error(&one));
        let part: Value = serde_json::from_slice(&fs::read(part).unwrap()).unwrap();
        validate(&part, "clash.schema.json");
    }
    // In any order.
    let mut arguments = vec!["merge", "--fail-on-contact", "--json", &merged];
    arguments.extend(has_csv.then_some(["--csv", &merged_csv]).into_iter().flatten());
    arguments.extend(parts.iter().rev().map(String::as_str));
    let joined = pliant(&arguments);
    assert_eq!(code(&joined), 1, "{}", error(&joined));
    let read = |file: &str| fs::read_to_string(file).unwrap();
    assert!(read(&whole).matches("\"index\"").count() > 12);
    assert_eq!(timeless(&read(&merged)), timeless(&read(&whole)));
    assert_eq!(text(&joined).trim_end(), untimed(&text(&printed)));
    if has_csv {
        assert_eq!(read(&merged_csv), read(&csv));
    }
    parts
}

#[test]
fn parts_of_a_structures_run_are_merged_to_the_same_bytes() {
    let question = ["--overlap", "0", "--start", "1", "--step", "2"];
    let parts = merged_as_whole("structure", &question, true);
    let others =
        merged_as_whole("between", &["--overlap", "-1", "--between", "resi 1-9", "all"], true);
    // A part that is missing, given twice, or of another question is named.
    let merge = |files: &[&String]| {
        let run = pliant(
            [&["merge"], &files.iter().map(|f| f.as_str()).collect::<Vec<_>>()[..]].concat(),
        );
        assert_eq!(code(&run), 2);
        error(&run)
    };
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|part| &parts[part]);
    assert!(merge(&[a, b, c, d]).contains("there are 4 of 5 parts"));
    assert!(merge(&[a, b, c, d, d]).contains("is part 4, and so is"));
    assert!(merge(&[a, b, c, d, &others[4]]).contains("is part of another run"));
    let checked = path("clash_shards_check.json");
    let file = written("clash_shards.glb", passing());
    assert_eq!(code(&pliant(["check", &file, "-q", "--json", &checked])), 0);
    assert!(merge(&[a, b, c, d, &checked]).contains("some parts are of `check`"));
    // What `clash` does not know is refused.
    let run = pliant(["merge", a, b, c, d, e, "--junit", "verdict.xml"]);
    assert_eq!(code(&run), 2);
    assert!(error(&run).contains("parts of `clash` take --json"), "{}", error(&run));
    // A part of other frames: its turn comes too late.
    let text = fs::read_to_string(e).unwrap();
    let late = written("clash_shards_late.json", text.replace("\"index\":", "\"index\":9"));
    let said = merge(&[a, b, c, d, &late]);
    assert!(said.contains("is not a part of one run with the others"), "{said}");
}

#[test]
fn parts_of_a_run_of_beads_are_merged_to_the_same_bytes() {
    merged_as_whole("beads", &["--radius", "2.2", "--atoms", "backbone", "--min-gap", "6"], false);
    // More parts than frames: some have none.
    let shard = |part: &str, file: &str| {
        let one = run(&["-q", "--radius", "vdw", "--stop", "1", "--shard", part, "--json", file]);
        assert_eq!(code(&one), 0, "{}", error(&one));
    };
    let [first, second] = ["clash_shards_first.json", "clash_shards_second.json"].map(path);
    shard("1/2", &first);
    shard("2/2", &second);
    let joined = pliant(["merge", &first, &second]);
    assert_eq!(code(&joined), 0, "{}", error(&joined));
    assert!(text(&joined).contains("1 frame"), "{}", text(&joined));
    // Without a file there is nothing to merge.
    assert_eq!(code(&run(&["--shard", "1/2"])), 2);
}
