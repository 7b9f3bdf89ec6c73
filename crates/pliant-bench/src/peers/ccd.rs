//! Raw queries of impact from a file: answers, stages and time, for comparison with others.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::ValueEnum;
use pliant::contact::{
    ImpactStages, ImpactTime, edge_edge_impact_counted, vertex_face_impact_counted,
};
use pliant_cli::write::{check_writable, is_stdout, print, write_to};
use pliant_scenes::{ImpactQuery, read_impact_queries};
use serde::Serialize;

/// Which features a file's queries are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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
    // Each query by itself, best of three, for the longest.
    let alone = |query: &ImpactQuery| {
        let rounds = (0..3).map(|_| {
            let start = Instant::now();
            std::hint::black_box(answer(kind, query, &mut ImpactStages::default()));
            start.elapsed().as_secs_f64()
        });
        rounds.fold(f64::INFINITY, f64::min)
    };
    let longest = queries.iter().map(alone).fold(0.0, f64::max);
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
