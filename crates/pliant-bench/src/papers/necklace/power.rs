//! The power diagram beside the hierarchies: what it takes, and how much of it changes.

use std::collections::HashSet;

use anyhow::{Context, Result};
use glam::DVec3;
use pliant::Necklace;
use pliant::power::PowerDiagram;
use pliant::volume::Ball;

use super::scenes::Scene;
use crate::measure::{clock, in_turns};

/// Steps of a motion that are compared.
const STEPS: usize = 50;

/// Why the diagram of a scene is not built, if it is not: it would take minutes and gigabytes.
pub(crate) fn too_large(scene: &Scene) -> Option<&'static str> {
    (scene.name == "static helix 10240").then_some(
        "static helix 10240 has no diagram here: nine of ten pairs of beads are edges (see 640), some 46 million",
    )
}

/// Seconds to build the diagram, and its edges.
pub(crate) fn construction(beads: &[Ball], quick: bool) -> Result<(f64, usize)> {
    let mut built = None;
    let [time] = in_turns(if quick { 0.02 } else { 0.5 }, |_| timed_diagram(beads, &mut built))?;
    Ok((time, built.context("no round")?.edges().len()))
}

/// Builds the diagram and keeps it; freeing the one before is not timed.
pub(crate) fn timed_diagram(beads: &[Ball], built: &mut Option<PowerDiagram>) -> Result<f64> {
    *built = None;
    let start = clock();
    *built = Some(PowerDiagram::new(beads)?);
    Ok(clock() - start)
}

/// Tetrahedra of a state that the state before did not have, on the mean over some steps.
pub(crate) fn changed_tetrahedra(frames: &[Vec<DVec3>], radius: f64) -> Result<f64> {
    let tetrahedra = |centers: &Vec<DVec3>| -> Result<HashSet<[u32; 4]>> {
        let necklace = Necklace::open(centers, radius)?;
        let diagram = PowerDiagram::new(necklace.beads())?;
        let sorted = diagram.tetrahedra().map(|mut corners| {
            corners.sort_unstable();
            corners
        });
        Ok(sorted.collect())
    };
    let (mut changed, mut steps) = (0, 0);
    let shown = &frames[..frames.len().min(STEPS + 1)];
    let mut before = tetrahedra(&shown[0])?;
    for frame in &shown[1..] {
        let now = tetrahedra(frame)?;
        changed += now.difference(&before).count();
        steps += 1;
        before = now;
    }
    Ok(changed as f64 / f64::from(steps.max(1)))
}
