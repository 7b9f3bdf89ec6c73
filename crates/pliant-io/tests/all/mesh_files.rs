//! Files of other programs: which are read, with how many vertices and triangles, and which are
//! refused, with which message.

use std::path::{Path, PathBuf};

use pliant::Mesh;
use pliant_io::{Result, read_file, read_md2, read_obj, read_pc2, read_ply, read_stl};

/// The shared data, if it exists.
fn data() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let path = std::env::var_os("PLIANT_SHARED_DATA").map_or_else(|| beside.into(), PathBuf::from);
    if !path.is_dir() {
        eprintln!("skipped: no shared data at {}", path.display());
        return None;
    }
    Some(path)
}

fn read(path: &Path) -> Result<Mesh> {
    let bytes = read_file(path)?;
    match path.extension().and_then(|e| e.to_str()).map(str::to_lowercase).as_deref() {
        Some("obj") => read_obj(&bytes, path),
        Some("ply") => read_ply(&bytes, path),
        Some("stl") => read_stl(&bytes, path),
        other => panic!("no reader for {other:?}"),
    }
}

fn counts(mesh: &Mesh) -> (usize, usize) {
    (mesh.positions().len(), mesh.triangles().len())
}

/// Vertices and triangles, or the error message.
type Expected = std::result::Result<(usize, usize), &'static str>;

const NO_TRIANGLES: Expected = Err("mesh: the mesh has no triangles");

/// Every OBJ, PLY and STL of the folder of unusual files.
const ODD_FILES: [(&str, Expected); 34] = [
    // Binary and valid: 7/8 of a cube; a soup of 100; a CAD part of which only the name is bad.
    ("7_8ths_cube.stl", Ok((14, 24))),
    ("soup.stl", Ok((300, 100))),
    ("busted.STL", Ok((1941, 3878))),
    // Text with two solids each.
    ("multibody.stl", Ok((20, 32))),
    ("two_objects_mixed_case_names.stl", Ok((16, 24))),
    ("empty.stl", NO_TRIANGLES),
    ("emptyIO/stl_empty_ascii.stl", NO_TRIANGLES),
    ("emptyIO/stl_empty_bin.stl", NO_TRIANGLES),
    // Texture corners with a trailing slash; colours that are NaN; quads with negative indices.
    ("cube_compressed.obj", Ok((8, 12))),
    ("jacked.obj", Ok((8, 12))),
    ("nancolor.obj", Ok((8, 12))),
    ("negative_indices.obj", Ok((8, 12))),
    ("singlevn.obj", Ok((4, 2))),
    ("polygonfaces.obj", Ok((5, 3))),
    // ` f ` in a name is not a face; normals that do not exist are not used.
    ("face_in_group_name.obj", NO_TRIANGLES),
    ("face_in_group_name_mid_file.obj", Ok((5, 2))),
    ("obj_with_no_face_in_chunk.obj", Ok((3, 1))),
    // A face with two corners is not dropped silently.
    ("notenoughindices.obj", Err("line 9: a face needs three corners or more, not 2")),
    ("empty.obj", NO_TRIANGLES),
    ("emptyIO/obj_empty.obj", NO_TRIANGLES),
    ("emptyIO/obj_points.obj", NO_TRIANGLES),
    ("emptyIO/obj_wireframe.obj", NO_TRIANGLES),
    ("metadata.ply", Ok((4, 2))),
    ("multi.ply", Ok((4, 2))),
    ("empty.ply", NO_TRIANGLES),
    ("points_ascii_with_lists.ply", NO_TRIANGLES),
    ("points_bin.ply", NO_TRIANGLES),
    // States 12 vertices and has 13.
    ("points_emptyascii.ply", Err("end of file: 26 bytes follow the last row")),
    ("points_emptyface.ply", NO_TRIANGLES),
    ("emptyIO/ply_empty_ascii.ply", NO_TRIANGLES),
    ("emptyIO/ply_empty_bin.ply", NO_TRIANGLES),
    ("emptyIO/ply_empty_header.ply", NO_TRIANGLES),
    ("emptyIO/ply_points_ascii.ply", NO_TRIANGLES),
    ("emptyIO/ply_points_bin.ply", NO_TRIANGLES),
];

#[test]
fn odd_files_are_read_or_refused_as_listed() {
    let Some(folder) = data().map(|data| data.join("malformed/trimesh")) else { return };
    for (name, expected) in ODD_FILES {
        match (read(&folder.join(name)), expected) {
            (Ok(mesh), Ok(expected)) => assert_eq!(counts(&mesh), expected, "{name}"),
            (Err(error), Err(expected)) => {
                let error = error.to_string();
                assert!(error.contains(name) && error.ends_with(expected), "{error}");
            }
            (outcome, expected) => {
                let outcome = outcome.map(|mesh| counts(&mesh));
                panic!("{name}: expected {expected:?}, but {outcome:?}");
            }
        }
    }
    let listed = |path: &Path| ODD_FILES.iter().any(|(name, _)| folder.join(name) == path);
    for folder in [folder.clone(), folder.join("emptyIO")] {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let other = path.extension().is_none_or(|e| e == "off" || e == "glb");
            assert!(other || listed(&path), "{} is not listed", path.display());
        }
    }
}

#[test]
fn meshes_have_their_known_counts() {
    let Some(data) = data() else { return };
    let known = [
        // Its 3225 texture coordinates are not vertices.
        ("mesh/common-3d/spot.obj", (2930, 5856)),
        ("sequences/derived/cloth_ball_twist.obj", (3043, 5888)),
        ("sequences/derived/dembones_bone_rest.obj", (754, 1504)),
        ("ccd/scalable-ccd/cloth-funnel/frames/227.ply", (9450, 18484)),
        ("ccd/scalable-ccd/cloth-funnel/frames/228.ply", (9450, 18484)),
        ("ccd/scalable-ccd/rod-twist/frames/3036.ply", (39940, 79864)),
        ("ccd/scalable-ccd/rod-twist/frames/3037.ply", (39940, 79864)),
        ("ccd/scalable-ccd/cloth-ball/frames/cloth_ball92.ply", (46598, 92230)),
        ("ccd/scalable-ccd/cloth-ball/frames/cloth_ball93.ply", (46598, 92230)),
    ];
    for (name, expected) in known {
        assert_eq!(counts(&read(&data.join(name)).unwrap()), expected, "{name}");
    }
}

#[test]
fn a_watertight_mesh_stays_watertight() {
    let Some(data) = data() else { return };
    let mesh = read(&data.join("mesh/common-3d/spot.obj")).unwrap();
    let mut edges = std::collections::HashMap::new();
    for &[a, b, c] in mesh.triangles() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let ends = [from, to].map(|v| mesh.places()[v as usize]);
            *edges.entry((ends[0].min(ends[1]), ends[0].max(ends[1]))).or_insert(0) += 1;
        }
    }
    assert!(edges.values().all(|&triangles| triangles == 2));
}

#[test]
fn caches_fit_their_meshes() {
    let Some(folder) = data().map(|data| data.join("sequences/derived")) else { return };
    let known = [
        ("cloth_ball_twist.obj", "cloth_ball_twist.pc2", 90),
        ("dembones_bone_rest.obj", "dembones_bone_anim.pc2", 400),
    ];
    for (mesh, cache, frames) in known {
        let mesh = read(&folder.join(mesh)).unwrap();
        let file = folder.join(cache);
        let cache = read_pc2(&read_file(&file).unwrap(), &file, 25.0).unwrap();
        cache.check_fits(&mesh, &file).unwrap();
        assert_eq!(cache.frames().len(), frames);
        assert_eq!(cache.times()[0], 0.0);
        assert_eq!(cache.times()[frames - 1], (frames - 1) as f64 / 25.0);
    }
    // The cloth's file has frame 0, so the order of its vertices is that of the cache.
    let mesh = read(&folder.join("cloth_ball_twist.obj")).unwrap();
    let file = folder.join("cloth_ball_twist.pc2");
    let cache = read_pc2(&read_file(&file).unwrap(), &file, 25.0).unwrap();
    let first = cache.frame(0).unwrap();
    assert!(mesh.positions().iter().zip(first).all(|(p, q)| p.as_vec3().to_array() == *q));

    let other = read(&folder.join("dembones_bone_rest.obj")).unwrap();
    let refusal = cache.check_fits(&other, &file).unwrap_err().to_string();
    assert!(
        refusal.ends_with("3043 points per frame were given, but the body has 754"),
        "{refusal}"
    );
}

#[test]
fn a_quake_model_has_its_keyframes() {
    let Some(data) = data() else { return };
    let file = data.join("sequences/md2/faerie.md2");
    let model = read_md2(&read_file(&file).unwrap(), &file).unwrap();
    assert_eq!(counts(&model.mesh), (366, 654));
    assert_eq!(model.keyframes.len(), 198);
    assert!(model.keyframes.iter().all(|frame| frame.positions.len() == 366));
    assert_eq!(model.keyframes[0].name, "stand01");
}
