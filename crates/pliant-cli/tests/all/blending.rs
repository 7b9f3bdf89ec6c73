//! `--blending`: skins of files with rotations and rigid motions blended.

use crate::common::schema::validate;
use crate::common::*;
use glam::{DAffine3, DVec3, DVec4};
use pliant::Mesh;
use pliant_io::*;
use serde_json::Value;
use std::sync::Arc;

const BLENDINGS: [&str; 3] = ["linear", "spherical", "dual-quaternion"];

/// A tube along x of radius 1, whose second joint twists about x by a half turn in a second, and three
/// triangles across its middle. `scale` is that of the second joint at the end.
fn twisting(scale: f64) -> Vec<u8> {
    const RINGS: u32 = 9;
    const ROUND: u32 = 8;
    let mut corners = Vec::new();
    let mut weights = SkinWeights { starts: vec![0], influences: Vec::new() };
    for ring in 0..RINGS {
        let part = f64::from(ring) / f64::from(RINGS - 1);
        for at in 0..ROUND {
            let (sine, cosine) =
                (std::f64::consts::TAU * f64::from(at) / f64::from(ROUND)).sin_cos();
            corners.push(DVec3::new(4.0 * part, cosine, sine));
            let both = [(0, 1.0 - part), (1, part)];
            for (joint, weight) in both.into_iter().filter(|&(_, weight)| weight > 0.0) {
                weights.influences.push(Influence { joint, weight });
            }
            weights.starts.push(weights.influences.len() as u32);
        }
    }
    let mut triangles = Vec::new();
    for ring in 0..RINGS - 1 {
        for at in 0..ROUND {
            let next = (at + 1) % ROUND;
            let [a, b] = [at, next].map(|at| ring * ROUND + at);
            triangles.extend([[a, b, a + ROUND], [b, b + ROUND, a + ROUND]]);
        }
    }
    let tube = Mesh::new(corners, triangles).unwrap();
    let sheet = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]];
    let sheet = sheet.map(|[y, z]| DVec3::new(2.0, y, z)).to_vec();
    let sheet = sheet.into_iter().chain([DVec3::new(2.0, 0.5, 0.0)]).collect();
    let sheet = Mesh::new(sheet, vec![[0, 1, 4], [1, 2, 4], [2, 3, 4]]).unwrap();
    let node = |parent| Node { name: None, parent, transform: NodeTransform::IDENTITY };
    let sampler = |values: Vec<f64>| Sampler {
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0],
        values,
    };
    let turn = sampler([DVec4::W, DVec4::X].iter().flat_map(|q| q.to_array()).collect());
    let grow = sampler(vec![1.0, 1.0, 1.0, scale, 1.0, 1.0]);
    let channel = |sampler, property| Channel { sampler, node: 2, property };
    let animation = Animation::new(
        "twist",
        vec![turn, grow],
        vec![channel(0, Property::Rotation), channel(1, Property::Scale)],
    );
    let skin = Skin { joints: vec![1, 2], inverse_bind: vec![DAffine3::IDENTITY; 2] };
    let deformation = Deformation::Skin { skin: 0, weights: Arc::new(weights), morph: None };
    let scene = Scene::new(SceneParts {
        nodes: vec![node(None), node(None), node(Some(1)), node(None)],
        objects: vec![
            Object::new("tube", 0, tube, deformation),
            Object::new("sheet", 3, sheet, Deformation::Rigid),
        ],
        skins: vec![skin],
        animations: vec![animation],
        ..SceneParts::default()
    });
    glb_bytes(&scene.unwrap()).unwrap()
}

/// Pairs of every frame.
fn pairs(report: &Value) -> Vec<&Value> {
    report["frames"].as_array().unwrap().iter().map(|frame| &frame["pairs"]).collect()
}

#[test]
fn every_method_finds_what_brute_force_finds() {
    let file = written("blending_twist.glb", twisting(1.0));
    let mut found = Vec::new();
    for blending in BLENDINGS {
        let run = |method: &str| {
            let arguments =
                [&file, "--self", "--fps", "12", "--blending", blending, "--method", method];
            check_json(arguments)
        };
        let truth = run("brute-force");
        validate(&truth, "check.schema.json");
        let name = format!("skin-{blending}");
        assert_eq!(truth["objects"][0]["deformation"], name.as_str());
        assert_eq!(truth["objects"][1]["deformation"], "rigid");
        for method in ["auto", "skinned", "bottom-up", "keyframed"] {
            assert_eq!(pairs(&run(method)), pairs(&truth), "{blending} {method}");
        }
        let plain = check_json([&file, "--self", "--fps", "12"]);
        assert_eq!(pairs(&plain) == pairs(&truth), blending == "linear", "{blending}");
        found.push(truth);
    }
    // Where the tube is twisted by 180 degrees linear blending shrinks it to its axis; the others
    // keep their radius of 1, and meet other triangles.
    let last = |report: &Value| pairs(report).last().unwrap().as_array().unwrap().len();
    assert!(last(&found[0]) > 0 && last(&found[1]) > 0 && last(&found[2]) > 0);
    assert_ne!(pairs(&found[0]).last(), pairs(&found[1]).last());
}

#[test]
fn pliant_toml_and_shards_know_it() {
    let folder = std::path::PathBuf::from(path("blending_folder"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("twist.glb"), twisting(1.0)).unwrap();
    std::fs::write(folder.join("pliant.toml"), "blending = \"spherical\"\n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pliant"));
        let run = command.current_dir(&folder).arg("check").args(arguments).output().unwrap();
        assert_eq!(code(&run), 0, "{}", error(&run));
        serde_json::from_slice::<Value>(&run.stdout).unwrap()
    };
    let told = run(&["twist.glb", "--json", "-"]);
    assert_eq!(told["objects"][0]["deformation"], "skin-spherical");
    // What the command line says counts more.
    let linear = run(&["twist.glb", "--json", "-", "--blending", "linear"]);
    assert_eq!(linear["objects"][0]["deformation"], "skin-linear");
    assert_ne!(pairs(&told), pairs(&linear));
    std::fs::write(folder.join("pliant.toml"), "blending = \"cubic\"\n").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pliant"));
    let run = command.current_dir(&folder).args(["check", "twist.glb"]).output().unwrap();
    assert_eq!(code(&run), 2);
    assert!(error(&run).contains("cubic"), "{}", error(&run));
}

#[test]
fn joints_that_scale_are_refused_by_name() {
    let file = written("blending_scaled.glb", twisting(1.5));
    assert_eq!(code(&pliant(["check", &file, "--quiet"])), 0);
    for blending in ["spherical", "dual-quaternion"] {
        let run = pliant(["check", &file, "--blending", blending]);
        assert_eq!(code(&run), 2);
        let told = "it scales or shears, which only linear blending knows";
        let named = format!("object \"tube\": joint 1 is not usable: {told}");
        assert!(error(&run).contains(&named), "{}", error(&run));
        let run = pliant(["info", &file, "--blending", blending]);
        assert_eq!(code(&run), 0, "{}", error(&run));
        assert!(text(&run).contains(told), "{}", text(&run));
        assert!(text(&run).contains("animation \"twist\", at 1 s"), "{}", text(&run));
        assert!(text(&run).contains(&format!("skin-{blending}")), "{}", text(&run));
    }
    let fine = written("blending_fine.glb", twisting(1.0));
    let run = pliant(["info", &fine, "--blending", "spherical", "--json", "-"]);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    validate(&report, "info.schema.json");
    assert_eq!(report["files"][0]["warnings"], serde_json::json!([]));
    assert_eq!(code(&pliant(["check", &fine, "--blending", "cubic"])), 2);
    let run = pliant(["check", &fine, "--blending", "spherical", "--continuous"]);
    assert_eq!(code(&run), 2);
    assert!(error(&run).contains("known for linear blending alone"), "{}", error(&run));
}

#[test]
fn the_page_shows_the_vertices_of_every_frame() {
    let file = written("blending_page.glb", twisting(1.0));
    let page = path("blending_page.html");
    let run = pliant(["check", &file, "--blending", "dual-quaternion", "--report", &page]);
    assert_eq!(code(&run), 0, "{}", error(&run));
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("skin-dual-quaternion"), "the object is named");
    let linear = path("blending_linear.html");
    assert_eq!(code(&pliant(["check", &file, "--report", &linear])), 0);
    // 72 vertices of 31 frames, which joints would not need.
    let longer = html.len() - std::fs::read_to_string(&linear).unwrap().len();
    assert!(longer > 31 * 72 * 12, "{longer}");
}
