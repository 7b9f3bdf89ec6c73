//! Curtain and ball by the shape of their trees: children per node and triangles per leaf.

use std::sync::Arc;

use anyhow::{Result, ensure};
use pliant::bound::SphereCenter;
use pliant::deform::Modes;
use pliant::tree::BuildSettings;
use pliant_scenes::curtain::{CONTACT_FRAMES, CurtainAndBall};
use pliant_scenes::curtain_and_ball;

use crate::papers::bounded_deformation::curtain::{
    Method, Run, bottom_up, from_coordinates, spheres,
};
use crate::table::{Table, count, seconds};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let sizes: &[u32] = if quick { &[0] } else { &[0, 3] };
    let mut tables = Vec::new();
    for &refinements in sizes {
        eprintln!("leaves: {refinements} refinements ...");
        tables.push(table(&curtain_and_ball(refinements, 4)?, quick)?);
    }
    Ok(tables)
}

/// One row for each arity and sizes of leaves: tests and time per frame.
fn table(scene: &CurtainAndBall, quick: bool) -> Result<Table> {
    let mesh = &scene.curtain.mesh;
    let modes = &Arc::new(Modes::from_fields(mesh.positions().len(), &scene.curtain.modes)?);
    let small = mesh.triangles().len() < 100_000;
    let mut table = Table::new(
        format!(
            "Wide nodes: curtain of {} triangles and ball, tests and time per frame",
            count(mesh.triangles().len())
        ),
        &[
            "bounds",
            "children",
            "leaves",
            "tests apart",
            "apart",
            "tests in contact",
            "triangle tests",
            "in contact",
            "all frames",
        ],
    )
    .with_keys(3);
    let frames = scene.ball.centers.len();
    let mut runs: Vec<(Run, usize, [usize; 2])> = Vec::new();
    let mut methods: Vec<Method<'_>> = Vec::new();
    let leaves: &[[usize; 2]] = if small {
        &[[1, 1], [2, 1], [4, 1], [8, 1], [1, 4], [2, 2], [4, 4]]
    } else {
        &[[1, 1], [4, 1], [1, 4], [4, 4]]
    };
    for arity in [2, 4, 8] {
        for &leaves in leaves {
            let settings = leaves.map(|leaf_size| BuildSettings {
                arity,
                leaf_size,
                ..BuildSettings::default()
            });
            methods.push(from_coordinates(scene, modes, settings)?);
            runs.push((Run::new("boxes", frames), arity, leaves));
            if arity == 2 && (leaves == [1, 1] || leaves == [4, 1]) {
                methods.push(bottom_up(scene, modes, settings)?);
                runs.push((Run::new("bottom-up", frames), arity, leaves));
            }
            if small && leaves == [1, 1] {
                methods.push(spheres(scene, modes, SphereCenter::SmallestBall, settings[0])?);
                runs.push((Run::new("spheres", frames), arity, leaves));
            }
        }
    }
    for _ in 0..if quick || !small { 2 } else { 10 } {
        for ((run, ..), method) in runs.iter_mut().zip(&mut methods) {
            run.go(method)?;
        }
    }
    runs.sort_by_key(|(run, ..)| run.name);
    let touching = |frame: usize| CONTACT_FRAMES.contains(&frame);
    for (run, arity, [cloth, ball]) in &runs {
        let same = run.found.iter().zip(&runs[0].0.found).all(|(a, b)| a.pairs == b.pairs);
        ensure!(same, "{}, {arity} children, leaves of {cloth} and {ball}: pairs differ", run.name);
        let mean = |contact: bool, of: &dyn Fn(usize) -> u64| {
            let chosen: Vec<u64> =
                (0..frames).filter(|&f| touching(f) == contact).map(of).collect();
            count(chosen.iter().sum::<u64>() / chosen.len().max(1) as u64)
        };
        let overlaps = |frame: usize| run.found[frame].work.overlap_tests;
        let triangles = |frame: usize| run.found[frame].work.primitive_tests;
        table.row([
            run.name.into(),
            arity.to_string().into(),
            format!("{cloth}, {ball}").into(),
            mean(false, &overlaps),
            seconds(run.mean(|frame| !touching(frame))),
            mean(true, &overlaps),
            mean(true, &triangles),
            seconds(run.mean(touching)),
            seconds(run.mean(|_| true)),
        ]);
    }
    table.note(
        "boxes, spheres: from coordinates; leaves: triangles at the most, of curtain and ball",
    );
    table.note("the defaults: leaves of 4 for boxes from coordinates, else 1; two children");
    Ok(table)
}
