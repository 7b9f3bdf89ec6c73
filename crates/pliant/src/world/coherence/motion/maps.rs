//! The motion of bodies whose vertices are means of images of their rest positions: rigid and affine
//! bodies with one map, linear skins with one map per joint.

use glam::{DAffine3, DVec3};

use super::extent::{Extent, MAP_ERROR, MapStep, mapped_reach};
use super::larger;
use crate::Mesh;
use crate::deform::Influence;
use crate::query::front::Patches;

/// What each map moves.
#[derive(Debug)]
pub(in crate::world::coherence) struct MapTable {
    /// The vertices that each map moves, at rest: the largest coordinate. `None` if there are none.
    reaches: Vec<Option<f64>>,
    /// The maps of each patch; where those of each patch begin, and the end.
    parts: Vec<Part>,
    starts: Vec<u32>,
}

/// The vertices of a patch that a map moves.
#[derive(Debug, Clone, Copy)]
struct Part {
    map: u32,
    /// Around them, at rest.
    middle: DVec3,
    half: DVec3,
    /// The largest weight of the map among them.
    weight: f64,
}

impl MapTable {
    /// `influences` are the maps of a vertex with their weights, which sum to 1.
    pub(super) fn new<'a>(
        mesh: &Mesh,
        patches: &Patches,
        maps: usize,
        influences: impl Fn(u32) -> &'a [Influence],
    ) -> Self {
        let mut made = Self { reaches: vec![None; maps], parts: Vec::new(), starts: vec![0] };
        let mut own = vec![(Extent::EMPTY, 0.0_f64); maps];
        for patch in 0..patches.count() {
            for &vertex in patches.vertices(patch) {
                for influence in influences(vertex).iter().filter(|own| own.weight > 0.0) {
                    if let Some((extent, weight)) = own.get_mut(influence.joint as usize) {
                        *extent = extent.with(mesh.positions()[vertex as usize]);
                        *weight = weight.max(influence.weight);
                    }
                }
            }
            for (map, own) in own.iter_mut().enumerate() {
                let (extent, weight) = std::mem::replace(own, (Extent::EMPTY, 0.0));
                if !extent.is_empty() {
                    let (middle, half) = extent.middle_and_half();
                    made.parts.push(Part { map: map as u32, middle, half, weight });
                    let reach = made.reaches[map].unwrap_or(0.0);
                    made.reaches[map] = Some(larger(reach, extent.reach()));
                }
            }
            made.starts.push(made.parts.len() as u32);
        }
        made
    }

    /// A bound of all coordinates.
    pub(super) fn reach(&self, maps: &[DAffine3]) -> f64 {
        let own = maps.iter().zip(&self.reaches).filter_map(|(map, reach)| Some((map, (*reach)?)));
        own.map(|(map, reach)| mapped_reach(map, reach)).fold(0.0, larger)
    }
}

/// A step from some maps to others.
#[derive(Debug)]
pub(in crate::world::coherence) struct MapMotion<'a> {
    table: &'a MapTable,
    steps: Vec<MapStep>,
    /// The error of a computed position, before and after.
    error: f64,
    /// A factor for the slack of weights and their sums.
    slack: f64,
}

impl<'a> MapMotion<'a> {
    pub(super) fn new(table: &'a MapTable, from: &[DAffine3], to: &[DAffine3]) -> Self {
        let steps = from.iter().zip(to).map(|(from, to)| MapStep::new(from, to)).collect();
        // Each mean passes as many roundings as it has maps.
        let roundings = f64::EPSILON * from.len() as f64;
        let error = (MAP_ERROR + roundings) * (table.reach(from) + table.reach(to));
        // Weights sum to 1 up to 2^-40.
        let slack = 1.0 + MAP_ERROR + roundings + 2f64.powi(-39);
        Self { table, steps, error, slack }
    }

    /// How far a vertex of a patch moves at most. The way of a mean is the mean of the ways: not
    /// longer than the longest, nor than their sum, each times its largest weight.
    pub(super) fn of(&self, patch: usize) -> f64 {
        let MapTable { parts, starts, .. } = self.table;
        let (mut longest, mut sum, mut is_still) = (0.0, 0.0, true);
        for part in &parts[starts[patch] as usize..starts[patch + 1] as usize] {
            let step = &self.steps[part.map as usize];
            if !step.is_none {
                let way = step.moves(part.middle, part.half);
                longest = larger(longest, way);
                sum += part.weight * way;
                is_still = false;
            }
        }
        // The same maps of the same point: the same bits.
        if is_still { 0.0 } else { f64::min(longest, sum) * self.slack + self.error }
    }
}
