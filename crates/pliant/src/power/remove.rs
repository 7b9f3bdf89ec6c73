//! Removal of one ball: its surroundings are triangulated anew without it.

use std::collections::HashMap;

use super::cells::{Cell, Cells, GHOST, NONE};
use super::certificates::parity;
use super::diagram::span;

/// The cells that take the place of a removed ball's.
struct Patch {
    /// Corners by their numbers in the whole; neighbours by their place in this list,
    /// or beyond the rim: see `rim`.
    cells: Vec<Cell>,
    /// For a cell and a slot, the face of the old star that is there: the old cell and its slot.
    rim: Vec<[Option<(u32, usize)>; 4]>,
}

impl Cells {
    /// Takes a ball out, and reports the new cells. `false`, and nothing has changed, if the
    /// ball's neighbours lie in one plane, so that nothing would be left above it.
    ///
    /// Without the ball, the hole that its cells leave is filled by cells whose corners are
    /// its neighbours. These conflict with no ball at all, so not with any neighbour: they
    /// are cells of the neighbours' own regular triangulation, which is unique because ties are
    /// decided by number, and the neighbours keep their order.
    pub(super) fn remove(&mut self, ball: u32, created: &mut Vec<u32>) -> bool {
        let star = self.star(ball, self.cell_of[ball as usize]);
        let Some(patch) = self.patch(ball, &star) else { return false };
        let numbers: Vec<u32> = patch.cells.iter().map(|&cell| self.add(cell)).collect();
        for (&number, faces) in numbers.iter().zip(&patch.rim) {
            for (slot, face) in faces.iter().enumerate() {
                let cell = &mut self.cells[number as usize];
                if let &Some((old, old_slot)) = face {
                    let outside = self.cells[old as usize].beyond[old_slot];
                    self.cells[number as usize].beyond[slot] = outside;
                    let facing = self.cell(outside).slot_of_neighbor(old);
                    self.cells[outside as usize].beyond[facing] = number;
                } else {
                    cell.beyond[slot] = numbers[cell.beyond[slot] as usize];
                }
            }
            for corner in self.cell(number).corners {
                if corner != GHOST {
                    self.cell_of[corner as usize] = number;
                }
            }
            self.last = number;
        }
        self.cell_of[ball as usize] = NONE;
        for cell in star {
            self.discard(cell);
        }
        created.extend(numbers);
        true
    }

    /// What fills the hole of a star.
    fn patch(&self, ball: u32, star: &[u32]) -> Option<Patch> {
        let mut around: Vec<u32> = star.iter().flat_map(|&cell| self.cell(cell).corners).collect();
        around.sort_unstable();
        around.dedup();
        around.retain(|&other| other != ball && other != GHOST);
        let balls: Vec<_> = around.iter().map(|&other| self.balls[other as usize]).collect();
        let order: Vec<u32> = (0..around.len() as u32).collect();
        let (all, first) = span(&balls, &order);
        if all.len() > balls.len() {
            return None;
        }
        let mut small = Self::of_four(all, first);
        for other in order {
            if !first.contains(&other) {
                small.insert(other);
            }
        }
        let name = |corner: u32| if corner == GHOST { GHOST } else { around[corner as usize] };
        let named = |cell: &Cell| cell.corners.map(name);

        let mut rim: HashMap<[u32; 3], (u32, usize)> = HashMap::with_capacity(star.len());
        for &old in star {
            let slot = self.cell(old).slot_of_corner(ball);
            rim.insert(face(self.cell(old).corners, slot), (old, slot));
        }
        // Whether a small cell lies on the ball's side of a face of the star.
        let inside = |corners: [u32; 4], slot: usize| {
            let &(old, old_slot) = rim.get(&face(corners, slot))?;
            let mut filled = self.cell(old).corners;
            filled[old_slot] = corners[slot];
            (parity(filled, corners) == Some(true)).then_some((old, old_slot))
        };
        let mut place = vec![NONE; small.cells.len()];
        let mut found = Vec::new();
        for (number, cell) in (0u32..).zip(&small.cells).filter(|(_, cell)| cell.is_live()) {
            if (0..4).any(|slot| inside(named(cell), slot).is_some()) {
                place[number as usize] = found.len() as u32;
                found.push(number);
            }
        }
        let mut patch = Patch { cells: Vec::new(), rim: Vec::new() };
        let (mut next, mut met) = (0, 0);
        while let Some(&number) = found.get(next) {
            next += 1;
            let cell = small.cell(number);
            let mut new = Cell::new(named(cell));
            let faces = [0, 1, 2, 3].map(|slot| {
                let face = inside(new.corners, slot);
                if face.is_some() {
                    met += 1;
                    return face;
                }
                let beyond = cell.beyond[slot] as usize;
                if place[beyond] == NONE {
                    place[beyond] = found.len() as u32;
                    found.push(beyond as u32);
                }
                new.beyond[slot] = place[beyond];
                None
            });
            patch.cells.push(new);
            patch.rim.push(faces);
        }
        // Every face of the star meets its cell, exactly.
        (met == star.len()).then_some(patch)
    }
}

/// The corners of a face, in order.
fn face(corners: [u32; 4], slot: usize) -> [u32; 3] {
    let mut face = [0, 1, 2].map(|i| corners[if i < slot { i } else { i + 1 }]);
    face.sort_unstable();
    face
}
