//! Which volumes suit which scene: the cost function of hierarchies, T = N_v C_v + N_p C_p + N_u C_u,
//! term by term (Gottschalk, Lin and Manocha 1996; Klosowski et al. 1998).

mod fcl;
mod scenes;
mod skins;

use std::hint::black_box;
use std::path::Path;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::bound::{BottomUp, DopHulls, RigidBounds, SphereForm};
use pliant::deform::{Free, Rigid};
use pliant::query::Intersections;
use pliant::tree::BuildSettings;
use pliant::volume::{Aabb, Apart, Capsule, Dop14, Dop18, Dop26, Fit, Hull, Obb, Overlap, Sphere};
use pliant::{AnyBody, Body, Collide as _, Isometry, Mesh, Work, intersections};
use pliant_scenes::{chair, curtain};

use crate::measure::{best_of, thread_seconds};
use crate::table::{Cell, Table, count, figure, ratio_to};
use scenes::{Frames, Scene};

/// Runs a generic function for every kind of volume, and gathers what it returns.
macro_rules! for_each_volume {
    ($run:ident($($argument:expr),*)) => {
        [
            $run::<Aabb>("boxes", SphereForm::Layered $(, $argument)*)?,
            $run::<Sphere>("spheres", SphereForm::Layered $(, $argument)*)?,
            $run::<Dop14>("14-DOPs", SphereForm::Layered $(, $argument)*)?,
            $run::<Dop18>("18-DOPs", SphereForm::Layered $(, $argument)*)?,
            $run::<Dop26>("26-DOPs", SphereForm::Layered $(, $argument)*)?,
            $run::<Obb>("oriented boxes, merged", SphereForm::Layered $(, $argument)*)?,
            $run::<Obb>("oriented boxes, fitted", SphereForm::Wrapped $(, $argument)*)?,
            $run::<Capsule>("capsules, merged", SphereForm::Layered $(, $argument)*)?,
            $run::<Capsule>("capsules, fitted", SphereForm::Wrapped $(, $argument)*)?,
            $run::<Hull>("hulls, merged", SphereForm::Layered $(, $argument)*)?,
            $run::<Hull>("hulls, fitted", SphereForm::Wrapped $(, $argument)*)?,
        ]
    };
}

pub(crate) fn run(quick: bool, peer: Option<&Path>) -> Result<Vec<Table>> {
    let mut notes = Vec::new();
    let scenes = scenes::all(quick, &mut notes)?;
    let columns = [
        "scene",
        "state",
        "volume",
        "volume tests",
        "triangle tests",
        "pairs",
        "update µs",
        "query µs",
        "frame µs",
        "against boxes",
    ];
    let mut table =
        Table::new("Volumes: work and time per frame, one thread", &columns).with_keys(3);
    let mut ours = Vec::new();
    for scene in &scenes {
        eprintln!("volumes: {}, {} ...", scene.name, scene.state);
        let mut rows = for_each_volume!(measure(scene, quick)).to_vec();
        if let Frames::Placed(places) = &scene.frames {
            rows.insert(1, in_frames(&scene.meshes, places, quick)?);
            rows.push(by_vertices::<7>("14-DOPs, by vertices", &scene.meshes, places, quick)?);
            rows.push(by_vertices::<9>("18-DOPs, by vertices", &scene.meshes, places, quick)?);
            rows.push(by_vertices::<13>("26-DOPs, by vertices", &scene.meshes, places, quick)?);
        }
        let boxes = rows[0].clone();
        let total = |row: &Measured| row.update + row.query;
        ours.push([total(&boxes), rows.iter().map(total).fold(f64::INFINITY, f64::min)]);
        for row in rows {
            ensure!(row.pairs == boxes.pairs, "{}: {} find other pairs", scene.name, row.name);
            let frames = row.frames as f64;
            let micro = |time: f64| figure(time * 1e6 / frames, 1, "µs");
            let per_frame = |n: u64| count(n / row.frames as u64);
            let cells: [Cell; 10] = [
                scene.name.into(),
                scene.state.into(),
                row.name.into(),
                per_frame(row.work.overlap_tests),
                per_frame(row.work.primitive_tests),
                count(row.pairs / row.frames),
                micro(row.update),
                micro(row.query),
                micro(total(&row)),
                ratio_to(total(&boxes) / total(&row), 2),
            ];
            table.row(cells);
        }
    }
    table.note("update: a refit of all nodes where bodies bend; rigid bodies have none, their queries move volumes");
    table.note("against boxes: the frame of boxes over that of the row; above 1 the row is faster");
    notes.into_iter().for_each(|note| table.note(note));
    let mut tables = vec![units(quick)?, table, skins::table(quick)?];
    if let Some(program) = peer {
        tables.push(fcl::table(program, &scenes, &ours)?);
    }
    Ok(tables)
}

/// What a volume did and took over all frames of a scene.
#[derive(Clone)]
struct Measured {
    name: &'static str,
    frames: usize,
    pairs: usize,
    work: Work,
    update: f64,
    query: f64,
}

fn measure<V: Fit + Overlap<V> + Apart<V>>(
    name: &'static str,
    form: SphereForm,
    scene: &Scene,
    quick: bool,
) -> Result<Measured> {
    let settings = BuildSettings::default();
    match &scene.frames {
        Frames::Placed(places) => {
            let make = |mesh: &Mesh| Body::rigid_bounded(mesh.clone(), form, &settings);
            let bodies: [Body<Rigid, RigidBounds<V>>; 2] =
                [make(&scene.meshes[0])?, make(&scene.meshes[1])?];
            let set = |body: &mut Body<Rigid, RigidBounds<V>>, &place: &Isometry| {
                body.set_isometry(place);
                Ok(())
            };
            over_frames(name, bodies, places, quick, set, intersections)
        }
        Frames::Bent(positions) => {
            let make = |mesh: &Mesh| Body::free_bounded(mesh.clone(), form, &settings);
            let bodies: [Body<Free, BottomUp<V>>; 2] =
                [make(&scene.meshes[0])?, make(&scene.meshes[1])?];
            let set = |body: &mut Body<Free, BottomUp<V>>, at: &Vec<DVec3>| body.set_positions(at);
            over_frames(name, bodies, positions, quick, set, intersections)
        }
    }
}

/// k-DOPs of rigid bodies that are turned by the vertices of those at rest.
fn by_vertices<const N: usize>(
    name: &'static str,
    meshes: &[Mesh; 2],
    places: &[[Isometry; 2]],
    quick: bool,
) -> Result<Measured> {
    let settings = BuildSettings::default();
    let make = |mesh: &Mesh| Body::rigid_dop_hulls(mesh.clone(), &settings);
    let bodies: [Body<Rigid, DopHulls<N>>; 2] = [make(&meshes[0])?, make(&meshes[1])?];
    let set = |body: &mut Body<Rigid, DopHulls<N>>, &place: &Isometry| {
        body.set_isometry(place);
        Ok(())
    };
    over_frames(name, bodies, places, quick, set, intersections)
}

/// Boxes at rest of rigid bodies, compared in the frames of both: what [`AnyBody`] does.
fn in_frames(meshes: &[Mesh; 2], places: &[[Isometry; 2]], quick: bool) -> Result<Measured> {
    let make = |mesh: &Mesh| -> Result<AnyBody> { Ok(Body::rigid(mesh.clone())?.into()) };
    let bodies = [make(&meshes[0])?, make(&meshes[1])?];
    let set = |body: &mut AnyBody, &place: &Isometry| {
        if let AnyBody::Rigid(body) = body {
            body.set_isometry(place);
        }
        Ok(())
    };
    over_frames("boxes, in both frames", bodies, places, quick, set, AnyBody::intersections)
}

/// Sets each frame and asks for its contacts. Of several rounds the least disturbed counts, frame by frame.
fn over_frames<B, S>(
    name: &'static str,
    [mut a, mut b]: [B; 2],
    frames: &[[S; 2]],
    quick: bool,
    mut set: impl FnMut(&mut B, &S) -> pliant::Result<()>,
    ask: impl Fn(&B, &B) -> Intersections,
) -> Result<Measured> {
    let mut measured = Measured {
        name,
        frames: frames.len(),
        pairs: 0,
        work: Work::default(),
        update: 0.0,
        query: 0.0,
    };
    // What reading the clock takes by itself: rigid bodies that are apart take no longer.
    let mut reading = f64::INFINITY;
    for _ in 0..1000 {
        let start = thread_seconds();
        reading = reading.min(thread_seconds() - start);
    }
    for [first, second] in frames {
        let (mut update, mut query) = (f64::INFINITY, f64::INFINITY);
        let mut spent = 0.0;
        for round in 0..if quick { 2 } else { 40 } {
            // Fits of hulls take seconds: one round of them is enough.
            if (round >= 3 && spent > 0.06) || (round >= 1 && spent > 0.5) {
                break;
            }
            let start = thread_seconds();
            set(&mut a, first)?;
            set(&mut b, second)?;
            let middle = thread_seconds();
            let found = ask(&a, &b);
            let end = thread_seconds();
            (update, query) =
                (update.min(middle - start - reading), query.min(end - middle - reading));
            spent += end - start;
            if round == 0 {
                measured.pairs += found.pairs.len();
                measured.work += found.work;
            }
        }
        measured.update += update;
        measured.query += query;
    }
    Ok(measured)
}

/// What one test, one fit and one motion of a volume take.
struct Units {
    name: &'static str,
    test: f64,
    fit: f64,
    motion: f64,
    bytes: usize,
    /// Operations by the library's own count.
    operations: [u32; 2],
}

/// Unit costs: tests between nodes of two chairs, refits of the curtain, motions of a chair's nodes.
fn units(quick: bool) -> Result<Table> {
    eprintln!("volumes: unit costs ...");
    let columns = [
        "volume",
        "bytes",
        "test ns",
        "",
        "refit ns per node",
        "",
        "motion ns per node",
        "",
        "test operations",
        "fit operations",
    ];
    let mut table = Table::new("Volumes: unit costs, one thread", &columns);
    let rows = for_each_volume!(unit(quick));
    let boxes = [rows[0].test, rows[0].fit, rows[0].motion];
    for row in &rows {
        let [test, fit] = row.operations.map(count);
        table.row([
            row.name.into(),
            count(row.bytes),
            figure(row.test, 2, "ns"),
            ratio_to(row.test / boxes[0], 1),
            figure(row.fit, 1, "ns"),
            ratio_to(row.fit / boxes[1], 1),
            figure(row.motion, 1, "ns"),
            ratio_to(row.motion / boxes[2], 1),
            test,
            fit,
        ]);
    }
    table.note("test: every pair of the first 256 nodes of two turned chairs that overlap in part; ratios: over boxes");
    table.note(
        "fitted: around the vertices below each node, at every level, which is no single fit",
    );
    Ok(table)
}

fn unit<V: Fit + Overlap<V> + Apart<V>>(
    name: &'static str,
    form: SphereForm,
    quick: bool,
) -> Result<Units> {
    let settings = BuildSettings::default();
    let rounds = if quick { 2 } else { 12 };
    let mesh = chair()?;
    let mut a: Body<Rigid, RigidBounds<V>> = Body::rigid_bounded(mesh, form, &settings)?;
    let mut b = a.clone();
    a.set_isometry(Isometry::new(glam::DQuat::from_rotation_z(0.3), DVec3::ZERO)?);
    b.set_isometry(Isometry::new(glam::DQuat::from_rotation_y(0.7), DVec3::new(0.2, 0.1, 0.1))?);
    let volumes = [&a, &b].map(|body| (0..256).map(|n| body.bound(n)).collect::<Vec<V>>());
    let [test] = best_of(
        10 * rounds,
        [&mut || {
            let [first, second] = black_box(&volumes);
            let mut met = 0_u32;
            for p in first {
                for q in second {
                    met += u32::from(p.overlaps(q));
                }
            }
            black_box(met);
        }],
    );
    let nodes = a.nodes() as u32;
    let [motion] = best_of(
        5 * rounds,
        [&mut || {
            for node in 0..nodes {
                black_box(a.bound(node));
            }
        }],
    );
    let scene = curtain(0)?;
    let [p, q] = [scene.positions(10)?, scene.positions(60)?];
    let mut cloth: Body<Free, BottomUp<V>> = Body::free_bounded(scene.mesh, form, &settings)?;
    let mut results = Vec::new();
    let [fit] =
        best_of(rounds, [&mut || results.push([cloth.set_positions(&q), cloth.set_positions(&p)])]);
    results.into_iter().flatten().collect::<pliant::Result<()>>()?;
    Ok(Units {
        name,
        test: test * 1e9 / 65_536.0,
        fit: fit * 1e9 / 2.0 / cloth.nodes() as f64,
        motion: motion * 1e9 / f64::from(nodes),
        bytes: size_of::<V>(),
        operations: [V::COST.test, V::COST.fit],
    })
}
