//! A row for each frame and each pair of objects in contact.

use std::path::Path;

use anyhow::Result;

use crate::check::row::{FrameRow, RunRow};
use crate::write::{Output, csv_field};

/// Contacts as CSV, written as frames come.
pub(crate) struct CsvReport {
    out: Output,
    has_head: bool,
}

impl CsvReport {
    pub(crate) fn create(file: &Path) -> Result<Self> {
        Ok(Self { out: Output::create(file)?, has_head: false })
    }

    /// Writes the rows of the next frame. The run must know its objects and animation.
    pub(crate) fn add(&mut self, run: &RunRow, frame: &FrameRow) -> Result<()> {
        let has_head = std::mem::replace(&mut self.has_head, true);
        self.out.write(|out| {
            if !has_head {
                writeln!(
                    out,
                    "frame,time,object_a,name_a,object_b,name_b,pairs,longest_cut,x,y,z,\
                     animation,animation_frame,kind,depth,distance,deepest_x,deepest_y,deepest_z,\
                     bone_a,bone_b,material_a,material_b,regions"
                )?;
            }
            let animation = run.animations.get(frame.animation).map_or("", |one| &one.name);
            for contact in &frame.contacts {
                let [a, b] = contact.objects;
                let [name_a, name_b] = run.names(contact.objects).map(csv_field);
                let [x, y, z] = contact.cut_at;
                let [at_x, at_y, at_z] = contact.at;
                let depth = contact.depth.map_or_else(String::new, |depth| depth.to_string());
                let kind = serde_json::to_string(&contact.kind)?;
                let fields = |names: &'_ [Option<String>; 2]| {
                    names
                        .each_ref()
                        .map(|name| csv_field(name.as_deref().unwrap_or("")).into_owned())
                };
                let [bone_a, bone_b] = fields(&contact.bones);
                let [material_a, material_b] = fields(&contact.materials);
                writeln!(
                    out,
                    "{},{},{a},{name_a},{b},{name_b},{},{},{x},{y},{z},{},{},{},{depth},{},{at_x},\
                     {at_y},{at_z},{bone_a},{bone_b},{material_a},{material_b},{}",
                    frame.number,
                    frame.time,
                    contact.pairs,
                    contact.longest_cut,
                    csv_field(animation),
                    frame.frame,
                    kind.trim_matches('"'),
                    contact.distance,
                    contact.regions.len(),
                )?;
            }
            Ok(())
        })
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.out.finish()
    }
}
