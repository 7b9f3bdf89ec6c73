//! Corners of the weight polytope (Kavan & Žára 2006, section 4.1) against intervals of weights.
//!
//! The paper moves the sphere of each joint set to every corner of the polytope in which its weights
//! lie, and bounds them all. The library moves it once, by the mean weights, and adds
//! how far weights within their intervals can take it.

use std::collections::BTreeMap;

use anyhow::Result;
use glam::{DAffine3, DMat3, DVec3};
use pliant::deform::{Binding, Blending, SkinWeights};
use pliant::tree::{BuildSettings, level_of_nodes};
use pliant::volume::{Aabb, Ball, smallest_sphere};
use pliant::{Body, Collide, Mesh};
use pliant_scenes::{Character, creature, man};

use crate::papers::skins::corners::corners;
use crate::papers::skins::duel::weights_of;
use crate::papers::skins::radii::{half_diagonal, smallest, vertices_below};
use crate::table::{Cell, Table, figure, ratio_to};

/// The vertices of a node that have the same joints.
struct Group {
    joints: Vec<u32>,
    /// The corners of the polytope of their weights, a weight for each joint.
    corners: Vec<Vec<f64>>,
    ball: Ball,
    middle: DVec3,
    half: DVec3,
}

impl Group {
    fn new(joints: Vec<u32>, rows: &[Vec<f64>], points: &[DVec3]) -> Self {
        let balls: Vec<Ball> = points.iter().map(|&p| Ball::new(p, 0.0)).collect();
        let (low, high) = points
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), &p| (l.min(p), h.max(p)));
        let around = smallest_sphere(&balls);
        let ball = Ball::new(around.center, around.radius);
        let corners = corners(joints.len(), rows);
        Self { joints, corners, ball, middle: low * 0.5 + high * 0.5, half: (high - low) * 0.5 }
    }

    /// The blends of joints at the corners.
    fn blends(&self, pose: &[DAffine3]) -> impl Iterator<Item = DAffine3> {
        self.corners.iter().map(|weights| {
            let zero = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
            self.joints.iter().zip(weights).fold(zero, |sum, (&joint, &weight)| DAffine3 {
                matrix3: sum.matrix3 + pose[joint as usize].matrix3 * weight,
                translation: sum.translation + pose[joint as usize].translation * weight,
            })
        })
    }
}

/// The weights of some vertices, a row each, and where they are at rest.
type Members = (Vec<Vec<f64>>, Vec<DVec3>);

/// The groups of the vertices below a node.
fn groups(mesh: &Mesh, weights: &SkinWeights, vertices: &[u32]) -> Vec<Group> {
    let mut sets: BTreeMap<Vec<u32>, Members> = BTreeMap::new();
    for &vertex in vertices {
        let mut own: Vec<_> =
            weights.of(vertex as usize).iter().filter(|own| own.weight > 0.0).collect();
        own.sort_by_key(|own| own.joint);
        let (rows, points) = sets.entry(own.iter().map(|own| own.joint).collect()).or_default();
        rows.push(own.iter().map(|own| own.weight).collect());
        points.push(mesh.positions()[vertex as usize]);
    }
    sets.into_iter().map(|(joints, (rows, points))| Group::new(joints, &rows, &points)).collect()
}

/// The radius of the smallest sphere around the groups' spheres at all corners.
fn sphere(groups: &[Group], pose: &[DAffine3]) -> f64 {
    let at = |group: &Group, blend: DAffine3| {
        Ball::new(blend.transform_point3(group.ball.center), group.ball.radius)
    };
    let balls = groups.iter().flat_map(|group| group.blends(pose).map(|blend| at(group, blend)));
    smallest_sphere(&balls.collect::<Vec<_>>()).radius
}

/// Half the diagonal of the box around the groups' boxes at all corners.
fn box_around(groups: &[Group], pose: &[DAffine3]) -> f64 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for group in groups {
        for blend in group.blends(pose) {
            let DMat3 { x_axis, y_axis, z_axis } = blend.matrix3;
            let reach = x_axis.abs() * group.half.x
                + y_axis.abs() * group.half.y
                + z_axis.abs() * group.half.z;
            let middle = blend.transform_point3(group.middle);
            low = low.min(middle - reach);
            high = high.max(middle + reach);
        }
    }
    half_diagonal(&Aabb::around([low, high]))
}

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let frames = if quick { 2 } else { 8 };
    Ok(vec![table("Creature", &creature()?, frames)?, table("Man", &man()?, frames)?])
}

/// What both ways make of the nodes of a walking character, by level.
fn table(name: &str, character: &Character, frames: u32) -> Result<Table> {
    let settings = BuildSettings::WIDE;
    let (mesh, weights) = (&character.mesh, weights_of(character));
    let binding = || Binding::new(weights.clone(), character.joints.len());
    let mut spheres = Body::skinned_spheres(mesh.clone(), binding()?, Blending::Linear, &settings)?;
    let boxes_at_rest = Body::skinned_with(mesh.clone(), binding()?, Blending::Linear, &settings)?;
    let mut tight = Body::free_with(mesh.clone(), &settings)?;
    let levels = level_of_nodes(tight.tree());
    let below = vertices_below(&tight);
    let groups: Vec<Vec<Group>> =
        below.iter().map(|vertices| groups(mesh, &weights, vertices)).collect();
    let depth = levels.iter().max().map_or(0, |&level| level as usize + 1);
    let mut sums = vec![[0.0; 4]; depth];
    let mut nodes = vec![0.0; depth];
    for frame in 0..frames {
        let pose = character.pose(character.walk_period() * f64::from(frame) / f64::from(frames));
        spheres.set_pose(&pose, &[])?;
        // A body that is asked for all of its nodes would be moved at once in the next pose.
        let mut boxes = boxes_at_rest.clone();
        boxes.set_pose(&pose, &[])?;
        let positions: Vec<DVec3> = spheres.positions().collect();
        tight.set_positions(&positions)?;
        let best = smallest(&below, &positions);
        for (node, &level) in levels.iter().enumerate() {
            let number = node as u32;
            let best_box = half_diagonal(&tight.bound(number));
            let ratios = [
                f64::from(spheres.bound(number).radius) / best[node],
                sphere(&groups[node], &pose) / best[node],
                half_diagonal(&boxes.bound(number)) / best_box,
                box_around(&groups[node], &pose) / best_box,
            ];
            for (sum, ratio) in sums[level as usize].iter_mut().zip(ratios) {
                *sum += ratio;
            }
            nodes[level as usize] += 1.0;
        }
    }
    let mut table = Table::new(
        format!(
            "{name}: intervals of weights against corners of their polytope, linear, on a walk"
        ),
        &[
            "level",
            "spheres",
            "spheres by corners",
            "boxes",
            "boxes by corners",
            "joints",
            "corners",
        ],
    );
    for level in 0..depth {
        let own = || groups.iter().zip(&levels).filter(|(_, own)| **own as usize == level);
        let mean = |what: fn(&Group) -> usize| {
            let sum: usize = own().map(|(groups, _)| groups.iter().map(what).sum::<usize>()).sum();
            figure(sum as f64 / own().count().max(1) as f64, 1, "per node")
        };
        let mut row = vec![Cell::from(level.to_string())];
        row.extend(sums[level].iter().map(|sum| ratio_to(sum / nodes[level], 3)));
        row.extend([mean(|group| group.joints.len()), mean(|group| group.corners.len())]);
        table.row(row);
    }
    table.note(
        "size over that of the smallest sphere or box of a node, mean; boxes: half diagonals",
    );
    table.note(
        "joints: to blend for a node, over its joint sets; corners: blends of them by corners",
    );
    Ok(table)
}
