//! Meshes that unit tests share.

use glam::DVec3;

use crate::Mesh;

/// A bumpy sheet of 2 * n * n triangles that waves through the plane z = 0.
pub(crate) fn bumpy_sheet(n: u32, phase: f64) -> Mesh {
    let at = |x: u32, y: u32| {
        let (x, y) = (f64::from(x), f64::from(y));
        DVec3::new(x, y, 2.0 * (1.7 * x + phase).sin() * (2.3 * y).cos())
    };
    let corners = (0..=n).flat_map(|y| (0..=n).map(move |x| at(x, y))).collect();
    let number = |x: u32, y: u32| y * (n + 1) + x;
    let squares = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
    let triangles = squares.flat_map(|(x, y)| {
        let [a, b, c, d] = [number(x, y), number(x + 1, y), number(x, y + 1), number(x + 1, y + 1)];
        [[a, b, d], [a, d, c]]
    });
    Mesh::new(corners, triangles.collect()).unwrap()
}
