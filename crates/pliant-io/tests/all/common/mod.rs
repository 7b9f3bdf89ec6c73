//! Shared code of the tests: the location of the data, and a small scene with all features.
#![allow(dead_code, reason = "each test uses its part")]

pub(crate) mod exercise;
pub(crate) mod triangle;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant::Mesh;
use pliant::glam::{DAffine3, DMat3, DVec3, DVec4};
use pliant_io::*;

/// A folder of the shared data; prints a message if it is absent.
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

/// All glTF files below a folder, sorted.
pub(crate) fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            match extension {
                _ if path.is_dir() => folders.push(path),
                Some("gltf" | "glb") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

pub(crate) fn grid(columns: usize) -> Mesh {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for y in 0..columns {
        for x in 0..columns {
            positions.push(DVec3::new(x as f64 * 0.5, y as f64 * 0.25, ((x * y) % 3) as f64));
        }
    }
    let at = |x: usize, y: usize| (y * columns + x) as u32;
    for y in 0..columns - 1 {
        for x in 0..columns - 1 {
            triangles.push([at(x, y), at(x + 1, y), at(x, y + 1)]);
            triangles.push([at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
        }
    }
    Mesh::new(positions, triangles).unwrap()
}

pub(crate) fn node(name: &str, parent: Option<usize>, transform: NodeTransform) -> Node {
    Node { name: Some(name.into()), parent, transform }
}

pub(crate) fn trs(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> NodeTransform {
    NodeTransform::Trs {
        translation: DVec3::from_array(translation),
        rotation: DVec4::from_array(rotation),
        scale: DVec3::from_array(scale),
    }
}

/// All features of the format, in numbers that are exact in `f32`: two instances of one mesh, morph
/// targets, a skin with six influences, all kinds of curves, a matrix, negative scale.
pub(crate) fn busy_scene() -> Scene {
    let mesh = Arc::new(grid(4));
    let vertices = mesh.positions().len();
    let deltas = (0..3).map(|target| {
        let delta = |vertex: usize| DVec3::new(0.0, vertex as f64 * 0.125, f64::from(target));
        (0..vertices).map(delta).collect()
    });
    let morph = Arc::new(MorphTargets { deltas: deltas.collect() });
    let mut weights = SkinWeights { starts: vec![0], influences: Vec::new() };
    for vertex in 0..vertices {
        let parts: &[f64] = match vertex % 3 {
            0 => &[1.0],
            1 => &[0.5, 0.25, 0.25],
            _ => &[0.25, 0.25, 0.125, 0.125, 0.125, 0.125],
        };
        for (place, &weight) in parts.iter().enumerate() {
            let joint = ((vertex + place) % 6) as u32;
            weights.influences.push(Influence { joint, weight });
        }
        weights.starts.push(weights.influences.len() as u32);
    }
    let weights = Arc::new(weights);
    let shear_free = DAffine3::from_mat3_translation(
        DMat3::from_diagonal(DVec3::new(2.0, -1.0, 0.5)),
        DVec3::new(1.0, 2.0, 3.0),
    );
    let mut nodes = vec![
        node("root", None, trs([0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [-1.0, 2.0, 1.0])),
        node("left", Some(0), NodeTransform::Matrix(shear_free)),
        node("right", Some(0), NodeTransform::IDENTITY),
        node("face", None, trs([0.5, 0.0, 0.0], [0.0, 0.6, 0.0, 0.8], [1.0, 1.0, 1.0])),
        node("body", None, NodeTransform::IDENTITY),
    ];
    let joints: Vec<usize> = (0..6).map(|joint| nodes.len() + joint).collect();
    for &joint in &joints {
        let parent = if joint == joints[0] { 4 } else { joint - 1 };
        let name = format!("joint {joint}");
        nodes.push(node(
            &name,
            Some(parent),
            trs([0.25, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]),
        ));
    }
    nodes.push(node("skinned", None, NodeTransform::IDENTITY));
    let bind = |joint: usize| DAffine3::from_translation(DVec3::new(-0.25, -0.5, joint as f64));
    let skin = Skin { joints, inverse_bind: (0..6).map(bind).collect() };
    let mut face = Object::new("face", 3, mesh.clone(), Deformation::Morph(morph.clone()));
    face.default_weights = vec![0.5, 0.0, -0.25];
    let skinned = Deformation::Skin { skin: 0, weights, morph: Some(morph) };
    let sampler = |interpolation, times: &[f64], values: Vec<f64>| Sampler {
        interpolation,
        times: times.to_vec(),
        values,
    };
    let turn = vec![0.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 0.0];
    let spline: Vec<f64> = (0..18).map(|number| f64::from(number) * 0.25).collect();
    let faces: Vec<f64> = (0..6).map(|number| f64::from(number) * 0.125).collect();
    let samplers = vec![
        sampler(Interpolation::Linear, &[0.0, 0.5, 2.0], turn),
        sampler(Interpolation::CubicSpline, &[0.25, 1.5], spline),
        sampler(Interpolation::Step, &[0.0, 1.0], faces.clone()),
        sampler(Interpolation::Linear, &[0.0, 3.0], faces),
    ];
    let channel = |sampler, node, property| Channel { sampler, node, property };
    let channels = vec![
        channel(0, 6, Property::Rotation),
        channel(1, 5, Property::Translation),
        channel(2, 7, Property::Scale),
        channel(3, 3, Property::Weights),
    ];
    let still = sampler(Interpolation::Linear, &[0.5], vec![1.0, 2.0, 3.0]);
    Scene::new(SceneParts {
        nodes,
        objects: vec![
            Object::new("left", 1, mesh.clone(), Deformation::Rigid),
            Object::new("right", 2, mesh.clone(), Deformation::Rigid),
            face,
            Object::new("skinned", 11, mesh, skinned),
        ],
        skins: vec![skin],
        animations: vec![
            Animation::new("dance", samplers, channels),
            Animation::new("", vec![still], vec![channel(0, 0, Property::Translation)]),
        ],
        warnings: Vec::new(),
    })
    .unwrap()
}
