//! Displacement fields: the columns of the matrix U in p + U q.

use glam::{DVec3, Vec3};

use super::at_once::displace_all;
use crate::{Error, Result};

/// One displacement per vertex and mode, in `f32`, stored vertex by vertex: a query that needs
/// one vertex reads one run of memory.
///
/// ```
/// use pliant::{deform::Modes, glam::{DVec3, Vec3}};
/// // Two vertices, two modes: a shift along x, and one of the second vertex along y.
/// let modes = Modes::from_fields(2, &[vec![DVec3::X; 2], vec![DVec3::ZERO, DVec3::Y]])?;
/// assert_eq!(modes.of(1), [Vec3::X, Vec3::Y]);
/// assert_eq!(modes.displaced(DVec3::Z, 1, &[2.0, 0.5]), DVec3::new(2.0, 0.5, 1.0));
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Modes {
    vertices: usize,
    count: usize,
    /// All modes of vertex 0, then all of vertex 1, and so on.
    displacements: Vec<Vec3>,
}

impl Modes {
    /// From one field per mode, each with one displacement per vertex, rounded to `f32`.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] for a field of another length than `vertices`,
    /// [`Error::NonFinitePosition`] for a displacement that is not a finite `f32`.
    pub fn from_fields(vertices: usize, fields: &[Vec<DVec3>]) -> Result<Self> {
        for field in fields {
            if field.len() != vertices {
                let (expected, given) = (vertices, field.len());
                return Err(Error::CountMismatch { what: "displacements", expected, given });
            }
            for (vertex, displacement) in field.iter().enumerate() {
                if !displacement.as_vec3().is_finite() {
                    let position = displacement.to_array();
                    return Err(Error::NonFinitePosition { vertex, position });
                }
            }
        }
        let mut displacements = Vec::with_capacity(vertices * fields.len());
        for vertex in 0..vertices {
            displacements.extend(fields.iter().map(|field| field[vertex].as_vec3()));
        }
        Ok(Self { vertices, count: fields.len(), displacements })
    }

    /// The number of modes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The displacements of one vertex, one per mode. Empty if there is no such vertex.
    #[must_use]
    #[inline]
    pub fn of(&self, vertex: usize) -> &[Vec3] {
        let start = vertex.saturating_mul(self.count);
        self.displacements.get(start..start.saturating_add(self.count)).unwrap_or_default()
    }

    /// The position of a vertex that rests at `rest`, for the coordinates `q`.
    ///
    /// All code uses this one formula. The sum is computed in `f64` in the order of the modes.
    /// Coordinates that are zero are skipped: a face has many targets, and few are in use.
    #[must_use]
    #[inline]
    pub fn displaced(&self, rest: DVec3, vertex: usize, q: &[f64]) -> DVec3 {
        let displacements = self.of(vertex).iter().zip(q).filter(|&(_, &q)| q != 0.0);
        displacements.fold(rest, |sum, (mode, &q)| sum + q * mode.as_dvec3())
    }

    /// Displaces all vertices, as [`displaced`](Self::displaced) does each: `positions` are those at rest
    /// before, and displaced after. Positions of vertices that do not exist stay as they are.
    pub fn displace_all(&self, q: &[f64], positions: &mut [DVec3]) {
        let active: Vec<(usize, f64)> =
            q.iter().copied().enumerate().take(self.count).filter(|&(_, q)| q != 0.0).collect();
        let known = positions.len().min(self.vertices);
        displace_all(&self.displacements, self.count, &active, &mut positions[..known]);
    }
}
