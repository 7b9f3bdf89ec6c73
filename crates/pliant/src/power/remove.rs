//! Removal of one ball: its neighbourhood is triangulated again without it.

use super::cells::{Cell, Cells, GHOST, NONE};
use super::certificates::parity;
use super::diagram::span;

/// The cells that replace those of a removed ball.
struct Patch {
    /// Corners by ball number. Neighbours by index in this list, or on the boundary: see `boundary`.
    cells: Vec<Cell>,
    /// Per cell and slot, the boundary face of the old star there, as the old cell and its slot.
    boundary: Vec<[Option<(u32, usize)>; 4]>,
}

impl Cells {
    /// Removes a ball and appends the new cells to `created`. Returns `false` and changes nothing
    /// if the ball's neighbours are coplanar.
    ///
    /// Without the ball, the cavity of its cells is filled by cells whose corners are its
    /// neighbours. These conflict with no ball, hence with no neighbour. So they are cells of the
    /// neighbours' own regular triangulation. That triangulation is unique because ties are broken
    /// by number, and the neighbours keep their order.
    pub(super) fn remove(&mut self, ball: u32, created: &mut Vec<u32>) -> bool {
        let star = self.marked_star(ball);
        let Some(patch) = self.patch(ball, &star) else { return false };
        let numbers: Vec<u32> = patch.cells.iter().map(|&cell| self.add(cell)).collect();
        for (&number, faces) in numbers.iter().zip(&patch.boundary) {
            for (slot, face) in faces.iter().enumerate() {
                let cell = &mut self.cells[number as usize];
                if let &Some((old, old_slot)) = face {
                    let outside = self.cells[old as usize].neighbors[old_slot];
                    self.cells[number as usize].neighbors[slot] = outside;
                    let facing = self.cell(outside).slot_of_neighbor(old);
                    self.cells[outside as usize].neighbors[facing] = number;
                } else {
                    cell.neighbors[slot] = numbers[cell.neighbors[slot] as usize];
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

    /// The cells around a ball, found with marks.
    fn marked_star(&mut self, ball: u32) -> Vec<u32> {
        self.begin();
        let home = self.cell_of[ball as usize];
        self.cells[home as usize].mark = self.stamp;
        let mut star = vec![home];
        let mut next = 0;
        while let Some(&cell) = star.get(next) {
            next += 1;
            let Cell { corners, neighbors: beyond, .. } = *self.cell(cell);
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

    /// The cells that fill the cavity of a star.
    fn patch(&self, ball: u32, star: &[u32]) -> Option<Patch> {
        let mut around: Vec<u32> = star.iter().flat_map(|&cell| self.cell(cell).corners).collect();
        around.sort_unstable();
        around.dedup();
        around.retain(|&other| other != ball && other != GHOST);
        let small = self.triangulated(&around)?;
        let boundary = Boundary::new(self, ball, star, &around);
        // Start from one cell inside and reach all others: the cavity is connected.
        let at_boundary =
            |cell: &Cell| (0..4).any(|slot| boundary.face_of(cell.corners, slot).is_some());
        let seed = small.cells.iter().position(|cell| cell.is_live() && at_boundary(cell))?;
        let mut place = vec![NONE; small.cells.len()];
        place[seed] = 0;
        let mut found = vec![seed as u32];
        let mut patch = Patch { cells: Vec::new(), boundary: Vec::new() };
        let (mut next, mut met) = (0, 0);
        while let Some(&number) = found.get(next) {
            next += 1;
            let cell = small.cell(number);
            let name = |corner: u32| around.get(corner as usize).copied().unwrap_or(GHOST);
            let mut new = Cell::new(cell.corners.map(name));
            let faces = [0, 1, 2, 3].map(|slot| {
                let face = boundary.face_of(cell.corners, slot);
                if face.is_some() {
                    met += 1;
                    return face;
                }
                let beyond = cell.neighbors[slot] as usize;
                if place[beyond] == NONE {
                    place[beyond] = found.len() as u32;
                    found.push(beyond as u32);
                }
                new.neighbors[slot] = place[beyond];
                None
            });
            patch.cells.push(new);
            patch.boundary.push(faces);
        }
        // Every boundary face of the star must be matched exactly once.
        (met == star.len()).then_some(patch)
    }

    /// The regular triangulation of some balls alone, numbered in their order; `None` if they do
    /// not span a volume.
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

/// The boundary faces of a star, opposite to its ball.
struct Boundary {
    faces: Vec<BoundaryFace>,
}

/// A boundary face; corners are indices into the sorted list of neighbours.
struct BoundaryFace {
    /// The corners in ascending order.
    key: [u32; 3],
    /// The star's cell at the face.
    old: u32,
    /// That cell's corners, and the slot of the ball among them.
    corners: [u32; 4],
    slot: usize,
}

impl Boundary {
    fn new(cells: &Cells, ball: u32, star: &[u32], around: &[u32]) -> Self {
        // The ball itself and the ghost are not in the list; both get an index that no neighbour
        // has.
        let place = |corner: u32| around.binary_search(&corner).map_or(GHOST, |at| at as u32);
        let of_cell = |&old: &u32| {
            let cell = cells.cell(old);
            let slot = cell.slot_of_corner(ball);
            let corners = cell.corners.map(place);
            BoundaryFace { key: face(corners, slot), old, corners, slot }
        };
        let mut faces: Vec<BoundaryFace> = star.iter().map(of_cell).collect();
        faces.sort_unstable_by_key(|face| face.key);
        Self { faces }
    }

    /// The star's cell and slot at a face of a new cell, if the new cell lies on the ball's side.
    fn face_of(&self, corners: [u32; 4], slot: usize) -> Option<(u32, usize)> {
        let key = face(corners, slot);
        let at = self.faces.binary_search_by_key(&key, |face| face.key).ok()?;
        let face = &self.faces[at];
        let mut filled = face.corners;
        filled[face.slot] = corners[slot];
        (parity(filled, corners) == Some(true)).then_some((face.old, face.slot))
    }
}

/// The corners of a face in ascending order.
#[inline]
fn face(corners: [u32; 4], slot: usize) -> [u32; 3] {
    let [a, b, c] = [0, 1, 2].map(|i| corners[if i < slot { i } else { i + 1 }]);
    let (a, b) = (a.min(b), a.max(b));
    let (b, c) = (b.min(c), b.max(c));
    [a.min(b), a.max(b), c]
}
