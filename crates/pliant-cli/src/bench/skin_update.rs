//! What one bound from joints costs (Kavan & Žára 2006, section 5).

use std::hint::black_box;

use anyhow::Result;
use glam::DAffine3;
use pliant::bound::SphereForm;
use pliant::deform::{Binding, Blending};
use pliant::limits::PATCH_TRIANGLES;
use pliant::tree::{BuildSettings, primitive_runs};
use pliant::{Body, Collide};
use pliant_scenes::{Character, creature, man};

use super::measure::best_of;
use super::skin_duel::{move_all, weights_of};
use crate::table::{Table, count, seconds};

pub(super) fn run(quick: bool) -> Result<Vec<Table>> {
    Ok(vec![one("Man", &man()?, quick)?, one("Creature", &creature()?, quick)?])
}

fn one(name: &str, character: &Character, quick: bool) -> Result<Table> {
    let mesh = &character.mesh;
    let settings = BuildSettings::default();
    let pose = character.pose(0.3 * character.walk_period());
    let rounds = if quick { 20 } else { 200 };
    let mut free = Body::free(mesh.clone())?;
    // Nodes with more triangles are bounded from joints, the others by their vertices.
    let nodes: Vec<u32> = (0..)
        .zip(primitive_runs(free.tree()))
        .filter(|(_, run)| run.len() > PATCH_TRIANGLES)
        .map(|(node, _)| node)
        .collect();
    let mut table = Table::new(
        format!(
            "{name} ({} triangles, {} joints): a pose, and a bound of {} nodes from joints, one thread",
            count(mesh.triangles().len()),
            character.joints.len(),
            count(nodes.len()),
        ),
        &["blending", "pose", "a box", "", "a sphere", "", "paper"],
    );
    let paper = ["1210 ns", "1310 ns", ""];
    let mut first = [f64::NAN; 2];
    let blendings = [
        ("linear", Blending::Linear),
        ("spherical", Blending::Spherical),
        ("dual quaternion", Blending::DualQuaternion),
    ];
    for ((blending, kind), paper) in blendings.into_iter().zip(paper) {
        let binding = Binding::new(weights_of(character), character.joints.len())?;
        let mut boxes = Body::skinned(mesh.clone(), binding.clone(), kind)?;
        let mut again = boxes.clone();
        let mut spheres = Body::skinned_spheres(mesh.clone(), binding, kind, &settings)?;
        let mut sphere_pose = spheres.clone();
        // Once outside of the clock: any refusal shows here.
        boxes.set_pose(&pose, &[])?;
        spheres.set_pose(&pose, &[])?;
        let [t_pose, t_box, t_sphere_pose, t_sphere] = best_of(
            rounds,
            [
                &mut || drop(again.set_pose(&pose, &[])),
                &mut || ask(&mut boxes, &nodes, |body| drop(body.set_pose(&pose, &[]))),
                &mut || drop(sphere_pose.set_pose(&pose, &[])),
                &mut || ask(&mut spheres, &nodes, |body| drop(body.set_pose(&pose, &[]))),
            ],
        );
        let each = [t_box - t_pose, t_sphere - t_sphere_pose].map(|t| t / nodes.len() as f64);
        if kind == Blending::Linear {
            first = each;
        }
        table.row([
            blending.into(),
            seconds(t_pose),
            seconds(each[0]),
            format!("{:.2}x", each[0] / first[0]),
            seconds(each[1]),
            format!("{:.2}x", each[1] / first[1]),
            paper.into(),
        ]);
    }
    bottom_up(&mut table, character, &pose, &mut free, rounds)?;
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

/// Sets a pose and asks for bounds.
fn ask<B: Collide>(body: &mut B, nodes: &[u32], set: impl Fn(&mut B)) {
    set(body);
    for &node in nodes {
        black_box(body.bound(node));
    }
}
