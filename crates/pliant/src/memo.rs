//! What was computed for the current state and need not be computed again.

use std::array::from_fn;
use std::fmt::Debug;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_slice_box;
use glam::{DVec3, Vec4};

/// A value that can be remembered for a state: one that is a few words of 64 bits.
pub trait Remember: Copy + Debug {
    /// So many words: `[u64; N]`.
    type Words: Words;

    /// The bits of the value.
    fn to_words(self) -> Self::Words;

    /// The value of these bits.
    fn from_words(words: Self::Words) -> Self;
}

/// Words of 64 bits: `[u64; N]` for any `N`.
#[expect(private_bounds, reason = "how words are kept is no concern of callers")]
pub trait Words: Copy + SlotWords {}

impl<const N: usize> Words for [u64; N] {}

/// How words are kept in a table.
pub(crate) trait SlotWords: Copy {
    /// The words, and the generation in which they were stored.
    type Slot: Debug + Send + Sync + Zeroable;

    fn generation(slot: &Self::Slot) -> &AtomicU64;
    fn load(slot: &Self::Slot) -> Self;
    fn store(self, slot: &Self::Slot);
}

impl<const N: usize> SlotWords for [u64; N] {
    type Slot = ([AtomicU64; N], AtomicU64);

    #[inline(always)]
    fn generation((_, generation): &Self::Slot) -> &AtomicU64 {
        generation
    }

    #[inline(always)]
    fn load((words, _): &Self::Slot) -> Self {
        from_fn(|word| words[word].load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn store(self, (words, _): &Self::Slot) {
        for (word, bits) in words.iter().zip(self) {
            word.store(bits, Ordering::Relaxed);
        }
    }
}

type Slot<T> = <<T as Remember>::Words as SlotWords>::Slot;

/// A table of values, each a pure function of its number and of the current state.
///
/// A query fills in what it needs, through `&self` and from any number of threads.
/// [`Memo::forget`] empties the table in O(1) by starting a new generation.
///
/// The table is allocated when a value of a number other than 0 is first asked for. So a clone of
/// a body takes no memory until a query goes below its root; the value of number 0, the root's
/// bound, has a place of its own. The table is allocated zeroed, in one piece: the system maps
/// only the pages that are written.
///
/// Why no lock is needed once the table is there: within a generation all threads write the same
/// bits to a slot, because the value is a pure function. A reader that sees the generation's
/// number in a slot (acquire) sees the words that were stored before it (release), and whatever
/// another thread stores there meanwhile is the same again. A new generation needs `&mut self`, so
/// nobody reads or writes then. Threads that ask for the table at the same time wait for the one
/// that allocates it.
#[derive(Debug)]
pub(crate) struct Memo<T: Remember> {
    slots: OnceLock<Box<[Slot<T>]>>,
    /// The slot of number 0 as long as there is no table.
    first: Slot<T>,
    len: usize,
    /// Never 0, which is the generation of slots that were never written.
    generation: u64,
}

impl<T: Remember> Memo<T> {
    /// A table of so many values, all unknown. Allocates nothing.
    pub(crate) fn new(len: usize) -> Self {
        Self { slots: OnceLock::new(), first: Slot::<T>::zeroed(), len, generation: 1 }
    }

    /// Forgets all values: the state changed.
    pub(crate) fn forget(&mut self) {
        self.generation += 1;
    }

    /// How many values are known.
    pub(crate) fn known(&self) -> usize {
        let slots = self.slots.get().map_or(&[][..], |slots| slots);
        let others = slots.iter().skip(1).filter(|slot| self.is_current(slot)).count();
        // Number 0 may have been stored in either of its places.
        let first = [Some(&self.first), slots.first()].into_iter().flatten();
        others + usize::from(first.into_iter().any(|slot| self.is_current(slot)))
    }

    /// Whether the value of this number is known.
    pub(crate) fn knows(&self, number: usize) -> bool {
        let slot = self.slots.get().and_then(|slots| slots.get(number));
        slot.is_some_and(|slot| self.is_current(slot))
            || (number == 0 && self.is_current(&self.first))
    }

    /// The value of this number: as stored, else computed and stored. The value of a number beyond
    /// the table is computed each time.
    #[inline]
    pub(crate) fn get_or(&self, number: usize, compute: impl FnOnce() -> T) -> T {
        let Some(slot) = self.slot(number) else { return compute() };
        if self.is_current(slot) {
            return T::from_words(T::Words::load(slot));
        }
        let value = compute();
        self.store(slot, value.to_words());
        value
    }

    /// As [`Memo::get_or`], in words: for values that a call computes.
    ///
    /// Such a value is returned through memory. If one path returned a value in memory and the
    /// other in registers, the compiler would send both through the stack, and loads would wait
    /// for stores there. Words stay in registers. For a value that is computed in place,
    /// [`Memo::get_or`] is faster.
    #[inline(always)]
    pub(crate) fn words_or(&self, number: usize, compute: impl FnOnce() -> T::Words) -> T::Words {
        let slot = self.slot(number);
        if let Some(slot) = slot
            && self.is_current(slot)
        {
            return T::Words::load(slot);
        }
        let words = compute();
        if let Some(slot) = slot {
            self.store(slot, words);
        }
        words
    }

    /// Stores the value of this number, which must be the one that [`Memo::get_or`] would
    /// compute: for values that are by-products.
    #[inline]
    pub(crate) fn put(&self, number: usize, value: T) {
        if let Some(slot) = self.slot(number) {
            self.store(slot, value.to_words());
        }
    }

    #[inline(always)]
    fn slot(&self, number: usize) -> Option<&Slot<T>> {
        match self.slots.get() {
            Some(slots) => slots.get(number),
            None => self.first_slot(number),
        }
    }

    /// The slot of a number while there is no table: any number but 0 makes one. Without memory
    /// for a table there are no slots, and values are computed each time.
    #[cold]
    #[inline(never)]
    fn first_slot(&self, number: usize) -> Option<&Slot<T>> {
        match number {
            _ if number >= self.len => None,
            0 => Some(&self.first),
            _ => {
                let table = || {
                    let slots: Box<[Slot<T>]> = try_zeroed_slice_box(self.len).unwrap_or_default();
                    // What is known of number 0 moves to its place in the table.
                    if let Some(slot) = slots.first()
                        && self.is_current(&self.first)
                    {
                        self.store(slot, T::Words::load(&self.first));
                    }
                    slots
                };
                self.slots.get_or_init(table).get(number)
            }
        }
    }

    #[inline(always)]
    fn is_current(&self, slot: &Slot<T>) -> bool {
        T::Words::generation(slot).load(Ordering::Acquire) == self.generation
    }

    #[inline(always)]
    fn store(&self, slot: &Slot<T>, words: T::Words) {
        words.store(slot);
        T::Words::generation(slot).store(self.generation, Ordering::Release);
    }
}

/// A clone knows nothing: it will have states of its own.
impl<T: Remember> Clone for Memo<T> {
    fn clone(&self) -> Self {
        Self::new(self.len)
    }
}

/// Two `f32` in one word.
#[inline]
pub(crate) fn pack(low: f32, high: f32) -> u64 {
    u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
}

/// The four `f32` of two words.
#[inline]
pub(crate) fn unpack(low: u64, high: u64) -> Vec4 {
    let [x, y, z, w] = [low, low >> 32, high, high >> 32].map(|bits| f32::from_bits(bits as u32));
    Vec4::new(x, y, z, w)
}

impl Remember for DVec3 {
    type Words = [u64; 3];

    #[inline]
    fn to_words(self) -> [u64; 3] {
        self.to_array().map(f64::to_bits)
    }

    #[inline]
    fn from_words(words: [u64; 3]) -> Self {
        Self::from_array(words.map(f64::from_bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::{Aabb, Sphere};
    use glam::{Vec3, Vec3A};

    const BALL: Sphere = Sphere { center: Vec3::new(-0.0, 1.5, f32::MIN_POSITIVE), radius: 7.0 };

    fn has_table<T: Remember>(memo: &Memo<T>) -> bool {
        memo.slots.get().is_some()
    }

    #[test]
    fn a_value_is_computed_once_per_generation_and_keeps_its_bits() {
        let mut memo = Memo::new(2);
        for number in [0, 1, 0] {
            let kept = memo.knows(number);
            assert_eq!(memo.get_or(number, || if kept { Sphere::EMPTY } else { BALL }), BALL);
            let again = memo.get_or(number, || unreachable!("it is known"));
            assert_eq!(again.to_words(), BALL.to_words());
            assert!(memo.knows(number));
        }
        memo.forget();
        assert!(!memo.knows(0) && !memo.knows(1) && memo.known() == 0);
        let other = Sphere { radius: 8.0, ..BALL };
        assert_eq!(memo.get_or(1, || other), other);
        assert_eq!(memo.clone().get_or(1, || BALL), BALL, "a clone knows nothing");
        assert_eq!(memo.get_or(9, || BALL), BALL, "beyond the table");
    }

    #[test]
    fn words_keep_all_bits() {
        let aabb = Aabb { min: Vec3A::new(1.0, -2.0, 3.0), max: Vec3A::splat(f32::INFINITY) };
        assert_eq!(Aabb::from_words(aabb.to_words()), aabb);
        let point = DVec3::new(-0.0, f64::MAX, 1e-310);
        assert_eq!(
            DVec3::from_words(point.to_words()).to_array().map(f64::to_bits),
            point.to_array().map(f64::to_bits)
        );
        assert_eq!((size_of::<Slot<Sphere>>(), size_of::<Slot<Aabb>>()), (24, 32));
    }

    #[test]
    fn the_first_value_needs_no_table() {
        let mut memo: Memo<Sphere> = Memo::new(1000);
        for _ in 0..3 {
            assert_eq!(memo.get_or(0, || BALL), BALL);
            assert_eq!(memo.known(), 1);
            assert_eq!(memo.get_or(1000, || BALL), BALL, "beyond the table");
            memo.forget();
            assert_eq!(memo.known(), 0);
        }
        assert!(!has_table(&memo));
        let again = memo.get_or(0, || BALL);
        memo.put(7, BALL);
        assert!(has_table(&memo) && !has_table(&memo.clone()));
        assert_eq!((memo.known(), memo.get_or(0, || BALL)), (2, again));
        assert_eq!(memo.known(), 2, "number 0 counts once");
        let empty: Memo<DVec3> = Memo::new(0);
        assert_eq!(empty.get_or(0, || DVec3::X), DVec3::X);
        assert_eq!(empty.get_or(0, || DVec3::Y), DVec3::Y);
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
        assert_eq!(memo.known(), 1000);
    }
}
