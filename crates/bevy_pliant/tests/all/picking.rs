//! Rays and pointers.

use std::sync::{Arc, Mutex};

use bevy_camera::{
    Camera, ComputedCameraValues, NormalizedRenderTarget, RenderTarget, RenderTargetInfo,
};
use bevy_ecs::prelude::*;
use bevy_math::{Mat4, Quat, UVec2, Vec2, Vec3};
use bevy_mesh::morph::{MeshMorphWeights, MorphWeights};
use bevy_picking::Pickable;
use bevy_picking::events::PointerOver;
use bevy_picking::pointer::{Location, PointerId, PointerLocation};
use bevy_pliant::{Pliant, PliantHit, Sides};
use bevy_transform::components::Transform;
use bevy_window::{PrimaryWindow, Window, WindowRef};

use crate::support::*;

fn turned(angle: f32) -> Transform {
    Transform::from_xyz(1.0, 0.0, 0.0).with_rotation(Quat::from_rotation_y(angle))
}

#[test]
fn a_bar_that_bends_is_hit_where_it_is_drawn() {
    let mut app = app();
    let bent = spawn_bar(&mut app, bar());
    for (number, angle) in [0.0, 0.9, -1.4, 2.5].into_iter().enumerate() {
        place(&mut app, bent.joints[1], turned(angle));
        place(&mut app, bent.joints[0], Transform::from_xyz(number as f32, -0.3, 0.2));
        app.update();
        assert!(compare(&mut app, bent.entity, 300) > 60, "{angle}");
    }
}

#[test]
fn morph_targets_move_a_skin_and_a_plain_mesh() {
    let mut app = app();
    let bent = spawn_bar(&mut app, swollen(bar()));
    let plain = add(&mut app, swollen(bar()));
    let tilted = Transform::from_xyz(0.0, 5.0, 0.0)
        .with_rotation(Quat::from_rotation_z(0.4))
        .with_scale(Vec3::new(1.0, 2.0, -1.0));
    let plain = app.world_mut().spawn((plain, tilted, Pliant::default())).id();
    let shared =
        app.world_mut().spawn(MorphWeights::new(vec![0.0; 2], None).expect("few weights")).id();
    for weights in [vec![0.0, 0.0], vec![1.5, 0.25], vec![-0.5]] {
        for entity in [bent.entity, plain] {
            app.world_mut()
                .entity_mut(entity)
                .insert(MeshMorphWeights::Value { weights: weights.clone() });
        }
        place(&mut app, bent.joints[1], turned(weights[0]));
        app.update();
        assert!(compare(&mut app, bent.entity, 200) > 40);
        assert!(compare(&mut app, plain, 200) > 40);
    }
    // Weights of another entity, which several meshes share, say the same.
    let down = towards(Vec3::new(-1.5, 9.0, 0.1), Vec3::new(-1.5, 0.0, 0.1));
    let mut heights = Vec::new();
    for reference in
        [MeshMorphWeights::Value { weights: vec![1.5, 0.25] }, MeshMorphWeights::Reference(shared)]
    {
        app.world_mut()
            .get_mut::<MorphWeights>(shared)
            .expect("weights")
            .weights_mut()
            .copy_from_slice(&[1.5, 0.25]);
        app.world_mut().entity_mut(bent.entity).insert(reference);
        heights.push(
            cast(&mut app, down)
                .into_iter()
                .find(|(of, _)| *of == bent.entity)
                .map(|(_, hit)| hit.distance),
        );
    }
    assert!(heights[0].is_some());
    assert_eq!(heights[0], heights[1]);
}

#[test]
fn a_hit_names_the_bone_and_a_back_side_counts_if_it_should() {
    let mut app = app();
    let bent = spawn_bar(&mut app, bar());
    app.update();
    for (x, number) in [(-1.8, 0), (1.8, 1)] {
        let hits = cast(&mut app, towards(Vec3::new(x, 0.1, 9.0), Vec3::new(x, 0.1, 0.0)));
        let [(entity, hit)] = hits[..] else { panic!("{hits:?}") };
        let bone = hit.bone.expect("a bone");
        assert_eq!((entity, bone.number, bone.entity), (bent.entity, number, bent.joints[number]));
        assert_eq!((hit.distance, hit.point.z, hit.normal), (8.5, 0.5, Vec3::Z));
    }
    // From within, the bar is seen from behind.
    let out = towards(Vec3::new(0.1, 0.1, 0.0), Vec3::new(0.1, 0.1, 9.0));
    assert!(cast(&mut app, out).is_empty());
    app.world_mut().get_mut::<Pliant>(bent.entity).expect("marked").sides = Sides::Both;
    assert_eq!(cast(&mut app, out)[0].1.distance, 0.5);
}

#[test]
fn a_pointer_over_a_skin_is_told_triangle_bone_and_place() {
    let mut app = app();
    let bent = spawn_bar(&mut app, bar());
    // Away from where it is at rest.
    place(&mut app, bent.joints[0], Transform::from_xyz(0.0, 3.0, 0.0));
    let size = UVec2::new(800, 600);
    let window = app.world_mut().spawn((Window::default(), PrimaryWindow)).id();
    let target = WindowRef::Entity(window).normalize(None).expect("a window");
    // Eight by six metres, twenty deep. Depth is 1 near and 0 far, as in all cameras of Bevy.
    let clip_from_view = Mat4::from_cols_array_2d(&[
        [1.0 / 4.0, 0.0, 0.0, 0.0],
        [0.0, 1.0 / 3.0, 0.0, 0.0],
        [0.0, 0.0, 1.0 / 20.0, 0.0],
        [0.0, 0.0, 1.0, 1.0],
    ]);
    let target_info = Some(RenderTargetInfo { physical_size: size, scale_factor: 1.0 });
    let computed = ComputedCameraValues { clip_from_view, target_info, ..Default::default() };
    let camera = Camera { computed, ..Default::default() };
    app.world_mut().spawn((
        camera,
        RenderTarget::Window(WindowRef::Primary),
        Transform::from_xyz(0.0, 3.0, 10.0),
    ));
    // A hundred pixels per metre: 1.5 to the right, 0.2 up.
    let location = Location {
        target: NormalizedRenderTarget::Window(target),
        position: Vec2::new(550.0, 280.0),
    };
    app.world_mut().spawn((PointerId::Mouse, PointerLocation::new(location)));
    let told: Arc<Mutex<Vec<PliantHit>>> = Arc::default();
    let copy = Arc::clone(&told);
    let listen = move |over: On<PointerOver>| {
        copy.lock().expect("a list").extend(over.hit.extra_as::<PliantHit>().copied());
    };
    app.world_mut().entity_mut(bent.entity).observe(listen);
    app.update();
    app.update();
    app.update();
    let seen = told.lock().expect("a list").clone();
    let [hit] = seen[..] else { panic!("{seen:?}") };
    assert_eq!(hit.bone.map(|bone| bone.entity), Some(bent.joints[1]));
    assert!(hit.point.distance(Vec3::new(1.5, 3.2, 0.5)) < 1e-4, "{}", hit.point);
    assert!((hit.barycentric.iter().sum::<f32>() - 1.0).abs() < 1e-6);

    // What ignores pointers is not told.
    app.world_mut().entity_mut(bent.entity).insert(Pickable::IGNORE);
    app.update();
    app.world_mut().entity_mut(bent.entity).remove::<Pickable>();
    app.update();
    assert_eq!(told.lock().expect("a list").len(), 2);
}
