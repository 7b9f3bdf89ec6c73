//! A list of node pairs that grows without a branch on whether a pair belongs.

use super::traverse::NodePair;

/// A list of node pairs that grows without a branch on whether a pair belongs.
///
/// Overlap is as good as random to the processor: a branch on it is mispredicted
/// often, and each misprediction costs more than the test. So every pair is written
/// behind the end, and the end moves on only for those that belong.
#[derive(Debug, Default)]
pub(super) struct PairList {
    /// The list, and behind it room for more.
    pairs: Vec<NodePair>,
    len: usize,
}

impl PairList {
    /// The next four places behind the end.
    #[inline(always)]
    fn room(&mut self) -> &mut [NodePair; 4] {
        if self.pairs.len() < self.len + 4 {
            self.grow();
        }
        let room = self.pairs[self.len..].first_chunk_mut();
        room.expect("a list grows by more than four")
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.pairs.resize((2 * self.len).max(256), [0; 2]);
    }

    /// Adds a pair if it belongs.
    #[inline(always)]
    pub(super) fn add_if(&mut self, belongs: bool, pair: NodePair) {
        self.room()[0] = pair;
        self.len += usize::from(belongs);
    }

    /// Adds those of four pairs that belong.
    #[inline(always)]
    pub(super) fn add_four(&mut self, belongs: [bool; 4], pairs: [NodePair; 4]) {
        let room = self.room();
        let mut added = 0;
        for (belongs, pair) in belongs.into_iter().zip(pairs) {
            // At most three were added before: the mask changes nothing but spares a check.
            room[added & 3] = pair;
            added += usize::from(belongs);
        }
        self.len += added;
    }

    /// Moves pairs from the end of the list to `block`, as many as there are or as fit.
    #[inline(always)]
    pub(super) fn take_last<'a>(&mut self, block: &'a mut [NodePair]) -> &'a mut [NodePair] {
        let count = self.len.min(block.len());
        let block = &mut block[..count];
        block.copy_from_slice(&self.pairs[self.len - count..self.len]);
        self.len -= count;
        block
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all pairs and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn as_slice(&self) -> &[NodePair] {
        &self.pairs[..self.len]
    }

    pub(super) fn into_vec(mut self) -> Vec<NodePair> {
        self.pairs.truncate(self.len);
        self.pairs
    }
}

impl From<Vec<NodePair>> for PairList {
    fn from(pairs: Vec<NodePair>) -> Self {
        Self { len: pairs.len(), pairs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A plain vector with a branch holds the same pairs after the same calls.
        #[test]
        fn holds_what_a_vector_holds(
            calls in prop::collection::vec((any::<[bool; 4]>(), 0..3_u32, 0..40_usize), 0..200),
            first in 0..10_u32,
        ) {
            let mut plain: Vec<NodePair> = (0..first).map(|i| [i, i]).collect();
            let mut list = PairList::from(plain.clone());
            for (number, (belongs, kind, taken)) in (0..).zip(calls) {
                let pairs = [0, 1, 2, 3].map(|i| [number, i]);
                let four = pairs.into_iter().zip(belongs).filter(|&(_, belongs)| belongs);
                match kind {
                    0 => {
                        list.add_four(belongs, pairs);
                        plain.extend(four.map(|(pair, _)| pair));
                    }
                    1 => {
                        list.add_if(belongs[0], pairs[0]);
                        plain.extend(belongs[0].then_some(pairs[0]));
                    }
                    _ => {
                        let mut block = [[0; 2]; 32];
                        let taken = list.take_last(&mut block[..taken.min(32)]).to_vec();
                        let rest = plain.len() - taken.len();
                        prop_assert_eq!(&plain[rest..], taken);
                        plain.truncate(rest);
                    }
                }
                prop_assert_eq!(list.as_slice(), &plain[..]);
            }
            prop_assert_eq!(list.into_vec(), plain);
        }
    }
}
