//! A chain that winds at random and never meets itself.

use pliant::Result;
use pliant::glam::DVec3;

use super::Beads;
use crate::Random;
use crate::check::at_least;

/// Beads of the paper's random protein.
const BEADS: usize = 300;
/// Ångström between neighbours, as between the alpha carbons of a protein.
const STEP: f64 = 3.8;
/// Radius of a bead, a little more than half a step.
const RADIUS: f64 = 1.92;
/// How close beads that are no neighbours may come.
const CLEAR: f64 = 4.0;

/// The random protein: a self-avoiding walk of 300 beads, compact as proteins are.
///
/// Each bead is set one step from the last in a random direction where it keeps clear of
/// the rest; of two such, the one nearer to the middle of all. Where none does, the
/// walk goes back some beads and tries anew.
///
/// ```
/// assert_eq!(pliant_scenes::random_protein(1).positions.len(), 300);
/// ```
#[must_use]
pub fn random_protein(seed: u64) -> Beads {
    walk(BEADS, seed)
}

/// A random protein of another size: [`random_protein`], with so many beads. Takes time that
/// grows with the square of their number.
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
        // Of two that fit the nearer; more to choose from would make it a ball with no way out.
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
            // Each dead end goes back further, so that no pocket holds the walk for ever.
            chain.truncate(chain.len().saturating_sub(setback).max(1));
            setback = (setback + 1) % 40 + 1;
        }
    }
    Beads { positions: chain, radius: RADIUS }
}

/// A fair direction: a point of the ball, drawn from the cube until one fits.
fn direction(random: &mut Random) -> DVec3 {
    loop {
        let point = random.in_cube();
        let squared = point.length_squared();
        if (1e-4..=1.0).contains(&squared) {
            return point / squared.sqrt();
        }
    }
}
