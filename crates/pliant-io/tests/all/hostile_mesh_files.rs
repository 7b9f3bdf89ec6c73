//! Cut, changed and generated files give an error or a mesh and never a panic.

use std::path::Path;

use pliant_io::{Error, MAX_EAR_CLIPPED_CORNERS, Result};
use proptest::prelude::*;

use crate::written::{Plain, Ply};

type Reader = fn(&[u8]) -> Result<usize>;

/// The readers, each returning its number of triangles or frames.
const READERS: [(&str, Reader); 6] = [
    ("obj", |bytes| pliant_io::read_obj(bytes, Path::new("t")).map(|m| m.triangles().len())),
    ("ply", |bytes| pliant_io::read_ply(bytes, Path::new("t")).map(|m| m.triangles().len())),
    ("stl", |bytes| pliant_io::read_stl(bytes, Path::new("t")).map(|m| m.triangles().len())),
    ("pc2", |bytes| pliant_io::read_pc2(bytes, Path::new("t"), 24.0).map(|c| c.frames().len())),
    ("mdd", |bytes| pliant_io::read_mdd(bytes, Path::new("t")).map(|c| c.frames().len())),
    ("md2", |bytes| pliant_io::read_md2(bytes, Path::new("t")).map(|m| m.keyframes.len())),
];

fn reader(name: &str) -> Reader {
    READERS.into_iter().find(|(known, _)| *known == name).unwrap().1
}

/// Its coordinates are exact in `f32`.
fn tetrahedron() -> Plain {
    Plain {
        positions: vec![[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.0, -2.0, 0.25], [0.125, 1.0, 3.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    }
}

/// A valid file of each format and encoding, its reader, and whether it is binary.
fn samples() -> Vec<(&'static str, Vec<u8>, bool)> {
    let mesh = tetrahedron();
    let narrow = |p: &[f64; 3]| p.map(|x| x as f32);
    let frames = vec![mesh.positions.iter().map(narrow).collect::<Vec<_>>(); 3];
    let steps = vec![vec![[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]]; 2];
    vec![
        ("obj", crate::written::obj(&mesh), false),
        ("ply", crate::written::ply(&mesh, Ply::Ascii, false), false),
        ("ply", crate::written::ply(&mesh, Ply::Little, false), true),
        ("ply", crate::written::ply(&mesh, Ply::Big, true), true),
        ("stl", crate::written::stl_text(&mesh), false),
        ("stl", crate::written::stl_binary(&mesh), true),
        ("pc2", crate::written::pc2(&frames), true),
        ("mdd", crate::written::mdd(&frames), true),
        ("md2", crate::written::md2(&steps, &mesh.triangles), true),
    ]
}

#[test]
fn cut_files_are_refused_or_smaller() {
    for (name, bytes, binary) in samples() {
        let whole = reader(name)(&bytes).unwrap();
        for length in 0..bytes.len() {
            match reader(name)(&bytes[..length]) {
                Ok(_) if binary => panic!("{name}, cut at {length} of {}, was read", bytes.len()),
                Ok(part) => assert!(part <= whole, "{name}, cut at {length}"),
                Err(error) => assert!(error.to_string().starts_with("t: "), "{error}"),
            }
        }
    }
}

#[test]
fn a_file_of_another_format_is_refused() {
    for (name, bytes, _) in samples() {
        for (other, read) in READERS.into_iter().filter(|(other, _)| *other != name) {
            assert!(read(&bytes).is_err(), "{name} was read as {other}");
        }
    }
}

#[test]
fn a_million_corners_become_a_fan() {
    // A zigzag, which has ears but no fan: ear clipping would take 10^12 steps.
    let corners = 1_000_000;
    let mut text = String::new();
    (0..corners / 2).for_each(|i| text += &format!("v {i} {} 0\n", i % 2));
    (0..corners / 2).rev().for_each(|i| text += &format!("v {i} {} 0\n", 2 + i % 2));
    text += "f";
    (1..=corners).for_each(|i| text += &format!(" {i}"));
    let mesh = pliant_io::read_obj(text.as_bytes(), Path::new("t")).unwrap();
    assert!(corners > MAX_EAR_CLIPPED_CORNERS);
    assert_eq!(mesh.triangles().len(), corners - 2);
    assert!(mesh.triangles().iter().all(|triangle| triangle[0] == 0));
}

#[test]
fn long_lines_cost_what_they_are_long() {
    // A reader with quadratic time per line would not finish.
    let blank_continuations = " \\\n".repeat(300_000);
    let one_word = "v ".to_string() + &"1".repeat(1_000_000);
    let slashes = "f ".to_string() + &"/".repeat(1_000_000);
    for text in [blank_continuations, one_word, slashes] {
        let error = pliant_io::read_obj(text.as_bytes(), Path::new("t")).unwrap_err();
        assert!(error.to_string().len() < 200, "{error}");
    }
}

#[test]
fn many_elements_cost_what_they_are_many() {
    let mut text = String::from("ply\nformat ascii 1.0\n");
    (0..300_000).for_each(|i| text += &format!("element e{i} 0\n"));
    text += "end_header\n";
    let error = pliant_io::read_ply(text.as_bytes(), Path::new("t")).unwrap_err();
    assert!(matches!(error, Error::Geometry { .. }), "{error}");
}

#[test]
fn errors_name_their_kind() {
    let empty = pliant_io::read_obj(b"", Path::new("t"));
    assert!(matches!(empty, Err(Error::Geometry { source: pliant::Error::EmptyMesh, .. })));
    for (name, read) in READERS.into_iter().filter(|(name, _)| *name != "obj") {
        assert!(matches!(read(b""), Err(Error::Malformed { .. })), "{name}");
    }
}

/// Words that lead a reader far into its grammar.
fn obj_text() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        (-6i64..6).prop_map(|i| i.to_string()),
        any::<f64>().prop_map(|x| x.to_string()),
        "[0-9/.e+-]{1,6}",
    ];
    let keyword = prop::sample::select(vec!["v", "v", "f", "f", "vn", "l", "#", "g", ""]);
    let line = (keyword, prop::collection::vec(number, 0..7), "(\n|\r\n|\\\\\n|\r| )");
    prop::collection::vec(line, 0..20).prop_map(|lines| {
        let join = |(keyword, words, end): (&str, Vec<String>, String)| {
            format!("{keyword} {}{end}", words.join(" "))
        };
        lines.into_iter().map(join).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_bytes_never_panic(
        sample in 0usize..9,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes, _) = samples().swap_remove(sample);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let length = bytes.len();
        if let Ok(count) = reader(name)(&bytes) {
            prop_assert!(count <= length, "{} elements from {} bytes", count, length);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for (_, read) in READERS {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn random_words_never_panic(text in obj_text()) {
        let _ = reader("obj")(text.as_bytes());
    }

    #[test]
    fn random_headers_never_panic(
        format in prop::sample::select(vec!["ascii", "binary_little_endian", "binary_big_endian"]),
        elements in prop::collection::vec(
            (
                prop::sample::select(vec!["vertex", "face", "edge", "tristrips"]),
                prop_oneof![0u64..5, Just(u64::MAX), any::<u64>()],
                prop::collection::vec(
                    prop::sample::select(vec![
                        "float x", "char y", "double z", "int x", "list uchar int vertex_indices",
                        "list int uchar vertex_index", "list char float x", "list uint double w",
                    ]),
                    0..6,
                ),
            ),
            0..4,
        ),
        body in prop_oneof![
            prop::collection::vec(0u8..6, 0..200),
            "([0-4] |[0-4]\n|-1 |3 0 1 2\n|0 0 0\n){0,60}".prop_map(String::into_bytes),
        ],
    ) {
        let mut bytes = format!("ply\nformat {format} 1.0\n").into_bytes();
        for (name, count, properties) in elements {
            bytes.extend(format!("element {name} {count}\n").bytes());
            properties.iter().for_each(|p| bytes.extend(format!("property {p}\n").bytes()));
        }
        bytes.extend(b"end_header\n");
        bytes.extend(body);
        let _ = reader("ply")(&bytes);
    }
}
