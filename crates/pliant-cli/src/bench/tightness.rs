//! How tight bounds from coordinates are (James & Pai 2004, section 3.3 and figure 6).

use std::sync::Arc;

use anyhow::Result;
use pliant::bound::{Center, SphereForm};
use pliant::deform::{Modes, Reduced};
use pliant::tree::{BuildSettings, level_of_nodes};
use pliant::volume::Sphere;
use pliant::{Body, Collide, Mesh};
use pliant_scenes::{chair, curtain};

use super::smooth_modes::smooth_modes;
use crate::table::Table;

/// What the paper found for its chair, root first.
const CHAIR: [f64; 19] = [
    1.0, 0.684, 0.575, 0.399, 0.252, 0.167, 0.110, 0.080, 0.057, 0.041, 0.030, 0.022, 0.017, 0.016,
    0.015, 0.013, 0.007, 0.004, 0.003,
];

pub(super) fn run(quick: bool) -> Result<Vec<Table>> {
    let cloth = curtain(0)?;
    let vertices = cloth.mesh.positions().len();
    let modes = Arc::new(Modes::from_fields(vertices, &cloth.modes)?);
    let frames: Vec<Vec<f64>> = cloth.coordinates.iter().map(|q| q.to_vec()).collect();
    let step = if quick { 22 } else { 5 };
    Ok(vec![
        curtain_radii(&cloth.mesh, &modes, &frames, step)?,
        chair_levels()?,
        against_layered("the curtain at frame 50", &cloth.mesh, &modes, &frames[50])?,
    ])
}

/// Mean R'/R over all nodes and frames.
fn curtain_radii(
    mesh: &Mesh,
    modes: &Arc<Modes>,
    frames: &[Vec<f64>],
    step: usize,
) -> Result<Table> {
    let mut table = Table::new(
        "Curtain: radius in a frame over radius at rest, mean over all nodes and frames",
        &["centre", "R'/R", "optimal R/R", "R'/optimal", "paper"],
    );
    let settings = BuildSettings::default();
    for (name, center) in [("mean", Center::Mean), ("smallest ball", Center::SmallestBall)] {
        let mut body = Body::reduced_spheres(mesh.clone(), Arc::clone(modes), center, &settings)?;
        let rest = radii(&body);
        let mut optimal = Body::free_spheres(mesh.clone(), SphereForm::Wrapped, &settings)?;
        let best_rest = radii(&optimal);
        let (mut grown, mut best_grown, mut loose, mut number) = (0.0, 0.0, 0.0, 0.0);
        for q in frames.iter().step_by(step) {
            body.set_coordinates(q)?;
            optimal.set_positions(&positions(&body))?;
            for node in 0..body.nodes() {
                let (now, best) = (radius(&body, node), radius(&optimal, node));
                grown += now / rest[node];
                best_grown += best / best_rest[node];
                loose += now / best;
                number += 1.0;
            }
        }
        let [grown, best_grown, loose] = [grown, best_grown, loose].map(|sum| sum / number);
        table.row([
            name.into(),
            format!("{grown:.3}"),
            format!("{best_grown:.3}"),
            format!("{loose:.3}"),
            "1.51".into(),
        ]);
    }
    table.note("optimal: spheres wrapped around the vertices of every frame");
    Ok(table)
}

/// Mean size of a node's displacements, by level.
fn chair_levels() -> Result<Table> {
    let mesh = chair()?;
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &chair_modes(&mesh))?);
    let mut table = Table::new(
        "Chair, M = 10: mean ||dR|| of a level over that of the root",
        &["level", "mean", "smallest ball", "paper"],
    );
    let settings = BuildSettings::default();
    let mut columns = Vec::new();
    for center in [Center::Mean, Center::SmallestBall] {
        let mut body = Body::reduced_spheres(mesh.clone(), Arc::clone(&modes), center, &settings)?;
        let rest = radii(&body);
        // The radius grows by dR_j for a coordinate of 1.
        let mut squares = vec![0.0; body.nodes()];
        for mode in 0..modes.count() {
            let mut q = vec![0.0; modes.count()];
            q[mode] = 1.0;
            body.set_coordinates(&q)?;
            for (node, square) in squares.iter_mut().enumerate() {
                *square += (radius(&body, node) - rest[node]).powi(2);
            }
        }
        let levels = level_of_nodes(body.tree());
        let lengths: Vec<f64> = squares.iter().map(|square| square.sqrt()).collect();
        columns.push(by_level(&levels, &lengths));
    }
    for level in 0..columns[0].len() {
        let cell = |column: &[Summary]| format!("{:.3}", column[level].mean / column[0].mean);
        let paper = CHAIR.get(level).map_or(String::new(), |value| format!("{value:.3}"));
        table.row([level.to_string(), cell(&columns[0]), cell(&columns[1]), paper]);
    }
    table.note("the paper's are modes of a vibrating shell, ours are waves along the box");
    Ok(table)
}

/// The ten modes of the chair.
fn chair_modes(mesh: &Mesh) -> Vec<Vec<glam::DVec3>> {
    smooth_modes(mesh, 10)
}

/// Figure 6: radii of both hierarchies over those at rest of the tight one, by level.
fn against_layered(name: &str, mesh: &Mesh, modes: &Arc<Modes>, q: &[f64]) -> Result<Table> {
    let settings = BuildSettings::default();
    let center = Center::SmallestBall;
    let mut body = Body::reduced_spheres(mesh.clone(), Arc::clone(modes), center, &settings)?;
    let mut layered = Body::free_spheres(mesh.clone(), SphereForm::Layered, &settings)?;
    let mut table = Table::new(
        format!("Radii over those of tight spheres at rest, mean (largest) by level: {name}"),
        &["level", "layered, rest", "layered", "from coordinates"],
    );
    let levels = level_of_nodes(body.tree());
    let tight = radii(&body);
    let ratios = |radii: Vec<f64>| {
        let ratios: Vec<f64> = radii.iter().zip(&tight).map(|(r, tight)| r / tight).collect();
        by_level(&levels, &ratios)
    };
    let at_rest = ratios(radii(&layered));
    body.set_coordinates(q)?;
    layered.set_positions(&positions(&body))?;
    let (deformed, ours) = (ratios(radii(&layered)), ratios(radii(&body)));
    for level in 0..ours.len() {
        let cell = |column: &[Summary]| {
            let Summary { mean, most } = column[level];
            format!("{mean:.2} ({most:.2})")
        };
        table.row([level.to_string(), cell(&at_rest), cell(&deformed), cell(&ours)]);
    }
    table.note("paper, bridge, level 6: layered 1.31 (1.77) at rest, 1.31 (1.79) deformed;");
    table.note("from coordinates 1.25 (1.56) deformed");
    Ok(table)
}

struct Summary {
    mean: f64,
    most: f64,
}

fn by_level(levels: &[u32], values: &[f64]) -> Vec<Summary> {
    let depth = levels.iter().max().map_or(0, |&level| level + 1);
    let of = |level: u32| {
        let chosen: Vec<f64> =
            levels.iter().zip(values).filter(|(l, _)| **l == level).map(|(_, v)| *v).collect();
        let mean = chosen.iter().sum::<f64>() / chosen.len().max(1) as f64;
        Summary { mean, most: chosen.iter().copied().fold(0.0, f64::max) }
    };
    (0..depth).map(of).collect()
}

fn radius(body: &impl Collide<Volume = Sphere>, node: usize) -> f64 {
    f64::from(body.bound(node as u32).radius)
}

fn radii(body: &impl Collide<Volume = Sphere>) -> Vec<f64> {
    (0..body.tree().nodes.len()).map(|node| radius(body, node)).collect()
}

fn positions<B: pliant::bound::Bounds<Reduced>>(body: &Body<Reduced, B>) -> Vec<glam::DVec3> {
    (0..).map_while(|vertex| body.position(vertex)).collect()
}
