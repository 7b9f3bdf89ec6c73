//! Pairs of atoms that are within three bonds of each other: these never clash.

use super::Bonds;
use crate::{Error, Result};

/// Pairs per atom on average, at the most. Atoms of molecules have about 10; atoms with four bonds
/// each have at most 26.
const MOST_PER_ATOM: usize = 256;

/// Atoms after an atom that have a bit of their own.
const NEXT: u32 = u64::BITS;

/// For each atom, those with a larger number within three bonds, in ascending order.
#[derive(Debug, Clone)]
pub(super) struct Exclusions {
    /// One bit for each of the next [`NEXT`] atoms: nearly all neighbours are among them.
    next: Vec<u64>,
    starts: Vec<u32>,
    others: Vec<u32>,
}

impl Exclusions {
    /// # Errors
    /// [`Error::Atoms`] if atoms have so many bonds that the pairs would fill the memory.
    pub(super) fn within_three_bonds(bonds: &Bonds) -> Result<Self> {
        let count = bonds.len();
        let mut starts = Vec::with_capacity(count + 1);
        let mut others: Vec<u32> = Vec::new();
        let mut bits = Vec::with_capacity(count);
        // The atom from which each one was reached last.
        let mut seen = vec![u32::MAX; count];
        let (mut reached, mut next) = (Vec::new(), Vec::new());
        starts.push(0);
        for atom in 0..count as u32 {
            seen[atom as usize] = atom;
            reached.clear();
            reached.push(atom);
            let start = others.len();
            for _ in 0..3 {
                next.clear();
                for &from in &reached {
                    for &to in bonds.of(from as usize) {
                        if seen[to as usize] != atom {
                            seen[to as usize] = atom;
                            next.push(to);
                        }
                    }
                }
                others.extend(next.iter().filter(|&&other| other > atom));
                std::mem::swap(&mut reached, &mut next);
            }
            others[start..].sort_unstable();
            let most = (MOST_PER_ATOM * count).min(u32::MAX as usize);
            if others.len() > most {
                let reason = format!("more than {MOST_PER_ATOM} per atom are within three bonds");
                return Err(Error::atoms("bonds", reason));
            }
            starts.push(others.len() as u32);
            let near = others[start..].iter().map(|other| other - atom - 1);
            bits.push(near.filter(|&after| after < NEXT).fold(0, |bits, after| bits | 1 << after));
        }
        Ok(Self { next: bits, starts, others })
    }

    /// Whether two atoms, of which the first has the smaller number, are within three bonds.
    #[inline]
    pub(super) fn contains(&self, low: u32, high: u32) -> bool {
        let after = high.wrapping_sub(low).wrapping_sub(1);
        if after < NEXT {
            return self.next[low as usize] >> after & 1 == 1;
        }
        let (start, end) = (self.starts[low as usize], self.starts[low as usize + 1]);
        self.others[start as usize..end as usize].contains(&high)
    }
}
