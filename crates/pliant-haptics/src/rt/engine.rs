//! One step of the force loop, and the queue through which scene changes arrive.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};

use crate::proxy::Memory;
use crate::{Changes, Probe, Reading, Result, Scene, Touch};

/// The scene and the probe of a force loop.
///
/// Changes are taken between two steps, each as a whole. What they replaced goes back through a second
/// queue, so that nothing is freed here. Both queues are bounded arrays; `try_recv` and `try_send` never
/// wait. If the way back is full, no changes are taken until it is not.
#[derive(Debug)]
pub struct Engine {
    scene: Scene,
    probe: Probe,
    inbox: Receiver<Box<Changes>>,
    outbox: SyncSender<Box<Changes>>,
    /// Changes that wait for room on the way back.
    waiting: Option<Box<Changes>>,
}

/// The other end of an engine's queues: it belongs to whoever changes the scene.
#[derive(Debug)]
pub struct Submitter {
    inbox: SyncSender<Box<Changes>>,
    outbox: Receiver<Box<Changes>>,
    slots: usize,
    /// The largest memory for descents that the engine was given.
    descent: usize,
}

/// What became of changes that were submitted.
#[derive(Debug)]
pub enum Submitted {
    /// They are in the queue.
    Queued,
    /// The queue is full, or the loop has ended: here they are again.
    Refused(Box<Changes>),
}

impl Engine {
    /// An engine whose queue holds so many changes, and its other end.
    #[must_use]
    pub fn new(scene: Scene, mut probe: Probe, queue: usize) -> (Self, Submitter) {
        probe.ready_for(&scene);
        let (inbox, from_client) = sync_channel(queue.max(1));
        let (outbox, to_client) = sync_channel(queue.max(1) + 1);
        let (slots, descent) = (scene.slots(), scene.descent());
        let engine = Self { scene, probe, inbox: from_client, outbox, waiting: None };
        (engine, Submitter { inbox, outbox: to_client, slots, descent })
    }

    /// Takes what is in the queue, and then moves the probe. Returns what it gave, and how many changes
    /// were taken.
    pub fn step(&mut self, reading: Reading, dt: f64) -> (Touch, usize) {
        let mut taken = 0;
        while self.give_back() {
            match self.inbox.try_recv() {
                Ok(mut changes) => {
                    self.probe.follow(&mut self.scene, &mut changes);
                    self.waiting = Some(changes);
                    taken += 1;
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        (self.probe.step(&self.scene, reading, dt), taken)
    }

    /// Sends replaced objects back. `false` if there is no room on the way.
    fn give_back(&mut self) -> bool {
        let Some(changes) = self.waiting.take() else { return true };
        match self.outbox.try_send(changes) {
            Ok(()) => true,
            Err(TrySendError::Full(changes) | TrySendError::Disconnected(changes)) => {
                self.waiting = Some(changes);
                false
            }
        }
    }

    /// The scene as it is.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The probe.
    #[must_use]
    pub fn probe(&self) -> &Probe {
        &self.probe
    }
}

impl Submitter {
    /// Puts changes into the queue. They are taken as a whole between two steps.
    ///
    /// # Errors
    /// [`Error::NoSuchSlot`](crate::Error::NoSuchSlot): none of the changes is made.
    pub fn submit(&mut self, mut changes: Box<Changes>) -> Result<Submitted> {
        changes.check(self.slots)?;
        let descent = changes.descent();
        if descent > self.descent {
            let mut memory = Memory::default();
            memory.reserve(descent);
            changes.memory = Some(memory);
        }
        match self.inbox.try_send(changes) {
            Ok(()) => {
                self.descent = self.descent.max(descent);
                Ok(Submitted::Queued)
            }
            Err(TrySendError::Full(changes) | TrySendError::Disconnected(changes)) => {
                Ok(Submitted::Refused(changes))
            }
        }
    }

    /// Changes that were taken, with what they replaced: the objects can be moved and submitted again.
    pub fn recycled(&mut self) -> Option<Box<Changes>> {
        self.outbox.try_recv().ok()
    }
}
