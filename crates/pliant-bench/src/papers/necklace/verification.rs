//! Table 2: what it takes to verify the wrapped hierarchy.

use std::hint::black_box;

use anyhow::{Result, ensure};
use pliant::Necklace;
use pliant::necklace::{Advance, Cages, Unverified, Verification, Wrapped};
use pliant_scenes::spline;

use super::scenes::inputs;
use super::{micros, rounds};
use crate::measure::best_of;
use crate::table::{Table, count, figure, ratio};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces, table 2: verification of all cages where no bead escaped, µs",
        &["input", "beads", "lazy", "cascade", "naive", "naive/cascade", "tests per node"],
    );
    let (mut scenes, notes) = inputs()?;
    // The paper's largest spline is here and not in its other tables.
    let long = spline(1000)?;
    let necklace = Necklace::open(&long.positions, long.radius)?;
    scenes.push(super::scenes::Scene { name: "spline 1000", necklace });
    for scene in scenes {
        let beads = scene.necklace.len();
        let times = verification(&scene.necklace, rounds(beads, quick))?;
        let nodes = (2 * beads - 1) as f64;
        table.row([
            scene.name.into(),
            count(beads),
            micros(times.lazy),
            micros(times.cascade),
            micros(times.naive),
            ratio(times.naive / times.cascade),
            figure(times.done.containment_tests as f64 / nodes, 1, "tests per node"),
        ]);
    }
    table.note("lazy: all cages from their old bases, which verifies nothing");
    table.note("tests per node: cages and beads that the cascade looks at");
    table.note("theirs: naive and cascade alike, but 1.25 on the spline of 1000; frontiers below 10 per node");
    notes.into_iter().for_each(|note| table.note(note));
    Ok(vec![table])
}

/// Seconds of each way.
pub(crate) struct VerificationTimes {
    lazy: f64,
    cascade: f64,
    naive: f64,
    done: Advance,
}

fn verification(necklace: &Necklace, rounds: usize) -> Result<VerificationTimes> {
    let centers: Vec<_> = necklace.beads().iter().map(|bead| bead.center).collect();
    let mut by_cascade = Wrapped::new(necklace.clone());
    let mut by_beads = by_cascade.clone();
    let mut unverified = Unverified::new(by_cascade.clone());
    // The first may improve a basis by a rounding; after it nothing may change.
    by_cascade.advance(&centers, Verification::Cascade)?;
    by_beads.advance(&centers, Verification::Naive)?;
    let (mut moved, mut cascade_done, mut naive_done) =
        (Ok(()), Ok(Advance::default()), Ok(Advance::default()));
    let [lazy, cascade, naive] = best_of(
        rounds,
        [
            &mut || {
                moved = unverified.set_positions(black_box(&centers));
                black_box(lazy_cages(&unverified));
            },
            &mut || cascade_done = by_cascade.advance(black_box(&centers), Verification::Cascade),
            &mut || naive_done = by_beads.advance(black_box(&centers), Verification::Naive),
        ],
    );
    moved?;
    let (done, naive_done) = (cascade_done?, naive_done?);
    ensure!(
        done.basis_changes == 0 && naive_done.basis_changes == 0,
        "a basis changed though no bead moved"
    );
    Ok(VerificationTimes { lazy, cascade, naive, done })
}

/// Computes every cage from its basis; the sum of radii, so that none is left out.
pub(crate) fn lazy_cages(unverified: &Unverified) -> f32 {
    unverified.tree().upward().iter().map(|&node| unverified.cage(node).radius).sum()
}
