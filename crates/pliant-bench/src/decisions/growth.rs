//! How a sphere's radius grows with the coordinates, and trees that know the modes: what the
//! library's sum over modes leaves to gain.

use anyhow::Result;
use pliant::tree::{BuildSettings, build_over_mesh};

use super::growth_forms;
use super::growth_queries::{self, Meeting};
use crate::papers::bounded_deformation::models::Model;
use crate::table::Table;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let step = if quick { 22 } else { 5 };
    let mut tables = vec![
        forms(&Model::curtain()?, step)?,
        forms(&Model::chair()?, step)?,
        forms(&Model::fish()?, step)?,
        growth_queries::table(&Meeting::of_curtain()?, quick)?,
    ];
    if !quick {
        tables.push(growth_queries::table(&Meeting::of_chairs()?, quick)?);
        tables.push(forms(&Model::bridge()?, 12)?);
    }
    Ok(tables)
}

/// The forms of growth in every `step`-th frame.
fn forms(model: &Model, step: usize) -> Result<Table> {
    let Model { mesh, modes, frames, name, .. } = model;
    let tree = build_over_mesh(mesh, &BuildSettings::default())?;
    let frames: Vec<&[f64]> = frames.iter().step_by(step).map(Vec::as_slice).collect();
    growth_forms::table((name, mesh, modes, &tree), &frames)
}
