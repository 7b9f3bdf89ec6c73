//! The IPC Toolkit, a Python package: see `bench/ipctk`.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use glam::DVec3;
use pliant::query::WithinPair;
use pliant::{Mesh, Surface};

use super::scratch::Scratch;

/// How long the toolkit may take for one input.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// How far off distances may be, over the size of the input: the toolkit rounds.
const SAME_DISTANCE: f64 = 1e-9;

/// Two bodies as both sides see them.
pub(super) struct Input {
    meshes: [(Vec<DVec3>, Vec<[u32; 3]>); 2],
    pub(super) distance: f64,
}

impl Input {
    /// The bodies as they are now; the distance is a share of the longest side of the first body's box.
    pub(super) fn new(a: &impl Surface, b: &impl Surface, share: f64) -> Self {
        let posed = |mesh: &Mesh, vertex: &dyn Fn(u32) -> DVec3| {
            let vertices: Vec<DVec3> = (0..mesh.positions().len() as u32).map(vertex).collect();
            (vertices, mesh.triangles().to_vec())
        };
        let meshes = [posed(a.mesh(), &|v| a.vertex(v)), posed(b.mesh(), &|v| b.vertex(v))];
        let first = meshes[0].0.iter();
        let (low, high) = first.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| {
            (low.min(p), high.max(p))
        });
        Self { distance: share * (high - low).max_element(), meshes }
    }

    /// As `bench/ipctk/candidates.py` reads it. Rust prints the shortest digits that read back as the
    /// same number.
    fn to_text(&self, pairs: &[WithinPair]) -> String {
        let [a, b] = &self.meshes;
        let mut text = format!("{:e}\n", self.distance);
        // Writing to a string does not fail.
        let counts = [a.0.len(), b.0.len(), a.1.len(), b.1.len(), pairs.len()];
        let _ = writeln!(text, "{}", counts.map(|count| count.to_string()).join(" "));
        for p in a.0.iter().chain(&b.0) {
            let _ = writeln!(text, "{:e} {:e} {:e}", p.x, p.y, p.z);
        }
        for [i, j, k] in a.1.iter().chain(&b.1) {
            let _ = writeln!(text, "{i} {j} {k}");
        }
        for pair in pairs {
            let _ =
                writeln!(text, "{} {} {:e}", pair.triangles[0], pair.triangles[1], pair.distance);
        }
        text
    }
}

/// What the toolkit says of one input.
#[derive(Debug, PartialEq)]
pub(super) struct Peer {
    pub(super) seconds: f64,
    pub(super) broad_phase: String,
    pub(super) candidates: usize,
    pub(super) collisions: usize,
}

/// Times the toolkit, and checks our pairs against its candidates.
pub(super) fn ask(
    python: &Path,
    folder: &Scratch,
    input: &Input,
    pairs: &[WithinPair],
    rounds: usize,
) -> Result<Peer> {
    let file = folder.file("input");
    fs::write(&file, input.to_text(pairs)).with_context(|| file.display().to_string())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/ipctk/candidates.py");
    let mut command = Command::new(python);
    command.arg(&script).arg(&file).arg(rounds.to_string()).stdout(Stdio::piped());
    let name = python.display();
    let mut child = command.spawn().with_context(|| format!("{name} does not start"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > TIME_LIMIT {
            child.kill()?;
            child.wait()?;
            bail!("the toolkit takes more than {} s", TIME_LIMIT.as_secs());
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    ensure!(status.success(), "{} failed ({status})", script.display());
    let mut answer = String::new();
    child.stdout.take().context("no output")?.read_to_string(&mut answer)?;
    answer_from_text(&answer)
}

/// Reads the script's line. An error if pairs or distances differ.
fn answer_from_text(text: &str) -> Result<Peer> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [
        "seconds",
        seconds,
        "broad_phase",
        broad_phase,
        "candidates",
        candidates,
        "collisions",
        collisions,
        "missed",
        missed,
        "extra",
        extra,
        "farthest",
        farthest,
    ] = words[..]
    else {
        bail!("it answered {:?}, not as bench/ipctk does", text.trim());
    };
    let seconds: f64 = seconds.parse()?;
    ensure!(seconds > 0.0 && seconds.is_finite(), "a time of {seconds} s");
    let (missed, extra): (usize, usize) = (missed.parse()?, extra.parse()?);
    ensure!(missed == 0, "{missed} of our pairs have no candidate within the distance");
    ensure!(extra == 0, "{extra} candidates within the distance are not among our pairs");
    let farthest: f64 = farthest.parse()?;
    ensure!(farthest <= SAME_DISTANCE, "distances differ by {farthest:e} of the size");
    let broad_phase = broad_phase.to_string();
    Ok(Peer {
        seconds,
        broad_phase,
        candidates: candidates.parse()?,
        collisions: collisions.parse()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_and_one_that_differs_refused() {
        let line = |seconds: &str, missed: u32, extra: u32, farthest: &str| {
            format!(
                "seconds {seconds} broad_phase LBVH candidates 7 collisions 5 missed {missed} \
                 extra {extra} farthest {farthest}\n"
            )
        };
        let read = answer_from_text(&line("1.5e-3", 0, 0, "2e-16")).unwrap();
        let broad_phase = "LBVH".to_string();
        assert_eq!(read, Peer { seconds: 1.5e-3, broad_phase, candidates: 7, collisions: 5 });
        for wrong in [
            line("0", 0, 0, "0"),
            line("1", 1, 0, "0"),
            line("1", 0, 1, "0"),
            line("1", 0, 0, "1e-6"),
            line("1", 0, 0, "nan"),
            String::new(),
            "seconds 1".into(),
        ] {
            assert!(answer_from_text(&wrong).is_err(), "{wrong}");
        }
    }
}
