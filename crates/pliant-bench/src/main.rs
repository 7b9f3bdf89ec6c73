//! Benchmarks of pliant: its figures beside those of others, from one run on one input.
//!
//! `cargo run --release -p pliant-bench -- --help` lists the experiments.

mod build;
mod cloth;
mod creatures;
mod curtain;
mod event_queues;
mod growth_cost;
mod growth_forms;
mod measure;
mod men;
mod mode_trees;
mod morph_sizes;
mod motion;
mod motion_tables;
mod necklace;
mod peer;
mod query;
mod radii;
mod refit;
mod skin_duel;
mod skin_rays;
mod skin_self;
mod skin_trees;
mod skin_update;
mod slow_motion;
mod smooth_modes;
mod spheres;
mod stored_characters;
mod tablecloth;
mod tightness;
mod triangles;
mod untaken_forms;
mod update;
mod weight_corners;
mod wide_nodes;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Parser;
use pliant_cli::table::{self, Table};
use pliant_cli::write::{check_writable, is_stdout, print, write_to};

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Experiment {
    /// Refit of all boxes after all vertices moved, 12k to 770k triangles.
    Refit,
    /// Curtain and ball: queries apart and in contact, every strategy.
    Query,
    /// The exact triangle test on the pairs that a traversal yields.
    Triangles,
    /// Building a tree: time and quality.
    Build,
    /// Curtain and ball, frame by frame: bounds from coordinates against refits.
    Curtain,
    /// How tight bounds from coordinates are, by level.
    Tightness,
    /// What one bound from coordinates costs, and a deformable body against a rigid one.
    Update,
    /// Keyframed motion: updates and queries over mesh size and frames a keyframe.
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
    /// What one bound from joints costs.
    SkinUpdate,
}

impl Experiment {
    const ALL: [Self; 16] = [
        Self::Refit,
        Self::Query,
        Self::Triangles,
        Self::Build,
        Self::Curtain,
        Self::Tightness,
        Self::Update,
        Self::SlowMotion,
        Self::Tablecloth,
        Self::Cloth,
        Self::Spheres,
        Self::Necklace,
        Self::Men,
        Self::Creatures,
        Self::Radii,
        Self::SkinUpdate,
    ];

    fn run(self, quick: bool, table: Option<u8>) -> Result<Vec<Table>> {
        match self {
            Self::Refit => refit::run(quick),
            Self::Query => query::run(quick),
            Self::Triangles => triangles::run(quick),
            Self::Build => build::run(quick),
            Self::Curtain => curtain::run(quick),
            Self::Tightness => tightness::run(quick),
            Self::Update => update::run(quick),
            Self::SlowMotion => slow_motion::run(quick),
            Self::Tablecloth => tablecloth::run(quick),
            Self::Cloth => cloth::run(quick),
            Self::Spheres => spheres::run(quick),
            Self::Necklace => necklace::run(quick, table),
            Self::Men => men::run(quick),
            Self::Creatures => creatures::run(quick),
            Self::Radii => radii::run(quick),
            Self::SkinUpdate => skin_update::run(quick),
        }
    }
}

/// Measures pliant beside other libraries, on the same input in the same run.
#[derive(Debug, Parser)]
#[command(name = "pliant-bench", version, about)]
struct Arguments {
    /// Which experiment; all of them if none is named.
    experiment: Option<Experiment>,
    /// Smaller inputs and fewer repetitions: for a look, not for a figure.
    #[arg(long)]
    quick: bool,
    /// Only one of the seven tables of `necklace`.
    #[arg(long, value_name = "1..7", value_parser = clap::value_parser!(u8).range(1..=i64::from(necklace::TABLES)))]
    table: Option<u8>,
    /// Only power diagrams of `necklace`, beside CGAL's; `bench/cgal/run` builds the program for it.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "table")]
    cgal: Option<PathBuf>,
    /// Write the tables as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn main() -> Result<()> {
    let Arguments { experiment, quick, table, cgal, json } = Arguments::parse();
    run(experiment, quick, table, cgal.as_deref(), json.as_deref())
}

fn run(
    experiment: Option<Experiment>,
    quick: bool,
    table: Option<u8>,
    cgal: Option<&Path>,
    json: Option<&Path>,
) -> Result<()> {
    ensure!(
        table.is_none() || experiment == Some(Experiment::Necklace),
        "--table is for `necklace` only: no other experiment has numbered tables"
    );
    ensure!(
        cgal.is_none() || experiment == Some(Experiment::Necklace),
        "--cgal is for `necklace` only: no other experiment has that peer"
    );
    let chosen = experiment.map_or(Experiment::ALL.to_vec(), |one| vec![one]);
    if let Some(file) = json {
        check_writable(file)?;
    }
    // One thread, unless an experiment says otherwise.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut tables = Vec::new();
    for experiment in chosen {
        let measured = pool.install(|| match cgal {
            Some(program) => necklace::run_beside_cgal(program, quick),
            None => experiment.run(quick, table),
        })?;
        for table in measured {
            if !json.is_some_and(is_stdout) {
                print(&format!("{table}\n"))?;
            }
            tables.push(table.to_json());
        }
    }
    if let Some(file) = json {
        write_to(file, |out| Ok(serde_json::to_writer_pretty(out, &tables)?))?;
    }
    Ok(())
}
