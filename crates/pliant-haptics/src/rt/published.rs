//! The last step's result, for readers that may come at any time.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use pliant::glam::DVec3;

use crate::Touch;

/// Words of a result: device, proxy, force, then the energy and the number of contacts.
const WORDS: usize = 11;

/// What one step gave, as others see it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seen {
    /// The number of the step, from 1 on; 0 before the first.
    pub step: u64,
    /// Where the device is.
    pub device: DVec3,
    /// Where the proxy is.
    pub proxy: DVec3,
    /// Newtons on the hand.
    pub force: DVec3,
    /// As [`Touch::energy`].
    pub energy: f64,
    /// How many things hold the proxy.
    pub contacts: usize,
}

/// One result, which one thread writes without waiting and any thread reads.
///
/// The number of a step is odd in `version` while its words are written: twice the number, less one. A
/// reader that sees the same even version before and after has words of one step.
#[derive(Debug, Default)]
pub(super) struct Published {
    version: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl Published {
    pub(super) fn write(&self, step: u64, touch: &Touch) {
        self.version.store(2 * step - 1, Ordering::Relaxed);
        fence(Ordering::Release);
        let vectors = [touch.device, touch.proxy, touch.force];
        let numbers = vectors.iter().flat_map(|v| v.to_array()).map(f64::to_bits);
        let rest = [touch.energy.to_bits(), touch.contacts.as_slice().len() as u64];
        for (word, bits) in self.words.iter().zip(numbers.chain(rest)) {
            word.store(bits, Ordering::Relaxed);
        }
        self.version.store(2 * step, Ordering::Release);
    }

    pub(super) fn read(&self) -> Seen {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let words = self.words.each_ref().map(|word| word.load(Ordering::Relaxed));
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                let at = |word: usize| f64::from_bits(words[word]);
                let vector = |word: usize| DVec3::new(at(word), at(word + 1), at(word + 2));
                return Seen {
                    step: version / 2,
                    device: vector(0),
                    proxy: vector(3),
                    force: vector(6),
                    energy: at(9),
                    contacts: words[10] as usize,
                };
            }
            std::hint::spin_loop();
        }
    }
}
