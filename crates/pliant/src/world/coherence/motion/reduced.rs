//! The motion of reduced bodies: modes and a frame.

use glam::{DAffine3, DVec3, Vec3};

use super::extent::{Extent, MAP_ERROR, MapStep, mapped_reach};
use crate::Mesh;
use crate::deform::Modes;
use crate::numeric::{VANISHED_LENGTH, largest_stretch, round_up};
use crate::query::front::Patches;

/// How modes move the vertices of each patch: about as they move one of them.
#[derive(Debug)]
pub(in crate::world::coherence) struct ModeTable {
    modes: usize,
    /// For each patch and mode the displacement of the patch's first vertex, and how far those of
    /// the others are from it at most.
    displacements: Vec<(Vec3, f32)>,
    /// The middle and half of the sides of each patch at rest.
    boxes: Vec<(DVec3, DVec3)>,
    /// The largest coordinate at rest, and the longest displacement of each mode.
    reach: f64,
    longest: Vec<f64>,
}

impl ModeTable {
    pub(super) fn new(mesh: &Mesh, patches: &Patches, modes: &Modes) -> Self {
        let up = |square: f64| square.sqrt() * (1.0 + MAP_ERROR) + VANISHED_LENGTH;
        let mut made = Self {
            modes: modes.count(),
            displacements: Vec::new(),
            boxes: Vec::new(),
            reach: 0.0,
            longest: vec![0.0; modes.count()],
        };
        let mut around = Extent::EMPTY;
        for patch in 0..patches.count() {
            let vertices = patches.vertices(patch);
            let first = vertices.first().map_or(&[][..], |&first| modes.of(first as usize));
            let mut away = vec![0.0_f64; first.len()];
            let mut own = Extent::EMPTY;
            for &vertex in vertices {
                let position = mesh.positions()[vertex as usize];
                (own, around) = (own.with(position), around.with(position));
                for (mode, displacement) in modes.of(vertex as usize).iter().enumerate() {
                    let displacement = displacement.as_dvec3();
                    let from_first = displacement - first[mode].as_dvec3();
                    away[mode] = away[mode].max(from_first.length_squared());
                    made.longest[mode] = made.longest[mode].max(displacement.length_squared());
                }
            }
            let each =
                first.iter().zip(&away).map(|(first, &square)| (*first, round_up(up(square))));
            made.displacements.extend(each);
            made.boxes.push(own.middle_and_half());
        }
        made.longest.iter_mut().for_each(|longest| *longest = up(*longest));
        made.reach = if around.is_empty() { 0.0 } else { around.reach() };
        made
    }

    fn of(&self, patch: usize) -> &[(Vec3, f32)] {
        &self.displacements[patch * self.modes..(patch + 1) * self.modes]
    }

    /// How far coordinates move the first vertex of a patch, and any other farther than that at most.
    #[inline]
    fn displaced(&self, patch: usize, q: &[f64]) -> (DVec3, f64) {
        let mut sum = (DVec3::ZERO, 0.0);
        for (&(first, away), &q) in self.of(patch).iter().zip(q) {
            sum.0 += q * first.as_dvec3();
            sum.1 += q.abs() * f64::from(away);
        }
        sum
    }

    /// A bound of all coordinates in the body's own space.
    pub(super) fn own_reach(&self, q: &[f64]) -> f64 {
        let displaced: f64 = self.longest.iter().zip(q).map(|(longest, q)| longest * q.abs()).sum();
        self.reach + displaced * (1.0 + MAP_ERROR)
    }
}

/// A step from some coordinates and a frame to others.
#[derive(Debug)]
pub(in crate::world::coherence) struct ModeMotion<'a> {
    table: &'a ModeTable,
    /// The coordinates before, and what is added to them.
    q: &'a [f64],
    by: Vec<f64>,
    frame: MapStep,
    /// The factor by which the new frame stretches at most.
    stretch: f64,
    /// The error of a computed position, before and after.
    error: f64,
}

impl<'a> ModeMotion<'a> {
    pub(super) fn new(
        table: &'a ModeTable,
        (q, frame): (&'a [f64], &DAffine3),
        (to, placed): (&[f64], &DAffine3),
    ) -> Self {
        // Each sum passes as many roundings as there are modes.
        let roundings = f64::EPSILON * (q.len() + 64) as f64 + MAP_ERROR;
        let reach = table.own_reach(q) + table.own_reach(to);
        let error = roundings * (mapped_reach(frame, reach) + mapped_reach(placed, reach));
        Self {
            table,
            q,
            by: q.iter().zip(to).map(|(from, to)| to - from).collect(),
            frame: MapStep::new(frame, placed),
            stretch: largest_stretch(&placed.matrix3) * (1.0 + roundings),
            error,
        }
    }

    /// How far a vertex of a patch moves at most: carried by the frame as it was, and then displaced
    /// within the new frame.
    pub(super) fn of(&self, patch: usize) -> f64 {
        let (first, away) = self.table.displaced(patch, &self.by);
        let displaced = first.length() + VANISHED_LENGTH + away;
        let carried = if self.frame.is_none {
            0.0
        } else {
            let (middle, half) = self.table.boxes[patch];
            let (first, away) = self.table.displaced(patch, self.q);
            self.frame.moves(middle + first, half + away)
        };
        (carried + self.stretch * displaced) * (1.0 + MAP_ERROR) + self.error
    }
}
