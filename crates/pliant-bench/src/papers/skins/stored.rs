//! Characters from files that are not part of the repository.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use glam::DAffine3;
use pliant::Mesh;
use pliant::deform::{Influence, SkinWeights};
use pliant_io::{Deformation, Scene};

/// A skin out of a file, and its poses.
pub(crate) struct StoredSkin {
    pub(crate) mesh: Mesh,
    pub(crate) weights: SkinWeights,
    /// For each frame the joints.
    pub(crate) frames: Vec<Vec<DAffine3>>,
}

/// A file of the shared data, or what to say if it is not there.
pub(crate) fn find(file: &str) -> Result<PathBuf, String> {
    let root = std::env::var_os("PLIANT_SHARED_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = root.join(file);
    if path.exists() { Ok(path) } else { Err(format!("skipped: {} is not there", path.display())) }
}

/// The first object of a scene that is skinned, at so many times of an animation.
pub(crate) fn skin_of(scene: &Scene, animation: &str, times: &[f64]) -> Result<StoredSkin> {
    let objects: Vec<usize> = (0..scene.objects().len())
        .filter(|&number| matches!(scene.objects()[number].deformation, Deformation::Skin { .. }))
        .take(1)
        .collect();
    joined(scene, &objects, animation, times)
}

/// Some objects of a scene as one skin. A rigid object hangs from a joint of its own.
pub(crate) fn joined(
    scene: &Scene,
    objects: &[usize],
    animation: &str,
    times: &[f64],
) -> Result<StoredSkin> {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    let mut weights = SkinWeights::default();
    // Joints of all skins and frames of all nodes, one after the other.
    let skins = scene.skins().iter();
    let firsts: Vec<u32> = skins
        .scan(0, |next, skin| {
            let first = *next;
            *next += skin.joints.len() as u32;
            Some(first)
        })
        .collect();
    let skin_joints: usize = scene.skins().iter().map(|skin| skin.joints.len()).sum();
    for &number in objects {
        let object = scene.objects().get(number).context("no such object")?;
        let start = positions.len() as u32;
        positions.extend_from_slice(object.mesh.positions());
        triangles.extend(object.mesh.triangles().iter().map(|t| t.map(|vertex| vertex + start)));
        for vertex in 0..object.mesh.positions().len() {
            match &object.deformation {
                Deformation::Skin { skin, weights: own, .. } => {
                    let moved =
                        |one: &Influence| Influence { joint: one.joint + firsts[*skin], ..*one };
                    weights.push(&own.of(vertex).iter().map(moved).collect::<Vec<_>>());
                }
                _ => {
                    let joint = (skin_joints + object.node) as u32;
                    weights.push(&[Influence { joint, weight: 1.0 }]);
                }
            }
        }
    }
    // Only joints that move something.
    let mut used: Vec<u32> = weights.influences.iter().map(|one| one.joint).collect();
    used.sort_unstable();
    used.dedup();
    for influence in &mut weights.influences {
        influence.joint = used.partition_point(|&joint| joint < influence.joint) as u32;
    }
    let animation = scene.find_animation(animation).context("no such animation")?;
    let frame = |&time: &f64| -> Result<Vec<DAffine3>> {
        let pose = scene.pose(Some(animation), time)?;
        let all: Vec<DAffine3> = pose.joints.into_iter().flatten().chain(pose.nodes).collect();
        Ok(used.iter().map(|&joint| all[joint as usize]).collect())
    };
    let frames = times.iter().map(frame).collect::<Result<_>>()?;
    Ok(StoredSkin { mesh: Mesh::new(positions, triangles)?, weights, frames })
}

/// The man of 26,756 triangles who walks.
pub(crate) fn makehuman(times: &[f64]) -> Result<Result<StoredSkin, String>> {
    match find("gltf/derived/makehuman_male_cmu.glb") {
        Ok(path) => Ok(Ok(skin_of(&pliant_io::load(path)?, "cmu_02_01", times)?)),
        Err(skipped) => Ok(Err(skipped)),
    }
}
