//! How self-collision grows from a thousand beads to a million.

use std::hint::black_box;

use anyhow::Result;
use glam::DVec3;
use pliant::Necklace;
use pliant::necklace::{Layered, clashes, clashes_by_cells, separate_self};
use pliant_scenes::{Beads, globule, static_helix};

use super::rivals::{check_all, same};
use super::self_collision::method_name;
use crate::measure::best_of;
use crate::table::{Cell, Table, count, figure, ratio, seconds};

/// Beads beyond which not every method is checked against every other.
const CHECKED: usize = 4_000;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces: growth of self-collision, from scratch",
        &[
            "input",
            "beads",
            "layered set",
            "set per bead",
            "layered search",
            "cells",
            "ours",
            "cells/ours",
            "chose",
        ],
    )
    .with_keys(2);
    let sizes: &[usize] = if quick {
        &[1_000, 4_000, 16_000, 64_000]
    } else {
        &[1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000]
    };
    type Maker = fn(usize) -> pliant::Result<Beads>;
    let helix: Maker = static_helix;
    let packed: Maker = |beads| globule(beads, 1);
    for (name, make) in [("static helix", helix), ("globule", packed), ("grid", grid as Maker)] {
        let mut grown = Vec::new();
        for &beads in sizes {
            let scene = make(beads)?;
            let necklace = Necklace::open(&scene.positions, scene.radius)?;
            let row = measure(
                &necklace,
                if quick { (64_000 / beads).clamp(1, 9) } else { (200_000 / beads).clamp(2, 20) },
            )?;
            let beads = necklace.len();
            table.row([
                name.into(),
                count(beads),
                count(row.family),
                figure(row.family as f64 / beads as f64, 2, "pairs per bead"),
                seconds(row.layered),
                seconds(row.cells),
                seconds(row.ours),
                ratio(row.cells / row.ours),
                row.method.into(),
            ]);
            grown.push((beads as f64, row));
        }
        let fit = |of: &dyn Fn(&Row) -> f64| {
            let points: Vec<(f64, f64)> = grown.iter().map(|(n, row)| (*n, of(row))).collect();
            figure(exponent(&points), 2, "exponent")
        };
        table.row([
            format!("{name}: exponent").into(),
            Cell::default(),
            fit(&|row| row.family as f64),
            Cell::default(),
            fit(&|row| row.layered),
            fit(&|row| row.cells),
            fit(&|row| row.ours),
        ]);
    }
    table.note("exponent: the fitted power of the number of beads; the paper proves 4/3 for the set, in the worst case");
    table.note("layered search: in cages that are valid; all others from positions; grid: that of theorem 3.1, rows two beads apart");
    Ok(vec![table])
}

/// The grid of theorem 3.1: rows of beads along x, as many beads long as there are rows in y and in z,
/// two steps apart, traced one after the other. As many beads as fit at the most.
fn grid(beads: usize) -> pliant::Result<Beads> {
    let side = (1..).take_while(|side| side * side * (side + 1) <= beads).last().unwrap_or(1);
    let mut corners = Vec::new();
    for z in 0..side {
        for y in 0..side {
            let ends = [0.0, (side - 1) as f64];
            let row = z * side + y;
            let y = if z % 2 == 0 { y } else { side - 1 - y };
            let [from, to] = if row % 2 == 0 { ends } else { [ends[1], ends[0]] };
            corners.extend([from, to].map(|x| DVec3::new(x, 2.0 * y as f64, 2.0 * z as f64)));
        }
    }
    // Every bead one step from the last.
    let mut positions = vec![corners[0]];
    for pair in corners.windows(2) {
        let steps = pair[0].distance(pair[1]).round() as usize;
        positions.extend((1..=steps).map(|step| pair[0].lerp(pair[1], step as f64 / steps as f64)));
    }
    Ok(Beads { positions, radius: 0.505 })
}

struct Row {
    family: usize,
    layered: f64,
    cells: f64,
    ours: f64,
    method: &'static str,
}

fn measure(necklace: &Necklace, rounds: usize) -> Result<Row> {
    let layered = Layered::new(necklace.clone());
    let (mut separation, mut by_cells, mut by_choice) = (None, None, None);
    let [search, cells, ours] = best_of(
        rounds,
        [
            &mut || separation = Some(black_box(separate_self(&layered, 2))),
            &mut || by_cells = Some(black_box(clashes_by_cells(necklace, 2))),
            &mut || by_choice = Some(black_box(clashes(necklace, 2))),
        ],
    );
    let (Some(separation), Some(by_cells), Some(by_choice)) = (separation, by_cells, by_choice)
    else {
        anyhow::bail!("no round")
    };
    same("the layered hierarchy", separation.clashes(), &by_cells.pairs)?;
    same("the choice by density", &by_choice.pairs, &by_cells.pairs)?;
    if necklace.len() <= CHECKED {
        check_all(necklace, true)?;
    }
    let family = separation.family().len();
    Ok(Row { family, layered: search, cells, ours, method: method_name(by_choice.method) })
}

/// The slope of the straight line through the logarithms, by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs = points.iter().map(|(n, value)| (n.ln(), value.ln()));
    let count = points.len() as f64;
    let (x, y) = logs.clone().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
    let (x, y) = (x / count, y / count);
    let (above, below) =
        logs.fold((0.0, 0.0), |sum, p| (sum.0 + (p.0 - x) * (p.1 - y), sum.1 + (p.0 - x).powi(2)));
    above / below
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_power_is_found() {
        let points: Vec<(f64, f64)> =
            [10.0f64, 70.0, 1000.0].iter().map(|&n| (n, 3.0 * n.powf(1.25))).collect();
        assert!((super::exponent(&points) - 1.25).abs() < 1e-12);
    }
}
