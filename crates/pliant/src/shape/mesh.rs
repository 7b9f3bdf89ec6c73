//! A triangle mesh in its rest shape.

use std::collections::HashMap;

use glam::DVec3;

use super::connectivity::{Connectivity, OnceConnectivity};
use super::features::{OnceOwned, OwnedFeatures, owned_features};
use super::position::check_finite;
use crate::limits::{MAX_PRIMITIVES, MAX_VERTICES};
use crate::{Error, Result};

/// A triangle mesh at rest: positions, triangles, and which vertices have the same position.
///
/// By construction every index is in range and every coordinate is finite. Degenerate triangles
/// (with two or three corners at one position, or collinear corners) are allowed and take part in
/// every query as the segment or point that they are.
///
/// ```
/// use pliant::{Mesh, glam::DVec3};
///
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mesh = Mesh::new(corners, vec![[0, 1, 2]])?;
/// assert_eq!(mesh.triangles().len(), 1);
///
/// let wrong = Mesh::new(vec![DVec3::ZERO], vec![[0, 0, 7]]);
/// assert_eq!(wrong.unwrap_err().to_string(), "triangle 0 names vertex 7, but there are 1 vertices");
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    place_of_vertex: Vec<u32>,
    /// The places of each triangle's corners, so that the adjacency test needs one load per
    /// triangle.
    places_of_triangle: Vec<[u32; 3]>,
    connectivity: OnceConnectivity,
    owned: OnceOwned,
}

impl Mesh {
    /// Takes positions and triangles after checking them.
    ///
    /// # Errors
    /// [`Error::EmptyMesh`], [`Error::TooMany`], [`Error::NonFinitePosition`],
    /// [`Error::VertexOutOfRange`].
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self> {
        if triangles.is_empty() {
            return Err(Error::EmptyMesh);
        }
        check_count("vertices", positions.len(), MAX_VERTICES)?;
        check_count("triangles", triangles.len(), MAX_PRIMITIVES)?;
        check_finite(&positions)?;
        let vertices = positions.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&corner| corner as usize >= vertices) {
                return Err(Error::VertexOutOfRange { triangle, index, vertices });
            }
        }
        let place_of_vertex = places(&positions);
        let place = |vertex: u32| place_of_vertex[vertex as usize];
        let places_of_triangle = triangles.iter().map(|corners| corners.map(place)).collect();
        Ok(Self {
            positions,
            triangles,
            place_of_vertex,
            places_of_triangle,
            connectivity: OnceConnectivity::default(),
            owned: OnceOwned::default(),
        })
    }

    /// The rest positions.
    #[must_use]
    #[inline]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The triangles, as vertex numbers.
    #[must_use]
    #[inline]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// For each vertex, the first vertex with the same rest position.
    ///
    /// A mesh with UV seams repeats vertices. They count as one vertex for adjacency, so that a
    /// seam is not reported as a self-collision.
    #[must_use]
    pub fn places(&self) -> &[u32] {
        &self.place_of_vertex
    }

    /// The places of the corners of each triangle: see [`Mesh::places`].
    pub(crate) fn places_of_triangles(&self) -> &[[u32; 3]] {
        &self.places_of_triangle
    }

    /// Which triangles hang together, and whether they close up. Made with the first call.
    #[must_use]
    pub fn connectivity(&self) -> &Connectivity {
        let make = || Connectivity::new(&self.places_of_triangle, self.positions.len());
        self.connectivity.0.get_or_init(make)
    }

    /// The vertices and edges for which each triangle speaks. Made with the first call.
    pub(crate) fn owned_features(&self) -> &[OwnedFeatures] {
        self.owned.0.get_or_init(|| owned_features(&self.triangles, self.positions.len()))
    }

    /// Whether two triangles share a rest position.
    ///
    /// Such triangles touch by construction and never count as a self-collision.
    ///
    /// # Panics
    /// If a triangle does not exist.
    #[must_use]
    #[inline]
    pub fn adjacent(&self, first: u32, second: u32) -> bool {
        let [a, b, c] = self.places_of_triangle[first as usize];
        let [p, q, r] = self.places_of_triangle[second as usize];
        // All nine comparisons without a branch.
        let share = |x: u32| (x == p) | (x == q) | (x == r);
        share(a) | share(b) | share(c)
    }
}

/// Refuses more elements than 32-bit node numbers can address.
fn check_count(what: &'static str, count: usize, limit: usize) -> Result<()> {
    if count > limit {
        return Err(Error::TooMany { what, count, limit });
    }
    Ok(())
}

/// For each vertex, the first vertex with the same position; -0 equals 0.
fn places(positions: &[DVec3]) -> Vec<u32> {
    let mut first_at = HashMap::with_capacity(positions.len());
    let bits = |x: f64| (x + 0.0).to_bits();
    (0u32..)
        .zip(positions)
        .map(|(vertex, p)| *first_at.entry([bits(p.x), bits(p.y), bits(p.z)]).or_insert(vertex))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_at_one_place_are_adjacent() {
        let positions = vec![
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
            DVec3::new(-0.0, 0.0, -0.0),
            -DVec3::X,
            -DVec3::Y,
            DVec3::Z,
            DVec3::Z + DVec3::X,
            DVec3::Z + DVec3::Y,
        ];
        let mesh = Mesh::new(positions, vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]]).unwrap();
        assert_eq!(mesh.places()[3], 0);
        assert!(mesh.adjacent(0, 1));
        assert!(!mesh.adjacent(0, 2));
    }

    #[test]
    fn bad_meshes_are_refused_by_name() {
        assert_eq!(Mesh::new(vec![DVec3::ZERO], vec![]), Err(Error::EmptyMesh));
        assert_eq!(
            Mesh::new(vec![DVec3::ZERO; 2], vec![[0, 1, 1], [0, 2, 1]]),
            Err(Error::VertexOutOfRange { triangle: 1, index: 2, vertices: 2 })
        );
        let bad = Mesh::new(vec![DVec3::ZERO, DVec3::new(0.0, f64::INFINITY, 0.0)], vec![[0; 3]]);
        assert!(matches!(bad, Err(Error::NonFinitePosition { vertex: 1, .. })));
    }
}
