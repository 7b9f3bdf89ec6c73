//! A heap of rigid chairs: which of them touch.

use std::fmt::Write;
use std::time::Instant;

use anyhow::Result;
use pliant::{Body, Isometry, Work, intersections};
use pliant_scenes::pile_of_chairs;
use serde_json::{Value, json};

use crate::table::{Table, count, seconds};

/// Chairs in the heap, and the seed of how they fell.
const CHAIRS: (u32, u64) = (60, 1);

/// Finds all contacts, writes the text, returns the data.
pub(super) fn chairs(text: &mut String) -> Result<Value> {
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
