//! `pliant demo`: what it says is there, is there.

use std::fs;
use std::process::Command;

use crate::common::*;

/// The heap of chairs had a scene and no page.
#[test]
fn the_demo_of_chairs_writes_a_page() {
    let folder = path("demo_chairs");
    let _ = fs::remove_dir_all(&folder);
    let run = pliant(["demo", "chairs", "--folder", &folder]);
    assert_eq!(code(&run), 0, "{}", error(&run));
    for name in ["report.html", "chairs.glb"] {
        let file = format!("{folder}/{name}");
        assert!(text(&run).contains(&file), "{}", text(&run));
        assert!(fs::metadata(file).unwrap().len() > 10_000);
    }
    let page = fs::read_to_string(format!("{folder}/report.html")).unwrap();
    assert!(page.contains("id=\"pliant-view\"") && page.trim_end().ends_with("</html>"));
}

/// Work counts of large skins in contact differed from run to run.
#[test]
fn counts_of_large_skins_are_the_same_in_every_run() {
    let folder = path("demo_men");
    let _ = fs::remove_dir_all(&folder);
    let run = pliant(["demo", "men", "--folder", &folder]);
    assert_eq!(code(&run), 0, "{}", error(&run));
    let model = format!("{folder}/men.glb");
    let counts = |threads: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        let command = command.args(["check", &model, "--fps", "10", "--no-depth", "--json", "-"]);
        let run = command.env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert_eq!(code(&run), 0, "{}", error(&run));
        timeless(&text(&run))
    };
    let first = counts("2");
    assert!(first.contains("\"pairs\":[["), "nothing touches");
    for threads in ["2", "2", "1", "5"] {
        assert!(counts(threads) == first, "counts differ with {threads} threads");
    }
}
