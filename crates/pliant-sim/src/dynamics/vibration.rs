//! One vibration mode, integrated exactly under a force that is constant over a step.

use crate::Result;
use crate::error::refuse;

/// How vibrations lose energy.
#[derive(Debug, Clone, PartialEq)]
pub enum Damping {
    /// Rayleigh damping: the damping matrix is `mass` times the mass matrix plus `stiffness` times
    /// the stiffness matrix. A mode of angular frequency ω has the ratio (mass / ω + stiffness ω) / 2.
    Rayleigh {
        /// In 1/s.
        mass: f64,
        /// In s.
        stiffness: f64,
    },
    /// The damping ratio of each mode: 0 rings for ever, 1 is critical.
    Ratios(Vec<f64>),
}

/// A mode: q'' + 2 ratio ω q' + ω² q = force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Vibration {
    /// The angular frequency ω in 1/s; positive.
    pub omega: f64,
    pub ratio: f64,
}

/// The modes of a body with these frequencies in hertz.
pub(super) fn vibrations(frequencies: &[f64], damping: &Damping) -> Result<Vec<Vibration>> {
    if let Damping::Ratios(ratios) = damping
        && ratios.len() != frequencies.len()
    {
        return refuse("number of damping ratios", ratios.len() as f64, "one per mode");
    }
    let vibration = |(mode, &frequency): (usize, &f64)| {
        let omega = std::f64::consts::TAU * frequency;
        if !(omega > 0.0 && omega.is_finite()) {
            return refuse("frequency", frequency, "positive, finite numbers");
        }
        let ratio = match damping {
            Damping::Rayleigh { mass, stiffness } => 0.5 * (mass / omega + stiffness * omega),
            Damping::Ratios(ratios) => ratios[mode],
        };
        if !(ratio >= 0.0 && ratio.is_finite()) {
            return refuse("damping ratio", ratio, "numbers from 0, finite");
        }
        Ok(Vibration { omega, ratio })
    };
    frequencies.iter().enumerate().map(vibration).collect()
}

/// The map of a mode's state over a step:
/// (q, q') becomes (qq q + qv q' + qf force, vq q + vv q' + vf force).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ModeStep {
    pub qq: f64,
    pub qv: f64,
    pub qf: f64,
    pub vq: f64,
    pub vv: f64,
    pub vf: f64,
}

impl ModeStep {
    /// The exponential of the mode's matrix A times the step h. With a = ratio ω and
    /// d = ω² - a², exp(A h) = exp(-a h) (c + s (A + a)), where c = cos(√d h), s = sin(√d h) / √d,
    /// or their hyperbolic forms for negative d.
    pub(super) fn new(mode: Vibration, h: f64) -> Self {
        let Vibration { omega, ratio } = mode;
        let a = ratio * omega;
        let square = omega * omega * (1.0 - ratio) * (1.0 + ratio);
        let root = square.abs().sqrt();
        let (c, s) = if root * h < 1e-6 {
            // Two terms of the series are exact to rounding.
            let decay = (-a * h).exp();
            (decay * (1.0 - 0.5 * square * h * h), decay * h * (1.0 - square * h * h / 6.0))
        } else if square > 0.0 {
            let decay = (-a * h).exp();
            (decay * (root * h).cos(), decay * (root * h).sin() / root)
        } else {
            // As one exponential each: cosh alone would overflow. root < a.
            let (slow, fast) = (((root - a) * h).exp(), (-(root + a) * h).exp());
            (0.5 * (slow + fast), 0.5 * (slow - fast) / root)
        };
        let (qq, vv) = (c + a * s, c - a * s);
        // The equilibrium under the force is force / ω².
        let rest = 1.0 / (omega * omega);
        Self { qq, qv: s, qf: (1.0 - qq) * rest, vq: -omega * omega * s, vv, vf: s }
    }

    /// The state after the step.
    #[inline]
    pub(super) fn apply(&self, q: f64, v: f64, force: f64) -> (f64, f64) {
        (self.qq * q + self.qv * v + self.qf * force, self.vq * q + self.vv * v + self.vf * force)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many small steps of a method of fourth order.
    fn integrate(mode: Vibration, mut q: f64, mut v: f64, force: f64, h: f64) -> (f64, f64) {
        let steps = 20_000;
        let h = h / f64::from(steps);
        let slope = |q: f64, v: f64| {
            (v, force - 2.0 * mode.ratio * mode.omega * v - mode.omega * mode.omega * q)
        };
        for _ in 0..steps {
            let (a, b) = slope(q, v);
            let (c, d) = slope(q + 0.5 * h * a, v + 0.5 * h * b);
            let (e, f) = slope(q + 0.5 * h * c, v + 0.5 * h * d);
            let (g, i) = slope(q + h * e, v + h * f);
            q += h / 6.0 * (a + 2.0 * c + 2.0 * e + g);
            v += h / 6.0 * (b + 2.0 * d + 2.0 * f + i);
        }
        (q, v)
    }

    #[test]
    fn a_step_is_exact_for_every_damping() {
        for ratio in [0.0, 0.01, 0.5, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 1.5, 20.0] {
            for omega in [1.0, 60.0] {
                let mode = Vibration { omega, ratio };
                let step = ModeStep::new(mode, 0.02);
                let (q, v) = step.apply(0.3, -2.0, 5.0);
                let (expected_q, expected_v) = integrate(mode, 0.3, -2.0, 5.0, 0.02);
                assert!((q - expected_q).abs() < 1e-9, "{mode:?}: {q} {expected_q}");
                assert!((v - expected_v).abs() < 1e-9 * omega, "{mode:?}: {v} {expected_v}");
            }
        }
    }

    #[test]
    fn steps_are_stable_at_any_length() {
        for ratio in [0.0, 0.3, 1.0, 50.0] {
            let step = ModeStep::new(Vibration { omega: 1e4, ratio }, 1.0);
            let (mut q, mut v) = (1.0, 1.0);
            for _ in 0..1000 {
                (q, v) = step.apply(q, v, 0.0);
            }
            assert!(q.abs() < 2.0 && v.abs() < 2e4, "{ratio}: {q} {v}");
        }
    }

    #[test]
    fn ratios_are_checked() {
        assert!(vibrations(&[1.0], &Damping::Ratios(vec![])).is_err());
        assert!(vibrations(&[0.0], &Damping::Ratios(vec![0.1])).is_err());
        assert!(vibrations(&[1.0], &Damping::Ratios(vec![-0.1])).is_err());
        let rayleigh = Damping::Rayleigh { mass: 2.0, stiffness: 0.0 };
        let found = vibrations(&[1.0 / std::f64::consts::TAU], &rayleigh).unwrap();
        assert!((found[0].ratio - 1.0).abs() < 1e-12);
    }
}
