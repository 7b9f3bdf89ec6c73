//! `pliant demo`: what it says is there, is there.

use std::fs;

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
