//! A walking man of the shared data.

use std::path::{Path, PathBuf};

use bevy_ecs::message::Messages;
use bevy_math::Vec3;
use bevy_pliant::pliant::query::brute_force;
use bevy_pliant::{PliantContact, PliantContacts};

use crate::support::*;

#[path = "../../examples/character/mod.rs"]
mod file;

fn shared_data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("PLIANT_SHARED_DATA").map_or(beside, PathBuf::from);
    folder.exists().then_some(folder)
}

#[test]
fn a_walking_man_is_picked_and_touched_where_he_is_drawn() {
    let Some(data) = shared_data() else {
        println!("skipped: needs the shared data");
        return;
    };
    let scene = pliant_io::load(data.join("gltf/skinned/CesiumMan.glb")).expect("a file");
    let seconds = scene.animations()[0].seconds();
    let mut app = app();
    let man = file::spawn(app.world_mut(), scene.clone()).expect("a skin");
    let other = file::spawn(app.world_mut(), scene).expect("a skin");
    let mut hits = 0;
    for part in [0.0, 0.3, 0.7] {
        man.set_time(app.world_mut(), part * seconds, Vec3::ZERO);
        other.set_time(app.world_mut(), (part + 0.2) * seconds, Vec3::new(40.0, 0.0, 0.0));
        app.update();
        hits += compare(&mut app, man.entity, 60);
    }
    assert!(hits > 30, "{hits}");
    // One walks into the other.
    for entity in [man.entity, other.entity] {
        app.world_mut().entity_mut(entity).insert(PliantContacts::default());
    }
    other.set_time(app.world_mut(), 0.4 * seconds, Vec3::new(0.05, 0.02, 0.1));
    app.update();
    let told: Vec<PliantContact> =
        app.world_mut().resource_mut::<Messages<PliantContact>>().drain().collect();
    let [contact] = &told[..] else { panic!("{told:?}") };
    let [a, b] = contact.entities.map(|entity| baked_body(app.world(), entity));
    // The baked places differ in the last bits of f64, so that a pair that only just touches may.
    assert_eq!(contact.pairs.len(), brute_force::intersections(&a, &b).pairs.len());
    assert!(contact.pairs.len() > 10);
}
