//! `pliant clash`: which atoms of a structure, or which beads of a chain, run into which, over a
//! trajectory.

mod counts;
pub(crate) mod frames;
pub(crate) mod range;
pub(crate) mod reports;
pub(crate) mod row;
mod source;
mod structure;
mod summary;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use pliant::Necklace;
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant_io::{AtomChoice, BeadRadius, Beads, Structure, printable, read_structure};

use crate::check::Shard;
use crate::check::progress::Progress;
use crate::number::{finite, positive};
use crate::terminal::tell;
use crate::view::ClashView;
use crate::write::{check_writable, is_stdout, print};
use frames::{Frames, Search};
use range::{FrameChoice, FrameRange};
use reports::ClashReports;
use row::{ClashRun, QuestionRow};

const HELP: &str = "\
Structures: .pdb .ent .cif .mmcif .gro .xyz; every model is a frame. Trajectories: .dcd .xtc .trr, read
frame by frame. Each may be compressed (.gz). Of alternate locations the most occupied one counts.
Lengths are in ångströms.

Two atoms clash if they overlap by at least --overlap: the sum of their radii less their distance. Atoms
within three bonds never clash. Donor and acceptor of a hydrogen bond may overlap by 0.6 Å more
(--hydrogen-bond), unless --overlap is 0, which is the question of geometry alone. Radii are those of
van der Waals (Bondi 1964; H 1.10 Å), and of ions for metals (Shannon 1976). Bonds come from residues'
names, from CONECT, LINK, SSBOND and struct_conn, and from distances within residues. The clash score
is the number of clashes per 1000 atoms. --periodic repeats the atoms along the edges of the cell; it
does not make the copies that a space group asks for.

Selections: chain A B, resi 10 20-30, resn ALA, name CA, element C, protein, nucleic, water, backbone,
hydrogen, hetero, all, none; and, or, not, parentheses.

With --radius the question is about beads along chains, for ropes and coarse models: two beads clash if
they touch and are at least --min-gap links apart.

Examples:
  pliant clash 1ubq.pdb                             all atoms that overlap by 0.4 Å or more
  pliant clash 1ubq.pdb --overlap 0 --hydrogens ignore
  pliant clash complex.cif.gz --between \"chain A\" \"chain B\" --csv interface.csv
  pliant clash model.pdb --select \"protein and not resi 1-5\" --fail-on-contact
  pliant clash box.gro run.xtc --periodic --start 100 --step 10 --json out.json
  pliant clash 1l2y.pdb --radius 2.2                alpha carbons as beads of one size
  pliant clash rope.xyz --atoms all --radius 0.5

RAYON_NUM_THREADS sets the number of threads; the result does not depend on it.
Exit code: 0 fine, 1 clashes where --fail-on-contact asks for it, 2 bad input or usage.";

/// Pairs per frame, unless --max-pairs says otherwise: 80 megabytes.
pub(crate) const MAX_PAIRS: usize = 10_000_000;

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct ClashArguments {
    /// The file of the atoms.
    #[arg(value_name = "STRUCTURE")]
    structure: PathBuf,
    /// The file of their motion; without it every model of the structure is a frame.
    #[arg(value_name = "TRAJECTORY")]
    trajectory: Option<PathBuf>,
    /// Which atoms take part; all without --radius, alpha carbons with it.
    #[arg(long, value_enum)]
    atoms: Option<Atoms>,
    /// The overlap that is a clash, in ångströms (0.4); 0 asks for atoms that touch.
    #[arg(long, value_name = "A", value_parser = finite, allow_hyphen_values = true)]
    overlap: Option<f64>,
    /// By how much more donor and acceptor of a hydrogen bond may overlap, in ångströms (0.6; 0 with
    /// --overlap 0).
    #[arg(long, value_name = "A", value_parser = finite)]
    hydrogen_bond: Option<f64>,
    /// Whether hydrogens of the file take part.
    #[arg(long, value_enum, default_value = "use")]
    hydrogens: Hydrogens,
    /// Only atoms of this selection take part.
    #[arg(long, value_name = "SELECTION")]
    select: Option<String>,
    /// Only pairs of an atom of the one and an atom of the other selection count.
    #[arg(long, num_args = 2, value_names = ["SELECTION", "SELECTION"])]
    between: Vec<String>,
    /// Atoms also meet periodic images of others; the cell comes from the trajectory, or else from
    /// the structure.
    #[arg(long)]
    periodic: bool,
    /// The first frame that is searched, counted from 0.
    #[arg(long, value_name = "FRAME", default_value_t = 0)]
    start: usize,
    /// The frame before which the search ends.
    #[arg(long, value_name = "FRAME")]
    stop: Option<usize>,
    /// Search every so many frames.
    #[arg(long, value_name = "FRAMES", default_value_t = 1, value_parser = at_least_one)]
    step: usize,
    /// Search one part of the frames, such as 3/16, for `pliant merge` to join.
    #[arg(long, value_name = "K/N", requires = "json")]
    shard: Option<Shard>,
    /// Search beads along chains, with this radius, or `vdw` for that of their elements.
    #[arg(long, value_name = "R|vdw", value_parser = radius,
        conflicts_with_all = ["overlap", "hydrogen_bond", "hydrogens", "select", "between", "periodic", "csv"])]
    radius: Option<BeadRadius>,
    /// The fewest links along a chain between two beads that may clash: neighbours never do.
    #[arg(long, value_name = "K", default_value_t = 2, requires = "radius", value_parser = clap::value_parser!(u32).range(2..))]
    min_gap: u32,
    /// The most pairs that a frame may have. More are an error: where many beads are at one place,
    /// their number is quadratic.
    #[arg(long, value_name = "N", default_value_t = MAX_PAIRS)]
    max_pairs: usize,
    /// Write every clash of every frame as JSON (schema: docs/clash.schema.json);
    /// `-` is standard output, in place of the summary.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write every clash of every frame as CSV: names, distance and overlap.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
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

impl ClashArguments {
    /// The frames that are asked for.
    fn frames(&self) -> FrameChoice {
        let range = FrameRange { start: self.start, stop: self.stop, step: self.step };
        FrameChoice { range, shard: self.shard }
    }

    /// What reports say of the run.
    fn run(&self, chosen: &Chosen, question: QuestionRow) -> ClashRun {
        let files = std::iter::once(&self.structure).chain(&self.trajectory);
        let files = files.map(|file| file.display().to_string()).collect();
        ClashRun::new(chosen, files, self.shard.map(Shard::row), question)
    }
}

/// Which atoms take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Atoms {
    /// The alpha carbon of every residue.
    Ca,
    /// N, CA, C and O of proteins, sugar and phosphate of nucleic acids; with --radius N, CA and C.
    Backbone,
    /// Amino acids.
    Protein,
    /// All but hydrogens.
    Heavy,
    /// Every atom.
    All,
}

impl Atoms {
    /// The choice for beads.
    fn beads(self) -> Result<AtomChoice> {
        Ok(match self {
            Self::Ca => AtomChoice::AlphaCarbons,
            Self::Backbone => AtomChoice::Backbone,
            Self::All => AtomChoice::All,
            Self::Protein | Self::Heavy => {
                bail!("--radius takes --atoms ca, backbone or all")
            }
        })
    }
}

/// What is done with hydrogens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Hydrogens {
    /// They are left out.
    Ignore,
    /// Those in the file take part; none are added.
    Use,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().map_err(|_| format!("{text:?} is not a whole number"))?;
    Some(number).filter(|&number| number > 0).ok_or_else(|| "must be at least 1".into())
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
    match arguments.radius {
        Some(radius) => run_beads(arguments, radius),
        None => structure::run(arguments),
    }
}

fn run_beads(arguments: &ClashArguments, radius: BeadRadius) -> Result<bool> {
    let &ClashArguments { min_gap, max_pairs, quiet, .. } = arguments;
    let reports: Vec<&PathBuf> =
        [&arguments.json, &arguments.report].into_iter().flatten().collect();
    for file in &reports {
        check_writable(file)?;
    }
    let structure = read_structure(&arguments.structure)?;
    let file = || arguments.structure.display().to_string();
    let atoms = arguments.atoms.unwrap_or(Atoms::Ca);
    let chosen = Chosen::new(structure, atoms.beads()?, radius).with_context(file)?;
    if !quiet {
        print_notes(arguments, atoms, radius, &chosen);
    }
    let mut frames = Frames::open(
        &chosen,
        &arguments.structure,
        arguments.trajectory.as_deref(),
        arguments.frames(),
    )?;
    let question = QuestionRow::Beads { radius: fixed(radius), min_gap };
    let run = arguments.run(&chosen, question);
    let mut written = ClashReports::create(&run, arguments.json.as_deref(), None)?;
    let mut page = arguments.report.as_ref().map(|_| ClashView::new(&chosen, file()));
    let mut progress = Progress::new(0, quiet);
    let start = Instant::now();
    let outcome = frames.run(&chosen, Search { min_gap, max_pairs }, |frame, expected| {
        if let Some(page) = &mut page {
            page.add(&frame, None);
        }
        written.add(&frame.into_row(&chosen.beads.radii))?;
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
    if !quiet && !reports.iter().any(|file| is_stdout(file)) {
        print(&text)?;
    }
    Ok(arguments.fail_on_contact && has_clashes)
}

/// The radius of all beads; `None` if each has its own.
pub(crate) fn fixed(radius: BeadRadius) -> Option<f64> {
    match radius {
        BeadRadius::Fixed(radius) => Some(radius),
        BeadRadius::VanDerWaals => None,
    }
}

/// What the reader left out and what may surprise.
fn print_notes(arguments: &ClashArguments, atoms: Atoms, radius: BeadRadius, chosen: &Chosen) {
    let file = arguments.structure.to_string_lossy();
    let file = printable(&file);
    for warning in &chosen.structure.warnings {
        tell(&format!("warning: {file}: {warning}"));
    }
    if chosen.beads.unknown_elements > 0 && radius == BeadRadius::VanDerWaals {
        let count = chosen.beads.unknown_elements;
        tell(&format!("note: {file}: {count} beads of unknown elements have the radius of carbon"));
    }
    let has_bonds = atoms != Atoms::Ca && radius == BeadRadius::VanDerWaals;
    if has_bonds && arguments.min_gap < 4 {
        tell(
            "note: van der Waals spheres of atoms two or three bonds apart overlap; \
             --min-gap 4 or more leaves most of them out",
        );
    }
}
