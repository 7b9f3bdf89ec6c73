//! Removal of one ball: its surroundings are triangulated anew without it.

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
        let star = self.marked_star(ball);
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

    /// The cells around a ball, found by marks.
    fn marked_star(&mut self, ball: u32) -> Vec<u32> {
        self.begin();
        let home = self.cell_of[ball as usize];
        self.cells[home as usize].mark = self.stamp;
        let mut star = vec![home];
        let mut next = 0;
        while let Some(&cell) = star.get(next) {
            next += 1;
            let Cell { corners, beyond, .. } = *self.cell(cell);
            for slot in (0..4).filter(|&slot| corners[slot] != ball) {
                let other = &mut self.cells[beyond[slot] as usize];
                if other.mark != self.stamp {
                    other.mark = self.stamp;
                    star.push(beyond[slot]);
                }
            }
        }
        star
    }

    /// What fills the hole of a star.
    fn patch(&self, ball: u32, star: &[u32]) -> Option<Patch> {
        let mut around: Vec<u32> = star.iter().flat_map(|&cell| self.cell(cell).corners).collect();
        around.sort_unstable();
        around.dedup();
        around.retain(|&other| other != ball && other != GHOST);
        let small = self.triangulated(&around)?;
        let rim = Rim::new(self, ball, star, &around);
        // One cell inside, and from it all: the hole is connected.
        let at_rim = |cell: &Cell| (0..4).any(|slot| rim.face_of(cell.corners, slot).is_some());
        let seed = small.cells.iter().position(|cell| cell.is_live() && at_rim(cell))?;
        let mut place = vec![NONE; small.cells.len()];
        place[seed] = 0;
        let mut found = vec![seed as u32];
        let mut patch = Patch { cells: Vec::new(), rim: Vec::new() };
        let (mut next, mut met) = (0, 0);
        while let Some(&number) = found.get(next) {
            next += 1;
            let cell = small.cell(number);
            let name = |corner: u32| around.get(corner as usize).copied().unwrap_or(GHOST);
            let mut new = Cell::new(cell.corners.map(name));
            let faces = [0, 1, 2, 3].map(|slot| {
                let face = rim.face_of(cell.corners, slot);
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

    /// The regular triangulation of some balls alone, numbered in order; `None` if they span
    /// no volume.
    fn triangulated(&self, chosen: &[u32]) -> Option<Self> {
        let balls: Vec<_> = chosen.iter().map(|&ball| self.balls[ball as usize]).collect();
        let order: Vec<u32> = (0..chosen.len() as u32).collect();
        let (all, first) = span(&balls, &order);
        if all.len() > balls.len() {
            return None;
        }
        let mut cells = Self::of_four(all, first);
        for ball in order {
            if !first.contains(&ball) {
                cells.insert(ball);
            }
        }
        Some(cells)
    }
}

/// The faces around a star, opposite to its ball.
struct Rim {
    faces: Vec<RimFace>,
}

/// A face of a star, its corners by their places among all balls around.
struct RimFace {
    /// The corners in order.
    key: [u32; 3],
    /// The star's cell at the face.
    old: u32,
    /// Its corners, and where in them the ball is.
    corners: [u32; 4],
    slot: usize,
}

impl Rim {
    fn new(cells: &Cells, ball: u32, star: &[u32], around: &[u32]) -> Self {
        // The ball itself and the ghost have no place; both get one that no other has.
        let place = |corner: u32| around.binary_search(&corner).map_or(GHOST, |at| at as u32);
        let of_cell = |&old: &u32| {
            let cell = cells.cell(old);
            let slot = cell.slot_of_corner(ball);
            let corners = cell.corners.map(place);
            RimFace { key: face(corners, slot), old, corners, slot }
        };
        let mut faces: Vec<RimFace> = star.iter().map(of_cell).collect();
        faces.sort_unstable_by_key(|face| face.key);
        Self { faces }
    }

    /// The star's cell and slot at a face of a small cell, if the cell lies on the ball's side.
    fn face_of(&self, corners: [u32; 4], slot: usize) -> Option<(u32, usize)> {
        let key = face(corners, slot);
        let at = self.faces.binary_search_by_key(&key, |face| face.key).ok()?;
        let face = &self.faces[at];
        let mut filled = face.corners;
        filled[face.slot] = corners[slot];
        (parity(filled, corners) == Some(true)).then_some((face.old, face.slot))
    }
}

/// The corners of a face, in order.
#[inline]
fn face(corners: [u32; 4], slot: usize) -> [u32; 3] {
    let [a, b, c] = [0, 1, 2].map(|i| corners[if i < slot { i } else { i + 1 }]);
    let (a, b) = (a.min(b), a.max(b));
    let (b, c) = (b.min(c), b.max(c));
    [a.min(b), a.max(b), c]
}
