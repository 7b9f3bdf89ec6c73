//! `pliant check`: the real program on small files of the tests' own.

use std::fs;
use std::process::Command;

use crate::common::schema::validate;
use crate::common::*;
use serde_json::{Value, json};

/// The pairs of each frame.
fn pairs(report: &Value) -> Vec<&Vec<Value>> {
    let frames = report["frames"].as_array().unwrap();
    frames.iter().map(|frame| frame["pairs"].as_array().unwrap()).collect()
}

fn times(report: &Value) -> Vec<f64> {
    let frames = report["frames"].as_array().unwrap();
    frames.iter().map(|frame| frame["time"].as_f64().unwrap()).collect()
}

/// Without what a clock says.
fn timeless(mut report: Value) -> Value {
    for frame in report["frames"].as_array_mut().unwrap() {
        frame["work"]["seconds"] = json!(0);
    }
    report
}

#[test]
fn contacts_are_found_when_they_are() {
    let file = written("passing.glb", passing());
    let report = check_json([&file, "--times", "0,0.25,0.5,0.6875,0.75"]);
    validate(&report, "check.schema.json");
    assert_eq!(times(&report), [0.0, 0.25, 0.5, 0.6875, 0.75]);
    let counts: Vec<usize> = pairs(&report).iter().map(|pairs| pairs.len()).collect();
    // At 0.25 and 0.6875 one corner lies in a face, exactly: three triangles touch one.
    assert_eq!((counts[0], counts[1], counts[3], counts[4]), (0, 3, 3, 0), "{counts:?}");
    assert!(counts[2] > 3);
    assert_eq!(pairs(&report)[1].iter().map(|pair| &pair[1]).collect::<Vec<_>>(), [2, 2, 2]);
    let size = 3f64.sqrt();
    let object = |id: usize, name: &str| {
        json!({ "id": id, "name": name, "file": 0, "vertices": 4, "triangles": 4,
            "deformation": "rigid", "size": size })
    };
    assert_eq!(report["objects"], json!([object(0, "still"), object(1, "mover")]));
    assert_eq!(report["files"], json!([file]));
    assert_eq!(report["animations"], json!([{ "name": "pass", "files": [0, 1], "frames": 5 }]));
    assert_eq!(report["method"], "auto");
    assert_eq!(report["pliant"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn every_method_and_any_number_of_threads_agree() {
    let file = written("methods.glb", passing());
    let run = |method: &str, threads: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(["check", &file, "--self", "--fps", "50", "--method", method, "--json", "-"])
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        assert_eq!(code(&out), 0, "{}", error(&out));
        timeless(serde_json::from_slice(&out.stdout).unwrap())
    };
    let one = run("bottom-up", "1");
    validate(&one, "check.schema.json");
    assert_eq!(one["frames"].as_array().unwrap().len(), 51);
    // More threads than frames, too: then they share the queries.
    for threads in ["2", "7", "64"] {
        assert_eq!(run("bottom-up", threads), one);
    }
    let brute = run("brute-force", "2");
    assert_eq!(brute["method"], "brute-force");
    assert_eq!(pairs(&brute), pairs(&one));
    assert_eq!(brute["frames"][0]["work"]["bounds"], 0);
}

/// Positions and displacements around 1e20 and a weight of 1e20, which the node's scale of 1e-40
/// brings back: bounds from weights were NaN, and no pair was found.
#[test]
fn own_space_beyond_f32_hides_nothing() {
    use glam::{DVec3, DVec4};
    use pliant_io::*;
    let small = tetrahedron();
    let large: Vec<DVec3> = small.positions().iter().map(|p| p * 1e20).collect();
    let mesh = pliant::Mesh::new(large.clone(), small.triangles().to_vec()).unwrap();
    let node = |name: &str, scale: f64, x: f64| Node {
        name: Some(name.into()),
        parent: None,
        transform: NodeTransform::Trs {
            translation: DVec3::X * x,
            rotation: DVec4::W,
            scale: DVec3::splat(scale),
        },
    };
    let targets = std::sync::Arc::new(MorphTargets { deltas: vec![large] });
    let mut swollen = Object::new("swollen", 0, mesh, Deformation::Morph(targets));
    swollen.default_weights = vec![1e20];
    let scene = Scene::new(SceneParts {
        nodes: vec![node("swollen", 1e-40, 0.0), node("plain", 1.0, 0.25)],
        objects: vec![swollen, Object::new("plain", 1, small, Deformation::Rigid)],
        ..SceneParts::default()
    });
    let file = written("far_own_space.glb", glb_bytes(&scene.unwrap()).unwrap());
    let found =
        |method: &str| check_json([&file, "--method", method])["frames"][0]["pairs"].clone();
    let truth = found("brute-force");
    assert!(truth.as_array().unwrap().len() >= 5, "{truth}");
    for method in ["auto", "bounded-deformation", "bottom-up"] {
        assert_eq!(found(method), truth, "{method}");
    }
}

#[test]
fn a_skin_that_folds_meets_itself_only_if_asked() {
    let file = written("folding.glb", folding());
    let report = check_json([&file, "--self", "--times", "0,0.5,1,7"]);
    validate(&report, "check.schema.json");
    let hit = vec![json!([0, 1, 0, 2])];
    // Past its end the animation stands still.
    assert_eq!(pairs(&report), [&vec![], &vec![], &hit, &hit]);
    assert_eq!(report["objects"][0]["deformation"], "skin-linear");
    let report = check_json([&file, "--times", "0,0.5,1,7"]);
    assert!(pairs(&report).iter().all(|pairs| pairs.is_empty()));
}

#[test]
fn times_follow_the_animation() {
    let file = written("times.glb", passing());
    assert_eq!(times(&check_json([&file, "--fps", "4"])), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(times(&check_json([&file])).len(), 31);
    assert_eq!(times(&check_json([&file, "--times=-1,0.5"])), [-1.0, 0.5]);
    let still = written("times.obj", obj(0.0, 0.0, 0.0));
    assert_eq!(times(&check_json([&still])), [0.0]);
    assert_eq!(times(&check_json([&still, "--fps", "60"])), [0.0]);
}

#[test]
fn animations_are_chosen_by_name_or_number() {
    let file = written("animations.glb", passing());
    let touches = |animation: &str| {
        let report = check_json([&file, "--times", "0.5", "--animation", animation]);
        !pairs(&report)[0].is_empty()
    };
    assert!(touches("pass") && touches("0"));
    assert!(!touches("miss") && !touches("1"));
    // A file that does not have it says what it does instead.
    let other = written("animations_other.glb", folding());
    let run = pliant(["check", &file, &other, "--animation", "miss"]);
    assert_eq!(code(&run), 0);
    assert!(
        error(&run).ends_with("has no animation \"miss\"; it plays its first, \"fold\"\n"),
        "{}",
        error(&run)
    );
}

#[test]
fn files_form_one_scene_and_can_be_placed() {
    let a = written("place_a.obj", obj(0.0, 0.0, 0.0));
    let b = written("place_b.obj", obj(0.1, 0.1, 0.1));
    let report = check_json([&a, &b]);
    validate(&report, "check.schema.json");
    assert_eq!(report["objects"][1]["name"], "place_b");
    assert!(!pairs(&report)[0].is_empty());
    assert!(pairs(&report)[0].iter().all(|pair| (&pair[0], &pair[2]) == (&json!(0), &json!(1))));
    let apart = |arguments: &[&str]| pairs(&check_json(arguments))[0].is_empty();
    assert!(apart(&[&a, &b, "--place", &format!("{b}@5,0,0")]));
    // The same file twice: the first placement moves the first of them.
    assert!(!apart(&[&a, &a]));
    assert!(apart(&[&a, &a, "--place", &format!("{a}@5,0,0")]));
    let both = format!("{a}@5,0,0");
    assert!(!apart(&[&a, &a, "--place", &both, "--place", &both]));
    // A half turn about y takes b, which begins at x = 0.1, to where x < 0.
    assert!(apart(&[&a, &b, "--place", &format!("{b}@0,0,0,180")]));
    // Skinned objects follow as well.
    let skin = written("place_skin.glb", folding());
    assert!(!apart(&[&a, &skin, "--times", "0"]));
    assert!(apart(&[&a, &skin, "--times", "0", "--place", &format!("{skin}@0,0,50")]));
}

#[test]
fn a_cache_moves_its_mesh() {
    let mesh = written("cached.obj", obj(0.0, 0.0, 0.0));
    let wall = written("wall.obj", obj(3.0, 0.0, 0.0));
    let mut cache = [2u32, 4].map(u32::to_be_bytes).concat();
    cache.extend([0f32, 2.0].iter().flat_map(|time| time.to_be_bytes()));
    for x in [0f32, 3.0] {
        for [dx, y, z] in [[0f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            cache.extend([x + dx, y, z].iter().flat_map(|number| number.to_be_bytes()));
        }
    }
    let cache = written("cached.mdd", cache);
    let report = check_json([&format!("{mesh}+{cache}"), &wall, "--fps", "1"]);
    validate(&report, "check.schema.json");
    assert_eq!(report["objects"][0]["deformation"], "keyframes");
    assert_eq!(times(&report), [0.0, 1.0, 2.0]);
    let touching: Vec<bool> = pairs(&report).iter().map(|pairs| !pairs.is_empty()).collect();
    assert_eq!(touching, [false, false, true]);
}

#[test]
fn exit_codes_tell_of_contacts_only_if_asked() {
    let file = written("codes.glb", passing());
    assert_eq!(code(&pliant(["check", &file])), 0);
    assert_eq!(code(&pliant(["check", &file, "--fail-on-contact"])), 1);
    assert_eq!(code(&pliant(["check", &file, "--fail-on-contact", "--animation", "miss"])), 0);
    // The report is written before the code is given.
    let json = path("codes.json");
    assert_eq!(code(&pliant(["check", &file, "--fail-on-contact", "--json", &json])), 1);
    validate(&serde_json::from_slice(&fs::read(json).unwrap()).unwrap(), "check.schema.json");
}

#[test]
fn results_go_to_stdout_and_quiet_is_quiet() {
    let file = written("quiet.glb", passing());
    let loud = pliant(["check", &file, "--animation", "pass"]);
    let shown = text(&loud);
    assert!(shown.contains("still and mover"), "{shown}");
    assert!(shown.contains(" of 31") && shown.contains('█') && shown.contains("frames per second"));
    // No bar in a pipe.
    assert_eq!(error(&loud), "");
    let quiet = pliant(["check", &file, "--quiet"]);
    assert_eq!((text(&quiet), error(&quiet), code(&quiet)), (String::new(), String::new(), 0));
    // What fails is said even then.
    let quiet = pliant(["check", &file, "--quiet", "--fail-on-contact"]);
    assert_eq!((error(&quiet), code(&quiet)), (String::new(), 1));
    let verdict = text(&quiet);
    assert!(
        verdict.starts_with("contact: still and mover ") && verdict.lines().count() == 1,
        "{verdict}"
    );
    let none = text(&pliant(["check", &file, "--animation", "miss"]));
    let expected = "No contacts: 2 objects over 31 frames, 0 s to 1 s.";
    assert!(none.starts_with(expected), "{none}");
}

#[test]
fn rows_of_the_csv_are_contacts() {
    let file = written("rows.glb", passing());
    let csv = path("rows.csv");
    let run = pliant(["check", &file, "--times", "0,0.25,0.5", "--csv", &csv]);
    assert_eq!(code(&run), 0, "{}", error(&run));
    let csv = fs::read_to_string(csv).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    let head = "frame,time,object_a,name_a,object_b,name_b,pairs,longest_cut,x,y,z,";
    assert!(lines[0].starts_with(head), "{csv}");
    assert!(lines[1].starts_with("1,0.25,0,still,1,mover,3,0,0,0.125,0.125,pass,1,"), "{csv}");
    assert!(lines.iter().all(|line| line.split(',').count() == lines[0].split(',').count()));
    assert_eq!(lines.len(), 3);
    // The longest cut of the frame, against the definition: both are in the same place,
    // one an eighth up, so their faces x = 0 overlap in a triangle of side 3/4.
    let cells: Vec<&str> = lines[2].split(',').collect();
    let longest: f64 = cells[7].parse().unwrap();
    assert!((longest - 0.75 * 2f64.sqrt()).abs() < 1e-12, "{longest}");
}

/// Squares of such lengths leave the range of `f64`.
#[test]
fn the_longest_cut_is_right_at_1e200_and_1e308() {
    for (scale, expected) in [("1e200", 1e200), ("1e308", 1e308), ("1e-200", 1e-200)] {
        // Two triangles that share the edge of length `scale` along z, and are apart elsewhere.
        let a = written(
            &format!("long_a_{scale}.obj"),
            format!("v 0 0 0\nv {scale} 0 0\nv {scale} 0 {scale}\nf 1 2 3\n"),
        );
        let b = written(
            &format!("long_b_{scale}.obj"),
            format!("v {scale} 0 0\nv {scale} {scale} 0\nv {scale} 0 {scale}\nf 1 2 3\n"),
        );
        let run = pliant(["check", &a, &b, "--csv", "-"]);
        assert_eq!(code(&run), 0, "{}", error(&run));
        let rows = text(&run);
        let cells: Vec<&str> = rows.lines().nth(1).unwrap().split(',').collect();
        let longest: f64 = cells[7].parse().unwrap();
        assert!((longest / expected - 1.0).abs() < 1e-12, "{longest:e}");
        let middle: Vec<f64> = cells[8..11].iter().map(|cell| cell.parse().unwrap()).collect();
        assert!(middle.iter().all(|x| x.is_finite()), "{middle:?}");
    }
}

#[test]
fn loaders_warnings_go_to_stderr() {
    let text = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\
        \"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}},\
        {\"mode\":0,\"attributes\":{\"POSITION\":0}}]}],\
        \"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,\
        \"min\":[0,0,0],\"max\":[0,0,0]}],\
        \"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\
        \"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,BYTES\"}]}";
    let file = written("warning.gltf", text.replace("BYTES", &"A".repeat(48)));
    let run = pliant(["check", &file]);
    assert_eq!(code(&run), 0, "{}", error(&run));
    assert!(
        error(&run).contains("pliant: warning: ") && error(&run).contains("warning.gltf: mesh 0")
    );
    assert_eq!(error(&pliant(["check", &file, "--quiet"])), "");
}

#[test]
fn bad_input_is_named_with_code_2() {
    let good = written("good.glb", passing());
    let broken = written("broken.glb", b"glTF\x02\0\0\0\xff\xff\0\0");
    let wrong_json = written("broken.gltf", "{\"asset\": {\"version\": ");
    let empty = written("empty.obj", "v 0 0 0\n");
    let unknown = written("unknown.fbx", "?");
    let missing = path("missing.glb");
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (vec![&missing], "missing.glb: No such file"),
        (vec![&unknown], "unknown.fbx: extension: `.fbx` is not supported; expected .gltf, .glb"),
        (vec![&broken], "broken.glb: "),
        (vec![&wrong_json], "broken.gltf: JSON: "),
        (vec![&empty], "empty.obj: mesh: the mesh has no triangles\n"),
        (vec!["cloth.pc2"], "a point cache needs the .obj or .ply that it moves"),
        (vec![&good, "--times", "0,x"], "\"x\" is not a number"),
        (vec![&good, "--times", "0,inf"], "inf is not finite"),
        (vec![&good, "--times", ""], "\"\" is not a number"),
        (vec![&good, "--fps", "0"], "0 is not above 0"),
        (vec![&good, "--fps", "1e9"], "1.000e9 frames are more than 1e6"),
        (vec![&good, "--fps", "1e300"], "1.000e300 frames are more than"),
        (vec![&good, "--fps", "-5"], "-5 is not above 0"),
        (vec![&good, "--start", "2"], "there is no frame between --start and --end"),
        (vec![&good, "--step", "0"], "0 is not in 1.."),
        (vec![&good, "--fps", "9", "--times", "1"], "cannot be used with"),
        (vec![&good, "--animation", "swim"], "there is no animation \"swim\"; known are:"),
        (vec![&good, "--animation", "pas"], "(did you mean \"pass\"?)"),
        (vec![&good, "--animation", "2"], "0 \"pass\", 1 \"miss\""),
        (vec![&good, "--place", "good.glb"], "write FILE@x,y,z"),
        (vec![&good, "--place", "a.glb@1,2"], "3 or 4 numbers, not 2"),
        (vec![&good, "--place", "a.glb@1,2,3"], "--place a.glb: this file is not among"),
        (
            vec![&good, "--method", "magic"],
            "[possible values: auto, bounded-deformation, skinned, keyframed, bottom-up, brute-force]",
        ),
        (vec![&good, "--json", "no/such/folder/out.json"], "there is no folder no/such/folder"),
        (vec![&good, "--json", "-", "--csv", "-"], "only one report can go to standard output"),
        (vec![&good, "--cache-fps", "nan"], "nan is not finite"),
        (vec![], "required"),
    ];
    for (arguments, expected) in cases {
        let run = pliant([&["check"], &arguments[..]].concat());
        assert_eq!(code(&run), 2, "{arguments:?}");
        assert_eq!(text(&run), "", "{arguments:?}");
        assert!(error(&run).contains(expected), "{arguments:?} says {:?}", error(&run));
    }
}

#[test]
fn a_state_that_leaves_the_numbers_is_an_error() {
    let far = written("far.obj", "v 1e308 0 0\nv 0 1e308 0\nv 0 0 1e308\nf 1 2 3\n");
    let (json, csv) = (path("far.json"), path("far.csv"));
    let place = format!("{far}@1e308,0,0");
    let run = pliant(["check", &far, "--place", &place, "--json", &json, "--csv", &csv]);
    assert_eq!(code(&run), 2);
    // Half a report is none.
    assert!(!fs::exists(json).unwrap() && !fs::exists(csv).unwrap());
    assert!(
        error(&run).contains("far.obj: object \"far\": vertex 0 is not finite"),
        "{}",
        error(&run)
    );
}

#[test]
fn the_time_of_a_frame_is_divided() {
    let file = written("divided.glb", passing());
    let shown = text(&pliant(["check", &file]));
    assert!(shown.contains(", traversal ") && shown.contains(", triangle tests "), "{shown}");
    let brute = text(&pliant(["check", &file, "--method", "brute-force"]));
    assert!(brute.contains(", traversal and triangle tests "), "{brute}");
}

#[test]
fn a_reader_may_stop_reading() {
    let file = written("pipe.glb", passing());
    // Far more than a pipe holds.
    let shell = format!(
        "'{}' check '{file}' --animation pass --fps 9999 --json - | head -c 9",
        env!("CARGO_BIN_EXE_pliant")
    );
    let run = Command::new("sh").args(["-c", &shell]).output().unwrap();
    assert_eq!((text(&run).as_str(), error(&run).as_str()), ("{\"pliant\"", ""));
}

/// A sheet of 2 * 12 * 12 triangles that waves, as OBJ and as a point cache of five frames.
fn waving() -> (String, Vec<u8>) {
    let side = 13_u32;
    let place = |i: u32, frame: u32| {
        let [x, z] = [i % side, i / side].map(|k| k as f32 / 6.0 - 1.0);
        let phase = frame as f32 * 0.9;
        [x + 0.05 * (3.0 * z + phase).sin(), 0.3 * (4.0 * x + phase).sin() * (3.0 * z).cos(), z]
    };
    let mut text = String::new();
    let mut cache = b"POINTCACHE2\0".to_vec();
    for number in [1, side * side] {
        cache.extend(number.to_le_bytes());
    }
    cache.extend([0.0_f32, 1.0].map(f32::to_le_bytes).as_flattened());
    cache.extend(5_u32.to_le_bytes());
    for frame in 0..5 {
        for i in 0..side * side {
            let [x, y, z] = place(i, frame);
            cache.extend([x, y, z].map(f32::to_le_bytes).as_flattened());
            if frame == 0 {
                text += &format!("v {x} {y} {z}\n");
            }
        }
    }
    for i in 0..side - 1 {
        for j in 0..side - 1 {
            let a = i * side + j + 1;
            let (b, c, d) = (a + 1, a + side, a + side + 1);
            text += &format!("f {a} {b} {d}\nf {a} {d} {c}\n");
        }
    }
    (text, cache)
}

/// Two vertices that rest 1e-17 apart are no neighbours, also where the file is placed so far off
/// that both are rounded to one place.
#[test]
fn a_placed_point_cache_keeps_its_neighbours() {
    let rest: [f32; 18] = [
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1e-17, 0.0, 0.0, -1.0, 0.0, 1.0, -1.0, -1.0,
        1.0,
    ];
    let crossed: [f32; 18] = [
        -0.5, -0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.1, 0.1, -1.0, 0.1, 0.2, 1.0, 0.2, 0.1, 1.0,
    ];
    let mut text: String =
        rest.chunks(3).map(|p| format!("v {} {} {}\n", p[0], p[1], p[2])).collect();
    text += "f 1 2 3\nf 4 5 6\n";
    let mut cache = b"POINTCACHE2\0".to_vec();
    cache.extend([1_u32, 6].map(u32::to_le_bytes).as_flattened());
    cache.extend([0.0_f32, 1.0].map(f32::to_le_bytes).as_flattened());
    cache.extend(2_u32.to_le_bytes());
    cache.extend([rest, crossed].as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    let file = written("nearly_neighbours.obj", text);
    let file = format!("{file}+{}", written("nearly_neighbours.pc2", cache));
    let place = format!("{file}@1,0,0");
    for method in ["auto", "bottom-up", "brute-force"] {
        let asked = ["--self", "--cache-fps", "1", "--times", "1", "--method", method];
        let report = check_json([&file[..], "--place", &place].iter().chain(&asked));
        assert_eq!(pairs(&report)[0].len(), 1, "{method}");
    }
}

/// A point cache that is moved and turned is still checked from its keyframes, with the pairs that
/// brute force finds.
#[test]
fn a_placed_point_cache_is_checked_by_its_keyframes() {
    let (text, cache) = waving();
    let sheet = written("waving.obj", text);
    let sheet = format!("{sheet}+{}", written("waving.pc2", cache));
    let stone = written("stone.obj", obj(-0.2, -0.4, -0.3));
    let place = format!("{sheet}@0.3,0.12,-0.2,33");
    let run = |method: &str| {
        let files = [&sheet[..], &sheet, &stone, "--place", &place, "--cache-fps", "2"];
        let asked = ["--times", "0,0.1,0.3,0.5,1.13,1.9,2.4", "--method", method];
        timeless(check_json(files.iter().chain(&asked)))
    };
    let (keyframed, bottom_up, brute) = (run("keyframed"), run("bottom-up"), run("brute-force"));
    let found = pairs(&brute);
    assert!(found.iter().all(|pairs| pairs.len() > 10), "{found:?}");
    for report in [&keyframed, &bottom_up, &run("auto")] {
        assert_eq!(pairs(report), found);
    }
    // Blended boxes are looser between keyframes, and those of a body that was refitted are not:
    // the work shows which one it was. Of each frame the pair of the placed sheet and the stone.
    let alone = |method: &str| {
        let files = [&sheet[..], &stone, "--place", &place, "--cache-fps", "2"];
        let report = check_json(files.iter().chain(&["--times", "0.27", "--method", method]));
        report["frames"][0]["work"]["overlap_tests"].as_u64().unwrap()
    };
    assert!(alone("keyframed") > alone("bottom-up"));
    assert_eq!(alone("auto"), alone("keyframed"));
}
