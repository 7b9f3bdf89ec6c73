//! The power diagram beside the hierarchies: what it takes, and how much of it changes.

use std::collections::HashSet;
use std::hint::black_box;

use anyhow::Result;
use glam::DVec3;
use pliant::Necklace;
use pliant::power::PowerDiagram;

use crate::bench::measure::best_of;

/// Beads above which diagrams are left out: helices have up to a million edges and more.
pub(super) const MOST_BEADS: usize = 2000;

/// Steps of a motion that are compared.
const STEPS: usize = 50;

/// Seconds to build the diagram, and its edges; none for too many beads.
pub(super) fn construction(necklace: &Necklace, rounds: usize) -> Result<Option<(f64, usize)>> {
    if necklace.len() > MOST_BEADS {
        return Ok(None);
    }
    let edges = PowerDiagram::new(necklace.beads())?.edges().len();
    let [time] = best_of(rounds, [&mut || drop(black_box(PowerDiagram::new(necklace.beads())))]);
    Ok(Some((time, edges)))
}

/// Tetrahedra of a state that the state before did not have, on the mean over some steps.
pub(super) fn changed_tetrahedra(frames: &[Vec<DVec3>], radius: f64) -> Result<f64> {
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
