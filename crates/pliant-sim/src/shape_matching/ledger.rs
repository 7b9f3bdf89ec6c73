//! What the pull towards the goals gains or loses by itself, and how that is taken back.
//!
//! A step is v' = v - h grad E(x) / m, x' = x + h v', where E is half of `alpha / h²` times mass times way to
//! the goal squared, and the pull is taken as its gradient: exactly so for rigid goals, which are the nearest
//! ones. Velocities stand in the middle between places, so the energy at a place is
//! Q = E + half of m times the velocity before the pull times that after it. From one place to the next it
//! changes, beside the work of contacts, gravity and damping, by
//!
//! d = E' - E - h v / 2 (grad E + grad E'),
//!
//! the error of the trapezoidal rule along the way: zero while E is a quadratic function, so that small
//! swings are neither damped nor driven. Goals turn with the points, and then d is not zero. The sum of all
//! d is the debt of a body. While it is above zero, the motion about the rigid motion of the body is slowed
//! until it is paid, or as far as that pays at all.
//!
//! So Q minus the debt never grows. And it bounds the motion: h v grad E <= alpha T + E by Cauchy and Schwarz,
//! with T the energy of motion and the weights of a point in its clusters summing to 1, so that
//! Q >= (1 - alpha / 2) T + E / 2 >= (T + E) / 2 for alpha up to 1, and Q <= 3 (T + E) / 2 likewise. From any
//! start, T + E therefore stays below 3 times its start plus twice the debt that is open. An open debt means
//! that the motion is slow already: then the next step goes downhill in E.

/// What a body's pulls have gained so far, in joules.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Ledger {
    /// E + h v grad E / 2 at the place where the last step began, with the velocity that led here, and
    /// that step's length. `None` if the state was set since.
    pub(super) expected: Option<(f64, f64)>,
    /// The sum of what was gained; negative if more was lost.
    pub(super) debt: f64,
}

/// The motion about the rigid motion of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct InnerMotion {
    /// Mass times velocity squared.
    pub(super) square: f64,
    /// Half of `alpha / h` times mass times velocity times way to the goal.
    pub(super) homeward: f64,
}

impl Ledger {
    /// Enters what was gained on the way here: E and half of `alpha / h` times mass, velocity and way are
    /// those of the place where the body is now, with the velocity that led here.
    pub(super) fn enter(&mut self, stored: f64, homeward: f64, step: f64) {
        if let Some((expected, _)) = self.expected.take().filter(|before| before.1 == step) {
            let gained = stored + homeward - expected;
            // A debt that is not finite would never be paid.
            self.debt = if gained.is_finite() { self.debt + gained } else { self.debt };
        }
    }

    /// The factor of the inner motion that pays the debt, or most of it; the debt is less by that.
    pub(super) fn pay(&mut self, motion: InnerMotion) -> f64 {
        let InnerMotion { square, homeward } = motion;
        // NaN pays nothing.
        let can_pay = self.debt > 0.0 && square > 0.0 && homeward < square;
        if !can_pay {
            return 1.0;
        }
        // Scaled by k the motion has k² square / 2 - k homeward. It is least at homeward / square.
        let root = (square - homeward).powi(2) - 2.0 * square * self.debt;
        let factor = ((homeward + root.max(0.0).sqrt()) / square).clamp(0.0, 1.0);
        self.debt -= 0.5 * (1.0 - factor * factor) * square - (1.0 - factor) * homeward;
        factor
    }
}
