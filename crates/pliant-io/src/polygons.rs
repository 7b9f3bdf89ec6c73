//! The polygons of a file, which become a mesh when all vertices are known.

use std::path::Path;

use pliant::Mesh;
use pliant::glam::DVec3;

use crate::triangulate::Triangulator;
use crate::{Error, Result};

/// Polygons in file order, each with the number that messages use for it.
#[derive(Default)]
pub(crate) struct Polygons {
    corners: Vec<u32>,
    ends: Vec<usize>,
    numbers: Vec<usize>,
}

impl Polygons {
    /// Adds a corner to the current polygon.
    pub(crate) fn push_corner(&mut self, vertex: u32) {
        self.corners.push(vertex);
    }

    /// Ends the current polygon and sets its number.
    ///
    /// # Errors
    /// The reason, if it has fewer than three corners.
    pub(crate) fn finish(&mut self, number: usize) -> std::result::Result<(), String> {
        let count = self.corners.len() - self.ends.last().copied().unwrap_or(0);
        if count < 3 {
            return Err(format!("a face needs three corners or more, not {count}"));
        }
        self.ends.push(self.corners.len());
        self.numbers.push(number);
        Ok(())
    }

    /// The mesh of these polygons.
    ///
    /// Messages have `noun` before a polygon's number. `first_vertex` is the number that the file's
    /// format gives to its first vertex.
    pub(crate) fn into_mesh(
        self,
        positions: Vec<DVec3>,
        file: &Path,
        noun: &str,
        first_vertex: u64,
    ) -> Result<Mesh> {
        let mut triangulator = Triangulator::default();
        let count = self.corners.len().saturating_sub(2 * self.ends.len());
        let mut triangles = Vec::with_capacity(count);
        let mut start = 0;
        for (&end, number) in self.ends.iter().zip(self.numbers) {
            let corners = &self.corners[start..end];
            if let Some(k) = corners.iter().position(|&c| c as usize >= positions.len()) {
                let (vertex, all) = (u64::from(corners[k]) + first_vertex, positions.len());
                let reason = format!(
                    "corner {} names vertex {vertex} of {all} (the first is vertex {first_vertex})",
                    k + 1
                );
                return Err(Error::malformed(file, format!("{noun} {number}"), reason));
            }
            triangulator.triangulate(corners, &positions, &mut triangles);
            start = end;
        }
        mesh(positions, triangles, file)
    }
}

/// A mesh, or the geometry error of the file.
pub(crate) fn mesh(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>, file: &Path) -> Result<Mesh> {
    Mesh::new(positions, triangles).map_err(|source| Error::Geometry {
        file: file.into(),
        element: "mesh".into(),
        source,
    })
}
