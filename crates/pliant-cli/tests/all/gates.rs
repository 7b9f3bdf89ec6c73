//! `pliant check` for a build: what is looked at, what counts, what fails, and the reports of it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::schema::validate;
use crate::common::*;

/// An empty folder of a test's own.
fn folder(name: &str) -> String {
    let path = path(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A ball with its poles along y as OBJ: `rings` rings of twice as many vertices.
fn ball(center: [f64; 3], rings: usize, change: impl Fn(usize, &mut [f64; 3])) -> String {
    let around = 2 * rings;
    let mut points = vec![[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]];
    for ring in 1..=rings {
        let tilt = std::f64::consts::PI * ring as f64 / (rings + 1) as f64;
        for step in 0..around {
            let turn = std::f64::consts::TAU * step as f64 / around as f64;
            points.push([tilt.sin() * turn.cos(), tilt.cos(), tilt.sin() * turn.sin()]);
        }
    }
    let at = |ring: usize, step: usize| 3 + (ring - 1) * around + step % around;
    let mut faces = Vec::new();
    for step in 0..around {
        faces.push([1, at(1, step + 1), at(1, step)]);
        faces.push([2, at(rings, step), at(rings, step + 1)]);
        for ring in 1..rings {
            let [a, b] = [at(ring, step), at(ring, step + 1)];
            let [c, d] = [at(ring + 1, step), at(ring + 1, step + 1)];
            faces.push([a, b, c]);
            faces.push([b, d, c]);
        }
    }
    let mut text = String::new();
    for (number, mut point) in points.into_iter().enumerate() {
        change(number, &mut point);
        let [x, y, z] = [0, 1, 2].map(|axis| point[axis] + center[axis]);
        text += &format!("v {x} {y} {z}\n");
    }
    for [a, b, c] in faces {
        text += &format!("f {a} {b} {c}\n");
    }
    text
}

fn same(_: usize, _: &mut [f64; 3]) {}

fn animations(report: &Value) -> Vec<(String, u64)> {
    let all = report["animations"].as_array().unwrap();
    let one = |one: &Value| (one["name"].as_str().unwrap().into(), one["frames"].as_u64().unwrap());
    all.iter().map(one).collect()
}

#[test]
fn all_animations_are_played_one_after_the_other() {
    let file = written("gates_all.glb", passing());
    let both = [("pass".to_string(), 31), ("miss".to_string(), 31)];
    for chosen in [vec!["all"], vec!["*s*"], vec!["PASS", "miss"], vec!["1", "0"]] {
        let mut arguments = vec![file.as_str()];
        arguments.extend(chosen.iter().flat_map(|name| ["--animation", name]));
        let report = check_json(arguments);
        validate(&report, "check.schema.json");
        assert_eq!(animations(&report), both, "{chosen:?}");
        let frames = report["frames"].as_array().unwrap();
        for (number, frame) in frames.iter().enumerate() {
            assert_eq!(frame["number"], number);
            assert_eq!(frame["animation"], number / 31);
            assert_eq!(frame["frame"], number % 31);
        }
    }
    // Each frame is that of a run of its animation alone.
    let all = check_json([&file, "--animation", "all"]);
    for (name, first) in [("pass", 0), ("miss", 31)] {
        let alone = check_json([&file, "--animation", name]);
        for at in 0..31 {
            assert_eq!(alone["frames"][at]["pairs"], all["frames"][first + at]["pairs"]);
        }
    }
    // One file's choice leaves the other's alone.
    let other = written("gates_other.glb", passing());
    let own = format!("{other}@miss");
    let report = check_json([&file, &other, "--animation", &own, "--times", "0.5"]);
    let pairs = report["frames"][0]["pairs"].as_array().unwrap();
    let touching = |a: u64, b: u64| pairs.iter().any(|pair| pair[0] == a && pair[2] == b);
    assert!(touching(0, 1) && !touching(2, 3));
}

#[test]
fn pairs_of_objects_are_chosen_by_name() {
    let files = ["hero", "sword", "shield"]
        .map(|name| written(&format!("gates_{name}.obj"), ball([0.0; 3], 3, same)));
    let found = |more: &[&str]| {
        let arguments = files.iter().map(String::as_str).chain(more.iter().copied());
        let report = check_json(arguments);
        let contacts = report["frames"][0]["contacts"].as_array().unwrap();
        contacts.iter().map(|one| one["objects"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(found(&[]).len(), 3);
    assert_eq!(found(&["--only", "gates_HERO"]), [json!([0, 1]), json!([0, 2])]);
    assert_eq!(found(&["--ignore", "*sword:*shield"]), [json!([0, 1]), json!([0, 2])]);
    assert_eq!(found(&["--only", "*sword:*", "--ignore", "*hero"]), [json!([1, 2])]);
    // What is left out takes no work.
    let work = |more: &[&str]| {
        let report = check_json(files.iter().map(String::as_str).chain(more.iter().copied()));
        report["frames"][0]["work"]["primitive_tests"].as_u64().unwrap()
    };
    assert!(work(&[]) > 2 * work(&["--only", "*sword:*shield"]));
    let slip = pliant(["check", &files[0], "--only", "sord:*"]);
    assert!(error(&slip).contains("no pair of objects is called \"sord:*\""), "{}", error(&slip));
}

#[test]
fn an_object_with_itself_is_a_pair_of_one_name() {
    let file = written("gates_self.glb", folding());
    let found = |more: &[&str]| {
        let asked = [&[file.as_str(), "--self", "--times", "1"], more].concat();
        check_json(asked)["frames"][0]["pairs"].as_array().unwrap().len()
    };
    assert_eq!(found(&[]), 1);
    assert_eq!(found(&["--ignore", "strip:strip"]), 0);
    assert_eq!(found(&["--only", "strip:strip"]), 1);
}

#[test]
fn a_file_of_options_is_read_and_its_slips_are_named() {
    let folder = folder("gates_toml");
    let model = format!("{folder}/walk.glb");
    fs::write(&model, passing()).unwrap();
    let run = |toml: &str, more: &[&str]| {
        fs::write(format!("{folder}/pliant.toml"), toml).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.current_dir(&folder).args(["check", "walk.glb", "-q"]).args(more).output().unwrap()
    };
    assert_eq!(code(&run("fail-on-contact = true\n", &[])), 1);
    assert_eq!(code(&run("fail-on-contact = true\nanimation = [\"miss\"]\n", &[])), 0);
    // The command line counts more.
    let toml = "fail-on-contact = true\nanimation = [\"miss\"]\n";
    assert_eq!(code(&run(toml, &["--animation", "pass"])), 1);
    assert_eq!(code(&run("fail-on-contact = true\nignore = [\"still:mover\"]\n", &[])), 0);
    let limit =
        |depth: f64| format!("fps = 10\n[[limit]]\nobjects = \"still:mov*\"\ndepth = {depth}\n");
    assert_eq!(code(&run(&limit(100.0), &[])), 0);
    let deep = run(&limit(0.001), &[]);
    assert_eq!(code(&deep), 1);
    assert!(text(&deep).starts_with("limit: still and mover "), "{}", text(&deep));
    for (toml, said) in [
        ("fps = 10\nfsp = 3\n", "line 2"),
        ("only = \"a:b\"\n", "line 1"),
        ("fps = 10\ntouching = \"maybe\"\n", "line 2"),
        ("fps = -1\n", "fps: must be a number above 0"),
        ("[[limit]]\nobjects = \"a:b\"\ndepth = nan\n", "must be a number not below 0"),
    ] {
        let run = run(toml, &[]);
        assert_eq!(code(&run), 2, "{toml}");
        assert!(error(&run).contains(said), "{toml}: {}", error(&run));
    }
    fs::remove_file(format!("{folder}/pliant.toml")).unwrap();
}

#[test]
fn a_baseline_survives_a_new_export_and_not_a_pushed_vertex() {
    let folder = folder("gates_baseline");
    let [model, known] = ["ball.obj", "known.json"].map(|name| format!("{folder}/{name}"));
    let wall = format!("{folder}/wall.obj");
    fs::write(&wall, ball([1.75, 0.1, 0.0], 10, same)).unwrap();
    let export = |text: &str| fs::write(&model, text).unwrap();
    let check = |more: &[&str]| {
        pliant([&["check", &model, &wall, "-q", "--baseline", &known], more].concat())
    };
    export(&ball([0.0; 3], 10, same));
    assert_eq!(code(&check(&["--update-baseline"])), 0);
    assert_eq!(code(&check(&[])), 0);
    // Faces and vertices in another order.
    let obj = ball([0.0; 3], 10, same);
    let vertices: Vec<&str> = obj.lines().filter(|line| line.starts_with('v')).collect();
    let last = vertices.len();
    let mut shuffled: String = vertices.iter().rev().map(|line| format!("{line}\n")).collect();
    for face in obj.lines().rev().filter(|line| line.starts_with('f')) {
        let numbers = face.split(' ').skip(1).map(|number| number.parse::<usize>().unwrap());
        let [a, b, c]: [usize; 3] = numbers.collect::<Vec<_>>().try_into().unwrap();
        shuffled += &format!("f {} {} {}\n", last + 1 - b, last + 1 - c, last + 1 - a);
    }
    export(&shuffled);
    assert_eq!(code(&check(&[])), 0, "{}", text_of(&check(&[])));
    // The noise of f32.
    let noise = |number: usize, point: &mut [f64; 3]| {
        for (axis, value) in point.iter_mut().enumerate() {
            *value += 6e-8 * ((number * 3 + axis) as f64 * 12.9898).sin();
        }
    };
    export(&ball([0.0; 3], 10, noise));
    assert_eq!(code(&check(&[])), 0, "{}", text_of(&check(&[])));
    // Every vertex on its own for each face, as some programs write them.
    let points: Vec<&str> = obj.lines().filter(|line| line.starts_with('v')).collect();
    let mut split = String::new();
    let mut faces = 0;
    for face in obj.lines().filter(|line| line.starts_with('f')) {
        for number in face.split(' ').skip(1) {
            split += &format!("{}\n", points[number.parse::<usize>().unwrap() - 1]);
        }
        split += &format!("f {} {} {}\n", faces + 1, faces + 2, faces + 3);
        faces += 3;
    }
    export(&split);
    assert_eq!(code(&check(&[])), 0, "{}", text_of(&check(&[])));
    // A vertex of the ball that lies inside the wall is pushed deeper.
    let pushed = |_: usize, point: &mut [f64; 3]| {
        if point[0] > 0.98 {
            point[0] += 0.05;
        }
    };
    export(&ball([0.0; 3], 10, pushed));
    let run = check(&[]);
    assert_eq!(code(&run), 1);
    assert!(text(&run).starts_with("deeper-contact: ball and wall "), "{}", text(&run));
    // Another ball on the far side is new.
    let more = format!("{folder}/more.obj");
    fs::write(&more, ball([-1.9, 0.0, 0.0], 10, same)).unwrap();
    export(&ball([0.0; 3], 10, same));
    let run = pliant(["check", &model, &wall, &more, "-q", "--baseline", &known]);
    assert_eq!(code(&run), 1);
    assert!(text(&run).starts_with("new-contact: ball and more "), "{}", text(&run));
    // What is not a baseline is refused.
    fs::write(&known, "{}").unwrap();
    let run = check(&[]);
    assert_eq!(code(&run), 2);
    assert!(error(&run).contains("known.json: "), "{}", error(&run));
}

fn text_of(run: &std::process::Output) -> String {
    text(run) + &error(run)
}

#[test]
fn contacts_at_rest_may_stay() {
    let file = written("gates_rest.glb", passing());
    let ball = written("gates_rest_ball.obj", ball([0.3, 0.3, 0.3], 6, same));
    let run = |animation: &str| {
        let known = ["-q", "--baseline", "rest", "--animation", animation];
        pliant([&["check", &file, &ball], &known[..]].concat())
    };
    // The ball lies in what stands still, at rest and ever after.
    let miss = run("miss");
    assert_eq!(code(&miss), 0, "{}", text_of(&miss));
    // At rest the two others only touch, and as one passes it is deeper.
    let pass = run("pass");
    assert_eq!(code(&pass), 1);
    let said = text(&pass);
    assert!(said.starts_with("deeper-contact: still and mover "), "{said}");
    assert!(!said.contains("still and gates_rest_ball"), "{said}");
}

#[test]
fn parts_of_a_run_are_merged_to_the_same_bytes() {
    let folder = folder("gates_shards");
    let files = [written("gates_s1.glb", passing()), written("gates_s2.glb", passing())];
    for (round, more) in
        [vec!["--animation", "all"], vec!["--each", "--animation", "all"]].into_iter().enumerate()
    {
        let named = |name: &str| format!("{folder}/{round}_{name}");
        let base = [&["check", &files[0], &files[1], "-q"], &more[..]].concat();
        let [whole, csv, junit] = ["whole.json", "whole.csv", "whole.xml"].map(named);
        let reports = ["--json", &whole, "--csv", &csv, "--junit", &junit, "--fail-on-contact"];
        assert_eq!(code(&pliant([&base[..], &reports].concat())), 1);
        let parts: Vec<String> = (1..=5).map(|part| named(&format!("{part}.json"))).collect();
        for (number, part) in parts.iter().enumerate() {
            let shard = format!("{}/5", number + 1);
            let run = pliant([&base[..], &["--shard", &shard, "--json", part]].concat());
            assert_eq!(code(&run), 0, "{}", error(&run));
            let part: Value = serde_json::from_slice(&fs::read(part).unwrap()).unwrap();
            validate(&part, "check.schema.json");
        }
        let [merged, merged_csv, merged_junit] =
            ["merged.json", "merged.csv", "merged.xml"].map(named);
        // In any order.
        let mut arguments = vec!["merge", "-q", "--fail-on-contact"];
        arguments.extend(parts.iter().rev().map(String::as_str));
        arguments.extend(["--json", &merged, "--csv", &merged_csv, "--junit", &merged_junit]);
        let run = pliant(&arguments);
        assert_eq!(code(&run), 1, "{}", text_of(&run));
        let read = |file: &String| fs::read_to_string(file).unwrap();
        assert_eq!(timeless(&read(&merged)), timeless(&read(&whole)));
        assert_eq!(read(&merged_csv), read(&csv));
        assert_eq!(read(&merged_junit), read(&junit));
        // A part that is missing, given twice, or of another run is named.
        let run = pliant(["merge", &parts[0], &parts[1], &parts[2], &parts[3]]);
        assert_eq!(code(&run), 2);
        assert!(error(&run).contains("there are 4 of 5 parts"), "{}", error(&run));
        let run = pliant(["merge", &parts[0], &parts[1], &parts[2], &parts[3], &parts[3]]);
        assert!(error(&run).contains("is part 4, and so is"), "{}", error(&run));
        let run = pliant(["merge", &whole, &parts[1]]);
        assert!(error(&run).contains("is a part of 5, not of 1"), "{}", error(&run));
    }
}

#[test]
fn each_file_is_a_scene_and_folders_are_opened() {
    let folder = folder("gates_each");
    for name in ["a.obj", "b.obj"] {
        fs::write(format!("{folder}/{name}"), ball([0.0; 3], 3, same)).unwrap();
    }
    fs::write(format!("{folder}/notes.txt"), "not a model").unwrap();
    let report = check_json([folder.as_str()]);
    assert_eq!(report["frames"].as_array().unwrap().len(), 1);
    assert!(!report["frames"][0]["pairs"].as_array().unwrap().is_empty());
    let report = check_json([folder.as_str(), "--each"]);
    validate(&report, "check.schema.json");
    let frames = report["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 2);
    assert!(frames.iter().all(|frame| frame["pairs"].as_array().unwrap().is_empty()));
    assert_eq!(report["animations"][1]["files"], json!([1, 2]));
    let empty = self::folder("gates_empty");
    assert!(error(&pliant(["check", &empty])).contains("there is no model in this folder"));
}

#[test]
fn reports_for_build_servers_say_what_fails() {
    let file = written("gates_<&>.glb", passing());
    let [junit, sarif, markdown] = ["gates.xml", "gates.sarif", "gates.md"].map(path);
    let reports = ["--junit", &junit, "--sarif", &sarif, "--markdown", &markdown];
    let asked = ["check", &file, "-q", "--fail-on-contact", "--animation", "all"];
    assert_eq!(code(&pliant([&asked[..], &reports].concat())), 1);
    let junit = fs::read_to_string(junit).unwrap();
    assert!(junit.contains("tests=\"2\" failures=\"1\""), "{junit}");
    assert!(junit.contains("gates_&lt;&amp;&gt;.glb: pass\""), "{junit}");
    assert!(junit.contains("<failure type=\"contact\" message=\"still and mover "), "{junit}");
    let sarif: Value = serde_json::from_slice(&fs::read(sarif).unwrap()).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "contact");
    let uri = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(uri.as_str().unwrap().ends_with("gates_%3C%26%3E.glb"), "{uri}");
    let markdown = fs::read_to_string(markdown).unwrap();
    assert!(markdown.contains("**Failed**") && markdown.contains("| still and mover | pass |"));
}

/// A triangle that one morph target of two lifts into another triangle.
fn morphing() -> Vec<u8> {
    use glam::DVec3;
    use pliant_io::*;
    let mesh = |z: f64| {
        let corners = vec![DVec3::Z * z, DVec3::X + DVec3::Z * z, DVec3::Y + DVec3::Z * z];
        pliant::Mesh::new(corners, vec![[0, 1, 2]]).unwrap()
    };
    let node = Node { name: None, parent: None, transform: NodeTransform::IDENTITY };
    let deltas = vec![vec![DVec3::X * 9.0; 3], vec![DVec3::Z; 3]];
    let morph = Deformation::Morph(std::sync::Arc::new(MorphTargets { deltas }));
    let scene = Scene::new(SceneParts {
        nodes: vec![node.clone(), node],
        objects: vec![
            Object::new("face", 0, mesh(0.0), morph),
            Object::new("mask", 1, mesh(1.0), Deformation::Rigid),
        ],
        ..SceneParts::default()
    });
    glb_bytes(&scene.unwrap()).unwrap()
}

#[test]
fn weights_of_morph_targets_are_set_where_no_animation_does() {
    let file = written("gates_morph.glb", morphing());
    let pairs = |more: &[&str]| {
        let report = check_json([&[file.as_str()], more].concat());
        report["frames"][0]["pairs"].as_array().unwrap().len()
    };
    assert_eq!(pairs(&[]), 0);
    assert_eq!(pairs(&["--weights", "0,1"]), 1);
    assert_eq!(pairs(&["--weights", "*=0,0.5"]), 0);
    for (weights, said) in [
        ("0,1,0", "has 2 morph targets"),
        ("mask=1", "there is no such object with morph targets"),
        ("x", "is not a number"),
    ] {
        let run = pliant(["check", &file, "--weights", weights]);
        assert_eq!(code(&run), 2);
        assert!(error(&run).contains(said), "{}", error(&run));
    }
}

#[test]
fn frames_are_chosen_by_start_end_and_step() {
    let file = written("gates_times.glb", passing());
    let report = check_json([&file, "--start", "0.4", "--end", "0.6", "--step", "2"]);
    let frames = report["frames"].as_array().unwrap();
    let numbers: Vec<u64> = frames.iter().map(|frame| frame["frame"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [12, 14, 16, 18]);
}

/// The row of a table is of one frame: depth, place and time belong together.
#[test]
fn summary_rows_do_not_mix_two_frames() {
    let file = written("gates_rows.glb", passing());
    let [csv, markdown] = ["gates_rows.csv", "gates_rows.md"].map(path);
    let run =
        pliant(["check", &file, "--animation", "pass", "--csv", &csv, "--markdown", &markdown]);
    assert_eq!(code(&run), 0);
    let csv = fs::read_to_string(csv).unwrap();
    let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = |name: &str| columns.iter().position(|&column| column == name).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let number = |row: &[&str], name: &str| row[column(name)].parse::<f64>().unwrap_or(-1.0);
    let deepest = rows
        .iter()
        .max_by(|a, b| {
            let key = |row: &[&str]| (number(row, "depth"), number(row, "pairs"));
            key(a).partial_cmp(&key(b)).unwrap()
        })
        .unwrap();
    let markdown = fs::read_to_string(markdown).unwrap();
    let row = markdown.lines().find(|line| line.starts_with("| still")).unwrap();
    let cells: Vec<&str> = row.split(" | ").collect();
    let shown = |cell: &str| cell.trim_end_matches(" s").parse::<f64>().unwrap();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b.abs().max(1e-3);
    assert!(close(shown(cells[3]), number(deepest, "time")), "{row}\n{deepest:?}");
    assert!(close(shown(cells[4]), number(deepest, "depth")), "{row}\n{deepest:?}");
    let place: Vec<f64> = cells[5].split(", ").map(|cell| cell.parse().unwrap()).collect();
    for (axis, name) in ["deepest_x", "deepest_y", "deepest_z"].into_iter().enumerate() {
        assert!(close(place[axis], number(deepest, name)), "{row}\n{deepest:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_no_file() {
    let folder = folder("gates_interrupted");
    let file = written("gates_interrupted.glb", passing());
    let json = format!("{folder}/out.json");
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args(["check", &file, "--fps", "900000", "--json", &json, "-q"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // It has begun when its file is there under its other name.
    for _ in 0..600 {
        if fs::read_dir(&folder).unwrap().next().is_some() {
            break;
        }
        sleep(Duration::from_millis(100));
    }
    assert!(!Path::new(&json).exists());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn file_names_need_not_be_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let mut name = path("gates_").into_bytes();
    name.extend(b"\xff.obj");
    let file = OsStr::from_bytes(&name);
    fs::write(file, ball([0.0; 3], 3, same)).unwrap();
    let run = pliant([OsStr::new("check"), file]);
    assert_eq!(code(&run), 0, "{}", error(&run));
}
