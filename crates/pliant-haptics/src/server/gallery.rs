//! What the scene looks like, for those who draw it: messages that are ready to be sent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pliant::AnyBody;
use pliant::glam::{DAffine3, DVec3};
use pliant::volume::Volume as _;

use crate::Object;
use crate::protocol::{Pose, Report};

/// Displacements below this share of a body's size are not drawn: it is drawn as if it were rigid.
const VISIBLE: f64 = 1e-4;

/// Vertices that are looked at to see whether a body is bent.
const SAMPLES: usize = 64;

/// Pictures of all slots. Every change has a number; those who draw remember the last that they drew.
#[derive(Debug)]
pub(super) struct Gallery {
    watchers: AtomicUsize,
    entries: Mutex<Entries>,
}

#[derive(Debug)]
struct Entries {
    slots: Vec<Entry>,
    changes: u64,
}

#[derive(Debug, Clone, Default)]
struct Entry {
    /// The object as a message, the number of its change, and the same of its place.
    object: Option<Arc<[u8]>>,
    defined: u64,
    pose: Option<Arc<[u8]>>,
    moved: u64,
    /// Where the mesh lies in memory: another one is another shape.
    shape: usize,
}

fn shape_of(object: &Object) -> usize {
    std::ptr::from_ref(object.body().mesh()).addr()
}

impl Gallery {
    pub(super) fn new(slots: usize) -> Self {
        let entries = Entries { slots: vec![Entry::default(); slots], changes: 0 };
        Self { watchers: AtomicUsize::new(0), entries: Mutex::new(entries) }
    }

    /// Whether somebody draws.
    pub(super) fn is_watched(&self) -> bool {
        self.watchers.load(Ordering::Relaxed) > 0
    }

    pub(super) fn add_watcher(&self) {
        self.watchers.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn remove_watcher(&self) {
        self.watchers.fetch_sub(1, Ordering::Relaxed);
    }

    /// An object is in a slot.
    pub(super) fn show(&self, slot: usize, name: &str, object: &Object) {
        let mesh = object.body().mesh();
        let positions = mesh.positions().iter().map(|p| p.as_vec3().to_array()).collect();
        let triangles = mesh.triangles().to_vec();
        let name = name.to_owned();
        let shown = Report::Object { slot: slot as u32, name, positions, triangles }.encode();
        let pose = moved(slot, object);
        self.change(slot, |entry, change| {
            *entry = Entry {
                object: Some(shown.into()),
                defined: change,
                pose: Some(pose.into()),
                moved: change,
                shape: shape_of(object),
            };
        });
    }

    /// The object of a slot is in another state.
    pub(super) fn move_to(&self, slot: usize, object: &Object) {
        let pose = moved(slot, object);
        self.change(slot, |entry, change| {
            (entry.pose, entry.moved) = (Some(pose.into()), change);
        });
    }

    /// An object of a client is in a slot, perhaps in another state only.
    pub(super) fn show_or_move(&self, slot: usize, object: &Object) {
        let same = {
            let entries = self.lock();
            let shape = entries.slots.get(slot).map_or(0, |entry| entry.shape);
            shape == shape_of(object)
        };
        if same {
            self.move_to(slot, object);
        } else {
            self.show(slot, &format!("object {slot}"), object);
        }
    }

    /// A slot is empty.
    pub(super) fn clear(&self, slot: usize) {
        self.change(slot, |entry, change| *entry = Entry { defined: change, ..Entry::default() });
    }

    fn change(&self, slot: usize, make: impl FnOnce(&mut Entry, u64)) {
        let mut entries = self.lock();
        entries.changes += 1;
        let change = entries.changes;
        if let Some(entry) = entries.slots.get_mut(slot) {
            make(entry, change);
        }
    }

    /// Messages of what changed after a number, in the order of slots; and the last number.
    pub(super) fn since(&self, drawn: u64) -> (Vec<Arc<[u8]>>, u64) {
        let entries = self.lock();
        let mut messages = Vec::new();
        for (slot, entry) in entries.slots.iter().enumerate() {
            if entry.defined > drawn {
                match &entry.object {
                    Some(object) => messages.push(Arc::clone(object)),
                    None => messages.push(Report::Gone { slot: slot as u32 }.encode().into()),
                }
            }
            if entry.moved > drawn {
                messages.extend(entry.pose.clone());
            }
        }
        (messages, entries.changes)
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn moved(slot: usize, object: &Object) -> Vec<u8> {
    Report::Moved { slot: slot as u32, pose: pose(object.body()) }.encode()
}

/// How the vertices at rest have moved: by a map where that is all that can be seen.
fn pose(body: &AnyBody) -> Pose {
    let map = match body {
        AnyBody::Rigid(body) => {
            let isometry = body.deformation().isometry;
            let (rotation, place) = (isometry.rotation(), isometry.translation());
            Some(DAffine3::from_mat3_translation(rotation, place))
        }
        AnyBody::Affine(body) => Some(body.deformation().map()),
        AnyBody::Reduced(own) => Some(own.deformation().frame()).filter(|map| !bent(body, map)),
        _ => None,
    };
    match map {
        Some(map) => Pose::Map(map.to_cols_array().map(finite)),
        None => {
            let count = body.mesh().positions().len() as u32;
            let place = |vertex| body.position(vertex).unwrap_or_default().to_array().map(finite);
            Pose::Vertices((0..count).map(place).collect())
        }
    }
}

/// Numbers of 32 bits that a client can read: the largest instead of those beyond.
fn finite(number: f64) -> f32 {
    (number as f32).clamp(f32::MIN, f32::MAX)
}

/// Whether a body is visibly elsewhere than a map puts its vertices at rest.
fn bent(body: &AnyBody, map: &DAffine3) -> bool {
    let rest = body.mesh().positions();
    let [low, high] = body.bounding_box().corners();
    let least = VISIBLE * (high - low).length();
    let step = (rest.len() / SAMPLES).max(1);
    rest.iter().enumerate().step_by(step).any(|(vertex, &p)| {
        let now = body.position(vertex as u32).unwrap_or(DVec3::ZERO);
        now.distance(map.transform_point3(p)) > least
    })
}
