//! A run as JSON (docs/simulate.schema.json).

use serde::Serialize;

use super::motion::Counters;

/// All that stands before the frames.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RunRow {
    pub(super) format: &'static str,
    pub(super) version: u32,
    pub(super) pliant: &'static str,
    pub(super) scene: String,
    pub(super) kind: &'static str,
    pub(super) bodies: usize,
    pub(super) seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) level: Option<u32>,
    /// The length of a step in seconds.
    pub(super) step: f64,
    pub(super) steps: u64,
    pub(super) steps_per_frame: u64,
    /// Seconds of all steps together.
    pub(super) seconds: f64,
    pub(super) contacts_total: u64,
    pub(super) most_contacts: u64,
    /// What the other files do not show.
    pub(super) left_out: Vec<String>,
}

/// A frame.
#[derive(Debug, Clone, Serialize)]
pub(super) struct FrameRow {
    pub(super) frame: usize,
    pub(super) step: u64,
    pub(super) time: f64,
    pub(super) contacts: u64,
    pub(super) contacts_since: u64,
    pub(super) body_pairs: u64,
    pub(super) tests: u64,
    pub(super) updated: u64,
    pub(super) energy: EnergyRow,
}

/// Energies in joules.
#[derive(Debug, Clone, Serialize)]
pub(super) struct EnergyRow {
    kinetic: f64,
    gravity: f64,
    deformation: f64,
}

impl FrameRow {
    pub(super) fn new(frame: usize, counters: &Counters, step_length: f64) -> Self {
        let &Counters { step, contacts, body_pairs, tests, updated, contacts_since, energy } =
            counters;
        let [kinetic, gravity, deformation] = energy;
        let energy = EnergyRow { kinetic, gravity, deformation };
        let time = step as f64 * step_length;
        Self { frame, step, time, contacts, contacts_since, body_pairs, tests, updated, energy }
    }
}
