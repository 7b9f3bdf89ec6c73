//! Contact without triangles: the ball as one sphere, chairs at a level, and the sizes of the models
//! (James and Pai 2004, tables 1 and 2, sections 3.4 and 4).

use std::hint::black_box;
use std::sync::Arc;

use anyhow::{Result, ensure};
use glam::{DAffine3, DVec3};
use pliant::bound::{RigidBounds, SphereCenter, SphereForm};
use pliant::deform::{Modes, Rigid};
use pliant::query::{ProxyContacts, proxy_contacts};
use pliant::tree::{BuildSettings, build_over_mesh, level_of_nodes};
use pliant::volume::Sphere;
use pliant::{Body, Isometry, Work};
use pliant_scenes::curtain::CurtainAndBall;
use pliant_scenes::{curtain_and_thrown_ball, modal_chair, pile_of_chairs};

use super::models::Model;
use crate::measure::best_of;
use crate::table::{Cell, Table, count, figure, ratio, seconds};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    Ok(vec![sizes(quick)?, one_sphere(quick)?, chairs_at_levels(quick)?])
}

/// Table 1: vertices, faces, modes, spheres and levels of the paper's models.
const SIZES: [[usize; 5]; 4] = [
    [9421, 17_914, 10, 35_827, 19],
    [135_304, 240_316, 10, 480_631, 26],
    [12_531, 24_776, 3, 49_551, 18],
    [6184, 12_020, 12, 24_039, 17],
];

fn sizes(quick: bool) -> Result<Table> {
    let mut table = Table::new(
        "Models (table 1): ours, then the paper's",
        &[
            "model",
            "vertices",
            "faces",
            "M",
            "spheres",
            "levels",
            "levels, classic",
            "its vertices",
            "its faces",
            "its M",
            "its spheres",
            "its levels",
        ],
    );
    let makers: [fn() -> Result<Model>; 4] =
        [Model::chair, Model::bridge, Model::fish, Model::curtain];
    for (row, make) in makers.into_iter().enumerate().filter(|&(row, _)| !quick || row != 1) {
        let Model { name, mesh, modes, .. } = make()?;
        let levels = |settings: &BuildSettings| -> Result<usize> {
            let tree = build_over_mesh(&mesh, settings)?;
            Ok(level_of_nodes(&tree).into_iter().max().map_or(0, |level| level as usize + 1))
        };
        let spheres = build_over_mesh(&mesh, &BuildSettings::default())?.nodes.len();
        let mut cells = vec![
            name.into(),
            count(mesh.positions().len()),
            count(mesh.triangles().len()),
            count(modes.count()),
            count(spheres),
            count(levels(&BuildSettings::default())?),
            count(levels(&BuildSettings::CLASSIC)?),
        ];
        cells.extend(SIZES[row].map(count));
        table.row(cells);
    }
    table.note(
        "levels: of the tree by surface area, and of one that is split at the middle, as theirs",
    );
    Ok(table)
}

/// Sets a state and asks the ball, as one sphere, for the leaves of the curtain.
type Frame<'a> = Box<dyn FnMut(usize) -> Result<ProxyContacts> + 'a>;

/// Table 2: the ball is one sphere, and the curtain's spheres are tested against it down to leaves.
fn one_sphere(quick: bool) -> Result<Table> {
    let scene = curtain_and_thrown_ball(0, 4)?;
    let mesh = &scene.curtain.mesh;
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &scene.curtain.modes)?);
    let modes = &modes;
    let settings = BuildSettings::default();
    let spheres = |center, enlarged: bool| -> Result<Frame<'_>> {
        let cloth = Body::reduced_spheres(mesh.clone(), Arc::clone(modes), center, &settings)?;
        let mut cloth = if enlarged { cloth.with_proxies(LEAVES) } else { cloth };
        let mut ball = ball(&scene)?;
        let scene = &scene;
        Ok(Box::new(move |frame| {
            cloth.set_coordinates(&scene.curtain.coordinates[frame])?;
            ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
            Ok(proxy_contacts(&ball, 0, &cloth, LEAVES))
        }))
    };
    let layered = || -> Result<Frame<'_>> {
        let mut cloth = Body::free_spheres(mesh.clone(), SphereForm::Layered, &settings)?;
        let mut ball = ball(&scene)?;
        let mut positions: Vec<DVec3> = Vec::new();
        let scene = &scene;
        Ok(Box::new(move |frame| {
            let q = &scene.curtain.coordinates[frame];
            let rest = scene.curtain.mesh.positions().iter().enumerate();
            positions.clear();
            positions.extend(rest.map(|(vertex, &rest)| modes.displaced(rest, vertex, q)));
            cloth.set_positions(&positions)?;
            ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
            Ok(proxy_contacts(&ball, 0, &cloth, LEAVES))
        }))
    };
    let methods: Vec<(&str, Frame<'_>)> = vec![
        ("spheres from coordinates, mean", spheres(SphereCenter::Mean, false)?),
        ("the same, around their leaves", spheres(SphereCenter::Mean, true)?),
        ("spheres from coordinates, smallest", spheres(SphereCenter::SmallestBall, false)?),
        ("layered spheres", layered()?),
    ];
    let frames = scene.ball.centers.len();
    let mut table = Table::new(
        format!(
            "Curtain ({} triangles) and a ball that is one sphere, all {frames} frames",
            count(mesh.triangles().len())
        ),
        &[
            "method",
            "tests",
            "tests per frame",
            "leaves met",
            "time",
            "time per frame",
            "",
            "paper",
        ],
    );
    let rounds = if quick { 2 } else { 20 };
    let mut first = f64::NAN;
    let papers = ["3890 tests, 2.4 ms", "", "", "2150 tests, 5400 ms"];
    for ((name, mut frame), paper) in methods.into_iter().zip(papers) {
        let (mut work, mut met) = (Work::default(), 0);
        for number in 0..frames {
            let found = frame(number)?;
            work += found.work;
            met += found.contacts.len();
        }
        let mut failed = Ok(());
        let [time] = best_of(
            rounds,
            [&mut || {
                for number in 0..frames {
                    if let Err(error) = frame(number).map(black_box) {
                        failed = Err(error);
                    }
                }
            }],
        );
        failed?;
        if first.is_nan() {
            first = time;
        }
        table.row([
            name.into(),
            count(work.overlap_tests),
            figure(work.overlap_tests as f64 / frames as f64, 1, "tests per frame"),
            count(met),
            seconds(time),
            seconds(time / frames as f64),
            ratio(time / first),
            paper.into(),
        ]);
    }
    table.note("tests: of two spheres; a frame is state and query; paper: 3.0 GHz Xeon, Java");
    table.note("around their leaves: coarser spheres contain the leaves below them, so that none is missed");
    table.note(
        "leaves met depend on the form: leaf spheres from coordinates are larger than layered ones",
    );
    Ok(table)
}

/// A level below all leaves.
const LEAVES: u32 = 64;

fn ball(scene: &CurtainAndBall) -> Result<Body<Rigid, RigidBounds<Sphere>>> {
    let settings = BuildSettings::default();
    Ok(Body::rigid_spheres(scene.ball.mesh.clone(), SphereForm::Wrapped, &settings)?)
}

/// Chairs in one another at levels 4 to 12: tests, contacts and time.
fn chairs_at_levels(quick: bool) -> Result<Table> {
    let chair = modal_chair()?;
    let pile = pile_of_chairs(if quick { 12 } else { 60 }, 7)?;
    ensure!(chair.mesh.positions().len() == pile.chair.positions().len(), "two kinds of chairs");
    let modes = Arc::new(chair.modes);
    let settings = BuildSettings::default();
    let bent = &chair.coordinates[20];
    let mut table = Table::new(
        format!(
            "Two chairs as spheres of a level, M = {}, in {} pairs of poses of a pile",
            modes.count(),
            pile.placements.len() - 1
        ),
        &[
            "level",
            "proxies",
            "tests",
            "contacts",
            "time per pair",
            "q = 0: tests",
            "contacts of rigid",
            "time of rigid",
            "",
        ],
    );
    let rounds = if quick { 2 } else { 10 };
    for level in 4..=12 {
        let make = || -> Result<_> {
            let center = SphereCenter::SmallestBall;
            let body =
                Body::reduced_spheres(pile.chair.clone(), Arc::clone(&modes), center, &settings)?;
            Ok(body.with_proxies(level))
        };
        let mut bodies = [make()?, make()?];
        let mut all = |q: &[f64]| -> Result<(Work, usize)> {
            let (mut work, mut met) = (Work::default(), 0);
            for pair in pile.placements.windows(2) {
                for (body, &(turn, to)) in bodies.iter_mut().zip(pair) {
                    body.set_state(q, DAffine3::from_rotation_translation(turn, to))?;
                }
                let found = proxy_contacts(&bodies[0], level, &bodies[1], level);
                work += found.work;
                met += found.contacts.len();
            }
            Ok((work, met))
        };
        let still = vec![0.0; modes.count()];
        let (of_bent, of_still) = (all(bent)?, all(&still)?);
        let pairs = (pile.placements.len() - 1) as f64;
        let mut best = [f64::INFINITY; 2];
        for _ in 0..rounds {
            for (best, q) in best.iter_mut().zip([bent, &still]) {
                let [time] = best_of(1, [&mut || drop(black_box(all(q)))]);
                *best = best.min(time);
            }
        }
        let tree = build_over_mesh(&pile.chair, &settings)?;
        let levels = level_of_nodes(&tree);
        let proxies = (0..tree.nodes.len())
            .filter(|&node| {
                levels[node] == level || (levels[node] < level && tree.nodes[node].is_leaf())
            })
            .count();
        table.row([
            Cell::from(level.to_string()),
            count(proxies),
            figure(of_bent.0.overlap_tests as f64 / pairs, 0, "tests per pair"),
            figure(of_bent.1 as f64 / pairs, 1, "contacts per pair"),
            seconds(best[0] / pairs),
            figure(of_still.0.overlap_tests as f64 / pairs, 0, "tests per pair"),
            figure(of_still.1 as f64 / pairs, 1, "contacts per pair"),
            seconds(best[1] / pairs),
            ratio(best[0] / best[1]),
        ]);
    }
    table.note(
        "tests and contacts per pair of poses, mean; contacts: pairs of proxies that overlap",
    );
    table.note("James & Pai 2004 resolve chairs at level 10 and fish at level 7: deformable 1.9x rigid per step");
    Ok(table)
}
