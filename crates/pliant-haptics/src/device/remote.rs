//! A hand that is elsewhere: another thread tells where it is.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};

use pliant::glam::DVec3;

use super::{Device, Reading};

/// How often a reading that is being written is looked at again, before the last one is taken.
const TRIES: usize = 4;

/// Where a hand is, told by any thread and read by the force loop without waiting.
#[derive(Debug, Default)]
pub struct RemoteHand {
    /// Those who tell take turns. The force loop never asks for it.
    telling: Mutex<()>,
    /// Odd while the place is written.
    version: AtomicU64,
    place: [AtomicU64; 3],
    is_present: AtomicBool,
}

impl RemoteHand {
    /// A hand that is not there yet.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Tells where the hand is. A place that is not finite is not taken.
    pub fn set(&self, place: DVec3) {
        if !place.is_finite() {
            return;
        }
        let _turn = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        for (word, number) in self.place.iter().zip(place.to_array()) {
            word.store(number.to_bits(), Ordering::Relaxed);
        }
        self.version.store(version.wrapping_add(2), Ordering::Release);
        self.is_present.store(true, Ordering::Release);
    }

    /// Takes the hand away.
    pub fn lift(&self) {
        self.is_present.store(false, Ordering::Release);
    }

    /// The place, unless it is being written.
    fn place(&self) -> Option<DVec3> {
        for _ in 0..TRIES {
            let version = self.version.load(Ordering::Acquire);
            let words = self.place.each_ref().map(|word| word.load(Ordering::Relaxed));
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                return Some(DVec3::from_array(words.map(f64::from_bits)));
            }
        }
        None
    }
}

/// The device of a [`RemoteHand`].
///
/// A hand that is told 60 times per second would jump. So the device follows it within a time: the way
/// that is left falls to 1/e of it.
#[derive(Debug)]
pub struct RemoteDevice {
    hand: Arc<RemoteHand>,
    /// Seconds.
    follows_within: f64,
    position: Option<DVec3>,
}

impl RemoteDevice {
    /// A device that follows a hand within so many seconds; 0 if it is to be where it is told.
    #[must_use]
    pub fn new(hand: Arc<RemoteHand>, follows_within: f64) -> Self {
        Self { hand, follows_within: follows_within.max(0.0), position: None }
    }
}

impl Device for RemoteDevice {
    fn read(&mut self, dt: f64) -> Option<Reading> {
        if !self.hand.is_present.load(Ordering::Acquire) {
            self.position = None;
            return Some(Reading::default());
        }
        let told = self.hand.place().or(self.position).unwrap_or(DVec3::ZERO);
        let before = self.position.unwrap_or(told);
        let share =
            if self.follows_within > 0.0 { -(-dt / self.follows_within).exp_m1() } else { 1.0 };
        let position = before + (told - before) * share;
        self.position = Some(position);
        let velocity = if dt > 0.0 { (position - before) / dt } else { DVec3::ZERO };
        Some(Reading { position, velocity })
    }

    /// Whoever tells where the hand is sees the force in what the loop publishes.
    fn apply(&mut self, _: DVec3) {}

    fn is_present(&self) -> bool {
        self.position.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_comes_moves_and_goes() {
        let hand = RemoteHand::new();
        let mut device = RemoteDevice::new(Arc::clone(&hand), 0.0);
        assert!(device.read(0.001).is_some() && !device.is_present());
        hand.set(DVec3::X);
        hand.set(DVec3::NAN);
        assert_eq!(device.read(0.001), Some(Reading::at(DVec3::X)));
        assert!(device.is_present());
        hand.set(DVec3::Y);
        let reading = device.read(0.5).unwrap();
        assert_eq!((reading.position, reading.velocity), (DVec3::Y, (DVec3::Y - DVec3::X) * 2.0));
        hand.lift();
        assert!(device.read(0.001).is_some() && !device.is_present());
    }

    #[test]
    fn it_follows_without_a_jump() {
        let hand = RemoteHand::new();
        let mut device = RemoteDevice::new(Arc::clone(&hand), 0.01);
        hand.set(DVec3::ZERO);
        device.read(0.001);
        hand.set(DVec3::X);
        let places: Vec<f64> = (0..10).map(|_| device.read(0.001).unwrap().position.x).collect();
        assert!((places[9] - (1.0 - (-1.0f64).exp())).abs() < 1e-12, "{places:?}");
        assert!(places.windows(2).all(|two| two[0] < two[1]));
    }

    /// Readers never see a place that was never told.
    #[test]
    fn places_are_never_mixed() {
        let hand = RemoteHand::new();
        hand.set(DVec3::ZERO);
        std::thread::scope(|scope| {
            scope.spawn(|| (0..200_000).for_each(|n| hand.set(DVec3::splat(f64::from(n)))));
            for _ in 0..200_000 {
                if let Some(place) = hand.place() {
                    assert!(place.x == place.y && place.y == place.z, "{place}");
                }
            }
        });
    }
}
