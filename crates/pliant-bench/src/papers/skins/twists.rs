//! Spheres in twisted poses beside Algorithm 1, by level (Kavan and Žára 2006, table 1), and which
//! spheres a query refits (their figure 6). Levels count from 1, as theirs do.

use anyhow::Result;
use glam::{DAffine3, DQuat, DVec3};
use pliant::deform::{Binding, Blending};
use pliant::tree::{BuildSettings, level_of_nodes};
use pliant::{Body, Collide, intersections};
use pliant_scenes::{Character, creature, man, two_men_passing};

use super::corners::Refit;
use super::duel::{Duel, weights_of};
use super::radii::{PAPER, smallest, vertices_below};
use crate::papers::bounded_deformation::update::Listener;
use crate::table::{Cell, Table, count, percent, ratio_to};

/// What the paper says of a frame of two men.
const REFITTED: [(usize, f64); 2] = [(5, 0.19), (6, 0.09)];

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for (name, character) in [("Creature", creature()?), ("Man", man()?)] {
        for (twist, pose) in twists(&character) {
            tables.push(by_level(
                &format!("{name}, {twist}"),
                &character,
                &pose,
                name == "Creature",
            )?);
        }
    }
    tables.push(refitted(if quick { 6 } else { 1 })?);
    Ok(tables)
}

/// The neck turned by 60 and by 120 degrees, and an arm twisted by 90.
pub(crate) fn twists(character: &Character) -> Vec<(&'static str, Vec<DAffine3>)> {
    let place = |name: &str| character.joint(name).map(|joint| character.joints[joint].rest);
    let arm = match (place("left_shoulder"), place("left_elbow")) {
        (Some(from), Some(to)) => (to - from).normalize_or(DVec3::X),
        _ => DVec3::X,
    };
    let turned = |joint: &str, axis: DVec3, degrees: f64| {
        let turn = DQuat::from_axis_angle(axis, degrees.to_radians());
        let of = |name: &str| if name == joint { turn } else { DQuat::IDENTITY };
        let rotations: Vec<DQuat> = character.joints.iter().map(|joint| of(&joint.name)).collect();
        character.matrices(DAffine3::IDENTITY, &rotations)
    };
    vec![
        ("neck turned by 60 degrees", turned("neck", DVec3::Y, 60.0)),
        ("neck turned by 120 degrees", turned("neck", DVec3::Y, 120.0)),
        ("arm twisted by 90 degrees", turned("left_elbow", arm, 90.0)),
    ]
}

/// Radii over those of the smallest spheres, ours and by corners, in one pose.
fn by_level(name: &str, character: &Character, pose: &[DAffine3], paper: bool) -> Result<Table> {
    // Four children per node: nearer to the paper's pruned tree than two.
    let settings = BuildSettings::WIDE;
    let (mesh, weights) = (&character.mesh, weights_of(character));
    let free = Body::free_with(mesh.clone(), &settings)?;
    let (levels, below) = (level_of_nodes(free.tree()), vertices_below(&free));
    let refits: Vec<Refit> =
        below.iter().map(|vertices| Refit::new(mesh, &weights, vertices)).collect();
    let depth = levels.iter().max().map_or(0, |&level| level as usize + 1);
    let mut sums = vec![[0.0; 4]; depth];
    let mut largest = vec![[0.0_f64; 4]; depth];
    let mut nodes = vec![0_usize; depth];
    levels.iter().for_each(|&level| nodes[level as usize] += 1);
    for (column, blending) in [(0, Blending::Linear), (2, Blending::Spherical)] {
        let binding = Binding::new(weights.clone(), character.joints.len())?;
        let mut body = Body::skinned_spheres(mesh.clone(), binding, blending, &settings)?;
        body.set_pose(pose, &[])?;
        let positions: Vec<DVec3> = body.positions().collect();
        let best = smallest(&below, &positions);
        for (node, &level) in levels.iter().enumerate() {
            let theirs = match blending {
                Blending::Linear => refits[node].linear(pose),
                _ => refits[node].spherical(body.deformation()),
            };
            let ours = f64::from(body.bound(node as u32).radius);
            for (at, radius) in [(column, ours), (column + 1, theirs.radius)] {
                let ratio = radius / best[node];
                sums[level as usize][at] += ratio;
                largest[level as usize][at] = largest[level as usize][at].max(ratio);
            }
        }
    }
    let mut table = Table::new(
        format!("{name}: radii over those of the smallest spheres by level, mean (largest)"),
        &[
            "level",
            "spheres",
            "linear",
            "linear by corners",
            "spherical",
            "Algorithm 1",
            "paper, linear",
            "paper, Algorithm 1",
        ],
    );
    for level in 0..depth {
        let mut row = vec![Cell::from((level + 1).to_string()), count(nodes[level])];
        row.extend((0..4).map(|at| {
            let (mean, most) = (sums[level][at] / nodes[level] as f64, largest[level][at]);
            Cell::new(mean, "x", format!("{mean:.2} ({most:.2})"))
        }));
        if let Some([_, linear, spherical, best]) = PAPER.get(level).filter(|_| paper) {
            row.extend([ratio_to(linear / best, 2), ratio_to(spherical / best, 2)]);
        }
        table.row(row);
    }
    table.note(
        "by corners, Algorithm 1: as Kavan and Žára wrote it; the paper: means of radii over the",
    );
    table.note("mean of the smallest, of their creature with its neck turned; the root is level 1");
    Ok(table)
}

/// Spheres that a query of two men asks for, by level, in frames in which they touch.
fn refitted(step: usize) -> Result<Table> {
    let duel = Duel::new(&two_men_passing()?, step);
    let trees = [("binary", BuildSettings::default()), ("four children", BuildSettings::WIDE)];
    let mut columns: Vec<Vec<[f64; 2]>> = Vec::new();
    for (_, settings) in trees {
        for blending in [Blending::Linear, Blending::Spherical] {
            let make = |which: usize| -> Result<_> {
                let mesh = duel.meshes[which].clone();
                Ok(Body::skinned_spheres(mesh, duel.binding(which)?, blending, &settings)?)
            };
            let mut bodies = [make(0)?, make(1)?];
            let levels = level_of_nodes(bodies[0].tree());
            let depth = levels.iter().max().map_or(0, |&level| level as usize + 1);
            let mut shares = vec![[0.0; 2]; depth];
            for frame in &duel.frames {
                for (body, joints) in bodies.iter_mut().zip(frame) {
                    body.set_pose(joints, &[])?;
                }
                let listeners = bodies.each_ref().map(Listener::new);
                if intersections(&listeners[0], &listeners[1]).pairs.is_empty() {
                    continue;
                }
                for listener in listeners {
                    let mut asked = listener.asked();
                    asked.sort_unstable();
                    asked.dedup();
                    for node in asked {
                        shares[levels[node as usize] as usize][0] += 1.0;
                    }
                    for &level in &levels {
                        shares[level as usize][1] += 1.0;
                    }
                }
            }
            columns.push(shares);
        }
    }
    let mut table = Table::new(
        "Two men passing: spheres that a query refits, by level, in frames with contacts",
        &[
            "level",
            "binary, linear",
            "binary, spherical",
            "four children, linear",
            "four children, spherical",
            "paper",
        ],
    );
    for level in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let mut row = vec![Cell::from((level + 1).to_string())];
        row.extend(columns.iter().map(|shares| match shares.get(level) {
            Some([asked, all]) => percent(asked / all.max(1.0), 1),
            None => Cell::default(),
        }));
        let paper = REFITTED.iter().find(|(own, _)| *own == level + 1);
        row.extend(paper.map(|&(_, share)| percent(share, 0)));
        table.row(row);
    }
    table.note("of the nodes of that level of both men, mean; the root is level 1");
    table.note("paper, figure 6: one frame of its own two men, whose tree is binary and pruned");
    Ok(table)
}
