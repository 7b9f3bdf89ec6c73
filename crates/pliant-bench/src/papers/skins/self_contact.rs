//! Where a walking body touches itself.

use std::hint::black_box;

use anyhow::{Result, ensure};
use pliant::deform::{Binding, Blending};
use pliant::{Body, self_intersections};

use super::duel::{move_all, timed};
use super::stored::StoredSkin;
use crate::measure::best_of;
use crate::table::{Table, count, ratio, seconds};

pub(crate) fn compare(name: &str, skin: &StoredSkin, quick: bool) -> Result<Table> {
    let StoredSkin { mesh, weights, frames } = skin;
    let binding = Binding::new(weights.clone(), frames.first().map_or(0, Vec::len))?;
    let mut joints_only = Body::skinned(mesh.clone(), binding, Blending::Linear)?;
    let mut plain = Body::free(mesh.clone())?;
    let mut prepared = Body::free(mesh.clone())?;
    prepared.prepare_self_intersections();
    let mut positions = Vec::new();
    let mut sums = [0.0; 3];
    let mut pairs = 0;
    for joints in frames {
        let mut best = [f64::INFINITY; 3];
        for _ in 0..if quick { 1 } else { 5 } {
            let mut found = [const { Vec::new() }; 3];
            best[0] = best[0].min(timed(&mut || {
                move_all(mesh, weights, joints, &mut positions);
                prepared.set_positions(&positions)?;
                found[0] = self_intersections(&prepared).pairs;
                Ok(())
            })?);
            best[1] = best[1].min(timed(&mut || {
                move_all(mesh, weights, joints, &mut positions);
                plain.set_positions(&positions)?;
                found[1] = self_intersections(&plain).pairs;
                Ok(())
            })?);
            best[2] = best[2].min(timed(&mut || {
                joints_only.set_pose(joints, &[])?;
                found[2] = self_intersections(&joints_only).pairs;
                Ok(())
            })?);
            ensure!(found[0] == found[1] && found[0] == found[2], "{name}: pairs differ");
            pairs = pairs.max(found[0].len());
        }
        sums.iter_mut().zip(best).for_each(|(sum, best)| *sum += best);
    }
    let mut table = Table::new(
        format!(
            "{name} ({} triangles) against itself, {} poses of a walk, at most {} pairs",
            count(mesh.triangles().len()),
            frames.len(),
            count(pairs),
        ),
        &["method", "time", ""],
    );
    let rows = ["moved, refitted, prepared", "moved, refitted", "bounds from joints"];
    for (row, sum) in rows.into_iter().zip(sums) {
        let mean = sum / frames.len() as f64;
        table.row([row.into(), seconds(mean), ratio(sum / sums[0])]);
    }
    table.note(
        "moved, refitted: all vertices, then bottom-up boxes; prepared: what keeps clear is known",
    );
    table.note("pairs of neighbours do not count; pairs are the same for all");
    prepared.set_positions(mesh.positions())?;
    let mut moved = Ok(());
    let [refit, query] = best_of(
        if quick { 10 } else { 100 },
        [&mut || moved = plain.set_positions(mesh.positions()), &mut || {
            black_box(self_intersections(&prepared));
        }],
    );
    moved?;
    table.note(format!(
        "at rest, prepared: the query takes {}, a refit {}: {:.2}x",
        seconds(query),
        seconds(refit),
        query / refit
    ));
    Ok(table)
}
