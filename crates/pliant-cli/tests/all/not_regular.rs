//! Pipes and devices as arguments: a program that waited for them would never end.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::*;

/// Makes a pipe with a name.
fn pipe(name: &str) -> String {
    let path = path(name);
    let _ = fs::remove_file(&path);
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    path
}

/// What a run says, which must end by itself.
fn refusal(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    let command = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    for _ in 0..600 {
        if child.try_wait().unwrap().is_some() {
            let run = child.wait_with_output().unwrap();
            assert_eq!(code(&run), 2, "{arguments:?}");
            return error(&run);
        }
        thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("{arguments:?} does not end");
}

#[test]
fn a_pipe_is_refused_by_every_reader() {
    for extension in ["gltf", "glb", "obj", "ply", "stl", "md2"] {
        let pipe = pipe(&format!("fifo.{extension}"));
        for command in ["check", "info", "view"] {
            let said = refusal(&[command, &pipe]);
            assert!(said.contains(": file: is not a regular file"), "{command}: {said}");
        }
    }
    let mesh = written("fifo_mesh.obj", obj(0.0, 0.0, 0.0));
    for extension in ["pc2", "mdd"] {
        let pipe = pipe(&format!("fifo.{extension}"));
        let said = refusal(&["check", &format!("{mesh}+{pipe}")]);
        assert!(said.contains(": file: is not a regular file"), "{said}");
    }
    for extension in ["pdb", "ent", "cif", "mmcif", "xyz"] {
        let said = refusal(&["clash", &pipe(&format!("fifo.{extension}"))]);
        assert!(said.contains(": file: is not a regular file"), "{said}");
    }
    let beads = written("fifo_beads.xyz", "1\n\nC 0 0 0\n");
    for extension in ["dcd", "xtc"] {
        let pipe = pipe(&format!("fifo.{extension}"));
        let said = refusal(&["clash", &beads, &pipe, "--atoms", "all"]);
        assert!(said.contains(": file: is not a regular file"), "{said}");
    }
}

#[test]
fn a_pipe_beside_a_gltf_file_is_refused() {
    pipe("fifo_side.bin");
    let text = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"fifo_side.bin\"}]}";
    let file = written("fifo_side.gltf", text);
    let said = refusal(&["check", &file]);
    assert!(said.contains("buffer 0: its URI does not name a plain file"), "{said}");
}

#[test]
fn folders_and_devices_are_refused() {
    let folder = path("folder.obj");
    fs::create_dir_all(&folder).unwrap();
    assert!(refusal(&["check", &folder]).contains("folder.obj: file: is a folder"));
    let link = path("zero.stl");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    assert!(refusal(&["check", &link]).contains("zero.stl: file: is not a regular file"));
}
