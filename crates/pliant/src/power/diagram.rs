//! The power diagram of balls, stored as its dual, the regular triangulation.

use std::cmp::Ordering;

use glam::{DVec2, DVec3};

use super::cells::{Cells, NONE};
use super::order::insertion_order;
use crate::contact::{orient2d, orient3d};
use crate::volume::Ball;
use crate::{Error, Result};

/// The largest number of balls per diagram. A new ball creates fewer than four cells per ball
/// present, and cell numbers have 32 bits.
const MAX_BALLS: usize = 1 << 28;
/// The largest number of cells before an insertion; see [`MAX_BALLS`].
const MAX_CELLS: usize = 1 << 31;

/// The power diagram of balls: the partition of space by the ball with the smallest power
/// |x - c|^2 - r^2 of a point x to a ball with centre c and radius r.
///
/// It is stored as its dual, the regular triangulation: an edge joins two balls whose cells of the
/// diagram share a face. The triangulation is exact: rounding decides about no tetrahedron. Where
/// five or more balls are orthogonal to one sphere, a fixed rule based on the balls' numbers
/// chooses the triangulation, so equal input always gives equal tetrahedra. A ball that has no cell
/// in the diagram is hidden and has no edges.
///
/// Balls may lie in one plane, on one line or at one point. Then there are no tetrahedra, and the
/// edges are those of the diagram in that plane or on that line.
///
/// ```
/// use pliant::{glam::DVec3, power::PowerDiagram, volume::Ball};
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.25)];
/// let mut balls = corners.map(|p| Ball::new(p, 0.1));
/// let diagram = PowerDiagram::new(&balls)?;
/// assert_eq!((diagram.tetrahedra().count(), diagram.edges().len()), (4, 10));
///
/// // Now the other balls hide the one between them.
/// balls[..4].iter_mut().for_each(|ball| ball.radius = 0.9);
/// let diagram = PowerDiagram::new(&balls)?;
/// assert_eq!(diagram.hidden().collect::<Vec<_>>(), [4]);
/// assert_eq!((diagram.tetrahedra().count(), diagram.edges().len()), (1, 6));
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PowerDiagram {
    pub(super) cells: Cells,
    /// The number of balls given. Balls after these are auxiliary points that make the set span a
    /// volume.
    pub(super) given: usize,
}

impl PowerDiagram {
    /// Builds the diagram.
    ///
    /// # Errors
    /// [`Error::InvalidBead`] for a centre that is not finite or a radius that is negative or not
    /// finite; [`Error::TooMany`] balls or tetrahedra. The number of tetrahedra may be quadratic in
    /// the number of balls.
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

/// Refuses a ball whose centre or radius is not usable.
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

/// Refuses to create more cells than 32-bit numbers allow.
pub(super) fn check_room(cells: &Cells) -> Result<()> {
    if cells.cells.len() < MAX_CELLS {
        return Ok(());
    }
    Err(Error::TooMany { what: "tetrahedra", count: cells.cells.len(), limit: MAX_CELLS })
}

/// Returns all balls, and four of them whose centres span a volume, positively oriented.
///
/// If the given balls do not span a volume, auxiliary points are added that do. The convex hull of
/// the given centres is then a face, an edge or a corner of the hull of all centres. Over a face of
/// the hull, the lower hull of the lifted points consists of that face's own points. The
/// triangulation of the given balls is therefore the same with and without the auxiliary points.
pub(super) fn span(balls: &[Ball], order: &[u32]) -> (Vec<Ball>, [u32; 4]) {
    let mut all = balls.to_vec();
    let origin = order.first().map_or(DVec3::ZERO, |&first| balls[first as usize].center);
    let far = balls
        .iter()
        .fold(1.0, |far: f64, ball| far.max((ball.center - origin).abs().max_element()));
    // These points and the origin span a volume, so one of them lies outside any lower-dimensional
    // span.
    let auxiliary = [0, 1, 2].map(|axis| {
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
            let point = auxiliary.into_iter().find(|&point| fits(point)).unwrap_or(origin);
            all.push(Ball::new(point, 0.0));
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

/// Whether a point lies outside the affine span of the others.
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
