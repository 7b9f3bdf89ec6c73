//! Table 5: how much of the wrapped hierarchy changes as the necklace deforms.

use anyhow::Result;
use glam::DVec3;
use pliant::Necklace;
use pliant_scenes::rolling_spiral;

use super::scenes::{absent, vibrating_protein};
use super::time_steps::advance;
use super::villin::{self, Villin};
use super::{micros, power};
use crate::table::{Table, count, figure};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces, table 5: a time step of the wrapped hierarchy, µs",
        &[
            "motion",
            "beads",
            "nodes",
            "steps",
            "basis changes per step",
            "most",
            "changed tetrahedra",
            "lazy",
            "cascade",
            "naive",
        ],
    );
    let rounds = if quick { 2 } else { 10 };
    let mut motion = |name: &str, frames: Vec<Vec<DVec3>>, radius: f64| -> Result<()> {
        let (mut changes, mut most, mut times) = (0, 0, [0.0; 3]);
        for pair in frames.windows(2) {
            let step = advance(&Necklace::open(&pair[0], radius)?, &pair[1], rounds)?;
            changes += step.basis_changes;
            most = most.max(step.basis_changes);
            for (sum, time) in times.iter_mut().zip(step.seconds) {
                *sum += time;
            }
        }
        let steps = (frames.len() - 1) as f64;
        let mut row = vec![
            name.into(),
            count(frames[0].len()),
            count(2 * frames[0].len() - 1),
            count(frames.len() - 1),
            figure(changes as f64 / steps, 1, "changes per step"),
            count(most),
            figure(power::changed_tetrahedra(&frames, radius)?, 0, "tetrahedra per step"),
        ];
        row.extend(times.map(|time| micros(time / steps)));
        table.row(row);
        Ok(())
    };
    let states = (0..=50).map(|step| rolling_spiral(f64::from(step) / 50.0));
    let states: Vec<_> = states.collect::<pliant::Result<_>>()?;
    let radius = states[0].radius;
    motion("spiral", states.into_iter().map(|state| state.positions).collect(), radius)?;
    let villin = Villin::read()?;
    if let Some(run) = &villin {
        let frames = if quick { 200 } else { run.frames() };
        let frames = (0..frames).filter_map(|frame| run.frame(frame)).collect();
        motion("villin", frames, villin::RADIUS)?;
        let frames = if quick { 100 } else { 1000 };
        let frames = (0..frames).filter_map(|frame| run.backbone_frame(frame)).collect();
        motion("villin backbone", frames, villin::BACKBONE_RADIUS)?;
    }
    let protein: Vec<_> = (0..if quick { 50 } else { 200 }).map(vibrating_protein).collect();
    let radius = protein[0].1;
    motion("random protein", protein.into_iter().map(|(state, _)| state).collect(), radius)?;
    table.note("lazy: all cages from old bases, unverified; cascade, naive: verified and updated");
    table.note("theirs: villin and random protein a few basis changes per step, spiral up to some dozen; power diagram over 100 tetrahedra");
    table.note(if villin.is_some() {
        "villin: alpha carbons rebuilt from the dihedrals of a run whose frames are far apart"
            .into()
    } else {
        format!("villin is left out: {}", absent(villin::DIHEDRALS))
    });
    Ok(vec![table])
}
