//! One step of the force loop, and the queue through which scene changes arrive.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};

use crate::proxy::Memory;
use crate::{Changes, Probe, Reading, Result, Scene, Touch};

/// Changes that are taken before one step, at most: a client that sends many makes no step long.
const MOST_PER_STEP: usize = 4;

/// The scene and the probes of a force loop, one per hand.
///
/// Changes are taken between two steps, each as a whole. What they replaced goes back through a second
/// queue, so that nothing is freed here. Both queues are bounded arrays; `try_recv` and `try_send` never
/// wait. If the way back is full, no changes are taken until it is not.
#[derive(Debug)]
pub struct Engine {
    scene: Scene,
    hands: Vec<HandOfEngine>,
    inbox: Receiver<Box<Changes>>,
    outbox: SyncSender<Box<Changes>>,
    /// Changes that wait for room on the way back.
    waiting: Option<Box<Changes>>,
}

/// A hand that touches, or that is away.
#[derive(Debug)]
struct HandOfEngine {
    probe: Probe,
    is_present: bool,
}

/// The other end of an engine's queues: it belongs to whoever changes the scene.
#[derive(Debug)]
pub struct Submitter {
    inbox: SyncSender<Box<Changes>>,
    outbox: Receiver<Box<Changes>>,
    slots: usize,
    hands: usize,
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
    /// An engine of one hand whose queue holds so many changes, and its other end.
    #[must_use]
    pub fn new(scene: Scene, probe: Probe, queue: usize) -> (Self, Submitter) {
        Self::with_hands(scene, vec![probe], queue)
    }

    /// An engine of several hands.
    #[must_use]
    pub fn with_hands(scene: Scene, mut probes: Vec<Probe>, queue: usize) -> (Self, Submitter) {
        probes.iter_mut().for_each(|probe| probe.ready_for(&scene));
        let (inbox, from_client) = sync_channel(queue.max(1));
        let (outbox, to_client) = sync_channel(queue.max(1) + 1);
        let (slots, descent) = (scene.slots(), scene.descent());
        let hand = |probe| HandOfEngine { probe, is_present: true };
        let hands: Vec<_> = probes.into_iter().map(hand).collect();
        let count = hands.len();
        let engine = Self { scene, hands, inbox: from_client, outbox, waiting: None };
        (engine, Submitter { inbox, outbox: to_client, slots, hands: count, descent })
    }

    /// Takes what is in the queue, and then moves the first hand. Returns what it gave, and how many
    /// changes were taken.
    pub fn step(&mut self, reading: Reading, dt: f64) -> (Touch, usize) {
        let taken = self.take_changes();
        (self.move_hand(0, reading, dt), taken)
    }

    /// Takes what is in the queue, or as much of it as a step takes. Returns how many changes that were.
    pub fn take_changes(&mut self) -> usize {
        let mut taken = 0;
        while taken < MOST_PER_STEP && self.give_back() {
            match self.inbox.try_recv() {
                Ok(mut changes) => {
                    self.follow(&mut changes);
                    self.waiting = Some(changes);
                    taken += 1;
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        taken
    }

    /// Takes changes as a whole; every hand that is there goes along.
    fn follow(&mut self, changes: &mut Changes) {
        for (number, hand) in self.hands.iter_mut().enumerate() {
            hand.probe.take_memory(number, changes);
        }
        self.scene.begin(changes);
        for hand in self.hands.iter_mut().filter(|hand| hand.is_present) {
            hand.probe.go_along(&self.scene);
        }
        self.scene.end(changes);
    }

    /// Moves a hand by one step of `dt` seconds. One that was away begins anew where it is.
    pub fn move_hand(&mut self, hand: usize, reading: Reading, dt: f64) -> Touch {
        let Some(hand) = self.hands.get_mut(hand) else { return Touch::default() };
        if !hand.is_present {
            hand.probe.start_at(reading.position);
            hand.is_present = true;
        }
        hand.probe.step(&self.scene, reading, dt)
    }

    /// Takes a hand away: it touches nothing.
    pub fn lift_hand(&mut self, hand: usize) {
        if let Some(hand) = self.hands.get_mut(hand) {
            hand.is_present = false;
        }
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

    /// The probe of a hand.
    #[must_use]
    pub fn probe(&self, hand: usize) -> Option<&Probe> {
        self.hands.get(hand).map(|hand| &hand.probe)
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
            changes.memory.resize_with(self.hands, Memory::default);
            changes.memory.iter_mut().for_each(|memory| memory.reserve(descent));
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
