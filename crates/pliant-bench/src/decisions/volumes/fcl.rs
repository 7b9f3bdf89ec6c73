//! FCL beside us: `bench/fcl/run` builds the program that is asked.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use glam::DVec3;
use pliant::Mesh;

use super::scenes::{Frames, Scene};
use crate::table::{Table, count, figure, ratio_to};

/// A row per scene and volume of FCL; `ours` are seconds per scene of boxes and of what is fastest here.
pub(super) fn table(program: &Path, scenes: &[Scene], ours: &[[f64; 2]]) -> Result<Table> {
    let columns = [
        "scene",
        "state",
        "volume of FCL",
        "pairs",
        "update µs",
        "query µs",
        "frame µs",
        "over our boxes",
        "over our best",
    ];
    let mut table =
        Table::new("FCL on the same frames, per frame, one thread", &columns).with_keys(3);
    for (scene, [boxes, best]) in scenes.iter().zip(ours) {
        eprintln!("volumes: FCL, {}, {} ...", scene.name, scene.state);
        let file = std::env::temp_dir().join(format!("pliant_fcl_{}.bin", std::process::id()));
        std::fs::write(&file, encoded(scene)?)?;
        let output = Command::new(program).arg(&file).output().context("FCL's program")?;
        std::fs::remove_file(&file)?;
        ensure!(output.status.success(), "FCL's program ended with {}", output.status);
        let frames = scene.frames.count() as f64;
        for line in String::from_utf8(output.stdout)?.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, update, query, pairs] = words[..] else { continue };
            let (update, query): (f64, f64) = (update.parse()?, query.parse()?);
            let micro = |time: f64| figure(time * 1e6 / frames, 1, "µs");
            table.row([
                scene.name.into(),
                scene.state.into(),
                name.into(),
                count(pairs.parse::<u64>()? / scene.frames.count() as u64),
                micro(update),
                micro(query),
                micro(update + query),
                ratio_to((update + query) / boxes, 1),
                ratio_to((update + query) / best, 1),
            ]);
        }
    }
    table.note("FCL tests triangles in floating point; pairs that only touch may differ");
    Ok(table)
}

/// A scene as `bench/fcl/collide.cpp` reads it.
fn encoded(scene: &Scene) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let number = |n: usize| (n as u32).to_le_bytes();
    let write = |points: &[DVec3], bytes: &mut Vec<u8>| -> std::io::Result<()> {
        let mut numbers = points.iter().flat_map(|p| p.to_array());
        numbers.try_for_each(|x| bytes.write_all(&x.to_le_bytes()))
    };
    for mesh in &scene.meshes {
        let mesh: &Mesh = mesh;
        bytes.write_all(&number(mesh.positions().len()))?;
        bytes.write_all(&number(mesh.triangles().len()))?;
        write(mesh.positions(), &mut bytes)?;
        for &vertex in mesh.triangles().as_flattened() {
            bytes.write_all(&vertex.to_le_bytes())?;
        }
    }
    match &scene.frames {
        Frames::Placed(places) => {
            bytes.write_all(&number(1))?;
            bytes.write_all(&number(places.len()))?;
            for place in places.as_flattened() {
                let (rotation, shift) = (place.rotation(), place.translation());
                for row in 0..3 {
                    let entries = rotation.row(row).to_array().into_iter().chain([shift[row]]);
                    for entry in entries {
                        bytes.write_all(&entry.to_le_bytes())?;
                    }
                }
            }
        }
        Frames::Bent(frames) => {
            bytes.write_all(&number(0))?;
            bytes.write_all(&number(frames.len()))?;
            for points in frames.as_flattened() {
                write(points, &mut bytes)?;
            }
        }
    }
    Ok(bytes)
}
