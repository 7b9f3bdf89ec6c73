//! Building a tree: time and quality.

use anyhow::Result;
use pliant::Mesh;
use pliant::tree::{BuildSettings, Split, build, node_boxes};
use pliant::volume::Aabb;
use pliant_scenes::{curtain, icosphere, triangle_soup};

use crate::measure::best_of;
use crate::table::{Cell, Table, count, figure, seconds};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let scenes = if quick {
        [
            ("the curtain", curtain(0)?.mesh),
            ("a sphere", icosphere(4)?),
            ("loose triangles", triangle_soup(10_000, 0.02, 1)?),
        ]
    } else {
        [
            ("the curtain", curtain(3)?.mesh),
            ("a sphere", icosphere(7)?),
            ("loose triangles", triangle_soup(500_000, 0.02, 1)?),
        ]
    };
    let rounds = if quick { 2 } else { 5 };
    scenes.iter().map(|(name, mesh)| one_scene(name, mesh, rounds)).collect()
}

fn one_scene(name: &str, mesh: &Mesh, rounds: usize) -> Result<Table> {
    eprintln!("build: {name} ...");
    let corners = |t: &[u32; 3]| t.map(|vertex| mesh.positions()[vertex as usize]);
    let boxes: Vec<Aabb> = mesh.triangles().iter().map(|t| Aabb::around(corners(t))).collect();
    let mut table = Table::new(
        format!("Building a tree over {name}: {} triangles, one per leaf", count(boxes.len())),
        &["builder", "one thread", "two threads", "cost"],
    );
    for (name, split) in [
        ("pliant, surface area", Split::BinnedSah),
        ("pliant, midpoint", Split::Midpoint),
        ("pliant, median", Split::Median),
    ] {
        let settings = BuildSettings { split, ..BuildSettings::default() };
        let times = on_one_and_two_threads(rounds, || build(&boxes, &settings))?;
        let tree = build(&boxes, &settings)?;
        let inner = tree.nodes.iter().zip(node_boxes(&tree, &boxes)?);
        let areas = inner.map(|(node, aabb)| (!node.is_leaf(), f64::from(aabb.half_area())));
        let [one, two] = times;
        table.row([name.into(), one, two, cost(areas)]);
    }
    peers(&mut table, &boxes, rounds)?;
    table.note("cost: areas of all inner nodes over that of the root, what a query pays for");
    Ok(table)
}

/// The areas of inner nodes, in units of the root's, which comes first.
fn cost(areas: impl IntoIterator<Item = (bool, f64)>) -> Cell {
    let mut areas = areas.into_iter().filter(|(inner, _)| *inner).map(|(_, area)| area).peekable();
    let root = areas.peek().copied().unwrap_or(1.0);
    figure(areas.sum::<f64>() / root, 3, "areas of the root")
}

/// Best times of a build with one thread and with two.
fn on_one_and_two_threads<T: Send>(
    rounds: usize,
    mut build: impl FnMut() -> T + Send,
) -> Result<[Cell; 2]> {
    let mut times = [Cell::default(), Cell::default()];
    for (threads, time) in (1..).zip(&mut times) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let [best] = pool.install(|| {
            best_of(
                rounds,
                [&mut || {
                    std::hint::black_box(build());
                }],
            )
        });
        *time = seconds(best);
    }
    Ok(times)
}

/// What others make of the same boxes.
fn peers(table: &mut Table, boxes: &[Aabb], rounds: usize) -> Result<()> {
    use obvhs::BvhBuildParams;
    use obvhs::bvh2::builder::build_bvh2;
    use parry3d::bounding_volume::Aabb as ParryBox;
    use parry3d::partitioning::{Bvh, BvhBuildStrategy, TraversalAction};

    let theirs: Vec<_> =
        boxes.iter().map(|b| obvhs::aabb::Aabb { min: to(b.min), max: to(b.max) }).collect();
    for (name, mut settings) in [
        ("obvhs, fast", BvhBuildParams::fast_build()),
        ("obvhs, medium", BvhBuildParams::medium_build()),
    ] {
        settings.max_prims_per_leaf = 1;
        let make = || build_bvh2(&theirs, settings, &mut std::time::Duration::default());
        let times = on_one_and_two_threads(rounds, make)?;
        let tree = make();
        let areas = tree.nodes.iter().map(|node| {
            let side = node.aabb.max - node.aabb.min;
            let area = side.x * side.y + side.y * side.z + side.z * side.x;
            (node.prim_count == 0, f64::from(area))
        });
        let [one, two] = times;
        table.row([name.into(), one, two, cost(areas)]);
    }

    let parry: Vec<_> = boxes
        .iter()
        .map(|b| ParryBox::new(b.min.to_array().into(), b.max.to_array().into()))
        .collect();
    let make = || Bvh::from_iter(BvhBuildStrategy::Binned, parry.iter().copied().enumerate());
    let times = on_one_and_two_threads(rounds, make)?;
    let area = |aabb: &ParryBox| {
        let side = aabb.maxs - aabb.mins;
        f64::from(side.x * side.y + side.y * side.z + side.z * side.x)
    };
    let tree = make();
    let mut areas = vec![(true, area(&tree.root_aabb()))];
    tree.traverse(|node| {
        areas.push((!node.is_leaf(), area(&node.aabb())));
        TraversalAction::Continue
    });
    let [one, two] = times;
    table.row(["parry3d, binned".into(), one, two, cost(areas)]);
    Ok(())
}

/// A vector of obvhs's version of glam.
fn to<T: From<[f32; 3]>>(vector: glam::Vec3A) -> T {
    T::from(vector.to_array())
}
