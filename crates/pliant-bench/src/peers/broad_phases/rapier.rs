//! rapier3d's broad phase, driven without its pipeline.

use std::collections::HashSet;

use pliant::volume::Aabb;
use rapier3d::dynamics::{IntegrationParameters, RigidBodySet};
use rapier3d::geometry::{
    ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle,
    ColliderPair, ColliderSet,
};

use super::Pairs;
use super::contestants::parry_box;

/// Keeps a tree of fat boxes and a set of pairs from step to step; reports which pairs were added and
/// deleted.
pub(super) struct Rapier {
    broad_phase: BroadPhaseBvh,
    settings: IntegrationParameters,
    colliders: ColliderSet,
    bodies: RigidBodySet,
    handles: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
    /// All pairs now, kept to check answers.
    pairs: HashSet<[u32; 2]>,
}

impl Rapier {
    pub(super) fn new() -> Self {
        Self {
            broad_phase: BroadPhaseBvh::new(),
            settings: IntegrationParameters::default(),
            colliders: ColliderSet::new(),
            bodies: RigidBodySet::new(),
            handles: Vec::new(),
            events: Vec::new(),
            pairs: HashSet::new(),
        }
    }

    /// Sets all boxes and updates the pairs. How many there are is not counted anew.
    pub(super) fn step(&mut self, boxes: &[Aabb]) -> Pairs {
        if self.handles.len() != boxes.len() {
            *self = Self::new();
            for _ in boxes {
                // The shape does not matter: boxes are set below.
                let types = ActiveCollisionTypes::all();
                let collider = ColliderBuilder::ball(0.5).active_collision_types(types);
                self.handles.push(self.colliders.insert(collider));
            }
        }
        for (handle, volume) in self.handles.iter().zip(boxes) {
            self.broad_phase.set_aabb(&self.settings, *handle, parry_box(volume));
        }
        self.events.clear();
        let Self { broad_phase, settings, colliders, bodies, events, .. } = self;
        broad_phase.update(settings, colliders, bodies, &[], &[], events);
        Pairs::default()
    }

    /// Takes the events of the last step into account and returns all pairs, some of them only near
    /// each other.
    pub(super) fn pairs(&mut self) -> &HashSet<[u32; 2]> {
        let numbers = |pair: &ColliderPair| {
            let [a, b] = [pair.collider1, pair.collider2].map(|handle| handle.into_raw_parts().0);
            [a.min(b), a.max(b)]
        };
        for event in self.events.drain(..) {
            match event {
                BroadPhasePairEvent::AddPair(pair) => self.pairs.insert(numbers(&pair)),
                BroadPhasePairEvent::DeletePair(pair) => self.pairs.remove(&numbers(&pair)),
            };
        }
        &self.pairs
    }
}
