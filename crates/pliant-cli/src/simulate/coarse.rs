//! A coarser mesh, for showing thousands of bodies.
//!
//! A mesh is a number of pieces that are connected: a bridge consists of thousands of beams. Each piece is
//! put into a box along its own axes, which is cut into cells, at least two along each axis; the vertices
//! of one cell become the one that is farthest out (Rossignac and Borrel 1993, with a grid per piece). So a
//! beam stays a beam, as long and as thin as it is. Where even that is too much, the pieces with the least area
//! are left out.

use std::collections::BTreeMap;

use glam::DVec3;
use pliant::Mesh;

/// A coarser mesh.
#[derive(Debug, Clone)]
pub(super) struct Coarse {
    pub(super) positions: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// For each vertex one of the mesh that moves as it does.
    pub(super) stand_in: Vec<u32>,
}

/// The least triangles of a piece: a box.
const LEAST: usize = 12;

/// A mesh of at most about so many triangles that looks alike from afar. A mesh that is small enough stays
/// as it is.
pub(super) fn coarse(mesh: &Mesh, triangles: usize) -> Coarse {
    if mesh.triangles().len() <= triangles {
        return Coarse {
            positions: mesh.positions().to_vec(),
            triangles: mesh.triangles().to_vec(),
            stand_in: (0..mesh.positions().len() as u32).collect(),
        };
    }
    let mut pieces = pieces(mesh);
    // The largest first; of equal ones the first.
    pieces.sort_by(|a, b| b.area.total_cmp(&a.area));
    pieces.truncate((triangles / LEAST).max(1));
    let size =
        pieces.iter().map(|piece| piece.size.max_element()).fold(f64::MIN_POSITIVE, f64::max);
    let (mut fine, mut rough) = (size / 512.0, size);
    let mut best = clustered(mesh, &pieces, rough);
    for _ in 0..10 {
        let side = (fine * rough).sqrt();
        let found = clustered(mesh, &pieces, side);
        if found.triangles.len() <= triangles {
            (best, rough) = (found, side);
        } else {
            fine = side;
        }
    }
    best
}

/// Triangles that are connected, in a box along their own axes.
struct Piece {
    triangles: Vec<u32>,
    area: f64,
    axes: [DVec3; 3],
    /// The lowest corner along the axes, and the size.
    low: DVec3,
    size: DVec3,
}

fn pieces(mesh: &Mesh) -> Vec<Piece> {
    let connected = mesh.connectivity();
    let mut of_piece = vec![Vec::new(); connected.pieces()];
    for triangle in 0..mesh.triangles().len() as u32 {
        of_piece[connected.piece(triangle) as usize].push(triangle);
    }
    of_piece.into_iter().map(|triangles| Piece::new(mesh, triangles)).collect()
}

impl Piece {
    /// The first axis goes along what is farthest from a corner, the second to what is farthest from that line.
    fn new(mesh: &Mesh, triangles: Vec<u32>) -> Self {
        let corners_of = |&at: &u32| {
            mesh.triangles()[at as usize].map(|vertex| mesh.positions()[vertex as usize])
        };
        let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
        let area = triangles.iter().map(corners_of).map(area).sum();
        let corners: Vec<DVec3> = triangles.iter().flat_map(corners_of).collect();
        let farthest = |way: &dyn Fn(DVec3) -> DVec3| {
            corners.iter().map(|&at| way(at)).fold(DVec3::ZERO, |most, way| {
                if way.length_squared() > most.length_squared() { way } else { most }
            })
        };
        let first = corners.first().copied().unwrap_or_default();
        let end = first + farthest(&|at| at - first);
        let along = farthest(&|at| at - end).try_normalize().unwrap_or(DVec3::X);
        let aside = farthest(&|at| (at - end).reject_from_normalized(along));
        let aside = aside.reject_from_normalized(along).try_normalize();
        let aside = aside.unwrap_or_else(|| along.any_orthonormal_vector());
        let axes = [along, aside, along.cross(aside)];
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = corners.iter().fold(none, |(low, high), &at| {
            let own = along_axes(&axes, at);
            (low.min(own), high.max(own))
        });
        Self { triangles, area, axes, low, size: (high - low).max(DVec3::ZERO) }
    }

    /// Where a point is in the box, from 0 to 1 along each axis.
    fn share(&self, at: DVec3) -> DVec3 {
        (along_axes(&self.axes, at) - self.low) / self.size.max(DVec3::splat(1e-300))
    }

    /// How far out a point is: the square of its distance from the middle of the box, in sizes of the box.
    fn out(&self, at: DVec3) -> f64 {
        (self.share(at) - 0.5).length_squared()
    }

    /// The cell of a point, with cells of about this side.
    fn cell(&self, at: DVec3, side: f64) -> [u32; 3] {
        let counts = (self.size / side).ceil().clamp(DVec3::splat(2.0), DVec3::splat(1024.0));
        let own = self.share(at);
        (own * counts).min(counts - 1.0).to_array().map(|number| number as u32)
    }
}

fn along_axes(axes: &[DVec3; 3], at: DVec3) -> DVec3 {
    DVec3::from_array(axes.map(|axis| axis.dot(at)))
}

fn clustered(mesh: &Mesh, pieces: &[Piece], side: f64) -> Coarse {
    let mut made = Coarse { positions: vec![], triangles: vec![], stand_in: vec![] };
    let (mut outermost, mut cells) = (Vec::new(), BTreeMap::new());
    let mut numbers = vec![None; mesh.positions().len()];
    for piece in pieces {
        cells.clear();
        for &triangle in &piece.triangles {
            let triangle = mesh.triangles()[triangle as usize].map(|vertex| {
                *numbers[vertex as usize].get_or_insert_with(|| {
                    let at = mesh.positions()[vertex as usize];
                    let out = piece.out(at);
                    let number = *cells.entry(piece.cell(at, side)).or_insert_with(|| {
                        made.positions.push(at);
                        made.stand_in.push(vertex);
                        outermost.push(out);
                        outermost.len() - 1
                    });
                    if out > outermost[number] {
                        outermost[number] = out;
                        made.positions[number] = at;
                        made.stand_in[number] = vertex;
                    }
                    number as u32
                })
            });
            let [a, b, c] = triangle;
            if a != b && b != c && c != a {
                made.triangles.push(triangle);
            }
        }
    }
    // Each triangle once, by its least corner first.
    for triangle in &mut made.triangles {
        let least = (0..3).min_by_key(|&at| triangle[at]).unwrap_or(0);
        triangle.rotate_left(least);
    }
    made.triangles.sort_unstable();
    made.triangles.dedup();
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thin beams stay where a grid over the whole would let them vanish.
    #[test]
    fn a_bridge_keeps_its_largest_pieces() {
        let bridge = pliant_scenes::bridge().unwrap().mesh;
        let shown = coarse(&bridge, 8000);
        assert!((4000..=8000).contains(&shown.triangles.len()), "{}", shown.triangles.len());
        assert_eq!(shown.positions.len(), shown.stand_in.len());
        // The planks of the deck, one per metre, cover it.
        let deck = |p: &&DVec3| p.y.abs() < 0.2 && p.z.abs() > 3.5;
        assert!(shown.positions.iter().filter(deck).count() >= 4 * 240);
        for (&shown, &vertex) in shown.positions.iter().zip(&shown.stand_in) {
            assert!(shown.distance(bridge.positions()[vertex as usize]) < 4.1);
        }
    }

    #[test]
    fn one_piece_has_about_as_many_triangles_as_asked_for() {
        let ball = pliant_scenes::icosphere(5).unwrap();
        for most in [12, 300, 4000] {
            let shown = coarse(&ball, most);
            assert!((most / 3..=most).contains(&shown.triangles.len()), "{most}");
            assert!(shown.positions.iter().all(|p| (0.4..1.001).contains(&p.length())));
        }
        assert_eq!(coarse(&ball, usize::MAX).triangles, ball.triangles());
    }
}
