//! Numbered files that are the frames of one animation.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::glam::DVec3;
use pliant_io::*;

/// An empty folder of one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sequences").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A quadrilateral whose second corner moves; it is concave there if the height is 0.
fn quad(height: f64) -> String {
    format!("v 0 0 0\nv {} 1 {height}\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\n", 0.25 + height)
}

fn moved_corner(scene: &Scene, time: f64) -> DVec3 {
    let pose = scene.pose(Some(0), time).unwrap();
    scene.posed(0, &pose).unwrap().position(1).unwrap()
}

#[test]
fn numbered_files_are_keyframes_at_their_numbers() {
    let folder = folder("keyframes");
    for (number, height) in [(8, 0.0), (9, 1.0), (10, 3.0)] {
        fs::write(folder.join(format!("cloth_{number:04}.obj")), quad(height)).unwrap();
        fs::write(folder.join(format!("cloth_{number:03}.obj")), "f 1").unwrap();
    }
    fs::write(folder.join("cloth_0009.ply"), "not a frame").unwrap();
    for pattern in ["cloth_####.obj", "cloth_%04d.obj"] {
        let scene = load_sequence(folder.join(pattern), 2.0).unwrap();
        assert_eq!(scene.objects().len(), 1);
        let object = &scene.objects()[0];
        assert_eq!((object.name.as_str(), object.deformation.name()), ("cloth", "keyframes"));
        let animation = &scene.animations()[0];
        assert_eq!((animation.start, animation.end), (4.0, 5.0));
        assert_eq!(moved_corner(&scene, 4.0), DVec3::new(0.25, 1.0, 0.0));
        assert_eq!(moved_corner(&scene, 4.75), DVec3::new(2.25, 1.0, 2.0));
        // The faces are cut as in the first frame, in which the corner is concave.
        let first = read_obj(quad(0.0).as_bytes(), Path::new("first.obj")).unwrap();
        let last = read_obj(quad(3.0).as_bytes(), Path::new("last.obj")).unwrap();
        assert_eq!(object.mesh.triangles(), first.triangles());
        assert_ne!(first.triangles(), last.triangles());
        assert_eq!(scene.warnings(), []);
    }
    // The same by extension, at the usual rate.
    let scene = load(folder.join("cloth_####.obj")).unwrap();
    assert_eq!(scene.animations()[0].end, 10.0 / 24.0);
}

#[test]
fn parts_and_ply_files_form_sequences_too() {
    let folder = folder("parts");
    for frame in 0..3 {
        let text =
            format!("v 0 0 {frame}\nv 1 0 0\nv 0 1 0\nv 5 5 {frame}\no a\nf 1 2 3\no b\nf 2 3 4\n");
        fs::write(folder.join(format!("{frame}.obj")), text).unwrap();
        let text = format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\n\
             property int z\nelement face 1\nproperty list uchar int vertex_indices\n\
             end_header\n0 0 {frame}\n1 0 0\n0 1 0\n3 0 1 2\n"
        );
        fs::write(folder.join(format!("{frame}.ply")), text).unwrap();
    }
    let scene = load_sequence(folder.join("#.obj"), 1.0).unwrap();
    let names: Vec<_> = scene.objects().iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let pose = scene.pose(Some(0), 1.5).unwrap();
    let corner = scene.posed(1, &pose).unwrap().position(2).unwrap();
    assert_eq!(corner, DVec3::new(5.0, 5.0, 1.5));
    let scene = load_sequence(folder.join("%d.ply"), 1.0).unwrap();
    assert_eq!(scene.objects()[0].name, "%d", "nothing but the number names the files");
    let pose = scene.pose(Some(0), 2.0).unwrap();
    assert_eq!(scene.posed(0, &pose).unwrap().position(0).unwrap().z, 2.0);
    let wrong = load_sequence(folder.join("#.stl"), 1.0).unwrap_err().to_string();
    assert!(wrong.ends_with("#.stl: sequence: no file has a name of this form"), "{wrong}");
}

#[test]
fn a_file_that_differs_is_named() {
    let folder = folder("differs");
    let pattern = folder.join("f#.obj");
    let write =
        |number: u32, text: &str| fs::write(folder.join(format!("f{number}.obj")), text).unwrap();
    let message = || load_sequence(&pattern, 24.0).unwrap_err().to_string();
    write(1, &quad(0.0));
    write(2, &quad(1.0));
    write(3, &format!("v 1 1 1\n{}", quad(1.0)));
    let wrong = message();
    assert!(wrong.contains("f3.obj: vertices: 5 instead of 4, as in the first file"), "{wrong}");
    assert!(wrong.ends_with("f1.obj"), "{wrong}");
    for (faces, line) in
        [("f 4 3 2 1", 5), ("f 1 2 3 4\nf 1 2 3", 6), ("f 1 2 3\nf 1 3 4", 5), ("", 0)]
    {
        write(3, &quad(1.0).replace("f 1 2 3 4", faces));
        let wrong = message();
        let expected = format!("f3.obj: line {line}: the faces are not those of the first file");
        assert!(wrong.contains(&expected), "{wrong}");
    }
    write(3, "v 0 0 x\n");
    assert!(message().contains("f3.obj: line 1: `x` is not a number"));
    fs::remove_file(folder.join("f3.obj")).unwrap();
    assert!(load_sequence(&pattern, 24.0).is_ok());
    write(4, &quad(1.0));
    let scene = load_sequence(&pattern, 24.0).unwrap();
    let said = scene.warnings()[0].to_string();
    assert!(said.starts_with("sequence: after frame 2 the step between frames changes"), "{said}");
    for rate in [0.0, -1.0, f64::NAN] {
        assert!(load_sequence(&pattern, rate).unwrap_err().to_string().contains("rate must be"));
    }
    assert!(load_sequence(folder.join("f1.obj"), 24.0).is_err());
    assert!(matches!(load_sequence(folder.join("none/#.obj"), 24.0), Err(Error::Io { .. })));
}

#[test]
fn a_file_with_such_a_name_is_a_file() {
    let folder = folder("literal");
    fs::write(folder.join("part #1.obj"), quad(0.0)).unwrap();
    let scene = load(folder.join("part #1.obj")).unwrap();
    assert_eq!(scene.objects()[0].name, "part #1");
    assert!(scene.animations().is_empty());
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder("latin");
    let name = |bytes: &[u8]| folder.join(OsStr::from_bytes(bytes));
    for (file, height) in [(b"caf\xe9_1.obj", 1.0), (b"caf\xe9_2.obj", 2.0)] {
        fs::write(name(file), quad(height)).unwrap();
    }
    let scene = load(name(b"caf\xe9_1.obj")).unwrap();
    assert_eq!(scene.objects()[0].name, "caf\u{fffd}_1");
    let scene = load_sequence(name(b"caf\xe9_#.obj"), 1.0).unwrap();
    assert_eq!(scene.objects()[0].name, "caf\u{fffd}");
    assert_eq!(scene.animations()[0].end, 2.0);
}
