//! A densely packed chain.

use pliant::glam::DVec3;
use pliant::limits::MAX_PRIMITIVES;
use pliant::{Error, Result};

use super::Beads;
use crate::Random;
use crate::check::at_least;

/// The largest displacement of a bead from its site, along each axis.
const JITTER: f64 = 0.02;
/// Adjacent beads are at most 1 + 2 sqrt(3) JITTER < 1.07 apart, all others at least sqrt(2) - 2
/// sqrt(3) JITTER > 1.34. Beads of this radius therefore overlap only adjacent beads.
const RADIUS: f64 = 0.66;

/// Returns a tightly packed chain of `beads` beads: the Hilbert curve through a lattice of sites
/// two units apart, with a bead at each site and one halfway between, each slightly displaced.
///
/// The density of beads is uniform, and strands that are far apart along the chain lie side by
/// side, so the cages of a hierarchy overlap everywhere. If the number of beads does not fill the
/// cube, the chain occupies a part of it.
///
/// # Errors
/// [`Error::InvalidSetting`] for fewer than 2 beads, [`Error::TooMany`].
///
/// ```
/// let globule = pliant_scenes::globule(10_000, 1)?;
/// assert_eq!(globule.positions.len(), 10_000);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn globule(beads: usize, seed: u64) -> Result<Beads> {
    at_least(2, "beads", beads, "2..")?;
    if beads > MAX_PRIMITIVES {
        return Err(Error::TooMany { what: "beads", count: beads, limit: MAX_PRIMITIVES });
    }
    let sites = beads / 2 + 1;
    // The smallest cube of 2^order sites per side that contains them.
    let mut order = 1;
    while (sites as u64) > 1 << (3 * order) {
        order += 1;
    }
    let mut random = Random::new(seed);
    let site =
        |number: usize| 2.0 * DVec3::from_array(hilbert(number as u64, order).map(f64::from));
    let mut here = site(0);
    let mut positions = Vec::with_capacity(beads);
    for bead in 0..beads {
        // At a site, then halfway to the next.
        let place = if bead % 2 == 0 {
            here
        } else {
            let next = site(bead / 2 + 1);
            let middle = here.midpoint(next);
            here = next;
            middle
        };
        positions.push(place + JITTER * random.in_cube());
    }
    Ok(Beads { positions, radius: RADIUS })
}

/// The position of a number along the Hilbert curve through a cube of 2^order sites per side
/// (Skilling 2004): undo the Gray code, then the symmetries of each level, finest first.
fn hilbert(number: u64, order: u32) -> [u32; 3] {
    // Distribute the number's bits over the axes, highest first.
    let mut axes = [0u32; 3];
    for level in 0..order {
        for (axis, value) in axes.iter_mut().enumerate() {
            let bit = number >> (3 * level + 2 - axis as u32) & 1;
            *value |= (bit as u32) << level;
        }
    }
    let gray = axes[2] >> 1;
    for axis in (1..3).rev() {
        axes[axis] ^= axes[axis - 1];
    }
    axes[0] ^= gray;
    for level in 1..order {
        let bit = 1 << level;
        let below = bit - 1;
        for axis in (0..3).rev() {
            if axes[axis] & bit != 0 {
                axes[0] ^= below;
            } else {
                let swapped = (axes[0] ^ axes[axis]) & below;
                axes[0] ^= swapped;
                axes[axis] ^= swapped;
            }
        }
    }
    axes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_takes_unit_steps_and_visits_every_site() {
        for order in 1..=4 {
            let count = 1u64 << (3 * order);
            let mut seen = vec![false; count as usize];
            for number in 0..count {
                let [x, y, z] = hilbert(number, order);
                let side = 1 << order;
                assert!(x < side && y < side && z < side);
                let slot = ((z * side + y) * side + x) as usize;
                assert!(!seen[slot], "site {number} twice");
                seen[slot] = true;
                if number > 0 {
                    let before = hilbert(number - 1, order);
                    let steps: u32 =
                        (0..3).map(|a| before[a].abs_diff(hilbert(number, order)[a])).sum();
                    assert_eq!(steps, 1, "step {number} of order {order}");
                }
            }
        }
    }
}
