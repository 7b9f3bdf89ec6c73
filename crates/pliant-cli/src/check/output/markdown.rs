//! Markdown, for the comment below a change.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use crate::check::gate::{Gate, Verdict, who};
use crate::check::row::RunRow;
use crate::check::summary::Summary;
use crate::number::short;
use crate::write::write_to;

/// Rows of a table, at the most: comments have a limit.
const ROWS: usize = 100;

/// Writes the verdict and the table by pairs of objects.
pub(crate) fn write_markdown(
    file: &Path,
    run: &RunRow,
    gate: &Gate,
    verdict: &Verdict,
    summary: &Summary,
) -> Result<()> {
    let mut text = String::from("### pliant check\n\n");
    let violations = verdict.violations().count();
    match (gate.is_set(), violations) {
        (true, 0) => text += "**Passed.**\n\n",
        (true, count) => writeln!(text, "**Failed**: {count} violated.\n")?,
        (false, _) => {}
    }
    for violation in verdict.violations().take(ROWS) {
        writeln!(text, "- {}", cell(&violation.text(run)))?;
    }
    if violations > ROWS {
        writeln!(text, "- and {} more", violations - ROWS)?;
    }
    if violations > 0 {
        text.push('\n');
    }
    let rows = summary.rows(run);
    if rows.is_empty() {
        text += "No contacts.\n";
    } else {
        text += "| objects | animation | frames | deepest at | depth | place | near |\n";
        text += "| --- | --- | ---: | ---: | ---: | --- | --- |\n";
    }
    for row in rows.iter().take(ROWS) {
        let [x, y, z] = row.worst.at.map(short);
        writeln!(
            text,
            "| {} | {} | {} | {} s | {} | {x}, {y}, {z} | {} |",
            cell(&who(run, row.worst.objects)),
            cell(run.animations.get(row.animation).map_or("", |one| &one.name)),
            row.frames,
            short(row.time),
            row.depth_text(),
            cell(&row.near()),
        )?;
    }
    if rows.len() > ROWS {
        writeln!(text, "\nand {} more pairs of objects", rows.len() - ROWS)?;
    }
    write_to(file, |out| out.write_all(text.as_bytes()))
}

/// Text that stays within its cell and is no markup.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '@' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
