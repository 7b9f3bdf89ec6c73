//! The program `pliant`: where do things that bend touch?

mod bench;
mod demo;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  pliant demo                 a ball is thrown at a curtain: contacts over 110 frames
  pliant demo chairs          a heap of chairs: which of them touch, and where
  pliant demo --json out.json the same, with every pair of every frame in a file
  pliant bench refit          our refit beside parry3d's, on the same meshes
  pliant bench                all experiments

Results go to standard output, everything else to standard error.
Exit code: 0 fine, 2 bad input or usage.";

/// Collision detection for things that bend.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, about, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a built-in scene from end to end; needs no file.
    Demo {
        /// Which scene: curtain (a ball is thrown at a curtain) or chairs (a heap of chairs).
        #[arg(default_value = "curtain")]
        scene: demo::Demo,
        /// Write every frame's pairs and work as JSON.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Measure pliant beside other libraries, on the same input in the same run.
    Bench {
        /// Which experiment; all of them if none is named.
        experiment: Option<bench::Experiment>,
        /// Smaller inputs and fewer repetitions: for a look, not for a figure.
        #[arg(long)]
        quick: bool,
        /// Write the tables as JSON.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Demo { scene, json } => demo::run(scene, json.as_deref()),
        Command::Bench { experiment, quick, json } => {
            bench::run(experiment, quick, json.as_deref())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pliant: {error:#}");
            ExitCode::from(2)
        }
    }
}
