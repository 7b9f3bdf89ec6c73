//! The force loop, its slots, and changes on their way to it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Changes, Device, Error, ForceLoop, Object, Probe, Result, Scene, Submitted, Watcher};

/// How long a client waits for room in the queue. The loop takes four changes per step.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long it sleeps between two looks.
const PAUSE: Duration = Duration::from_millis(1);

/// The force loop and what changes it. The loop never asks for the lock.
#[derive(Debug)]
pub(super) struct Stage {
    inner: Mutex<Inner>,
}

struct Inner {
    running: ForceLoop<Box<dyn Device>>,
    /// Slots that no object has.
    free: Vec<usize>,
    /// For each slot that is not for clients an object that was replaced and can be moved again.
    spares: Vec<Option<Box<Object>>>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("free", &self.free.len()).finish_non_exhaustive()
    }
}

impl Stage {
    pub(super) fn start(
        scene: Scene,
        hands: Vec<(Probe, Box<dyn Device>)>,
        rate: f64,
    ) -> Result<Self> {
        let slots = scene.slots();
        let free: Vec<usize> =
            (0..slots).rev().filter(|&slot| scene.object(slot).is_none()).collect();
        let own = free.last().copied().unwrap_or(slots);
        let running = ForceLoop::start_hands(scene, hands, rate)?;
        let spares = (0..own).map(|_| None).collect();
        Ok(Self { inner: Mutex::new(Inner { running, free, spares }) })
    }

    pub(super) fn watcher(&self) -> Watcher {
        self.lock().running.watcher()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.lock().running.has_ended()
    }

    /// A slot for an object of a client.
    pub(super) fn take_slot(&self) -> Option<usize> {
        self.lock().free.pop()
    }

    /// Gives a slot back. Its object must have been removed.
    pub(super) fn return_slot(&self, slot: usize) {
        let mut inner = self.lock();
        if !inner.free.contains(&slot) {
            inner.free.push(slot);
        }
    }

    /// An object of a slot that was replaced.
    pub(super) fn spare(&self, slot: usize) -> Option<Box<Object>> {
        let mut inner = self.lock();
        inner.collect();
        inner.spares.get_mut(slot)?.take()
    }

    /// Puts changes into the queue, all in one; waits for room.
    pub(super) fn submit(&self, objects: Vec<(usize, Option<Box<Object>>)>) -> Result<()> {
        let mut changes = Box::new(Changes::new());
        for (slot, object) in objects {
            changes.set(slot, object);
        }
        let begin = Instant::now();
        loop {
            let mut inner = self.lock();
            // What comes back is freed outside of the lock.
            let freed = inner.collect();
            let done = inner.running.submit(changes)?;
            let has_ended = inner.running.has_ended();
            drop(inner);
            drop(freed);
            match done {
                Submitted::Queued => return Ok(()),
                Submitted::Refused(_) if has_ended || begin.elapsed() > PATIENCE => {
                    let reason = "it takes no more changes".into();
                    return Err(Error::Loop { reason });
                }
                Submitted::Refused(again) => changes = again,
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Takes what the loop gave back. Returns what is not needed any more.
    fn collect(&mut self) -> Vec<Option<Box<Object>>> {
        let mut freed = Vec::new();
        while let Some(mut changes) = self.running.recycled() {
            for (slot, object) in changes.drain() {
                match self.spares.get_mut(slot) {
                    Some(spare) => freed.push(spare.replace(object)),
                    None => freed.push(Some(object)),
                }
            }
        }
        freed
    }
}
