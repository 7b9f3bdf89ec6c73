//! Normals of vertices, interpolated over triangles.

use pliant::glam::DVec3;
use pliant::{AnyBody, Collide as _, Mesh};

/// The triangles around each vertex. Vertices at one place are one.
#[derive(Debug, Clone)]
pub(crate) struct Rings {
    /// Where the triangles of each place begin.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Rings {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let places = mesh.places();
        let mut starts = vec![0_u32; mesh.positions().len() + 1];
        let corners =
            || mesh.triangles().iter().map(|t| t.map(|vertex| places[vertex as usize] as usize));
        for place in corners().flatten() {
            starts[place + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut triangles = vec![0; mesh.triangles().len() * 3];
        for (number, corners) in (0..).zip(corners()) {
            for place in corners {
                triangles[next[place] as usize] = number;
                next[place] += 1;
            }
        }
        Self { starts, triangles }
    }

    /// The normal at a point of a triangle in the current state: those of its corners, each the sum of
    /// the normals around it by area, mixed by the weights of the point. `None` if they cancel.
    pub(crate) fn normal(&self, body: &AnyBody, triangle: u32, weights: [f64; 3]) -> Option<DVec3> {
        let mesh = body.mesh();
        let mut mixed = DVec3::ZERO;
        for (&vertex, weight) in mesh.triangles()[triangle as usize].iter().zip(weights) {
            let place = mesh.places()[vertex as usize] as usize;
            let ring =
                &self.triangles[self.starts[place] as usize..self.starts[place + 1] as usize];
            let sum: DVec3 = ring.iter().map(|&around| area(&body.triangle(around))).sum();
            mixed += sum.try_normalize()? * weight;
        }
        mixed.try_normalize()
    }
}

/// The normal of a triangle, as long as twice its area.
pub(crate) fn area([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (*b - *a).cross(*c - *a)
}
