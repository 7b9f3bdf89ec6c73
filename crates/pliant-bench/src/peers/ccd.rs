//! Raw queries of impact from a file: answers, stages and time, for comparison with others.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::ValueEnum;
use pliant::contact::{
    ImpactStages, ImpactTime, edge_edge_impact_counted, vertex_face_impact_counted,
};
use pliant::query::{Adjacency, Features, Step, self_sweep_candidates};
use pliant::{Body, Surface as _};
use pliant_cli::write::{check_writable, is_stdout, print, write_to};
use pliant_scenes::{ImpactQuery, read_impact_queries};
use serde::Serialize;

use crate::measure::best_of;
use crate::table::{Table, count, seconds};

/// Which features a file's queries are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Kind {
    /// Vertex and face.
    Vf,
    /// Edge and edge.
    Ee,
}

/// What `--json` writes.
#[derive(Debug, Serialize)]
struct Report {
    results: Vec<Outcome>,
    stages: Stages,
    /// Of all queries, one after the other on one thread.
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Outcome {
    hit: bool,
    /// Neighbouring numbers around the time of impact.
    toi: Option<[f64; 2]>,
}

#[derive(Debug, Serialize)]
struct Stages {
    filter_no: u64,
    filter_yes: u64,
    exact: u64,
    flat: u64,
    long: u64,
}

fn answer(kind: Kind, query: &ImpactQuery, stages: &mut ImpactStages) -> Option<ImpactTime> {
    match kind {
        Kind::Vf => vertex_face_impact_counted(query.start, query.end, stages),
        Kind::Ee => edge_edge_impact_counted(query.start, query.end, stages),
    }
}

/// The time of the query that takes longest, each by itself, best of three.
fn longest(kind: Kind, queries: &[ImpactQuery]) -> f64 {
    let alone = |query: &ImpactQuery| {
        let rounds = (0..3).map(|_| {
            let start = Instant::now();
            black_box(answer(kind, query, &mut ImpactStages::default()));
            start.elapsed().as_secs_f64()
        });
        rounds.fold(f64::INFINITY, f64::min)
    };
    queries.iter().map(alone).fold(0.0, f64::max)
}

/// The queries of all files below a folder, by folder and kind: what `vertex-face` or `edge-edge` in the
/// path says, or `vf` or `ee` at the end of the name. Other files are left out.
fn sets(folder: &Path) -> Result<BTreeMap<(String, Kind), Vec<ImpactQuery>>> {
    let mut sets: BTreeMap<(String, Kind), Vec<ImpactQuery>> = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let name = path.display().to_string();
        if path.is_dir() {
            let list = std::fs::read_dir(&path).with_context(|| format!("cannot read {name}"))?;
            let mut inside = list.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
            inside.sort();
            open.extend(inside.into_iter().rev());
            continue;
        }
        let Some(stem) = name.strip_suffix(".csv") else { continue };
        let kind = if stem.contains("edge-edge") || stem.ends_with("ee") {
            Kind::Ee
        } else if stem.contains("vertex-face") || stem.ends_with("vf") {
            Kind::Vf
        } else {
            continue;
        };
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
        let queries =
            read_impact_queries(&text).with_context(|| format!("{name} has no queries"))?;
        let set = path.parent().and_then(Path::parent).and_then(Path::file_name);
        let set = set.map_or(String::new(), |set| set.to_string_lossy().into_owned());
        sets.entry((set, kind)).or_default().extend(queries);
    }
    Ok(sets)
}

/// What sweeps of the frames below a folder decide, by set and kind: folders called `frames` with two
/// meshes.
fn swept_sets(folder: &Path) -> Result<BTreeMap<(String, Kind), Vec<ImpactQuery>>> {
    let mut sets: BTreeMap<(String, Kind), Vec<ImpactQuery>> = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        let list = std::fs::read_dir(&path);
        let list = list.with_context(|| format!("cannot read {}", path.display()))?;
        let mut inside = list.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        inside.sort();
        if path.ends_with("frames")
            && let [first, last] = &inside[..]
        {
            let set = path.parent().and_then(Path::file_name).unwrap_or_default();
            let set = set.to_string_lossy().into_owned();
            for (kind, query) in decided(first, last)? {
                sets.entry((set.clone(), kind)).or_default().push(query);
            }
        }
        open.extend(inside.into_iter().filter(|path| path.is_dir()));
    }
    Ok(sets)
}

/// What a sweep between two files of one topology decides.
fn decided(first: &Path, last: &Path) -> Result<Vec<(Kind, ImpactQuery)>> {
    let [start, end] = [pliant_io::load(first)?, pliant_io::load(last)?];
    let [start, end] = [&start, &end].map(|scene| &scene.objects()[0].mesh);
    let (mut from, mut to) = (Body::free((**start).clone())?, Body::free((**start).clone())?);
    from.set_positions(start.positions())?;
    to.set_positions(end.positions())?;
    let candidates = self_sweep_candidates(&Step::new(&from, &to)?, Adjacency::ByIndex);
    let query = |points: [u32; 4]| {
        let [start, end] = [&from, &to].map(|body| points.map(|vertex| body.vertex(vertex)));
        ImpactQuery { start, end, label: None }
    };
    let queries = candidates.iter().map(|features| match *features {
        Features::VertexFace { vertex, face } | Features::FaceVertex { face, vertex } => {
            let [p, q, r] = start.triangles()[face as usize];
            (Kind::Vf, query([vertex, p, q, r]))
        }
        Features::EdgeEdge { first: [p, q], second: [r, s] } => (Kind::Ee, query([p, q, r, s])),
    });
    Ok(queries.collect())
}

/// Answers all queries below a folder, and what sweeps of frames below it decide: a row per set.
pub(crate) fn tables(folder: &Path, quick: bool) -> Result<Vec<Table>> {
    let files = table("Queries of impact, one by one", sets(folder)?, quick);
    Ok(vec![files, table("What sweeps decide, one by one", swept_sets(folder)?, quick)])
}

fn table(title: &str, sets: BTreeMap<(String, Kind), Vec<ImpactQuery>>, quick: bool) -> Table {
    let columns =
        ["set", "kind", "queries", "hits", "unlike their label", "a query", "rejected", "longest"];
    let mut table = Table::new(title, &columns).with_keys(2);
    for ((set, kind), queries) in sets {
        let ask = |of: &[&ImpactQuery]| {
            let mut stages = ImpactStages::default();
            of.iter().filter(|query| black_box(answer(kind, query, &mut stages)).is_some()).count()
        };
        let hit = |query: &ImpactQuery| answer(kind, query, &mut ImpactStages::default()).is_some();
        let unlike = |query: &&ImpactQuery| query.label.is_some_and(|label| label != hit(query));
        let all: Vec<&ImpactQuery> = queries.iter().collect();
        let rejected: Vec<&ImpactQuery> = queries.iter().filter(|query| !hit(query)).collect();
        let [whole, no] = best_of(
            if quick { 2 } else { 10 },
            [
                &mut || {
                    black_box(ask(&all));
                },
                &mut || {
                    black_box(ask(&rejected));
                },
            ],
        );
        let each = |time: f64, of: &[&ImpactQuery]| seconds(time / of.len().max(1) as f64);
        table.row([
            set.as_str().into(),
            if kind == Kind::Vf { "vf".into() } else { "ee".into() },
            count(queries.len()),
            count(queries.len() - rejected.len()),
            count(queries.iter().filter(unlike).count()),
            each(whole, &all),
            each(no, &rejected),
            seconds(longest(kind, &queries)),
        ]);
    }
    table
}

/// Answers the queries of a file.
pub(crate) fn run(data: &Path, kind: Kind, json: Option<&Path>) -> Result<()> {
    if let Some(file) = json {
        check_writable(file)?;
    }
    let name = data.display();
    let text = std::fs::read_to_string(data).with_context(|| format!("cannot read {name}"))?;
    let queries = read_impact_queries(&text).with_context(|| format!("{name} has no queries"))?;
    let mut stages = ImpactStages::default();
    let start = Instant::now();
    let times: Vec<Option<ImpactTime>> =
        queries.iter().map(|query| answer(kind, query, &mut stages)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let longest = longest(kind, &queries);
    let wrong = queries.iter().zip(&times);
    let wrong = wrong.filter(|(query, time)| query.label.is_some_and(|hit| hit != time.is_some()));
    let (wrong, hits) = (wrong.count(), times.iter().flatten().count());
    let ImpactStages { filter_no, filter_yes, exact, flat, long } = stages;
    if !json.is_some_and(is_stdout) {
        print(&format!(
            "{} queries, {hits} hits, {wrong} unlike their label; {:.0} ns per query, {:.0} ns the longest\n\
             filter: {filter_no} no, {filter_yes} yes; exact: {exact}, of these {flat} flat, {long} long\n",
            queries.len(),
            seconds * 1e9 / queries.len().max(1) as f64,
            longest * 1e9,
        ))?;
    }
    let outcome = |time: &Option<ImpactTime>| Outcome {
        hit: time.is_some(),
        toi: time.map(|time| [time.lo, time.hi]),
    };
    let results = times.iter().map(outcome).collect();
    let report =
        Report { results, stages: Stages { filter_no, filter_yes, exact, flat, long }, seconds };
    match json {
        Some(file) => write_to(file, |out| Ok(serde_json::to_writer_pretty(out, &report)?)),
        None => Ok(()),
    }
}
