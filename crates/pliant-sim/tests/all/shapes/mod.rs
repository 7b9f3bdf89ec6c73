//! Surfaces that several tests use.

use std::collections::HashMap;

use pliant::Mesh;
use pliant::glam::DVec3;

/// A cuboid at the origin whose sides are divided into `cells` per axis.
pub(crate) fn cuboid(size: DVec3, cells: [u32; 3]) -> Mesh {
    let mut numbers = HashMap::new();
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let mut vertex = |point: [u32; 3]| {
        *numbers.entry(point).or_insert_with(|| {
            let share = |axis: usize| f64::from(point[axis]) / f64::from(cells[axis]);
            positions.push(size * DVec3::new(share(0), share(1), share(2)));
            positions.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for far in [false, true] {
            for i in 0..cells[u] {
                for j in 0..cells[v] {
                    let [a, b, c, d] = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[right, up]| {
                        let mut point = [0; 3];
                        point[axis] = if far { cells[axis] } else { 0 };
                        (point[u], point[v]) = (i + right, j + up);
                        vertex(point)
                    });
                    triangles.extend(if far {
                        [[a, b, c], [a, c, d]]
                    } else {
                        [[a, c, b], [a, d, c]]
                    });
                }
            }
        }
    }
    Mesh::new(positions, triangles).unwrap()
}
