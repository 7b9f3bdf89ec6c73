//! Picking and contacts of meshes that bend, for [Bevy](https://bevy.org), by [pliant].
//!
//! Bevy's own mesh picking sees a skinned mesh at rest: to pick it where it is drawn, every vertex would
//! be moved and a tree built, in every frame. pliant bounds a skin by its joints and moves only what a ray
//! looks at.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_asset::AssetPlugin;
//! use bevy_ecs::prelude::*;
//! use bevy_mesh::Mesh3d;
//! use bevy_pliant::{Pliant, PliantContact, PliantContacts, PliantHit, PliantPlugin};
//! use bevy_picking::events::PointerOver;
//!
//! /// Every mesh of a scene that was spawned: it is picked, and its contacts are told.
//! fn mark(meshes: Query<Entity, Added<Mesh3d>>, mut commands: Commands) {
//!     for entity in &meshes {
//!         commands.entity(entity).insert((Pliant::default(), PliantContacts::default())).observe(hover);
//!     }
//! }
//!
//! fn hover(over: On<PointerOver>) {
//!     if let Some(hit) = over.hit.extra_as::<PliantHit>() {
//!         println!("triangle {}, at {:?}, moved by {:?}", hit.triangle, hit.barycentric, hit.bone);
//!     }
//! }
//!
//! fn tell(mut contacts: MessageReader<PliantContact>) {
//!     for contact in contacts.read() {
//!         println!("{:?} {:?}: {} pairs", contact.phase, contact.entities, contact.pairs.len());
//!     }
//! }
//!
//! App::new()
//!     .add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), PliantPlugin)) // or DefaultPlugins
//!     .add_systems(Update, (mark, tell));
//! ```
//!
//! | what an entity has | its body | what a new state costs |
//! | --- | --- | --- |
//! | `Mesh3d`, `SkinnedMesh`, perhaps `MeshMorphWeights` | skinned (linear blending) | its joints |
//! | `Mesh3d`, `MeshMorphWeights` or `MorphWeights` | deformed by its targets | its targets |
//! | `Mesh3d` | moved by its transform | nothing |
//!
//! Positions are those that the renderer computes, in `f64` instead of `f32`; joint weights are divided by their sum.
//! Meshes must be kept in the main world (`RenderAssetUsages::MAIN_WORLD`). An entity that cannot have a body gets
//! [`PliantRefused`] with the reason.

mod bodies;
mod cast;
mod contacts;
mod error;
mod picking;
mod pose;
mod shape;

use bevy_app::{App, Plugin, PostUpdate, PreUpdate};
use bevy_asset::AssetApp as _;
use bevy_ecs::schedule::IntoScheduleConfigs as _;
use bevy_mesh::Mesh;
use bevy_mesh::skinning::SkinnedMeshInverseBindposes;
use bevy_picking::PickingSystems;
use bevy_picking::backend::PointerHits;
use bevy_picking::backend::ray::RayMap;
use bevy_transform::TransformSystems;

pub use bodies::{Pliant, PliantBodies, PliantRefused, PliantWorld, Sides, make_bodies};
pub use cast::{Bone, PliantHit};
pub use contacts::{ContactPhase, PliantContact, PliantContacts, SelfContact, tell_contacts};
pub use error::Refused;
pub use picking::pick;
pub use pliant;

/// Adds bodies, the picking backend and contacts. Needs `AssetPlugin`; for events of pointers also the
/// plugins of `bevy_picking`, all of which `DefaultPlugins` has.
#[derive(Debug, Clone, Copy, Default)]
pub struct PliantPlugin;

impl Plugin for PliantPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PliantWorld>()
            .init_resource::<RayMap>()
            .init_asset::<Mesh>()
            .init_asset::<SkinnedMeshInverseBindposes>()
            .add_message::<PointerHits>()
            .add_message::<PliantContact>()
            .add_systems(PreUpdate, (make_bodies, pick).chain().in_set(PickingSystems::Backend))
            .add_systems(
                PostUpdate,
                (make_bodies, tell_contacts).chain().after(TransformSystems::Propagate),
            );
    }
}
