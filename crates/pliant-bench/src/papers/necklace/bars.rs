//! What we ask of ourselves, measured in one run.

use anyhow::Result;
use pliant::Necklace;
use pliant_scenes::{Beads, globule, random_protein, rolling_spiral, scaling_helix, static_helix};

use super::construction::construction;
use super::deforming::{front, swaying};
use super::rounds;
use super::self_collision::self_collision;
use super::spirals::{APART, measure};
use crate::table::{Table, ratio};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table =
        Table::new("Necklaces: bars", &["bar", "on", "asked", "measured", "holds"]).with_keys(2);
    let mut bar = |name: &str, scene: &str, asked: f64, at_most: bool, measured: f64| {
        let holds = if at_most { measured <= asked } else { measured >= asked };
        let sign = if at_most { "at most" } else { "at least" };
        table.row([
            name.into(),
            scene.into(),
            format!("{sign} {asked}").into(),
            ratio(measured),
            if holds { "yes" } else { "no" }.into(),
        ]);
    };
    for (name, beads) in [("static helix", static_helix(10_240)?), ("globule", globule(10_240, 1)?)]
    {
        let necklace = necklace(&beads)?;
        let [wrapped, _, update] = construction(&necklace, rounds(10_240, quick))?;
        bar("wrapped construction over layered update", name, 25.0, true, wrapped / update);
    }
    let scenes = [
        ("static helix", static_helix(10_240)?, true),
        ("scaling helix", scaling_helix(10_240)?, true),
        ("spiral, straight", rolling_spiral(0.0)?, true),
        ("spiral, rolled up", rolling_spiral(1.0)?, true),
        ("random protein", random_protein(1), false),
        ("globule", globule(10_240, 1)?, false),
        ("globule of 100 000", globule(100_000, 1)?, false),
    ];
    for (name, beads, _) in &scenes {
        let necklace = necklace(beads)?;
        let times = self_collision(&necklace, rounds(beads.positions.len(), quick));
        bar("self-collision over cells", name, 1.0, true, times.ours / times.cells);
    }
    for (name, beads, _) in scenes.iter().filter(|(_, _, spread)| *spread) {
        let necklace = necklace(beads)?;
        let rounds = rounds(beads.positions.len(), quick);
        let times = self_collision(&necklace, rounds);
        let front = front(&swaying((*name).into(), beads), rounds)?;
        bar("cells over a step of the front", name, 3.0, false, times.cells / front.seconds);
    }
    let [layered, _, _, exact, _] = measure(APART, if quick { 10 } else { 100 })?.seconds;
    bar("layered over exact on demand", "two spirals apart", 200.0, false, layered / exact);
    Ok(vec![table])
}

fn necklace(beads: &Beads) -> Result<Necklace> {
    Ok(Necklace::open(&beads.positions, beads.radius)?)
}
