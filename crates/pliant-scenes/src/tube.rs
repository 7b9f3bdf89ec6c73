//! A round tube.

use std::f64::consts::TAU;

use pliant::glam::DVec3;
use pliant::{Mesh, Result};

use crate::check::{at_least, positive_lengths, triangle_count};

/// Whether a tube's ends are open or closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Two round holes: a surface with two boundary curves.
    Open,
    /// A fan of triangles over each end: a closed surface.
    Closed,
}

/// Returns a round tube along y, from y = 0 to y = `length`, that faces outward.
///
/// It has `sides` vertices around and `segments` cells along, with two triangles per cell. Closed
/// ends add one vertex and `sides` triangles each.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for fewer than three sides or no segment,
/// [`pliant::Error::InvalidVector`] for a radius or a length that is not positive and finite,
/// [`pliant::Error::TooMany`].
///
/// ```
/// use pliant_scenes::{Ends, tube};
///
/// let rod = tube(0.1, 2.0, 12, 40, Ends::Closed)?;
/// assert_eq!(rod.triangles().len(), 2 * 12 * 40 + 2 * 12);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn tube(radius: f64, length: f64, sides: u32, segments: u32, ends: Ends) -> Result<Mesh> {
    at_least(3, "sides", sides as usize, "3..")?;
    at_least(1, "segments", segments as usize, "1..")?;
    positive_lengths("radius and length", [radius, length, 1.0])?;
    let quads = u128::from(sides) * (u128::from(segments) + 1);
    triangle_count(usize::try_from(2 * quads).ok())?;

    let mut positions = Vec::new();
    for ring in 0..=segments {
        let y = length * (f64::from(ring) / f64::from(segments));
        for side in 0..sides {
            let (sin, cos) = (TAU * f64::from(side) / f64::from(sides)).sin_cos();
            positions.push(DVec3::new(radius * cos, y, radius * sin));
        }
    }
    let mut triangles = between_rings(sides, segments);
    if ends == Ends::Closed {
        let bottom = positions.len() as u32;
        positions.extend([DVec3::ZERO, DVec3::new(0.0, length, 0.0)]);
        let last_ring = segments * sides;
        for side in 0..sides {
            let next = (side + 1) % sides;
            triangles.push([bottom, side, next]);
            triangles.push([bottom + 1, last_ring + next, last_ring + side]);
        }
    }
    Mesh::new(positions, triangles)
}

/// The triangles between `segments` + 1 rings of `sides` vertices each, ring after ring.
pub(crate) fn between_rings(sides: u32, segments: u32) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(2 * sides as usize * segments as usize);
    for ring in 0..segments {
        for side in 0..sides {
            let next = (side + 1) % sides;
            let [a, b] = [side, next].map(|around| ring * sides + around);
            let [d, c] = [side, next].map(|around| (ring + 1) * sides + around);
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    triangles
}
