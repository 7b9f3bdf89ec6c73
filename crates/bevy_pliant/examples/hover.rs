//! A pointer goes over a character that moves: which triangle, which bone, where on it. Without a window.
//!
//! `cargo run --example hover -- FILE.glb`, with a skin and an animation.

use bevy_app::prelude::*;
use bevy_asset::AssetPlugin;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Vec3};
use bevy_picking::backend::PointerHits;
use bevy_picking::backend::ray::{RayId, RayMap};
use bevy_picking::pointer::PointerId;
use bevy_picking::{InteractionPlugin, PickingPlugin, PickingSystems};
use bevy_pliant::{PliantContact, PliantContacts, PliantHit, PliantPlugin};
use bevy_shape::Ray3d;
use bevy_transform::TransformPlugin;

mod character;

/// From where the pointer looks: a window's camera and mouse would say that.
#[derive(Resource)]
struct Looking {
    camera: Entity,
    ray: Ray3d,
}

fn look(looking: Res<Looking>, mut rays: ResMut<RayMap>) {
    rays.map.insert(RayId::new(looking.camera, PointerId::Mouse), looking.ray);
}

fn tell_hits(mut hits: MessageReader<PointerHits>) {
    for (_, hit) in hits.read().flat_map(|hits| &hits.picks) {
        let Some(PliantHit { triangle, barycentric: [a, b, c], bone, .. }) =
            hit.extra_as::<PliantHit>()
        else {
            continue;
        };
        let bone =
            bone.map_or("none".to_owned(), |bone| format!("{} ({})", bone.number, bone.entity));
        println!("  triangle {triangle}, bone {bone}, barycentric {a:.3}, {b:.3}, {c:.3}");
    }
}

fn tell_contacts(mut contacts: MessageReader<PliantContact>) {
    for contact in contacts.read() {
        println!(
            "  {:?}: {} and {}, {} pairs",
            contact.phase,
            contact.entities[0],
            contact.entities[1],
            contact.pairs.len()
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(file) = std::env::args().nth(1) else {
        println!("usage: hover FILE.glb");
        return Ok(());
    };
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), TransformPlugin));
    app.add_plugins((PickingPlugin, InteractionPlugin, PliantPlugin));
    app.add_systems(
        PreUpdate,
        look.after(PickingSystems::ProcessInput).before(PickingSystems::Backend),
    );
    app.add_systems(Last, (tell_hits, tell_contacts).chain());
    let scene = pliant_io::load(&file)?;
    let seconds = scene.animations().first().map_or(0.0, |animation| animation.seconds());
    let one = character::spawn(app.world_mut(), scene.clone()).ok_or("the file has no skin")?;
    let other = character::spawn(app.world_mut(), scene).ok_or("the file has no skin")?;
    for entity in [one.entity, other.entity] {
        app.world_mut().entity_mut(entity).insert(PliantContacts::default());
    }
    let camera = app.world_mut().spawn(bevy_camera::Camera::default()).id();
    for step in 0..12 {
        let time = seconds * f64::from(step) / 12.0;
        println!("{time:.2} s");
        one.set_time(app.world_mut(), time, Vec3::ZERO);
        // The other one walks into the first.
        other.set_time(app.world_mut(), time, Vec3::X * (1.2 - 0.1 * step as f32));
        let target = Vec3::new(0.02, 0.9, 0.05);
        let from = target + Vec3::new(0.3, 0.2, 4.0);
        app.insert_resource(Looking { camera, ray: Ray3d::new(from, Dir3::new(target - from)?) });
        app.update();
    }
    Ok(())
}
