//! From how many triangles on a body of morph targets is bounded faster by its weights than
//! moved and refitted: what `pliant check` chooses by.

use std::sync::Arc;

use anyhow::{Result, ensure};
use glam::{DAffine3, DVec3};
use pliant::deform::Modes;
use pliant::{Body, FreeBody, Mesh, ReducedBody, intersections};
use pliant_scenes::icosphere;

use crate::measure::{in_turns, timed};
use crate::papers::bounded_deformation::smooth_modes::smooth_modes;
use crate::table::{Table, count, ratio, seconds};

/// How far apart the middles of two balls of radius 1 are.
const PLACES: [(&str, f64); 3] = [("apart", 3.0), ("touching", 1.95), ("deep", 1.0)];

/// Poses that follow one another; a state is never the last one's.
const STATES: usize = 8;

/// Two balls in a few states: state and query, by weights over moved and refitted.
pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Two bodies of morph targets: state and query, bottom-up over bounds from weights",
        &["triangles", "targets", "apart", "", "touching", "", "deep", "", "made in", "bottom-up"],
    )
    .with_keys(2);
    let sizes: &[u32] = if quick { &[1, 3] } else { &[1, 2, 3, 4, 5, 6] };
    for &size in sizes {
        let mesh = icosphere(size)?;
        for targets in [2, 10, 50] {
            let fields = smooth_modes(&mesh, targets);
            let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &fields)?);
            let budget = if quick { 0.02 } else { 0.3 };
            let mut row = vec![count(mesh.triangles().len()), count(targets)];
            for (_, distance) in PLACES {
                let mut pair = Pair::new(&mesh, &modes)?;
                ensure!(
                    pair.by_weights(distance, 0)? == pair.bottom_up(distance, 0)?,
                    "pairs differ"
                );
                let [ours, theirs] = in_turns(budget, |turn| {
                    timed(|| -> Result<()> {
                        for state in 0..STATES {
                            if turn == 0 {
                                pair.by_weights(distance, state)?;
                            } else {
                                pair.bottom_up(distance, state)?;
                            }
                        }
                        Ok(())
                    })
                })?;
                row.extend([seconds(ours / STATES as f64), ratio(theirs / ours)]);
            }
            let [made, refitted] = in_turns(budget, |turn| {
                timed(|| -> Result<()> {
                    if turn == 0 {
                        drop(Body::reduced(mesh.clone(), Arc::clone(&modes))?);
                    } else {
                        drop(Body::free(mesh.clone())?);
                    }
                    Ok(())
                })
            })?;
            row.extend([seconds(made), seconds(refitted)]);
            table.row(row);
        }
    }
    table.note("balls of radius 1, middles 3, 1.95 and 1 apart; all targets in use; one thread");
    table.note(
        "a frame's time by weights, and bottom-up over it; made in: building a body of each kind",
    );
    Ok(vec![table])
}

/// Two balls of each kind.
struct Pair<'a> {
    mesh: &'a Mesh,
    modes: &'a Modes,
    reduced: [ReducedBody; 2],
    free: [FreeBody; 2],
    positions: Vec<DVec3>,
}

impl<'a> Pair<'a> {
    fn new(mesh: &'a Mesh, modes: &'a Arc<Modes>) -> Result<Self> {
        let reduced = Body::reduced(mesh.clone(), Arc::clone(modes))?;
        let free = Body::free(mesh.clone())?;
        Ok(Self {
            mesh,
            modes,
            reduced: [reduced.clone(), reduced],
            free: [free.clone(), free],
            positions: Vec::new(),
        })
    }

    /// Weights of a body in a state: together they move a vertex by a fifth of the radius or so.
    fn weights(&self, body: usize, state: usize) -> Vec<f64> {
        let targets = self.modes.count();
        let weight = |target: usize| {
            let phase = (1 + state + STATES * body) as f64 * 0.7 + 2.4 * target as f64;
            0.3 / (targets as f64).sqrt() * phase.sin()
        };
        (0..targets).map(weight).collect()
    }

    fn by_weights(&mut self, distance: f64, state: usize) -> Result<Vec<[u32; 2]>> {
        for body in 0..2 {
            let frame = DAffine3::from_translation(DVec3::X * distance * body as f64);
            let weights = self.weights(body, state);
            self.reduced[body].set_state(&weights, frame)?;
        }
        Ok(intersections(&self.reduced[0], &self.reduced[1]).pairs)
    }

    fn bottom_up(&mut self, distance: f64, state: usize) -> Result<Vec<[u32; 2]>> {
        for body in 0..2 {
            let frame = DAffine3::from_translation(DVec3::X * distance * body as f64);
            let weights = self.weights(body, state);
            let rest = self.mesh.positions().iter().enumerate();
            self.positions.clear();
            self.positions.extend(rest.map(|(vertex, &rest)| {
                frame.transform_point3(self.modes.displaced(rest, vertex, &weights))
            }));
            self.free[body].set_positions(&self.positions)?;
        }
        Ok(intersections(&self.free[0], &self.free[1]).pairs)
    }
}
