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

    /// Where two lists of polygons differ first: the number of a polygon of `self`, or of the last
    /// one if only the lengths differ; `None` if they have the same corners.
    pub(crate) fn first_difference(&self, other: &Self) -> Option<usize> {
        let corners = |polygons: &Self, polygon: usize| {
            let start = polygon.checked_sub(1).map_or(0, |before| polygons.ends[before]);
            start..polygons.ends[polygon]
        };
        let both = self.ends.len().min(other.ends.len());
        let differs = |&polygon: &usize| {
            let (mine, its) = (corners(self, polygon), corners(other, polygon));
            self.corners[mine] != other.corners[its]
        };
        let polygon = match (0..both).find(differs) {
            Some(polygon) => polygon,
            None if self.ends.len() == other.ends.len() => return None,
            None => both.min(self.ends.len().saturating_sub(1)),
        };
        Some(self.numbers.get(polygon).copied().unwrap_or(0))
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
        let triangles = self.into_triangles(&positions, file, noun, first_vertex)?;
        mesh(positions, triangles.list, file)
    }

    /// The triangles of these polygons, with messages as for [`Self::into_mesh`].
    pub(crate) fn into_triangles(
        mut self,
        positions: &[DVec3],
        file: &Path,
        noun: &str,
        first_vertex: u64,
    ) -> Result<Triangles> {
        let mut triangulator = Triangulator::default();
        let count = self.corners.len().saturating_sub(2 * self.ends.len());
        let mut list = Vec::with_capacity(count);
        let mut start = 0;
        for (end, number) in self.ends.iter_mut().zip(self.numbers) {
            let corners = &self.corners[start..*end];
            if let Some(k) = corners.iter().position(|&c| c as usize >= positions.len()) {
                let (vertex, all) = (u64::from(corners[k]) + first_vertex, positions.len());
                let reason = format!(
                    "corner {} names vertex {vertex} of {all} (the first is vertex {first_vertex})",
                    k + 1
                );
                return Err(Error::malformed(file, format!("{noun} {number}"), reason));
            }
            triangulator.triangulate(corners, positions, &mut list);
            start = std::mem::replace(end, list.len());
        }
        Ok(Triangles { list, ends: self.ends })
    }
}

/// The triangles of polygons, in their order.
pub(crate) struct Triangles {
    pub(crate) list: Vec<[u32; 3]>,
    /// For each polygon the number of triangles up to its end.
    pub(crate) ends: Vec<usize>,
}

/// A mesh, or the geometry error of the file.
pub(crate) fn mesh(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>, file: &Path) -> Result<Mesh> {
    Mesh::new(positions, triangles).map_err(|source| Error::Geometry {
        file: file.into(),
        element: "mesh".into(),
        source,
    })
}
