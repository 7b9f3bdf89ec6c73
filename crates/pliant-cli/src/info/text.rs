//! The tables of `pliant info`.

use std::fmt::Write as _;

use pliant_io::printable;

use super::{FileInfo, ObjectInfo};
use crate::table::{Table, count, counted};
use crate::terminal::plain;

/// Rows of a table: a file of ten thousand objects is for --json.
const ROWS: usize = 100;

/// All files, for people.
pub(super) fn text(files: &[FileInfo]) -> String {
    let mut text = String::new();
    for file in files {
        let _ = writeln!(text, "{}", objects(file));
        if !file.animations.is_empty() {
            let _ = writeln!(text, "{}", animations(file));
        }
        for warning in &file.warnings {
            let _ = writeln!(text, "  warning: {warning}");
        }
        if !file.warnings.is_empty() {
            text.push('\n');
        }
    }
    text
}

fn objects(file: &FileInfo) -> Table {
    let mut table = Table::new(
        format!(
            "{}: {}, {}",
            printable(&file.file),
            counted(file.objects.len(), "object"),
            counted(file.nodes, "node")
        ),
        &[
            "object",
            "vertices",
            "triangles",
            "deformation",
            "driven by",
            "border edges",
            "tree depth",
            "SAH cost",
        ],
    );
    for object in file.objects.iter().take(ROWS) {
        table.row([
            format!("{} {}", object.id, plain(&object.name)),
            count(object.vertices),
            count(object.triangles),
            object.deformation.into(),
            driven_by(object),
            count(object.health.boundary_edges),
            object.tree.depth.to_string(),
            format!("{:.1}", object.tree.sah_cost),
        ]);
    }
    more(&mut table, file.objects.len());
    table
}

fn driven_by(object: &ObjectInfo) -> String {
    let mut parts = Vec::new();
    if object.joints > 0 {
        parts.push(format!("{} joints ({} a vertex)", object.joints, object.influences));
    }
    if object.targets > 0 {
        parts.push(format!("{} targets", object.targets));
    }
    if object.keyframes > 0 {
        parts.push(format!("{} keyframes", object.keyframes));
    }
    if parts.is_empty() { "its node".into() } else { parts.join(", ") }
}

fn animations(file: &FileInfo) -> Table {
    let mut table = Table::new("Animations", &["animation", "start", "end", "channels"]);
    for animation in file.animations.iter().take(ROWS) {
        table.row([
            format!("{} {}", animation.index, plain(&animation.name)),
            format!("{:.3} s", animation.start),
            format!("{:.3} s", animation.end),
            animation.channels.to_string(),
        ]);
    }
    more(&mut table, file.animations.len());
    table
}

fn more(table: &mut Table, rows: usize) {
    if rows > ROWS {
        table.note(format!("and {} more: --json lists all", count(rows - ROWS)));
    }
}
