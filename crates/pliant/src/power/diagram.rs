//! The power diagram of balls, as the regular triangulation that is its dual.

use std::cmp::Ordering;

use glam::{DVec2, DVec3};

use super::cells::{Cells, NONE};
use super::order::insertion_order;
use crate::contact::{orient2d, orient3d};
use crate::volume::Ball;
use crate::{Error, Result};

/// Balls of one diagram: a new ball is joined to fewer than four triangles for each other one,
/// and cells are numbered in 32 bits.
const MAX_BALLS: usize = 1 << 28;
/// Cells of one diagram before an insertion; see [`MAX_BALLS`].
const MAX_CELLS: usize = 1 << 31;

/// The power diagram of balls: which part of space is nearest to which ball, by the power
/// |x - c|^2 - r^2 of a point x to a ball with centre c and radius r.
///
/// It is kept as its dual, the regular triangulation: two balls are joined by an edge if
/// their cells of the diagram share a face. Exact: no rounding decides about any tetrahedron. Where
/// five or more balls are orthogonal to one sphere, a fixed rule by the balls' numbers
/// chooses among the triangulations, so that equal balls always give equal tetrahedra. A
/// ball that has no cell in the diagram is hidden and has no edges.
///
/// Balls in one plane, on one line or at one point are fine: there are no tetrahedra
/// then, but the edges are those of the diagram in that plane or on that line.
///
/// ```
/// use pliant::{glam::DVec3, power::PowerDiagram, volume::Ball};
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.25)];
/// let mut balls = corners.map(|p| Ball::new(p, 0.1));
/// let diagram = PowerDiagram::new(&balls)?;
/// assert_eq!((diagram.tetrahedra().count(), diagram.edges().len()), (4, 10));
///
/// // The others outgrow the ball between them.
/// balls[..4].iter_mut().for_each(|ball| ball.radius = 0.9);
/// let diagram = PowerDiagram::new(&balls)?;
/// assert_eq!(diagram.hidden().collect::<Vec<_>>(), [4]);
/// assert_eq!((diagram.tetrahedra().count(), diagram.edges().len()), (1, 6));
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PowerDiagram {
    pub(super) cells: Cells,
    /// How many balls were given; those after them only help to span a volume.
    pub(super) given: usize,
}

impl PowerDiagram {
    /// Builds the diagram.
    ///
    /// # Errors
    /// [`Error::InvalidBead`] for a centre that is not finite or a radius that is negative or
    /// not finite, [`Error::TooMany`] balls or tetrahedra. There may be a tetrahedron for
    /// every two balls.
    pub fn new(balls: &[Ball]) -> Result<Self> {
        if balls.len() > MAX_BALLS {
            return Err(Error::TooMany { what: "balls", count: balls.len(), limit: MAX_BALLS });
        }
        for (number, ball) in balls.iter().enumerate() {
            check_ball(number, ball)?;
        }
        let order = insertion_order(balls);
        let (all, first) = span(balls, &order);
        let mut cells = Cells::of_four(all, first);
        for ball in order {
            if !first.contains(&ball) {
                check_room(&cells)?;
                cells.insert(ball);
            }
        }
        Ok(Self { cells, given: balls.len() })
    }

    /// The balls.
    #[must_use]
    pub fn balls(&self) -> &[Ball] {
        &self.cells.balls[..self.given]
    }

    /// The balls that have no cell in the diagram, in order.
    pub fn hidden(&self) -> impl Iterator<Item = u32> {
        let homes = &self.cells.cell_of[..self.given];
        (0u32..).zip(homes).filter(|&(_, &home)| home == NONE).map(|(ball, _)| ball)
    }

    /// The tetrahedra of the triangulation, each positively oriented, in no particular order.
    pub fn tetrahedra(&self) -> impl Iterator<Item = [u32; 4]> {
        let all = self.cells.tetrahedra().map(|cell| cell.corners);
        all.filter(|corners| corners.iter().all(|&ball| self.is_given(ball)))
    }

    #[inline]
    pub(super) fn is_given(&self, ball: u32) -> bool {
        (ball as usize) < self.given
    }
}

/// Refuses a ball that is nowhere or has no size.
pub(super) fn check_ball(number: usize, &Ball { center, radius }: &Ball) -> Result<()> {
    let reason = if !center.is_finite() {
        "its centre is not finite"
    } else if !(radius >= 0.0 && radius.is_finite()) {
        "its radius is negative or not finite"
    } else {
        return Ok(());
    };
    Err(Error::InvalidBead { bead: number, center: center.to_array(), radius, reason })
}

/// Refuses to number more cells than there are numbers for.
pub(super) fn check_room(cells: &Cells) -> Result<()> {
    if cells.cells.len() < MAX_CELLS {
        return Ok(());
    }
    Err(Error::TooMany { what: "tetrahedra", count: cells.cells.len(), limit: MAX_CELLS })
}

/// Four balls whose centres span a volume, positively oriented, and all balls.
///
/// Where the given balls span none, points are added that do. The convex hull of the given
/// centres is then a face, an edge or a corner of the hull of all. Over a face of the hull
/// the lower side of the lifted points is that of the face's own points: what
/// the triangulation says about the given balls is what it would say without the others.
pub(super) fn span(balls: &[Ball], order: &[u32]) -> (Vec<Ball>, [u32; 4]) {
    let mut all = balls.to_vec();
    let origin = order.first().map_or(DVec3::ZERO, |&first| balls[first as usize].center);
    let far = balls
        .iter()
        .fold(1.0, |far: f64, ball| far.max((ball.center - origin).abs().max_element()));
    // With the origin these span a volume, so that one of them leaves any lower span.
    let aids = [0, 1, 2].map(|axis| {
        let mut point = origin;
        let moved = point[axis] + far;
        point[axis] =
            if moved.is_finite() && moved != point[axis] { moved } else { point[axis] / 2.0 };
        point
    });
    let mut corners = Vec::with_capacity(4);
    let mut chosen = Vec::with_capacity(4);
    while chosen.len() < 4 {
        let fits = |point: DVec3| spans(&chosen, point);
        let number = order.iter().copied().find(|&ball| fits(balls[ball as usize].center));
        let number = number.unwrap_or_else(|| {
            let aid = aids.into_iter().find(|&aid| fits(aid)).unwrap_or(origin);
            all.push(Ball::new(aid, 0.0));
            (all.len() - 1) as u32
        });
        corners.push(number);
        chosen.push(all[number as usize].center);
    }
    let mut first = [corners[0], corners[1], corners[2], corners[3]];
    if orient3d(chosen[0], chosen[1], chosen[2], chosen[3]) == Ordering::Less {
        first.swap(0, 1);
    }
    (all, first)
}

/// Whether a point lies outside the point, line or plane that others span.
fn spans(points: &[DVec3], point: DVec3) -> bool {
    match *points {
        [] => true,
        [a] => a != point,
        [a, b] => {
            let flat = |u: usize, v: usize| {
                let [a, b, p] = [a, b, point].map(|q| DVec2::new(q[u], q[v]));
                orient2d(a, b, p) != Ordering::Equal
            };
            flat(0, 1) || flat(1, 2) || flat(2, 0)
        }
        [a, b, c, ..] => orient3d(a, b, c, point) != Ordering::Equal,
    }
}
