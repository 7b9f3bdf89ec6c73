//! `pliant clash`: which beads of a molecule run into which, over a trajectory.

pub(crate) mod frames;
pub(crate) mod output;
mod summary;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use pliant::Necklace;
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant_io::{AtomChoice, BeadRadius, Beads, Structure, printable, read_structure};

use crate::check::progress::Progress;
use crate::number::positive;
use crate::terminal::tell;
use crate::view::ClashView;
use crate::write::{check_writable, is_stdout, print};
use frames::Frames;
use output::JsonReport;
use summary::Summary;

const HELP: &str = "\
Structures: .pdb .ent .cif .mmcif .xyz; every model is a frame. Trajectories: .dcd .xtc, read
frame by frame, never as a whole. Two beads clash if the distance of their centres is at most the sum of
their radii; neighbours along a chain never do. Of alternate locations the most occupied one counts.
Lengths are in ångströms.

Examples:
  pliant clash 1ubq.pdb                             alpha carbons with van der Waals radii
  pliant clash 1l2y.pdb --radius 2.2                every model is a frame
  pliant clash protein.pdb run.xtc --json out.json  every clash of every frame
  pliant clash protein.cif --atoms all --min-gap 4  all atoms; bonded ones are at most 3 apart in most files
  pliant clash rope.xyz --atoms all --radius 0.5

RAYON_NUM_THREADS sets the number of threads; the result does not depend on it.
Exit code: 0 fine, 1 clashes where --fail-on-contact asks for it, 2 bad input or usage.";

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct ClashArguments {
    /// The file of the beads.
    #[arg(value_name = "STRUCTURE")]
    structure: PathBuf,
    /// The file of their motion; without it every model of the structure is a frame.
    #[arg(value_name = "TRAJECTORY")]
    trajectory: Option<PathBuf>,
    /// Which atoms become beads.
    #[arg(long, value_enum, default_value = "ca")]
    atoms: Atoms,
    /// The radius of all beads, or `vdw` for the van der Waals radius of their elements.
    #[arg(long, value_name = "R|vdw", default_value = "vdw", value_parser = radius)]
    radius: BeadRadius,
    /// The fewest links along a chain between two beads that may clash: neighbours never do.
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..))]
    min_gap: u32,
    /// Write every clash of every frame as JSON (schema: docs/clash.schema.json);
    /// `-` is standard output, in place of the summary.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write one page to look at in a browser: beads and clashes, moving.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Exit with code 1 if anything clashes.
    #[arg(long)]
    fail_on_contact: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    quiet: bool,
}

/// Which atoms become beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Atoms {
    /// The alpha carbon of every residue.
    Ca,
    /// N, CA and C of every residue.
    Backbone,
    /// Every atom.
    All,
}

impl From<Atoms> for AtomChoice {
    fn from(atoms: Atoms) -> Self {
        match atoms {
            Atoms::Ca => Self::AlphaCarbons,
            Atoms::Backbone => Self::Backbone,
            Atoms::All => Self::All,
        }
    }
}

fn radius(text: &str) -> Result<BeadRadius, String> {
    match text {
        "vdw" => Ok(BeadRadius::VanDerWaals),
        number => positive(number).map(BeadRadius::Fixed),
    }
}

/// Beads with their names, as they stand in the first frame.
pub(crate) struct Chosen {
    pub(crate) structure: Structure,
    pub(crate) beads: Beads,
    pub(crate) necklace: Necklace,
}

impl Chosen {
    /// The necklace that the beads of a structure form.
    pub(crate) fn new(structure: Structure, atoms: AtomChoice, radius: BeadRadius) -> Result<Self> {
        let beads = Beads::choose(&structure, atoms, radius);
        ensure!(
            !beads.atoms.is_empty(),
            "none of its {} atoms is one of those asked for: try --atoms all",
            structure.atoms.len()
        );
        let mut centers = Vec::new();
        beads.positions(&structure.models[0], &mut centers);
        let balls = centers.iter().zip(&beads.radii);
        let balls = balls.map(|(&center, &radius)| Ball::new(center, radius)).collect();
        let chains =
            beads.chains.iter().map(|&(first, end)| Chain { beads: end - first, closed: false });
        let necklace = Necklace::new(balls, &chains.collect::<Vec<_>>())?;
        Ok(Self { structure, beads, necklace })
    }

    /// What a bead is called.
    pub(crate) fn name(&self, bead: u32) -> String {
        let atom = self.beads.atoms.get(bead as usize).map(|&atom| &self.structure.atoms[atom]);
        atom.map_or_else(String::new, pliant_io::Atom::label)
    }
}

/// Whether the exit code has to tell of clashes.
pub(crate) fn run(arguments: &ClashArguments) -> Result<bool> {
    let &ClashArguments { min_gap, quiet, .. } = arguments;
    let reports: Vec<&PathBuf> =
        [&arguments.json, &arguments.report].into_iter().flatten().collect();
    for file in &reports {
        check_writable(file)?;
    }
    let structure = read_structure(&arguments.structure)?;
    let file = || arguments.structure.display().to_string();
    let chosen =
        Chosen::new(structure, arguments.atoms.into(), arguments.radius).with_context(file)?;
    if !quiet {
        print_notes(arguments, &chosen);
    }
    let mut frames = Frames::open(&chosen, arguments.trajectory.as_deref())?;
    let json = arguments.json.as_ref().map(|file| JsonReport::create(file, &chosen));
    let mut json = json.transpose()?;
    let mut page = arguments.report.as_ref().map(|_| ClashView::new(&chosen, file()));
    let mut summary = Summary::default();
    let mut progress = Progress::new(0, quiet);
    let start = Instant::now();
    let outcome = frames.run(&chosen, min_gap, |frame, expected| {
        if let Some(json) = &mut json {
            json.add(&frame)?;
        }
        if let Some(page) = &mut page {
            page.add(&frame);
        }
        summary.add(&frame, &chosen.beads.radii);
        progress.reach(summary.frames(), expected);
        Ok(())
    });
    let elapsed = start.elapsed().as_secs_f64();
    progress.finish();
    outcome?;
    json.map_or(Ok(()), JsonReport::finish)?;
    if let (Some(file), Some(page)) = (&arguments.report, page) {
        page.write(file)?;
    }
    if !quiet && !reports.iter().any(|file| is_stdout(file)) {
        print(&summary.text(&chosen, elapsed))?;
    }
    Ok(arguments.fail_on_contact && summary.has_clashes())
}

/// What the reader left out and what may surprise.
fn print_notes(arguments: &ClashArguments, chosen: &Chosen) {
    let file = arguments.structure.to_string_lossy();
    let file = printable(&file);
    for warning in &chosen.structure.warnings {
        tell(&format!("warning: {file}: {warning}"));
    }
    if chosen.beads.unknown_elements > 0 && arguments.radius == BeadRadius::VanDerWaals {
        let count = chosen.beads.unknown_elements;
        tell(&format!("note: {file}: {count} beads of unknown elements have the radius of carbon"));
    }
    let has_bonds = arguments.atoms != Atoms::Ca && arguments.radius == BeadRadius::VanDerWaals;
    if has_bonds && arguments.min_gap < 4 {
        tell(
            "note: van der Waals spheres of atoms two or three bonds apart overlap; \
             --min-gap 4 or more leaves most of them out",
        );
    }
}
