//! The cells of a triangulation: plain arrays of corners and neighbours.
//!
//! Besides the tetrahedra there is one ghost cell per triangle of the convex hull, whose last
//! corner is a vertex at infinity. With ghosts every cell has four neighbours, and insertions
//! inside and outside the hull need no separate cases.

use std::cmp::Ordering;

use glam::DVec3;

use super::predicate::TestedBalls;
use crate::contact::orient3d;
use crate::volume::Ball;

/// The vertex at infinity; always the last corner of its cells.
pub(super) const GHOST: u32 = u32::MAX;
/// No cell: for hidden balls and for links that are not set yet.
pub(super) const NONE: u32 = u32::MAX;

/// Four positively oriented corners, and the neighbour opposite to each.
///
/// A ghost cell is positively oriented if its last corner is replaced by any point that sees its
/// triangle from outside. A freed cell has the ghost as its first corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) corners: [u32; 4],
    pub(super) neighbors: [u32; 4],
    /// The result of the current insertion's conflict test; see [`Cells::begin`].
    pub(super) mark: u32,
}

impl Cell {
    pub(super) const fn new(corners: [u32; 4]) -> Self {
        Self { corners, neighbors: [NONE; 4], mark: 0 }
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

    /// The slot of a neighbour.
    #[inline]
    pub(super) fn slot_of_neighbor(&self, cell: u32) -> usize {
        slot_of(self.neighbors, cell)
    }

    /// The slot of a corner.
    #[inline]
    pub(super) fn slot_of_corner(&self, ball: u32) -> usize {
        slot_of(self.corners, ball)
    }
}

/// The index of a number that is one of four.
#[inline]
fn slot_of([a, b, c, _]: [u32; 4], number: u32) -> usize {
    if a == number {
        0
    } else if b == number {
        1
    } else if c == number {
        2
    } else {
        3
    }
}

/// A regular triangulation of those balls that have a cell.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    pub(super) balls: TestedBalls,
    pub(super) cells: Vec<Cell>,
    pub(super) free: Vec<u32>,
    /// One cell of each ball, or [`NONE`] if the ball is hidden or not inserted.
    pub(super) cell_of: Vec<u32>,
    /// The cell at which the next search starts.
    pub(super) last: u32,
    /// The mark of cells that conflict with the ball being inserted. Cells that do not conflict
    /// have the mark `stamp + 1`.
    pub(super) stamp: u32,
    /// Scratch memory of an insertion: the cells in conflict, and their faces to cells not in
    /// conflict.
    pub(super) cavity: Vec<u32>,
    pub(super) boundary: Vec<(u32, u8)>,
}

impl Cells {
    /// The triangulation of four positively oriented balls that span a volume.
    pub(super) fn of_four(balls: Vec<Ball>, corners: [u32; 4]) -> Self {
        let mut cell_of = vec![NONE; balls.len()];
        let mut cells = vec![Cell::new(corners)];
        for slot in 0..4 {
            cell_of[corners[slot] as usize] = 0;
            // Seen from outside, a face has the opposite orientation, so two corners are swapped.
            // If the opposite corner is not the last, moving the ghost to the last slot is that
            // swap.
            let mut ghost = corners;
            ghost[slot] = GHOST;
            if slot == 3 {
                ghost.swap(0, 1);
            } else {
                ghost.swap(slot, 3);
            }
            cells.push(Cell::new(ghost));
        }
        // Any two of the five cells share a face: all corners except the one that the other cell
        // lacks.
        for one in 0..5u32 {
            for other in (0..5u32).filter(|&other| other != one) {
                let lacks = |ball: &u32| !cells[other as usize].corners.contains(ball);
                if let Some(slot) = cells[one as usize].corners.iter().position(lacks) {
                    cells[one as usize].neighbors[slot] = other;
                }
            }
        }
        Self {
            balls: TestedBalls::new(balls),
            cells,
            free: Vec::new(),
            cell_of,
            last: 0,
            stamp: 0,
            cavity: Vec::new(),
            boundary: Vec::new(),
        }
    }

    /// Invalidates all marks.
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

    /// Whether a ball conflicts with a cell, that is, whether its insertion removes the cell.
    ///
    /// A ghost cell covers the half-space outside its triangle: it conflicts with a ball whose
    /// centre lies there. If the centre lies in the triangle's plane, the ghost conflicts exactly
    /// if the tetrahedron behind the triangle does: above that plane, the lifting hyperplanes of
    /// both cells have the same height.
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
            Ordering::Equal => self.balls.conflicts(self.cell(found.neighbors[3]).corners, ball),
        }
    }

    /// Stores a cell and returns its number.
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
