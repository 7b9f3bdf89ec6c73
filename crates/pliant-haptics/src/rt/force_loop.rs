//! The thread of the force loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::engine::{Engine, Submitted, Submitter};
use super::published::{Published, Seen};
use super::statistics::{Counts, Statistics};
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
    shared: Arc<Shared>,
    thread: JoinHandle<(Engine, D)>,
}

#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    published: Published,
    counts: Counts,
}

impl<D: Device + 'static> ForceLoop<D> {
    /// Starts a loop of so many steps per second.
    ///
    /// # Errors
    /// [`Error::Setting`] if the rate is not positive, [`Error::Loop`] if there is no thread.
    pub fn start(scene: Scene, probe: Probe, device: D, rate: f64) -> Result<Self> {
        check_positive("rate", rate)?;
        let (engine, submitter) = Engine::new(scene, probe, QUEUE);
        let published = Published::default();
        let (stop, counts) = (AtomicBool::new(false), Counts::new());
        let shared = Arc::new(Shared { stop, published, counts });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("force loop".into())
            .spawn(move || run(engine, device, rate, &of_thread))
            .map_err(|error| Error::Loop { reason: error.to_string() })?;
        Ok(Self { submitter, shared, thread })
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

    /// What the last step gave.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.shared.published.read()
    }

    /// What the loop did so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.shared.counts.statistics()
    }

    /// Whether the loop has ended, because the device did.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Ends the loop after the step that it is in, and returns scene, probe and device.
    ///
    /// # Errors
    /// [`Error::Loop`] if the device panicked.
    pub fn stop(self) -> Result<(Engine, D)> {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| Error::Loop { reason: "the device panicked".into() })
    }
}

/// The loop.
fn run<D: Device>(mut engine: Engine, mut device: D, rate: f64, shared: &Shared) -> (Engine, D) {
    let dt = 1.0 / rate;
    let period = Duration::from_secs_f64(dt);
    let mut due = Instant::now();
    let mut number = 0;
    while !shared.stop.load(Ordering::Relaxed) {
        let begin = wait_until(due);
        let late = begin - due;
        shared.counts.late.add(late);
        if late >= period {
            shared.counts.missed.fetch_add(1, Ordering::Relaxed);
            // What was missed is not made up for.
            due = begin;
        }
        due += period;
        let Some(reading) = device.read(dt) else { break };
        let (touch, taken) = engine.step(reading, dt);
        device.apply(touch.force);
        shared.counts.steps.add(begin.elapsed());
        shared.counts.changes.fetch_add(taken as u64, Ordering::Relaxed);
        number += 1;
        shared.published.write(number, &touch);
    }
    (engine, device)
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
