//! `pliant demo`: a built-in scene from end to end.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::query::brute_force;
use pliant::{Body, Isometry, Work, intersections};
use pliant_scenes::{curtain_and_ball, pile_of_chairs};
use serde_json::{Value, json};

use crate::table::{Table, count, seconds};
use crate::write::{check_writable, is_stdout, print, write_to};

/// The scenes that the demo can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Demo {
    /// A ball is thrown at a curtain that blows in the wind.
    Curtain,
    /// A heap of plastic chairs.
    Chairs,
}

pub(crate) fn run(demo: Demo, json: Option<&Path>) -> Result<()> {
    if let Some(file) = json {
        check_writable(file)?;
    }
    let mut text = String::new();
    let result = match demo {
        Demo::Curtain => curtain(&mut text)?,
        Demo::Chairs => chairs(&mut text)?,
    };
    if !json.is_some_and(is_stdout) {
        print(&text)?;
    }
    if let Some(file) = json {
        write_to(file, |out| Ok(serde_json::to_writer(out, &result)?))?;
    }
    Ok(())
}

/// Frames between two rows of the curtain's table.
const SHOWN_EVERY: usize = 10;

fn curtain(text: &mut String) -> Result<Value> {
    let scene = curtain_and_ball(0, 4)?;
    let (cloth_mesh, ball_mesh) = (&scene.curtain.mesh, &scene.ball.mesh);
    let mut cloth = Body::free(cloth_mesh.clone())?;
    let mut ball = Body::rigid(ball_mesh.clone())?;
    writeln!(
        text,
        "A ball ({} triangles) is thrown at a curtain ({} triangles) that blows in the wind.\n\
         Every frame: move the curtain, refit its boxes, find all pairs of triangles that touch.\n",
        count(ball_mesh.triangles().len()),
        count(cloth_mesh.triangles().len()),
    )?;

    let mut table = Table::new(
        "Contacts over time",
        &["frame", "touching pairs", "boxes looked at", "triangle tests", "refit", "query"],
    );
    let nodes = cloth.nodes() + ball.nodes();
    let all_tests = cloth_mesh.triangles().len() * ball_mesh.triangles().len();
    let (mut frames, mut worst) = (Vec::new(), (0, 0));
    let (mut refit_total, mut query_total) = (0.0, 0.0);
    let mut positions = vec![DVec3::ZERO; cloth_mesh.positions().len()];
    for (frame, &center) in scene.ball.centers.iter().enumerate() {
        scene.curtain.positions_into(frame, &mut positions)?;
        let start = Instant::now();
        cloth.set_positions(&positions)?;
        ball.set_isometry(Isometry::from_translation(center)?);
        let refitted = Instant::now();
        let hit = intersections(&cloth, &ball);
        let (refit, query) = (refitted - start, refitted.elapsed());
        refit_total += refit.as_secs_f64();
        query_total += query.as_secs_f64();
        if hit.pairs.len() > worst.1 {
            worst = (frame, hit.pairs.len());
        }
        if frame % SHOWN_EVERY == 0 {
            table.row([
                frame.to_string(),
                count(hit.pairs.len()),
                count(hit.work.bounds),
                count(hit.work.primitive_tests),
                seconds(refit.as_secs_f64()),
                seconds(query.as_secs_f64()),
            ]);
        }
        frames.push(json!({
            "frame": frame,
            "pairs": hit.pairs,
            "work": work(hit.work, query.as_secs_f64()),
        }));
    }
    let n = frames.len() as f64;
    table.note(format!(
        "most pairs: {} in frame {}; on average {} to refit and {} to query a frame",
        count(worst.1),
        worst.0,
        seconds(refit_total / n),
        seconds(query_total / n)
    ));
    table.note(format!(
        "there are {} boxes, and {} pairs of triangles that could touch",
        count(nodes),
        count(all_tests)
    ));
    writeln!(text, "{table}")?;

    eprintln!("checking frame {} against all {} pairs ...", worst.0, count(all_tests));
    scene.curtain.positions_into(worst.0, &mut positions)?;
    cloth.set_positions(&positions)?;
    ball.set_isometry(Isometry::from_translation(scene.ball.centers[worst.0])?);
    let start = Instant::now();
    let hit = intersections(&cloth, &ball);
    let fast = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let truth = brute_force::intersections(&cloth, &ball);
    let slow = start.elapsed().as_secs_f64();
    ensure!(hit.pairs == truth.pairs, "frame {}: the pairs differ from brute force", worst.0);
    writeln!(
        text,
        "Frame {} once more, testing every pair: the same {} pairs, in {} instead of {}.",
        worst.0,
        count(truth.pairs.len()),
        seconds(slow),
        seconds(fast)
    )?;
    Ok(json!({ "pliant": env!("CARGO_PKG_VERSION"), "demo": "curtain", "frames": frames }))
}

/// Chairs in the heap, and the seed of how they fell.
const CHAIRS: (u32, u64) = (60, 1);

fn chairs(text: &mut String) -> Result<Value> {
    let pile = pile_of_chairs(CHAIRS.0, CHAIRS.1)?;
    let first = Body::rigid(pile.chair.clone())?;
    let mut bodies = Vec::new();
    for &(rotation, translation) in &pile.placements {
        let mut body = first.clone();
        body.set_isometry(Isometry::new(rotation, translation)?);
        bodies.push(body);
    }
    writeln!(
        text,
        "A heap of {} chairs of {} triangles each. They share one mesh and one tree.\n",
        bodies.len(),
        count(pile.chair.triangles().len())
    )?;
    let start = Instant::now();
    let (mut touching, mut total, mut apart) = (Vec::new(), Work::default(), 0);
    for (i, a) in bodies.iter().enumerate() {
        for (j, b) in bodies.iter().enumerate().skip(i + 1) {
            let hit = intersections(a, b);
            total += hit.work;
            if hit.pairs.is_empty() {
                apart += 1;
            } else {
                touching.push((i, j, hit));
            }
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    touching.sort_by_key(|(i, j, hit)| (std::cmp::Reverse(hit.pairs.len()), *i, *j));
    let mut table = Table::new(
        "Chairs that touch (the ten deepest)",
        &["chairs", "touching pairs", "boxes looked at", "triangle tests"],
    );
    for (i, j, hit) in touching.iter().take(10) {
        table.row([
            format!("{i} and {j}"),
            count(hit.pairs.len()),
            count(hit.work.bounds),
            count(hit.work.primitive_tests),
        ]);
    }
    table.note(format!(
        "{} pairs of chairs touch, {} do not; {} boxes and {} triangle tests in {} altogether",
        touching.len(),
        apart,
        count(total.bounds),
        count(total.primitive_tests),
        seconds(elapsed)
    ));
    writeln!(text, "{table}")?;
    let contacts: Vec<Value> = touching
        .iter()
        .map(|(i, j, hit)| json!({ "chairs": [i, j], "pairs": hit.pairs }))
        .collect();
    Ok(json!({
        "pliant": env!("CARGO_PKG_VERSION"),
        "demo": "chairs",
        "contacts": contacts,
        "work": work(total, elapsed),
    }))
}

fn work(work: Work, seconds: f64) -> Value {
    json!({
        "bounds": work.bounds,
        "overlap_tests": work.overlap_tests,
        "primitive_tests": work.primitive_tests,
        "seconds": seconds,
    })
}
