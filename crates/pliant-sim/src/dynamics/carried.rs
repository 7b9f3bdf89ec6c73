//! Forces of the last step, with which the next one begins.
//!
//! A contact that lasts keeps its force nearly: sweeps that begin with it have little left to do, and a
//! pile at rest stays at rest. What is carried on is part of the state of a simulation.

use pliant::glam::DVec3;
use rayon::prelude::*;

use super::snapshot::{Contact, Other};

/// Which contact it is: with a body (0) or an obstacle (1), the body, the other's number, the proxies;
/// the second is 0 for an obstacle. Triangles of a surface do not count. Contacts of a step ascend.
pub(super) type Key = [u32; 5];

/// The force of a contact on its first body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Carried {
    pub key: Key,
    pub force: DVec3,
}

pub(super) fn key_of(contact: &Contact) -> Key {
    match contact.other {
        Other::Body { body, node } => [0, contact.body, body, contact.node, node],
        Other::Obstacle { obstacle, .. } => [1, contact.body, obstacle, contact.node, 0],
    }
}

/// Those of two bodies (0), or of a body and an obstacle (1).
pub(super) fn between(carried: &[Carried], [kind, a, b]: [u32; 3]) -> &[Carried] {
    let from = carried.partition_point(|one| one.key[..3] < [kind, a, b][..]);
    let rest = carried.get(from..).unwrap_or_default();
    let count = rest.iter().take_while(|one| one.key[..3] == [kind, a, b]).count();
    rest.get(..count).unwrap_or_default()
}

/// Forces of pairs of bodies that are asked for in ascending order: each is found where the last one ended,
/// not by a search through all.
#[derive(Debug)]
pub(super) struct InOrder<'a>(&'a [Carried]);

impl<'a> InOrder<'a> {
    /// Those from a pair of bodies on.
    pub(super) fn from_pair(carried: &'a [Carried], [a, b]: [u32; 2]) -> Self {
        let start = carried.partition_point(|one| one.key[..3] < [0, a, b][..]);
        Self(carried.get(start..).unwrap_or_default())
    }

    /// Those of a pair of bodies, which is not below the last one asked for.
    pub(super) fn of_pair(&mut self, [a, b]: [u32; 2]) -> &'a [Carried] {
        let before = self.0.iter().take_while(|one| one.key[..3] < [0, a, b][..]).count();
        self.0 = self.0.get(before..).unwrap_or_default();
        let count = self.0.iter().take_while(|one| one.key[..3] == [0, a, b]).count();
        self.0.get(..count).unwrap_or_default()
    }
}

/// Whether proxies are among these.
pub(super) fn is_among(carried: &[Carried], nodes: [u32; 2]) -> bool {
    carried.binary_search_by(|one| one.key[3..].cmp(&nodes)).is_ok()
}

/// Contacts per task.
const PER_TASK: usize = 1024;

/// The forces with which contacts begin: those carried on, and none where there is none.
pub(super) fn begin(contacts: &[Contact], carried: &[Carried], forces: &mut Vec<DVec3>) {
    forces.clear();
    forces.resize(contacts.len(), DVec3::ZERO);
    let all = forces.par_chunks_mut(PER_TASK).zip(contacts.par_chunks(PER_TASK));
    all.for_each(|(forces, contacts)| {
        let first = contacts.first().map_or([0; 5], key_of);
        let start = carried.partition_point(|one| one.key < first);
        let mut rest = carried.get(start..).unwrap_or_default().iter().peekable();
        for (force, contact) in forces.iter_mut().zip(contacts) {
            let key = key_of(contact);
            while rest.next_if(|one| one.key < key).is_some() {}
            if let Some(one) = rest.next_if(|one| one.key == key) {
                *force = one.force;
            }
        }
    });
}

/// What is carried on from a step: forces that are not zero.
pub(super) fn carry(contacts: &[Contact], forces: &[DVec3], carried: &mut Vec<Carried>) {
    carried.clear();
    let pushing = contacts.iter().zip(forces).filter(|(_, force)| **force != DVec3::ZERO);
    carried.extend(pushing.map(|(contact, &force)| Carried { key: key_of(contact), force }));
}
