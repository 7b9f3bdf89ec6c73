//! The contract: all pairs as JSON, all contacts as CSV.

use std::path::Path;

use anyhow::Result;
use serde::{Serialize, Serializer};

use super::body::Method;
use super::frame::Frame;
use crate::source::Input;
use crate::write::{csv_field, write_to};

#[derive(Serialize)]
struct Report<'a> {
    pliant: &'static str,
    method: &'static str,
    objects: Vec<ObjectRow<'a>>,
    #[serde(serialize_with = "frame_rows")]
    frames: &'a [Frame],
}

#[derive(Serialize)]
struct ObjectRow<'a> {
    id: usize,
    name: &'a str,
    vertices: usize,
    triangles: usize,
    deformation: &'static str,
}

#[derive(Serialize)]
struct FrameRow<'a> {
    time: f64,
    pairs: &'a [[u32; 4]],
    work: WorkRow,
}

#[derive(Serialize)]
struct WorkRow {
    bounds: u64,
    overlap_tests: u64,
    primitive_tests: u64,
    seconds: f64,
}

/// One row after the other: all of them at once would double the memory.
fn frame_rows<S: Serializer>(frames: &[Frame], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(frames.iter().map(|frame| FrameRow {
        time: frame.time,
        pairs: &frame.pairs,
        work: WorkRow {
            bounds: frame.work.bounds,
            overlap_tests: frame.work.overlap_tests,
            primitive_tests: frame.work.primitive_tests,
            seconds: frame.spent.total().as_secs_f64(),
        },
    }))
}

/// Writes every pair of every frame.
pub(crate) fn write_json(
    file: &Path,
    input: &Input,
    method: Method,
    frames: &[Frame],
) -> Result<()> {
    let objects = input.objects().iter().enumerate().map(|(id, &place)| {
        let object = input.object(place);
        ObjectRow {
            id,
            name: &object.name,
            vertices: object.mesh.positions().len(),
            triangles: object.mesh.triangles().len(),
            deformation: object.deformation.name(),
        }
    });
    let report = Report {
        pliant: env!("CARGO_PKG_VERSION"),
        method: method.name(),
        objects: objects.collect(),
        frames,
    };
    write_to(file, |out| {
        serde_json::to_writer(&mut *out, &report)?;
        writeln!(out)
    })
}

/// Writes a row for each frame and each pair of objects in contact.
pub(crate) fn write_csv(file: &Path, input: &Input, frames: &[Frame]) -> Result<()> {
    let name = |object: u32| csv_field(&input.object(input.objects()[object as usize]).name);
    write_to(file, |out| {
        writeln!(out, "frame,time,object_a,name_a,object_b,name_b,pairs,longest_cut,x,y,z")?;
        for (number, frame) in frames.iter().enumerate() {
            for contact in &frame.contacts {
                let [a, b] = contact.objects;
                let at = contact.longest.middle;
                writeln!(
                    out,
                    "{number},{},{a},{},{b},{},{},{},{},{},{}",
                    frame.time,
                    name(a),
                    name(b),
                    contact.pairs,
                    contact.longest.length,
                    at.x,
                    at.y,
                    at.z
                )?;
            }
        }
        Ok(())
    })
}
