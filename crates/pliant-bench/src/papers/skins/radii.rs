//! How tight spheres from joints are, by level (Kavan & Žára 2006, table 1).

use anyhow::Result;
use glam::DVec3;
use pliant::deform::{Binding, Blending};
use pliant::tree::{BuildSettings, level_of_nodes, primitive_runs};
use pliant::volume::{Aabb, Ball, Sphere, Volume as _, smallest_sphere};
use pliant::{Body, Collide, FreeBody};
use pliant_scenes::{Character, creature, man};

use super::duel::weights_of;
use crate::table::{Cell, Table, ratio_to};

/// The paper's creature by level: means of reference, linear, spherical and optimal radii.
pub(super) const PAPER: [[f64; 4]; 9] = [
    [34.55, 72.17, 79.55, 34.41],
    [18.86, 31.58, 33.95, 22.05],
    [7.38, 8.40, 8.89, 7.39],
    [3.68, 4.03, 4.12, 3.69],
    [1.69, 1.80, 1.83, 1.70],
    [0.91, 0.97, 0.98, 0.92],
    [0.61, 0.65, 0.66, 0.61],
    [0.42, 0.43, 0.43, 0.42],
    [0.30, 0.30, 0.30, 0.30],
];

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let frames = if quick { 2 } else { 8 };
    let (creature, man) = (creature()?, man()?);
    Ok(vec![by_level("Creature", &creature, frames, true)?, by_level("Man", &man, frames, false)?])
}

/// Radii of all nodes of each level over the poses of a walk.
fn by_level(name: &str, character: &Character, frames: u32, paper: bool) -> Result<Table> {
    // Four children per node: nearer to the paper's pruned tree than two.
    let settings = BuildSettings::WIDE;
    let mesh = &character.mesh;
    let make = |blending| -> Result<_> {
        let binding = Binding::new(weights_of(character), character.joints.len())?;
        Ok(Body::skinned_spheres(mesh.clone(), binding, blending, &settings)?)
    };
    let mut ours =
        [make(Blending::Linear)?, make(Blending::Spherical)?, make(Blending::DualQuaternion)?];
    let boxes_at_rest = {
        let binding = Binding::new(weights_of(character), character.joints.len())?;
        Body::skinned_with(mesh.clone(), binding, Blending::Linear, &settings)?
    };
    let mut tight_boxes = Body::free_with(mesh.clone(), &settings)?;
    let levels = level_of_nodes(tight_boxes.tree());
    let below = vertices_below(&tight_boxes);
    let depth = levels.iter().max().map_or(0, |&level| level as usize + 1);
    let reference = smallest(&below, mesh.positions());
    // Reference, then for each blending the refitted and the optimal radius; last the boxes.
    let mut columns = vec![vec![Spread::default(); depth]; 7];
    let mut looseness = vec![[Spread::default(); 4]; depth];
    for frame in 0..frames {
        let pose = character.pose(character.walk_period() * f64::from(frame) / f64::from(frames));
        for (which, body) in ours.iter_mut().enumerate() {
            body.set_pose(&pose, &[])?;
            let positions: Vec<_> = (0..).map_while(|vertex| body.position(vertex)).collect();
            let (refitted, best) = (radii(body), smallest(&below, &positions));
            for (node, &level) in levels.iter().enumerate() {
                let level = level as usize;
                columns[1 + 2 * which][level].add(refitted[node]);
                columns[2 + 2 * which][level].add(best[node]);
                looseness[level][which].add(refitted[node] / best[node]);
                if which == 0 {
                    columns[0][level].add(reference[node]);
                }
            }
            if which == 0 {
                // A body that is asked for all of its nodes would be moved at once in the next pose.
                let mut boxes = boxes_at_rest.clone();
                boxes.set_pose(&pose, &[])?;
                tight_boxes.set_positions(&positions)?;
                for (node, &level) in levels.iter().enumerate() {
                    let [now, tight] = [boxes.bound(node as u32), tight_boxes.bound(node as u32)];
                    looseness[level as usize][3].add(half_diagonal(&now) / half_diagonal(&tight));
                }
            }
        }
    }
    let mut table = Table::new(
        format!("{name}: radii in cm by level over a walk, least / mean / largest"),
        &[
            "level",
            "reference",
            "linear",
            "linear optimal",
            "spherical",
            "spherical optimal",
            "linear / optimal",
            "spherical / optimal",
            "dual q. / optimal",
            "boxes / optimal",
            "paper",
        ],
    );
    for level in 0..depth {
        let cell = |column: usize| columns[column][level].cell();
        let ratio = |which: usize| ratio_to(looseness[level][which].mean(), 3);
        let theirs = match PAPER.get(level) {
            Some([_, linear, spherical, best]) if paper => {
                format!("{:.2}, {:.2}", linear / best, spherical / best)
            }
            _ => String::new(),
        };
        table.row([
            level.to_string().into(),
            cell(0),
            cell(1),
            cell(2),
            cell(3),
            cell(4),
            ratio(0),
            ratio(1),
            ratio(2),
            ratio(3),
            theirs.into(),
        ]);
    }
    table.note("/ optimal: mean of refitted over optimal; boxes: half diagonals, linear");
    table.note("optimal: smallest sphere (box) around the vertices of a node in the same pose;");
    table.note("paper: mean radius of linear and of spherical over that of optimal");
    Ok(table)
}

/// The least, the sum and the largest of some numbers.
#[derive(Debug, Clone, Copy)]
struct Spread {
    least: f64,
    sum: f64,
    most: f64,
    count: f64,
}

impl Default for Spread {
    fn default() -> Self {
        Self { least: f64::INFINITY, sum: 0.0, most: 0.0, count: 0.0 }
    }
}

impl Spread {
    fn add(&mut self, value: f64) {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.sum += value;
        self.count += 1.0;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// In centimetres.
    fn cell(&self) -> Cell {
        let [least, mean, most] = [self.least, self.mean(), self.most].map(|r| 100.0 * r);
        Cell::new(mean, "cm", format!("{least:.1} / {mean:.1} / {most:.1}"))
    }
}

fn radii(body: &impl Collide<Volume = Sphere>) -> Vec<f64> {
    (0..body.tree().nodes.len()).map(|node| f64::from(body.bound(node as u32).radius)).collect()
}

pub(crate) fn half_diagonal(volume: &Aabb) -> f64 {
    let [low, high] = volume.corners();
    0.5 * low.distance(high)
}

/// The vertices below each node.
pub(crate) fn vertices_below(body: &FreeBody) -> Vec<Vec<u32>> {
    let runs = primitive_runs(body.tree()).into_iter();
    runs.map(|run| {
        let triangles = &body.tree().primitives[run.start as usize..run.end as usize];
        let corners = triangles.iter().flat_map(|&t| body.mesh().triangles()[t as usize]);
        let mut vertices: Vec<u32> = corners.collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    })
    .collect()
}

/// The radius of the smallest sphere around each node.
pub(crate) fn smallest(below: &[Vec<u32>], positions: &[DVec3]) -> Vec<f64> {
    let radius = |vertices: &Vec<u32>| {
        let points = vertices.iter().map(|&vertex| Ball::new(positions[vertex as usize], 0.0));
        smallest_sphere(&points.collect::<Vec<_>>()).radius
    };
    below.iter().map(radius).collect()
}
