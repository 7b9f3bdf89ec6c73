//! Insertion of one ball: walk to its centre, clear the cells in conflict, fill the hole.

use std::cmp::Ordering;

use super::cells::{Cell, Cells, GHOST, NONE};
use crate::contact::orient3d;

impl Cells {
    /// Inserts a ball; does nothing if it is hidden. Balls that it hides have no cell then.
    ///
    /// The cells in conflict are connected and star-shaped around the ball's centre, and no
    /// face of the hole is in one plane with it: of two cells that share a face, a ball in that
    /// face's plane conflicts with both or with none, because both planes in four dimensions
    /// have the same height there. All of it holds exactly, since the tests do.
    pub(super) fn insert(&mut self, ball: u32) {
        let Some(start) = self.locate(ball) else { return };
        self.clear(start, ball);
        self.fill(ball);
        self.drop_cavity();
    }

    /// A cell in conflict with a ball, or `None` if the ball is hidden.
    ///
    /// Walks to the cell that holds the centre, through faces that have the centre beyond
    /// them. In a regular triangulation no such walk returns to a cell (Edelsbrunner, "An
    /// acyclicity theorem for cell complexes in d dimensions", 1990), so it ends.
    fn locate(&mut self, ball: u32) -> Option<u32> {
        let center = self.balls[ball as usize].center;
        let (mut at, mut from) = (self.last, NONE);
        if self.cell(at).is_ghost() {
            at = self.cell(at).beyond[3];
        }
        'walk: for step in 0..self.cells.len() {
            let cell = self.cell(at);
            if cell.is_ghost() {
                return Some(at);
            }
            let corners = self.centers(cell.corners);
            // Another face first at each step: a fixed order favours detours.
            for turn in 0..4 {
                let slot = (step + turn) & 3;
                if cell.beyond[slot] == from {
                    continue;
                }
                let mut seen = corners;
                seen[slot] = center;
                let [a, b, c, d] = seen;
                if orient3d(a, b, c, d) == Ordering::Less {
                    (from, at) = (at, cell.beyond[slot]);
                    continue 'walk;
                }
            }
            self.last = at;
            return self.conflicts(at, ball).then_some(at);
        }
        // Not reached, by the theorem; and if it were, this would be as exact.
        let numbers = 0..self.cells.len() as u32;
        numbers.into_iter().find(|&cell| self.cell(cell).is_live() && self.conflicts(cell, ball))
    }

    /// Collects the cells in conflict with a ball and the rim of the hole that they leave.
    fn clear(&mut self, start: u32, ball: u32) {
        self.begin();
        let stamp = self.stamp;
        let (mut cavity, mut rim) =
            (std::mem::take(&mut self.cavity), std::mem::take(&mut self.rim));
        cavity.clear();
        rim.clear();
        self.cells[start as usize].mark = stamp;
        cavity.push(start);
        let mut next = 0;
        while let Some(&cell) = cavity.get(next) {
            next += 1;
            for (slot, beyond) in (0u8..).zip(self.cell(cell).beyond) {
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
                rim.push((cell, slot));
            }
        }
        (self.cavity, self.rim) = (cavity, rim);
    }

    /// Joins every face of the rim with a ball.
    fn fill(&mut self, ball: u32) {
        let rim = std::mem::take(&mut self.rim);
        for &(old, slot) in &rim {
            let slot = slot as usize;
            let Cell { mut corners, beyond, .. } = *self.cell(old);
            let outside = beyond[slot];
            corners[slot] = ball;
            let mut cell = Cell::new(corners);
            cell.beyond[slot] = outside;
            let new = self.add(cell);
            let facing = self.cell(outside).slot_of_neighbor(old);
            self.cells[outside as usize].beyond[facing] = new;
            // Whoever leaves the hole through this face now finds the new cell.
            self.cells[old as usize].beyond[slot] = new;
            for corner in corners {
                if corner != GHOST {
                    self.cell_of[corner as usize] = new;
                }
            }
            self.last = new;
        }
        for &(old, slot) in &rim {
            self.link(old, slot as usize);
        }
        self.rim = rim;
    }

    /// Links the new cell at a face of the rim with those at the adjacent faces: around each
    /// edge of the face, through the hole, to the next face of the rim.
    fn link(&mut self, old: u32, slot: usize) {
        let new = self.cell(old).beyond[slot];
        for side in (0..4).filter(|&side| side != slot) {
            if self.cell(new).beyond[side] != NONE {
                continue;
            }
            let (mut at, mut exit) = (old, side);
            // The corner that, with the exit's, is not on the edge.
            let mut pivot = slot;
            loop {
                let through = self.cell(at).beyond[exit];
                let cell = self.cell(through);
                if cell.mark != self.stamp {
                    // Its ball stands where the exit's corner stood.
                    self.cells[new as usize].beyond[side] = through;
                    self.cells[through as usize].beyond[pivot] = new;
                    break;
                }
                let entrance = cell.slot_of_neighbor(at);
                exit = cell.slot_of_corner(self.cell(at).corners[pivot]);
                (at, pivot) = (through, entrance);
            }
        }
    }

    /// Frees the cells in conflict. Balls that had no other cells are hidden from now on.
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
