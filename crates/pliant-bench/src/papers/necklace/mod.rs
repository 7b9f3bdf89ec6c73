//! Chains of beads: the seven tables of Guibas, Nguyen, Russel and Zhang 2002, ours beside theirs;
//! growth from a thousand beads to a million; and the bars that we set ourselves.
//!
//! In every row all methods must find the same pairs, else there is an error instead of a figure.

mod bars;
mod basis_changes;
mod construction;
mod deforming;
mod growth;
mod npy;
pub(crate) mod power;
pub(crate) mod power_updates;
mod rivals;
pub(crate) mod scenes;
mod self_collision;
mod separating_sets;
mod spirals;
mod time_steps;
mod verification;
mod villin;

use anyhow::Result;

use crate::table::{Cell, Table, figure};

/// How many tables the paper has.
const TABLES: u8 = 7;
/// The last table that can be asked for alone: power diagrams that move, and growth.
pub(crate) const LAST_TABLE: u8 = 9;

/// One table of the paper, or all and more.
pub(crate) fn run(quick: bool, table: Option<u8>) -> Result<Vec<Table>> {
    match table {
        Some(1) => construction::run(quick),
        Some(2) => verification::run(quick),
        Some(3) => self_collision::run(quick),
        Some(4) => deforming::run(quick),
        Some(5) => basis_changes::run(quick),
        Some(6) => time_steps::run(quick),
        Some(7) => spirals::run(quick),
        // Beyond the paper's tables.
        Some(8) => power_updates::run(quick),
        Some(9) => growth::run(quick),
        _ => {
            let mut tables = Vec::new();
            for table in 1..=TABLES {
                tables.extend(run(quick, Some(table))?);
            }
            tables.extend(power_updates::run(quick)?);
            tables.extend(growth::run(quick)?);
            tables.extend(bars::run(quick)?);
            Ok(tables)
        }
    }
}

/// Rounds that keep a row on so many beads below a fraction of a second.
fn rounds(beads: usize, quick: bool) -> usize {
    let full = (2_000_000 / beads.max(1)).clamp(3, 300);
    if quick { full.div_ceil(10).min(9) } else { full }
}

/// Microseconds, for columns beside figures of the paper.
fn micros(seconds: f64) -> Cell {
    let micros = seconds * 1e6;
    figure(micros, if micros < 100.0 { 1 } else { 0 }, "us")
}
