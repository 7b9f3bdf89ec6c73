//! Which entities have bodies, and why others have none.

use bevy_asset::{Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::skinning::SkinnedMesh;
use bevy_mesh::{Mesh, Mesh3d, PrimitiveTopology, VertexAttributeValues};
use bevy_pliant::{Pliant, PliantRefused, PliantWorld, Refused};
use bevy_transform::components::Transform;

use crate::support::*;

fn reason(world: &World, entity: Entity) -> Option<Refused> {
    world.get::<PliantRefused>(entity).map(|PliantRefused(reason)| reason.clone())
}

#[test]
fn what_cannot_have_a_body_says_why_and_gets_one_when_it_can() {
    let mut app = app();
    let mut lines = Mesh::new(PrimitiveTopology::LineList, RenderAssetUsages::default());
    lines.insert_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0, 0.0, 0.0]; 4]);
    let mut weightless = bar();
    weightless.insert_attribute(
        Mesh::ATTRIBUTE_JOINT_WEIGHT,
        vec![[0.0; 4]; weightless.count_vertices()],
    );
    let mut joints = bar();
    joints.insert_attribute(
        Mesh::ATTRIBUTE_JOINT_INDEX,
        VertexAttributeValues::Uint16x4(vec![[7; 4]; joints.count_vertices()]),
    );
    let lines = add(&mut app, lines);
    let lines = app.world_mut().spawn((lines, Pliant::default())).id();
    let weightless = spawn_bar(&mut app, weightless).entity;
    let joints = spawn_bar(&mut app, joints).entity;
    let bare =
        spawn_bar(&mut app, bar().with_removed_attribute(Mesh::ATTRIBUTE_JOINT_INDEX)).entity;
    let mut extracted = bar();
    let _ = extracted.take_gpu_data().expect("data");
    let extracted = spawn_bar(&mut app, extracted).entity;
    app.update();
    let world = app.world();
    assert_eq!(reason(world, lines), Some(Refused::Topology("LineList".into())));
    assert_eq!(reason(world, weightless), Some(Refused::Weights(0)));
    assert!(matches!(reason(world, joints), Some(Refused::Body(_))));
    assert_eq!(reason(world, bare), Some(Refused::Missing("Vertex_JointIndex")));
    assert_eq!(reason(world, extracted), Some(Refused::Extracted));

    let mesh = add(&mut app, bar());
    app.world_mut().entity_mut(lines).insert(mesh);
    app.update();
    assert_eq!(reason(app.world(), lines), None);
    assert_eq!(cast(&mut app, towards(Vec3::new(0.0, 0.1, 9.0), Vec3::ZERO)).len(), 1);
}

#[test]
fn a_joint_that_is_gone_or_not_finite_is_not_hit_and_nothing_panics() {
    let mut app = app();
    let bent = spawn_bar(&mut app, bar());
    let ray = towards(Vec3::new(-1.8, 0.1, 9.0), Vec3::new(-1.8, 0.1, 0.0));
    app.update();
    assert_eq!(cast(&mut app, ray).len(), 1);
    place(&mut app, bent.joints[1], Transform::from_xyz(f32::NAN, 0.0, 0.0));
    app.update();
    assert_eq!(cast(&mut app, ray).len(), 0);
    place(&mut app, bent.joints[1], Transform::from_xyz(1.0, 0.0, 0.0));
    app.update();
    assert_eq!(cast(&mut app, ray).len(), 1);
    app.world_mut().entity_mut(bent.joints[1]).despawn();
    app.update();
    assert_eq!(cast(&mut app, ray).len(), 0);
    app.world_mut().get_mut::<SkinnedMesh>(bent.entity).expect("a skin").joints.clear();
    app.update();
    assert!(matches!(reason(app.world(), bent.entity), Some(Refused::Body(_))));
}

#[test]
fn a_mesh_that_changes_is_seen_and_what_is_gone_is_let_go() {
    let mut app = app();
    let mesh = add(&mut app, bar());
    let [first, second] = [0.0, 5.0].map(|y| {
        let place = Transform::from_xyz(0.0, y, 0.0);
        app.world_mut().spawn((mesh.clone(), place, Pliant::default())).id()
    });
    let ray = |y: f32| towards(Vec3::new(0.1, y, 9.0), Vec3::new(0.1, y, 0.0));
    app.update();
    let hit = |app: &mut bevy_app::App, y| {
        cast(app, ray(y)).first().map(|(entity, hit)| (*entity, hit.distance))
    };
    assert_eq!(hit(&mut app, 0.1), Some((first, 8.5)));
    assert_eq!(hit(&mut app, 5.1), Some((second, 8.5)));
    {
        let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
        let mut changed = meshes.get_mut(&mesh.0).expect("loaded");
        let Some(VertexAttributeValues::Float32x3(positions)) =
            changed.attribute_mut(Mesh::ATTRIBUTE_POSITION)
        else {
            panic!()
        };
        positions.iter_mut().for_each(|[_, _, z]| *z += 1.0);
    }
    app.update();
    app.update();
    assert_eq!(hit(&mut app, 0.1), Some((first, 7.5)));
    assert_eq!(hit(&mut app, 5.1), Some((second, 7.5)));
    app.world_mut().entity_mut(first).despawn();
    app.world_mut().entity_mut(second).remove::<Pliant>();
    app.update();
    assert_eq!(hit(&mut app, 0.1), None);
    assert_eq!(hit(&mut app, 5.1), None);
    assert!(app.world().resource::<PliantWorld>().is_empty());
    assert!(app.world().get::<Mesh3d>(second).is_some());
}
