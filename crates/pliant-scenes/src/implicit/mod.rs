//! Bodies from round parts: a signed distance, its surface, and that surface with a given number of
//! triangles.

mod collapse;
mod march;
mod part;
mod relax;

use pliant::glam::DVec3;

pub(crate) use part::{Part, distance, distance_and_slope, nearest_part, onto_surface};

/// A triangulated surface that is not yet a mesh.
pub(crate) struct Surface {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// How a surface is made from parts.
pub(crate) struct Meshing<'a> {
    /// Opposite corners of a box that contains the surface.
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    /// The side of the lattice cells on which the surface is first extracted.
    pub(crate) cell: f64,
    /// The number of triangles of the result; less than that of the extracted surface.
    pub(crate) triangles: usize,
    /// The desired edge length around a point, up to a common factor.
    pub(crate) edge_length: &'a dyn Fn(DVec3) -> f64,
}

/// Returns the closed surface around the union of the parts, facing outward.
///
/// The surface is extracted on a fine lattice and then simplified to the requested number of
/// triangles, with evenly spread vertices. An odd number gives one triangle fewer, since a closed
/// surface has an even number.
pub(crate) fn surface(parts: &[Part], meshing: &Meshing) -> Surface {
    let mut surface = march::surface(parts, meshing);
    // The first round leaves extra triangles, so that the last round can collapse edges that
    // smoothing has shortened.
    let first = meshing.triangles + meshing.triangles / 10;
    for target in [first, meshing.triangles] {
        collapse::collapse(&mut surface, target, meshing.edge_length);
        for _ in 0..6 {
            relax::flip(&mut surface);
            relax::spread(&mut surface, parts);
        }
    }
    surface
}
