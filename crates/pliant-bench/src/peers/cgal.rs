//! Power diagrams beside CGAL's regular triangulation, a program of its own: see `bench/cgal`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use glam::DVec3;
use pliant::power::PowerDiagram;
use pliant::volume::Ball;

use super::scratch::Scratch;
use crate::measure::{clock, in_turns};
use crate::papers::necklace::power::{timed_diagram, too_large};
use crate::papers::necklace::power_updates::motions;
use crate::papers::necklace::scenes::{Scene, diagram_inputs};
use crate::table::{Table, count, ratio, seconds};

/// The largest allowed ratio of our time to CGAL's.
const BAR: f64 = 1.5;
/// Constructions per start of the program: the caches of a new process are cold.
const ROUNDS_PER_TURN: usize = 3;

/// What CGAL's program says of one input.
#[derive(Debug, PartialEq)]
struct Peer {
    seconds: f64,
    vertices: usize,
    edges: usize,
}

/// The table: both sides in turn on the same beads.
pub(crate) fn run(program: &Path, quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces: power diagrams beside CGAL's regular triangulation",
        &[
            "input",
            "beads",
            "edges",
            "CGAL's",
            "differ",
            "ours",
            "CGAL",
            "ours/CGAL",
            "at most 1.5",
        ],
    );
    let folder = Scratch::new("cgal")?;
    let (scenes, mut notes) = diagram_inputs()?;
    let mut largest = (0.0, "");
    for scene in &scenes {
        if let Some(reason) = too_large(scene) {
            notes.push(reason.into());
            continue;
        }
        let row = measure(program, &folder, scene, quick)
            .with_context(|| format!("{} beside CGAL", scene.name))?;
        let quotient = row.ours / row.peer.seconds;
        if quotient > largest.0 {
            largest = (quotient, scene.name);
        }
        table.row([
            scene.name.into(),
            count(scene.necklace.len()),
            count(row.edges),
            count(row.peer.edges),
            count(row.differ),
            seconds(row.ours),
            seconds(row.peer.seconds),
            ratio(quotient),
            if quotient <= BAR { "yes" } else { "no" }.into(),
        ]);
    }
    let (largest, name) = largest;
    table.note(format!("largest ratio {largest:.2}, of {name}; asked: at most {BAR}"));
    table.note(
        "construction only, one thread, best of turns; CGAL: exact predicates, spatial order",
    );
    table.note("differ: edges that only one side has. Where five beads or more are orthogonal to one sphere");
    table.note("both may be right: we choose by number, CGAL by place");
    table.note("grill lies in a plane, where CGAL triangulates in two dimensions and we in three");
    notes.into_iter().for_each(|note| table.note(note));
    Ok(vec![table, moving(program, &folder, quick)?])
}

/// Beads that move: CGAL builds each state anew, we do so, or we update the diagram.
fn moving(program: &Path, folder: &Scratch, quick: bool) -> Result<Table> {
    let mut table = Table::new(
        "Necklaces: power diagrams while beads move, per step",
        &["motion", "beads", "CGAL anew", "ours anew", "", "our update", ""],
    );
    for (name, radius, frames) in motions(quick)? {
        let file = folder.file("moving");
        let balls = |centers: &Vec<DVec3>| -> Vec<Ball> {
            centers.iter().map(|&center| Ball::new(center, radius)).collect()
        };
        let mut best = [f64::INFINITY; 3];
        for _ in 0..if quick { 1 } else { 3 } {
            let mut diagram = PowerDiagram::new(&balls(&frames[0]))?;
            let mut sums = [0.0; 3];
            for centers in &frames[1..] {
                let now = balls(centers);
                fs::write(&file, beads_as_text(&now))
                    .with_context(|| file.display().to_string())?;
                sums[0] += ask(program, &file, ROUNDS_PER_TURN, None)?.seconds;
                let mut built = None;
                sums[1] += timed_diagram(&now, &mut built)?;
                let start = clock();
                diagram.advance(centers)?;
                sums[2] += clock() - start;
            }
            best.iter_mut().zip(sums).for_each(|(best, sum)| *best = best.min(sum));
        }
        let steps = (frames.len() - 1) as f64;
        let [theirs, anew, update] = best.map(|sum| sum / steps);
        table.row([
            name.into(),
            count(frames[0].len()),
            seconds(theirs),
            seconds(anew),
            ratio(anew / theirs),
            seconds(update),
            ratio(update / theirs),
        ]);
    }
    table.note("ratios: ours over CGAL's; CGAL: the best of three constructions of each state");
    Ok(table)
}

/// Both sides of one input.
struct Row {
    ours: f64,
    edges: usize,
    differ: usize,
    peer: Peer,
}

fn measure(program: &Path, folder: &Scratch, scene: &Scene, quick: bool) -> Result<Row> {
    let balls = scene.necklace.beads();
    let (beads, listed) = (folder.file("beads"), folder.file("edges"));
    fs::write(&beads, beads_as_text(balls)).with_context(|| beads.display().to_string())?;
    // Once for its edges, and to see how long a turn may be.
    let mut peer = ask(program, &beads, 1, Some(&listed))?;
    let rounds = if peer.seconds < 0.2 { ROUNDS_PER_TURN } else { 1 };
    let mut built = None;
    let [ours, theirs] = in_turns(if quick { 0.1 } else { 3.0 }, |turn| {
        if turn == 1 {
            return Ok(ask(program, &beads, rounds, None)?.seconds);
        }
        let mut best = f64::INFINITY;
        for _ in 0..rounds {
            best = best.min(timed_diagram(balls, &mut built)?);
        }
        Ok(best)
    })?;
    peer.seconds = peer.seconds.min(theirs);
    let diagram = built.context("no round")?;
    let text = fs::read_to_string(&listed).with_context(|| listed.display().to_string())?;
    let (edges, theirs) = (diagram.edges(), edges_from_text(&text, balls.len())?);
    ensure!(theirs.len() == peer.edges, "it lists {} edges of {}", theirs.len(), peer.edges);
    let shown = balls.len() - diagram.hidden().count();
    ensure!(shown == peer.vertices, "{shown} beads have a cell, by CGAL {}", peer.vertices);
    Ok(Row { ours, edges: edges.len(), differ: in_one_only(&edges, &theirs), peer })
}

/// Runs CGAL's program.
fn ask(program: &Path, beads: &Path, rounds: usize, edges: Option<&Path>) -> Result<Peer> {
    let mut command = Command::new(program);
    command.arg(beads).arg(rounds.to_string()).args(edges);
    let name = program.display();
    let output = command.output().with_context(|| format!("{name} does not start"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed ({}): {}", output.status, said.trim());
    let answer = String::from_utf8_lossy(&output.stdout);
    answer_from_text(&answer)
        .with_context(|| format!("{name} answered {:?}, not as bench/cgal does", answer.trim()))
}

/// Reads `seconds S vertices V edges E`; `None` if that is not what it says.
fn answer_from_text(text: &str) -> Option<Peer> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ["seconds", time, "vertices", vertices, "edges", edges] = words[..] else { return None };
    let seconds: f64 = time.parse().ok()?;
    (seconds > 0.0 && seconds.is_finite()).then_some(Peer {
        seconds,
        vertices: vertices.parse().ok()?,
        edges: edges.parse().ok()?,
    })
}

/// One bead per line: x y z radius. Rust prints the shortest digits that read back as the same number.
fn beads_as_text(balls: &[Ball]) -> String {
    let mut text = String::new();
    for Ball { center, radius } in balls {
        let [x, y, z] = center.to_array();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{x:e} {y:e} {z:e} {radius:e}");
    }
    text
}

/// Reads one edge per line: two numbers of beads.
fn edges_from_text(text: &str, beads: usize) -> Result<Vec<[u32; 2]>> {
    let edge = |line: &str| {
        let (low, high) = line.split_once(' ')?;
        let edge: [u32; 2] = [low.parse().ok()?, high.parse().ok()?];
        (edge[0] < edge[1] && (edge[1] as usize) < beads).then_some(edge)
    };
    let lines = (1..).zip(text.lines());
    let edges = lines.map(|(number, line)| {
        edge(line).with_context(|| format!("line {number} of its edges: {line:?} is none"))
    });
    let mut edges = edges.collect::<Result<Vec<_>>>()?;
    edges.sort_unstable();
    ensure!(edges.is_sorted_by(|a, b| a < b), "it lists an edge twice");
    Ok(edges)
}

/// How many edges only one of two lists has; both are sorted and free of repetition.
fn in_one_only(ours: &[[u32; 2]], theirs: &[[u32; 2]]) -> usize {
    let common = theirs.iter().filter(|edge| ours.binary_search(edge).is_ok()).count();
    ours.len() + theirs.len() - 2 * common
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn an_answer_is_read_and_anything_else_refused() {
        let whole = "seconds 1.25e-3 vertices 300 edges 2149\n";
        let read = Peer { seconds: 1.25e-3, vertices: 300, edges: 2149 };
        assert_eq!(answer_from_text(whole), Some(read));
        for other in [
            "",
            "seconds 1 vertices 300",
            "seconds 1 vertices 300 edges 2149 more",
            "seconds 1 edges 300 vertices 2149",
            "seconds 0 vertices 300 edges 2149",
            "seconds -1 vertices 300 edges 2149",
            "seconds inf vertices 300 edges 2149",
            "seconds nan vertices 300 edges 2149",
            "seconds 1 vertices 3.5 edges 2149",
            "seconds 1 vertices 300 edges -1",
        ] {
            assert_eq!(answer_from_text(other), None, "{other}");
        }
    }

    #[test]
    fn beads_come_back_from_text_bit_for_bit() {
        let values = [0.1, -1.0 / 3.0, f64::MIN_POSITIVE / 3.0, f64::MAX, -0.0, 5e-324];
        let balls: Vec<Ball> =
            values.iter().map(|&x| Ball::new(DVec3::new(x, -x, x / 7.0), x.abs())).collect();
        let text = beads_as_text(&balls);
        let read: Vec<u64> =
            text.split_whitespace().map(|word| word.parse::<f64>().unwrap().to_bits()).collect();
        let written = balls.iter().flat_map(|b| [b.center.x, b.center.y, b.center.z, b.radius]);
        assert_eq!(read, written.map(f64::to_bits).collect::<Vec<_>>());
        assert_eq!(text.lines().count(), balls.len());
    }

    #[test]
    fn edges_are_read_sorted_and_wrong_ones_named() {
        assert_eq!(edges_from_text("1 3\n0 2\n", 4).unwrap(), [[0, 2], [1, 3]]);
        for wrong in ["0 1\n1 0", "0 1\n1 1", "0 1\n1 4", "0 1\n1", "0 1\n1 2 3", "0 1\n-1 2"] {
            let error = edges_from_text(wrong, 4).unwrap_err().to_string();
            assert!(error.starts_with("line 2 "), "{wrong:?}: {error}");
        }
    }

    #[test]
    fn edges_of_one_side_are_counted_on_both() {
        let (ours, theirs) = ([[0, 1], [0, 2], [1, 2]], [[0, 1], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(in_one_only(&ours, &theirs), 3);
        assert_eq!(in_one_only(&ours, &ours), 0);
    }

    #[test]
    fn a_program_that_is_none_is_named() {
        let missing = Path::new("/nowhere/regular_triangulation");
        let error = ask(missing, Path::new("beads"), 1, None).unwrap_err().to_string();
        assert!(error.contains("/nowhere/regular_triangulation"), "{error}");
    }
}
