//! `pliant demo`: a built-in scene from end to end.

mod chairs;
mod curtain;
mod men;
mod protein;
mod tablecloth;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use pliant_io::{Scene, glb_bytes, read_gltf_bytes};

use crate::check::contacts::ContactSettings;
use crate::check::frame::{Frame, frame as find};
use crate::check::picture::Shown;
use crate::check::progress::Progress;
use crate::check::run::{self, MAX_PAIRS, Question};
use crate::check::times::{Moment, TimeArguments};
use crate::check::{JsonReport, LookedAt, Method};
use crate::source::Input;
use crate::table::{Table, count, seconds};
use crate::view::{ContactsView, Textures};
use crate::write::{check_writable, is_stdout, print};

/// The scenes that the demo can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Demo {
    /// A ball is thrown at a curtain that blows in the wind.
    Curtain,
    /// Two men walk past one another and brush arms.
    Men,
    /// A cloth falls on a table.
    Tablecloth,
    /// A small protein in 38 shapes.
    Protein,
    /// A heap of plastic chairs.
    Chairs,
}

/// What the command line says.
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArguments {
    /// Which scene.
    #[arg(default_value = "curtain")]
    scene: Demo,
    /// Where report and scene are written; it is made if it is missing.
    #[arg(long, value_name = "FOLDER", default_value = "pliant-demo")]
    folder: PathBuf,
    /// Write every frame's pairs and work as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A scene to be shown.
struct Act {
    /// Of its files.
    name: &'static str,
    /// What happens, in a sentence or two.
    story: String,
    scene: Scene,
    /// Whether objects are also asked whether they touch themselves.
    with_self: bool,
    /// Whether all pairs of triangles can be tested in a few seconds.
    is_small: bool,
}

pub(crate) fn run(arguments: &DemoArguments) -> Result<()> {
    if let Some(file) = &arguments.json {
        check_writable(file)?;
    }
    match arguments.scene {
        Demo::Curtain => play(&curtain::act()?, arguments),
        Demo::Men => play(&men::act()?, arguments),
        Demo::Tablecloth => play(&tablecloth::act()?, arguments),
        Demo::Protein => protein::play(arguments),
        Demo::Chairs => play(&chairs::act()?, arguments),
    }
}

/// Frames per second of all scenes.
const FPS: f64 = 30.0;

/// Rows of the table over time.
const ROWS: usize = 11;

/// Finds the contacts of a scene, prints them, writes report and GLB.
fn play(act: &Act, arguments: &DemoArguments) -> Result<()> {
    // What is checked is what is written, so that `pliant check` finds the same in the file.
    let glb = glb_bytes(&act.scene)?;
    let file = format!("{}.glb", act.name);
    let input = Input::of_scene(&file, read_gltf_bytes(&glb, &file)?)?;
    let (start, end) = input.animated_span(0).unwrap_or_default();
    let frames = ((end - start) * FPS).round() as usize;
    let moment = |frame| Moment { take: 0, frame, time: start + frame as f64 / FPS };
    let moments: Vec<Moment> = (0..=frames).map(moment).collect();
    let picture = Some(Shown::of(input.objects().len(), moments.len()));
    let contacts = ContactSettings { measured: true, margin: 0.0 };
    let question = Question {
        method: Method::Auto,
        with_self: act.with_self,
        max_pairs: MAX_PAIRS,
        keeps_pairs: true,
        contacts,
        picture,
    };
    let mut progress = Progress::new(moments.len(), false);
    let bodies = question.bodies(&input, moments.len())?;
    let blocks = run::blocks(&moments);
    let mut page = ContactsView::new(&input, &bodies, Method::Auto, Textures::Omitted, &blocks)?;
    let mut found: Vec<Frame> = Vec::new();
    let outcome = run::run(&bodies, &input, &blocks, &question, |mut frame| {
        frame.row.number = found.len();
        page.add(&frame)?;
        found.push(frame);
        progress.step();
        Ok(())
    });
    progress.finish();
    outcome?;

    let (table, deepest) = over_time(&input, &found);
    let mut text = format!("{}\n\n{table}\n", act.story);
    if act.is_small {
        let truth = once_more(&input, &found[deepest], question)?;
        let fast = found[deepest].spent.total().as_secs_f64();
        writeln!(
            text,
            "Frame {deepest} once more, testing every pair: the same {} pairs, in {} instead of {}.",
            count(found[deepest].row.pairs.len()),
            seconds(truth),
            seconds(fast)
        )?;
    }

    let folder = &arguments.folder;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let model = folder.join(&file);
    fs::write(&model, &glb).with_context(|| model.display().to_string())?;
    let report = folder.join("report.html");
    page.write(&report, &input)?;
    writeln!(
        text,
        "\nTo look at it: open {} in a browser.\nThe scene is {}: any program that reads glTF \
         opens it; try `pliant check {}`.",
        report.display(),
        model.display(),
        model.display()
    )?;
    if !arguments.json.as_deref().is_some_and(is_stdout) {
        print(&text)?;
    }
    match &arguments.json {
        Some(file) => {
            let times = TimeArguments::default();
            let run = LookedAt::new(&[input], &times, Method::Auto, None)?.run;
            let mut json = JsonReport::create(file, &run, "frames")?;
            found.iter().try_for_each(|frame| json.add(&frame.row))?;
            json.finish()
        }
        None => Ok(()),
    }
}

/// A table of some frames, and the number of the frame with most pairs.
fn over_time(input: &Input, frames: &[Frame]) -> (Table, usize) {
    let mut table = Table::new(
        "Contacts over time",
        &["frame", "touching pairs", "bounds evaluated", "triangle tests", "all of it took"],
    );
    let time = |frame: &Frame| frame.spent.total().as_secs_f64();
    for (number, frame) in frames.iter().enumerate().step_by(frames.len().div_ceil(ROWS).max(1)) {
        table.row([
            number.to_string(),
            count(frame.row.pairs.len()),
            count(frame.row.work.bounds),
            count(frame.row.work.primitive_tests),
            seconds(time(frame)),
        ]);
    }
    let deepest = (0..frames.len()).max_by_key(|&at| (frames[at].row.pairs.len(), usize::MAX - at));
    let deepest = deepest.unwrap_or(0);
    let mean = frames.iter().map(time).sum::<f64>() / frames.len() as f64;
    table.note(format!(
        "most pairs: {} in frame {deepest}; on average {} a frame",
        count(frames[deepest].row.pairs.len()),
        seconds(mean)
    ));
    let triangles = |place: &_| input.object(*place).mesh.triangles().len();
    table.note(format!(
        "there are {} triangles",
        count(input.objects().iter().map(triangles).sum::<usize>())
    ));
    (table, deepest)
}

/// Finds the contacts of a frame again by testing every pair of triangles; how long it took.
fn once_more(input: &Input, frame: &Frame, question: Question) -> Result<f64> {
    let question = Question { method: Method::BruteForce, picture: None, ..question };
    let start = Instant::now();
    let moment = Moment { take: 0, frame: frame.row.frame, time: frame.row.time };
    let truth = find(&mut question.bodies(input, 1)?, input, moment, &question)?.row;
    let same = truth.pairs == frame.row.pairs;
    ensure!(same, "at {} s the pairs differ from brute force", frame.row.time);
    Ok(start.elapsed().as_secs_f64())
}
