//! Units in which the rows of a table are stored, and the unit of own space in a state.

use std::ops::Range;

use glam::DAffine3;

use crate::deform::Reduced;
use crate::numeric::PowerOfTwo;

/// The units of a table's rows: powers of two above the largest coordinate at rest and above the
/// largest displacement of each mode. In these units no coordinate exceeds 1.
///
/// The sum of a node's rows is computed in a unit of the state, a power of two too. So a rest
/// shape of any size, modes of any size and coordinates of any size have sums that stay in the
/// range of `f32`, whatever the frame makes of them. Powers of two round nothing.
#[derive(Debug, Clone)]
pub(super) struct RowUnits {
    pub(super) rest: PowerOfTwo,
    /// `None` for a mode that moves nothing.
    modes: Vec<Option<PowerOfTwo>>,
}

/// If the frame is the identity, own space has the unit 1 for these magnitudes: volumes need no map
/// then. They stay in the range of `f32` and far from where it loses digits.
const UNSCALED: Range<f64> = power(-60)..power(60);

/// The least unit of own space. Vertices are sums in `f64`, whose products lose up to 2^-1074. In
/// this unit that is less than the last digits of `f32`.
const LEAST: f64 = power(-900);

const fn power(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl RowUnits {
    pub(super) fn new(state: &Reduced) -> Self {
        let unit = |&reach: &f64| (reach > 0.0).then(|| PowerOfTwo::above(reach));
        let [rest, modes @ ..] = state.reaches() else {
            return Self { rest: PowerOfTwo::ONE, modes: Vec::new() };
        };
        Self { rest: PowerOfTwo::above(*rest), modes: modes.iter().map(unit).collect() }
    }

    /// The unit of a mode's rows.
    pub(super) fn mode(&self, mode: usize) -> PowerOfTwo {
        self.modes[mode].unwrap_or(PowerOfTwo::ONE)
    }

    /// The factor of the rest rows, and the factors of the rows of each mode, for a state whose own
    /// space has this unit.
    ///
    /// The unit is that of [`own_unit`]: no factor exceeds 2^62. With r the reach of a mode, |q| r is
    /// at most the reach R of the state, and the unit of the mode is at most 4r.
    pub(super) fn factors(&self, state: &Reduced, unit: PowerOfTwo, factors: &mut Vec<f32>) -> f32 {
        factors.clear();
        let modes = self.modes.iter().zip(state.coordinates());
        factors.extend(modes.map(|(mode, &q)| match mode {
            Some(mode) => mode.over(unit).up(q) as f32,
            None => 0.0,
        }));
        self.rest.over(unit).up(1.0) as f32
    }
}

/// The unit of own space in a state whose vertices may be off by `error`: no coordinate exceeds 1
/// in it, or 2^60 if the frame is the identity.
pub(super) fn own_unit(state: &Reduced, error: f64) -> PowerOfTwo {
    let reach = state.reach().max(error);
    match state.frame() == DAffine3::IDENTITY && UNSCALED.contains(&reach) {
        true => PowerOfTwo::ONE,
        false => PowerOfTwo::above(reach.max(LEAST)),
    }
}
