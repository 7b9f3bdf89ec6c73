//! `pliant simulate`: the same bits for any number of threads and after a stop; files that others read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::schema::validate;

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulate").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    command.current_dir(folder).arg("simulate").args(words);
    command
}

fn simulate(folder: &Path, words: &[&str]) -> Output {
    let done = command(folder, words).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    done
}

/// A run's JSON without what it took to compute.
fn frames(file: &Path) -> Value {
    let mut json: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    validate(&json, "simulate.schema.json");
    json["seconds"] = Value::Null;
    json
}

#[test]
fn jelly_runs_and_every_number_of_threads_gives_the_same_json() {
    let folder = folder("threads");
    let words = ["jelly", "--bodies", "30", "--steps", "50", "--json"];
    simulate(&folder, &[&words[..], &["one.json", "--threads", "1"]].concat());
    simulate(&folder, &[&words[..], &["three.json", "--threads", "3"]].concat());
    let found = frames(&folder.join("one.json"));
    assert_eq!(found, frames(&folder.join("three.json")));
    assert_eq!(found["frames"].as_array().unwrap().len(), 26);
    assert!(found["contacts_total"].as_u64().unwrap() > 0);
    assert_eq!(found["version"], 1);
    // A finished run leaves neither checkpoint nor motion behind.
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_run_that_ctrl_c_stops_goes_on_with_the_same_bits() {
    let folder = folder("resume");
    let words = ["jelly", "--bodies", "60", "--steps", "400", "--seed", "3"];
    // What is left out is said with the name of the file, so that both runs write the same.
    simulate(&folder, &[&words[..], &["--json", "whole.json", "--out", "run.glb"]].concat());
    fs::rename(folder.join("run.glb"), folder.join("whole.glb")).unwrap();
    let mut child = command(&folder, &words).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signal.success());
    let status = child.wait().unwrap();
    if status.success() {
        eprintln!("skipped: the run ended before it could be stopped");
        return;
    }
    assert_eq!(status.code(), Some(130));
    let checkpoint = folder.join("simulate.checkpoint");
    assert!(checkpoint.is_file() && folder.join("simulate.checkpoint.motion").is_file());
    let resume = ["--resume", "simulate.checkpoint", "--json", "resumed.json", "--out", "run.glb"];
    simulate(&folder, &resume);
    assert_eq!(frames(&folder.join("whole.json")), frames(&folder.join("resumed.json")));
    assert!(
        fs::read(folder.join("whole.glb")).unwrap() == fs::read(folder.join("run.glb")).unwrap()
    );
}

#[test]
fn a_glb_holds_what_fits_and_says_what_does_not() {
    let folder = folder("glb");
    let words = [
        "jelly",
        "--bodies",
        "150",
        "--steps",
        "100",
        "--out",
        "part.glb",
        "--max-size",
        "1",
        "--json",
        "run.json",
    ];
    let done = simulate(&folder, &words);
    assert!(fs::metadata(folder.join("part.glb")).unwrap().len() <= 1_000_000);
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(told.contains("left out: part.glb"), "{told}");
    let left = frames(&folder.join("run.json"))["left_out"].clone();
    assert!(left[0].as_str().unwrap().contains("of 150 bodies"), "{left}");
    // The Khronos validator reads it from here (.ci/run).
    let glb = Path::new(env!("CARGO_TARGET_TMPDIR")).join("glb");
    fs::create_dir_all(&glb).unwrap();
    fs::copy(folder.join("part.glb"), glb.join("simulated_jelly.glb")).unwrap();
    let scene = pliant_io::read_gltf(folder.join("part.glb")).unwrap();
    assert!((1..150).contains(&scene.objects().len()));
    assert!((scene.animations()[0].seconds() - 100.0 / 60.0).abs() < 1e-6);
}

/// The bridge sways on the page and in the GLB as it does under the fish.
#[test]
fn the_bridge_moves_on_the_page_and_in_the_glb() {
    let folder = folder("bridge");
    let words =
        ["fish", "--bodies", "2", "--steps", "60", "--out", "fish.glb", "--report", "fish.html"];
    let done = simulate(&folder, &words);
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(told.contains("left out: fish.glb: obstacle 0, a plane without end"), "{told}");
    let scene = pliant_io::read_gltf(folder.join("fish.glb")).unwrap();
    let objects: Vec<_> = scene.objects().iter().map(|object| object.name.as_str()).collect();
    assert_eq!(objects, ["fish 0", "fish 1", "obstacle 1"]);
    let html = fs::read_to_string(folder.join("fish.html")).unwrap();
    let json = html.split("id=\"pliant-view\">").nth(1).unwrap().split("</script>").next().unwrap();
    let page: Value = serde_json::from_str(json).unwrap();
    let surface = &page["obstacles"][1];
    assert_eq!(
        (surface["kind"].as_str(), surface["moves"].as_bool()),
        (Some("surface"), Some(true))
    );
    let frames = page["frames"].as_array().unwrap();
    let places: Vec<&str> =
        frames.iter().map(|frame| frame["surfaces"][0].as_str().unwrap()).collect();
    let rest = surface["mesh"]["positions"].as_str().unwrap();
    assert!(places.iter().all(|places| places.len() == rest.len()));
    assert!(places.windows(2).all(|two| two[0] != two[1]), "it stands");
    // The Khronos validator reads it from here (.ci/run).
    let glb = Path::new(env!("CARGO_TARGET_TMPDIR")).join("glb");
    fs::create_dir_all(&glb).unwrap();
    fs::copy(folder.join("fish.glb"), glb.join("simulated_fish.glb")).unwrap();
}

const PYRAMID: &str = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 1 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";

#[test]
fn scenes_of_ones_own_files_run() {
    let folder = folder("toml");
    fs::write(folder.join("stone.obj"), PYRAMID).unwrap();
    let soft = "[[body]]\nmodel = 'soft'\nplace = [0, 2.6, 0]\n\
                [[model]]\nname = 'soft'\nfile = 'stone.obj'\nkind = 'shape-matching";
    let [stone_on_jelly, bar_on_jelly] = ["rigid", "modal"].map(|kind| format!("{kind}'\n{soft}"));
    for kind in ["rigid", "modal", "shape-matching", &stone_on_jelly, &bar_on_jelly] {
        let scene = format!(
            "[[model]]\nname = 'stone'\nfile = 'stone.obj'\nkind = '{kind}'\n\
             [[body]]\nmodel = 'stone'\nplace = [0, 0.2, 0]\ncount = [2, 2, 1]\nspacing = [1.2, 1.2, 1]\n\
             [[obstacle]]\nkind = 'floor'\nheight = 0\n"
        );
        fs::write(folder.join("scene.toml"), scene).unwrap();
        let words = [
            "scene.toml",
            "--steps",
            "60",
            "--json",
            "run.json",
            "--out",
            "run.glb",
            "--report",
            "run.html",
        ];
        simulate(&folder, &words);
        let run = frames(&folder.join("run.json"));
        let (bodies, named) = if kind.contains(soft) { (5, "mixed") } else { (4, "") };
        assert_eq!(run["bodies"], bodies);
        assert_eq!(run["kind"] == "mixed", named == "mixed");
        assert!(run["contacts_total"].as_u64().unwrap() > 0, "{kind}");
        let scene = pliant_io::read_gltf(folder.join("run.glb")).unwrap();
        assert_eq!(scene.objects().len(), bodies);
    }
}

/// The example of docs/scene-format.md is a scene by the schema, and one that the program reads.
#[test]
fn the_documented_scene_fits_the_schema_and_runs() {
    let folder = folder("documented");
    let text = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-format.md"),
    );
    let text = text.unwrap();
    let scene = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let scene = scene.replace("duck.glb", "duck.obj").replace("scale = 0.01", "scale = 0.5");
    let table: toml::Table = scene.parse().unwrap();
    validate(&serde_json::to_value(&table).unwrap(), "scene.schema.json");
    fs::write(folder.join("duck.obj"), PYRAMID).unwrap();
    fs::write(folder.join("scene.toml"), scene).unwrap();
    simulate(&folder, &["scene.toml", "--steps", "20", "--json", "run.json"]);
    assert_eq!(frames(&folder.join("run.json"))["bodies"], 36);
}

/// A pyramid of clay hits the ground and stays dented; one of jelly does not.
#[test]
fn dents_stay_where_a_scene_says_so() {
    let folder = folder("clay");
    fs::write(folder.join("duck.obj"), PYRAMID).unwrap();
    let scene = |plasticity: &str| {
        format!(
            "step = 0.016\n[[model]]\nname = \"duck\"\nfile = \"duck.obj\"\nkind = \"shape-matching\"\n\
             clusters = 1\n{plasticity}\n[[body]]\nmodel = \"duck\"\nplace = [0, 2, 0]\nvelocity = [0, -30, 0]\n\
             [[obstacle]]\nkind = \"floor\"\nheight = 0\n"
        )
    };
    let mut energies = Vec::new();
    for plasticity in ["", "plasticity = {}", "plasticity = { yield-stretch = 9.0 }"] {
        fs::write(folder.join("scene.toml"), scene(plasticity)).unwrap();
        let table: toml::Table = scene(plasticity).parse().unwrap();
        validate(&serde_json::to_value(&table).unwrap(), "scene.schema.json");
        simulate(&folder, &["scene.toml", "--steps", "60", "--json", "run.json"]);
        energies.push(frames(&folder.join("run.json"))["frames"].clone());
    }
    assert_ne!(energies[0], energies[1]);
    // What never yields is as without.
    assert_eq!(energies[0], energies[2]);
    fs::write(folder.join("scene.toml"), scene("plasticity = { largest = 2.0 }")).unwrap();
    let refused = command(&folder, &["scene.toml"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("largest"));
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = folder("refused");
    fs::write(folder.join("bad.toml"), "step = 1\n[[body]]\nmodel = 3\n").unwrap();
    fs::write(folder.join("no.checkpoint"), "pliant").unwrap();
    for (words, told) in [
        (&["bad.toml"][..], "line 3"),
        (&["castle"], "chairs, fish, jelly"),
        (&["jelly", "--bodies", "0"], "--bodies"),
        (&["jelly", "--out", "no/such/folder.glb"], "no folder"),
        (&["--resume", "no.checkpoint"], "not a checkpoint"),
    ] {
        let done = command(&folder, words).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{words:?}");
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(error.contains(told), "{words:?}: {error}");
    }
}
