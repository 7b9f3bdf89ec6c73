//! FILE arguments: parts of a file, numbered files, names in any encoding.

use crate::common::*;
use serde_json::Value;

fn names(report: &Value) -> Vec<&str> {
    report["objects"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

/// Two tetrahedra as the objects of one OBJ file.
fn two(x: f64) -> String {
    let second = obj(x, 0.25, 0.25).replace(
        "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4",
        "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1",
    );
    format!("o sheath\n{}o sword\n{second}", obj(0.0, 0.0, 0.0))
}

#[test]
fn groups_of_one_obj_touch_each_other() {
    let report = check_json([written("two.obj", two(0.25)), "--times=0".into()]);
    assert_eq!(names(&report), ["sheath", "sword"]);
    assert!(!report["frames"][0]["pairs"].as_array().unwrap().is_empty());
    let report = check_json([written("apart.obj", two(2.0)), "--times=0".into()]);
    assert!(report["frames"][0]["pairs"].as_array().unwrap().is_empty());
}

#[test]
fn numbered_files_are_frames() {
    for (number, x) in [(1, 2.0), (2, 0.25), (3, 2.0)] {
        written(&format!("run_{number:03}.obj"), two(x));
    }
    let arguments = [path("run_###.obj"), "--times=0.5,1,1.5".into(), "--cache-fps=2".into()];
    let report = check_json(arguments);
    let frames = report["frames"].as_array().unwrap();
    let touching = frames.iter().map(|frame| !frame["pairs"].as_array().unwrap().is_empty());
    assert_eq!(touching.collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(names(&report), ["sheath", "sword"]);
}

#[cfg(unix)]
#[test]
fn file_names_that_are_not_utf8_work() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let folder = path("latin");
    std::fs::create_dir_all(&folder).unwrap();
    let name = |file: &[u8]| OsString::from_vec([folder.as_bytes(), b"/", file].concat());
    std::fs::write(name(b"caf\xe9.obj"), two(0.25)).unwrap();
    let place = name(b"caf\xe9.obj@1,0,0");
    let report = check_json([name(b"caf\xe9.obj"), "--place".into(), place]);
    assert_eq!(names(&report), ["sheath", "sword"]);
    let info = pliant(["info".into(), name(b"caf\xe9.obj")]);
    assert_eq!(code(&info), 0, "{}", error(&info));
    let missing = pliant(["check".into(), name(b"\xff.obj")]);
    assert_eq!(code(&missing), 2);
    assert!(error(&missing).contains("\u{fffd}.obj: No such file"), "{}", error(&missing));
}
