//! Table 3: self-collision of the static inputs by every method.

use std::hint::black_box;

use anyhow::Result;
use pliant::Necklace;
use pliant::necklace::{
    ClashMethod, Layered, Wrapped, brute_force, clashes, clashes_by_cells, separate_self,
};
use pliant_scenes::globule;

use super::rivals::{check_all, rstar_clashes};
use super::scenes::{Scene, inputs};
use super::separating_sets::{
    family_sizes, least_if_neighbours_touch, theirs, with_neighbours_apart,
};
use super::{micros, rounds};
use crate::measure::best_of;
use crate::table::{Cell, Table, count, ratio};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces, table 3: self-collision from scratch, µs",
        &[
            "input",
            "beads",
            "all pairs",
            "rstar",
            "wrapped",
            "layered",
            "cells",
            "ours",
            "cells/ours",
            "chose",
            "clashes",
        ],
    );
    let mut sets = Table::new(
        "Necklaces, table 3: sizes of separating sets",
        &[
            "input",
            "beads",
            "wrapped",
            "layered",
            "least",
            "neighbours apart",
            "their input",
            "their wrapped",
            "their layered",
            "their power edges",
            "their layered µs",
        ],
    );
    let (mut scenes, notes) = inputs()?;
    let packed = globule(10_000, 1)?;
    let necklace = Necklace::open(&packed.positions, packed.radius)?;
    scenes.push(Scene { name: "globule 10000", necklace });
    for scene in scenes {
        let necklace = &scene.necklace;
        let found = check_all(necklace, quick)?;
        let times = self_collision(necklace, rounds(necklace.len(), quick));
        let [all_pairs, rstar] = rivals(necklace, if quick { 1 } else { 3 });
        table.row([
            scene.name.into(),
            count(necklace.len()),
            micros(all_pairs),
            micros(rstar),
            micros(times.wrapped),
            micros(times.layered),
            micros(times.cells),
            micros(times.ours),
            ratio(times.cells / times.ours),
            method_name(times.method).into(),
            count(found.len()),
        ]);
        let [wrapped, layered] = family_sizes(necklace);
        let mut row =
            vec![scene.name.into(), count(necklace.len()), count(wrapped), count(layered)];
        row.push(count(least_if_neighbours_touch(necklace)));
        row.push(count(with_neighbours_apart(necklace)?));
        row.extend(theirs(scene.name).map(Cell::from));
        sets.row(row);
    }
    table.note("wrapped, layered: the search alone, in cages that are valid; all others from positions only");
    table.note("cells: the tight grid; ours: the choice by measured density");
    table.note(
        "theirs, helix of 10 240: 3 000 static, 11 000 scaling, both hierarchies, the search alone",
    );
    notes.into_iter().for_each(|note| table.note(note));
    sets.note("least: no separating family has fewer pairs if neighbours touch, whatever is split");
    sets.note("neighbours apart: the wrapped set where beads are half as large, pairs of neighbours counted too");
    Ok(vec![table, sets])
}

/// Seconds of each method.
pub(crate) struct SelfCollisionTimes {
    pub(crate) wrapped: f64,
    pub(crate) layered: f64,
    pub(crate) cells: f64,
    pub(crate) ours: f64,
    method: ClashMethod,
}

pub(crate) fn self_collision(necklace: &Necklace, rounds: usize) -> SelfCollisionTimes {
    let wrapped = Wrapped::new(necklace.clone());
    let layered = Layered::new(necklace.clone());
    let [wrapped, layered, cells, ours] = best_of(
        rounds,
        [
            &mut || drop(black_box(separate_self(&wrapped, 2))),
            &mut || drop(black_box(separate_self(&layered, 2))),
            &mut || drop(black_box(clashes_by_cells(necklace, 2))),
            &mut || drop(black_box(clashes(necklace, 2))),
        ],
    );
    let method = clashes(necklace, 2).method;
    SelfCollisionTimes { wrapped, layered, cells, ours, method }
}

/// Seconds of every pair, and of rstar's tree.
fn rivals(necklace: &Necklace, rounds: usize) -> [f64; 2] {
    best_of(
        rounds,
        [&mut || drop(black_box(brute_force::clashes(necklace, 2))), &mut || {
            drop(black_box(rstar_clashes(necklace)));
        }],
    )
}

pub(crate) fn method_name(method: ClashMethod) -> &'static str {
    match method {
        ClashMethod::Blocks => "boxes",
        ClashMethod::Cells => "cells",
        ClashMethod::Front => "front",
        ClashMethod::OnDemand => "on demand",
        ClashMethod::BruteForce => "all pairs",
    }
}
