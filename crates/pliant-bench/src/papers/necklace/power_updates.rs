//! The power diagram while beads move: its update against building it anew, and the closest pair by
//! the diagram alone as a way to detect collisions (Guibas, Nguyen, Russel and Zhang 2002, section
//! 3.2).

use std::hint::black_box;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::Necklace;
use pliant::necklace::clashes;
use pliant::power::{PowerDiagram, closest_nonadjacent_pair};
use pliant_scenes::{globule, rolling_spiral};

use super::micros;
use super::scenes::{edge_helix, vibrating_protein};
use super::villin::{self, Villin};
use crate::measure::clock;
use crate::table::{Table, count, figure, percent, ratio};

/// Steps of a motion.
const STEPS: usize = 20;

/// A motion: a name, the radius of all beads, and where they are.
pub(crate) type Motion = (String, f64, Vec<Vec<DVec3>>);

/// The motions whose diagrams are followed.
pub(crate) fn motions(quick: bool) -> Result<Vec<Motion>> {
    let mut motions = Vec::new();
    for (name, progress, step) in [("spiral, slow", 0.5, 1e-5), ("spiral, table 5", 0.5, 0.02)] {
        let states = (0..=STEPS).map(|at| rolling_spiral((progress + step * at as f64).min(1.0)));
        let states: Vec<_> = states.collect::<pliant::Result<_>>()?;
        let radius = states[0].radius;
        let steps = states.into_iter().map(|state| state.positions).collect();
        motions.push((name.to_string(), radius, steps));
    }
    if let Some(run) = Villin::read()? {
        let frames: Vec<_> = (0..=STEPS).filter_map(|frame| run.backbone_frame(frame)).collect();
        motions.push(("villin, 108 beads".into(), villin::BACKBONE_RADIUS, frames));
    }
    let protein: Vec<_> = (0..=STEPS).map(vibrating_protein).collect();
    let radius = protein[0].1;
    let frames = protein.into_iter().map(|(frame, _)| frame).collect();
    motions.push(("random protein".into(), radius, frames));
    let mut still = vec![("helix 640".to_string(), edge_helix()?.1)];
    if !quick {
        still.push(("globule 10240".into(), globule(10_240, 1)?));
    }
    for (name, beads) in still {
        for (how, far) in [("by 1/1000 of a radius", 0.001), ("by 1/50 of a radius", 0.02)] {
            let steps = (0..=STEPS).map(|step| swayed(&beads.positions, far * beads.radius, step));
            motions.push((format!("{name}, {how}"), beads.radius, steps.collect()));
        }
    }
    Ok(motions)
}

/// Beads that sway smoothly in space, so far per step.
fn swayed(rest: &[DVec3], far: f64, step: usize) -> Vec<DVec3> {
    let size = rest.iter().fold(1e-9_f64, |most, p| most.max(p.abs().max_element()));
    let moved = |p: &DVec3| {
        let q = *p * (3.0 / size);
        p + DVec3::new(q.y.sin(), q.z.cos(), q.x.sin()) * (far * step as f64)
    };
    rest.iter().map(moved).collect()
}

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces: the power diagram while beads move, µs per step",
        &[
            "motion",
            "beads",
            "edges",
            "changed tetrahedra",
            "reinserted",
            "rebuilt",
            "anew",
            "update",
            "anew/update",
            "closest pair",
            "update and pair",
            "clashes, ours",
            "",
        ],
    );
    for (name, radius, frames) in motions(quick)? {
        let mut necklace = Necklace::open(&frames[0], radius)?;
        let first = PowerDiagram::new(necklace.beads())?;
        let edges = first.edges().len();
        let (mut changed, mut reinserted, mut rebuilt) = (0, 0, 0);
        let mut best = [f64::INFINITY; 4];
        let rounds = if quick || frames[0].len() > 5000 { 2 } else { 5 };
        for round in 0..rounds {
            let mut diagram = first.clone();
            let mut sums = [0.0; 4];
            for centers in &frames[1..] {
                necklace.set_positions(centers)?;
                let mut note = |at: usize, start: f64| sums[at] += clock() - start;
                let start = clock();
                let anew = black_box(PowerDiagram::new(necklace.beads())?);
                note(0, start);
                let start = clock();
                let update = diagram.advance(centers)?;
                note(1, start);
                let start = clock();
                let found = black_box(closest_nonadjacent_pair(&diagram, &necklace));
                note(2, start);
                let start = clock();
                let pairs = black_box(clashes(&necklace, 2)).pairs;
                note(3, start);
                if round == 0 {
                    changed += update.changed_tetrahedra;
                    reinserted += update.reinserted;
                    rebuilt += usize::from(update.rebuilt);
                    ensure!(anew.edges() == diagram.edges(), "{name}: the update differs");
                    let gap = found.nearest.gap;
                    ensure!((gap <= 0.0) != pairs.is_empty(), "{name}: a gap of {gap}");
                }
            }
            best.iter_mut().zip(sums).for_each(|(best, sum)| *best = best.min(sum));
        }
        let steps = (frames.len() - 1) as f64;
        let [anew, update, pair, ours] = best.map(|sum| sum / steps);
        table.row([
            name.into(),
            count(frames[0].len()),
            count(edges),
            figure(changed as f64 / steps, 0, "tetrahedra per step"),
            figure(reinserted as f64 / steps, 1, "beads per step"),
            percent(rebuilt as f64 / steps, 0),
            micros(anew),
            micros(update),
            ratio(anew / update),
            micros(pair),
            micros(update + pair),
            micros(ours),
            ratio((update + pair) / ours),
        ]);
    }
    table.note("update: PowerDiagram::advance; rebuilt: steps in which it builds anew by itself");
    table.note("closest pair: of beads that are not neighbours, from the diagram's edges; it tells whether");
    table.note(
        "anything clashes. The last ratio is its time, with the update, over that of all clashes",
    );
    Ok(vec![table])
}
