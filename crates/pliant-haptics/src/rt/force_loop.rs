//! The thread of the force loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::engine::{Engine, Submitted, Submitter};
use super::published::{Published, Seen};
use super::statistics::{Counts, DOUBLINGS, Statistics};
use crate::error::check_positive;
use crate::{Changes, Device, Error, Probe, Result, Scene};

/// Changes that may wait in the queue.
const QUEUE: usize = 16;

/// Before the time of a step the thread sleeps until so long before, and then looks at the clock.
const AWAKE: Duration = Duration::from_micros(200);

/// A force loop on a thread of its own.
///
/// In a step the thread reads the device, takes changes of the scene, moves the proxy and applies the
/// force. It waits for nothing but the clock, allocates nothing and frees nothing.
#[derive(Debug)]
pub struct ForceLoop<D> {
    submitter: Submitter,
    watcher: Watcher,
    thread: JoinHandle<(Engine, Vec<D>)>,
}

#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    /// One per hand.
    published: Vec<Published>,
    counts: Counts,
}

/// Sees what a force loop does, from any thread, while it runs and afterwards.
#[derive(Debug, Clone)]
pub struct Watcher {
    shared: Arc<Shared>,
}

impl Watcher {
    /// What the last step gave a hand. Of a hand that there is not: nothing.
    #[must_use]
    pub fn seen(&self, hand: usize) -> Seen {
        self.shared.published.get(hand).map(Published::read).unwrap_or_default()
    }

    /// How many hands there are.
    #[must_use]
    pub fn hands(&self) -> usize {
        self.shared.published.len()
    }

    /// What the loop did so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.shared.counts.statistics()
    }

    /// How many steps took below 1, 2, 4, 8 ... microseconds and no less than the half of that.
    #[must_use]
    pub fn doublings(&self) -> [u64; DOUBLINGS] {
        self.shared.counts.steps.doublings()
    }
}

impl<D: Device + 'static> ForceLoop<D> {
    /// Starts a loop of so many steps per second.
    ///
    /// # Errors
    /// [`Error::Setting`] if the rate is not positive, [`Error::Loop`] if there is no thread.
    pub fn start(scene: Scene, probe: Probe, device: D, rate: f64) -> Result<Self> {
        Self::start_hands(scene, vec![(probe, device)], rate)
    }

    /// Starts a loop of several hands. It ends when one of the devices ends.
    ///
    /// # Errors
    /// As [`ForceLoop::start`].
    pub fn start_hands(scene: Scene, hands: Vec<(Probe, D)>, rate: f64) -> Result<Self> {
        check_positive("rate", rate)?;
        let (probes, devices): (Vec<_>, Vec<_>) = hands.into_iter().unzip();
        let (engine, submitter) = Engine::with_hands(scene, probes, QUEUE);
        let published = devices.iter().map(|_| Published::new()).collect();
        let (stop, counts) = (AtomicBool::new(false), Counts::new());
        let shared = Arc::new(Shared { stop, published, counts });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("force loop".into())
            .spawn(move || run(engine, devices, rate, &of_thread))
            .map_err(|error| Error::Loop { reason: error.to_string() })?;
        Ok(Self { submitter, watcher: Watcher { shared }, thread })
    }

    /// Puts changes into the queue. They are taken as a whole between two steps.
    ///
    /// # Errors
    /// [`Error::NoSuchSlot`]: none of the changes is made.
    pub fn submit(&mut self, changes: Box<Changes>) -> Result<Submitted> {
        self.submitter.submit(changes)
    }

    /// Changes that were taken, with what they replaced: the objects can be moved and submitted again.
    pub fn recycled(&mut self) -> Option<Box<Changes>> {
        self.submitter.recycled()
    }

    /// What the last step gave the first hand.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.watcher.seen(0)
    }

    /// Sees what the loop does, for other threads.
    #[must_use]
    pub fn watcher(&self) -> Watcher {
        self.watcher.clone()
    }

    /// What the loop did so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.watcher.statistics()
    }

    /// Whether the loop has ended, because the device did.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Ends the loop after the step that it is in, and returns scene, probes and devices.
    ///
    /// # Errors
    /// [`Error::Loop`] if the device panicked.
    pub fn stop(self) -> Result<(Engine, Vec<D>)> {
        self.watcher.shared.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| Error::Loop { reason: "the device panicked".into() })
    }
}

/// The loop.
fn run<D: Device>(
    mut engine: Engine,
    mut devices: Vec<D>,
    rate: f64,
    shared: &Shared,
) -> (Engine, Vec<D>) {
    let dt = 1.0 / rate;
    let period = Duration::from_secs_f64(dt);
    let mut due = Instant::now();
    let mut number = 0;
    'steps: while !shared.stop.load(Ordering::Relaxed) {
        let begin = wait_until(due);
        let late = begin - due;
        shared.counts.late.add(late);
        if late >= period {
            shared.counts.missed.fetch_add(1, Ordering::Relaxed);
            // What was missed is not made up for.
            due = begin;
        }
        due += period;
        let taken = engine.take_changes();
        number += 1;
        for (hand, (device, published)) in devices.iter_mut().zip(&shared.published).enumerate() {
            let Some(reading) = device.read(dt) else { break 'steps };
            if device.is_present() {
                let touch = engine.move_hand(hand, reading, dt);
                device.apply(touch.force);
                published.write(number, Some(&touch));
            } else {
                engine.lift_hand(hand);
                published.write(number, None);
            }
        }
        shared.counts.steps.add(begin.elapsed());
        shared.counts.changes.fetch_add(taken as u64, Ordering::Relaxed);
    }
    (engine, devices)
}

/// Waits for a time, and tells when it is.
fn wait_until(due: Instant) -> Instant {
    loop {
        let now = Instant::now();
        let Some(left) = due.checked_duration_since(now).filter(|left| !left.is_zero()) else {
            return now;
        };
        if left > AWAKE {
            std::thread::sleep(left - AWAKE);
        } else {
            std::hint::spin_loop();
        }
    }
}
