//! Table 6: how much the length of a time step matters.

use std::hint::black_box;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::Necklace;
use pliant::necklace::{Advance, Unverified, Verification, Wrapped, separate_self};

use super::rivals::{check_all, same};
use super::scenes::vibrating_protein;
use super::verification::lazy_cages;
use super::{micros, rounds};
use crate::measure::best_of;
use crate::table::{Table, count, figure};

/// From this frame of the motion on.
const START: usize = 900;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces, table 6: time steps of the random protein, µs",
        &["frames", "mean motion / radius", "basis changes", "theirs", "lazy", "cascade", "naive"],
    );
    let (start, radius) = vibrating_protein(START);
    let necklace = Necklace::open(&start, radius)?;
    let rounds = rounds(necklace.len(), quick);
    for (frames, theirs) in [(1, "7"), (2, "15"), (4, "12"), (8, "16"), (16, "15"), (32, "14")] {
        let (moved, _) = vibrating_protein(START + frames);
        let step = advance(&necklace, &moved, rounds)?;
        let far: f64 = start.iter().zip(&moved).map(|(a, b)| a.distance(*b)).sum();
        let mut row = vec![
            count(frames),
            figure(far / start.len() as f64 / radius, 2, "radii"),
            count(step.basis_changes),
            theirs.into(),
        ];
        row.extend(step.seconds.map(micros));
        table.row(row);
    }
    table.note("our protein vibrates in waves and stays a necklace, theirs was simulated: frames are not the same length");
    Ok(vec![table])
}

/// A step from one state to another.
pub(crate) struct Step {
    pub(crate) basis_changes: u64,
    /// Lazy, cascade, naive.
    pub(crate) seconds: [f64; 3],
}

/// Moves a wrapped hierarchy in each way, and checks what it then finds.
pub(crate) fn advance(from: &Necklace, to: &[DVec3], rounds: usize) -> Result<Step> {
    let before = Wrapped::new(from.clone());
    let mut lazy_states = vec![Unverified::new(before.clone()); rounds].into_iter();
    let mut cascade_states = vec![before.clone(); rounds].into_iter();
    let mut naive_states = vec![before; rounds].into_iter();
    let (mut moved, mut by_cascade, mut by_beads) = (Ok(()), Ok(None), Ok(None));
    let seconds = best_of(
        rounds,
        [
            &mut || {
                let Some(mut state) = lazy_states.next() else { return };
                moved = state.set_positions(black_box(to));
                black_box(lazy_cages(&state));
            },
            &mut || by_cascade = advanced(cascade_states.next(), to, Verification::Cascade),
            &mut || by_beads = advanced(naive_states.next(), to, Verification::Naive),
        ],
    );
    moved?;
    let (Some((cascade, done)), Some((naive, naive_done))) = (by_cascade?, by_beads?) else {
        anyhow::bail!("no round")
    };
    ensure!(
        done.basis_changes == naive_done.basis_changes,
        "the cascade changed {} bases, the naive way {}",
        done.basis_changes,
        naive_done.basis_changes
    );
    let mut necklace = from.clone();
    necklace.set_positions(to)?;
    let expected = check_all(&necklace, true)?;
    same("the cascade", separate_self(&cascade, 2).clashes(), &expected)?;
    same("the naive way", separate_self(&naive, 2).clashes(), &expected)?;
    Ok(Step { basis_changes: done.basis_changes, seconds })
}

fn advanced(
    state: Option<Wrapped>,
    to: &[DVec3],
    verification: Verification,
) -> pliant::Result<Option<(Wrapped, Advance)>> {
    let Some(mut state) = state else { return Ok(None) };
    let done = state.advance(black_box(to), verification)?;
    Ok(Some((state, done)))
}
