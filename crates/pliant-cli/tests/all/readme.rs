//! The commands of the README and of `--help` are run, on small files with the names that they use.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::*;

/// A folder with a file of every name that stands in an example.
fn folder(name: &str) -> String {
    let folder = path(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(format!("{folder}/{name}"), bytes).unwrap();
    for name in ["knight", "walk", "hero", "robot", "a", "b"] {
        write(&format!("{name}.glb"), &passing());
    }
    write("fox.glb", &renamed(&passing(), "\"miss\"", "\"Run\" "));
    for name in ["floor.obj", "cloth.obj"] {
        write(name, obj(0.0, 0.0, 0.0).as_bytes());
    }
    write("cloth.pc2", &pc2(4, 3));
    write("ball.stl", STL.as_bytes());
    let atoms = atoms();
    for name in ["protein", "1ubq", "model", "1l2y"] {
        write(&format!("{name}.pdb"), pdb(&atoms).as_bytes());
    }
    write("complex.cif", cif(&atoms).as_bytes());
    let packed = Command::new("gzip").arg(format!("{folder}/complex.cif")).status();
    assert!(packed.unwrap().success());
    write("box.gro", gro(&atoms).as_bytes());
    write("run.xtc", &xtc(&atoms, 130));
    write("rope.xyz", b"4\nrope\nX 0 0 0\nX 1 0 0\nX 1 1 0\nX 0 1 0\n");
    folder
}

fn renamed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|piece| piece == from.as_bytes()).unwrap();
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

/// A point cache of so many vertices, which rise, and so many frames.
fn pc2(vertices: u32, frames: u32) -> Vec<u8> {
    let mut out = b"POINTCACHE2\0".to_vec();
    out.extend(1_u32.to_le_bytes());
    out.extend(vertices.to_le_bytes());
    out.extend([0.0_f32, 1.0].iter().flat_map(|number| number.to_le_bytes()));
    out.extend(frames.to_le_bytes());
    let corners = [[0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for frame in 0..frames {
        for [x, y, z] in corners {
            out.extend([x, y + 0.5 * frame as f32, z].iter().flat_map(|it| it.to_le_bytes()));
        }
    }
    out
}

const STL: &str = "solid ball\nfacet normal 0 0 1\nouter loop\nvertex -1 0.1 0.1\nvertex 2 0.1 0.1\n\
                   vertex 0.1 0.3 0.1\nendloop\nendfacet\nendsolid ball\n";

/// Two glycines, each in a chain of its own: name, chain, place.
fn atoms() -> Vec<(&'static str, &'static str, [f64; 3])> {
    let glycine = [
        ("N", [0.0, 0.0, 0.0]),
        ("CA", [1.46, 0.0, 0.0]),
        ("C", [2.0, 1.42, 0.0]),
        ("O", [1.25, 2.39, 0.0]),
    ];
    let both = [("A", 0.0), ("B", 2.5)];
    let of_chain = |(chain, up): (&'static str, f64)| {
        glycine.map(|(name, [x, y, z])| (name, chain, [x, y, z + up]))
    };
    both.into_iter().flat_map(of_chain).collect()
}

fn pdb(atoms: &[(&str, &str, [f64; 3])]) -> String {
    let mut text = String::new();
    for (serial, (name, chain, [x, y, z])) in (1..).zip(atoms) {
        let (element, residue) = (&name[..1], if *chain == "A" { 1 } else { 9 });
        text += &format!(
            "ATOM  {serial:>5}  {name:<3} GLY {chain}{residue:>4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           {element}\n"
        );
    }
    text
}

fn cif(atoms: &[(&str, &str, [f64; 3])]) -> String {
    let columns = [
        "group_PDB",
        "label_atom_id",
        "type_symbol",
        "label_comp_id",
        "auth_asym_id",
        "auth_seq_id",
    ];
    let mut text = "data_x\nloop_\n".to_owned();
    for column in columns.iter().chain(&["Cartn_x", "Cartn_y", "Cartn_z"]) {
        text += &format!("_atom_site.{column}\n");
    }
    for (name, chain, [x, y, z]) in atoms {
        text += &format!("ATOM {name} {} GLY {chain} 1 {x} {y} {z}\n", &name[..1]);
    }
    text
}

fn gro(atoms: &[(&str, &str, [f64; 3])]) -> String {
    let mut text = format!("two glycines\n{:5}\n", atoms.len());
    for (number, (name, _, place)) in (1..).zip(atoms) {
        let [x, y, z] = place.map(|it| it / 10.0);
        let residue = 1 + (number - 1) / 4;
        text += &format!("{residue:5}GLY  {name:>5}{number:5}{x:8.3}{y:8.3}{z:8.3}\n");
    }
    text + "   3.00000   3.00000   3.00000\n"
}

/// A trajectory of so few atoms that none is compressed, and so many frames.
fn xtc(atoms: &[(&str, &str, [f64; 3])], frames: i32) -> Vec<u8> {
    let mut out = Vec::new();
    for step in 0..frames {
        for number in [1995, atoms.len() as i32, step] {
            out.extend(number.to_be_bytes());
        }
        let edges = [3.0_f32, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 3.0];
        out.extend([step as f32].iter().chain(&edges).flat_map(|it| it.to_be_bytes()));
        out.extend((atoms.len() as i32).to_be_bytes());
        let places = atoms.iter().flat_map(|(_, _, place)| place);
        out.extend(places.flat_map(|it| ((it / 10.0) as f32).to_be_bytes()));
    }
    out
}

/// Runs a line in a shell, as a reader would.
fn shell(line: &str, folder: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_pliant")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", path).output().unwrap()
}

/// Runs every example. Servers and demos, which take long, have tests of their own.
fn runs(lines: &[&str], folder: &str) {
    for line in lines {
        let others = ["pliant view", "pliant touch", "pliant demo"];
        if others.iter().any(|other| line.starts_with(other)) {
            continue;
        }
        let run = shell(line, folder);
        let may_fail = line.contains("--fail-on-contact");
        let code = code(&run);
        assert!(code == 0 || (code == 1 && may_fail), "{line}: {code}: {}", error(&run));
        assert!(!error(&run).contains("error"), "{line}: {}", error(&run));
    }
}

#[test]
fn the_readmes_commands_work() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    // A packaged crate has no repository around it.
    let Ok(text) = fs::read_to_string(readme) else { return };
    let blocks = text.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let lines: Vec<&str> =
        blocks.flat_map(str::lines).filter(|line| line.starts_with("pliant ")).collect();
    for command in ["info", "check", "clash"] {
        let start = format!("pliant {command} ");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "no line with {command}");
    }
    assert!(lines.len() > 8, "{lines:?}");
    let folder = folder("readme");
    runs(&lines, &folder);
    for written in ["contacts.json", "contacts.html", "known.json", "verdict.xml"] {
        assert!(Path::new(&folder).join(written).exists(), "{written}");
    }
}

#[test]
fn the_examples_of_the_help_work() {
    let folder = folder("help");
    for (command, least) in
        [("", 2), ("check", 8), ("clash", 7), ("merge", 4), ("info", 2), ("view", 3)]
    {
        let help = pliant(command.split_whitespace().chain(["--help"]));
        let help = text(&help);
        let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
        // What a command is for stands behind two spaces.
        let lines: Vec<&str> = lines
            .filter(|line| line.starts_with("pliant "))
            .filter_map(|line| line.split("  ").next())
            .collect();
        assert!(lines.len() >= least, "{command}: {lines:?}");
        runs(&lines, &folder);
    }
}
