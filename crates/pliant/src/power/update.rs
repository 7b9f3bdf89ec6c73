//! Update of the diagram after a motion: only balls at failed certificates are reinserted.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use glam::DVec3;

use super::PowerDiagram;
use super::cells::{Cell, GHOST, NONE};
use super::diagram::{check_ball, check_room};
use super::predicate::TestedBalls;
use crate::volume::Ball;
use crate::{Error, Result};

/// If more than one in this many balls has to be removed, rebuilding is faster: removing and
/// reinserting a ball costs as much as about 15 insertions, and testing all certificates costs a
/// quarter of a build.
const REMOVABLE_SHARE: usize = 20;
/// Up to this many removals are always tried.
const REMOVABLE: usize = 8;

/// The work of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PowerUpdate {
    /// Certificates of the old cells that fail for the moved balls.
    pub failed: usize,
    /// Balls that were removed and inserted again.
    pub reinserted: usize,
    /// Tetrahedra that did not exist before.
    pub changed_tetrahedra: usize,
    /// Whether the diagram was rebuilt, because too many balls were affected or because the
    /// remaining balls did not span a volume.
    pub rebuilt: bool,
}

impl PowerDiagram {
    /// Moves all balls. On an error nothing changes.
    ///
    /// The result has the same tetrahedra as a diagram that [`PowerDiagram::new`] builds of the
    /// moved balls. Balls at failed certificates are removed at their old positions until all
    /// certificates of the remaining balls hold at the new positions. Then the remaining balls
    /// move, and the removed ones are inserted at their new positions (Guibas, Nguyen, Russel and
    /// Zhang 2002, section 3.2).
    ///
    /// # Errors
    /// [`Error::CountMismatch`], [`Error::InvalidBead`], [`Error::TooMany`] tetrahedra.
    ///
    /// ```
    /// use pliant::{glam::DVec3, power::PowerDiagram, volume::Ball};
    /// let mut centers: Vec<DVec3> =
    ///     (0..20).map(|i| DVec3::new((i * i % 7) as f64, (i * 5 % 11) as f64, i as f64)).collect();
    /// let balls: Vec<Ball> = centers.iter().map(|&p| Ball::new(p, 1.0)).collect();
    /// let mut diagram = PowerDiagram::new(&balls)?;
    ///
    /// centers[3] += DVec3::X;
    /// let update = diagram.advance(&centers)?;
    /// assert_eq!(update.reinserted, 1);
    /// assert_eq!(diagram.edges(), PowerDiagram::new(diagram.balls())?.edges());
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn advance(&mut self, centers: &[DVec3]) -> Result<PowerUpdate> {
        let (given, expected) = (centers.len(), self.given);
        if given != expected {
            return Err(Error::CountMismatch { what: "ball positions", expected, given });
        }
        let balls = self.balls().iter().zip(centers);
        let moved: Vec<Ball> = balls.map(|(ball, &p)| Ball::new(p, ball.radius)).collect();
        for (number, ball) in moved.iter().enumerate() {
            check_ball(number, ball)?;
        }
        let before: Vec<[u32; 4]> = self.cells.cells.iter().map(sorted_corners).collect();
        let mut update = PowerUpdate::default();
        // The update works on a copy, so that an error leaves everything as it was.
        let mut next = self.clone();
        let moved = TestedBalls::new(moved);
        if !next.reinsert(&moved, &mut update)? {
            (update.rebuilt, update.reinserted) = (true, 0);
            next = Self::new(&moved)?;
        }
        *self = next;
        update.changed_tetrahedra = self.changed_since(&before);
        Ok(update)
    }

    /// Updates the diagram by removal and insertion; `false` if rebuilding is needed instead.
    fn reinsert(&mut self, moved: &TestedBalls, update: &mut PowerUpdate) -> Result<bool> {
        let mut failed = Vec::new();
        if self.cells.balls.len() > self.given {
            return Ok(false);
        }
        let mut suspects: Vec<u32> = (0..self.cells.cells.len() as u32).collect();
        let mut back: Vec<(u32, u32)> = self.hidden().map(|ball| (ball, NONE)).collect();
        let hidden = back.len();
        let mut all_faces = false;
        loop {
            failed.clear();
            for &cell in &suspects {
                if self.cells.cell(cell).is_live() {
                    self.cells
                        .failed_certificates(moved, cell, all_faces, |balls| failed.push(balls));
                }
            }
            if failed.is_empty() {
                break;
            }
            update.failed += if all_faces { 0 } else { failed.len() };
            all_faces = true;
            suspects.clear();
            let places = |ball: u32| (self.cells.balls[ball as usize], moved[ball as usize]);
            let chosen = hitting_set(&failed, |ball| places(ball).0 != places(ball).1);
            // About as many balls again tend to follow, since new cells fail as well. If no ball
            // was chosen, the loop would not end.
            if chosen.is_empty()
                || back.len() - hidden + 2 * chosen.len() > REMOVABLE + self.given / REMOVABLE_SHARE
            {
                return Ok(false);
            }
            for ball in chosen {
                if !self.cells.remove(ball, &mut suspects) {
                    return Ok(false);
                }
                let near = self.cells.cell(self.cells.last).corners;
                back.push((ball, near[0]));
            }
        }
        self.cells.balls = moved.clone();
        if !self.cells.cover_once() {
            return Ok(false);
        }
        update.reinserted = back.len() - hidden;
        // Insert in reverse order of removal, so that the neighbours are present.
        for &(ball, near) in back.iter().rev() {
            let home = self.cells.cell_of.get(near as usize).copied().unwrap_or(NONE);
            if home != NONE {
                self.cells.last = home;
            }
            check_room(&self.cells)?;
            self.cells.insert(ball);
        }
        Ok(true)
    }

    /// The number of tetrahedra that did not exist before, in the same cell or in another.
    fn changed_since(&self, before: &[[u32; 4]]) -> usize {
        let now =
            || self.cells.cells.iter().map(sorted_corners).chain(std::iter::repeat([GHOST; 4]));
        let longest = before.len().max(self.cells.cells.len());
        let then = before.iter().copied().chain(std::iter::repeat([GHOST; 4]));
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        for (old, new) in then.zip(now()).take(longest).filter(|(old, new)| old != new) {
            gone.push(old);
            come.push(new);
        }
        gone.sort_unstable();
        let new = |corners: &[u32; 4]| corners[3] != GHOST && gone.binary_search(corners).is_err();
        come.iter().filter(|corners| new(corners) && self.is_given(corners[3])).count()
    }
}

/// The corners of a tetrahedron in ascending order; all ghosts for any other cell.
fn sorted_corners(cell: &Cell) -> [u32; 4] {
    if !cell.is_tetrahedron() {
        return [GHOST; 4];
    }
    let mut corners = cell.corners;
    corners.sort_unstable();
    corners
}

/// A set of balls that hits every failed certificate: for each certificate that is not hit yet, the
/// moved ball that takes part in the most failures. The set contains only balls that have moved.
fn hitting_set(failed: &[[u32; 5]], has_moved: impl Fn(u32) -> bool) -> BTreeSet<u32> {
    let mut all: Vec<u32> = failed.as_flattened().to_vec();
    all.sort_unstable();
    let times = |ball: u32| {
        let end = all.partition_point(|&other| other <= ball);
        end - all.partition_point(|&other| other < ball)
    };
    let mut chosen = BTreeSet::new();
    for balls in failed {
        if !balls.iter().any(|ball| chosen.contains(ball)) {
            let movers = balls.iter().copied().filter(|&ball| ball != GHOST && has_moved(ball));
            chosen.extend(movers.max_by_key(|&ball| (times(ball), Reverse(ball))));
        }
    }
    chosen
}
