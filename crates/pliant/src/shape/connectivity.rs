//! Which triangles of a mesh hang together, and whether they close up.
//!
//! Vertices with one rest position count as one, as they do for
//! [`Mesh::adjacent`](super::Mesh::adjacent): a seam is no border.

use std::sync::OnceLock;

/// Whether the triangles of a piece of a mesh enclose something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closure {
    /// Every edge is passed as often in one direction as in the other. Such a piece has a winding
    /// number about every point that is not on it.
    Oriented,
    /// Every edge has an even number of triangles, but some are passed twice in one direction. Such
    /// a piece has an inside by parity, and no winding number.
    Unoriented,
    /// Some edge has an odd number of triangles: the piece has a border.
    Open,
}

/// What a triangle has in place of an edge whose two ends are one place.
pub(crate) const NO_EDGE: u32 = u32::MAX;

/// Edges and pieces of a mesh. An edge joins two places; a piece is a set of triangles that are
/// connected through edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connectivity {
    /// For each triangle its edges (0 to 1, 1 to 2, 2 to 0), or [`NO_EDGE`].
    edges_of_triangle: Vec<[u32; 3]>,
    /// For each edge its two places, the smaller first.
    ends: Vec<[u32; 2]>,
    /// For each edge whether an odd number of triangles has it.
    borders: Vec<bool>,
    /// For each triangle its piece.
    pieces: Vec<u32>,
    closures: Vec<Closure>,
    /// For each piece its first triangle.
    first_triangles: Vec<u32>,
    /// Where the edges of each place begin in `edges_at_places`.
    starts: Vec<u32>,
    edges_at_places: Vec<u32>,
}

impl Connectivity {
    /// The edges and pieces of triangles that are given by the places of their corners.
    pub(super) fn new(places: &[[u32; 3]], vertices: usize) -> Self {
        let mut uses: Vec<(u32, u32, bool, u32, u8)> = Vec::with_capacity(3 * places.len());
        for (triangle, corners) in (0u32..).zip(places) {
            for side in 0..3u8 {
                let from = corners[usize::from(side)];
                let to = corners[(usize::from(side) + 1) % 3];
                if from != to {
                    uses.push((from.min(to), from.max(to), from < to, triangle, side));
                }
            }
        }
        uses.sort_unstable();
        let mut edges_of_triangle = vec![[NO_EDGE; 3]; places.len()];
        let (mut ends, mut borders) = (Vec::new(), Vec::new());
        let mut sets = DisjointSets::new(places.len());
        for group in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for &(_, _, _, triangle, side) in group {
                edges_of_triangle[triangle as usize][usize::from(side)] = ends.len() as u32;
                sets.join(group[0].3, triangle);
            }
            ends.push([group[0].0, group[0].1]);
            borders.push(group.len() % 2 == 1);
        }
        let (pieces, first_triangles) = sets.numbered();
        let mut closures = vec![Closure::Oriented; first_triangles.len()];
        for group in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let closure = &mut closures[pieces[group[0].3 as usize] as usize];
            let forward = group.iter().filter(|edge| edge.2).count();
            if group.len() % 2 == 1 {
                *closure = Closure::Open;
            } else if 2 * forward != group.len() && *closure == Closure::Oriented {
                *closure = Closure::Unoriented;
            }
        }
        let mut starts = vec![0u32; vertices + 1];
        for end in ends.as_flattened() {
            starts[*end as usize + 1] += 1;
        }
        for place in 0..vertices {
            starts[place + 1] += starts[place];
        }
        let mut next = starts.clone();
        let mut edges_at_places = vec![0; 2 * ends.len()];
        for (edge, both) in (0u32..).zip(&ends) {
            for &end in both {
                edges_at_places[next[end as usize] as usize] = edge;
                next[end as usize] += 1;
            }
        }
        Self {
            edges_of_triangle,
            ends,
            borders,
            pieces,
            closures,
            first_triangles,
            starts,
            edges_at_places,
        }
    }

    /// How many pieces there are.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.closures.len()
    }

    /// The piece of a triangle. Pieces are numbered by their first triangles.
    ///
    /// # Panics
    /// If the triangle does not exist.
    #[must_use]
    #[inline]
    pub fn piece(&self, triangle: u32) -> u32 {
        self.pieces[triangle as usize]
    }

    /// Whether a piece closes up.
    ///
    /// # Panics
    /// If the piece does not exist.
    #[must_use]
    #[inline]
    pub fn closure(&self, piece: u32) -> Closure {
        self.closures[piece as usize]
    }

    /// Whether any piece closes up like that.
    #[must_use]
    pub fn has(&self, closure: Closure) -> bool {
        self.closures.contains(&closure)
    }

    /// The first triangle of each piece.
    pub(crate) fn first_triangles(&self) -> &[u32] {
        &self.first_triangles
    }

    /// The edges of a triangle, or [`NO_EDGE`] where both ends are one place.
    #[inline]
    pub(crate) fn edges(&self, triangle: u32) -> [u32; 3] {
        self.edges_of_triangle[triangle as usize]
    }

    /// The two places of an edge, the smaller first.
    #[inline]
    pub(crate) fn ends(&self, edge: u32) -> [u32; 2] {
        self.ends[edge as usize]
    }

    /// Whether an odd number of triangles has an edge: the surface ends there.
    #[inline]
    pub(crate) fn is_border(&self, edge: u32) -> bool {
        self.borders[edge as usize]
    }

    /// The edges that end at a place.
    pub(crate) fn edges_at(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.edges_at_places[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// Made when it is first asked for, and no part of what a mesh is.
#[derive(Debug, Clone, Default)]
pub(super) struct OnceConnectivity(pub(super) OnceLock<Connectivity>);

impl PartialEq for OnceConnectivity {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Numbers `0 .. n`, joined to sets. The first of a set is its smallest number.
#[derive(Debug, Clone)]
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The smallest number of a number's set.
    pub(crate) fn first(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            let parent = self.parents[number as usize];
            self.parents[number as usize] = self.parents[parent as usize];
            number = parent;
        }
        number
    }

    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// For each number the number of its set, and for each set its first number. Sets are numbered
    /// in the order of their first numbers.
    pub(crate) fn numbered(mut self) -> (Vec<u32>, Vec<u32>) {
        let mut sets = vec![0; self.parents.len()];
        let mut firsts = Vec::new();
        for number in 0..self.parents.len() as u32 {
            let first = self.first(number);
            if first == number {
                sets[number as usize] = firsts.len() as u32;
                firsts.push(number);
            } else {
                sets[number as usize] = sets[first as usize];
            }
        }
        (sets, firsts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    #[test]
    fn pieces_and_borders() {
        let closed = Connectivity::new(&TETRAHEDRON, 4);
        assert_eq!((closed.pieces(), closed.closure(0)), (1, Closure::Oriented));
        assert_eq!(closed.edges_at(3).len(), 3);
        let [a, b] = closed.ends(closed.edges(1)[1]);
        assert_eq!([a, b], [1, 3]);

        let mut turned = TETRAHEDRON;
        turned[2].swap(0, 1);
        assert_eq!(Connectivity::new(&turned, 4).closure(0), Closure::Unoriented);
        assert_eq!(Connectivity::new(&TETRAHEDRON[1..], 4).closure(0), Closure::Open);

        // A second piece that shares one place, and a triangle that is a segment.
        let fan = [TETRAHEDRON.as_slice(), &[[3, 4, 5], [6, 7, 6]]].concat();
        let fan = Connectivity::new(&fan, 8);
        assert_eq!(fan.pieces(), 3);
        assert_eq!(fan.first_triangles(), [0, 4, 5]);
        assert_eq!(
            [0, 1, 2].map(|piece| fan.closure(piece)),
            [Closure::Oriented, Closure::Open, Closure::Oriented]
        );
        assert_eq!(fan.edges(5)[2], NO_EDGE);
    }
}
