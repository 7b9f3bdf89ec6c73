//! A small protein in 38 shapes: which parts of its backbone come close to which.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use pliant::necklace::brute_force;
use pliant_io::{AtomChoice, BeadRadius, read_pdb};

use super::DemoArguments;
use crate::clash::frames::{Frames, Search};
use crate::clash::range::FrameChoice;
use crate::clash::reports::ClashReports;
use crate::clash::row::{ClashRun, QuestionRow};
use crate::clash::{Chosen, MAX_PAIRS};
use crate::table::{Table, count, seconds};
use crate::view::ClashView;
use crate::write::{is_stdout, print};

/// The backbone of the Trp-cage miniprotein, PDB entry 1L2Y (CC0).
const BACKBONE: &str = include_str!("../../assets/1l2y_backbone.pdb");

/// Large enough that turns of the helix touch and the ends of the chain do in some models.
const RADIUS: f64 = 2.2;

/// Beads that are fewer links apart are too close to say anything.
const MIN_GAP: u32 = 6;

pub(super) fn play(arguments: &DemoArguments) -> Result<()> {
    let file = "1l2y_backbone.pdb";
    let structure = read_pdb(BACKBONE.as_bytes(), Path::new(file))?;
    let chosen = Chosen::new(structure, AtomChoice::Backbone, BeadRadius::Fixed(RADIUS))?;
    let mut page = ClashView::new(&chosen, "Trp-cage, 1L2Y".into());
    let mut frames = Vec::new();
    let search = Search { min_gap: MIN_GAP, max_pairs: MAX_PAIRS };
    let start = Instant::now();
    Frames::open(&chosen, Path::new(file), None, FrameChoice::ALL)?.run(
        &chosen,
        search,
        |frame, _| {
            page.add(&frame, None);
            frames.push(frame);
            Ok(())
        },
    )?;
    let elapsed = start.elapsed().as_secs_f64();

    let mut text = format!(
        "The backbone of the Trp-cage miniprotein (PDB entry 1L2Y): {} beads of radius {RADIUS} Å in {} models.\n\
         Beads clash if they touch and are at least {MIN_GAP} links apart.\n\n",
        chosen.necklace.len(),
        frames.len(),
    );
    let mut table = Table::new("Clashes", &["model", "clashes", "bead tests", "it took"]);
    for frame in frames.iter().step_by(4) {
        table.row([
            (frame.index + 1).to_string(),
            count(frame.found.pairs.len()),
            count(frame.found.work.primitive_tests),
            seconds(frame.seconds),
        ]);
    }
    table.note(format!("all {} models took {}", frames.len(), seconds(elapsed)));
    writeln!(text, "{table}")?;
    for frame in &frames {
        let mut necklace = chosen.necklace.clone();
        necklace.set_positions(&frame.positions)?;
        let truth = brute_force::clashes(&necklace, MIN_GAP);
        ensure!(
            truth.pairs == frame.found.pairs,
            "model {}: the clashes differ from brute force",
            frame.index + 1
        );
    }
    writeln!(text, "Testing every pair of beads finds the same clashes in every model.")?;

    let folder = &arguments.folder;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let model = folder.join(file);
    fs::write(&model, BACKBONE).with_context(|| model.display().to_string())?;
    let report = folder.join("report.html");
    page.write(&report)?;
    writeln!(
        text,
        "\nTo look at it: open {} in a browser.\nThe structure is {}: try `pliant clash {} \
         --atoms backbone --radius {RADIUS} --min-gap {MIN_GAP}`.",
        report.display(),
        model.display(),
        model.display()
    )?;
    if !arguments.json.as_deref().is_some_and(is_stdout) {
        print(&text)?;
    }
    if let Some(file) = &arguments.json {
        let question = QuestionRow::Beads { radius: Some(RADIUS), min_gap: MIN_GAP };
        let run = ClashRun::new(&chosen, vec![model.display().to_string()], None, question);
        let mut reports = ClashReports::create(&run, Some(file), None)?;
        let rows = frames.into_iter().map(|frame| frame.into_row(&chosen.beads.radii));
        rows.into_iter().try_for_each(|row| reports.add(&row))?;
        reports.finish(None)?;
    }
    Ok(())
}
