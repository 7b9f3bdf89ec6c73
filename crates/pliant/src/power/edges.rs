//! Edges and neighbours of the triangulation.

use std::collections::HashSet;

use super::PowerDiagram;
use super::cells::{GHOST, NONE};

impl PowerDiagram {
    /// The edges of the triangulation in ascending order, each with the smaller number first.
    #[must_use]
    pub fn edges(&self) -> Vec<[u32; 2]> {
        const SIDES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        // All neighbours with a larger number, grouped by the smaller number.
        let mut starts = vec![0usize; self.given + 1];
        let each_side = |visit: &mut dyn FnMut(usize, u32)| {
            for cell in self.cells.tetrahedra() {
                for [i, j] in SIDES {
                    let (a, b) = (cell.corners[i], cell.corners[j]);
                    if self.is_given(a.max(b)) {
                        visit(a.min(b) as usize, a.max(b));
                    }
                }
            }
        };
        each_side(&mut |low, _| starts[low] += 1);
        let mut total = 0;
        for start in &mut starts {
            (*start, total) = (total, total + *start);
        }
        let mut partners = vec![0u32; total];
        let mut next = starts.clone();
        each_side(&mut |low, high| {
            partners[next[low]] = high;
            next[low] += 1;
        });
        let mut edges = Vec::new();
        let mut seen = vec![GHOST; self.given];
        let mut own = Vec::new();
        for (low, range) in (0u32..).zip(starts.windows(2)) {
            own.clear();
            for &high in &partners[range[0]..range[1]] {
                if seen[high as usize] != low {
                    seen[high as usize] = low;
                    own.push(high);
                }
            }
            own.sort_unstable();
            edges.extend(own.iter().map(|&high| [low, high]));
        }
        edges
    }

    /// The balls to which a ball has edges, in ascending order; empty if it is hidden or does not
    /// exist.
    #[must_use]
    pub fn neighbors(&self, ball: u32) -> Vec<u32> {
        let mut found = Vec::new();
        for cell in self.star(ball) {
            found.extend(self.cells.cell(cell).corners);
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&other| other != ball && self.is_given(other));
        found
    }

    /// The cells around a ball, ghosts included.
    fn star(&self, ball: u32) -> Vec<u32> {
        let home = self.cells.cell_of.get(ball as usize).copied().filter(|&home| home != NONE);
        let mut star: Vec<u32> = home.into_iter().collect();
        let mut seen: HashSet<u32> = home.into_iter().collect();
        let mut next = 0;
        while let Some(&cell) = star.get(next) {
            next += 1;
            let cell = self.cells.cell(cell);
            for slot in (0..4).filter(|&slot| cell.corners[slot] != ball) {
                if seen.insert(cell.neighbors[slot]) {
                    star.push(cell.neighbors[slot]);
                }
            }
        }
        star
    }
}
