//! `--shard K/N`: one part of a run, for many machines.

use std::str::FromStr;

use super::row::ShardRow;

/// The K-th of N parts, K from 1. Parts take blocks of frames in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    number: usize,
    of: usize,
}

/// Parts of a run, at the most.
const MOST: usize = 100_000;

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?}: write K/N with K from 1 to N, N at most {MOST}");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let (Ok(number), Ok(of)) = (number.parse(), of.parse()) else { return Err(wrong()) };
        if number < 1 || number > of || of > MOST {
            return Err(wrong());
        }
        Ok(Self { number, of })
    }
}

impl Shard {
    /// Whether a block belongs to the part.
    pub(crate) fn takes(self, block: usize) -> bool {
        block % self.of == self.number - 1
    }

    /// How many of so many blocks belong to the part.
    pub(crate) fn share(self, blocks: usize) -> usize {
        (blocks + self.of - self.number) / self.of
    }

    /// As reports have it.
    pub(crate) fn row(self) -> ShardRow {
        ShardRow { number: self.number, of: self.of }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_belongs_to_one_part() {
        let parts: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|text| text.parse().unwrap()).into();
        for block in 0..10 {
            assert_eq!(parts.iter().filter(|part| part.takes(block)).count(), 1);
        }
        for (part, blocks) in parts.iter().flat_map(|part| (0..10).map(move |n| (part, n))) {
            let taken = (0..blocks).filter(|&block| part.takes(block)).count();
            assert_eq!(part.share(blocks), taken);
        }
        for wrong in ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/1000000"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
