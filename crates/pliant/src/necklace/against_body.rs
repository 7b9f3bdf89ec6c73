//! Beads of a necklace against the triangles of a body.

use super::Cages;
use crate::body::Collide;
use crate::contact::ball_touches_triangle;
use crate::query::Work;
use crate::volume::{Overlap, Sphere, Volume as _};

/// Beads and triangles that touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BeadTriangles {
    /// Bead of the necklace, triangle of the body; ascending, each once.
    pub pairs: Vec<[u32; 2]>,
    /// What the query did.
    pub work: Work,
}

/// Returns all pairs of a bead and a triangle that have a point in common, touching included.
///
/// The trees of both are descended together: a cage against the volume of a node, the larger of the
/// two opened first.
///
/// Guarantee: the pairs of
/// [`brute_force::beads_against`](super::brute_force::beads_against), exact for all finite
/// coordinates ([`ball_touches_triangle`]).
///
/// ```
/// use pliant::{Body, Mesh, Necklace, glam::DVec3, necklace::{Layered, beads_against}};
/// let floor = Body::rigid(Mesh::new(vec![DVec3::ZERO, DVec3::X * 9.0, DVec3::Y * 9.0], vec![[0, 1, 2]])?)?;
/// let line: Vec<DVec3> = (0..4).map(|i| DVec3::new(1.0, 1.0, f64::from(i))).collect();
/// let rope = Layered::new(Necklace::open(&line, 1.0)?);
/// assert_eq!(beads_against(&rope, &floor).pairs, [[0, 0], [1, 0]]);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn beads_against<C: Cages, B: Collide>(cages: &C, body: &B) -> BeadTriangles
where
    B::Volume: Overlap<Sphere>,
{
    let mut found = BeadTriangles::default();
    let BeadTriangles { pairs, work } = &mut found;
    let beads = cages.necklace().beads();
    let (chain, tree) = (cages.tree(), body.tree());
    let mut waiting = vec![[0, 0]];
    while let Some([i, j]) = waiting.pop() {
        work.bounds += 2;
        work.overlap_tests += 1;
        let (cage, volume) = (cages.cage(i), body.bound(j));
        if !volume.overlaps(&cage) {
            continue;
        }
        let node = tree.node(j);
        match chain.children(i) {
            Some(halves) if node.is_leaf() || cage.extent() > volume.extent() => {
                waiting.extend(halves.map(|half| [half, j]));
            }
            _ if !node.is_leaf() => waiting.extend(node.range().map(|child| [i, child])),
            _ => {
                let bead = chain.nodes()[i as usize].first;
                for &triangle in tree.leaf_primitives(node) {
                    work.primitive_tests += 1;
                    if ball_touches_triangle(&beads[bead as usize], &body.triangle(triangle)) {
                        pairs.push([bead, triangle]);
                    }
                }
            }
        }
    }
    pairs.sort_unstable();
    found
}
