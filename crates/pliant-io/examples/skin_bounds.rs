//! Measures the speed and tightness of the bounds of a skinned character, compared with skinning
//! all of it.
//!
//!     cargo run --release -p pliant-io --example skin_bounds -- FILE [OFFSET]
//!
//! The largest skinned object of a glTF file plays its first animation. A copy of it is placed
//! OFFSET to the side.

use std::time::Instant;

use pliant::bound::Bounds as _;
use pliant::deform::{Binding, Blending};
use pliant::glam::{DAffine3, DVec3};
use pliant::tree::{BuildSettings, level_of_nodes, primitive_runs};
use pliant::volume::Ray;
use pliant::{Body, Collide as _, Mesh};
use pliant_io::{Deformation, read_gltf};

const POSES: usize = 12;
const ROUNDS: usize = 9;

/// The least time over several rounds for each pose, averaged, in microseconds per pose.
fn best(mut run: impl FnMut(usize)) -> f64 {
    let mut least = [f64::INFINITY; POSES];
    for _ in 0..ROUNDS {
        for (pose, least) in least.iter_mut().enumerate() {
            let start = Instant::now();
            run(pose);
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least.iter().sum::<f64>() * 1e6 / POSES as f64
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("FILE is missing")?;
    let offset: f64 = arguments.next().map_or(Ok(0.4), |text| text.parse())?;
    let scene = read_gltf(&file)?;
    let skinned = scene.objects().iter().enumerate().filter_map(|(number, object)| {
        match &object.deformation {
            Deformation::Skin { skin, weights, .. } => Some((number, object, *skin, weights)),
            _ => None,
        }
    });
    let (_, object, skin, weights) =
        skinned.max_by_key(|found| found.1.mesh.triangles().len()).ok_or("no skin")?;
    let mesh: &Mesh = &object.mesh;
    let joints = scene.skins()[skin].joints.len();
    let end = scene.animations().first().map_or(0.0, |animation| animation.end);
    let animation = (!scene.animations().is_empty()).then_some(0);
    let mut poses = Vec::new();
    for pose in 0..POSES {
        let time = end * pose as f64 / POSES as f64;
        poses.push(scene.pose(animation, time)?.joints[skin].clone());
    }
    let binding = Binding::new(weights.as_ref().clone(), joints)?;
    println!(
        "{} vertices, {} triangles, {joints} joints, {} joint sets",
        mesh.positions().len(),
        mesh.triangles().len(),
        binding.joint_sets()
    );
    let size = (mesh.positions().iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max)
        - mesh.positions().iter().copied().fold(DVec3::INFINITY, DVec3::min))
    .max_element();
    let shifted = |by: f64| -> Vec<Vec<DAffine3>> {
        let aside = DAffine3::from_translation(DVec3::X * by * size);
        poses.iter().map(|pose| pose.iter().map(|joint| aside * *joint).collect()).collect()
    };
    let (near, far) = (shifted(offset), shifted(3.0));
    for blending in [Blending::Linear, Blending::Spherical, Blending::DualQuaternion] {
        println!("--- {blending:?}");
        let start = Instant::now();
        let mut body = Body::skinned(mesh.clone(), binding.clone(), blending)?;
        println!("built in {:.0} ms, {} nodes", start.elapsed().as_secs_f64() * 1e3, body.nodes());
        if let Err(error) = body.set_pose(&poses[0], &[]) {
            println!("{error}");
            continue;
        }
        let mut other = body.clone();
        let mut spheres = Body::skinned_spheres(
            mesh.clone(),
            binding.clone(),
            blending,
            &BuildSettings::default(),
        )?;
        let mut free = Body::free(mesh.clone())?;
        let mut other_free = Body::free(mesh.clone())?;
        let count = mesh.positions().len() as u32;
        let mut all = Vec::new();
        // Skins all vertices with the same formulas.
        let mut skin_all =
            |body: &mut pliant::SkinnedBody, joints: &[DAffine3], free: &mut pliant::FreeBody| {
                body.set_pose(joints, &[]).unwrap();
                all.clear();
                all.extend((0..count).map(|v| body.position(v).unwrap()));
                free.set_positions(&all).unwrap();
            };
        let set = best(|i| body.set_pose(&poses[i], &[]).unwrap());
        let root = best(|i| {
            body.set_pose(&poses[i], &[]).unwrap();
            std::hint::black_box(body.bound(0));
        });
        // Nodes with more triangles than are bounded by their corners.
        let runs = primitive_runs(body.tree());
        let inner: Vec<u32> =
            (0u32..).zip(&runs).filter(|(_, run)| run.len() > 8).map(|(n, _)| n).collect();
        let each = best(|i| {
            body.set_pose(&poses[i], &[]).unwrap();
            for &node in &inner {
                std::hint::black_box(body.bound(node));
            }
        });
        let each_sphere = best(|i| {
            spheres.set_pose(&poses[i], &[]).unwrap();
            for &node in &inner {
                std::hint::black_box(spheres.bound(node));
            }
        });
        println!(
            "set_pose {set:.2} us, with root {root:.2} us; {:.1} ns per box, {:.1} ns per sphere",
            each * 1e3 / inner.len() as f64,
            each_sphere * 1e3 / inner.len() as f64
        );
        let whole = best(|i| skin_all(&mut body, &poses[i], &mut free));
        println!("skin all and refit {whole:.1} us");
        for (name, places) in [("apart", &far), ("contact", &near)] {
            let mut pairs = [0; 3];
            let ours = best(|i| {
                body.set_pose(&poses[i], &[]).unwrap();
                other.set_pose(&places[i], &[]).unwrap();
                pairs[0] += pliant::intersections(&body, &other).pairs.len();
            });
            let with_spheres = {
                let mut other = spheres.clone();
                best(|i| {
                    spheres.set_pose(&poses[i], &[]).unwrap();
                    other.set_pose(&places[i], &[]).unwrap();
                    pairs[1] += pliant::intersections(&spheres, &other).pairs.len();
                })
            };
            let mut work = [pliant::Work::default(); 2];
            let theirs = best(|i| {
                skin_all(&mut body, &poses[i], &mut free);
                skin_all(&mut other, &places[i], &mut other_free);
                let found = pliant::intersections(&free, &other_free);
                pairs[2] += found.pairs.len();
                work[1] = found.work;
            });
            body.set_pose(&poses[POSES - 1], &[])?;
            other.set_pose(&places[POSES - 1], &[])?;
            work[0] = pliant::intersections(&body, &other).work;
            let share = body.bounds().refitted();
            assert!(pairs[0] == pairs[2] && pairs[1] == pairs[2], "{pairs:?}");
            println!(
                "{name}: ours {ours:.2} us, spheres {with_spheres:.2}, all {theirs:.1} us: {:.1}x; {} pairs, {:.1} % of nodes; {:?} {:?}",
                theirs / ours,
                pairs[0] / ROUNDS / POSES,
                100.0 * share as f64 / body.nodes() as f64,
                work[0],
                work[1]
            );
        }
        // Rays through the character.
        let mut touched = 0;
        let rays: Vec<Ray> = (0..POSES)
            .map(|i| {
                let target = {
                    body.set_pose(&poses[i], &[]).unwrap();
                    body.position(count / POSES as u32 * i as u32).unwrap()
                };
                let eye = target + DVec3::new(2.0, 1.0, 3.0) * size;
                Ray::new(eye, target - eye).unwrap()
            })
            .collect();
        let cast = best(|i| {
            body.set_pose(&poses[i], &[]).unwrap();
            std::hint::black_box(pliant::ray_cast(&body, &rays[i]));
        });
        let mut work = 0;
        for i in 0..POSES {
            body.set_pose(&poses[i], &[])?;
            work += pliant::ray_cast(&body, &rays[i]).work.bounds;
            touched += body.deformation().computed_vertices();
        }
        let cast_all = best(|i| {
            skin_all(&mut body, &poses[i], &mut free);
            std::hint::black_box(pliant::ray_cast(&free, &rays[i]));
        });
        println!(
            "ray: ours {cast:.2} us, all {cast_all:.1} us: {:.0}x; {:.2} % of vertices, {} bounds",
            cast_all / cast,
            100.0 * touched as f64 / POSES as f64 / f64::from(count),
            work / POSES as u64,
        );
        tightness(&mut body, &mut spheres, &poses[POSES / 3]);
    }
    Ok(())
}

/// Boxes and radii relative to the tightest ones, by level.
fn tightness(
    body: &mut pliant::SkinnedBody,
    spheres: &mut Body<pliant::deform::Skin, pliant::bound::SkinSpheres>,
    pose: &[DAffine3],
) {
    body.set_pose(pose, &[]).unwrap();
    spheres.set_pose(pose, &[]).unwrap();
    let levels = level_of_nodes(body.tree());
    let runs = primitive_runs(body.tree());
    let mut sums = vec![[0.0_f64; 6]; 60];
    for node in 0..body.nodes() {
        if body.tree().node(node as u32).is_leaf() {
            continue;
        }
        let run = &runs[node];
        let triangles = &body.tree().primitives[run.start as usize..run.end as usize];
        let points: Vec<DVec3> = triangles.iter().flat_map(|&t| body.triangle(t)).collect();
        let tight = pliant::volume::Aabb::around(points.iter().copied());
        let found = body.bounds().bound(body.deformation(), node as u32);
        let sphere = spheres.bound(node as u32);
        let row = &mut sums[levels[node] as usize];
        row[0] += 1.0;
        row[1] += f64::from(found.half_area());
        row[2] += f64::from(tight.half_area());
        row[3] += f64::from(sphere.radius);
        row[4] += smallest(&points);
    }
    print!("level: area and radius over the tightest:");
    for (level, row) in sums.iter().enumerate().filter(|(_, row)| row[0] > 0.0).take(16) {
        print!(" {level}: {:.2} {:.2};", row[1] / row[2], row[3] / row[4]);
    }
    println!();
}

fn smallest(points: &[DVec3]) -> f64 {
    let mut center = points.iter().sum::<DVec3>() / points.len() as f64;
    let mut least = f64::INFINITY;
    for step in 1..=(1_000_000 / points.len()).clamp(20, 300) {
        let far = points
            .iter()
            .copied()
            .max_by(|a, b| a.distance_squared(center).total_cmp(&b.distance_squared(center)));
        let Some(far) = far else { return 0.0 };
        least = least.min(far.distance(center));
        center += (far - center) / (step as f64 + 1.0);
    }
    least
}
