//! The state of a simulation as bytes: saved, and restored with the same bits.

use pliant::glam::{DMat3, DVec3};

use super::ledger::Ledger;
use super::shape::check_positions;
use super::simulation::ShapeSimulation;
use crate::{Error, Result};

/// The first bytes: what this is, and its version.
const MAGIC: &[u8; 8] = b"PLSHAPE2";

impl ShapeSimulation {
    /// The state of all bodies, from which [`restore`](Self::restore) goes on with the same bits. Shapes,
    /// obstacles and settings are not in it.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.steps.to_le_bytes());
        bytes.extend((self.bodies.len() as u64).to_le_bytes());
        for body in &self.bodies {
            let vectors = body.positions.iter().chain(&body.velocities).map(|v| v.to_array());
            let stretches = body.kept.iter().map(DMat3::to_cols_array);
            // NaN says that there is none.
            let expected = body.ledger.expected.map_or(f64::NAN, |(expected, _)| expected);
            let account = [expected, body.ledger.debt];
            let numbers = vectors.flatten().chain(stretches.flatten()).chain(account);
            bytes.extend(numbers.flat_map(f64::to_le_bytes));
        }
        bytes
    }

    /// Takes a state that a simulation of the same shapes has saved. On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::Saved`] if the bytes are no state, or one of other bodies;
    /// [`Error::InvalidPosition`].
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let refuse = |reason: &str| Error::Saved { reason: reason.into() };
        let mut words = bytes.chunks_exact(8);
        let numbers: usize =
            self.bodies.iter().map(|body| 6 * body.positions.len() + 9 * body.kept.len() + 2).sum();
        if words.next() != Some(MAGIC.as_slice()) {
            return Err(refuse("it is not a saved state of shape matching"));
        }
        if bytes.len() != 8 * (3 + numbers) {
            return Err(refuse("it has another number of bodies or points"));
        }
        let mut word = || words.next().and_then(|word| word.try_into().ok()).unwrap_or([0; 8]);
        let steps = u64::from_le_bytes(word());
        if u64::from_le_bytes(word()) != self.bodies.len() as u64 {
            return Err(refuse("it has another number of bodies"));
        }
        let mut number = || f64::from_le_bytes(word());
        let mut states = Vec::with_capacity(self.bodies.len());
        for (at, body) in self.bodies.iter().enumerate() {
            let count = body.positions.len();
            let mut vectors = || -> Vec<DVec3> {
                (0..count).map(|_| DVec3::new(number(), number(), number())).collect()
            };
            let (positions, velocities) = (vectors(), vectors());
            check_positions("body", at, &positions)?;
            check_positions("velocities of body", at, &velocities)?;
            let stretch = |_| DMat3::from_cols_array(&std::array::from_fn(|_| number()));
            let kept: Vec<DMat3> = (0..body.kept.len()).map(stretch).collect();
            if kept.iter().any(|kept| !kept.is_finite()) {
                return Err(refuse("a kept stretch is not finite"));
            }
            let (expected, debt) = (number(), number());
            if !debt.is_finite() || expected.is_infinite() {
                return Err(refuse("what a body has gained is not finite"));
            }
            let expected = (!expected.is_nan()).then_some((expected, self.settings().step));
            states.push((positions, velocities, kept, Ledger { expected, debt }));
        }
        for (body, state) in self.bodies.iter_mut().zip(states) {
            (body.positions, body.velocities, body.kept, body.ledger) = state;
        }
        self.steps = steps;
        Ok(())
    }
}
