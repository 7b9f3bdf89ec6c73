//! A run of `clash` as a view, built frame by frame.

use std::path::Path;

use anyhow::Result;
use glam::DVec3;

use super::base64;
use super::format::{Beads, View, ViewFrame, ViewWork};
use super::page::write_report;
use super::size::tell_size;
use super::trace::{residues, trace};
use crate::clash::Chosen;
use crate::clash::frames::ClashFrame;
use crate::write::write_to;

/// Positions in a page, at the most: about four megabytes.
const MOST_POSITIONS: usize = 250_000;

/// Clashes in a page, at the most, unless one frame has more: about eleven megabytes.
const MOST_CLASHES: usize = 1_000_000;

/// A view that waits for its frames. When they become too many, every other one is dropped.
#[derive(Debug)]
pub(crate) struct ClashView {
    view: View,
    positions: Vec<Vec<DVec3>>,
    /// The number of clashes of each frame.
    clashes: Vec<usize>,
    beads: usize,
    every: usize,
}

impl ClashView {
    pub(crate) fn new(chosen: &Chosen, title: String) -> Self {
        let name = Path::new(&title).file_name().map(|name| name.to_string_lossy().into_owned());
        let mut view = View::new(name.unwrap_or(title));
        let chains = chosen.beads.chains.iter();
        let atom = |bead: usize| &chosen.structure.atoms[chosen.beads.atoms[bead]];
        let has_residues = (0..chosen.necklace.len()).any(|bead| !atom(bead).residue.is_empty());
        let (mut numbers, mut links, mut chain_names) = (String::new(), String::new(), Vec::new());
        if has_residues {
            chain_names = chains.clone().map(|&(first, _)| atom(first).chain.clone()).collect();
            numbers = base64::integers(residues(chosen));
            links = base64::integers(trace(chosen).into_iter().flatten());
        }
        view.beads = Some(Beads {
            radii: base64::floats(chosen.beads.radii.iter().map(|&radius| radius as f32)),
            chains: chains.map(|&(first, end)| (first, end, false)).collect(),
            chain_names,
            residues: numbers,
            trace: links,
            names: (0..chosen.necklace.len()).map(|bead| chosen.name(bead as u32)).collect(),
            positions: String::new(),
        });
        let beads = chosen.necklace.len();
        Self { view, positions: Vec::new(), clashes: Vec::new(), beads, every: 1 }
    }

    /// Takes in the next frame, with the overlap of each clash if the page cannot compute it.
    pub(crate) fn add(&mut self, frame: &ClashFrame, overlaps: impl IntoIterator<Item = f64>) {
        self.view.frames_run += 1;
        if !(self.view.frames_run - 1).is_multiple_of(self.every) {
            return;
        }
        let work = frame.found.work;
        self.positions.push(frame.positions.clone());
        self.view.frames.push(ViewFrame {
            time: frame.index as f64,
            animation: 0,
            frame: frame.index,
            pairs: String::new(),
            pairs_found: 0,
            nodes_visited: 0,
            segments: String::new(),
            contacts: Vec::new(),
            clashes: base64::integers(frame.found.pairs.iter().flatten().copied()),
            overlaps: base64::floats(overlaps.into_iter().map(|overlap| overlap as f32)),
            impacts: None,
            work: ViewWork {
                bounds: work.bounds,
                overlap_tests: work.overlap_tests,
                primitive_tests: work.primitive_tests,
                seconds: frame.seconds,
            },
        });
        self.clashes.push(frame.found.pairs.len());
        let is_full = |view: &Self| {
            view.positions.len() * view.beads > MOST_POSITIONS
                || view.clashes.iter().sum::<usize>() > MOST_CLASHES
        };
        while self.positions.len() > 1 && is_full(self) {
            let mut odd = [false; 3];
            self.positions.retain(|_| toggle(&mut odd[0]));
            self.view.frames.retain(|_| toggle(&mut odd[1]));
            self.clashes.retain(|_| toggle(&mut odd[2]));
            self.every *= 2;
        }
    }

    /// The whole view.
    pub(crate) fn finish(mut self) -> View {
        if let Some(beads) = &mut self.view.beads {
            let numbers = self.positions.iter().flatten().flat_map(|p| p.as_vec3().to_array());
            beads.positions = base64::floats(numbers);
        }
        self.view
    }

    /// Writes the whole view as one page.
    pub(crate) fn write(self, file: &Path) -> Result<()> {
        let view = self.finish();
        write_to(file, |out| write_report(out, &view, None))?;
        tell_size(file, &view, 0);
        Ok(())
    }
}

/// True the first time, then every other time.
fn toggle(odd: &mut bool) -> bool {
    *odd = !*odd;
    *odd
}
