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

/// Poses of one way after the other: each pose by all ways, none of which then finds its data in the caches; or some
/// poses by one way, as a program would that asks it in every frame and does little else.
const TURNS: [usize; 2] = [1, 20];

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

    /// What a ray hits on the baked mesh.
    fn cast(
        &self,
        way: usize,
        refitted: &mut FreeBody,
        ray: &Ray3d,
        wide: &Ray,
    ) -> Result<Option<f32>, Box<dyn std::error::Error>> {
        let nearest = |body: &FreeBody| ray_cast(body, wide).hit.map(|(_, hit)| hit.t as f32);
        Ok(match way {
            1 => {
                refitted.set_positions(&self.wide())?;
                nearest(refitted)
            }
            2 => nearest(&Body::free(Shape::new(self.wide(), self.triangles.clone())?)?),
            _ => {
                let positions: Vec<[f32; 3]> = self.baked.iter().map(Vec3::to_array).collect();
                let corners = Some(self.triangles.as_flattened());
                let (place, sides) = (&Affine3A::IDENTITY, Backfaces::Include);
                ray_mesh_intersection(*ray, place, &positions, None, corners, None, sides)
                    .map(|hit| hit.distance)
            }
        })
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
    // From around to a vertex: most rays hit.
    let mut rays = Vec::new();
    for pose in 0..POSES {
        one.set_time(world, seconds * pose as f64 / POSES as f64, Vec3::ZERO);
        baker.bake(&maps(world, one.entity).ok_or("no joints")?);
        let (low, high) = (baker.baked.iter())
            .fold((Vec3::MAX, Vec3::MIN), |(low, high), &at| (low.min(at), high.max(at)));
        let size = (high - low).length();
        let angle = pose as f32 * 2.4;
        let target = baker.baked[(pose * 7919) % baker.baked.len()] + (high - low) * 1e-3;
        let from = (low + high) / 2.0 + Vec3::new(angle.sin(), 0.3, angle.cos()) * size;
        let ray = Ray3d::new(from, Dir3::new(target - from)?);
        let [origin, direction] =
            [ray.origin, *ray.direction].map(|of| DVec3::from_array(of.to_array().map(f64::from)));
        rays.push((ray, Ray::new(origin, direction)?, size));
    }
    let joints = maps(world, one.entity).map_or(0, |all| all.len());
    println!("{file}: {} triangles, {joints} joints", baker.triangles.len());
    for turn in TURNS {
        let mut times = [const { Vec::new() }; 4];
        let mut found = vec![[f32::INFINITY; 4]; POSES];
        // The first round warms up.
        for round in 0..ROUNDS {
            for start in (0..POSES).step_by(turn) {
                for way in 0..WAYS.len() {
                    for pose in start..start + turn {
                        one.set_time(world, seconds * pose as f64 / POSES as f64, Vec3::ZERO);
                        let (ray, wide, _) = &rays[pose];
                        let since = Instant::now();
                        let distance = match way {
                            0 => {
                                let mut bodies = state.get_mut(world)?;
                                let hits = bodies.cast_ray(*ray, |_| true);
                                hits.first().map(|(_, hit)| hit.distance)
                            }
                            _ => {
                                baker.bake(&maps(world, one.entity).ok_or("no joints")?);
                                baker.cast(way, &mut refitted, ray, wide)?
                            }
                        };
                        if round > 0 {
                            times[way].push(since.elapsed().as_secs_f64() * 1e6);
                        }
                        found[pose][way] = distance.unwrap_or(f32::INFINITY);
                    }
                }
            }
        }
        let hits = found.iter().filter(|ways| ways[0].is_finite()).count();
        // f32 and an edge may decide otherwise: those are counted and said.
        let differs = |(ways, (_, _, size)): &(&[f32; 4], &(Ray3d, Ray, f32))| {
            let other = |way: &f32| {
                way.is_finite() != ways[0].is_finite() || (way - ways[0]).abs() > 1e-4 * size
            };
            ways.iter().any(other)
        };
        let differ = found.iter().zip(&rays).filter(differs).count();
        println!("  turns of {turn}: {hits} hits of {POSES}, {differ} rays on which not all agree");
        let medians = times.map(median);
        for (way, time) in WAYS.iter().zip(medians) {
            println!("    {way:24} {time:9.2} µs per pose and ray, {:6.1}x", time / medians[0]);
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    std::env::args().skip(1).try_for_each(|file| measure(&file))
}
