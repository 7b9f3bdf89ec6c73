//! Bodies of entities: made once per mesh, posed when somebody asks.

use std::collections::HashMap;

use bevy_asset::{AssetEvent, AssetId, Assets};
use bevy_ecs::message::{MessageCursor, Messages};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_mesh::morph::{MeshMorphWeights, MorphWeights};
use bevy_mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy_mesh::{Mesh, Mesh3d};
use bevy_transform::components::GlobalTransform;
use pliant::glam::DAffine3;
use pliant::world::Groups;
use pliant::{AnyBody, BodyId};

use crate::pose::{affine, joint_maps};
use crate::shape::body_of;
use crate::{PliantContacts, Refused, SelfContact};

/// Gives an entity with a [`Mesh3d`] a body that bends as it is drawn: with its
/// [`SkinnedMesh`], its [`MeshMorphWeights`] and its [`GlobalTransform`]. It is then picked, and can be
/// asked through [`PliantBodies`].
#[derive(Component, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pliant {
    /// From which sides rays hit it.
    pub sides: Sides,
}

/// From which sides rays hit a body. The front of a triangle is where its corners, as they are drawn
/// now, go around counterclockwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sides {
    /// From the front, as Bevy's own mesh picking does.
    #[default]
    Front,
    /// From both.
    Both,
}

/// Why an entity with [`Pliant`] has no body. It goes away when it gets one.
#[derive(Component, Debug, Clone, PartialEq)]
pub struct PliantRefused(pub Refused);

/// No pair counts: the body is picked only.
const NO_CONTACTS: Groups = Groups { member: 0, meets: 0 };

/// All bodies, by entity.
#[derive(Resource, Debug, Default)]
pub struct PliantWorld {
    pub(crate) world: pliant::World,
    pub(crate) entries: HashMap<Entity, Entry>,
    pub(crate) entities: HashMap<BodyId, Entity>,
    /// What was looked at and has no body: it is looked at again when it is another.
    refused: HashMap<Entity, Source>,
    /// Which changes of meshes were seen.
    changes: MessageCursor<AssetEvent<Mesh>>,
}

/// What a body is made of: a mesh, and the number of joints of its skin.
type Source = (AssetId<Mesh>, Option<usize>);

/// The body of an entity, and what it was told last.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: BodyId,
    source: Source,
    contacts: Option<SelfContact>,
    maps: Vec<DAffine3>,
    weights: Vec<f64>,
}

impl PliantWorld {
    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no body.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn remove(&mut self, entity: Entity) {
        self.refused.remove(&entity);
        if let Some(entry) = self.entries.remove(&entity) {
            self.entities.remove(&entry.id);
            // It was inserted with this id, and nobody else removes.
            let _ = self.world.remove(entry.id);
        }
    }

    fn insert(&mut self, entity: Entity, source: Source, body: AnyBody) -> Result<(), Refused> {
        let id = self.world.insert(body)?;
        self.world.set_groups(id, NO_CONTACTS)?;
        let entry = Entry { id, source, contacts: None, maps: Vec::new(), weights: Vec::new() };
        self.entities.insert(id, entity);
        self.entries.insert(entity, entry);
        Ok(())
    }

    /// Says whether contacts of a body count, with others and with itself.
    pub(crate) fn set_contacts(
        &mut self,
        entity: Entity,
        contacts: Option<SelfContact>,
    ) -> Result<(), pliant::Error> {
        let Some(entry) = self.entries.get_mut(&entity) else { return Ok(()) };
        if entry.contacts != contacts {
            let groups = if contacts.is_some() { Groups::ALL } else { NO_CONTACTS };
            self.world.set_groups(entry.id, groups)?;
            self.world.set_self_contact(entry.id, contacts == Some(SelfContact::Counts))?;
            entry.contacts = contacts;
        }
        Ok(())
    }

    /// Moves a body to a state, unless it is in it already.
    fn set_state(
        &mut self,
        entity: Entity,
        maps: Vec<DAffine3>,
        weights: Vec<f64>,
    ) -> Result<&AnyBody, Refused> {
        let missing = Refused::Missing("body");
        let entry = self.entries.get_mut(&entity).ok_or(missing.clone())?;
        if entry.maps != maps || entry.weights != weights {
            // What is refused leaves the body as it was, so the next call tries again.
            (entry.maps, entry.weights) = (Vec::new(), Vec::new());
            let place = *maps.first().unwrap_or(&DAffine3::IDENTITY);
            match self.world.get_mut(entry.id)? {
                AnyBody::Skinned(body) => body.set_pose(&maps, &weights)?,
                AnyBody::Reduced(body) => body.set_state(&weights, place)?,
                AnyBody::Affine(body) => body.set_map(place)?,
                _ => return Err(missing),
            }
            (entry.maps, entry.weights) = (maps, weights);
        }
        Ok(self.world.get(entry.id)?)
    }
}

/// Makes bodies for entities that have none, or whose mesh is another one now; lets go of what is gone.
/// A body costs its tree, once; entities of one mesh share it.
pub fn make_bodies(
    mut all: ResMut<PliantWorld>,
    mut commands: Commands,
    mut gone: RemovedComponents<Pliant>,
    changes: Res<Messages<AssetEvent<Mesh>>>,
    meshes: Res<Assets<Mesh>>,
    wanted: Query<(Entity, &Mesh3d, Option<&SkinnedMesh>), With<Pliant>>,
) {
    let all = &mut *all;
    for entity in gone.read() {
        // It may have been given back in the same frame.
        if !wanted.contains(entity) {
            all.remove(entity);
        }
    }
    let changed: Vec<AssetId<Mesh>> = all.changes.read(&changes).filter_map(modified).collect();
    let stale = |source: &Source| changed.contains(&source.0);
    if !changed.is_empty() {
        let entries = all.entries.iter().filter(|(_, entry)| stale(&entry.source));
        let stale_ones: Vec<Entity> = entries.map(|(&entity, _)| entity).collect();
        stale_ones.into_iter().for_each(|entity| all.remove(entity));
        all.refused.retain(|_, source| !stale(source));
    }
    for (entity, Mesh3d(mesh), skin) in &wanted {
        let source = (mesh.id(), skin.map(|skin| skin.joints.len()));
        let known = all.entries.get(&entity).map(|entry| entry.source);
        if known == Some(source) || all.refused.get(&entity) == Some(&source) {
            continue;
        }
        let Some(mesh) = meshes.get(source.0) else { continue };
        all.remove(entity);
        let twin = all.entries.values().find(|entry| entry.source == source);
        let twin = twin.and_then(|entry| all.world.get(entry.id).ok()).cloned();
        let made = twin.map_or_else(|| body_of(mesh, source.1), Ok);
        match made.and_then(|body| all.insert(entity, source, body)) {
            Ok(()) => {
                commands.entity(entity).try_remove::<PliantRefused>();
            }
            Err(reason) => {
                tracing::warn!("{entity} has no body: {reason}");
                all.refused.insert(entity, source);
                commands.entity(entity).try_insert(PliantRefused(reason));
            }
        }
    }
}

fn modified(event: &AssetEvent<Mesh>) -> Option<AssetId<Mesh>> {
    match event {
        AssetEvent::Modified { id } => Some(*id),
        _ => None,
    }
}

/// Asks the bodies of entities, as they are drawn now. Each is posed from the `GlobalTransform`s of its
/// joints when it is asked for: no vertex is moved, so that costs some nanoseconds per joint.
#[derive(SystemParam)]
pub struct PliantBodies<'w, 's> {
    pub(crate) all: ResMut<'w, PliantWorld>,
    bind_poses: Res<'w, Assets<SkinnedMeshInverseBindposes>>,
    #[expect(clippy::type_complexity, reason = "what Bevy keeps of a mesh that bends")]
    states: Query<
        'w,
        's,
        (
            &'static GlobalTransform,
            Option<&'static SkinnedMesh>,
            Option<&'static MeshMorphWeights>,
            Option<&'static MorphWeights>,
            &'static Pliant,
        ),
    >,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    weights: Query<'w, 's, &'static MorphWeights>,
    pub(crate) marked: Query<'w, 's, (Entity, &'static PliantContacts)>,
}

impl PliantBodies<'_, '_> {
    /// The body of an entity, where it is now.
    ///
    /// # Errors
    /// [`Refused`], if it has none, or if its joints, weights or transforms are not usable.
    pub fn posed(&mut self, entity: Entity) -> Result<&AnyBody, Refused> {
        let (place, skin, morph, own, _) =
            self.states.get(entity).map_err(|_| Refused::Missing("body"))?;
        let entry = self.all.entries.get(&entity).ok_or(Refused::Missing("body"))?;
        let maps = match skin {
            // Joints say where a skin is; its own transform does not count.
            Some(skin) => joint_maps(skin, &self.bind_poses, &self.transforms)?,
            None => vec![affine(place)],
        };
        let targets = match self.all.world.get(entry.id)? {
            AnyBody::Skinned(body) => body.deformation().binding().targets(),
            AnyBody::Reduced(body) => body.deformation().coordinates().len(),
            _ => 0,
        };
        let given = match morph {
            Some(MeshMorphWeights::Value { weights }) => weights.as_slice(),
            Some(MeshMorphWeights::Reference(of)) => {
                self.weights.get(*of).map_or(&[][..], MorphWeights::weights)
            }
            None => own.map_or(&[][..], MorphWeights::weights),
        };
        // Targets without a weight are at rest.
        let given = given.iter().copied().map(f64::from).chain(std::iter::repeat(0.0));
        let weights = given.take(targets).collect();
        self.all.set_state(entity, maps, weights)
    }

    /// All entities that have a body, in the order of their bodies.
    #[must_use]
    pub fn entities(&self) -> Vec<Entity> {
        self.all.world.iter().filter_map(|(id, _)| self.all.entities.get(&id).copied()).collect()
    }

    pub(crate) fn sides(&self, entity: Entity) -> Sides {
        self.states.get(entity).map_or(Sides::Front, |(.., pliant)| pliant.sides)
    }

    /// The entity that is a joint of a skin.
    pub(crate) fn joint(&self, entity: Entity, number: usize) -> Option<Entity> {
        self.states.get(entity).ok()?.1?.joints.get(number).copied()
    }
}
