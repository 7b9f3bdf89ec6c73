//! Contacts between marked entities.

use bevy_app::App;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_mesh::Mesh3d;
use bevy_pliant::pliant::query::brute_force;
use bevy_pliant::{ContactPhase, Pliant, PliantContact, PliantContacts, SelfContact};
use bevy_transform::components::Transform;

use crate::support::*;

/// What was told in the last frame.
fn told(app: &mut App) -> Vec<PliantContact> {
    app.world_mut().resource_mut::<Messages<PliantContact>>().drain().collect()
}

fn wall(app: &mut App) -> Entity {
    let mesh: Mesh3d = add(app, bar());
    let place = Transform::from_xyz(3.5, 0.05, 0.1).with_scale(Vec3::new(0.05, 4.0, 4.0));
    app.world_mut().spawn((mesh, place, PliantContacts::default())).id()
}

#[test]
fn contacts_begin_stay_and_end_as_joints_move() {
    let mut app = app();
    let bent = spawn_bar(&mut app, bar());
    let wall = wall(&mut app);
    app.world_mut().entity_mut(bent.entity).insert(PliantContacts::default());
    app.update();
    assert_eq!(told(&mut app), []);
    // The bar reaches the wall by a joint, not by its own transform.
    place(
        &mut app,
        bent.joints[0],
        Transform::from_xyz(1.7, 0.0, 0.0).with_rotation(Quat::from_rotation_z(0.1)),
    );
    for phase in [ContactPhase::Began, ContactPhase::Stays] {
        app.update();
        let all = told(&mut app);
        let [contact] = &all[..] else { panic!("{all:?}") };
        assert_eq!(contact.phase, phase);
        let [a, b] = contact.entities.map(|entity| baked_body(app.world(), entity));
        let expected = brute_force::intersections(&a, &b).pairs;
        assert!(!expected.is_empty());
        assert_eq!(contact.pairs, expected);
        assert_eq!(contact.entities.iter().filter(|&&entity| entity == wall).count(), 1);
    }
    place(&mut app, bent.joints[0], Transform::IDENTITY);
    app.update();
    let ended = told(&mut app);
    assert_eq!(
        ended.iter().map(|contact| contact.phase).collect::<Vec<_>>(),
        [ContactPhase::Ended]
    );
    app.update();
    assert_eq!(told(&mut app), []);
}

#[test]
fn only_marked_entities_touch_and_what_goes_ends_its_contacts() {
    let mut app = app();
    let (first, second) = (wall(&mut app), wall(&mut app));
    let mesh = add(&mut app, bar());
    app.world_mut().spawn((mesh, Transform::from_xyz(3.5, 0.0, 0.0), Pliant::default()));
    app.update();
    let all = told(&mut app);
    let [contact] = &all[..] else { panic!("{all:?}") };
    assert_eq!(contact.entities, [first, second]);
    app.world_mut().entity_mut(second).remove::<PliantContacts>();
    app.update();
    assert_eq!(told(&mut app)[0].phase, ContactPhase::Ended);
    app.world_mut().entity_mut(second).insert(PliantContacts::default());
    app.update();
    assert_eq!(told(&mut app)[0].phase, ContactPhase::Began);
    app.world_mut().entity_mut(first).despawn();
    app.update();
    assert_eq!(told(&mut app)[0].phase, ContactPhase::Ended);
}

#[test]
fn a_skin_that_folds_touches_itself_if_that_counts() {
    let mut app = app();
    let bent = spawn_bar(&mut app, bar());
    let folded = Transform::from_xyz(1.0, 0.0, 0.0).with_rotation(Quat::from_rotation_y(3.0));
    place(&mut app, bent.joints[1], folded);
    app.world_mut().entity_mut(bent.entity).insert(PliantContacts::default());
    app.update();
    assert_eq!(told(&mut app), []);
    app.world_mut()
        .entity_mut(bent.entity)
        .insert(PliantContacts { with_itself: SelfContact::Counts });
    app.update();
    let all = told(&mut app);
    let expected = brute_force::self_intersections(&baked_body(app.world(), bent.entity)).pairs;
    assert!(!expected.is_empty());
    let [contact] = &all[..] else { panic!("{all:?}") };
    assert_eq!((contact.entities, &contact.pairs), ([bent.entity; 2], &expected));
}
