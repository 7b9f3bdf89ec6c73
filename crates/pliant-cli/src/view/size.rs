//! What takes the space of a large report.

use std::fmt::Write as _;
use std::path::Path;

use super::format::View;
use super::page::{SCRIPT, STYLE};

/// A larger report says why, in bytes: mail and chat programs refuse files of such a size.
const LARGE: usize = 10_000_000;

/// Prints how much textures take, and what takes the space of a report if it is large.
pub(super) fn tell_size(file: &Path, view: &View, scene: usize) {
    if !view.looks.is_empty() {
        let (count, size) = (view.images.len(), megabytes(texture_bytes(view)));
        let pictures = if count == 1 { "picture" } else { "pictures" };
        let name = file.display();
        eprintln!("pliant: note: {name}: colours of the files take {size} ({count} {pictures})");
    }
    if let Some(text) = why_large(view, scene) {
        eprintln!("pliant: note: {}: {text}", file.display());
    }
}

/// The parts of a large report, the largest first; `None` if it is not large.
fn why_large(view: &View, scene: usize) -> Option<String> {
    let frames = view.frames.len();
    let mut parts = [
        ("touching pairs", sum(&view.frames, |frame| frame.pairs.len() + frame.segments.len())),
        ("clashes", sum(&view.frames, |frame| frame.clashes.len() + frame.overlaps.len())),
        // About 190 characters of JSON for each.
        ("contacts of objects", sum(&view.frames, |frame| 190 * frame.contacts.len())),
        (
            "motion",
            sum(&view.objects, |object| {
                let states = &object.states;
                states.frames.len() + states.weights.len() + states.joints.len()
            }),
        ),
        (
            "bounds",
            sum(&view.objects, |object| {
                sum(&object.levels, |level| level.volumes.len() + level.visited.len())
            }),
        ),
        ("positions of beads", view.beads.as_ref().map_or(0, |beads| beads.positions.len())),
        ("meshes at rest", scene.div_ceil(3) * 4),
        ("textures", texture_bytes(view)),
        ("the page", SCRIPT.len() + STYLE.len()),
    ];
    let total: usize = parts.iter().map(|&(_, size)| size).sum();
    if total <= LARGE {
        return None;
    }
    parts.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
    let mut text = format!("{} with {frames} frames:", megabytes(total));
    for (name, size) in parts.into_iter().filter(|&(_, size)| size > LARGE / 100) {
        let _ = write!(text, " {name} {},", megabytes(size));
    }
    text.pop();
    if frames > 1 {
        text += "; fewer frames make it smaller";
    }
    Some(text)
}

/// The pictures and the places of vertices in them.
fn texture_bytes(view: &View) -> usize {
    sum(&view.images, |image| image.bytes.len()) + sum(&view.looks, |look| look.coordinates.len())
}

fn megabytes(size: usize) -> String {
    format!("{:.1} MB", size as f64 / 1e6)
}

fn sum<T>(all: &[T], size: impl Fn(&T) -> usize) -> usize {
    all.iter().map(size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_report_says_what_takes_the_space() {
        let view = View::new("small");
        assert_eq!(why_large(&view, 1_000_000), None);
        let text = why_large(&view, 9_000_000).unwrap();
        // The page itself grows and shrinks.
        assert!(text.starts_with("12."), "{text}");
        let parts = " MB with 0 frames: meshes at rest 12.0 MB, the page 0.";
        assert!(text.contains(parts), "{text}");
    }
}
