//! What files say reaches the terminal as text alone: no escape of a file steers it.

use crate::common::*;
use pliant_io::steers_terminals;
use serde_json::{Value, json};

/// Characters that would steer a terminal: ESC and CSI (C1), a deletion, an override of direction, and
/// an end of line that would let a name pass for a message.
const HOSTILE: &str = "e\x1b]0;owned\x07\u{9b}31m\x7f\u{202e}\u{2066}\r\npliant: fine";

fn is_clean(run: &std::process::Output, what: &str) {
    for shown in [text(run), error(run)] {
        let found = shown.chars().find(|&c| c != '\n' && steers_terminals(c));
        assert_eq!(found, None, "{what}: {shown:?}");
        assert!(!shown.lines().any(|line| line == "pliant: fine"), "{what}: {shown:?}");
    }
}

/// A document in which everything that has a name has a hostile one, and which is still valid.
fn document() -> Value {
    let triangle = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    json!({
        "asset": { "version": "2.0", "generator": HOSTILE },
        "extensionsUsed": [HOSTILE],
        "scene": 0,
        "scenes": [{ "nodes": [0, 1], "name": HOSTILE }],
        "nodes": [{ "name": HOSTILE, "mesh": 0 }, { "name": HOSTILE, "mesh": 0 }],
        "meshes": [{ "name": HOSTILE, "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "animations": [animation(), animation()],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
              "min": [0, 0, 0], "max": [1, 1, 0], "name": HOSTILE },
            { "bufferView": 1, "componentType": 5126, "count": 1, "type": "SCALAR",
              "min": [0], "max": [0] },
            { "bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36, "name": HOSTILE },
            { "buffer": 0, "byteLength": 4 },
        ],
        "buffers": [{ "byteLength": 36,
            "uri": format!("data:application/octet-stream;base64,{triangle}") }],
    })
}

fn animation() -> Value {
    json!({
        "name": HOSTILE,
        "samplers": [{ "input": 1, "output": 2 }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
    })
}

/// Every text of a JSON value, by its path.
fn texts(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::String(_) => out.push(at),
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                texts(value, format!("{at}/{index}"), out);
            }
        }
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            texts(value, format!("{at}/{key}"), out);
        }),
        _ => {}
    }
}

#[test]
fn names_of_a_valid_file_are_shown_as_text() {
    let file = written("hostile_names.gltf", document().to_string());
    for arguments in [
        &["check", &file][..],
        &["check", &file, "--csv", "-"],
        &["check", &file, "--json", "-"],
        &["check", &file, "--animation", "none"],
        &["check", &file, &file, "--place", "none@0,0,0"],
        &["info", &file],
        &["info", &file, "--json", "-"],
    ] {
        let run = pliant(arguments);
        is_clean(&run, &format!("{arguments:?}"));
        // The name is there all the same.
        assert!(text(&run).contains("e\\u") || error(&run).contains("e\\u") || code(&run) == 2);
    }
    let report = check_json([&file]);
    assert_eq!(report["objects"][0]["name"], HOSTILE);
}

/// Each text in turn is replaced by a hostile one, and a hostile one stands before it; also each key.
#[test]
fn refusals_of_gltf_files_show_text() {
    let mut places = Vec::new();
    texts(&document(), String::new(), &mut places);
    assert!(places.len() > 15, "{}", places.len());
    let mut documents = Vec::new();
    for place in places {
        let mut changed = document();
        let text = changed.pointer_mut(&place).unwrap();
        *text = json!(format!("{HOSTILE}{}", text.as_str().unwrap()));
        documents.push((place.clone(), changed.to_string()));
        let mut only = document();
        *only.pointer_mut(&place).unwrap() = json!(HOSTILE);
        documents.push((place, only.to_string()));
    }
    for (place, value) in [
        ("/extensionsRequired", json!([HOSTILE])),
        ("/extensionsUsed", json!([HOSTILE, HOSTILE])),
        ("/asset/minVersion", json!(HOSTILE)),
        ("/buffers/0/uri", json!(format!("no\x1b\u{9b}{HOSTILE}.bin"))),
        ("/buffers/0/uri", json!("no%1B%C2%9B%E2%80%AE.bin")),
        ("/buffers/0/uri", json!(format!("data:application/octet-stream;{HOSTILE},AA"))),
        ("/buffers/0/uri", json!(format!("data:application/octet-stream;base64,{HOSTILE}"))),
        ("/buffers/0/extensions", json!({ HOSTILE: {} })),
        ("/bufferViews/0/extensions", json!({ HOSTILE: {} })),
        ("/meshes/0/primitives/0/extensions", json!({ HOSTILE: {} })),
        ("/meshes/0/primitives/0/attributes", json!({ HOSTILE: 0 })),
        ("/meshes/0/primitives/0/attributes", json!({ "POSITION": 0, HOSTILE: 99 })),
        ("/meshes/0/primitives/0/targets", json!([{ HOSTILE: 0 }])),
        ("/animations/0/samplers/0/interpolation", json!(HOSTILE)),
        ("/animations/0/channels/0/target/path", json!(HOSTILE)),
        ("/accessors/0/componentType", json!(HOSTILE)),
        ("/nodes/0/mesh", json!(HOSTILE)),
    ] {
        let mut changed = document();
        let (parent, key) = place.rsplit_once('/').unwrap();
        let parent = changed.pointer_mut(parent).unwrap();
        match parent {
            Value::Object(map) => drop(map.insert(key.into(), value)),
            _ => panic!("{place}"),
        }
        documents.push((place.into(), changed.to_string()));
    }
    documents.push(("invalid JSON".into(), format!("{{\"asset\": {HOSTILE}}}")));
    let mut refused = 0;
    for (place, document) in documents {
        let file = written("hostile_text.gltf", document);
        let run = pliant(["check", &file]);
        is_clean(&run, &place);
        refused += usize::from(code(&run) == 2);
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn words_of_other_files_are_shown_as_text() {
    let h = HOSTILE.replace(['\r', '\n'], "");
    let with = |lines: &str| lines.replace('H', &h);
    let files = [
        ("hostile.obj", with("v 0 0 0\nv H 0 0\n")),
        ("hostile.obj", with("v 0 0 0\nf 1 H 1\n")),
        ("hostile.obj", with("H 1 2\nv 0 0 0\nf 1/H 1 1\n")),
        ("hostile.ply", with("ply\nformat H 1.0\n")),
        ("hostile.ply", with("ply\nformat ascii 1.0\nH\nend_header\n")),
        ("hostile.ply", with("ply\nformat ascii H\nend_header\n")),
        ("hostile.ply", with("ply\nformat ascii 1.0\nelement H H\nend_header\n")),
        ("hostile.ply", with("ply\nformat ascii 1.0\nelement H 1\nproperty H H\nend_header\n")),
        (
            "hostile.ply",
            with(
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 H 0\n",
            ),
        ),
        ("hostile.stl", with("solid H\nfacet normal 0 0 1\nouter loop\nvertex 0 H 0\n")),
        ("hostile.stl", with("solid H\nH\n")),
        ("hostile.md2", with("IDP2H")),
        (&*format!("hostile.{h}"), String::new()),
    ];
    for (name, content) in files {
        let file = written(name, &content);
        for command in ["check", "info"] {
            let run = pliant([command, &file]);
            assert_eq!(code(&run), 2, "{name} {content:?}");
            is_clean(&run, &format!("{command} {name} {content:?}"));
        }
    }
    // A name in a file's name is shown, too.
    let file = written(&format!("{h}.obj"), obj(0.0, 0.0, 0.0));
    for arguments in [
        &["check", &file, &file][..],
        &["info", &file],
        &["check", &file, "--csv", "-"],
        &["check", &format!("{file}.pc2")],
        &["check", &file, &format!("--{h}")],
        &["check", &file, "--times", &h],
        &["check", &file, "--place", &h],
        &["check", &file, "--json", &format!("{file}/{h}/out.json")],
    ] {
        is_clean(&pliant(arguments), &format!("{arguments:?}"));
    }
}

#[test]
fn words_of_molecules_are_shown_as_text() {
    let atom = |name: &str, residue: &str, x: &str| {
        format!(
            "ATOM      1 {name} {residue} A   1    {x:>8}   0.000   0.000  1.00  0.00           C\n"
        )
    };
    // Four and three bytes in columns of their own.
    let named = atom(" C\x1b ", "\x1b[2", "0.000") + &atom(" \u{9b}A", "G\u{9b}", "0.100");
    let cif = |x: &str| {
        format!(
            "data_{h}\nloop_\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.Cartn_x\n\
             _atom_site.Cartn_y\n_atom_site.Cartn_z\n{h} {h} {x} 0 0\n{h} {h} 0.1 0 0\n{h} {h} 0.2 0 0\n",
            h = "e\x1b[2J\u{9b}\u{202e}"
        )
    };
    let x = "\x1b[2J\u{9b}\u{202e}";
    let files = [
        ("hostile.pdb", named),
        ("hostile.pdb", atom(" CA ", "GLY", "\x1b[2J")),
        ("hostile.pdb", atom(" CA ", "GLY", "\u{9b}1")),
        ("hostile.cif", cif("0")),
        ("hostile.cif", cif(x)),
        ("hostile.cif", format!("data_x\nloop_\n_atom_site.{x}\n{x}\n")),
        ("hostile.cif", format!("data_x\n_{x} '{x}\n")),
        ("hostile.xyz", format!("3\n{x}\n{x} 0 0 0\n{x} 0.1 0 0\n{x} 0.2 0 0\n")),
        ("hostile.xyz", format!("1\n{x}\n{x} 0 {x} 0\n")),
        ("hostile.xyz", format!("{x}\n")),
    ];
    let mut refused = 0;
    for (name, content) in files {
        let file = written(name, &content);
        let run = pliant(["clash", &file, "--atoms", "all", "--radius", "1"]);
        is_clean(&run, &format!("{name} {content:?}"));
        refused += usize::from(code(&run) == 2);
    }
    assert!((3..9).contains(&refused), "{refused}");
}
