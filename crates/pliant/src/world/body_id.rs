//! Stable names of bodies, and the slots behind them.

use crate::{Error, Result};

/// The name of a body in a [`World`](super::World).
///
/// It stays valid until its body is removed, whatever else happens to the world. After that it is
/// an error, never another body. Ids order bodies: results are in ascending order of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    slot: u32,
    generation: u32,
}

impl std::fmt::Display for BodyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.generation {
            0 => write!(f, "{}", self.slot),
            generation => write!(f, "{}.{generation}", self.slot),
        }
    }
}

/// Values by [`BodyId`]. A slot is used again with a new generation.
#[derive(Debug, Clone)]
pub(super) struct Slots<T> {
    slots: Vec<Slot<T>>,
    /// Empty slots whose generation may still grow.
    free: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Slot<T> {
    /// How many values were removed from it.
    generation: u32,
    value: Option<T>,
}

impl<T> Slots<T> {
    pub(super) fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }

    /// # Errors
    /// [`Error::TooMany`] if all numbers are used up.
    pub(super) fn insert(&mut self, value: T) -> Result<BodyId> {
        if let Some(slot) = self.free.pop() {
            let place = &mut self.slots[slot as usize];
            place.value = Some(value);
            return Ok(BodyId { slot, generation: place.generation });
        }
        let count = self.slots.len();
        let limit = u32::MAX as usize;
        if count >= limit {
            return Err(Error::TooMany { what: "bodies", count, limit });
        }
        self.slots.push(Slot { generation: 0, value: Some(value) });
        Ok(BodyId { slot: count as u32, generation: 0 })
    }

    /// # Errors
    /// [`Error::NoSuchBody`].
    pub(super) fn remove(&mut self, id: BodyId) -> Result<T> {
        let missing = Error::NoSuchBody { id };
        let slot = self.slots.get_mut(id.slot as usize).ok_or(missing.clone())?;
        if slot.generation != id.generation {
            return Err(missing);
        }
        let value = slot.value.take().ok_or(missing)?;
        // A slot whose generations are used up stays empty: no id comes twice.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(id.slot);
        }
        Ok(value)
    }

    /// # Errors
    /// [`Error::NoSuchBody`].
    pub(super) fn get(&self, id: BodyId) -> Result<&T> {
        let slot = self.slots.get(id.slot as usize).filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.value.as_ref()).ok_or(Error::NoSuchBody { id })
    }

    /// # Errors
    /// [`Error::NoSuchBody`].
    pub(super) fn get_mut(&mut self, id: BodyId) -> Result<&mut T> {
        let slot = self.slots.get_mut(id.slot as usize);
        let slot = slot.filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.value.as_mut()).ok_or(Error::NoSuchBody { id })
    }

    /// All values, by ascending id.
    pub(super) fn iter(&self) -> impl Iterator<Item = (BodyId, &T)> {
        (0..).zip(&self.slots).filter_map(|(slot, place)| {
            let id = BodyId { slot, generation: place.generation };
            place.value.as_ref().map(|value| (id, value))
        })
    }

    pub(super) fn len(&self) -> usize {
        self.slots.iter().filter(|slot| slot.value.is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_id_is_an_error_and_never_another_value() {
        let mut slots = Slots::new();
        let a = slots.insert('a').unwrap();
        let b = slots.insert('b').unwrap();
        assert_eq!(slots.remove(a), Ok('a'));
        assert_eq!(slots.remove(a), Err(Error::NoSuchBody { id: a }));
        let c = slots.insert('c').unwrap();
        assert_ne!(a, c);
        assert_eq!(slots.get(a), Err(Error::NoSuchBody { id: a }));
        assert_eq!(slots.get_mut(a), Err(Error::NoSuchBody { id: a }));
        assert_eq!((slots.get(b), slots.get(c)), (Ok(&'b'), Ok(&'c')));
        assert_eq!(slots.iter().map(|(_, &value)| value).collect::<String>(), "cb");
        assert_eq!(slots.len(), 2);
        assert_eq!(format!("{a} {b} {c}"), "0 1 0.1");
    }

    #[test]
    fn a_slot_without_further_generations_stays_empty() {
        let mut slots = Slots::new();
        let first = slots.insert(1).unwrap();
        slots.slots[0].generation = u32::MAX;
        let last = BodyId { generation: u32::MAX, ..first };
        assert_eq!(slots.remove(last), Ok(1));
        let next = slots.insert(2).unwrap();
        assert_ne!(next.slot, first.slot);
        assert!(slots.get(last).is_err() && slots.get(first).is_err());
    }
}
