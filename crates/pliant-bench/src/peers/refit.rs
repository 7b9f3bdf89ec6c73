//! Refit of all bounds after all vertices moved.

use anyhow::Result;
use pliant::Body;
use pliant::bound::SphereForm;
use pliant::tree::BuildSettings;
use pliant_scenes::curtain;

use crate::measure::{best_of, copy_rate, rounds};
use crate::table::{Table, count, figure, percent, ratio_to};

/// Two frames of the curtain that differ in every vertex.
const FRAMES: [usize; 2] = [10, 60];

const NS_PER_NODE: &str = "ns per node";

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let headings = [
        "triangles",
        "nodes",
        "boxes",
        "in f32",
        "two threads",
        "wide boxes",
        "spheres",
        "parry3d",
        "ratio",
        "MB",
        "of copying",
    ];
    let title = "Refit after all vertices moved: ns per node of the binary tree, one thread but for one column";
    let mut table = Table::new(title, &headings);
    for refinements in 0..=if quick { 1 } else { 3 } {
        eprintln!("refit: {refinements} refinements ...");
        let scene = curtain(refinements)?;
        let [p, q] = [scene.positions(FRAMES[0])?, scene.positions(FRAMES[1])?];
        let triangles = scene.mesh.triangles().len();
        let mut boxes = Body::free(scene.mesh.clone())?;
        let mut wide = Body::free_with(scene.mesh.clone(), &BuildSettings::WIDE)?;
        let settings = BuildSettings::default();
        let mut spheres = Body::free_spheres(scene.mesh.clone(), SphereForm::Layered, &settings)?;
        let mut in_f32 = Body::free_f32(scene.mesh.clone())?;
        let nodes = boxes.nodes();
        let [p_f32, q_f32] = [&p, &q].map(|of| of.iter().map(|p| p.as_vec3()).collect::<Vec<_>>());
        // Each is read or written once: positions in and out, the plan's bytes, boxes. The cache reads a
        // line before it is written.
        let bytes = p.len() * (24 + 2 * 24 + 4) + triangles * 4 + nodes * 2 * 32;
        let rounds = rounds(triangles, quick);
        let mut peer = super::parry::deformable(&scene.mesh)?;
        let [peer_p, peer_q] = [super::parry::vertices(&p), crate::peers::parry::vertices(&q)];
        let (mut results, mut wide_results) = (Vec::new(), Vec::new());
        let mut results_f32 = Vec::new();
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let [ours, ours_f32, ours_wide, theirs] = alone.install(|| {
            best_of(
                rounds,
                [
                    &mut || results.push([boxes.set_positions(&q), boxes.set_positions(&p)]),
                    &mut || {
                        results_f32
                            .push([in_f32.set_positions(&q_f32), in_f32.set_positions(&p_f32)]);
                    },
                    &mut || wide_results.push([wide.set_positions(&q), wide.set_positions(&p)]),
                    &mut || {
                        peer.set_vertices(&peer_q);
                        peer.set_vertices(&peer_p);
                    },
                ],
            )
        });
        let two = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
        let [ours_two] = two.install(|| {
            best_of(
                rounds,
                [&mut || results.push([boxes.set_positions(&q), boxes.set_positions(&p)])],
            )
        });
        let [ours_spheres] = best_of(
            rounds.div_ceil(4),
            [&mut || results.push([spheres.set_positions(&q), spheres.set_positions(&p)])],
        );
        results
            .into_iter()
            .chain(wide_results)
            .chain(results_f32)
            .flatten()
            .collect::<pliant::Result<()>>()?;
        let per_node = |time: f64| time / 2.0 * 1e9 / nodes as f64;
        let limit = bytes as f64 / copy_rate(bytes / 2);
        table.row([
            count(triangles),
            count(nodes),
            figure(per_node(ours), 2, NS_PER_NODE),
            figure(per_node(ours_f32), 2, NS_PER_NODE),
            figure(per_node(ours_two), 2, NS_PER_NODE),
            figure(per_node(ours_wide), 2, NS_PER_NODE),
            figure(per_node(ours_spheres), 1, NS_PER_NODE),
            figure(per_node(theirs), 2, NS_PER_NODE),
            ratio_to(theirs / ours, 1),
            figure(bytes as f64 / 1e6, 1, "MB"),
            percent(limit / (ours / 2.0), 0),
        ]);
    }
    table.note(
        "ratio: parry3d's TriMesh::set_vertices (f32) over our set_positions (f64) with boxes",
    );
    table.note(
        "MB: what a refit of boxes must move; of copying: its speed in percent of a plain copy of as much",
    );
    Ok(vec![table])
}
