//! `pliant view`, and reports: something to look at.

mod baked;
pub(crate) mod base64;
mod clashes;
mod contacts;
mod format;
mod looks;
mod page;
mod scene;
pub(crate) mod server;
mod size;
mod steps;
mod trace;
mod without_file;

use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::check::contacts::ContactSettings;
use crate::check::picture::Shown;
use crate::check::progress::Progress;
use crate::check::run::{self, MAX_PAIRS, Question};
use crate::check::times::TimeArguments;
use crate::check::{BlendingArgument, Method};
use crate::source::{FILES, Input, InputArguments};
use crate::terminal::tell;
use crate::write::print;
pub(crate) use clashes::ClashView;
pub(crate) use contacts::ContactsView;
pub(crate) use looks::Textures;
pub(crate) use page::write_report;
pub(crate) use steps::StepsView;

const EXAMPLES: &str = "
Examples:
  pliant view walk.glb --self                       does a walking body cut itself?
  pliant view fox.glb --animation Run --textures    with the colours of the file
  pliant view cloth.obj+cloth.pc2 ball.stl --no-open --port 8080
  pliant view                                       a page on which files are dropped (pliant.html)

The page is served to this machine alone. `pliant check --report FILE.html` writes the same page as one file.";

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{FILES}\n{EXAMPLES}"))]
pub(crate) struct ViewArguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    times: TimeArguments,
    /// Also show the triangles of one object that touch one another.
    #[arg(long = "self")]
    with_self: bool,
    /// How bounds are made: those are shown.
    #[arg(long, value_enum, default_value = "auto")]
    method: Method,
    /// How the joints of skins are blended. The page shows skins that are not blended linearly as
    /// vertices for every frame, and grows accordingly.
    #[arg(long, value_enum, default_value = "linear")]
    blending: BlendingArgument,
    /// End with an error if more pairs of triangles touch in one frame.
    #[arg(long, value_name = "N", default_value_t = MAX_PAIRS)]
    max_pairs: usize,
    /// Show base colours and textures of glTF files, too.
    #[arg(long)]
    textures: bool,
    /// The port on 127.0.0.1; any that is free if none is given.
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Only print the address.
    #[arg(long)]
    no_open: bool,
}

/// Finds all contacts, then shows them until it is interrupted. Without a file it opens the page on which files are
/// dropped.
pub(crate) fn run(arguments: &ViewArguments) -> Result<()> {
    let &ViewArguments { with_self, method, max_pairs, port, .. } = arguments;
    if arguments.input.is_empty() {
        let address = without_file::address()?;
        print(&format!("{address}\n"))?;
        if !arguments.no_open {
            open_browser(&address);
        }
        return Ok(());
    }
    let loopback = Ipv4Addr::LOCALHOST.into();
    let listener = server::bind(loopback, port).with_context(|| format!("port {port}"))?;
    let input = Input::load(&arguments.input)?.blended(arguments.blending);
    input.print_warnings();
    let moments = arguments.times.choose(&input)?;
    let picture = Some(Shown::of(input.objects().len(), moments.len()));
    let contacts = ContactSettings { measured: true, margin: 0.0 };
    let question = Question { method, with_self, max_pairs, keeps_pairs: true, contacts, picture };
    let mut progress = Progress::new(moments.len(), false);
    let bodies = question.bodies(&input, moments.len())?;
    let blocks = run::blocks(&moments);
    let textures = if arguments.textures { Textures::Shown } else { Textures::Omitted };
    let mut view = ContactsView::new(&input, &bodies, method, textures, &blocks)?;
    let outcome = run::run(&bodies, &input, &blocks, &question, |frame| {
        view.add(&frame)?;
        progress.step();
        Ok(())
    });
    progress.finish();
    outcome?;
    let scene = Some(view.scene(&input)?);
    let data = server::Data { view: serde_json::to_vec(&view.finish())?, scene, touch: None };
    let address = format!("http://{}/", listener.local_addr()?);
    print(&format!("{address}\n"))?;
    tell("look at the page above; Ctrl-C ends it");
    if !arguments.no_open {
        open_browser(&address);
    }
    server::serve(&listener, data).context("the server")
}

/// Asks the system to show an address; where it cannot, the address was printed.
pub(crate) fn open_browser(address: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let silent = Stdio::null;
    let mut command = Command::new(program);
    command.args(before).arg(address).stdin(silent()).stdout(silent()).stderr(silent());
    if command.spawn().is_err() {
        tell("no browser could be opened: copy the address into one");
    }
}
