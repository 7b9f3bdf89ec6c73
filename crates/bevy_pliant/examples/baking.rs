//! One ray per new pose of a skin: by `bevy_pliant`, and by moving all vertices, in one run.
//!
//! `cargo run --release --example baking -- FILE.glb [FILE.glb ...]`
//!
//! Every way starts from the same `GlobalTransform`s. The baked ways move every vertex in `f32`, as a renderer does; then
//! one refits pliant's own tree over them, one builds it anew, and one lets Bevy's mesh picking test every triangle.

use std::time::Instant;

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, Assets};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemState;
use bevy_math::{Affine3A, Dir3, Vec3};
use bevy_mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy_mesh::{Mesh, Mesh3d, VertexAttributeValues};
use bevy_picking::mesh_picking::ray_cast::{Backfaces, ray_mesh_intersection};
use bevy_pliant::pliant::glam::DVec3;
use bevy_pliant::pliant::volume::Ray;
use bevy_pliant::pliant::{Body, FreeBody, Mesh as Shape, ray_cast};
use bevy_pliant::{Pliant, PliantBodies, PliantPlugin, Sides};
use bevy_shape::Ray3d;
use bevy_transform::TransformPlugin;
use bevy_transform::components::GlobalTransform;

mod character;

const POSES: usize = 120;
const ROUNDS: usize = 5;

/// What a skin is made of, as a program that bakes would keep it.
struct Baker {
    positions: Vec<Vec3>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    triangles: Vec<[u32; 3]>,
    baked: Vec<Vec3>,
}

impl Baker {
    fn new(mesh: &Mesh) -> Option<Self> {
        let Some(VertexAttributeValues::Float32x3(positions)) =
            mesh.attribute(Mesh::ATTRIBUTE_POSITION)
        else {
            return None;
        };
        let Some(VertexAttributeValues::Uint16x4(joints)) =
            mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX)
        else {
            return None;
        };
        let Some(VertexAttributeValues::Float32x4(weights)) =
            mesh.attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT)
        else {
            return None;
        };
        let positions: Vec<Vec3> = positions.iter().copied().map(Vec3::from_array).collect();
        let corners: Vec<u32> = mesh.indices()?.iter().map(|corner| corner as u32).collect();
        let triangles = corners.as_chunks::<3>().0.to_vec();
        Some(Self {
            baked: positions.clone(),
            positions,
            joints: joints.clone(),
            weights: weights.clone(),
            triangles,
        })
    }

    /// Moves every vertex.
    fn bake(&mut self, maps: &[Affine3A]) {
        for (vertex, baked) in self.baked.iter_mut().enumerate() {
            let at = self.positions[vertex];
            let parts = self.joints[vertex]
                .iter()
                .zip(self.weights[vertex])
                .filter(|(_, weight)| *weight > 0.0);
            *baked = parts
                .map(|(&joint, weight)| maps[joint as usize].transform_point3(at) * weight)
                .sum();
        }
    }

    fn wide(&self) -> Vec<DVec3> {
        self.baked.iter().map(|at| DVec3::from_array(at.to_array().map(f64::from))).collect()
    }
}

fn maps(world: &World, entity: Entity) -> Option<Vec<Affine3A>> {
    let skin = world.get::<SkinnedMesh>(entity)?;
    let inverses =
        world.resource::<Assets<SkinnedMeshInverseBindposes>>().get(&skin.inverse_bindposes)?;
    let joints = skin.joints.iter().zip(inverses.iter());
    joints
        .map(|(&joint, inverse)| {
            Some(world.get::<GlobalTransform>(joint)?.affine() * Affine3A::from_mat4(*inverse))
        })
        .collect()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

const WAYS: [&str; 4] =
    ["bevy_pliant", "baked, refit", "baked, tree anew", "baked, Bevy's ray cast"];

fn measure(file: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        AssetPlugin::default(),
        TransformPlugin,
        PliantPlugin,
    ));
    let scene = pliant_io::load(file)?;
    let seconds = scene.animations().first().map_or(0.0, |animation| animation.seconds());
    let one = character::spawn(app.world_mut(), scene).ok_or("the file has no skin")?;
    app.world_mut().entity_mut(one.entity).insert(Pliant { sides: Sides::Both });
    one.set_time(app.world_mut(), 0.0, Vec3::ZERO);
    app.update();
    let world = app.world_mut();
    let mesh = world
        .get::<Mesh3d>(one.entity)
        .and_then(|mesh| world.resource::<Assets<Mesh>>().get(&mesh.0));
    let mut baker = mesh.and_then(Baker::new).ok_or("the mesh is not skinned")?;
    let mut refitted: FreeBody = Body::free(Shape::new(baker.wide(), baker.triangles.clone())?)?;
    let mut state: SystemState<PliantBodies> = SystemState::new(world);
    let mut times = [const { Vec::new() }; 4];
    let (mut hits, mut differ) = (0, 0);
    for round in 0..ROUNDS {
        for pose in 0..POSES {
            one.set_time(world, seconds * pose as f64 / POSES as f64, Vec3::ZERO);
            let now = maps(world, one.entity).ok_or("no joints")?;
            // From around to a vertex: most rays hit.
            baker.bake(&now);
            let (low, high) =
                baker.baked.iter().fold((baker.baked[0], baker.baked[0]), |(low, high), &at| {
                    (low.min(at), high.max(at))
                });
            let angle = pose as f32 * 2.4;
            let target = baker.baked[(pose * 7919) % baker.baked.len()] + (high - low) * 1e-3;
            let from = (low + high) / 2.0
                + Vec3::new(angle.sin(), 0.3, angle.cos()) * (high - low).length();
            let ray = Ray3d::new(from, Dir3::new(target - from)?);
            let [origin, direction] = [ray.origin, *ray.direction]
                .map(|of| DVec3::from_array(of.to_array().map(f64::from)));
            let wide = Ray::new(origin, direction)?;
            let mut found = [f32::INFINITY; 4];
            for way in 0..4 {
                let since = Instant::now();
                found[way] = match way {
                    0 => {
                        let mut bodies = state.get_mut(world)?;
                        bodies
                            .cast_ray(ray, |_| true)
                            .first()
                            .map_or(f32::INFINITY, |(_, hit)| hit.distance)
                    }
                    1 => {
                        let now = maps(world, one.entity).ok_or("no joints")?;
                        baker.bake(&now);
                        refitted.set_positions(&baker.wide())?;
                        ray_cast(&refitted, &wide)
                            .hit
                            .map_or(f32::INFINITY, |(_, hit)| hit.t as f32)
                    }
                    2 => {
                        let now = maps(world, one.entity).ok_or("no joints")?;
                        baker.bake(&now);
                        let body = Body::free(Shape::new(baker.wide(), baker.triangles.clone())?)?;
                        ray_cast(&body, &wide).hit.map_or(f32::INFINITY, |(_, hit)| hit.t as f32)
                    }
                    _ => {
                        let now = maps(world, one.entity).ok_or("no joints")?;
                        baker.bake(&now);
                        let positions: Vec<[f32; 3]> =
                            baker.baked.iter().map(Vec3::to_array).collect();
                        let corners = baker.triangles.as_flattened();
                        let hit = ray_mesh_intersection(
                            ray,
                            &Affine3A::IDENTITY,
                            &positions,
                            None,
                            Some(corners),
                            None,
                            Backfaces::Include,
                        );
                        hit.map_or(f32::INFINITY, |hit| hit.distance)
                    }
                };
                // The first round warms up.
                if round > 0 {
                    times[way].push(since.elapsed().as_secs_f64() * 1e6);
                }
            }
            hits += usize::from(found[0].is_finite());
            // f32 and an edge may decide otherwise: those are counted and said.
            let size = (high - low).length();
            differ += usize::from(found.iter().any(|way| {
                way.is_finite() != found[0].is_finite() || (way - found[0]).abs() > 1e-4 * size
            }));
        }
    }
    println!(
        "{file}: {} triangles, {} joints, {hits} hits of {}, {differ} rays on which not all agree",
        baker.triangles.len(),
        maps(world, one.entity).map_or(0, |all| all.len()),
        ROUNDS * POSES
    );
    let medians = times.map(median);
    for (way, time) in WAYS.iter().zip(medians) {
        println!("  {way:24} {time:9.2} µs per pose and ray, {:6.1}x", time / medians[0]);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    std::env::args().skip(1).try_for_each(|file| measure(&file))
}
