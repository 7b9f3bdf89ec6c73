//! What must hold between a cell and its neighbours, so that all cells together are the
//! regular triangulation.

use std::cmp::Ordering;

use glam::DVec3;

use super::PowerDiagram;
use super::cells::{Cells, GHOST, NONE};
use super::predicate::Tested;
use crate::contact::orient3d;

impl Cells {
    /// Reports the balls of every certificate of a cell that fails for balls at given places:
    /// the orientation of a tetrahedron, the regularity of the faces to others, the convexity of the
    /// hull at the edges of a ghost's triangle. Faces count for the cell with the smaller number,
    /// and for any cell if `all_faces`.
    pub(super) fn failed_certificates(
        &self,
        balls: &Tested,
        number: u32,
        all_faces: bool,
        mut report: impl FnMut([u32; 5]),
    ) {
        let cell = self.cell(number);
        let orientation = |corners: [u32; 4]| {
            let [a, b, c, d] = corners.map(|corner| balls[corner as usize].center);
            orient3d(a, b, c, d)
        };
        let [a, b, c, d] = cell.corners;
        if !cell.is_ghost() && orientation(cell.corners) != Ordering::Greater {
            report([a, b, c, d, GHOST]);
        }
        for beyond in cell.beyond.into_iter().filter(|&beyond| all_faces || number < beyond) {
            let other = self.cell(beyond);
            let opposite = other.corners[other.slot_of_neighbor(number)];
            // A ghost's triangle and the tetrahedron behind it: nothing to hold.
            if cell.is_ghost() != other.is_ghost() {
                continue;
            }
            let fails = if cell.is_ghost() {
                orientation([a, b, c, opposite]) == Ordering::Greater
            } else {
                balls.conflicts(cell.corners, opposite)
            };
            if fails {
                report([a, b, c, d, opposite]);
            }
        }
    }

    /// Whether cells whose certificates all hold cover the convex hull once, not more often.
    ///
    /// Certificates are local: cells could wind around an edge twice, and each be in order.
    /// Take a point q inside a tetrahedron. If every triangle of the hull has q
    /// strictly inside, the hull's surface winds around q as often as tetrahedra hold q, since all
    /// are positive. If that is once, the surface is seen from q without overlap; being
    /// convex at every edge, it is then the surface of a convex body. Every other point
    /// inside is held by as many tetrahedra as q: they cover the body without overlap.
    /// For such a covering, local regularity makes the whole regular.
    pub(super) fn cover_once(&self) -> bool {
        let holds = |corners: [DVec3; 4], q: DVec3, strictly: bool| {
            (0..4).all(|slot| {
                let mut seen = corners;
                seen[slot] = q;
                let [a, b, c, d] = seen;
                let side = orient3d(a, b, c, d);
                side == Ordering::Greater || (!strictly && side == Ordering::Equal)
            })
        };
        let middles = self.tetrahedra().map(|cell| {
            let corners = self.centers(cell.corners);
            (corners, corners.iter().fold(DVec3::ZERO, |sum, p| sum + *p / 4.0))
        });
        let Some((_, q)) = { middles }.find(|&(corners, middle)| holds(corners, middle, true))
        else {
            return false;
        };
        let mut times = 0;
        for cell in self.cells.iter().filter(|cell| cell.is_live()) {
            if cell.is_ghost() {
                let [a, b, c, _] = cell.corners;
                let [a, b, c] = [a, b, c].map(|corner| self.balls[corner as usize].center);
                if orient3d(a, b, c, q) != Ordering::Less {
                    return false;
                }
            } else {
                let corners = self.centers(cell.corners);
                let [a, b, c, d] = corners;
                let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
                let in_box = low.cmple(q).all() && high.cmpge(q).all();
                times += usize::from(in_box && holds(corners, q, false));
            }
        }
        times == 1
    }
}

/// What is wrong with a diagram, and at which cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerDefect {
    /// The cell's number.
    pub cell: u32,
    /// What does not hold.
    pub reason: &'static str,
}

impl PowerDiagram {
    /// Checks every invariant of the triangulation exactly, and reports the first that does
    /// not hold. `None` unless there is a defect in this library: for tests.
    #[must_use]
    pub fn defect(&self) -> Option<PowerDefect> {
        let cells = &self.cells;
        let live = || (0u32..).zip(&cells.cells).filter(|(_, cell)| cell.is_live());
        for (number, cell) in live() {
            if let Some(reason) = self.misfit(number) {
                return Some(PowerDefect { cell: number, reason });
            }
            for corner in cell.corners.into_iter().filter(|&corner| corner != GHOST) {
                let home = cells.cell_of[corner as usize];
                if home == NONE || !cells.cell(home).corners.contains(&corner) {
                    return Some(PowerDefect {
                        cell: number,
                        reason: "a corner's cell is not its own",
                    });
                }
            }
            let mut failed = false;
            cells.failed_certificates(&cells.balls, number, false, |_| failed = true);
            if failed {
                return Some(PowerDefect { cell: number, reason: "a certificate fails" });
            }
        }
        for hidden in self.hidden() {
            if let Some((cell, _)) = live().find(|&(cell, _)| cells.conflicts(cell, hidden)) {
                return Some(PowerDefect { cell, reason: "a hidden ball conflicts" });
            }
        }
        let covered = cells.cover_once();
        (!covered)
            .then_some(PowerDefect { cell: 0, reason: "the cells do not cover the hull once" })
    }

    /// How a cell and its neighbours do not fit together.
    fn misfit(&self, number: u32) -> Option<&'static str> {
        let cell = self.cells.cell(number);
        if cell.corners[..3].contains(&GHOST) {
            return Some("the ghost is not the last corner");
        }
        for slot in 0..4 {
            let beyond = self.cells.cells.get(cell.beyond[slot] as usize);
            let Some(other) = beyond.filter(|other| other.is_live()) else {
                return Some("a neighbour does not exist");
            };
            let back = other.slot_of_neighbor(number);
            if other.beyond[back] != number {
                return Some("a neighbour does not know the cell");
            }
            // With its corner in place of ours, the neighbour's corners are ours in an odd order.
            let mut corners = cell.corners;
            corners[slot] = other.corners[back];
            if parity(corners, other.corners) != Some(false) {
                return Some("a neighbour does not share the face");
            }
        }
        None
    }
}

/// Whether one order of four corners is an even permutation of another; `None` if they are
/// not the same four.
pub(super) fn parity(from: [u32; 4], to: [u32; 4]) -> Option<bool> {
    let mut from = from;
    let mut even = true;
    for (slot, corner) in to.into_iter().enumerate() {
        let at = (slot..4).find(|&at| from[at] == corner)?;
        if at != slot {
            from.swap(at, slot);
            even = !even;
        }
    }
    Some(even)
}

#[cfg(test)]
mod tests {
    use super::super::cells::Cell;
    use super::*;
    use crate::volume::Ball;

    fn diagram() -> PowerDiagram {
        let place = |i: u32| [17, 29, 41].map(|k| f64::from(i * k % 97) / 48.5 - 1.0);
        let balls: Vec<Ball> = (0..60).map(|i| Ball::new(DVec3::from(place(i)), 0.1)).collect();
        PowerDiagram::new(&balls).unwrap()
    }

    #[test]
    fn cells_that_cover_twice_or_fold_are_found_out() {
        let cells = diagram().cells;
        assert!(cells.cover_once());

        // A second sheet on the first: every certificate holds in both.
        let mut twice = cells.clone();
        let sheet = cells.cells.len() as u32;
        twice.cells.extend(
            cells
                .cells
                .iter()
                .map(|&cell| Cell { beyond: cell.beyond.map(|beyond| beyond + sheet), ..cell }),
        );
        for cell in (0..2 * sheet).filter(|&cell| twice.cell(cell).is_live()) {
            twice.failed_certificates(&twice.balls, cell, true, |_| panic!("{cell} fails"));
        }
        assert!(!twice.cover_once());

        let mut folded = cells.clone();
        let fold = |ball: &Ball| Ball::new(ball.center.with_x(ball.center.x.abs()), ball.radius);
        folded.balls = Tested::new(cells.balls.iter().map(fold).collect());
        assert!(!folded.cover_once());
    }

    #[test]
    fn broken_diagrams_have_defects() {
        let whole = diagram();
        assert_eq!(whole.defect(), None);
        let breaks: [fn(&mut Cells); 5] = [
            |cells| cells.cells[0].corners.swap(0, 1),
            |cells| cells.cells[0].beyond.swap(0, 1),
            |cells| cells.cells[0].corners[0] = GHOST,
            |cells| cells.cell_of[7] = NONE,
            |cells| {
                let mut balls = cells.balls.to_vec();
                balls[7].radius = 2.0;
                cells.balls = Tested::new(balls);
            },
        ];
        for damage in breaks {
            let mut broken = whole.clone();
            assert!(broken.cells.cells[0].is_live(), "the damage must be to a cell in use");
            damage(&mut broken.cells);
            assert!(broken.defect().is_some());
        }
    }

    #[test]
    fn parity_counts_exchanges() {
        assert_eq!(parity([1, 2, 3, 4], [1, 2, 3, 4]), Some(true));
        assert_eq!(parity([1, 2, 3, 4], [2, 1, 3, 4]), Some(false));
        assert_eq!(parity([1, 2, 3, 4], [2, 3, 1, 4]), Some(true));
        assert_eq!(parity([1, 2, 3, 4], [2, 3, 1, 5]), None);
    }
}
