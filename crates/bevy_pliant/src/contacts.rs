//! Who touches whom, frame after frame.

use std::collections::BTreeSet;

use bevy_ecs::prelude::*;

use crate::{Pliant, PliantBodies};

/// Marks an entity whose contacts with other marked entities are told by [`PliantContact`].
#[derive(Component, Debug, Clone, Copy, Default, PartialEq, Eq)]
#[require(Pliant)]
pub struct PliantContacts {
    /// Whether triangles of the entity that touch one another count as well.
    pub with_itself: SelfContact,
}

/// Whether a body touches itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SelfContact {
    /// It does not matter.
    #[default]
    Ignored,
    /// Its triangles that touch one another count, but for neighbours.
    Counts,
}

/// Two marked entities touch, or no longer do. Written once per frame and pair, in `PostUpdate`.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct PliantContact {
    /// What is new about it.
    pub phase: ContactPhase,
    /// The two; twice the same for an entity that touches itself.
    pub entities: [Entity; 2],
    /// Triangle of the first, triangle of the second: every pair that touches, exactly. Empty at the end.
    pub pairs: Vec<[u32; 2]>,
}

/// What is new about a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactPhase {
    /// They did not touch in the frame before.
    Began,
    /// They touched in the frame before.
    Stays,
    /// They touched in the frame before, and no longer do, or one of them is gone.
    Ended,
}

impl PliantBodies<'_, '_> {
    /// Every pair of marked entities that touches now, with all pairs of triangles that do. An entity that cannot
    /// be posed touches nothing.
    #[must_use]
    pub fn contacts(&mut self) -> Vec<([Entity; 2], Vec<[u32; 2]>)> {
        for entity in self.entities() {
            let wish = self.marked.get(entity).ok().map(|(_, marked)| marked.with_itself);
            // What is not marked is not posed either.
            let counts = wish.filter(|_| self.posed(entity).is_ok());
            // Its body is there: it was listed.
            let _ = self.all.set_contacts(entity, counts);
        }
        let found = self.all.world.contacts().contacts.into_iter();
        found
            .filter_map(|contact| {
                let [a, b] = contact.bodies.map(|id| self.all.entities.get(&id).copied());
                Some(([a?, b?], contact.pairs))
            })
            .collect()
    }
}

/// Writes what touches, in the order of the bodies; then what no longer does.
pub fn tell_contacts(
    mut bodies: PliantBodies,
    mut known: Local<BTreeSet<[Entity; 2]>>,
    mut told: MessageWriter<PliantContact>,
) {
    if bodies.marked.is_empty() && known.is_empty() {
        return;
    }
    let mut now = BTreeSet::new();
    for (entities, pairs) in bodies.contacts() {
        // A body that was made anew has another place in the order.
        let [a, b] = entities;
        let key = [a.min(b), a.max(b)];
        let phase = if known.contains(&key) { ContactPhase::Stays } else { ContactPhase::Began };
        now.insert(key);
        told.write(PliantContact { phase, entities, pairs });
    }
    for &entities in known.difference(&now) {
        told.write(PliantContact { phase: ContactPhase::Ended, entities, pairs: Vec::new() });
    }
    *known = now;
}
