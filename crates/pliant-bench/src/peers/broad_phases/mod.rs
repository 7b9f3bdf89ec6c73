//! Broad phases beside those of others: worlds of boxes at rest and in motion, and probes of one mesh.

mod contestants;
mod probes;
mod rapier;
mod worlds;

use anyhow::Result;

use crate::table::Table;

/// One of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Boxes evenly in a cube.
    Uniform,
    /// Boxes in dense balls.
    Clustered,
    /// Boxes of sizes from 1 to 64.
    Mixed,
    /// Boxes in a square.
    Flat,
    /// Boxes in a cube that move.
    MovingUniform,
    /// Boxes in balls that move.
    MovingClustered,
    /// Points, segments, rays and triangles against one mesh.
    Probes,
}

pub(crate) fn run(quick: bool, most: Option<usize>, only: Option<Part>) -> Result<Vec<Table>> {
    let most = most.unwrap_or(if quick { 1000 } else { 1_000_000 });
    let all = <Part as clap::ValueEnum>::value_variants();
    let mut tables = Vec::new();
    for &part in all.iter().filter(|&&part| only.is_none_or(|only| only == part)) {
        match part {
            Part::Probes => tables.extend(probes::run(quick)?),
            _ => tables.extend(worlds::run(part, most)?),
        }
    }
    Ok(tables)
}

/// A number of a pair that does not depend on the order in which pairs are added up.
fn digest([i, j]: [u32; 2]) -> u64 {
    let both = u64::from(i) << 32 | u64::from(j);
    (both ^ both >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A set of pairs: how many, and the sum of their digests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Pairs {
    count: u64,
    digest: u64,
}

impl Pairs {
    fn add(&mut self, pair: [u32; 2]) {
        self.count += 1;
        self.digest = self.digest.wrapping_add(digest(pair));
    }
}
