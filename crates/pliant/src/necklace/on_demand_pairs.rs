//! Clashes of two necklaces, reading only the beads that are needed to decide.

use glam::DVec3;

use super::OnDemand;
use super::clashes::{ClashMethod, Clashes};
use super::on_demand::Cage;
use crate::Result;
use crate::contact::balls_touch;
use crate::numeric::{F64_SLACK, VANISHED_LENGTH, length};
use crate::query::Work;

/// Returns a clash between two necklaces if there is one. Each necklace comes with its positions in
/// the current state. See [`OnDemand`] for the promises and the guarantee.
///
/// # Errors
/// [`Error::CountMismatch`](crate::Error::CountMismatch); for a bead that was read also
/// [`Error::InvalidBead`](crate::Error::InvalidBead) or
/// [`Error::BrokenPromise`](crate::Error::BrokenPromise).
pub fn first_clash_on_demand(
    first: (&mut OnDemand, &[DVec3]),
    second: (&mut OnDemand, &[DVec3]),
) -> Result<Clashes> {
    search(first, second, true)
}

/// Returns all clashes between two necklaces, each with its positions in the current state.
///
/// # Errors
/// As [`first_clash_on_demand`].
pub fn clashes_on_demand(
    first: (&mut OnDemand, &[DVec3]),
    second: (&mut OnDemand, &[DVec3]),
) -> Result<Clashes> {
    search(first, second, false)
}

fn search(
    (a, centers_a): (&mut OnDemand, &[DVec3]),
    (b, centers_b): (&mut OnDemand, &[DVec3]),
    stop_at_first: bool,
) -> Result<Clashes> {
    a.check_count(centers_a)?;
    b.check_count(centers_b)?;
    let mut found =
        Clashes { pairs: Vec::new(), method: ClashMethod::OnDemand, work: Work::default() };
    let mut waiting = Vec::new();
    let mut next = Some([0, 0]);
    while let Some(pair) = next {
        match test_pair((a, centers_a), (b, centers_b), pair, &mut found.work)? {
            Outcome::Apart => {}
            Outcome::Open => split((a, b), pair, &mut waiting),
            Outcome::Clash(beads) => {
                found.pairs.push(beads);
                if stop_at_first {
                    break;
                }
            }
        }
        next = waiting.pop();
    }
    found.pairs.sort_unstable();
    Ok(found)
}

/// The result for a pair of nodes.
enum Outcome {
    Apart,
    Open,
    Clash([u32; 2]),
}

#[inline]
fn test_pair(
    (a, centers_a): (&mut OnDemand, &[DVec3]),
    (b, centers_b): (&mut OnDemand, &[DVec3]),
    [i, j]: [u32; 2],
    work: &mut Work,
) -> Result<Outcome> {
    let (own, their) = (a.tree().nodes()[i as usize], b.tree().nodes()[j as usize]);
    if own.beads() == 1 && their.beads() == 1 {
        let p = a.read_bead(own.first as usize, centers_a)?;
        let q = b.read_bead(their.first as usize, centers_b)?;
        work.primitive_tests += 1;
        let clash = balls_touch(&p, &q);
        return Ok(if clash { Outcome::Clash([own.first, their.first]) } else { Outcome::Apart });
    }
    let (mut p, mut q) = (a.cage(i, centers_a)?, b.cage(j, centers_b)?);
    work.bounds += 2;
    work.overlap_tests += 1;
    if apart(&p, &q) {
        return Ok(Outcome::Apart);
    }
    // Reading all beads pays only if cages of about their last size would be apart; otherwise the
    // halves are visited in any case.
    let distance = length(p.sphere.center - q.sphere.center);
    if (p.verified && q.verified) || distance <= p.last_radius + q.last_radius {
        return Ok(Outcome::Open);
    }
    if !p.verified {
        a.verify(i, centers_a)?;
        p = a.cage(i, centers_a)?;
        work.bounds += 1;
        work.primitive_tests += u64::from(own.beads());
    }
    if !q.verified && !apart(&p, &q) {
        b.verify(j, centers_b)?;
        q = b.cage(j, centers_b)?;
        work.bounds += 1;
        work.primitive_tests += u64::from(their.beads());
    }
    work.overlap_tests += 1;
    Ok(if apart(&p, &q) { Outcome::Apart } else { Outcome::Open })
}

/// Whether two cages are certainly apart. The slack covers the roundings, the vanished length those
/// of subnormal numbers. An infinite cage is apart from nothing. A distance beyond the range of
/// `f64` exceeds every finite reach.
#[inline]
fn apart(p: &Cage, q: &Cage) -> bool {
    let reach = (p.sphere.radius + q.sphere.radius) * (1.0 + F64_SLACK) + VANISHED_LENGTH;
    length(p.sphere.center - q.sphere.center) * (1.0 - F64_SLACK) > reach
}

/// Splits the node with more beads (Guibas et al. 2002, section 3.1).
fn split((a, b): (&OnDemand, &OnDemand), [i, j]: [u32; 2], waiting: &mut Vec<[u32; 2]>) {
    let (own, their) = (a.tree().nodes()[i as usize], b.tree().nodes()[j as usize]);
    if own.beads() >= their.beads() {
        waiting.extend(a.tree().children(i).into_iter().flatten().map(|half| [half, j]));
    } else {
        waiting.extend(b.tree().children(j).into_iter().flatten().map(|half| [i, half]));
    }
}
