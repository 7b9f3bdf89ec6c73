//! `pliant info`: what is in a file, how it will deform, and what will hurt.

mod blends;
mod health;
mod text;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use pliant::deform::Blending;
use pliant::tree::{BuildSettings, build_over_mesh, node_boxes, statistics};
use pliant::volume::Aabb;
use pliant::{Mesh, tree};
use pliant_io::{Deformation, PC2_FRAMES_PER_SECOND, Scene};
use serde::Serialize;

use crate::check::BlendingArgument;
use crate::number::positive;
use crate::source::{FILES, FileArgument, read};
use crate::write::{is_stdout, json_for_terminals, print, write_to};
use health::{Health, health};

const EXAMPLES: &str = "
Examples:
  pliant info walk.glb                       objects, deformations, animations, what will hurt
  pliant info walk.glb --blending spherical  do its joints allow that?
  pliant info cloth.obj+cloth.pc2 --json -   the same for programs";

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{FILES}\n{EXAMPLES}"))]
pub(crate) struct InfoArguments {
    /// The files; a point cache is joined to its mesh by a plus: cloth.obj+cloth.pc2.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<FileArgument>,
    /// Write the same as JSON (schema: docs/info.schema.json); `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Frames per second of PC2 caches.
    #[arg(long, value_name = "N", default_value_t = PC2_FRAMES_PER_SECOND, value_parser = positive)]
    cache_fps: f64,
    /// How `check` will be told to blend joints: warns of joints that do not allow it.
    #[arg(long, value_enum, default_value = "linear")]
    blending: BlendingArgument,
}

#[derive(Debug, Serialize)]
struct Report {
    pliant: &'static str,
    files: Vec<FileInfo>,
}

#[derive(Debug, Serialize)]
struct FileInfo {
    file: String,
    nodes: usize,
    objects: Vec<ObjectInfo>,
    animations: Vec<AnimationInfo>,
    /// What will hurt: what the loader mended, and what the meshes have wrong.
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ObjectInfo {
    id: usize,
    name: String,
    vertices: usize,
    triangles: usize,
    deformation: &'static str,
    joints: usize,
    /// Joints that move the most-moved vertex.
    influences: usize,
    targets: usize,
    keyframes: usize,
    health: Health,
    tree: TreeInfo,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct TreeInfo {
    nodes: usize,
    depth: usize,
    sah_cost: f64,
}

#[derive(Debug, Serialize)]
struct AnimationInfo {
    index: usize,
    name: String,
    start: f64,
    end: f64,
    channels: usize,
}

pub(crate) fn run(arguments: &InfoArguments) -> Result<()> {
    let mut files = Vec::new();
    for file in &arguments.files {
        let scene = read(file, arguments.cache_fps)?;
        files.push(file_info(file.to_string(), &scene, arguments.blending.of_bodies())?);
    }
    let report = Report { pliant: env!("CARGO_PKG_VERSION"), files };
    if let Some(file) = &arguments.json {
        let json = json_for_terminals(serde_json::to_string_pretty(&report)?);
        write_to(file, |out| writeln!(out, "{json}"))?;
    }
    if !arguments.json.as_deref().is_some_and(is_stdout) {
        print(&text::text(&report.files))?;
    }
    Ok(())
}

fn file_info(file: String, scene: &Scene, blending: Blending) -> Result<FileInfo> {
    let mut warnings: Vec<String> = scene.warnings().iter().map(ToString::to_string).collect();
    let mut objects = Vec::new();
    let mut known: HashMap<_, (Health, TreeInfo)> = HashMap::new();
    for (id, object) in scene.objects().iter().enumerate() {
        let mesh = &object.mesh;
        // Objects that share a mesh share what is known of it.
        let (health, tree) = match known.get(&Arc::as_ptr(mesh)) {
            Some(&both) => both,
            None => {
                let health = health(mesh);
                let element = format!("object {id} {:?}", object.name);
                warnings
                    .extend(health.warnings().iter().map(|reason| format!("{element}: {reason}")));
                (health, tree_info(mesh)?)
            }
        };
        known.insert(Arc::as_ptr(mesh), (health, tree));
        let (joints, influences) = match &object.deformation {
            Deformation::Skin { skin, weights, .. } => {
                let counts = weights.starts.windows(2).map(|run| (run[1] - run[0]) as usize);
                (scene.skins()[*skin].joints.len(), counts.max().unwrap_or(0))
            }
            _ => (0, 0),
        };
        let keyframes = match &object.deformation {
            Deformation::Keyframes(keyframes) => keyframes.frames.len(),
            _ => 0,
        };
        objects.push(ObjectInfo {
            id,
            name: object.name.clone(),
            vertices: mesh.positions().len(),
            triangles: mesh.triangles().len(),
            deformation: object.deformation.blended_name(blending),
            joints,
            influences,
            targets: object.default_weights.len(),
            keyframes,
            health,
            tree,
        });
    }
    warnings.extend(blends::warnings(scene, blending));
    let animations =
        scene.animations().iter().enumerate().map(|(index, animation)| AnimationInfo {
            index,
            name: animation.name.clone(),
            start: animation.start,
            end: animation.end,
            channels: animation.channels.len(),
        });
    let animations = animations.collect();
    Ok(FileInfo { file, nodes: scene.nodes().len(), objects, animations, warnings })
}

/// The tree that `pliant check` will build.
fn tree_info(mesh: &Mesh) -> Result<TreeInfo> {
    let built = build_over_mesh(mesh, &BuildSettings::default())?;
    let position = |vertex: u32| mesh.positions()[vertex as usize];
    let around = |corners: &[u32; 3]| Aabb::around(corners.map(position));
    let boxes: Vec<Aabb> = mesh.triangles().iter().map(around).collect();
    let tree::Statistics { nodes, depth, sah_cost, .. } =
        statistics(&built, &node_boxes(&built, &boxes)?)?;
    Ok(TreeInfo { nodes, depth, sah_cost })
}
