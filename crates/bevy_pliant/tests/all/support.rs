//! Apps without a window, a bar that bends, and what a renderer would draw.

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce as _;
use bevy_math::{Dir3, Mat4, Vec3};
use bevy_mesh::morph::{MeshMorphWeights, MorphAttributes};
use bevy_mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology, VertexAttributeValues};
use bevy_picking::{InteractionPlugin, PickingPlugin};
use bevy_pliant::pliant::glam::{DMat4, DVec3};
use bevy_pliant::pliant::query::brute_force;
use bevy_pliant::pliant::volume::Ray;
use bevy_pliant::pliant::{self, Body};
use bevy_pliant::{Pliant, PliantBodies, PliantHit, PliantPlugin};
use bevy_shape::Ray3d;
use bevy_transform::TransformPlugin;
use bevy_transform::components::{GlobalTransform, Transform};

pub(crate) fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), TransformPlugin));
    app.add_plugins((PickingPlugin, InteractionPlugin, PliantPlugin));
    app
}

/// Segments of the bar.
const SEGMENTS: usize = 8;

/// A bar along x from -2 to 2, whose right half follows the second joint.
pub(crate) fn bar() -> Mesh {
    let (mut positions, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for ring in 0..=SEGMENTS {
        let along = ring as f32 / SEGMENTS as f32;
        for (y, z) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            positions.push([4.0 * along - 2.0, y, z]);
            joints.push([0_u16, 1, 0, 0]);
            weights.push([1.0 - along, along, 0.0, 0.0]);
        }
    }
    let mut corners: Vec<u16> = vec![0, 2, 1, 0, 3, 2];
    for ring in 0..SEGMENTS as u16 {
        for side in 0..4 {
            let (a, b) = (4 * ring + side, 4 * ring + (side + 1) % 4);
            corners.extend([a, b, b + 4, a, b + 4, a + 4]);
        }
    }
    let last = 4 * SEGMENTS as u16;
    corners.extend([last, last + 1, last + 2, last, last + 2, last + 3]);
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(
            Mesh::ATTRIBUTE_JOINT_INDEX,
            VertexAttributeValues::Uint16x4(joints),
        )
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights)
        .with_inserted_indices(Indices::U16(corners))
}

/// One target that makes the bar higher where it is long.
pub(crate) fn swollen(mesh: Mesh) -> Mesh {
    let count = mesh.count_vertices();
    let grow =
        |vertex: usize| Vec3::new(0.0, if vertex.is_multiple_of(2) { 0.3 } else { -0.1 }, 0.0);
    let target = |factor: f32| {
        (0..count).map(move |vertex| [grow(vertex) * factor, Vec3::ZERO, Vec3::ZERO].into())
    };
    let all: Vec<MorphAttributes> = target(1.0).chain(target(-0.5)).collect();
    mesh.with_morph_targets(all)
}

pub(crate) fn add(app: &mut App, mesh: Mesh) -> Mesh3d {
    Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh))
}

/// A skin of a bar, and its joints: the second hangs from the first.
pub(crate) struct Bent {
    pub(crate) entity: Entity,
    pub(crate) joints: [Entity; 2],
}

pub(crate) fn spawn_bar(app: &mut App, mesh: Mesh) -> Bent {
    let mesh = add(app, mesh);
    let world = app.world_mut();
    let first = world.spawn(Transform::IDENTITY).id();
    let second = world.spawn((Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(first))).id();
    let inverses = vec![Mat4::IDENTITY, Mat4::from_translation(Vec3::NEG_X)];
    let inverse_bindposes = world
        .resource_mut::<Assets<SkinnedMeshInverseBindposes>>()
        .add(SkinnedMeshInverseBindposes::from(inverses));
    let joints = vec![first, second];
    // Its own transform does not count.
    let place = Transform::from_xyz(70.0, 0.0, 0.0);
    let entity = world
        .spawn((mesh, SkinnedMesh { inverse_bindposes, joints }, place, Pliant::default()))
        .id();
    Bent { entity, joints: [first, second] }
}

pub(crate) fn place(app: &mut App, entity: Entity, transform: Transform) {
    *app.world_mut().get_mut::<Transform>(entity).expect("a transform") = transform;
}

/// What the renderer would draw, vertex by vertex: written down here once more, without the crate.
pub(crate) fn baked(world: &World, entity: Entity) -> Vec<DVec3> {
    let mesh = world
        .resource::<Assets<Mesh>>()
        .get(&world.get::<Mesh3d>(entity).expect("a mesh").0)
        .expect("loaded");
    let place = |entity| {
        let matrix = Mat4::from(world.get::<GlobalTransform>(entity).expect("a place").affine());
        DMat4::from_cols_array(&matrix.to_cols_array().map(f64::from))
    };
    let Some(VertexAttributeValues::Float32x3(positions)) =
        mesh.attribute(Mesh::ATTRIBUTE_POSITION)
    else {
        panic!()
    };
    let mut all: Vec<DVec3> =
        positions.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
    if let (Some(targets), Some(MeshMorphWeights::Value { weights })) =
        (mesh.morph_targets(), world.get(entity))
    {
        for (target, &weight) in targets.chunks(positions.len()).zip(weights) {
            for (at, of) in all.iter_mut().zip(target) {
                *at += DVec3::from_array(of.position.to_array().map(f64::from)) * f64::from(weight);
            }
        }
    }
    let Some(skin) = world.get::<SkinnedMesh>(entity) else {
        return all.iter().map(|&at| place(entity).transform_point3(at)).collect();
    };
    let inverses = world
        .resource::<Assets<SkinnedMeshInverseBindposes>>()
        .get(&skin.inverse_bindposes)
        .expect("loaded");
    let maps: Vec<DMat4> = (skin.joints.iter().zip(inverses.iter()))
        .map(|(&joint, inverse)| {
            place(joint) * DMat4::from_cols_array(&inverse.to_cols_array().map(f64::from))
        })
        .collect();
    let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX)
    else {
        panic!()
    };
    let Some(VertexAttributeValues::Float32x4(weights)) =
        mesh.attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT)
    else {
        panic!()
    };
    let blend = |vertex: usize| {
        let parts = joints[vertex].iter().zip(weights[vertex]);
        let moved = parts.map(|(&joint, weight)| {
            maps[joint as usize].transform_point3(all[vertex]) * f64::from(weight)
        });
        moved.sum::<DVec3>() / weights[vertex].iter().copied().map(f64::from).sum::<f64>()
    };
    (0..all.len()).map(blend).collect()
}

/// The baked mesh as a body of its own.
pub(crate) fn baked_body(world: &World, entity: Entity) -> pliant::FreeBody {
    let mesh = world
        .resource::<Assets<Mesh>>()
        .get(&world.get::<Mesh3d>(entity).expect("a mesh").0)
        .expect("loaded");
    let corners: Vec<u32> =
        mesh.indices().expect("indices").iter().map(|corner| corner as u32).collect();
    let mesh = pliant::Mesh::new(baked(world, entity), corners.as_chunks::<3>().0.to_vec())
        .expect("a mesh");
    Body::free(mesh).expect("a body")
}

/// What a ray hits on each entity.
pub(crate) fn cast(app: &mut App, ray: Ray3d) -> Vec<(Entity, PliantHit)> {
    app.world_mut()
        .run_system_once(move |mut bodies: PliantBodies| bodies.cast_ray(ray, |_| true))
        .expect("a system")
}

pub(crate) fn towards(from: Vec3, to: Vec3) -> Ray3d {
    Ray3d::new(from, Dir3::new(to - from).expect("a direction"))
}

/// How near to an edge rounding may decide which of two triangles is hit.
const BORDER: f64 = 1e-6;

/// Casts rays at an entity from all around; each hits what brute force hits on the baked mesh, seen from the front.
/// Returns how many hit.
pub(crate) fn compare(app: &mut App, entity: Entity, rays: usize) -> usize {
    let oracle = baked_body(app.world(), entity);
    let positions = baked(app.world(), entity);
    let (low, high) = positions
        .iter()
        .fold((positions[0], positions[0]), |(low, high), &at| (low.min(at), high.max(at)));
    let (size, mut state, mut hits) = ((high - low).length(), 1_u64, 0);
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    for number in 0..rays {
        let target = low + (high - low) * DVec3::new(random(), random(), random());
        let away =
            DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5).normalize_or(DVec3::X);
        let [from, to] = [target + away * (size + 1.0), target]
            .map(|at| Vec3::from_array(at.as_vec3().to_array()));
        let ray = towards(from, to);
        let [origin, direction] =
            [ray.origin, *ray.direction].map(|of| DVec3::from_array(of.to_array().map(f64::from)));
        let same = Ray::new(origin, direction).expect("a ray");
        let all = brute_force::ray_hits(&oracle, &same).hits;
        if all.iter().any(|(_, hit)| hit.barycentric.iter().any(|&part| part < BORDER)) {
            continue;
        }
        let front = |&&(triangle, _): &&(u32, _)| {
            let [a, b, c] = oracle.mesh().triangles()[triangle as usize]
                .map(|vertex| positions[vertex as usize]);
            (b - a).cross(c - a).dot(direction) < 0.0
        };
        let expected = all.iter().find(front);
        let found = cast(app, ray).into_iter().find(|(of, _)| *of == entity);
        assert_eq!(
            found.map(|(_, hit)| hit.triangle),
            expected.map(|(triangle, _)| *triangle),
            "ray {number}"
        );
        if let (Some((_, hit)), Some((_, known))) = (found, expected) {
            hits += 1;
            assert!(
                (f64::from(hit.distance) - known.t).abs() < 1e-6 * size.max(1.0),
                "ray {number}"
            );
            for (part, exact) in hit.barycentric.iter().zip(known.barycentric) {
                assert!((f64::from(*part) - exact).abs() < 1e-4, "ray {number}");
            }
        }
    }
    hits
}
