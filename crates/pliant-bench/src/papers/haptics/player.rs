//! A probe, a scene of one object and a spare of it: states are prepared on the spare and swapped in.

use std::time::Instant;

use anyhow::Result;
use glam::DVec3;
use pliant::AnyBody;
use pliant_haptics::{Changes, Material, Object, Probe, Reading, Scene, Settings};

use crate::measure::thread_seconds;
use crate::table::{Table, count, percent, seconds};

/// Seconds per step.
pub(super) const DT: f64 = 0.001;

pub(super) struct Player {
    pub(super) scene: Scene,
    pub(super) probe: Probe,
    changes: Changes,
    /// Whether a new state waits.
    waiting: bool,
    pub(super) times: Times,
}

/// How long steps took.
#[derive(Default)]
pub(super) struct Times {
    /// Seconds of each step on the processor.
    computed: Vec<f64>,
    /// The longest by the clock, which also counts what the machine does in between.
    longest: f64,
    /// Steps in contact.
    pub(super) touched: usize,
}

/// When a step began. The clock is read within the readings of the processor's time, which are slow.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    processor: f64,
    clock: Instant,
}

impl Begun {
    pub(super) fn now() -> Self {
        Self { processor: thread_seconds(), clock: Instant::now() }
    }
}

impl Player {
    pub(super) fn new(body: AnyBody, material: Material, start: DVec3) -> Result<Self> {
        let object = Object::new(body, material)?;
        let mut changes = Changes::new();
        changes.set(0, Some(Box::new(object.clone())));
        let scene = Scene::of([object]);
        let mut probe = Probe::new(start, Settings::default())?;
        probe.ready_for(&scene);
        Ok(Self { scene, probe, changes, waiting: false, times: Times::default() })
    }

    /// Sets a state on the spare object; the next step takes it. Returns the seconds, which belong to the
    /// thread beside the loop.
    pub(super) fn prepare(
        &mut self,
        set: impl FnOnce(&mut AnyBody) -> pliant::Result<()>,
    ) -> Result<f64> {
        let begin = Instant::now();
        if let Some(mut object) = self.changes.take(0) {
            object.set_state(set)?;
            object.prepare_near(self.probe.proxy().center(), prepared(&self.probe));
            self.changes.set(0, Some(object));
            self.waiting = true;
        }
        Ok(begin.elapsed().as_secs_f64())
    }

    /// One step of the force loop. Returns its seconds.
    pub(super) fn step(&mut self, reading: Reading) -> f64 {
        let begin = Begun::now();
        if self.waiting {
            self.probe.follow(&mut self.scene, &mut self.changes);
            self.waiting = false;
        }
        let touch = self.probe.step(&self.scene, reading, DT);
        self.times.add(begin, !touch.contacts.as_slice().is_empty())
    }
}

/// How far around the hand states are prepared: as the server does.
pub(super) fn prepared(probe: &Probe) -> f64 {
    3.0 * probe.proxy().radius()
}

impl Times {
    /// Adds a step that ends now. Returns its seconds by the clock.
    pub(super) fn add(&mut self, begin: Begun, in_contact: bool) -> f64 {
        let seconds = begin.clock.elapsed().as_secs_f64();
        self.computed.push(thread_seconds() - begin.processor);
        self.longest = self.longest.max(seconds);
        self.touched += usize::from(in_contact);
        seconds
    }

    /// Quantiles of all steps.
    pub(super) fn row(mut self, table: &mut Table, name: String) {
        self.computed.sort_by(f64::total_cmp);
        let steps = self.computed.len();
        let at = |share: f64| {
            let place = (share * steps as f64).ceil() as usize;
            let found = self.computed.get(place.clamp(1, steps.max(1)) - 1);
            seconds(found.copied().unwrap_or(f64::NAN))
        };
        let touched = percent(self.touched as f64 / steps.max(1) as f64, 0);
        let over = self.computed.iter().filter(|&&time| time > 0.001).count();
        table.row([
            name.into(),
            count(steps),
            touched,
            at(0.5),
            at(0.999),
            at(1.0),
            count(over),
            seconds(self.longest),
        ]);
    }
}
