//! The cells of a triangulation: plain arrays of corners and neighbours.
//!
//! Beside the tetrahedra there is a ghost cell for every triangle of the convex hull, whose
//! last corner is a vertex at infinity. With them every cell has four neighbours, and neither
//! an insertion outside the hull nor one inside needs cases of its own.

use std::cmp::Ordering;

use glam::DVec3;

use super::predicate::Tested;
use crate::contact::orient3d;
use crate::volume::Ball;

/// The vertex at infinity: always the last corner of its cells.
pub(super) const GHOST: u32 = u32::MAX;
/// No cell: for balls that are hidden, and links that are not made yet.
pub(super) const NONE: u32 = u32::MAX;

/// Four corners, positively oriented, and the neighbour opposite to each.
///
/// A ghost cell would be positively oriented if its last corner were any point that sees
/// its triangle from outside. A freed cell has the ghost as its first corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) corners: [u32; 4],
    pub(super) beyond: [u32; 4],
    /// What the current insertion found out about the cell; see [`Cells::begin`].
    pub(super) mark: u32,
}

impl Cell {
    pub(super) const fn new(corners: [u32; 4]) -> Self {
        Self { corners, beyond: [NONE; 4], mark: 0 }
    }

    #[inline]
    pub(super) fn is_live(&self) -> bool {
        self.corners[0] != GHOST
    }

    #[inline]
    pub(super) fn is_ghost(&self) -> bool {
        self.corners[3] == GHOST
    }

    #[inline]
    pub(super) fn is_tetrahedron(&self) -> bool {
        self.is_live() && !self.is_ghost()
    }

    /// Where a neighbour is.
    #[inline]
    pub(super) fn slot_of_neighbor(&self, cell: u32) -> usize {
        let [a, b, c, _] = self.beyond;
        if a == cell {
            0
        } else if b == cell {
            1
        } else if c == cell {
            2
        } else {
            3
        }
    }

    /// Where a corner is.
    #[inline]
    pub(super) fn slot_of_corner(&self, ball: u32) -> usize {
        let [a, b, c, _] = self.corners;
        if a == ball {
            0
        } else if b == ball {
            1
        } else if c == ball {
            2
        } else {
            3
        }
    }
}

/// A regular triangulation of some of its balls: of those that have a cell.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    pub(super) balls: Tested,
    pub(super) cells: Vec<Cell>,
    pub(super) free: Vec<u32>,
    /// A cell of each ball, or [`NONE`] if it is hidden or not inserted.
    pub(super) cell_of: Vec<u32>,
    /// Where the next search starts.
    pub(super) last: u32,
    /// The mark of cells that conflict with the ball being inserted; one more: that do not.
    pub(super) stamp: u32,
    /// Scratch of an insertion: the cells in conflict, and their faces to cells that are not.
    pub(super) cavity: Vec<u32>,
    pub(super) rim: Vec<(u32, u8)>,
}

impl Cells {
    /// The triangulation of four balls that span a volume, positively oriented.
    pub(super) fn of_four(balls: Vec<Ball>, corners: [u32; 4]) -> Self {
        let mut cell_of = vec![NONE; balls.len()];
        let mut cells = vec![Cell::new(corners)];
        for slot in 0..4 {
            cell_of[corners[slot] as usize] = 0;
            // Seen from the other side the face turns the other way round: one exchange. Where
            // the opposite corner is not the last, putting the ghost there is that exchange.
            let mut ghost = corners;
            ghost[slot] = GHOST;
            if slot == 3 {
                ghost.swap(0, 1);
            } else {
                ghost.swap(slot, 3);
            }
            cells.push(Cell::new(ghost));
        }
        // Any two of the five cells share a face: all corners but the one that the other lacks.
        for one in 0..5u32 {
            for other in (0..5u32).filter(|&other| other != one) {
                let lacks = |ball: &u32| !cells[other as usize].corners.contains(ball);
                if let Some(slot) = cells[one as usize].corners.iter().position(lacks) {
                    cells[one as usize].beyond[slot] = other;
                }
            }
        }
        Self {
            balls: Tested::new(balls),
            cells,
            free: Vec::new(),
            cell_of,
            last: 0,
            stamp: 0,
            cavity: Vec::new(),
            rim: Vec::new(),
        }
    }

    /// Forgets all marks.
    pub(super) fn begin(&mut self) {
        if self.stamp >= u32::MAX - 4 {
            self.cells.iter_mut().for_each(|cell| cell.mark = 0);
            self.stamp = 0;
        }
        self.stamp += 2;
    }

    #[inline]
    pub(super) fn cell(&self, cell: u32) -> &Cell {
        &self.cells[cell as usize]
    }

    #[inline]
    pub(super) fn centers(&self, corners: [u32; 4]) -> [DVec3; 4] {
        let [a, b, c, d] = self.balls.four(corners);
        [a.center, b.center, c.center, d.center]
    }

    /// Whether a ball destroys a cell.
    ///
    /// A ghost cell stands for all that its triangle shows to the outside: it conflicts with
    /// a ball whose centre lies there. A centre in the triangle's plane lies over the same
    /// lifted triangle as in the tetrahedron behind, so that one's conflict is also this one's: both
    /// heights are those of the same plane in four dimensions, cut with the triangle's.
    #[inline]
    pub(super) fn conflicts(&self, cell: u32, ball: u32) -> bool {
        let found = self.cell(cell);
        if !found.is_ghost() {
            return self.balls.conflicts(found.corners, ball);
        }
        let [a, b, c, _] = found.corners;
        let [a, b, c, p] = self.centers([a, b, c, ball]);
        match orient3d(a, b, c, p) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => self.balls.conflicts(self.cell(found.beyond[3]).corners, ball),
        }
    }

    /// A new cell's number.
    #[inline]
    pub(super) fn add(&mut self, cell: Cell) -> u32 {
        if let Some(number) = self.free.pop() {
            self.cells[number as usize] = cell;
            number
        } else {
            self.cells.push(cell);
            (self.cells.len() - 1) as u32
        }
    }

    /// Frees a cell.
    #[inline]
    pub(super) fn discard(&mut self, cell: u32) {
        self.cells[cell as usize].corners[0] = GHOST;
        self.free.push(cell);
    }

    /// All tetrahedra.
    pub(super) fn tetrahedra(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.is_tetrahedron())
    }
}
