//! The great scenes of James and Pai 2004: thousands of deformable bodies at rest in piles, what a step
//! of them costs, and rapier3d's rigid step beside it.

mod memory;
mod ours;
mod rapier;
mod settle;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use pliant_scenes::{
    CHAIR_LEVEL, FISH_LEVEL, bridge_model, chair_model, falling_chairs, fish_model, fish_on_bridge,
    modal_chair,
};
use pliant_sim::dynamics::Model;

use crate::table::{Cell, Table, count, figure, ratio, seconds};
use memory::Peak;
use ours::{Measured, held_rigid, jelly, measured};
use settle::{Pile, settled};

/// The threads that every row uses.
const THREADS: usize = 2;
/// The chairs and fish of the paper.
const CHAIRS: usize = 3601;
const FISH: usize = 12_000;
/// Steps after which fish are measured: four seconds.
const FISH_STEPS: u64 = 600;
/// Chairs that rapier3d takes as triangle meshes.
const MESHES: usize = 100;

/// A part of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Chairs, deformable and held rigid, and rapier3d beside them.
    Chairs,
    /// Fish on a swaying bridge.
    Fish,
    /// Shape-matching bodies on stairs.
    Jelly,
    /// Time per step against contacts, as piles of chairs grow.
    Growth,
}

/// What is measured.
pub(crate) struct Choice<'a> {
    pub(crate) quick: bool,
    /// The most bodies of a pile.
    pub(crate) most: Option<usize>,
    /// Where states of piles at rest are kept.
    pub(crate) states: Option<&'a Path>,
    pub(crate) only: Option<Part>,
}

impl Choice<'_> {
    fn asks_for(&self, part: Part) -> bool {
        self.only.is_none_or(|only| only == part)
    }

    fn fits(&self, bodies: usize) -> bool {
        self.most.is_none_or(|most| bodies <= most)
    }

    /// Steps after which a pile counts as settled, if that is not asked of its speed.
    fn steps(&self) -> Option<u64> {
        self.quick.then_some(120)
    }
}

pub(crate) fn run(choice: &Choice) -> Result<Vec<Table>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build()?;
    pool.install(|| tables(choice))
}

fn tables(choice: &Choice) -> Result<Vec<Table>> {
    let chair = Arc::new(chair_model(modal_chair()?, CHAIR_LEVEL)?);
    let mut tables = Vec::new();
    let mut rows = Table::new("Piles at rest, per step, two threads", &COLUMNS);
    if choice.asks_for(Part::Chairs) {
        chairs(choice, &chair, &mut rows)?;
    }
    if choice.asks_for(Part::Fish) {
        fish(choice, &mut rows)?;
    }
    if choice.asks_for(Part::Jelly) {
        pieces_of_jelly(choice.quick, &mut rows)?;
    }
    if choice.only != Some(Part::Growth) {
        rows.note("the median of single steps; detection: contacts alone; spheres: those of proxies, once per task");
        rows.note("peak: of the process from the start of the row, with all that it held before");
        tables.push(rows);
    }
    if choice.asks_for(Part::Growth) {
        tables.push(growth(choice, &chair)?);
    }
    Ok(tables)
}

fn chairs(choice: &Choice, chair: &Arc<Model>, rows: &mut Table) -> Result<()> {
    let Choice { quick, states, .. } = *choice;
    let [few, many] = if quick { [20, 60] } else { [1000, CHAIRS] };
    let many = many.min(choice.most.unwrap_or(many));
    let chairs = |count: usize| -> Result<Pile> {
        settled(falling_chairs(Arc::clone(chair), count, 1)?, "chairs", choice.steps(), states)
    };
    let peak = Peak::from_here();
    let mut pile = chairs(few)?;
    let of = measured(&mut pile.run, quick)?;
    ours(rows, format!("{few} chairs"), pile.speed(), peak, &of);
    drop(pile);

    let peak = Peak::from_here();
    let mut pile = chairs(many)?;
    let deformable = measured(&mut pile.run, quick)?;
    ours(rows, format!("{many} chairs"), pile.speed(), peak, &deformable);
    let peak = Peak::from_here();
    let mut rigid = Pile::of(held_rigid(&pile.run, chair, quick)?);
    let held = measured(&mut rigid.run, quick)?;
    ours(rows, format!("{many} chairs held rigid"), rigid.speed(), peak, &held);
    drop(rigid);
    theirs(rows, many, "boxes", &rapier::of_boxes(&pile.run, quick)?);
    drop(pile);

    let meshes = chairs(if quick { 8 } else { MESHES })?;
    let bodies = meshes.run.bodies();
    theirs(rows, bodies, "meshes", &rapier::of_meshes(&meshes.run, chair.mesh(), quick)?);
    rows.note(format!(
        "deformable over held rigid: {:.2} in time, {:.2} in contacts; James and Pai 2004: 1.9 in time (2.1 s and \
         1.1 s), 1.5 in contacts (64,000 and 44,000)",
        deformable.step / held.step,
        deformable.contacts as f64 / held.contacts.max(1) as f64,
    ));
    rows.note(
        "chairs fell from rows, and settled until their mean speed was below 5 cm/s, or for ten seconds; speed: \
         the root of their mean squared speed",
    );
    rows.note(
        "rapier3d: from the places of our pile, settled for a second of its own, sleeping switched off; boxes: each \
         chair 12 boxes; meshes: its 17,914 triangles, contacts of solver points",
    );
    Ok(())
}

fn fish(choice: &Choice, rows: &mut Table) -> Result<()> {
    let count = if choice.quick { 40 } else { FISH };
    let count = count.min(choice.most.unwrap_or(count));
    let peak = Peak::from_here();
    let run = fish_on_bridge(fish_model(FISH_LEVEL)?, bridge_model()?, count, 1)?;
    // The bridge never rests, and so they do not.
    let steps = choice.steps().unwrap_or(FISH_STEPS);
    let mut pile = settled(run, "fish", Some(steps), choice.states)?;
    let of = measured(&mut pile.run, choice.quick)?;
    ours(rows, format!("{count} fish on the bridge"), pile.speed_on_obstacles(), peak, &of);
    rows.note(format!(
        "fish fell for {:.1} s; speed: of those that touch the bridge, against it; of all, against the ground, {:.3} \
         m/s",
        pile.run.time(),
        pile.speed(),
    ));
    Ok(())
}

fn pieces_of_jelly(quick: bool, rows: &mut Table) -> Result<()> {
    let peak = Peak::from_here();
    let pieces = if quick { 50 } else { 1000 };
    let (step, contacts) = jelly(pieces, quick)?;
    rows.row([
        format!("{pieces} pieces of jelly").into(),
        count(contacts),
        seconds(step),
        "".into(),
        figure(step / contacts.max(1) as f64 * 1e9, 0, "ns"),
        "".into(),
        "".into(),
        peak.mebibytes(),
    ]);
    Ok(())
}

fn ours(rows: &mut Table, name: String, speed: f64, peak: Peak, of: &Measured) {
    let per_contact = of.step / of.contacts.max(1) as f64;
    rows.row([
        name.into(),
        count(of.contacts),
        seconds(of.step),
        seconds(of.detection),
        figure(per_contact * 1e9, 0, "ns"),
        count(of.updated),
        count(of.tests),
        peak.mebibytes(),
        figure(speed, 3, "m/s"),
    ]);
}

const COLUMNS: [&str; 9] = [
    "pile",
    "contacts",
    "step",
    "detection",
    "ns per contact",
    "spheres updated",
    "sphere tests",
    "peak MiB",
    "speed m/s",
];

fn theirs(rows: &mut Table, bodies: usize, shape: &str, of: &rapier::Stepped) {
    rows.row([
        Cell::from(format!("{bodies} chairs, rapier3d, {shape}")),
        count(of.contacts),
        seconds(of.step),
        "".into(),
        figure(of.step / of.contacts.max(1) as f64 * 1e9, 0, "ns"),
        "".into(),
        "".into(),
        "".into(),
        figure(of.speed, 3, "m/s"),
    ]);
}

/// Time per step against contacts as piles grow.
fn growth(choice: &Choice, chair: &Arc<Model>) -> Result<Table> {
    let columns =
        ["chairs", "contacts", "step", "contacts grew", "time grew", "time over contacts"];
    let mut table = Table::new("Growth of a pile, per step, two threads", &columns);
    let sizes: &[usize] = if choice.quick { &[10, 40] } else { &[100, 300, 1000, 3601, 10_000] };
    let mut first = None;
    for &size in sizes.iter().filter(|&&size| choice.fits(size)) {
        let run = falling_chairs(Arc::clone(chair), size, 1)?;
        let mut pile = settled(run, "chairs", choice.steps(), choice.states)?;
        let of = measured(&mut pile.run, choice.quick)?;
        let (contacts, step) = *first.get_or_insert((of.contacts as f64, of.step));
        let grew = [of.contacts as f64 / contacts, of.step / step];
        table.row([
            count(size),
            count(of.contacts),
            seconds(of.step),
            ratio(grew[0]),
            ratio(grew[1]),
            ratio(grew[1] / grew[0]),
        ]);
    }
    table.note("from the first row; the median of single steps");
    Ok(table)
}
