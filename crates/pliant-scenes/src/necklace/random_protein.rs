//! A self-avoiding random chain.

use pliant::Result;
use pliant::glam::DVec3;

use super::Beads;
use crate::Random;
use crate::check::at_least;

/// Beads of the paper's random protein.
const BEADS: usize = 300;
/// The distance between adjacent beads in ångström, as between the alpha carbons of a protein.
const STEP: f64 = 3.8;
/// The radius of a bead, slightly more than half a step.
const RADIUS: f64 = 1.92;
/// The smallest distance between beads that are not adjacent.
const CLEAR: f64 = 4.0;

/// Returns the random protein: a self-avoiding walk of 300 beads, as compact as proteins are.
///
/// Each bead is one step from the last in a random direction in which it stays clear of the others;
/// of two such candidates, the one closer to the centroid is taken. If there is none, the walk goes
/// back some beads and tries again.
///
/// ```
/// assert_eq!(pliant_scenes::random_protein(1).positions.len(), 300);
/// ```
#[must_use]
pub fn random_protein(seed: u64) -> Beads {
    walk(BEADS, seed)
}

/// Returns a random protein of another size: [`random_protein`] with this many beads. The time is
/// quadratic in their number.
///
/// # Errors
/// [`Error::InvalidSetting`](pliant::Error::InvalidSetting) for fewer than 2 beads.
///
/// ```
/// let protein = pliant_scenes::random_protein_of(1380, 1)?;
/// assert_eq!(protein.positions.len(), 1380);
/// assert_eq!(pliant_scenes::random_protein_of(300, 1)?, pliant_scenes::random_protein(1));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn random_protein_of(beads: usize, seed: u64) -> Result<Beads> {
    at_least(2, "beads", beads, "2..")?;
    Ok(walk(beads, seed))
}

fn walk(beads: usize, seed: u64) -> Beads {
    let mut random = Random::new(seed);
    let mut chain = vec![DVec3::ZERO];
    let mut setback = 1;
    while chain.len() < beads {
        let last = chain[chain.len() - 1];
        let middle = chain.iter().sum::<DVec3>() / chain.len() as f64;
        let mut best: Option<DVec3> = None;
        let mut choices = 0;
        // The closer of two candidates. With more candidates, the chain would become a ball without
        // a way out.
        for _ in 0..60 {
            let next = last + STEP * direction(&mut random);
            let others = &chain[..chain.len() - 1];
            if others.iter().any(|bead| bead.distance_squared(next) <= CLEAR * CLEAR) {
                continue;
            }
            choices += 1;
            if best.is_none_or(|b| next.distance_squared(middle) < b.distance_squared(middle)) {
                best = Some(next);
            }
            if choices == 2 {
                break;
            }
        }
        if let Some(next) = best {
            chain.push(next);
        } else {
            // Each dead end goes back farther, so that no pocket traps the walk forever.
            chain.truncate(chain.len().saturating_sub(setback).max(1));
            setback = (setback + 1) % 40 + 1;
        }
    }
    Beads { positions: chain, radius: RADIUS }
}

/// A uniform direction by rejection sampling: points of the cube are drawn until one lies in the
/// ball.
fn direction(random: &mut Random) -> DVec3 {
    loop {
        let point = random.in_cube();
        let squared = point.length_squared();
        if (1e-4..=1.0).contains(&squared) {
            return point / squared.sqrt();
        }
    }
}
