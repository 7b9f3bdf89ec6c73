//! One ray per pose: picking a character that is animated.

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::deform::{Binding, Blending};
use pliant::volume::Ray;
use pliant::{Body, ray_cast};
use pliant_scenes::Random;

use super::duel::{move_all, timed};
use super::stored::StoredSkin;
use crate::table::{Table, count, percent, ratio, seconds};

pub(crate) fn compare(name: &str, skin: &StoredSkin, quick: bool) -> Result<Table> {
    let StoredSkin { mesh, weights, frames } = skin;
    let rays = if quick { 16 } else { 64 };
    let binding = Binding::new(weights.clone(), frames.first().map_or(0, Vec::len))?;
    let mut ours = Body::skinned(mesh.clone(), binding, Blending::Linear)?;
    let mut free = Body::free(mesh.clone())?;
    let mut peer = crate::peers::parry::deformable(mesh)?;
    let mut positions = Vec::new();
    let mut random = Random::new(3);
    let (mut touched, mut bounds, mut hits, mut number) = (0, 0, 0, 0);
    let mut sums = [0.0; 3];
    for joints in frames {
        ours.set_pose(joints, &[])?;
        for _ in 0..rays {
            // From 3 m away at some vertex.
            let vertex = (random.unit() * mesh.positions().len() as f64) as u32;
            let aim = ours.position(vertex).unwrap_or(DVec3::ZERO);
            let Some(way) = random.in_cube().try_normalize() else { continue };
            let ray = Ray::new(aim + 3.0 * way, -way)?;
            let mut best = [f64::INFINITY; 3];
            for _ in 0..if quick { 1 } else { 3 } {
                let mut found = None;
                let mut looked = 0;
                best[0] = best[0].min(timed(&mut || {
                    ours.set_pose(joints, &[])?;
                    let cast = ray_cast(&ours, &ray);
                    (found, looked) = (cast.hit, cast.work.bounds);
                    Ok(())
                })?);
                let mut truth = None;
                best[1] = best[1].min(timed(&mut || {
                    move_all(mesh, weights, joints, &mut positions);
                    free.set_positions(&positions)?;
                    truth = ray_cast(&free, &ray).hit;
                    Ok(())
                })?);
                ensure!(found == truth, "{name}: the ray at vertex {vertex} hits something else");
                {
                    use parry3d::query::{Ray as PeerRay, RayCast as _};
                    let [from, along] =
                        [aim + 3.0 * way, -way].map(|v| crate::peers::parry::vertices(&[v])[0]);
                    let other = PeerRay::new(from, along);
                    best[2] = best[2].min(timed(&mut || {
                        move_all(mesh, weights, joints, &mut positions);
                        peer.set_vertices(&crate::peers::parry::vertices(&positions));
                        std::hint::black_box(peer.cast_local_ray(&other, f32::MAX, true));
                        Ok(())
                    })?);
                }
                hits += usize::from(found.is_some());
                bounds += looked as usize;
            }
            touched += ours.deformation().computed_vertices();
            number += 1;
            sums.iter_mut().zip(best).for_each(|(sum, best)| *sum += best);
        }
    }
    let rounds = if quick { 1 } else { 3 };
    let mut table = Table::new(
        format!(
            "{name} ({} triangles), a pose and a ray, {} rays of which {} hit",
            count(mesh.triangles().len()),
            count(number),
            count(hits / rounds),
        ),
        &["method", "nodes", "vertices", "time", ""],
    );
    let [linear, bottom_up, parry] = sums.map(|sum| sum / number as f64);
    let share = |part: usize, all: usize| percent(part as f64 / (all * number) as f64, 2);
    table.row([
        "bounds from joints".into(),
        share(bounds / rounds, ours.nodes()),
        share(touched, mesh.positions().len()),
        seconds(linear),
        ratio(1.0),
    ]);
    let mut other = |name: &str, time: f64| {
        table.row([name.into(), "all".into(), "all".into(), seconds(time), ratio(time / linear)]);
    };
    other("bottom-up boxes", bottom_up);
    other("parry3d", parry);
    table.note(
        "all methods start from the joints of a new pose; hits are the same bits in the first two",
    );
    Ok(table)
}
