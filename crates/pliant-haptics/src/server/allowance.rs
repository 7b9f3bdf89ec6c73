//! How much a client may send: an amount per second, and some in one go.

use std::time::{Duration, Instant};

/// Bytes per second, and in one go: a mesh of two million triangles.
const BYTES: [f64; 2] = [32e6, 72e6];

/// Messages per second, and in one go: a device at 1 kHz and a scene of a hundred bodies at 100 Hz.
const MESSAGES: [f64; 2] = [20_000.0, 20_000.0];

/// What is left of an amount that grows again with time (a token bucket).
#[derive(Debug)]
struct Bucket {
    per_second: f64,
    most: f64,
    left: f64,
}

impl Bucket {
    fn new([per_second, most]: [f64; 2]) -> Self {
        Self { per_second, most, left: most }
    }

    fn take(&mut self, amount: f64, passed: Duration) -> bool {
        self.left = (self.left + self.per_second * passed.as_secs_f64()).min(self.most) - amount;
        self.left >= 0.0
    }
}

/// What a client may still send.
#[derive(Debug)]
pub(super) struct Allowance {
    bytes: Bucket,
    messages: Bucket,
    last: Instant,
}

impl Allowance {
    pub(super) fn new(now: Instant) -> Self {
        Self { bytes: Bucket::new(BYTES), messages: Bucket::new(MESSAGES), last: now }
    }

    /// Takes bytes and messages that came. `false` if they are too many.
    pub(super) fn take(&mut self, bytes: usize, messages: usize, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.last);
        self.last = now;
        let bytes = self.bytes.take(bytes as f64, passed);
        let messages = self.messages.take(messages as f64, passed);
        bytes && messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_and_a_mesh_may_pass_and_a_flood_may_not() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let mut device = Allowance::new(start);
        assert!((0..100_000).all(|n| device.take(31, 1, at(f64::from(n) * 1e-3))));
        assert!(Allowance::new(start).take(64 << 20, 1, start));
        let mut flood = Allowance::new(start);
        // 100 MB per second in pieces of 64 KiB: over after about a second.
        let over = (0..1_000_000).find(|&n| !flood.take(65_536, 1, at(f64::from(n) * 65.536e-5)));
        let seconds = f64::from(over.unwrap()) * 65.536e-5;
        assert!((0.5..2.0).contains(&seconds), "{seconds}");
        let mut many = Allowance::new(start);
        let over = (0..1_000_000).find(|&n| !many.take(7, 1, at(f64::from(n) * 1e-5)));
        assert!(over.is_some());
    }
}
