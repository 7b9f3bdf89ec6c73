//! Subdivision of each triangle into k by k.

use std::collections::HashMap;

use pliant::glam::DVec3;

/// A subdivided mesh; each vertex is a convex combination of the corners of an old triangle.
pub(crate) struct Subdivided {
    pub(crate) vertices: Vec<Mixture>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Corners and their weights, which sum to 1.
#[derive(Clone, Copy)]
pub(crate) struct Mixture {
    pub(crate) corners: [u32; 3],
    pub(crate) shares: [f64; 3],
}

impl Mixture {
    /// The convex combination of the corners, which are given by all points of the old mesh.
    pub(crate) fn of(&self, points: &[DVec3]) -> DVec3 {
        let terms = self.shares.iter().zip(self.corners);
        terms.fold(DVec3::ZERO, |sum, (share, corner)| sum + *share * points[corner as usize])
    }
}

/// Cuts every triangle into `parts` by `parts`. Adjacent triangles share the vertices of their
/// common edge. New triangles have the orientation of the old one.
pub(crate) fn subdivide(triangles: &[[u32; 3]], parts: u32) -> Subdivided {
    let mut numbers: HashMap<[(u32, u32); 3], u32> = HashMap::new();
    let mut finer = Subdivided { vertices: Vec::new(), triangles: Vec::new() };
    for &corners in triangles {
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(parts as usize + 1);
        for up in 0..=parts {
            let row = (0..=parts - up).map(|right| {
                // The corners with their step counts; corners with zero steps are not part of the
                // key.
                let mut key =
                    [(parts - up - right, corners[0]), (right, corners[1]), (up, corners[2])];
                key.iter_mut().filter(|(steps, _)| *steps == 0).for_each(|entry| entry.1 = 0);
                key.sort_unstable_by_key(|&(steps, corner)| (steps == 0, corner));
                *numbers.entry(key).or_insert_with(|| {
                    finer.vertices.push(Mixture {
                        corners: key.map(|(_, corner)| corner),
                        shares: key.map(|(steps, _)| f64::from(steps) / f64::from(parts)),
                    });
                    (finer.vertices.len() - 1) as u32
                })
            });
            rows.push(row.collect());
        }
        for pair in rows.windows(2) {
            let [low, high] = [&pair[0], &pair[1]];
            for (at, &top) in high.iter().enumerate() {
                finer.triangles.push([low[at], low[at + 1], top]);
                if let Some(&next) = high.get(at + 1) {
                    finer.triangles.push([low[at + 1], next, top]);
                }
            }
        }
    }
    finer
}
