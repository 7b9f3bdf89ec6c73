//! Bodies from round parts: a signed distance, its surface, and that surface with
//! a chosen number of triangles.

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
    /// Opposite corners of a box that holds the surface.
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    /// Side of the lattice cells in which the surface is first found.
    pub(crate) cell: f64,
    /// How many triangles there shall be; fewer than the lattice gives.
    pub(crate) triangles: usize,
    /// Wanted length of edges around a point, up to a common factor.
    pub(crate) edge_length: &'a dyn Fn(DVec3) -> f64,
}

/// The closed surface around the union of the parts, facing outward.
///
/// Found on a fine lattice, then thinned out to the wanted number of triangles, with
/// the vertices spread evenly over it. An odd number gets one triangle fewer: a
/// closed surface has an even number.
pub(crate) fn surface(parts: &[Part], meshing: &Meshing) -> Surface {
    let mut surface = march::surface(parts, meshing);
    // Some triangles are left for the last round, so that what smoothing made short goes.
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
