//! What was computed once for the current state, and need not be computed again.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DVec3, Vec3A, Vec4, Vec4Swizzles as _};

use crate::volume::{Aabb, Sphere};

/// A value that fits a [`Memo`]: three words of 64 bits.
pub(crate) trait Remember: Copy {
    /// Its bits.
    fn to_words(self) -> [u64; 3];
    /// The value of these bits.
    fn from_words(words: [u64; 3]) -> Self;
}

/// A table of values, each a pure function of its number and of the current state.
///
/// A query fills in what it needs, through `&self` and from any number of threads;
/// [`Memo::forget`] empties the table in O(1) by starting a new generation.
///
/// Why it is safe without a lock: within a generation all threads write the same bits
/// to a slot, because the value is a pure function. A reader that sees the
/// generation's number in a slot (acquire) sees the words that were stored before it
/// (release), and whatever another thread stores there meanwhile is the same again.
/// A new generation needs `&mut self`, so nobody reads or writes then.
#[derive(Debug)]
pub(crate) struct Memo {
    /// Three words of the value and the generation in which it was stored.
    slots: Vec<[AtomicU64; 4]>,
    generation: u64,
}

impl Memo {
    /// A table of so many values, all unknown.
    pub(crate) fn new(len: usize) -> Self {
        let empty = || [const { AtomicU64::new(0) }; 4];
        Self { slots: (0..len).map(|_| empty()).collect(), generation: 1 }
    }

    /// Forgets all values: the state changed.
    pub(crate) fn forget(&mut self) {
        self.generation += 1;
    }

    /// How many values are known.
    pub(crate) fn known(&self) -> usize {
        let stamps = self.slots.iter().map(|slot| slot[3].load(Ordering::Relaxed));
        stamps.filter(|&stamp| stamp == self.generation).count()
    }

    /// Whether the value of this number is known.
    pub(crate) fn knows(&self, number: usize) -> bool {
        let slot = self.slots.get(number);
        slot.is_some_and(|slot| slot[3].load(Ordering::Acquire) == self.generation)
    }

    /// The value of this number: as stored, else computed and stored. A number beyond the
    /// table is computed each time.
    #[inline]
    pub(crate) fn get_or<T: Remember>(&self, number: usize, compute: impl FnOnce() -> T) -> T {
        let Some(slot) = self.slots.get(number) else { return compute() };
        if slot[3].load(Ordering::Acquire) == self.generation {
            return T::from_words([0, 1, 2].map(|word| slot[word].load(Ordering::Relaxed)));
        }
        let value = compute();
        self.store(slot, value.to_words());
        value
    }

    /// As [`Memo::get_or`], in words: for values that are computed by a call, or come from elsewhere at times.
    ///
    /// Such a value comes from memory, and one that does so on one way and from words on the other goes
    /// through the stack, and has to wait there. Words stay in registers. (For a value
    /// that is computed in place it is the other way round.)
    #[inline(always)]
    pub(crate) fn words_or(&self, number: usize, compute: impl FnOnce() -> [u64; 3]) -> [u64; 3] {
        let slot = self.slots.get(number);
        if let Some(slot) = slot
            && slot[3].load(Ordering::Acquire) == self.generation
        {
            return [0, 1, 2].map(|word| slot[word].load(Ordering::Relaxed));
        }
        let words = compute();
        if let Some(slot) = slot {
            self.store(slot, words);
        }
        words
    }

    /// Stores the value of this number, which must be the one that [`Memo::get_or`] would
    /// compute: for values that come in passing.
    #[inline]
    pub(crate) fn put<T: Remember>(&self, number: usize, value: T) {
        if let Some(slot) = self.slots.get(number) {
            self.store(slot, value.to_words());
        }
    }

    #[inline]
    fn store(&self, [x, y, z, stamp]: &[AtomicU64; 4], words: [u64; 3]) {
        for (word, bits) in [x, y, z].into_iter().zip(words) {
            word.store(bits, Ordering::Relaxed);
        }
        stamp.store(self.generation, Ordering::Release);
    }
}

/// A copy starts empty: it will have states of its own.
impl Clone for Memo {
    fn clone(&self) -> Self {
        Self::new(self.slots.len())
    }
}

/// Two `f32` in one word.
#[inline]
fn pack(low: f32, high: f32) -> u64 {
    u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
}

/// The four `f32` of two words.
#[inline]
fn unpack(low: u64, high: u64) -> Vec4 {
    let [x, y, z, w] = [low, low >> 32, high, high >> 32].map(|bits| f32::from_bits(bits as u32));
    Vec4::new(x, y, z, w)
}

impl Remember for DVec3 {
    #[inline]
    fn to_words(self) -> [u64; 3] {
        self.to_array().map(f64::to_bits)
    }

    #[inline]
    fn from_words(words: [u64; 3]) -> Self {
        Self::from_array(words.map(f64::from_bits))
    }
}

impl Remember for Aabb {
    #[inline]
    fn to_words(self) -> [u64; 3] {
        let (min, max) = (self.min, self.max);
        [pack(min.x, min.y), pack(min.z, max.z), pack(max.x, max.y)]
    }

    #[inline]
    fn from_words([a, b, c]: [u64; 3]) -> Self {
        Self { min: Vec3A::from_vec4(unpack(a, b)), max: Vec3A::from_vec4(unpack(c, b).xyww()) }
    }
}

impl Remember for Sphere {
    #[inline]
    fn to_words(self) -> [u64; 3] {
        let center = self.center;
        [pack(center.x, center.y), pack(center.z, self.radius), 0]
    }

    #[inline]
    fn from_words([a, b, _]: [u64; 3]) -> Self {
        let row = unpack(a, b);
        Self { center: row.truncate(), radius: row.w }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn a_value_is_computed_once_a_generation_and_keeps_its_bits() {
        let mut memo = Memo::new(2);
        let ball = Sphere { center: Vec3::new(-0.0, 1.5, f32::MIN_POSITIVE), radius: 7.0 };
        assert_eq!(memo.get_or(1, || ball), ball);
        let again: Sphere = memo.get_or(1, || unreachable!("it is known"));
        assert_eq!(again.to_words(), ball.to_words());
        memo.forget();
        let other = Sphere { radius: 8.0, ..ball };
        assert_eq!(memo.get_or(1, || other), other);
        assert_eq!(memo.clone().get_or(1, || ball), ball, "a copy knows nothing");
        assert_eq!(memo.get_or(9, || ball), ball, "beyond the table");
        let aabb = Aabb { min: Vec3A::new(1.0, -2.0, 3.0), max: Vec3A::splat(f32::INFINITY) };
        assert_eq!(Aabb::from_words(aabb.to_words()), aabb);
        let point = DVec3::new(-0.0, f64::MAX, 1e-310);
        assert_eq!(
            DVec3::from_words(point.to_words()).to_array().map(f64::to_bits),
            point.to_array().map(f64::to_bits)
        );
    }

    #[test]
    fn threads_agree() {
        let memo = Memo::new(1000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for i in 0..1000 {
                        let value = DVec3::splat(i as f64);
                        assert_eq!(memo.get_or(i, || value), value);
                    }
                });
            }
        });
    }
}
