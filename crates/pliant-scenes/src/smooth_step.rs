//! A smooth transition from 0 to 1.

/// 0 below 0, 1 above 1, and smooth in between, with a slope of at most 1.5.
pub(crate) fn smooth_step(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
