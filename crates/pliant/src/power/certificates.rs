//! Certificates of cells and their neighbours: if all hold, the cells are the regular
//! triangulation.

use std::cmp::Ordering;

use glam::DVec3;

use super::PowerDiagram;
use super::cells::{Cells, GHOST, NONE};
use super::predicate::TestedBalls;
use crate::contact::orient3d;
use crate::numeric::exact_integer::orient3d_of_mean;

impl Cells {
    /// Reports the balls of every certificate of a cell that fails for balls at the given
    /// positions: the orientation of a tetrahedron, the regularity of its faces, and the convexity
    /// of the hull at the edges of a ghost's triangle. A face is tested for the cell with the
    /// smaller number, or for every cell if `all_faces`.
    pub(super) fn failed_certificates(
        &self,
        balls: &TestedBalls,
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
        for beyond in cell.neighbors.into_iter().filter(|&beyond| all_faces || number < beyond) {
            let other = self.cell(beyond);
            let opposite = other.corners[other.slot_of_neighbor(number)];
            // The face between a ghost and its tetrahedron has no certificate.
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

    /// Whether cells whose certificates all hold cover the convex hull exactly once.
    ///
    /// Certificates are local: cells could wind around an edge twice although each certificate
    /// holds. Take a point q inside a tetrahedron. If q lies strictly inside every triangle of the
    /// hull, the hull's surface winds around q as often as there are tetrahedra that contain q,
    /// since all are positively oriented. If that number is one, the surface as seen from q does
    /// not overlap itself. It is convex at every edge, so it is the surface of a convex body. Every
    /// other interior point is contained in as many tetrahedra as q, so the tetrahedra cover the
    /// body without overlap. For such a cover, local regularity implies that the whole
    /// triangulation is regular.
    pub(super) fn cover_once(&self) -> bool {
        let holds = |corners: [DVec3; 4], q: &InnerPoint, strictly: bool| {
            FACES.iter().all(|face| {
                let side = q.side_of(face.map(|slot| corners[slot]));
                side == Ordering::Greater || (!strictly && side == Ordering::Equal)
            })
        };
        // A rounded middle is fastest to compare, but tetrahedra that are flat up to rounding do
        // not contain theirs. The true middle of any tetrahedron then takes its place.
        let middles = self.tetrahedra().map(|cell| {
            let corners = self.centers(cell.corners);
            (corners, corners.iter().fold(DVec3::ZERO, |sum, p| sum + *p / 4.0))
        });
        let rounded = { middles }.map(|(corners, middle)| (corners, InnerPoint::Point(middle)));
        let rounded = { rounded }.find(|(corners, middle)| holds(*corners, middle, true));
        let exact = || {
            let corners = self.centers(self.tetrahedra().next()?.corners);
            Some(InnerPoint::MeanOf(corners))
        };
        let Some(q) = rounded.map(|(_, middle)| middle).or_else(exact) else {
            return false;
        };
        let mut times = 0;
        for cell in self.cells.iter().filter(|cell| cell.is_live()) {
            if cell.is_ghost() {
                let [a, b, c, _] = cell.corners;
                let face = [a, b, c].map(|corner| self.balls[corner as usize].center);
                if q.side_of(face) != Ordering::Less {
                    return false;
                }
            } else {
                let corners = self.centers(cell.corners);
                times += usize::from(q.may_lie_in_box(corners) && holds(corners, &q, false));
            }
        }
        times == 1
    }
}

/// The faces of a positively oriented tetrahedron, each opposite to the corner of its number and
/// turned so that inner points are on its positive side.
const FACES: [[usize; 3]; 4] = [[2, 1, 3], [0, 2, 3], [1, 0, 3], [0, 1, 2]];

/// A point inside a tetrahedron.
enum InnerPoint {
    Point(DVec3),
    /// The mean of the corners, without rounding.
    MeanOf([DVec3; 4]),
}

impl InnerPoint {
    /// Compares the point with the plane through three points, as [`orient3d`]. Exact.
    fn side_of(&self, [a, b, c]: [DVec3; 3]) -> Ordering {
        match self {
            Self::Point(q) => orient3d(a, b, c, *q),
            Self::MeanOf(corners) => {
                let [a, b, c] = [a, b, c].map(|p| p.to_array());
                orient3d_of_mean(a, b, c, &corners.map(|p| p.to_array()))
            }
        }
    }

    /// Whether the point may lie in the box around some corners.
    fn may_lie_in_box(&self, [a, b, c, d]: [DVec3; 4]) -> bool {
        let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
        match self {
            Self::Point(q) => low.cmple(*q).all() && high.cmpge(*q).all(),
            Self::MeanOf(_) => true,
        }
    }
}

/// A violated invariant of a diagram, and the cell at which it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerDefect {
    /// The cell's number.
    pub cell: u32,
    /// The invariant that is violated.
    pub reason: &'static str,
}

impl PowerDiagram {
    /// Checks every invariant of the triangulation exactly and returns the first violation. The
    /// result is `None` unless the library has a bug. For tests.
    #[must_use]
    pub fn defect(&self) -> Option<PowerDefect> {
        let cells = &self.cells;
        let live = || (0u32..).zip(&cells.cells).filter(|(_, cell)| cell.is_live());
        for (number, cell) in live() {
            if let Some(reason) = self.inconsistency(number) {
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

    /// The way in which a cell and its neighbours are inconsistent, if any.
    fn inconsistency(&self, number: u32) -> Option<&'static str> {
        let cell = self.cells.cell(number);
        if cell.corners[..3].contains(&GHOST) {
            return Some("the ghost is not the last corner");
        }
        for slot in 0..4 {
            let beyond = self.cells.cells.get(cell.neighbors[slot] as usize);
            let Some(other) = beyond.filter(|other| other.is_live()) else {
                return Some("a neighbour does not exist");
            };
            let back = other.slot_of_neighbor(number);
            if other.neighbors[back] != number {
                return Some("a neighbour does not know the cell");
            }
            // With the neighbour's corner in place of the opposite one, the cell's corners are an
            // odd permutation of the neighbour's.
            let mut corners = cell.corners;
            corners[slot] = other.corners[back];
            if parity(corners, other.corners) != Some(false) {
                return Some("a neighbour does not share the face");
            }
        }
        None
    }
}

/// Whether one order of four corners is an even permutation of another; `None` if they are not the
/// same four.
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

        // A second copy of the cells: every certificate holds in both copies.
        let mut twice = cells.clone();
        let sheet = cells.cells.len() as u32;
        twice.cells.extend(
            cells.cells.iter().map(|&cell| Cell {
                neighbors: cell.neighbors.map(|beyond| beyond + sheet),
                ..cell
            }),
        );
        for cell in (0..2 * sheet).filter(|&cell| twice.cell(cell).is_live()) {
            twice.failed_certificates(&twice.balls, cell, true, |_| panic!("{cell} fails"));
        }
        assert!(!twice.cover_once());

        let mut folded = cells.clone();
        let fold = |ball: &Ball| Ball::new(ball.center.with_x(ball.center.x.abs()), ball.radius);
        folded.balls = TestedBalls::new(cells.balls.iter().map(fold).collect());
        assert!(!folded.cover_once());
    }

    /// No rounded middle of these tetrahedra lies inside one.
    #[test]
    fn a_height_of_one_rounding_is_no_defect() {
        for (low, high) in [(1.0, 1.0f64.next_up()), (-1.0f64.next_up(), -1.0), (0.0, 5e-324)] {
            let at = |x: f64, y: f64, z: f64| Ball::new(DVec3::new(x, y, z), 0.0);
            let mut balls = vec![at(0.0, 0.0, low), at(1.0, 0.0, low), at(0.0, 1.0, low)];
            balls.push(at(0.0, 0.0, high));
            assert_eq!(PowerDiagram::new(&balls).unwrap().defect(), None);
            balls.extend([at(1.0, 1.0, high), at(0.5, 0.25, low), at(0.75, -0.5, high)]);
            let cells = PowerDiagram::new(&balls).unwrap().cells;
            assert!(cells.cover_once());
            // A second copy of the cells is still found out.
            let mut twice = cells.clone();
            twice.cells.extend(cells.cells.iter());
            assert!(!twice.cover_once());
        }
    }

    #[test]
    fn broken_diagrams_have_defects() {
        let whole = diagram();
        assert_eq!(whole.defect(), None);
        let breaks: [fn(&mut Cells); 5] = [
            |cells| cells.cells[0].corners.swap(0, 1),
            |cells| cells.cells[0].neighbors.swap(0, 1),
            |cells| cells.cells[0].corners[0] = GHOST,
            |cells| cells.cell_of[7] = NONE,
            |cells| {
                let mut balls = cells.balls.to_vec();
                balls[7].radius = 2.0;
                cells.balls = TestedBalls::new(balls);
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
