//! The exact triangle test on the pairs that a traversal yields.

use std::hint::black_box;

use anyhow::Result;
use glam::DVec3;
use pliant::contact::triangles_touch;
use pliant::tree::{BuildSettings, build_over_mesh};
use pliant::volume::{Aabb, Overlap};
use pliant_scenes::curtain::CurtainAndBall;
use pliant_scenes::curtain_and_ball;

use crate::measure::best_of;
use crate::table::{Table, count, figure, ratio};

type Triangle = [DVec3; 3];

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    eprintln!("triangles ...");
    let scene = curtain_and_ball(1, 5)?;
    let mut pairs = Vec::new();
    for frame in [50, 60, 70] {
        candidates(&scene, frame, &mut pairs)?;
    }
    let (touching, disjoint): (Vec<_>, Vec<_>) =
        pairs.iter().copied().partition(|(a, b)| triangles_touch(a, b));
    let rounds = if quick { 3 } else { 50 };
    let mut table = Table::new(
        "Triangle against triangle, pairs of curtain and ball whose boxes overlap: ns per pair",
        &[
            "pairs",
            "number",
            "touching",
            "ours, exact",
            "parry3d, f32",
            "ratio",
            "parry3d differs on",
        ],
    );
    for (name, pairs) in [("as found", &pairs), ("apart", &disjoint), ("touching", &touching)] {
        let mut ours = 0;
        let mut theirs = Vec::new();
        let [our_time, their_time] = best_of(
            rounds,
            [
                &mut || {
                    ours = pairs.iter().filter(|(a, b)| triangles_touch(black_box(a), b)).count();
                },
                &mut peer(pairs, &mut theirs),
            ],
        );
        let per_pair = |time: f64| time * 1e9 / pairs.len().max(1) as f64;
        let differ = pairs.iter().zip(&theirs).filter(|((a, b), t)| triangles_touch(a, b) != **t);
        table.row([
            name.into(),
            count(pairs.len()),
            count(ours),
            figure(per_pair(our_time), 1, "ns per pair"),
            figure(per_pair(their_time), 1, "ns per pair"),
            ratio(their_time / our_time),
            count(differ.count()),
        ]);
    }
    table.note("parry3d: intersection_test_support_map_support_map, its test for two triangles");
    Ok(vec![table])
}

/// Adds the pairs of triangles of one frame whose boxes overlap, in the order of the trees.
fn candidates(
    scene: &CurtainAndBall,
    frame: usize,
    pairs: &mut Vec<(Triangle, Triangle)>,
) -> Result<()> {
    let (cloth, ball) = (&scene.curtain.mesh, &scene.ball.mesh);
    let center = scene.ball.centers[frame];
    let moved: Vec<DVec3> = ball.positions().iter().map(|&p| p + center).collect();
    let positions = scene.curtain.positions(frame)?;
    let settings = BuildSettings::default();
    let all = |order: &[u32], triangles: &[[u32; 3]], positions: &[DVec3]| {
        let corners = |&t: &u32| triangles[t as usize].map(|vertex| positions[vertex as usize]);
        let boxed = |t: Triangle| (Aabb::around(t), t);
        order.iter().map(corners).map(boxed).collect::<Vec<_>>()
    };
    let a = all(&build_over_mesh(cloth, &settings)?.primitives, cloth.triangles(), &positions);
    let b = all(&build_over_mesh(ball, &settings)?.primitives, ball.triangles(), &moved);
    let whole = b.iter().fold(Aabb::EMPTY, |all, (aabb, _)| all.merge(aabb));
    for (box_a, triangle_a) in a.iter().filter(|(aabb, _)| aabb.overlaps(&whole)) {
        let near = b.iter().filter(|(box_b, _)| box_a.overlaps(box_b));
        pairs.extend(near.map(|(_, triangle_b)| (*triangle_a, *triangle_b)));
    }
    Ok(())
}

/// parry3d's test on the same pairs.
fn peer<'a>(pairs: &[(Triangle, Triangle)], found: &'a mut Vec<bool>) -> impl FnMut() + 'a {
    use parry3d::math::{Pose, Vector};
    use parry3d::query::details::intersection_test_support_map_support_map as touch;
    use parry3d::shape::Triangle as PeerTriangle;
    let vector = |p: DVec3| Vector::new(p.x as f32, p.y as f32, p.z as f32);
    let triangle = |[a, b, c]: Triangle| PeerTriangle::new(vector(a), vector(b), vector(c));
    let pairs: Vec<_> = pairs.iter().map(|&(a, b)| (triangle(a), triangle(b))).collect();
    move || {
        found.clear();
        found.extend(pairs.iter().map(|(a, b)| touch(&Pose::identity(), black_box(a), b)));
    }
}
