//! The topology of a mesh as a surface.

use std::collections::HashMap;

use pliant::Mesh;

/// The connectivity of a mesh by vertex numbers (not by coordinates).
///
/// ```
/// use pliant_scenes::{Topology, icosphere};
///
/// let sphere = Topology::of(&icosphere(2)?);
/// assert!(sphere.is_closed());
/// assert_eq!((sphere.components, sphere.euler_characteristic()), (1, 2));
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topology {
    /// Vertices that a triangle uses.
    pub vertices: usize,
    /// Edges, each counted once.
    pub edges: usize,
    /// Triangles.
    pub triangles: usize,
    /// Edges with exactly one triangle.
    pub boundary_edges: usize,
    /// Edges that break the surface: two triangles traverse them in the same direction, or a
    /// triangle has the same vertex twice.
    pub broken_edges: usize,
    /// Vertices whose triangles form more than one fan.
    pub pinched_vertices: usize,
    /// Components that share no edge and no vertex.
    pub components: usize,
}

impl Topology {
    /// Counts edges, fans and components in time linear in the triangles.
    #[must_use]
    pub fn of(mesh: &Mesh) -> Self {
        let mut uses: HashMap<[u32; 2], usize> = HashMap::with_capacity(mesh.triangles().len() * 3);
        for &[a, b, c] in mesh.triangles() {
            for edge in [[a, b], [b, c], [c, a]] {
                *uses.entry(edge).or_insert(0) += 1;
            }
        }
        let opposite = |edge: &[u32; 2]| uses.contains_key(&[edge[1], edge[0]]);
        let boundary_edges = uses.keys().filter(|edge| !opposite(edge)).count();
        let broken_edges =
            uses.iter().filter(|(edge, count)| edge[0] == edge[1] || **count > 1).count();

        let vertices = mesh.positions().len();
        let mut used = vec![false; vertices];
        let mut parts = Partition::new(vertices);
        for &[a, b, c] in mesh.triangles() {
            for vertex in [a, b, c] {
                used[vertex as usize] = true;
            }
            parts.join(a as usize, b as usize);
            parts.join(b as usize, c as usize);
        }
        let components =
            (0..vertices).filter(|&vertex| used[vertex] && parts.root(vertex) == vertex).count();
        Self {
            vertices: used.iter().filter(|&&used| used).count(),
            edges: (uses.len() + boundary_edges) / 2,
            triangles: mesh.triangles().len(),
            boundary_edges,
            broken_edges,
            pinched_vertices: pinched_vertices(mesh),
            components,
        }
    }

    /// Vertices - edges + triangles: 2 for a sphere, 1 for a disc, 2 - 2g for a closed surface with
    /// g handles.
    #[must_use]
    pub fn euler_characteristic(&self) -> isize {
        self.vertices as isize - self.edges as isize + self.triangles as isize
    }

    /// Whether the mesh is an oriented surface, with or without a boundary: each edge has at most
    /// two triangles, which traverse it in opposite directions, and each vertex has one fan.
    #[must_use]
    pub fn is_surface(&self) -> bool {
        self.broken_edges == 0 && self.pinched_vertices == 0
    }

    /// Whether the mesh is an oriented surface without a boundary.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_surface() && self.boundary_edges == 0
    }
}

/// Counts vertices whose triangle corners fall into several fans when corners that share an edge
/// are joined.
fn pinched_vertices(mesh: &Mesh) -> usize {
    let mut corners = Partition::new(mesh.triangles().len() * 3);
    let mut first_at: HashMap<[u32; 2], usize> = HashMap::new();
    for (triangle, vertices) in mesh.triangles().iter().enumerate() {
        for corner in 0..3 {
            let [here, next, previous] = [0, 1, 2].map(|step| vertices[(corner + step) % 3]);
            for other in [next, previous] {
                let slot = 3 * triangle + corner;
                let first = *first_at.entry([here, other]).or_insert(slot);
                corners.join(first, slot);
            }
        }
    }
    let mut fans = vec![0usize; mesh.positions().len()];
    for (triangle, vertices) in mesh.triangles().iter().enumerate() {
        for (corner, &vertex) in vertices.iter().enumerate() {
            let slot = 3 * triangle + corner;
            fans[vertex as usize] += usize::from(corners.root(slot) == slot);
        }
    }
    fans.iter().filter(|&&count| count > 1).count()
}

/// Disjoint sets; the smallest member represents its set.
struct Partition {
    parent: Vec<usize>,
}

impl Partition {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).collect() }
    }

    fn root(&mut self, mut member: usize) -> usize {
        while self.parent[member] != member {
            self.parent[member] = self.parent[self.parent[member]];
            member = self.parent[member];
        }
        member
    }

    fn join(&mut self, first: usize, second: usize) {
        let (first, second) = (self.root(first), self.root(second));
        self.parent[first.max(second)] = first.min(second);
    }
}

#[cfg(test)]
mod tests {
    use pliant::glam::DVec3;

    use super::*;

    fn topology(vertices: usize, triangles: &[[u32; 3]]) -> Topology {
        let positions = (0..vertices).map(|i| DVec3::splat(i as f64)).collect();
        Topology::of(&Mesh::new(positions, triangles.to_vec()).unwrap())
    }

    #[test]
    fn a_tetrahedron_is_closed() {
        let solid = topology(4, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
        assert!(solid.is_closed());
        assert_eq!((solid.edges, solid.euler_characteristic(), solid.components), (6, 2, 1));
    }

    #[test]
    fn a_flipped_triangle_breaks_the_surface() {
        let turned = topology(4, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]);
        assert!(turned.is_closed(), "a turn of the corners is no flip");
        let flipped = topology(4, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 2, 3]]);
        assert!(!flipped.is_surface());
    }

    #[test]
    fn two_triangles_at_a_vertex_pinch_it() {
        let pinched = topology(5, &[[0, 1, 2], [0, 3, 4]]);
        assert_eq!((pinched.pinched_vertices, pinched.components), (1, 1));
        assert_eq!((pinched.boundary_edges, pinched.edges), (6, 6));
    }

    #[test]
    fn loose_vertices_and_parts_are_counted() {
        let loose = topology(7, &[[0, 1, 2], [3, 4, 5]]);
        assert_eq!((loose.vertices, loose.components, loose.euler_characteristic()), (6, 2, 2));
    }
}
