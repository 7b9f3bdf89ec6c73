//! Beads along curves: grill, spline, helix.

use std::f64::consts::TAU;

use pliant::glam::DVec3;
use pliant::{Error, Result};

use super::Beads;
use crate::check::at_least;

/// The number of beads at which the scaling helix equals the constant helix.
const HELIX_BEADS: f64 = 640.0;
/// The turns of the constant helix, few enough that only adjacent beads overlap even with ten beads.
const HELIX_TURNS: f64 = 1.5;

/// Returns the grill: six parallel straight segments joined by parabolic arcs, 89 beads.
///
/// ```
/// assert_eq!(pliant_scenes::grill().positions.len(), 89);
/// ```
#[must_use]
pub fn grill() -> Beads {
    const BARS: u32 = 6;
    // The length of a bar, the distance between bars, and the length of an arc beyond the bars'
    // ends.
    let (bar, apart, arc) = (10.0, 3.0, 3.0);
    let mut path = Vec::new();
    for number in 0..BARS {
        let x = apart * f64::from(number);
        // Up one bar and down the next; the arc at the far end connects them.
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

/// Returns beads along a quadratic spline with five control points; those of the paper have 10, 50
/// and 100 beads.
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
    // Three parabolas, each from the middle of one leg of the control polygon to the middle of the
    // next; the first and the last reach the ends.
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

/// Returns a helix in the cube from -1 to 1, evenly sampled along its length.
///
/// # Errors
/// [`Error::InvalidSetting`] for fewer than 2 beads, or for so many turns that beads of adjacent
/// turns, or of the far side of one turn, would overlap; [`Error::InvalidVector`] for turns that
/// are not positive and finite.
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
    // By symmetry it suffices to test the first bead, and only beads of the next one and a half
    // turns can be near.
    let near = 1.6 * (beads as f64 / turns).max(2.0);
    let overlap = helix.positions.iter().take(near as usize).skip(2);
    let closest = overlap.map(|bead| bead.distance(helix.positions[0])).fold(f64::MAX, f64::min);
    if closest <= 2.0 * helix.radius {
        let range = "beads for as many turns that only neighbours overlap";
        return Err(Error::InvalidSetting { setting: "beads", value: beads, range });
    }
    Ok(helix)
}

/// Beads around a cylinder that fills the cube from -1 to 1; they may overlap.
fn wound(beads: usize, turns: f64) -> Beads {
    let place = |bead: usize| {
        let t = bead as f64 / (beads - 1) as f64;
        let (sin, cos) = (TAU * turns * t).sin_cos();
        DVec3::new(cos, 2.0 * t - 1.0, sin)
    };
    Beads::chained((0..beads).map(place).collect())
}

/// Returns the dense helix: 10,240 beads in 151 turns, whose power diagram has about 800,000 edges.
///
/// It is for power diagrams only and is not a necklace, because beads of the next seven turns
/// overlap. The number of edges of the diagram of a helix depends on the turns: a bead has
/// neighbours in other turns across the cylinder, and these are more numerous the fewer turns there
/// are. With the 1.5 turns of [`static_helix`] nearly every pair of beads is an edge, about 46
/// million. The reference is CGAL on a helix with the same number of beads and 798,059 edges, whose
/// number of turns was not recorded. Of the numbers that were tried, 151 comes closest, with
/// 797,396 edges.
///
/// ```
/// assert_eq!(pliant_scenes::dense_helix().positions.len(), 10_240);
/// ```
#[must_use]
pub fn dense_helix() -> Beads {
    wound(10_240, 151.0)
}

/// Returns the constant helix: the same number of turns for any number of beads (10, 640, 10,240).
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

/// Returns the scaling helix: the turns are proportional to the beads (10, 640, 10,240), so it is
/// denser with more beads. With 640 beads it is the constant helix.
///
/// For more than about 60,000 beads adjacent turns would overlap.
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

/// Points at equal distances along a path, including its ends. The path is a fine polygon, so the
/// distances in space are almost equal; [`Beads::chained`] uses the largest.
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
