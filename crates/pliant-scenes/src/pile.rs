//! A pile of chairs.

use pliant::glam::{DQuat, DVec3};
use pliant::{Mesh, Result};

use crate::check::at_least;
use crate::{Random, chair};

/// The distance in metres between neighbours of a layer, between layers, and from the floor to the
/// first layer.
const SPACING: f64 = 0.8;
const LAYER_HEIGHT: f64 = 0.5;
const FIRST_LAYER: f64 = 0.38;
/// The largest displacement of a chair from its site in metres, along each axis.
const JITTER: f64 = 0.12;

/// Many chairs that share one mesh.
#[derive(Debug, Clone)]
pub struct Pile {
    /// The common shape, with its middle at the origin.
    pub chair: Mesh,
    /// The rotation and translation of each chair: a vertex `v` of the mesh is at
    /// `rotation * v + translation`.
    pub placements: Vec<(DQuat, DVec3)>,
}

/// Returns a pile of `count` chairs above the floor y = 0 with random rotations.
///
/// The sites are those of the smallest square pyramid that has enough of them, filled from below:
/// layer `l` of a base of n by n has n - l by n - l sites, half a spacing further in. Each chair is
/// displaced slightly from its site, rotated by a uniformly random rotation, and raised if it would
/// extend below the floor. The spacing is smaller than a chair, so most chairs cross or nearly
/// touch some of their neighbours.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for no chairs.
///
/// ```
/// let pile = pliant_scenes::pile_of_chairs(30, 1)?;
/// assert_eq!(pile.placements.len(), 30);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn pile_of_chairs(count: u32, seed: u64) -> Result<Pile> {
    at_least(1, "count", count as usize, "1..")?;
    let chair = centered(&chair()?)?;
    let mut random = Random::new(seed);
    let placements = pyramid_sites(count as usize)
        .map(|site| {
            let rotation = random.rotation();
            let mut translation = site + JITTER * random.in_cube();
            // The height of a rotated point is its dot product with the inversely rotated y axis.
            let up = rotation.conjugate() * DVec3::Y;
            let lowest = chair.positions().iter().map(|p| p.dot(up)).fold(0.0, f64::min);
            translation.y = translation.y.max(-lowest);
            (rotation, translation)
        })
        .collect();
    Ok(Pile { chair, placements })
}

/// The first `count` sites of the smallest square pyramid that has enough of them.
fn pyramid_sites(count: usize) -> impl Iterator<Item = DVec3> {
    let mut base = 0;
    let mut sites = 0;
    while sites < count {
        base += 1;
        sites += base * base;
    }
    (0..base)
        .flat_map(move |layer| {
            let across = base - layer;
            (0..across * across).map(move |site| {
                let middle = (across - 1) as f64 / 2.0;
                let x = (site % across) as f64 - middle;
                let z = (site / across) as f64 - middle;
                DVec3::new(SPACING * x, FIRST_LAYER + LAYER_HEIGHT * layer as f64, SPACING * z)
            })
        })
        .take(count)
}

/// The mesh with the middle of its box at the origin.
fn centered(mesh: &Mesh) -> Result<Mesh> {
    let infinite = DVec3::splat(f64::INFINITY);
    let (low, high) = mesh
        .positions()
        .iter()
        .fold((infinite, -infinite), |(low, high), &p| (low.min(p), high.max(p)));
    let middle = (low + high) / 2.0;
    Mesh::new(mesh.positions().iter().map(|&p| p - middle).collect(), mesh.triangles().to_vec())
}
