//! Benchmarks of pliant: its figures beside those of others, from one run on one input.
//!
//! `cargo run --release -p pliant-bench -- --help` lists the experiments.

mod decisions;
mod measure;
mod papers;
mod peers;
mod table;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Parser, ValueEnum};
use pliant_cli::write::{check_writable, is_stdout, print, write_to};

use decisions::{
    fronts, growth, leaves, morph_sizes, skin_trees, sweep_steps, volumes, weight_corners,
};
use papers::bounded_deformation::{self, curtain, levels, tightness};
use papers::haptics;
use papers::kinetic::{cloth, slow_motion, spheres, tablecloth};
use papers::necklace;
use papers::piles;
use papers::shape_matching;
use papers::skins::{self, creatures, men, radii, twists};
use peers::{broad_phases, build, ccd, cgal, query, refit, triangles, within};
use table::Table;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Experiment {
    /// Refit of all boxes after all vertices moved, 12k to 770k triangles.
    Refit,
    /// Curtain and ball: queries apart and in contact, every strategy.
    Query,
    /// Triangles within 1 % of the size: against `intersections`, and the IPC Toolkit (see --ipctk).
    Within,
    /// The exact triangle test on the pairs that a traversal yields.
    Triangles,
    /// Building a tree: time and quality.
    Build,
    /// Broad phases over worlds of boxes at rest and in motion, and over one mesh.
    BroadPhases,
    /// Curtain and ball, frame by frame: bounds from coordinates against refits.
    Curtain,
    /// How tight bounds from coordinates are, by level.
    Tightness,
    /// The ball as one sphere, chairs as spheres of a level, and the sizes of the models.
    Levels,
    /// What one bound from coordinates costs, and a deformable body against a rigid one.
    Update,
    /// Keyframed motion: updates and queries over mesh size and frames per keyframe.
    SlowMotion,
    /// A tablecloth falls on a table: motion known ahead in every form.
    Tablecloth,
    /// Shirt and dress on a walking man; a ball on the dress.
    Cloth,
    /// Two spheres that grow and turn back where they touch.
    Spheres,
    /// Chains of beads: the seven tables of the paper (see --table), growth, and bars.
    Necklace,
    /// Two walking men: bounds from joints against refits; rays and self-collision.
    Men,
    /// Two creatures that walk through one another, and a knight against its gear.
    Creatures,
    /// How tight spheres from joints are, by level.
    Radii,
    /// Spheres in twisted poses beside those by corners of weights; which ones a query refits.
    Twists,
    /// What one bound from joints costs.
    SkinUpdate,
    /// Raw queries of impact from a file (see --data and --kind): answers, stages, time.
    Ccd,
    /// Jelly on stairs: shape-matching bodies of 100 points and their contacts, per step.
    Jelly,
    /// Chairs and fish at rest in piles, deformable and rigid, jelly, and rapier3d beside them.
    Piles,
    /// A proxy at a kilohertz: steps apart and in contact, and bodies refitted bottom-up.
    Haptics,
    /// The haptic server against a client that floods, for a minute.
    Flood,
    /// Decision: children per node and triangles per leaf, on curtain and ball.
    Leaves,
    /// Decision: contacts of a world from the last front, against from scratch.
    Fronts,
    /// Decision: how spheres grow with coordinates, and trees that know the modes.
    Growth,
    /// Decision: from which size on morph targets are bounded from their weights.
    MorphSizes,
    /// Decision: which tree suits a skin, on two men.
    SkinTrees,
    /// Decision: sweeps with boxes at both ends; bodies apart; two threads.
    Sweep,
    /// Decision: boxes, spheres, k-DOPs, oriented boxes and capsules: tests, unit costs, updates.
    Volumes,
    /// Decision: intervals of weights against corners of their polytope.
    WeightCorners,
}

/// What single experiments may be told.
struct Options {
    table: Option<u8>,
    boxes: Option<usize>,
    world: Option<broad_phases::Part>,
    ipctk: Option<PathBuf>,
    piles: Option<PathBuf>,
    pile: Option<piles::Part>,
    bodies: Option<usize>,
    data: Option<PathBuf>,
    fcl: Option<PathBuf>,
}

impl Experiment {
    /// As the command line names it.
    fn name(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
    }

    /// Whether all that it measures runs on one thread, by [`measure::clock`].
    fn is_on_one_thread(&self) -> bool {
        let others = [
            Self::Within,
            Self::Build,
            Self::BroadPhases,
            Self::Ccd,
            Self::Jelly,
            Self::Piles,
            Self::Haptics,
            Self::Flood,
            Self::Fronts,
            Self::Growth,
            Self::Sweep,
        ];
        !others.contains(self)
    }

    fn run(self, quick: bool, options: &Options) -> Result<Vec<Table>> {
        let &Options { table, boxes, world, ref ipctk, ref piles, pile, bodies, ref data, ref fcl } =
            options;
        let (ipctk, fcl) = (ipctk.as_deref(), fcl.as_deref());
        match self {
            Self::Refit => refit::run(quick),
            Self::Query => query::run(quick),
            Self::Within => within::run(ipctk, quick),
            Self::Triangles => triangles::run(quick),
            Self::Build => build::run(quick),
            Self::BroadPhases => broad_phases::run(quick, boxes, world),
            Self::Curtain => curtain::run(quick),
            Self::Tightness => tightness::run(quick),
            Self::Levels => levels::run(quick),
            Self::Update => bounded_deformation::update::run(quick),
            Self::SlowMotion => slow_motion::run(quick),
            Self::Tablecloth => tablecloth::run(quick),
            Self::Cloth => cloth::run(quick),
            Self::Spheres => spheres::run(quick),
            Self::Necklace => necklace::run(quick, table),
            Self::Men => men::run(quick),
            Self::Creatures => creatures::run(quick),
            Self::Radii => radii::run(quick),
            Self::Twists => twists::run(quick),
            Self::SkinUpdate => skins::update::run(quick),
            // `main` calls it for a file; without data there is nothing to measure.
            Self::Ccd => data.as_deref().map_or(Ok(Vec::new()), |data| ccd::tables(data, quick)),
            Self::Jelly => shape_matching::run(quick),
            Self::Piles => {
                let (most, states) = (bodies, piles.as_deref());
                piles::run(&piles::Choice { quick, most, states, only: pile })
            }
            Self::Haptics => haptics::run(quick),
            Self::Flood => haptics::flooded(quick),
            Self::Leaves => leaves::run(quick),
            Self::Fronts => fronts::run(quick),
            Self::Growth => growth::run(quick),
            Self::MorphSizes => morph_sizes::run(quick),
            Self::SkinTrees => skin_trees::run(quick),
            Self::Sweep => sweep_steps::run(quick),
            Self::Volumes => volumes::run(quick, fcl),
            Self::WeightCorners => weight_corners::run(quick),
        }
    }
}

/// Measures pliant beside other libraries, on the same input in the same run.
#[derive(Debug, Parser)]
#[command(name = "pliant-bench", version, about)]
struct Arguments {
    /// Which experiments; all of them if none is named.
    experiments: Vec<Experiment>,
    /// Leaves an experiment out; may be given several times.
    #[arg(long, value_name = "EXPERIMENT", conflicts_with = "experiments")]
    without: Vec<Experiment>,
    /// Smaller inputs and fewer repetitions: for a look, not for a figure.
    #[arg(long)]
    quick: bool,
    /// Counts the processor's time instead of that of the clock on the wall, where one thread is measured: for a
    /// machine that others use. `volumes` and --cgal always do.
    #[arg(long)]
    processor_time: bool,
    /// Only one of the seven tables of `necklace`, or 8 for moving power diagrams, 9 for growth.
    #[arg(long, value_name = "1..9", value_parser = clap::value_parser!(u8).range(1..=i64::from(necklace::LAST_TABLE)))]
    table: Option<u8>,
    /// Only power diagrams of `necklace`, beside CGAL's; `bench/cgal/run` builds the program for it.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "table")]
    cgal: Option<PathBuf>,
    /// Also times the IPC Toolkit in `within`, and compares pairs; `bench/ipctk/run` installs it for this
    /// Python.
    #[arg(long, value_name = "PYTHON")]
    ipctk: Option<PathBuf>,
    /// Also times FCL in `volumes`; `bench/fcl/run` builds the program for it.
    #[arg(long, value_name = "PROGRAM")]
    fcl: Option<PathBuf>,
    /// The queries of `ccd`: CSV with 8 rows per query, each with numerators and denominators of x, y
    /// and z, and maybe the label. Of a folder all files below it, in a table; their paths say what
    /// they are about.
    #[arg(long, value_name = "FILE.csv")]
    data: Option<PathBuf>,
    /// What the queries of the file of `ccd` are about.
    #[arg(long, requires = "data")]
    kind: Option<ccd::Kind>,
    /// Only worlds of at most so many boxes in `broad-phases`.
    #[arg(long, value_name = "N")]
    boxes: Option<usize>,
    /// Where `piles` keeps the states of its piles at rest, and finds them again: to let them settle takes
    /// minutes.
    #[arg(long, value_name = "FOLDER")]
    piles: Option<PathBuf>,
    /// Only a part of `piles`.
    #[arg(long)]
    pile: Option<piles::Part>,
    /// Only piles of at most so many bodies in `piles`.
    #[arg(long, value_name = "N")]
    bodies: Option<usize>,
    /// Only one table of `broad-phases`.
    #[arg(long)]
    world: Option<broad_phases::Part>,
    /// Write every figure as JSON (docs/benchmarks/running.md); `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let Arguments { experiments, quick, table, cgal, boxes, ipctk, data, kind, .. } = arguments;
    let Arguments { world, piles, pile, bodies, fcl, json, processor_time, without, .. } =
        arguments;
    ensure!(
        !processor_time
            || (!experiments.is_empty() && experiments.iter().all(Experiment::is_on_one_thread)),
        "--processor-time is for experiments on one thread, which must be named"
    );
    if processor_time || cgal.is_some() {
        measure::count_processor_time();
    }
    let only_necklace = experiments == [Experiment::Necklace];
    let only_boxes = experiments == [Experiment::BroadPhases];
    ensure!(boxes.is_none() || only_boxes, "--boxes is for `broad-phases` alone");
    ensure!(world.is_none() || only_boxes, "--world is for `broad-phases` alone");
    ensure!(table.is_none() || only_necklace, "--table is for `necklace` alone");
    ensure!(cgal.is_none() || only_necklace, "--cgal is for `necklace` alone");
    let only_volumes = experiments == [Experiment::Volumes];
    ensure!(fcl.is_none() || only_volumes, "--fcl is for `volumes` alone");
    let only_within = experiments == [Experiment::Within];
    ensure!(ipctk.is_none() || only_within, "--ipctk is for `within` alone");
    let only_piles = experiments == [Experiment::Piles];
    ensure!(
        (piles.is_none() && pile.is_none() && bodies.is_none()) || only_piles,
        "--piles, --pile and --bodies are for `piles` alone"
    );
    let only_ccd = experiments == [Experiment::Ccd];
    ensure!(
        data.is_some() == experiments.contains(&Experiment::Ccd) && (data.is_none() || only_ccd),
        "`ccd` needs --data, which is for `ccd` alone"
    );
    let is_folder = data.as_ref().is_some_and(|data| data.is_dir());
    ensure!(
        data.is_none() || is_folder != kind.is_some(),
        "--kind is for a file of --data, and needed for it; folders name their kinds"
    );
    if let (Some(data), Some(kind)) = (&data, kind) {
        return ccd::run(data, kind, json.as_deref());
    }
    let all = Experiment::value_variants();
    let chosen = if experiments.is_empty() { all } else { &experiments };
    if let Some(file) = &json {
        check_writable(file)?;
    }
    let in_tables = !json.as_deref().is_some_and(is_stdout);
    // One thread, unless an experiment says otherwise.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let options = Options { table, boxes, world, ipctk, piles, pile, bodies, data, fcl };
    let mut rows = Vec::new();
    for experiment in chosen.iter().filter(|experiment| !without.contains(experiment)) {
        let tables = pool.install(|| match &cgal {
            Some(program) => cgal::run(program, quick),
            None => experiment.run(quick, &options),
        })?;
        for table in tables {
            if in_tables {
                print(&format!("{table}\n"))?;
            }
            rows.extend(table.to_rows(&experiment.name())?);
        }
    }
    match json {
        Some(file) => write_to(&file, |out| Ok(serde_json::to_writer_pretty(out, &rows)?)),
        None => Ok(()),
    }
}
