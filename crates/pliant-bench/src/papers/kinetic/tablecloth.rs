//! A tablecloth that falls on a table (Zachmann and Weller 2006, section 7).

use anyhow::Result;
use pliant::Body;
use pliant_scenes::{TABLECLOTH_KEYFRAMES, tablecloth};

use super::motion::Motion;
use super::tables::MotionTables;
use crate::table::Table;

/// The paper's ratio of bottom-up to kinetic, and a line for the notes.
const PAPER: (&str, &str) = (
    "5x",
    "the paper: about 400 events and 1000 changed values a frame, against 60 000 values bottom-up",
);

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let sizes = [2_000, 4_000, 8_000, 16_000];
    let mut tables = MotionTables::new("Tablecloth on a table", PAPER);
    for faces in sizes.into_iter().take(if quick { 2 } else { 4 }) {
        eprintln!("tablecloth: {faces} triangles ...");
        let scene = tablecloth(faces)?;
        let table = Body::rigid(scene.table)?;
        // While it falls, and when its rim swings around the table's.
        for (name, keyframe) in [("falling", 6), ("draping", TABLECLOTH_KEYFRAMES / 2)] {
            let motion = Motion::new(&scene.cloth, keyframe)?;
            let budget = if quick { 0.05 } else { 0.4 };
            tables.add(name, &motion.measure(&table, budget)?);
        }
    }
    Ok(tables.finish())
}
