//! The last step's result of a hand, for readers that may come at any time.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use pliant::glam::DVec3;

use crate::{Contact, Contacts, Grip, Touch};

/// Words of a contact: slot, triangle, weights, point, normal, depth.
const CONTACT: usize = 12;

/// Words before the contacts: device, proxy, force, energy, grip, how many contacts; whether the hand is there.
const HEAD: usize = 13;

const WORDS: usize = HEAD + 3 * CONTACT;

/// What one step gave, as others see it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seen {
    /// The number of the step, from 1 on; 0 before the first.
    pub step: u64,
    /// Whether the hand is there.
    pub is_present: bool,
    /// Where the device is.
    pub device: DVec3,
    /// Where the proxy is.
    pub proxy: DVec3,
    /// Newtons on the hand.
    pub force: DVec3,
    /// As [`Touch::energy`].
    pub energy: f64,
    /// How the proxy moves along what it touches.
    pub grip: Grip,
    /// What holds the proxy.
    pub contacts: Contacts,
}

/// One result, which one thread writes without waiting and any thread reads.
///
/// The number of a step is odd in `version` while its words are written: twice the number, less one. A
/// reader that sees the same even version before and after has words of one step.
#[derive(Debug)]
pub(super) struct Published {
    version: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl Published {
    pub(super) fn new() -> Self {
        Self { version: AtomicU64::new(0), words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// Writes a step; `None` of a hand that is away.
    pub(super) fn write(&self, step: u64, touch: Option<&Touch>) {
        self.version.store(2 * step - 1, Ordering::Relaxed);
        fence(Ordering::Release);
        match touch {
            Some(touch) => self.put(&words(touch)),
            None => self.words[HEAD - 1].store(0, Ordering::Relaxed),
        }
        self.version.store(2 * step, Ordering::Release);
    }

    fn put(&self, words: &[u64; WORDS]) {
        for (word, bits) in self.words.iter().zip(words) {
            word.store(*bits, Ordering::Relaxed);
        }
    }

    pub(super) fn read(&self) -> Seen {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let words = self.words.each_ref().map(|word| word.load(Ordering::Relaxed));
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                return seen(version / 2, &words);
            }
            std::hint::spin_loop();
        }
    }
}

fn words(touch: &Touch) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let vectors = [touch.device, touch.proxy, touch.force];
    let numbers = vectors.iter().flat_map(|v| v.to_array()).map(f64::to_bits);
    let grip = match touch.grip {
        Grip::Free => 0,
        Grip::Sticks => 1,
        Grip::Slides => 2,
    };
    let contacts = touch.contacts.as_slice();
    let rest = [touch.energy.to_bits(), grip, contacts.len() as u64, 1];
    for (word, bits) in words.iter_mut().zip(numbers.chain(rest)) {
        *word = bits;
    }
    for (words, contact) in words[HEAD..].chunks_exact_mut(CONTACT).zip(contacts) {
        let numbers = contact.weights.into_iter().chain(contact.point.to_array());
        let numbers = numbers.chain(contact.normal.to_array()).chain([contact.depth]);
        let bits = [contact.slot as u64, u64::from(contact.triangle)].into_iter();
        for (word, bits) in words.iter_mut().zip(bits.chain(numbers.map(f64::to_bits))) {
            *word = bits;
        }
    }
    words
}

fn seen(step: u64, words: &[u64; WORDS]) -> Seen {
    let at = |word: usize| f64::from_bits(words[word]);
    let vector = |word: usize| DVec3::new(at(word), at(word + 1), at(word + 2));
    let mut contacts = Contacts::default();
    for number in 0..(words[11] as usize).min(3) {
        let word = HEAD + number * CONTACT;
        contacts.push(Contact {
            slot: words[word] as usize,
            triangle: words[word + 1] as u32,
            weights: vector(word + 2).to_array(),
            point: vector(word + 5),
            normal: vector(word + 8),
            depth: at(word + 11),
        });
    }
    let grip = match words[10] {
        0 => Grip::Free,
        1 => Grip::Sticks,
        _ => Grip::Slides,
    };
    Seen {
        step,
        is_present: words[HEAD - 1] != 0,
        device: vector(0),
        proxy: vector(3),
        force: vector(6),
        energy: at(9),
        grip,
        contacts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let published = Published::new();
        assert_eq!(published.read(), Seen::default());
        let mut contacts = Contacts::default();
        for slot in [7, 3] {
            let (weights, point) = ([0.2, 0.3, 0.5], DVec3::new(1.0, 2.0, slot as f64));
            let normal = DVec3::new(0.6, 0.0, 0.8);
            contacts.push(Contact { slot, triangle: 9, weights, point, normal, depth: 0.25 });
        }
        let touch = Touch {
            device: DVec3::new(1.0, -2.0, 3.0),
            proxy: DVec3::splat(4.0),
            force: DVec3::new(0.0, 5.0, -6.0),
            contacts,
            grip: Grip::Slides,
            energy: -0.125,
        };
        published.write(3, Some(&touch));
        let seen = published.read();
        assert_eq!((seen.step, seen.is_present, seen.device), (3, true, touch.device));
        assert_eq!((seen.proxy, seen.force, seen.energy), (touch.proxy, touch.force, touch.energy));
        assert_eq!((seen.contacts, seen.grip), (contacts, Grip::Slides));
        published.write(4, None);
        assert!(!published.read().is_present);
    }
}
