//! Table 1: what it takes to build the hierarchies, and how much smaller wrapped cages are.

use std::hint::black_box;

use anyhow::Result;
use pliant::Necklace;
use pliant::necklace::{Cages, Layered, Wrapped};

use super::scenes::diagram_inputs;
use super::{micros, power, rounds};
use crate::measure::best_of;
use crate::table::{Table, count, ratio_to};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces, table 1: construction, µs",
        &[
            "input",
            "beads",
            "wrapped",
            "layered",
            "update",
            "wrapped/update",
            "radii mean",
            "radii least",
            "power diagram",
            "edges",
        ],
    );
    let (scenes, mut notes) = diagram_inputs()?;
    for scene in scenes {
        let beads = scene.necklace.len();
        let [wrapped, layered, update] = construction(&scene.necklace, rounds(beads, quick))?;
        let [mean, least] = radius_ratios(&scene.necklace);
        let too_large = power::too_large(&scene);
        notes.extend(too_large.map(String::from));
        let power = match too_large {
            Some(_) => None,
            None => Some(power::construction(scene.necklace.beads(), quick)?),
        };
        table.row([
            scene.name.into(),
            count(beads),
            micros(wrapped),
            micros(layered),
            micros(update),
            ratio_to(wrapped / update, 1),
            ratio_to(mean, 3),
            ratio_to(least, 3),
            power.map_or("-".into(), |(time, _)| micros(time)),
            power.map_or("-".into(), |(_, edges)| count(edges)),
        ]);
    }
    table.note("update: all layered cages after all beads moved; radii: wrapped over layered cages of all nodes");
    table.note("theirs (2.4 GHz Pentium 4), helix of 10 240: wrapped 35 000, layered 9 000, power diagram 88 000 000;");
    table.note("radii on the mean within 5 % (proteins 8 %), at the least often a half");
    notes.into_iter().for_each(|note| table.note(note));
    Ok(vec![table])
}

/// Seconds to build the wrapped and the layered hierarchy, and to update the layered one.
pub(crate) fn construction(necklace: &Necklace, rounds: usize) -> Result<[f64; 3]> {
    let centers: Vec<_> = necklace.beads().iter().map(|bead| bead.center).collect();
    let mut layered = Layered::new(necklace.clone());
    let mut moved = Ok(());
    let times = best_of(
        rounds,
        [
            &mut || drop(black_box(Wrapped::new(necklace.clone()))),
            &mut || drop(black_box(Layered::new(necklace.clone()))),
            &mut || moved = layered.set_positions(black_box(&centers)),
        ],
    );
    moved?;
    Ok(times)
}

/// Wrapped over layered radii of all nodes but leaves: the mean, and the least.
fn radius_ratios(necklace: &Necklace) -> [f64; 2] {
    let wrapped = Wrapped::new(necklace.clone());
    let layered = Layered::new(necklace.clone());
    let (mut sum, mut least, mut nodes) = (0.0, f64::INFINITY, 0.0);
    for &node in wrapped.tree().upward() {
        let ratio = f64::from(wrapped.cage(node).radius) / f64::from(layered.cage(node).radius);
        sum += ratio;
        nodes += 1.0;
        least = f64::min(least, ratio);
    }
    [sum / nodes, least]
}
