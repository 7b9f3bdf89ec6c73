//! What the tests of the program share.
#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod schema;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use glam::{DVec3, DVec4};
use pliant::Mesh;
use pliant_io::*;
use serde_json::Value;

/// Runs the program.
pub(crate) fn pliant(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pliant")).args(arguments).output().unwrap()
}

/// Runs `pliant check` and reads what it wrote as JSON.
pub(crate) fn check_json(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    let run = command.arg("check").args(arguments).args(["--json", "-"]).output().unwrap();
    assert_eq!(code(&run), 0, "{}", error(&run));
    serde_json::from_slice(&run.stdout).unwrap()
}

pub(crate) fn code(run: &Output) -> i32 {
    run.status.code().unwrap()
}

pub(crate) fn text(run: &Output) -> String {
    String::from_utf8(run.stdout.clone()).unwrap()
}

pub(crate) fn error(run: &Output) -> String {
    String::from_utf8(run.stderr.clone()).unwrap()
}

/// A path in the folder of a test's own.
pub(crate) fn path(name: &str) -> String {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).to_str().unwrap().into()
}

/// Writes a file into that folder.
pub(crate) fn written(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = path(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// A tetrahedron with its corner at a place, as OBJ.
pub(crate) fn obj(x: f64, y: f64, z: f64) -> String {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut text = String::new();
    for [dx, dy, dz] in corners {
        text += &format!("v {} {} {}\n", x + dx, y + dy, z + dz);
    }
    text + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
}

pub(crate) fn tetrahedron() -> Mesh {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

/// Two tetrahedra as GLB: `still`, and `mover`, which goes by two animations in a second,
/// "pass" from x = -2 to x = 2, and "miss" far above.
pub(crate) fn passing() -> Vec<u8> {
    let node = |name: &str| Node {
        name: Some(name.into()),
        parent: None,
        transform: NodeTransform::IDENTITY,
    };
    let path = |name: &str, height: f64| {
        let sampler = Sampler {
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values: vec![-2.0, height, 0.125, 2.0, height, 0.125],
        };
        let channel = Channel { sampler: 0, node: 1, property: Property::Translation };
        Animation::new(name, vec![sampler], vec![channel])
    };
    let mesh = Arc::new(tetrahedron());
    let object = |name: &str, node| Object::new(name, node, mesh.clone(), Deformation::Rigid);
    let scene = Scene::new(SceneParts {
        nodes: vec![node("still"), node("mover")],
        objects: vec![object("still", 0), object("mover", 1)],
        animations: vec![path("pass", 0.125), path("miss", 9.0)],
        ..SceneParts::default()
    });
    glb_bytes(&scene.unwrap()).unwrap()
}

/// A strip of four triangles on two joints as GLB. The second joint, at x = 1, turns about y by
/// a half turn in a second, which folds the strip onto itself.
pub(crate) fn folding() -> Vec<u8> {
    let corners =
        [0.0, 1.0, 2.0].iter().flat_map(|&x| [DVec3::new(x, 0.0, 0.0), DVec3::new(x, 1.0, 0.0)]);
    let triangles = vec![[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]];
    let mesh = Mesh::new(corners.collect(), triangles).unwrap();
    let influences = [0, 0, 0, 0, 1, 1].map(|joint| Influence { joint, weight: 1.0 });
    let weights = SkinWeights { starts: (0..=6).collect(), influences: influences.to_vec() };
    let node = |name: &str, parent, x: f64| Node {
        name: Some(name.into()),
        parent,
        transform: NodeTransform::Trs {
            translation: DVec3::X * x,
            rotation: DVec4::W,
            scale: DVec3::ONE,
        },
    };
    let turn = Sampler {
        interpolation: Interpolation::Linear,
        times: vec![0.0, 1.0],
        values: vec![0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
    };
    let channel = Channel { sampler: 0, node: 2, property: Property::Rotation };
    let bind = |x: f64| glam::DAffine3::from_translation(DVec3::X * -x);
    let skin = Skin { joints: vec![1, 2], inverse_bind: vec![bind(0.0), bind(1.0)] };
    let deformation = Deformation::Skin { skin: 0, weights: Arc::new(weights), morph: None };
    let scene = Scene::new(SceneParts {
        nodes: vec![node("strip", None, 0.0), node("root", None, 0.0), node("hinge", Some(1), 1.0)],
        objects: vec![Object::new("strip", 0, mesh, deformation)],
        skins: vec![skin],
        animations: vec![Animation::new("fold", vec![turn], vec![channel])],
        warnings: Vec::new(),
    });
    glb_bytes(&scene.unwrap()).unwrap()
}

/// Without what a clock says.
pub(crate) fn timeless(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\"seconds\":") {
        let (before, after) = rest.split_at(at);
        out += before;
        rest = &after[after.find('}').unwrap()..];
    }
    out + rest
}

/// A folder of the shared data; says so if it is absent.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("PLIANT_SHARED_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = root.join(folder);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is not there", path.display());
    None
}
