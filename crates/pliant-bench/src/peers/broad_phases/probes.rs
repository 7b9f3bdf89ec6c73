//! Points, segments, rays and another mesh against the triangles of one mesh, as the slides on broad
//! phases compare them.

use anyhow::{Result, ensure};
use pliant::glam::DVec3;
use pliant::volume::{Aabb, Ray};
use pliant::world::{BROAD_PHASES, BoxIndex, Probe, broad_phase_named};
use pliant::{Mesh, Work};
use pliant_scenes::{Random, bridge, chair, icosphere};

use crate::measure::thread_seconds;
use crate::table::{Table, count, seconds};

pub(super) fn run(quick: bool) -> Result<Vec<Table>> {
    let scenes = match quick {
        true => vec![("a sphere", icosphere(3)?)],
        false => {
            vec![("a chair", chair()?), ("a sphere", icosphere(6)?), ("the bridge", bridge()?.mesh)]
        }
    };
    scenes.iter().map(|(name, mesh)| one_mesh(name, mesh, quick)).collect()
}

/// The four kinds of questions.
struct Questions {
    points: Vec<Probe>,
    segments: Vec<Probe>,
    rays: Vec<Probe>,
    /// The triangles of the mesh itself, moved a little.
    other_mesh: Vec<Probe>,
}

fn one_mesh(name: &str, mesh: &Mesh, quick: bool) -> Result<Table> {
    let corners = |t: &[u32; 3]| t.map(|vertex| mesh.positions()[vertex as usize]);
    let boxes: Vec<Aabb> = mesh.triangles().iter().map(|t| Aabb::around(corners(t))).collect();
    eprintln!("broad-phases: probes of {name} ...");
    let questions = questions(mesh, &boxes, if quick { 50 } else { 1000 })?;
    let mut table = Table::new(
        format!("Probes of {name}, {} triangles, one thread", count(boxes.len())),
        &[
            "broad phase",
            "build",
            "per point",
            "per segment",
            "per ray",
            "per triangle",
            "tests per segment",
        ],
    );
    let mut expected: Option<[u64; 4]> = None;
    for method in BROAD_PHASES {
        // Others of the list are as good as one of these, or test each box.
        if ["auto", "sweep-and-prune", "every-pair"].contains(&method) {
            continue;
        }
        let Some(phase) = broad_phase_named(method) else { continue };
        let mut build = f64::INFINITY;
        for _ in 0..3 {
            // Those that keep something start anew.
            let phase =
                broad_phase_named(method).unwrap_or_else(|| Box::new(pliant::world::Auto::new()));
            let start = thread_seconds();
            std::hint::black_box(phase.index(&boxes));
            build = build.min(thread_seconds() - start);
        }
        let index = phase.index(&boxes);
        let Questions { points, segments, rays, other_mesh } = &questions;
        let asked = [points, segments, rays, other_mesh].map(|probes| ask(&*index, probes));
        let hits = asked.map(|(_, hits, _)| hits);
        ensure!(*expected.get_or_insert(hits) == hits, "{method} finds other triangles");
        let per = |kind: usize, probes: &[Probe]| seconds(asked[kind].0 / probes.len() as f64);
        let tests = asked[1].2.overlap_tests / segments.len() as u64;
        let label = match method {
            "surface-area-tree" => "surface-area-tree, as the mesh's own",
            name => name,
        };
        table.row([
            label.into(),
            seconds(build),
            per(0, points),
            per(1, segments),
            per(2, rays),
            per(3, other_mesh),
            count(tests),
        ]);
    }
    if let Some([points, segments, rays, mesh]) = expected {
        table.note(format!(
            "hits: {points} by points, {segments} by segments, {rays} by rays, {mesh} by triangles; the same for all"
        ));
    }
    table.note("segments reach across a tenth of the mesh's box; rays go on; triangles are those of the mesh, moved");
    Ok(table)
}

/// The best time for all probes, the sum of hits, and the work.
fn ask(index: &dyn BoxIndex, probes: &[Probe]) -> (f64, u64, Work) {
    let mut best = f64::INFINITY;
    let (mut hits, mut work, mut found) = (0, Work::default(), Vec::new());
    let start = thread_seconds();
    for round in 0..5 {
        (hits, work) = (0, Work::default());
        let before = thread_seconds();
        for probe in probes {
            index.find(probe, &mut work, &mut found);
            hits += found.len() as u64;
        }
        best = best.min(thread_seconds() - before);
        if round > 0 && thread_seconds() - start > 0.3 {
            break;
        }
    }
    (best, hits, work)
}

fn questions(mesh: &Mesh, boxes: &[Aabb], count: usize) -> Result<Questions> {
    let around = boxes.iter().fold(Aabb::EMPTY, |around, volume| around.merge(volume));
    let side = (around.max - around.min).as_dvec3();
    let mut random = Random::new(5);
    let mut near = || {
        let triangle = (random.unit() * boxes.len() as f64) as usize % boxes.len().max(1);
        let middle = 0.5 * boxes[triangle].doubled_center().as_dvec3();
        (middle + 0.01 * random.in_cube() * side, random.in_cube())
    };
    let (mut points, mut segments, mut rays) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        let (point, direction) = near();
        points.push(Probe::point(point)?);
        segments.push(Probe::segment(point, point + 0.1 * direction * side)?);
        rays.push(Probe::ray(Ray::new(point, direction + DVec3::splat(1e-9))?));
    }
    let moved = |volume: &Aabb| {
        let by = (0.05 * side).as_vec3a();
        Probe::overlapping(Aabb { min: volume.min + by, max: volume.max + by })
    };
    let stride = mesh.triangles().len().div_ceil(20 * count).max(1);
    let other_mesh = boxes.iter().step_by(stride).map(moved).collect();
    Ok(Questions { points, segments, rays, other_mesh })
}
