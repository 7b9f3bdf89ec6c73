//! Scenes of two bodies, close together, deep in contact, and apart.

use anyhow::{Context as _, Result};
use glam::{DQuat, DVec3};
use pliant::{AnyBody, Body, Isometry, Mesh, intersects};
use pliant_io::SceneBodies;
use pliant_scenes::{Character, GARMENT_KEYFRAMES, chair, curtain_and_ball, dress, two_creatures};

/// Two bodies and their states.
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) state: &'static str,
    pub(super) meshes: [Mesh; 2],
    pub(super) frames: Frames,
}

pub(super) enum Frames {
    /// Both are rigid: where they are.
    Placed(Vec<[Isometry; 2]>),
    /// Both bend: where all vertices are.
    Bent(Vec<[Vec<DVec3>; 2]>),
}

impl Frames {
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Placed(places) => places.len(),
            Self::Bent(positions) => positions.len(),
        }
    }

    /// Keeps the first few.
    fn keep(&mut self, count: usize) {
        match self {
            Self::Placed(places) => places.truncate(count),
            Self::Bent(positions) => positions.truncate(count),
        }
    }
}

/// How many frames are taken out of a scene.
const FRAMES: usize = 6;

/// How many of them a quick run takes.
const QUICK_FRAMES: usize = 2;

pub(super) fn all(quick: bool, notes: &mut Vec<String>) -> Result<Vec<Scene>> {
    let mut scenes = chairs()?;
    scenes.extend(knight(notes)?);
    scenes.extend(curtain()?);
    scenes.extend(dressed(if quick { 16_000 } else { 65_000 })?);
    scenes.extend(creatures()?);
    if quick {
        scenes.iter_mut().for_each(|scene| scene.frames.keep(QUICK_FRAMES));
    }
    Ok(scenes)
}

/// Two chairs, the second turned anew in each frame and pushed towards the first.
fn chairs() -> Result<Vec<Scene>> {
    let mesh = chair()?;
    let [mut first, mut second] = [Body::rigid(mesh.clone())?, Body::rigid(mesh.clone())?];
    let turn =
        |k: usize| DQuat::from_euler(glam::EulerRot::YXZ, 0.7 * k as f64, 0.3 * k as f64, 0.2);
    let tilt = Isometry::new(DQuat::from_rotation_z(0.3), DVec3::ZERO)?;
    first.set_isometry(tilt);
    // The farthest distance at which they touch, for each frame.
    let mut contact = Vec::new();
    for k in 0..FRAMES {
        let way = DVec3::new((k as f64).cos(), 0.3, (k as f64).sin()).normalize();
        let (mut near, mut far) = (0.0, 4.0);
        for _ in 0..40 {
            let middle = 0.5 * (near + far);
            second.set_isometry(Isometry::new(turn(k), way * middle)?);
            let touch = intersects(&first, &second).pair.is_some();
            (near, far) = if touch { (middle, far) } else { (near, middle) };
        }
        contact.push((way, far));
    }
    let scene = |state, factor: f64| -> Result<Scene> {
        let place = |(k, &(way, far)): (usize, &(DVec3, f64))| -> Result<[Isometry; 2]> {
            Ok([tilt, Isometry::new(turn(k), way * far * factor)?])
        };
        let frames = contact.iter().enumerate().map(place).collect::<Result<_>>()?;
        let meshes = [mesh.clone(), mesh.clone()];
        Ok(Scene { name: "two chairs", state, meshes, frames: Frames::Placed(frames) })
    };
    Ok(vec![scene("close", 1.001)?, scene("deep", 0.5)?, scene("apart", 1.2)?])
}

/// All that is skinned of a knight against all that he carries, in an attack.
fn knight(notes: &mut Vec<String>) -> Result<Vec<Scene>> {
    let root = std::env::var_os("PLIANT_SHARED_DATA").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into(),
        std::path::PathBuf::from,
    );
    let file = root.join("gltf/skinned/KayKit_Knight.glb");
    if !file.exists() {
        notes.push(format!("knight skipped: {} is not there", file.display()));
        return Ok(Vec::new());
    }
    let scene = pliant_io::load(&file)?;
    let animation = scene.find_animation("1H_Melee_Attack_Chop").context("no such animation")?;
    let mut bodies = SceneBodies::new(scene)?;
    bodies.set_animation(0, Some(animation))?;
    let mut frames = Vec::new();
    let mut meshes = Vec::new();
    for frame in 0..FRAMES {
        bodies.set_time(frame as f64 / FRAMES as f64)?;
        let parts = [true, false].map(|skinned| joined(&bodies, skinned));
        if meshes.is_empty() {
            meshes = parts.iter().map(|part| part.1.clone()).collect();
        }
        frames.push(parts.map(|part| part.0));
    }
    let mesh = |which: usize| -> Result<Mesh> {
        Ok(Mesh::new(frames[0][which].clone(), meshes[which].clone())?)
    };
    let meshes = [mesh(0)?, mesh(1)?];
    let frames = Frames::Bent(frames);
    Ok(vec![Scene { name: "knight and gear", state: "deep", meshes, frames }])
}

/// The vertices and triangles of all bodies of a scene that are skinned, or of all others.
fn joined(bodies: &SceneBodies, skinned: bool) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for &id in bodies.ids() {
        let Ok(body) = bodies.world().get(id) else { continue };
        // Small skins are refitted: they are free bodies.
        if matches!(body, AnyBody::Skinned(_) | AnyBody::Free(_)) != skinned {
            continue;
        }
        let start = positions.len() as u32;
        positions.extend((0..).map_while(|vertex| body.position(vertex)));
        triangles.extend(body.mesh().triangles().iter().map(|t| t.map(|vertex| vertex + start)));
    }
    (positions, triangles)
}

fn curtain() -> Result<Vec<Scene>> {
    let scene = curtain_and_ball(0, 4)?;
    let at = |frame: usize| -> Result<[Vec<DVec3>; 2]> {
        let center = scene.ball.centers[frame];
        let ball = scene.ball.mesh.positions().iter().map(|&p| p + center).collect();
        Ok([scene.curtain.positions(frame)?, ball])
    };
    let part = |state, frames: [usize; FRAMES]| -> Result<Scene> {
        let meshes = [scene.curtain.mesh.clone(), scene.ball.mesh.clone()];
        let frames = frames.into_iter().map(at).collect::<Result<_>>()?;
        Ok(Scene { name: "curtain and ball", state, meshes, frames: Frames::Bent(frames) })
    };
    Ok(vec![
        part("close", [19, 20, 21, 22, 23, 24])?,
        part("deep", [30, 40, 50, 60, 70, 80])?,
        part("apart", [0, 2, 4, 6, 8, 10])?,
    ])
}

fn dressed(faces: usize) -> Result<Vec<Scene>> {
    let garment = dress(faces)?;
    let meshes = [garment.cloth.mesh.clone(), garment.wearer.mesh.clone()];
    let at = |k: usize| -> Result<[Vec<DVec3>; 2]> {
        let key = k * GARMENT_KEYFRAMES / FRAMES;
        Ok([garment.cloth.frames[key].clone(), garment.wearer.positions(&garment.poses[key])?])
    };
    let frames = (0..FRAMES).map(at).collect::<Result<_>>()?;
    Ok(vec![Scene {
        name: "dress and wearer",
        state: "close",
        meshes,
        frames: Frames::Bent(frames),
    }])
}

fn creatures() -> Result<Vec<Scene>> {
    let scene = two_creatures()?;
    let character: &Character = &scene.character;
    let count = scene.frames.len();
    let part = |state, from: usize, step: usize| -> Result<Scene> {
        let at = |k: usize| -> Result<[Vec<DVec3>; 2]> {
            let [a, b] = &scene.frames[(from + k * step).min(count - 1)];
            Ok([character.positions(a)?, character.positions(b)?])
        };
        let frames = (0..FRAMES).map(at).collect::<Result<_>>()?;
        let meshes = [character.mesh.clone(), character.mesh.clone()];
        Ok(Scene { name: "two creatures", state, meshes, frames: Frames::Bent(frames) })
    };
    Ok(vec![part("deep", count / 3, count / 18)?, part("apart", 0, 2)?])
}
