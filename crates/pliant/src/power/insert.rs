//! Insertion of one ball: walk to its centre, remove the cells in conflict, fill the cavity.

use std::cmp::Ordering;

use super::cells::{Cell, Cells, GHOST, NONE};
use crate::contact::orient3d;

impl Cells {
    /// Inserts a ball. Does nothing if the ball is hidden. Balls that it hides lose their cells.
    ///
    /// The cells in conflict are connected and star-shaped around the ball's centre, and no face of
    /// the cavity is coplanar with the centre: a ball in the plane of a face conflicts with both
    /// cells at that face or with neither, because their lifting hyperplanes have the same height
    /// there. This holds exactly, since the tests are exact.
    pub(super) fn insert(&mut self, ball: u32) {
        let Some(start) = self.locate(ball) else { return };
        self.clear(start, ball);
        self.fill(ball);
        self.drop_cavity();
    }

    /// Returns a cell in conflict with a ball, or `None` if the ball is hidden.
    ///
    /// Walks to the cell that contains the centre, through faces that separate the current cell
    /// from the centre. In a regular triangulation such a walk never returns to a cell
    /// (Edelsbrunner, "An acyclicity theorem for cell complexes in d dimensions", 1990), so it
    /// ends.
    fn locate(&mut self, ball: u32) -> Option<u32> {
        let center = self.balls[ball as usize].center;
        let (mut at, mut from) = (self.last, NONE);
        if self.cell(at).is_ghost() {
            at = self.cell(at).neighbors[3];
        }
        'walk: for step in 0..self.cells.len() {
            let cell = self.cell(at);
            if cell.is_ghost() {
                return Some(at);
            }
            let corners = self.centers(cell.corners);
            // Each step starts with another face: a fixed order favours detours.
            for turn in 0..4 {
                let slot = (step + turn) & 3;
                if cell.neighbors[slot] == from {
                    continue;
                }
                let mut seen = corners;
                seen[slot] = center;
                let [a, b, c, d] = seen;
                if orient3d(a, b, c, d) == Ordering::Less {
                    (from, at) = (at, cell.neighbors[slot]);
                    continue 'walk;
                }
            }
            self.last = at;
            return self.conflicts(at, ball).then_some(at);
        }
        // Not reached, by the theorem. If it were, the result would be exact as well.
        let numbers = 0..self.cells.len() as u32;
        numbers.into_iter().find(|&cell| self.cell(cell).is_live() && self.conflicts(cell, ball))
    }

    /// Collects the cells in conflict with a ball and the faces that bound their cavity.
    fn clear(&mut self, start: u32, ball: u32) {
        self.begin();
        let stamp = self.stamp;
        let (mut cavity, mut boundary) =
            (std::mem::take(&mut self.cavity), std::mem::take(&mut self.boundary));
        cavity.clear();
        boundary.clear();
        self.cells[start as usize].mark = stamp;
        cavity.push(start);
        let mut next = 0;
        while let Some(&cell) = cavity.get(next) {
            next += 1;
            for (slot, beyond) in (0u8..).zip(self.cell(cell).neighbors) {
                let mark = self.cell(beyond).mark;
                if mark == stamp {
                    continue;
                }
                if mark != stamp + 1 {
                    if self.conflicts(beyond, ball) {
                        self.cells[beyond as usize].mark = stamp;
                        cavity.push(beyond);
                        continue;
                    }
                    self.cells[beyond as usize].mark = stamp + 1;
                }
                boundary.push((cell, slot));
            }
        }
        (self.cavity, self.boundary) = (cavity, boundary);
    }

    /// Joins every face of the cavity's boundary with a ball.
    fn fill(&mut self, ball: u32) {
        let boundary = std::mem::take(&mut self.boundary);
        for &(old, slot) in &boundary {
            let slot = slot as usize;
            let Cell { mut corners, neighbors: beyond, .. } = *self.cell(old);
            let outside = beyond[slot];
            corners[slot] = ball;
            let mut cell = Cell::new(corners);
            cell.neighbors[slot] = outside;
            let new = self.add(cell);
            let facing = self.cell(outside).slot_of_neighbor(old);
            self.cells[outside as usize].neighbors[facing] = new;
            // Walks that leave the cavity through this face now arrive at the new cell.
            self.cells[old as usize].neighbors[slot] = new;
            for corner in corners {
                if corner != GHOST {
                    self.cell_of[corner as usize] = new;
                }
            }
            self.last = new;
        }
        for &(old, slot) in &boundary {
            self.link(old, slot as usize);
        }
        self.boundary = boundary;
    }

    /// Links the new cell at a boundary face with the new cells at the adjacent boundary faces: for
    /// each edge of the face, walks around that edge through the cavity to the next boundary face.
    fn link(&mut self, old: u32, slot: usize) {
        let new = self.cell(old).neighbors[slot];
        for side in (0..4).filter(|&side| side != slot) {
            if self.cell(new).neighbors[side] != NONE {
                continue;
            }
            let (mut at, mut exit) = (old, side);
            // The edge contains neither this corner nor the corner opposite to the exit.
            let mut pivot = slot;
            loop {
                let through = self.cell(at).neighbors[exit];
                let cell = self.cell(through);
                if cell.mark != self.stamp {
                    // In this cell the ball is in the slot that the exit's corner had.
                    self.cells[new as usize].neighbors[side] = through;
                    self.cells[through as usize].neighbors[pivot] = new;
                    break;
                }
                let entrance = cell.slot_of_neighbor(at);
                exit = cell.slot_of_corner(self.cell(at).corners[pivot]);
                (at, pivot) = (through, entrance);
            }
        }
    }

    /// Frees the cells in conflict. Balls that had no other cells become hidden.
    fn drop_cavity(&mut self) {
        let cavity = std::mem::take(&mut self.cavity);
        for &cell in &cavity {
            for corner in self.cell(cell).corners {
                if corner != GHOST {
                    let home = self.cell_of[corner as usize];
                    if home != NONE && self.cell(home).mark == self.stamp {
                        self.cell_of[corner as usize] = NONE;
                    }
                }
            }
        }
        for &cell in &cavity {
            self.discard(cell);
        }
        self.cavity = cavity;
    }
}
