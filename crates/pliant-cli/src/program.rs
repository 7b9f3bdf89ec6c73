//! The command line of `pliant`.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::terminal::tell;
use crate::{check, clash, demo, info, interrupt, merge, simulate, sweep, touch, view, write};

const EXAMPLES: &str = "\
Examples:
  pliant check walk.glb --self      which triangles run into which, when, and where
  pliant sweep walk.glb --self      what runs into what between the frames
  pliant view walk.glb --self       the same to look at, in a browser
  pliant clash protein.pdb run.xtc  which atoms overlap without a bond, over a trajectory
  pliant info walk.glb              what is in a file, and what will hurt
  pliant simulate jelly             a thousand pieces of jelly fall down stairs (also: chairs, fish, your scene)
  pliant touch chairs               touch things that bend, with the mouse or a haptic device
  pliant demo                       a ball is thrown at a curtain: contacts over 110 frames
  pliant demo men                   two walking men (also: tablecloth, protein, chairs)
  pliant demo --json out.json       the first again, with every pair of every frame in a file

Results go to standard output, everything else to standard error.
Exit code: 0 fine, 1 a rule is violated (`--fail-on-contact`, `--baseline`, limits), 2 bad input or usage.";

/// Collision detection for things that bend.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, about, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find all triangles that touch over an animation: who, when, where, and how badly.
    Check(Box<check::CheckArguments>),
    /// Find all that touches between the frames of an animation: who, which features, and when.
    Sweep(Box<sweep::SweepArguments>),
    /// Join the parts of a divided `check` or `clash`: the reports of the whole run.
    Merge(merge::MergeArguments),
    /// Say what is in files, how it will deform, and what will hurt.
    Info(info::InfoArguments),
    /// Find atoms of a structure that clash, or beads of chains, over the frames of a trajectory.
    Clash(clash::ClashArguments),
    /// Show files in a browser: bodies, bounds and contacts, moving. Without a file: a page to drop one on.
    #[command(mut_arg("files", |files| files.required(false)))]
    View(view::ViewArguments),
    /// Let thousands of bodies that bend fall and touch: built-in scenes, or your own files.
    Simulate(Box<simulate::SimulateArguments>),
    /// Touch files and simulations: a haptic server, and a page where the mouse is the device.
    Touch(Box<touch::TouchArguments>),
    /// Run a built-in scene from end to end; needs no file.
    Demo(demo::DemoArguments),
}

/// Runs the program with its arguments, of which the first is its own name. Returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            // Names of files may stand in it.
            tell(error.render().to_string().trim_end());
            return 2;
        }
        Err(help) => help.exit(),
    };
    // Where no handler can be set, an interrupted run leaves a hidden file behind; no more.
    let _ = ctrlc::set_handler(|| {
        if interrupt::ask() {
            return;
        }
        write::remove_partial_files();
        std::process::exit(130);
    });
    // Whether contacts were found that the exit code has to tell of.
    let done = match arguments.command {
        Command::Check(check) => check::run(&check),
        Command::Sweep(sweep) => sweep::run(&sweep),
        Command::Merge(merge) => merge::run(&merge),
        Command::Clash(clash) => clash::run(&clash),
        Command::View(view) => view::run(&view).map(|()| false),
        Command::Info(info) => info::run(&info).map(|()| false),
        Command::Simulate(simulate) => simulate::run(&simulate).map(|()| false),
        Command::Touch(touch) => touch::run(&touch).map(|()| false),
        Command::Demo(demo) => demo::run(&demo).map(|()| false),
    };
    match done {
        Ok(false) => 0,
        Ok(true) => 1,
        Err(error) => {
            tell(&in_full(&error));
            2
        }
    }
}

/// An error with its causes; those that already stand in what they caused are not said again.
fn in_full(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text += &format!(": {cause}");
        }
    }
    text
}
