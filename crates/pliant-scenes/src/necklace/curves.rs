//! Beads along curves: grill, spline, helix.

use std::f64::consts::TAU;

use pliant::glam::DVec3;
use pliant::{Error, Result};

use super::Beads;
use crate::check::at_least;

/// Beads that the papers' helices have as many turns for.
const HELIX_BEADS: f64 = 640.0;
/// The turns of a helix of that many beads: as many as fit ten beads too, if only
/// neighbours may overlap.
const HELIX_TURNS: f64 = 1.5;

/// The grill: six parallel straight segments joined by parabolic arcs, 89 beads.
///
/// ```
/// assert_eq!(pliant_scenes::grill().positions.len(), 89);
/// ```
#[must_use]
pub fn grill() -> Beads {
    const BARS: u32 = 6;
    // Lengths of a bar, between bars, and of an arc beyond the bars' ends.
    let (bar, apart, arc) = (10.0, 3.0, 3.0);
    let mut path = Vec::new();
    for number in 0..BARS {
        let x = apart * f64::from(number);
        // Up one bar, down the next; the arc at the far end leads over.
        let up = if number % 2 == 0 { 1.0 } else { -1.0 };
        path.push(DVec3::new(x, -up * bar / 2.0, 0.0));
        let steps = if number + 1 < BARS { 400 } else { 0 };
        for step in 0..=steps {
            let t = if steps == 0 { 0.0 } else { f64::from(step) / f64::from(steps) };
            let beyond = 4.0 * arc * t * (1.0 - t);
            path.push(DVec3::new(x + apart * t, up * (bar / 2.0 + beyond), 0.0));
        }
    }
    Beads::chained(evenly(&path, 89))
}

/// Beads along a quadratic spline with five control points; the paper's have 10, 50 and 100.
///
/// # Errors
/// [`Error::InvalidSetting`] for fewer than 2 beads.
///
/// ```
/// assert_eq!(pliant_scenes::spline(50)?.positions.len(), 50);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn spline(beads: usize) -> Result<Beads> {
    at_least(2, "beads", beads, "2..")?;
    let control = [
        DVec3::new(0.0, 0.0, 0.0),
        DVec3::new(3.0, 8.0, 1.0),
        DVec3::new(8.0, 7.0, 5.0),
        DVec3::new(10.0, 0.0, 6.0),
        DVec3::new(17.0, 2.0, 2.0),
    ];
    // Three parabolas, each from the middle of one leg of the control polygon to the
    // middle of the next; the first and the last reach the ends.
    let steps = 2000;
    let mut path = Vec::with_capacity(3 * steps + 1);
    for at in 1..4 {
        let from = if at == 1 { control[0] } else { (control[at - 1] + control[at]) / 2.0 };
        let to = if at == 3 { control[4] } else { (control[at] + control[at + 1]) / 2.0 };
        for step in 0..=steps {
            let t = step as f64 / steps as f64;
            path.push(from.lerp(control[at], t).lerp(control[at].lerp(to, t), t));
        }
    }
    Ok(Beads::chained(evenly(&path, beads)))
}

/// A helix in the cube from -1 to 1, evenly sampled along its length.
///
/// # Errors
/// [`Error::InvalidSetting`] for fewer than 2 beads, or for so many turns that beads of
/// neighbouring turns, or of the far side of one, would overlap;
/// [`Error::InvalidVector`] for turns that are not positive and finite.
///
/// ```
/// let helix = pliant_scenes::helix(100, 3.0)?;
/// assert!(helix.positions.iter().all(|bead| bead.abs().max_element() <= 1.0));
/// assert!(pliant_scenes::helix(10, 5.0).is_err());
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn helix(beads: usize, turns: f64) -> Result<Beads> {
    at_least(2, "beads", beads, "2..")?;
    crate::check::positive_lengths("turns of the helix", [turns, 1.0, 1.0])?;
    let helix = wound(beads, turns);
    // By symmetry the first bead sees what every bead sees, and only beads of the next
    // turn and a half can be near.
    let near = 1.6 * (beads as f64 / turns).max(2.0);
    let overlap = helix.positions.iter().take(near as usize).skip(2);
    let closest = overlap.map(|bead| bead.distance(helix.positions[0])).fold(f64::MAX, f64::min);
    if closest <= 2.0 * helix.radius {
        let range = "beads for as many turns that only neighbours overlap";
        return Err(Error::InvalidSetting { setting: "beads", value: beads, range });
    }
    Ok(helix)
}

/// Beads around a cylinder that fills the cube from -1 to 1, whatever of them overlap.
fn wound(beads: usize, turns: f64) -> Beads {
    let place = |bead: usize| {
        let t = bead as f64 / (beads - 1) as f64;
        let (sin, cos) = (TAU * turns * t).sin_cos();
        DVec3::new(cos, 2.0 * t - 1.0, sin)
    };
    Beads::chained((0..beads).map(place).collect())
}

/// The dense helix: 10,240 beads in 151 turns, whose power diagram has about 800,000 edges.
///
/// For power diagrams only: it is no necklace, because beads of the next seven turns overlap. How many
/// edges the diagram of a helix has depends on the turns: a bead sees beads of other turns across
/// the cylinder, and the more of them the fewer turns there are. With the 1.5 turns of
/// [`static_helix`] nearly every pair of beads is an edge, some 46 million. The measure to compare
/// with is CGAL on a helix of as many beads with 798,059 edges, whose turns were not written down;
/// of the turns that were tried 151 come nearest to that, with 797,396.
///
/// ```
/// assert_eq!(pliant_scenes::dense_helix().positions.len(), 10_240);
/// ```
#[must_use]
pub fn dense_helix() -> Beads {
    wound(10_240, 151.0)
}

/// The constant helix: as many turns whatever the number of beads (10, 640, 10,240).
///
/// # Errors
/// [`Error::InvalidSetting`] for fewer than 2 beads, and for 4 to 7, which would overlap.
///
/// ```
/// assert_eq!(pliant_scenes::static_helix(640)?.positions.len(), 640);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn static_helix(beads: usize) -> Result<Beads> {
    helix(beads, HELIX_TURNS)
}

/// The scaling helix: turns in proportion to the beads (10, 640, 10,240), so that it gets
/// the denser the more there are. With 640 beads it is the constant helix.
///
/// Beyond some 60,000 beads neighbouring turns would overlap.
///
/// # Errors
/// [`Error::InvalidSetting`] for fewer than 2 beads or too many.
///
/// ```
/// let (sparse, dense) = (pliant_scenes::scaling_helix(640)?, pliant_scenes::scaling_helix(10_240)?);
/// assert!(dense.radius > 0.9 * sparse.radius, "as far apart along the chain, closer across");
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn scaling_helix(beads: usize) -> Result<Beads> {
    helix(beads, HELIX_TURNS * beads as f64 / HELIX_BEADS)
}

/// Points at equal distances along a path, first and last included. The path is a fine
/// polygon, so equal along it is equal to the eye; [`Beads::chained`] takes the largest.
fn evenly(path: &[DVec3], count: usize) -> Vec<DVec3> {
    let mut along = vec![0.0];
    for pair in path.windows(2) {
        along.push(along[along.len() - 1] + pair[0].distance(pair[1]));
    }
    let length = along[along.len() - 1];
    (0..count)
        .map(|number| {
            let at = length * number as f64 / (count - 1) as f64;
            let next = along.partition_point(|&passed| passed < at).clamp(1, path.len() - 1);
            let leg = along[next] - along[next - 1];
            let t = if leg > 0.0 { ((at - along[next - 1]) / leg).clamp(0.0, 1.0) } else { 0.0 };
            path[next - 1].lerp(path[next], t)
        })
        .collect()
}
