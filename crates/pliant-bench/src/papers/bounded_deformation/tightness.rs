//! How tight bounds from coordinates are (James & Pai 2004, section 3.3 and figure 6).

use std::sync::Arc;

use anyhow::Result;
use glam::DVec3;
use pliant::bound::{SphereCenter, SphereForm};
use pliant::tree::{BuildSettings, Tree, level_of_nodes, primitive_runs};
use pliant::volume::{Ball, Sphere, smallest_sphere};
use pliant::{Body, Collide, Mesh};

use rayon::prelude::*;

use super::models::Model;
use crate::table::{Cell, Table, figure, ratio_to};

/// What the paper found for its chair, root first.
const CHAIR: [f64; 19] = [
    1.0, 0.684, 0.575, 0.399, 0.252, 0.167, 0.110, 0.080, 0.057, 0.041, 0.030, 0.022, 0.017, 0.016,
    0.015, 0.013, 0.007, 0.004, 0.003,
];

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let (cloth, chair) = (Model::curtain()?, Model::chair()?);
    let step = if quick { 22 } else { 5 };
    let mut tables =
        vec![radii_of_frames(&cloth, step)?, chair_levels(&chair)?, against_optimal(&cloth)?];
    tables.push(against_optimal(&chair)?);
    tables.push(against_optimal(&Model::fish()?)?);
    if !quick {
        tables.push(against_optimal(&Model::bridge()?)?);
    }
    Ok(tables)
}

/// The two ways to measure displacements.
const CENTERS: [(&str, SphereCenter); 2] =
    [("mean", SphereCenter::Mean), ("smallest ball", SphereCenter::SmallestBall)];

/// Mean R'/R over all nodes and frames.
fn radii_of_frames(model: &Model, step: usize) -> Result<Table> {
    let Model { mesh, modes, frames, name, .. } = model;
    let mut table = Table::new(
        format!("R' in a frame over R at rest, mean over all nodes and frames: {name}"),
        &["centre", "R'/R", "optimal R'/R", "R'/optimal", "paper"],
    );
    let settings = BuildSettings::default();
    let make = |center| Body::reduced_spheres(mesh.clone(), Arc::clone(modes), center, &settings);
    let optimal = Optimal::new(mesh, make(SphereCenter::Mean)?.tree());
    let best_rest = optimal.radii(mesh.positions());
    let best: Vec<_> =
        frames.iter().step_by(step).map(|q| optimal.radii(&model.positions(q))).collect();
    for (name, center) in CENTERS {
        let mut body = make(center)?;
        let rest = radii(&body);
        let (mut grown, mut best_grown, mut loose, mut number) = (0.0, 0.0, 0.0, 0.0);
        for (q, best) in frames.iter().step_by(step).zip(&best) {
            body.set_coordinates(q)?;
            for node in 0..body.nodes() {
                let (now, best) = (radius(&body, node), best[node]);
                grown += now / rest[node];
                best_grown += best / best_rest[node];
                loose += now / best;
                number += 1.0;
            }
        }
        let [grown, best_grown, loose] = [grown, best_grown, loose].map(|sum| sum / number);
        table.row([
            name.into(),
            ratio_to(grown, 3),
            ratio_to(best_grown, 3),
            ratio_to(loose, 3),
            "1.51".into(),
        ]);
    }
    table.note("optimal: the smallest sphere around the node's vertices in the frame");
    Ok(table)
}

/// Mean size of a node's displacements, by level.
fn chair_levels(model: &Model) -> Result<Table> {
    let Model { mesh, modes, .. } = model;
    let mut table = Table::new(
        "Chair, M = 10: mean ||dR|| of a level over that of the root",
        &["level", "mean", "smallest ball", "paper"],
    );
    let settings = BuildSettings::default();
    let mut columns = Vec::new();
    for (_, center) in CENTERS {
        let mut body = Body::reduced_spheres(mesh.clone(), Arc::clone(modes), center, &settings)?;
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
        let cell =
            |column: &[Summary]| figure(column[level].mean / column[0].mean, 3, "of the root");
        let paper = CHAIR.get(level).map_or(Cell::default(), |value| format!("{value:.3}").into());
        table.row([level_name(level), cell(&columns[0]), cell(&columns[1]), paper]);
    }
    table.note("vibration modes of a chair in both; the chairs, and so the trees, differ");
    Ok(table)
}

/// Figure 6: radii over those of optimal spheres, by level, at rest and in a frame.
fn against_optimal(model: &Model) -> Result<Table> {
    let Model { mesh, modes, frames, name, bent } = model;
    let settings = BuildSettings::default();
    let make = |center| Body::reduced_spheres(mesh.clone(), Arc::clone(modes), center, &settings);
    let mut bodies = [make(SphereCenter::Mean)?, make(SphereCenter::SmallestBall)?];
    let mut layered = Body::free_spheres(mesh.clone(), SphereForm::Layered, &settings)?;
    let title = format!(
        "Radii over those of the smallest spheres, mean (largest) by level: {name}, M = {}",
        modes.count()
    );
    let mut table = Table::new(
        title,
        &["level", "layered, rest", "layered, bent", "mean, rest", "mean, bent", "ball, bent"],
    );
    let levels = level_of_nodes(layered.tree());
    let optimal = Optimal::new(mesh, layered.tree());
    let mut columns = Vec::new();
    let ratios = |radii: Vec<f64>, best: &[f64]| {
        let ratios: Vec<f64> = radii.iter().zip(best).map(|(r, best)| r / best).collect();
        by_level(&levels, &ratios)
    };
    let best = optimal.radii(mesh.positions());
    columns.extend([ratios(radii(&layered), &best), ratios(radii(&bodies[0]), &best)]);
    let q = &frames[*bent];
    let positions = model.positions(q);
    let best = optimal.radii(&positions);
    layered.set_positions(&positions)?;
    columns.insert(1, ratios(radii(&layered), &best));
    for body in &mut bodies {
        body.set_coordinates(q)?;
        columns.push(ratios(radii(body), &best));
    }
    for level in 0..columns[0].len() {
        let cell = |column: &Vec<Summary>| {
            let Summary { mean, most } = column[level];
            Cell::new(mean, "x", format!("{mean:.2} ({most:.2})"))
        };
        table.row([level_name(level)].into_iter().chain(columns.iter().map(cell)));
    }
    table.note("mean, ball: spheres from coordinates around means, and around smallest balls,");
    table.note("which are optimal at rest");
    if *name == "bridge" {
        table.note("paper, bridge, level 6: layered 1.31 (1.77) at rest and 1.31 (1.79) bent;");
        table.note("from coordinates, around means, 1.25 (1.56) bent");
    }
    Ok(table)
}

/// Smallest spheres around the vertices of each node.
struct Optimal {
    /// For each node its vertices, each once.
    vertices: Vec<Vec<u32>>,
}

impl Optimal {
    fn new(mesh: &Mesh, tree: &Tree) -> Self {
        let below = |run: std::ops::Range<u32>| {
            let triangles = &tree.primitives[run.start as usize..run.end as usize];
            let corners = triangles.iter().flat_map(|&t| mesh.triangles()[t as usize]);
            let mut vertices: Vec<u32> = corners.collect();
            vertices.sort_unstable();
            vertices.dedup();
            vertices
        };
        Self { vertices: primitive_runs(tree).into_iter().map(below).collect() }
    }

    fn radii(&self, positions: &[DVec3]) -> Vec<f64> {
        let radius = |vertices: &Vec<u32>| {
            let point = |&vertex: &u32| Ball::new(positions[vertex as usize], 0.0);
            smallest_sphere(&vertices.iter().map(point).collect::<Vec<_>>()).radius
        };
        self.vertices.par_iter().map(radius).collect()
    }
}

/// A level as it names a row.
fn level_name(level: usize) -> Cell {
    format!("{level}").into()
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
