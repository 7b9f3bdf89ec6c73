//! Random triangles.

use pliant::glam::DVec3;
use pliant::{Mesh, Result};

use crate::Random;
use crate::check::{at_least, positive_lengths, triangle_count};

/// Returns `count` disconnected triangles. Their middles are uniform in the unit cube `0.0..1.0`,
/// and each corner is at most `size` from the middle along each axis.
///
/// No vertex is shared and nothing is closed: the hardest kind of mesh for code that exploits
/// adjacency.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for no triangles, [`pliant::Error::InvalidVector`] for a size
/// that is not positive and finite, [`pliant::Error::TooMany`].
///
/// ```
/// let soup = pliant_scenes::triangle_soup(100, 0.1, 42)?;
/// assert_eq!((soup.positions().len(), soup.triangles().len()), (300, 100));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn triangle_soup(count: u32, size: f64, seed: u64) -> Result<Mesh> {
    at_least(1, "count", count as usize, "1..")?;
    positive_lengths("size", [size; 3])?;
    triangle_count(Some(count as usize))?;
    let mut random = Random::new(seed);
    let mut positions = Vec::with_capacity(count as usize * 3);
    for _ in 0..count {
        let middle = (random.in_cube() + DVec3::ONE) / 2.0;
        for _ in 0..3 {
            positions.push(middle + size * random.in_cube());
        }
    }
    Mesh::new(positions, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}
