//! The exact decision: vertex against face, edge against edge.
//!
//! Both tests have the same form. At the time t four points are coplanar if a cubic vanishes. Seen
//! along an axis, the features touch if some signed areas agree in sign: for a vertex and a face,
//! the areas that the vertex spans with each of its sides; for two edges, the areas that each edge
//! spans with the ends of the other, two of them reversed. In both cases they add up to the area of
//! the normal (once for a face, in two pairs for edges). So in a plane through the four points:
//! - if, along some axis, one area is positive and another negative, they do not touch;
//! - else, if some area is not zero, the normal is not zero along that axis, the view is one-to-one,
//!   and they touch;
//! - else all areas are zero along all axes, and all points are on one line. Then they touch unless
//!   along some axis the differences of their coordinates (vertex to corners; ends of one edge to
//!   those of the other) all have the same sign.
//!
//! The areas are quadratics in t, the differences linear.

use std::cmp::Ordering;

use glam::DVec3;

use super::ImpactTime;
use super::dyadic::Dyadic;
use super::motion::Features;
use super::polynomial::Polynomial;
use super::root::{Root, earliest};
use crate::numeric::exact_integer::{difference, finest_grid, on_grid};

/// A vector whose coordinates are polynomials in time.
pub(super) type Moving = [Polynomial; 3];

/// The exponent of the common grid of all coordinates and some other numbers.
fn grid(start: &[DVec3], end: &[DVec3], others: &[f64]) -> i32 {
    let coordinates = start.iter().chain(end).flat_map(AsRef::<[f64; 3]>::as_ref);
    finest_grid(coordinates.chain(others))
}

/// The differences of the points at `pairs`, as functions of time, in units of the common grid of
/// all points and some other numbers.
pub(super) fn differences<const N: usize>(
    start: &[DVec3],
    end: &[DVec3],
    others: &[f64],
    pairs: [[usize; 2]; N],
) -> [Moving; N] {
    let grid = grid(start, end, others);
    pairs.map(|[from, to]| {
        [0, 1, 2].map(|axis| {
            let way = |points: &[DVec3]| difference(points[to][axis], points[from][axis], grid);
            Polynomial::linear(way(start), &way(end))
        })
    })
}

/// The square of the sum of two numbers, in the same units.
pub(super) fn squared_sum(start: &[DVec3], end: &[DVec3], [x, y]: [f64; 2]) -> Polynomial {
    let sum = difference(x, -y, grid(start, end, &[x, y]));
    Polynomial::new(vec![sum.times(&sum)])
}

pub(super) fn cross(u: &Moving, v: &Moving) -> Moving {
    let minor = |i: usize, j: usize| u[i].times(&v[j]).minus(&u[j].times(&v[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

pub(super) fn dot(u: &Moving, v: &Moving) -> Polynomial {
    u[0].times(&v[0]).plus(&u[1].times(&v[1])).plus(&u[2].times(&v[2]))
}

/// The vectors of a test; see [`Features::vectors`].
struct Conditions {
    features: Features,
    vectors: [Moving; 3],
}

impl Conditions {
    fn new(features: Features, start: &[DVec3; 4], end: &[DVec3; 4]) -> Self {
        Self { features, vectors: differences(start, end, &[], features.vectors()) }
    }

    /// Zero where the four points are coplanar.
    fn coplanarity(&self) -> Polynomial {
        let [a, b, c] = &self.vectors;
        dot(a, &cross(b, c))
    }

    /// The areas along an axis; the formulas are at [`Motion::areas`](super::motion::Motion::areas).
    fn areas(&self, axis: usize) -> Vec<Polynomial> {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let [a, b, c] = &self.vectors;
        let product = |u: &Moving, v: &Moving| u[i].times(&v[j]).minus(&u[j].times(&v[i]));
        let (x, y, z) = (product(b, c), product(c, a), product(a, b));
        match self.features {
            Features::VertexFace => vec![x, y, z],
            Features::EdgeEdge => vec![z.negated(), z.minus(&y), x.plus(&y).negated(), x],
        }
    }

    /// The differences along an axis.
    fn ways(&self, axis: usize) -> Vec<Polynomial> {
        let [a, b, c] = self.vectors.each_ref().map(|vector| vector[axis].clone());
        match self.features {
            Features::VertexFace => vec![a, b, c],
            Features::EdgeEdge => {
                let far = b.plus(&c);
                vec![b.minus(&a), far.minus(&a), far, b]
            }
        }
    }

    /// Whether the features touch at a root at which the points are coplanar.
    fn touch_at(&self, root: &mut Root) -> bool {
        for axis in 0..3 {
            let (mut positive, mut negative) = (false, false);
            for area in self.areas(axis) {
                match root.sign_of(&area) {
                    Ordering::Less => negative = true,
                    Ordering::Equal => {}
                    Ordering::Greater => positive = true,
                }
                if positive && negative {
                    return false;
                }
            }
            if positive || negative {
                return true;
            }
        }
        (0..3).all(|axis| {
            let ways = self.ways(axis);
            let mut signs = ways.iter().map(|way| root.sign_of(way));
            let first = signs.next().unwrap_or(Ordering::Equal);
            first.is_eq() || signs.any(|sign| sign != first)
        })
    }
}

/// The earliest time in [0, 1] at which two features touch.
///
/// If the points are coplanar all the time, the signs of areas and differences decide. The earliest
/// time is 0, or a time at which some sign changes: at a root of an area that is not always zero,
/// and if all are, at a root of a difference.
pub(super) fn impact(
    features: Features,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
) -> (Option<ImpactTime>, IsFlat) {
    let conditions = Conditions::new(features, start, end);
    let holds = |root: &mut Root| conditions.touch_at(root);
    let coplanarity = conditions.coplanarity();
    if !coplanarity.is_zero() {
        return (earliest(vec![coplanarity], holds), IsFlat::No);
    }
    if conditions.touch_at(&mut Root::At(Dyadic::new(0.0))) {
        return (Some(ImpactTime { lo: 0.0, hi: 0.0 }), IsFlat::Yes);
    }
    let areas: Vec<Polynomial> = (0..3).flat_map(|axis| conditions.areas(axis)).collect();
    let candidates = if areas.iter().all(Polynomial::is_zero) {
        (0..3).flat_map(|axis| conditions.ways(axis)).collect()
    } else {
        areas
    };
    (earliest(candidates, holds), IsFlat::Yes)
}

/// Whether some coordinate takes more than [`FIXED_BITS`] bits on the common grid.
pub(super) fn is_long(start: &[DVec3; 4], end: &[DVec3; 4]) -> bool {
    let grid = grid(start, end, &[]);
    let coordinates = start.iter().chain(end).flat_map(|p| p.to_array());
    coordinates.into_iter().any(|x| on_grid(x, grid, FIXED_BITS).is_none())
}

/// With at most this many bits, the integers of the cubic and of its values at times above 2^-10
/// take no memory from the heap.
const FIXED_BITS: u32 = 112;

/// Whether the points are coplanar all the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IsFlat {
    Yes,
    No,
}

/// The sign of the coplanarity cubic at a time.
#[cold]
pub(super) fn coplanarity_sign(
    features: Features,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    time: f64,
) -> Ordering {
    let time = Dyadic::new(time);
    let vectors = differences(start, end, &[], features.vectors());
    let [a, b, c] = vectors.map(|vector| vector.map(|x| x.value_at(&time)));
    let minor = |i: usize, j: usize| b[i].times(&c[j]).minus(&b[j].times(&c[i]));
    let [x, y, z] = [a[0].times(&minor(1, 2)), a[1].times(&minor(2, 0)), a[2].times(&minor(0, 1))];
    x.plus(&y).plus(&z).sign()
}
