//! The contract: all pairs as JSON, all contacts as CSV.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::frame::Frame;
use super::method::Method;
use crate::source::Input;
use crate::write::{Output, csv_field, json_for_terminals};

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

/// Every pair of every frame as JSON, written as frames come. Nothing is written before the first.
pub(crate) struct JsonReport {
    out: Output,
    /// All that stands before the frames.
    head: String,
    frames: usize,
}

impl JsonReport {
    pub(crate) fn create(file: &Path, input: &Input, method: Method) -> Result<Self> {
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
        let head = format!(
            "{{\"pliant\":{},\"method\":{},\"objects\":{},\"frames\":[",
            json(&env!("CARGO_PKG_VERSION"))?,
            json(&method.name())?,
            json(&objects.collect::<Vec<_>>())?
        );
        Ok(Self { out: Output::create(file)?, head, frames: 0 })
    }

    /// Writes the next frame.
    pub(crate) fn add(&mut self, frame: &Frame) -> Result<()> {
        let row = FrameRow {
            time: frame.time,
            pairs: &frame.pairs,
            work: WorkRow {
                bounds: frame.work.bounds,
                overlap_tests: frame.work.overlap_tests,
                primitive_tests: frame.work.primitive_tests,
                seconds: frame.spent.total().as_secs_f64(),
            },
        };
        let before = if self.frames == 0 { &self.head } else { "," };
        self.frames += 1;
        self.out.write(|out| {
            out.write_all(before.as_bytes())?;
            Ok(serde_json::to_writer(out, &row)?)
        })
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        let before = if self.frames == 0 { self.head.as_str() } else { "" };
        self.out.write(|out| writeln!(out, "{before}]}}"))?;
        self.out.finish()
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    Ok(json_for_terminals(serde_json::to_string(value)?))
}

/// A row for each frame and each pair of objects in contact, written as frames come.
pub(crate) struct CsvReport<'a> {
    out: Output,
    input: &'a Input,
    frames: usize,
}

impl<'a> CsvReport<'a> {
    pub(crate) fn create(file: &Path, input: &'a Input) -> Result<Self> {
        Ok(Self { out: Output::create(file)?, input, frames: 0 })
    }

    /// Writes the rows of the next frame.
    pub(crate) fn add(&mut self, frame: &Frame) -> Result<()> {
        let input = self.input;
        let name = |object: u32| csv_field(&input.object(input.objects()[object as usize]).name);
        let number = self.frames;
        self.frames += 1;
        self.out.write(|out| {
            if number == 0 {
                writeln!(
                    out,
                    "frame,time,object_a,name_a,object_b,name_b,pairs,longest_cut,x,y,z"
                )?;
            }
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
            Ok(())
        })
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.out.finish()
    }
}
