//! `pliant info`: the real program on small files of the tests' own.

use crate::common::schema::validate;
use crate::common::*;
use serde_json::{Value, json};

fn info(file: &str) -> Value {
    let run = pliant(["info", file, "--json", "-"]);
    assert_eq!(code(&run), 0, "{}", error(&run));
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    validate(&report, "info.schema.json");
    report["files"][0].clone()
}

#[test]
fn a_skin_is_described() {
    let file = info(&written("info_skin.glb", folding()));
    let strip = &file["objects"][0];
    assert_eq!((&strip["joints"], &strip["influences"]), (&json!(2), &json!(1)));
    assert_eq!((&strip["vertices"], &strip["triangles"]), (&json!(6), &json!(4)));
    assert_eq!(strip["health"]["boundary_edges"], 6);
    assert_eq!(strip["tree"]["nodes"], 7);
    assert_eq!(
        file["animations"],
        json!([{ "index": 0, "name": "fold", "start": 0.0, "end": 1.0, "channels": 1 }])
    );
    assert_eq!(file["warnings"], json!([]));
}

#[test]
fn what_will_hurt_is_told() {
    let bad = obj(0.0, 0.0, 0.0) + "v 2 0 0\nf 1 2 5\nf 1 2 3\nf 1 3 2\n";
    let file = written("info_bad.obj", bad);
    let health = &info(&file)["objects"][0]["health"];
    assert_eq!(
        health,
        &json!({
            "degenerate_triangles": 1, "duplicated_faces": 2,
            "non_manifold_edges": 3, "boundary_edges": 2,
        })
    );
    let run = pliant(["info", &file, &file]);
    assert_eq!(code(&run), 0);
    for told in ["1 degenerate triangle:", "2 duplicated faces:", "3 non-manifold edges:"] {
        assert_eq!(text(&run).matches(told).count(), 2, "{}", text(&run));
    }
}

#[test]
fn bad_input_is_named_with_code_2() {
    let run = pliant(["info", "missing.stl"]);
    assert_eq!((code(&run), text(&run)), (2, String::new()));
    assert!(error(&run).contains("missing.stl: No such file"));
    assert_eq!(code(&pliant(["info"])), 2);
}
