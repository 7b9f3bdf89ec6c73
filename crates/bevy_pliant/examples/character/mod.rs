//! A skinned character of a file, spawned without Bevy's own loader, which needs a renderer.

use bevy_asset::{Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::{Mat4, Vec3};
use bevy_mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology, VertexAttributeValues};
use bevy_pliant::Pliant;
use bevy_pliant::pliant::glam::{DAffine3, DMat4};
use bevy_transform::components::{GlobalTransform, Transform};
use pliant_io::{Deformation, Object, Scene};

/// The first skin of a file, and the entities that are its joints.
pub(crate) struct Character {
    /// The file.
    pub(crate) scene: Scene,
    /// The entity with the mesh.
    pub(crate) entity: Entity,
    nodes: Vec<usize>,
    joints: Vec<Entity>,
}

fn matrix(of: &DAffine3) -> Mat4 {
    Mat4::from_cols_array(&DMat4::from(*of).to_cols_array().map(|number| number as f32))
}

/// Four joints of each vertex, as Bevy has them.
fn mesh_of(object: &Object) -> Mesh {
    let positions: Vec<[f32; 3]> =
        object.mesh.positions().iter().map(|at| at.as_vec3().to_array()).collect();
    let (mut joints, mut weights) =
        (vec![[0_u16; 4]; positions.len()], vec![[0.0_f32; 4]; positions.len()]);
    if let Deformation::Skin { weights: all, .. } = &object.deformation {
        for vertex in 0..positions.len() {
            let (from, to) = (all.starts[vertex] as usize, all.starts[vertex + 1] as usize);
            for (part, influence) in all.influences[from..to].iter().take(4).enumerate() {
                joints[vertex][part] = influence.joint as u16;
                weights[vertex][part] = influence.weight as f32;
            }
        }
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(
            Mesh::ATTRIBUTE_JOINT_INDEX,
            VertexAttributeValues::Uint16x4(joints),
        )
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights)
        .with_inserted_indices(Indices::U32(object.mesh.triangles().as_flattened().to_vec()))
}

/// Spawns the first skin of a scene.
pub(crate) fn spawn(world: &mut World, scene: Scene) -> Option<Character> {
    let (object, skin) = scene.objects().iter().find_map(|object| match object.deformation {
        Deformation::Skin { skin, .. } => Some((object, &scene.skins()[skin])),
        _ => None,
    })?;
    let joints: Vec<Entity> =
        skin.joints.iter().map(|_| world.spawn(Transform::IDENTITY).id()).collect();
    let inverses: Vec<Mat4> = skin.inverse_bind.iter().map(matrix).collect();
    let inverse_bindposes = world
        .resource_mut::<Assets<SkinnedMeshInverseBindposes>>()
        .add(SkinnedMeshInverseBindposes::from(inverses));
    let mesh = Mesh3d(world.resource_mut::<Assets<Mesh>>().add(mesh_of(object)));
    let nodes = skin.joints.clone();
    let skin = SkinnedMesh { inverse_bindposes, joints: joints.clone() };
    let entity = world.spawn((mesh, skin, Pliant::default())).id();
    Some(Character { scene, entity, nodes, joints })
}

impl Character {
    /// Moves the joints to a time of the first animation, at a place. With `Transform`s, as an animation player
    /// does; `GlobalTransform`s are set as well, for who asks before they are propagated.
    pub(crate) fn set_time(&self, world: &mut World, time: f64, at: Vec3) {
        let animation = (!self.scene.animations().is_empty()).then_some(0);
        let Ok(pose) = self.scene.pose(animation, time) else { return };
        for (&node, &joint) in self.nodes.iter().zip(&self.joints) {
            let place =
                Transform::from_matrix(Mat4::from_translation(at) * matrix(&pose.nodes[node]));
            world.entity_mut(joint).insert((place, GlobalTransform::from(place)));
        }
    }
}
