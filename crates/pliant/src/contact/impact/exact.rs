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
use crate::numeric::exact_integer::{difference, finest_grid};

/// A vector whose coordinates are polynomials in time.
pub(super) type Moving = [Polynomial; 3];

/// The differences of the points at `pairs`, as functions of time, in units of the common grid.
pub(super) fn differences<const N: usize>(
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    pairs: [[usize; 2]; N],
) -> [Moving; N] {
    let points = [start, end].map(|step| step.map(|p| p.to_array()));
    let grid = finest_grid(points.as_flattened().as_flattened().iter());
    pairs.map(|[from, to]| {
        [0, 1, 2].map(|axis| {
            let [start, end] =
                points.each_ref().map(|at| difference(at[to][axis], at[from][axis], grid));
            Polynomial::linear(start, &end)
        })
    })
}

pub(super) fn cross(u: &Moving, v: &Moving) -> Moving {
    let minor = |i: usize, j: usize| u[i].times(&v[j]).minus(&u[j].times(&v[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

pub(super) fn dot(u: &Moving, v: &Moving) -> Polynomial {
    u[0].times(&v[0]).plus(&u[1].times(&v[1])).plus(&u[2].times(&v[2]))
}

fn negated(u: &Moving) -> Moving {
    u.each_ref().map(Polynomial::negated)
}

/// The polynomials of a test.
struct Conditions {
    /// Zero where the four points are coplanar.
    coplanarity: Polynomial,
    areas: Vec<Moving>,
    ways: Vec<Moving>,
}

impl Conditions {
    fn new(features: Features, start: &[DVec3; 4], end: &[DVec3; 4]) -> Self {
        match features {
            Features::VertexFace => {
                let [a, b, c] = differences(start, end, [[0, 1], [0, 2], [0, 3]]);
                let areas = [cross(&b, &c), cross(&c, &a), cross(&a, &b)];
                Self {
                    coplanarity: dot(&a, &areas[0]),
                    areas: areas.into(),
                    ways: [a, b, c].into(),
                }
            }
            Features::EdgeEdge => {
                let pairs = [[0, 1], [2, 3], [0, 2], [0, 3], [1, 2], [1, 3]];
                let [u, v, p, q, r, s] = differences(start, end, pairs);
                let from_first = [negated(&cross(&u, &p)), cross(&u, &q)];
                let from_second = [cross(&p, &v), negated(&cross(&r, &v))];
                let coplanarity = dot(&u, &from_second[0]);
                let areas = from_first.into_iter().chain(from_second).collect();
                Self { coplanarity, areas, ways: [p, q, r, s].into() }
            }
        }
    }

    /// Whether the features touch at a root at which the points are coplanar.
    fn touch_at(&self, root: &mut Root) -> bool {
        for axis in 0..3 {
            let (mut positive, mut negative) = (false, false);
            for area in &self.areas {
                match root.sign_of(&area[axis]) {
                    Ordering::Less => negative = true,
                    Ordering::Equal => {}
                    Ordering::Greater => positive = true,
                }
            }
            if positive || negative {
                return !(positive && negative);
            }
        }
        (0..3).all(|axis| {
            let mut signs = self.ways.iter().map(|way| root.sign_of(&way[axis]));
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
    if !conditions.coplanarity.is_zero() {
        return (earliest(vec![conditions.coplanarity.clone()], holds), IsFlat::No);
    }
    let zero = ImpactTime { lo: 0.0, hi: 0.0 };
    if conditions.touch_at(&mut Root::At(Dyadic::new(0.0))) {
        return (Some(zero), IsFlat::Yes);
    }
    let changing = |moving: &[Moving]| -> Vec<Polynomial> {
        moving.as_flattened().iter().filter(|p| !p.is_zero()).cloned().collect()
    };
    let areas = changing(&conditions.areas);
    let candidates = if areas.is_empty() { changing(&conditions.ways) } else { areas };
    (earliest(candidates, holds), IsFlat::Yes)
}

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
    let vectors = differences(start, end, features.vectors());
    let [a, b, c] = vectors.map(|vector| vector.map(|x| x.value_at(&time)));
    let minor = |i: usize, j: usize| b[i].times(&c[j]).minus(&b[j].times(&c[i]));
    let [x, y, z] = [a[0].times(&minor(1, 2)), a[1].times(&minor(2, 0)), a[2].times(&minor(0, 1))];
    x.plus(&y).plus(&z).sign()
}
