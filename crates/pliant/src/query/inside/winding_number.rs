//! How much of the view from a point a surface fills.

use std::f64::consts::TAU;

use crate::parallel::*;
use glam::DVec3;

use crate::Result;
use crate::body::Surface;
use crate::query::closest::check_point;

/// Triangles whose angles are added up on one thread. The number is fixed, so that the sum has
/// the same bits for any number of threads.
const RUN: usize = 1024;

/// The generalised winding number of a body about a point: the solid angle that its triangles fill
/// as seen from the point, signed by the side that is seen, over 4 pi.
///
/// It is a number, rounded, and no decision: near 1 inside a closed body that faces outward, near 0
/// outside, and between for a surface with a border (Jacobson, Kavan and Sorkine-Hornung, "Robust
/// Inside-Outside Segmentation using Generalized Winding Numbers", 2013). [`inside`](super::inside)
/// decides. It looks at every triangle. On the surface it has no meaning.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let open = Body::rigid(Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3]])?)?;
/// let number = pliant::query::winding_number(&open, DVec3::splat(0.2))?;
/// assert!(number > 0.5 && number < 0.9);
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
pub fn winding_number<A: Surface>(body: &A, point: DVec3) -> Result<f64> {
    check_point(point)?;
    let triangles: Vec<u32> = (0..body.mesh().triangles().len() as u32).collect();
    let runs: Vec<f64> = triangles
        .par_chunks(RUN)
        .map(|run| run.iter().map(|&triangle| half_angle(point, body.triangle(triangle))).sum())
        .collect();
    Ok(runs.iter().sum::<f64>() / TAU)
}

/// Half of the solid angle of a triangle (van Oosterom and Strackee, "The Solid Angle of a Plane
/// Triangle", 1983). Directions are taken as unit vectors, so that no product leaves the range of
/// `f64`.
fn half_angle(point: DVec3, triangle: [DVec3; 3]) -> f64 {
    let [a, b, c] = triangle.map(|corner| (corner - point).normalize_or_zero());
    let volume = a.dot(b.cross(c));
    let rest = 1.0 + a.dot(b) + b.dot(c) + c.dot(a);
    volume.atan2(rest)
}
