//! Clashes of the atoms of a structure: overlaps that neither bonds nor hydrogen bonds explain.

mod frames;
mod output;
mod summary;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use pliant::Necklace;
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant_io::{
    Beads, Bonds, ClashSearch, ClashSettings, Selection, Structure, printable, read_structure,
};

use super::reports::ClashReports;
use super::row::{ClashRun, QuestionRow};
use super::{Atoms, Chosen, ClashArguments, Hydrogens};
use crate::check::progress::Progress;
use crate::terminal::tell;
use crate::view::ClashView;
use crate::write::{check_writable, is_stdout, print};
use frames::StructureFrames;
pub(crate) use output::CsvReport;
pub(crate) use summary::StructureSummary;

/// A structure, what is searched in it, and the question.
pub(super) struct Question {
    /// The atoms that take part, for the page and for names.
    pub(super) chosen: Chosen,
    pub(super) search: ClashSearch,
    pub(super) settings: ClashSettings,
}

/// Whether the exit code has to tell of clashes.
pub(super) fn run(arguments: &ClashArguments) -> Result<bool> {
    let reports: Vec<&PathBuf> =
        [&arguments.json, &arguments.csv, &arguments.report].into_iter().flatten().collect();
    for file in &reports {
        check_writable(file)?;
    }
    let settings = settings(arguments)?;
    let file = || arguments.structure.display().to_string();
    let structure = read_structure(&arguments.structure)?;
    let search = ClashSearch::new(&structure, &settings).with_context(file)?;
    let chosen = chosen(structure, &search)?;
    let question = Question { chosen, search, settings };
    if !arguments.quiet {
        print_notes(&file(), &question);
    }
    let mut frames = StructureFrames::open(arguments, &question)?;
    let run = question.run(arguments);
    let mut written =
        ClashReports::create(&run, arguments.json.as_deref(), arguments.csv.as_deref())?;
    let mut page = arguments.report.as_ref().map(|_| ClashView::new(&question.chosen, file()));
    let mut progress = Progress::new(0, arguments.quiet);
    let start = Instant::now();
    let outcome = frames.run(&question, |found, expected| {
        if let Some(page) = &mut page {
            page.add(&found.frame, found.clashes.iter().map(|clash| clash.overlap));
        }
        written.add(&found.into_row(&run))?;
        progress.reach(written.frames(), expected);
        Ok(())
    });
    let elapsed = start.elapsed().as_secs_f64();
    progress.finish();
    outcome?;
    let (has_clashes, text) = written.finish(Some(elapsed))?;
    if let (Some(file), Some(page)) = (&arguments.report, page) {
        page.write(file)?;
    }
    if !arguments.quiet && !reports.iter().any(|file| is_stdout(file)) {
        print(&text)?;
    }
    Ok(arguments.fail_on_contact && has_clashes)
}

impl Question {
    /// What reports say of the run.
    fn run(&self, arguments: &ClashArguments) -> ClashRun {
        let settings = &self.settings;
        let question = QuestionRow::Structure {
            overlap: settings.overlap,
            hydrogen_bond: settings.hydrogen_bond,
            periodic: settings.is_periodic,
            between: arguments.between.clone(),
        };
        let mut run = arguments.run(&self.chosen, question);
        let atoms = self.search.atoms();
        let bead = |atom: u32| atoms.binary_search(&atom).ok().map(|bead| bead as u32);
        let bonds = self.search.bonds().pairs().iter();
        run.bonds = Some(bonds.filter_map(|&[a, b]| Some([bead(a)?, bead(b)?])).collect());
        run
    }
}

/// What the arguments ask.
fn settings(arguments: &ClashArguments) -> Result<ClashSettings> {
    let parse = |option: &str, text: &str| -> Result<Selection> {
        text.parse().with_context(|| format!("{option} {text:?}"))
    };
    let mut atoms = parse(
        "--atoms",
        match arguments.atoms.unwrap_or(Atoms::All) {
            Atoms::Ca => "protein and name CA and element C",
            Atoms::Backbone => "backbone",
            Atoms::Protein => "protein",
            Atoms::Heavy => "not hydrogen",
            Atoms::All => "all",
        },
    )?;
    if arguments.hydrogens == Hydrogens::Ignore {
        atoms = atoms.and(parse("--hydrogens", "not hydrogen")?);
    }
    if let Some(select) = &arguments.select {
        atoms = atoms.and(parse("--select", select)?);
    }
    let between = match arguments.between.as_slice() {
        [] => None,
        [a, b] => Some([parse("--between", a)?, parse("--between", b)?]),
        _ => bail!("--between takes two selections"),
    };
    let usual = ClashSettings::default();
    let overlap = arguments.overlap.unwrap_or(usual.overlap);
    let allowance = if overlap == 0.0 { 0.0 } else { usual.hydrogen_bond };
    Ok(ClashSettings {
        overlap,
        hydrogen_bond: arguments.hydrogen_bond.unwrap_or(allowance),
        atoms,
        between,
        is_periodic: arguments.periodic,
        most_clashes: arguments.max_pairs,
    })
}

/// The atoms that take part as beads. Chains join atoms that are bonded and follow each other.
fn chosen(structure: Structure, search: &ClashSearch) -> Result<Chosen> {
    let atoms: Vec<usize> = search.atoms().iter().map(|&atom| atom as usize).collect();
    let radii: Vec<f64> = search.radii().collect();
    let chains = bonded_runs(&atoms, search.bonds());
    let balls = atoms.iter().zip(&radii);
    let balls = balls.map(|(&atom, &radius)| Ball::new(structure.models[0][atom], radius));
    let lengths = chains.iter().map(|&(first, end)| Chain { beads: end - first, closed: false });
    let necklace = Necklace::new(balls.collect(), &lengths.collect::<Vec<_>>())?;
    let unknown_elements = search.unknown_elements();
    Ok(Chosen { structure, beads: Beads { atoms, radii, chains, unknown_elements }, necklace })
}

fn bonded_runs(atoms: &[usize], bonds: &Bonds) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (bead, &atom) in atoms.iter().enumerate() {
        let before = bead.checked_sub(1).map(|before| atoms[before] as u32);
        let is_bonded = before.is_some_and(|before| bonds.of(atom).contains(&before));
        match runs.last_mut().filter(|_| is_bonded) {
            Some((_, end)) => *end = bead + 1,
            None => runs.push((bead, bead + 1)),
        }
    }
    runs
}

/// What the reader left out and what may surprise.
fn print_notes(file: &str, question: &Question) {
    let file = printable(file);
    for warning in &question.chosen.structure.warnings {
        tell(&format!("warning: {file}: {warning}"));
    }
    let count = question.search.unknown_elements();
    if count > 0 {
        tell(&format!("note: {file}: {count} atoms of unknown elements have the radius of carbon"));
    }
}
