//! What one bound from joints costs (Kavan & Žára 2006, section 5).

use std::collections::HashSet;
use std::hint::black_box;

use anyhow::Result;
use glam::DAffine3;
use pliant::bound::{Bounds, SkinSpheres, SphereForm};
use pliant::deform::{Binding, Blending, Skin};
use pliant::tree::{BuildSettings, primitive_runs};
use pliant::{Body, Collide, SkinnedBody};
use pliant_scenes::{Character, creature, man};

use super::duel::{move_all, weights_of};
use crate::measure::best_of;
use crate::table::{Table, count, ratio, seconds};

/// Nodes with no more triangles are bounded by their vertices.
const SMALL_SUBTREE_TRIANGLES: usize = 24;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    Ok(vec![one("Man", &man()?, quick)?, one("Creature", &creature()?, quick)?])
}

fn one(name: &str, character: &Character, quick: bool) -> Result<Table> {
    let mesh = &character.mesh;
    let pose = character.pose(0.3 * character.walk_period());
    let rounds = if quick { 20 } else { 200 };
    let mut free = Body::free(mesh.clone())?;
    // Nodes with more triangles are bounded from joints, the others by their vertices.
    let nodes: Vec<u32> = (0..)
        .zip(primitive_runs(free.tree()))
        .filter(|(_, run)| run.len() > SMALL_SUBTREE_TRIANGLES)
        .map(|(node, _)| node)
        .collect();
    let mut table = Table::new(
        format!(
            "{name} ({} triangles, {} joints): a pose, and a bound of {} nodes from joints, one thread",
            count(mesh.triangles().len()),
            character.joints.len(),
            count(nodes.len()),
        ),
        &["blending", "pose", "with centers", "one box", "", "one sphere", "", "paper"],
    );
    let kinds = [Blending::Linear, Blending::Spherical, Blending::DualQuaternion];
    let mut skins = Vec::new();
    for kind in kinds {
        skins.push(Skins::new(character, kind, &pose)?);
    }
    // All blendings take turns: they are compared with one another.
    let mut best = [[f64::INFINITY; 5]; 3];
    for _ in 0..rounds {
        for (skins, best) in skins.iter_mut().zip(&mut best) {
            let times = skins.round(&nodes, &pose);
            best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
        }
    }
    let each = best.map(|[_, box_once, boxes, sphere_once, spheres]| {
        [boxes - box_once, spheres - sphere_once].map(|time| time / nodes.len() as f64)
    });
    let names = ["linear", "spherical", "dual quaternion"];
    let paper = ["1210 ns", "1310 ns", ""];
    for (at, (name, paper)) in names.into_iter().zip(paper).enumerate() {
        let [a_box, a_sphere] = each[at];
        table.row([
            name.into(),
            seconds(best[at][0]),
            seconds(best[at][1]),
            seconds(a_box),
            ratio(a_box / each[0][0]),
            seconds(a_sphere),
            ratio(a_sphere / each[0][1]),
            paper.into(),
        ]);
    }
    bottom_up(&mut table, character, &pose, &mut free, rounds)?;
    table.note(
        "with centers: and what is needed once per pose, by moving a vertex of each joint set",
    );
    table.note("ratios: against linear; the paper's are spheres of a man, on a 2.5 GHz Athlon");
    Ok(table)
}

/// What it costs to move all vertices and to refit all nodes.
fn bottom_up(
    table: &mut Table,
    character: &Character,
    pose: &[DAffine3],
    free: &mut pliant::FreeBody,
    rounds: usize,
) -> Result<()> {
    let weights = weights_of(character);
    let (mut positions, mut moved) = (Vec::new(), Vec::new());
    move_all(&character.mesh, &weights, pose, &mut positions);
    let settings = BuildSettings::default();
    let mut layered = Body::free_spheres(character.mesh.clone(), SphereForm::Layered, &settings)?;
    let [t_move, t_boxes, t_spheres] = best_of(
        rounds,
        [
            &mut || move_all(&character.mesh, &weights, pose, &mut moved),
            &mut || drop(free.set_positions(&positions)),
            &mut || drop(layered.set_positions(&positions)),
        ],
    );
    table.note(format!(
        "all at once instead: {} vertices moved in {}, then {} boxes in {} or spheres in {}",
        count(positions.len()),
        seconds(t_move),
        count(free.nodes()),
        seconds(t_boxes),
        seconds(t_spheres),
    ));
    Ok(())
}

/// A character with one blending, several times: none finds what another one asked for.
struct Skins {
    again: SkinnedBody,
    boxes: [SkinnedBody; 2],
    spheres: [Body<Skin, SkinSpheres>; 2],
    /// A vertex of each joint set.
    vertices: Vec<u32>,
}

impl Skins {
    fn new(character: &Character, kind: Blending, pose: &[DAffine3]) -> Result<Self> {
        let mesh = &character.mesh;
        let binding = Binding::new(weights_of(character), character.joints.len())?;
        let vertices = one_of_each_set(&binding, mesh.positions().len());
        let mut boxes = Body::skinned(mesh.clone(), binding.clone(), kind)?;
        let settings = BuildSettings::default();
        let mut spheres = Body::skinned_spheres(mesh.clone(), binding, kind, &settings)?;
        // Errors show here, outside of the clock.
        boxes.set_pose(pose, &[])?;
        spheres.set_pose(pose, &[])?;
        let (boxes, spheres) = ([boxes.clone(), boxes], [spheres.clone(), spheres]);
        Ok(Self { again: boxes[0].clone(), boxes, spheres, vertices })
    }

    /// The times of a pose; of a pose and what is needed once for it, alone and with bounds, first for
    /// boxes and then for spheres.
    fn round(&mut self, nodes: &[u32], pose: &[DAffine3]) -> [f64; 5] {
        let Self { again, boxes: [box_once, boxes], spheres: [sphere_once, spheres], vertices } =
            self;
        best_of(
            1,
            [
                &mut || drop(again.set_pose(pose, &[])),
                &mut || ask(box_once, |body| drop(body.set_pose(pose, &[])), vertices, &[]),
                &mut || ask(boxes, |body| drop(body.set_pose(pose, &[])), vertices, nodes),
                &mut || ask(sphere_once, |body| drop(body.set_pose(pose, &[])), vertices, &[]),
                &mut || ask(spheres, |body| drop(body.set_pose(pose, &[])), vertices, nodes),
            ],
        )
    }
}

/// One vertex of each joint set. Moving it computes what its set needs once per pose.
fn one_of_each_set(binding: &Binding, vertices: usize) -> Vec<u32> {
    let joints = |vertex: &u32| {
        let own = binding.weights().of(*vertex as usize).iter().filter(|own| own.weight > 0.0);
        let mut joints: Vec<u32> = own.map(|own| own.joint).collect();
        joints.sort_unstable();
        joints
    };
    let mut found = HashSet::new();
    (0..vertices as u32).filter(|vertex| found.insert(joints(vertex))).collect()
}

/// Sets a pose, moves some vertices and asks for bounds.
fn ask<B: Bounds<Skin>>(
    body: &mut Body<Skin, B>,
    set: impl Fn(&mut Body<Skin, B>),
    vertices: &[u32],
    nodes: &[u32],
) {
    set(body);
    for &vertex in vertices {
        black_box(body.position(vertex));
    }
    for &node in nodes {
        black_box(body.bound(node));
    }
}
