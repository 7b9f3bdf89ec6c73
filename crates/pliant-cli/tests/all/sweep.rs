//! `pliant sweep`, run for real.

use std::fs;

use serde_json::Value;

use crate::common::schema::validate;
use crate::common::{code, error, folding, obj, passing, path, pliant, shared, text, written};

/// Runs `pliant sweep` and reads what it wrote as JSON.
fn sweep_json(arguments: &[&str]) -> Value {
    let run = pliant([&["sweep"], arguments, &["--json", "-"]].concat());
    assert_eq!(code(&run), 0, "{}", error(&run));
    let report = serde_json::from_slice(&run.stdout).unwrap();
    validate(&report, "sweep.schema.json");
    report
}

fn toi(contact: &Value) -> [f64; 2] {
    [0, 1].map(|at| contact["toi"][at].as_f64().unwrap())
}

#[test]
fn what_passes_between_two_frames_is_found() {
    let file = written("sweep_passing.glb", passing());
    // The ends of "pass" are apart; the mover goes from x = -2 to 2 and touches at x = -1.
    let quiet = pliant(["check", &file, "--times", "0,1"]);
    assert!(text(&quiet).contains("No contacts"), "{}", text(&quiet));
    assert!(error(&quiet).contains("`pliant sweep` finds"), "{}", error(&quiet));
    let report = sweep_json(&[&file, "--times", "0,1"]);
    let step = &report["steps"][0];
    assert_eq!((step["from"].as_f64(), step["to"].as_f64()), (Some(0.0), Some(1.0)));
    let contacts = step["contacts"].as_array().unwrap();
    assert!(contacts.len() > 3 && contacts.iter().all(|one| one["certain"] == true));
    let first = contacts.iter().map(toi).map(|time| time[0]).fold(f64::INFINITY, f64::min);
    assert!((step["first"][0].as_f64().unwrap() - first).abs() < 1e-15);
    assert!((0.2..0.4).contains(&first), "{first}");
    // A synonym, and only the first.
    let run = pliant(["check", &file, "--continuous", "--times", "0,1", "--json", "-"]);
    let same: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(same["steps"][0]["contacts"], step["contacts"]);
    let one = sweep_json(&[&file, "--times", "0,1", "--first"]);
    assert_eq!(one["steps"][0]["contacts"].as_array().unwrap().len(), 1);
    assert_eq!(one["steps"][0]["first"], step["first"]);
    // Another animation has none, and says so.
    let miss = pliant(["sweep", &file, "--times", "0,1", "--animation", "miss"]);
    assert!(text(&miss).contains("No contacts"), "{}", text(&miss));
}

/// The page has a frame for each end of a step, and features with their paths where something
/// touches.
#[test]
fn a_page_shows_steps() {
    let file = written("sweep_page.glb", passing());
    let page = path("sweep_page.html");
    let run = pliant(["sweep", &file, "--times", "0,0.5,1", "--report", &page, "--quiet"]);
    assert!(run.status.success(), "{}", error(&run));
    let html = fs::read_to_string(&page).unwrap();
    let json = html.split("id=\"pliant-view\">").nth(1).unwrap().split("</script>").next().unwrap();
    let view: Value = serde_json::from_str(json).unwrap();
    let frames = view["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 3);
    let report = sweep_json(&[&file, "--times", "0,0.5,1"]);
    for (step, frame) in report["steps"].as_array().unwrap().iter().zip(frames) {
        let contacts = step["contacts"].as_array().unwrap();
        assert_eq!(frame["impacts"].is_null(), contacts.is_empty());
        assert_eq!(frame["contacts"].as_array().unwrap().is_empty(), contacts.is_empty());
        if let Some(impacts) = frame["impacts"].as_object() {
            assert_eq!(impacts["found"], contacts.len());
            let features = impacts["features"].as_array().unwrap();
            assert!(features.iter().all(|one| contacts.contains(one)));
            let numbers = features.len() * impacts["times"].as_array().unwrap().len() * 12;
            let text = impacts["places"].as_str().unwrap();
            assert_eq!(text.len(), (4 * numbers).div_ceil(3) * 4);
        }
    }
    assert!(frames[2]["impacts"].is_null());
}

#[test]
fn rules_and_filters_are_those_of_check() {
    let file = written("sweep_rules.glb", passing());
    let run = |more: &[&str]| pliant([&["sweep", &file, "--times", "0,1"], more].concat());
    assert_eq!(code(&run(&[])), 0);
    let failed = run(&["--fail-on-contact", "--quiet"]);
    assert_eq!(code(&failed), 1);
    assert!(text(&failed).starts_with("contact: still and mover"), "{}", text(&failed));
    assert_eq!(code(&run(&["--fail-on-contact", "--ignore", "still:mover"])), 0);
    assert_eq!(code(&run(&["--fail-on-contact", "--only", "mover:mover"])), 0);
    let known = path("sweep_known.json");
    assert_eq!(code(&run(&["--baseline", &known, "--update-baseline"])), 0);
    assert_eq!(code(&run(&["--baseline", &known])), 0);
    for wrong in [&["--max-pairs", "2"][..], &["--baseline", "rest"]] {
        let refused = run(wrong);
        assert_eq!(code(&refused), 2, "{}", error(&refused));
    }
    let alone = pliant(["sweep", &file, "--times", "0"]);
    assert_eq!(code(&alone), 2);
    assert!(error(&alone).contains("a step needs two"), "{}", error(&alone));
}

/// Two frames of one mesh, which brute force finds the same in.
#[test]
fn frames_of_one_mesh_are_swept() {
    let frames = [(2.0, "a"), (-2.0, "b")].map(|(z, name)| {
        let mesh = obj(0.0, 0.0, 0.0);
        let vertices = |text: &str| text.lines().filter(|line| line.starts_with('v')).count();
        let mut moved = obj(0.125, 0.125, z);
        moved = moved.lines().filter(|line| line.starts_with('v')).collect::<Vec<_>>().join("\n");
        let shift = vertices(&mesh);
        let faces = ["f 5 7 6", "f 5 6 8", "f 5 8 7", "f 6 7 8"].join("\n");
        assert_eq!(shift, 4);
        let (own, rest): (Vec<_>, Vec<_>) = mesh.lines().partition(|line| line.starts_with('v'));
        let text = [own.join("\n"), moved, rest.join("\n"), faces].join("\n") + "\n";
        written(&format!("sweep_frame_{name}.obj"), text)
    });
    let arguments = [&frames[0], &frames[1], "--frames", "--self"].map(|one| one as &str);
    let report = sweep_json(&arguments);
    let contacts = &report["steps"][0]["contacts"];
    assert!(contacts.as_array().unwrap().len() > 3);
    let brute = sweep_json(&[&arguments[..], &["--method", "brute-force"]].concat());
    assert_eq!(contacts, &brute["steps"][0]["contacts"]);
    let other = written("sweep_frame_other.obj", obj(0.0, 0.0, 0.0));
    let refused = pliant(["sweep", &frames[0], &other, "--frames", "--self"]);
    assert_eq!(code(&refused), 2);
    assert!(error(&refused).contains("4 instead of 8"), "{}", error(&refused));
}

/// A strip folds onto itself along an arc. Along its chords it does so too, at another time.
#[test]
fn true_paths_never_miss_what_samples_find() {
    let file = written("sweep_folding.glb", folding());
    let step = |report: &Value| report["steps"][0].clone();
    let of_path = step(&sweep_json(&[&file, "--self", "--times", "0,1", "--within", "0.01"]));
    let contacts = of_path["contacts"].as_array().unwrap();
    assert!(!contacts.is_empty());
    assert!(contacts.iter().all(|one| one["certain"] == false && one["within"].is_number()));
    // 1000 frames of the same: whoever touches in one is in the step's list, not later.
    let samples: Vec<String> = (0..=1000).map(|at| (f64::from(at) / 1000.0).to_string()).collect();
    let run = pliant(["check", &file, "--self", "--times", &samples.join(","), "--json", "-"]);
    let checked: Value = serde_json::from_slice(&run.stdout).unwrap();
    let mut touched = 0;
    for frame in checked["frames"].as_array().unwrap() {
        for pair in frame["pairs"].as_array().unwrap() {
            touched += 1;
            let triangles = [pair[1].as_u64().unwrap(), pair[3].as_u64().unwrap()];
            assert!(triangles[0] < 2 && triangles[1] >= 2, "the two halves: {pair}");
            let time = frame["time"].as_f64().unwrap();
            assert!(of_path["first"][0].as_f64().unwrap() <= time);
        }
    }
    assert!(touched > 0);
    // Smaller distances divide more, and stay before the contact.
    let finer = step(&sweep_json(&[&file, "--self", "--times", "0,1", "--within", "0.0001"]));
    assert!(finer["first"][0].as_f64() >= of_path["first"][0].as_f64());
    let linear = step(&sweep_json(&[&file, "--self", "--times", "0,1", "--path", "linear"]));
    assert!(linear["contacts"].as_array().unwrap().iter().all(|one| one["certain"] == true));
}

/// Whole steps and their parts share the pairs of features, and every feature is looked at: by brute force
/// the same is found.
#[test]
fn true_paths_are_as_brute_force() {
    let file = written("sweep_folding_brute.glb", folding());
    for within in ["0.2", "0.02", "0.001"] {
        for times in ["0,1", "0,0.3,1"] {
            let arguments: [&str; 6] = [&file, "--self", "--times", times, "--within", within];
            let report = sweep_json(&arguments);
            let brute = sweep_json(&[&arguments[..], &["--method", "brute-force"]].concat());
            let [steps, truth] = [&report, &brute].map(|one| one["steps"].as_array().unwrap());
            for (step, truth) in steps.iter().zip(truth) {
                for what in ["from", "to", "first", "contacts", "pierced"] {
                    assert_eq!(step[what], truth[what], "{within} {times} {what}");
                }
            }
            assert!(steps.iter().any(|step| !step["first"].is_null()));
        }
    }
}

/// Two triangles meet in a seam, whose ends have a vertex of each. By place they share them.
#[test]
fn seams_touch_by_index_alone() {
    let frames = [0.0, 1.0].map(|z| {
        let places = [[0, 0], [1, 0], [0, 1], [1, 0], [0, 1], [1, 1]];
        let lines = places.map(|[x, y]| format!("v {x} {y} {z}")).join("\n");
        written(&format!("sweep_seam_{z}.obj"), lines + "\nf 1 2 3\nf 4 6 5\n")
    });
    let count = |more: &[&str]| {
        let common: [&str; 4] = [&frames[0], &frames[1], "--frames", "--self"];
        let arguments = [&common[..], more].concat();
        sweep_json(&arguments)["steps"][0]["contacts"].as_array().unwrap().len()
    };
    assert_eq!(count(&[]), 0);
    assert_eq!(count(&["--adjacency", "place"]), 0);
    assert!(count(&["--adjacency", "index"]) > 2);
}

/// The frame pairs of recorded simulations through the program: every true contact and no other.
#[test]
fn recorded_frames_have_their_true_contacts() {
    let Some(folder) = shared("ccd/scalable-ccd/cloth-funnel") else { return };
    let file = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let (first, last) = (file("frames/227.ply"), file("frames/228.ply"));
    let report = sweep_json(&[
        &first,
        &last,
        "--frames",
        "--self",
        "--adjacency",
        "index",
        "--path",
        "linear",
    ]);
    let contacts = report["steps"][0]["contacts"].as_array().unwrap();
    let count = |kind: &str| {
        let list = fs::read(folder.join(format!("mma_bool/227{kind}_mma_bool.json"))).unwrap();
        let hits: Vec<bool> = serde_json::from_slice(&list).unwrap();
        let found = contacts.iter().filter(|one| one["kind"] == kind).count();
        (hits.into_iter().filter(|&hit| hit).count(), found)
    };
    for (truth, found) in [count("vf"), count("ee")] {
        assert_eq!(truth, found);
    }
}
