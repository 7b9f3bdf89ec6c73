//! A sphere of nearly equal triangles.

use pliant::glam::DVec3;
use pliant::{Mesh, Result};

use crate::check::triangle_count;
use crate::refine::refine;

/// Returns the unit sphere around the origin: an icosahedron whose triangles are cut into four
/// `subdivisions` times, with each new vertex projected onto the sphere.
///
/// It is closed and faces outward, with 20 * 4^n triangles and 10 * 4^n + 2 vertices. Square roots
/// are the only irrational operation, so the bits are the same on every machine.
///
/// # Errors
/// [`pliant::Error::TooMany`] for more than 12 subdivisions.
///
/// ```
/// let sphere = pliant_scenes::icosphere(3)?;
/// assert_eq!((sphere.positions().len(), sphere.triangles().len()), (642, 1280));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn icosphere(subdivisions: u32) -> Result<Mesh> {
    let count = 4usize.checked_pow(subdivisions).and_then(|factor| factor.checked_mul(20));
    triangle_count(count)?;
    let mut points: Vec<DVec3> = icosahedron_corners();
    let mut triangles = ICOSAHEDRON_TRIANGLES.to_vec();
    for _ in 0..subdivisions {
        triangles = refine(&mut points, &triangles, |a, b| (a + b).normalize());
    }
    Mesh::new(points, triangles)
}

/// The corners of three golden rectangles, one in each coordinate plane.
fn icosahedron_corners() -> Vec<DVec3> {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let mut corners = Vec::with_capacity(12);
    for (long, short) in [(golden, 1.0), (golden, -1.0), (-golden, 1.0), (-golden, -1.0)] {
        corners.push(DVec3::new(long, short, 0.0).normalize());
        corners.push(DVec3::new(0.0, long, short).normalize());
        corners.push(DVec3::new(short, 0.0, long).normalize());
    }
    corners
}

/// Corner `3 * s + axis` lies in rectangle `axis`; `s` runs over the signs above.
const ICOSAHEDRON_TRIANGLES: [[u32; 3]; 20] = [
    [0, 1, 2],
    [0, 4, 1],
    [0, 2, 3],
    [0, 3, 8],
    [0, 8, 4],
    [1, 5, 2],
    [1, 4, 6],
    [1, 6, 5],
    [2, 7, 3],
    [2, 5, 7],
    [3, 7, 10],
    [3, 10, 8],
    [4, 11, 6],
    [4, 8, 11],
    [5, 6, 9],
    [5, 9, 7],
    [6, 11, 9],
    [7, 9, 10],
    [8, 10, 11],
    [9, 11, 10],
];
