//! The last stage: distances of triangles compared with integers of any length.

use glam::DVec3;

use crate::numeric::exact_integer::{Integer, difference, finest_grid};

type Vector = [Integer; 3];

/// Whether two triangles that do not touch are within a distance of each other.
///
/// The least distance of two disjoint triangles is that of two corners, of a corner and its foot on
/// an edge or in a triangle, or of the feet of two edges' common normal. Each of these is the
/// distance of two points of the triangles. So the triangles are within the distance if and only if
/// one of these is. All are ratios of integers in units of the finest power of two, and are compared
/// without a division.
#[cold]
#[inline(never)]
pub(super) fn triangles_within(a: &[DVec3; 3], b: &[DVec3; 3], distance: f64) -> bool {
    let corners = [a, b].map(|t| t.map(|p| p.to_array()));
    let numbers = corners.iter().flatten().flatten().chain(std::iter::once(&distance));
    let grid = finest_grid(numbers);
    let reach = difference(distance, 0.0, grid);
    let space = Space { grid, squared: reach.times(&reach) };
    let [a, b] = corners;
    let some_corner_is_near = |points: &[[f64; 3]; 3], of: &[[f64; 3]; 3]| {
        points.iter().any(|p| {
            of.iter().any(|q| space.corners(p, q))
                || edges(of).iter().any(|edge| space.corner_and_edge(p, edge))
                || space.corner_and_face(p, of)
        })
    };
    some_corner_is_near(&a, &b)
        || some_corner_is_near(&b, &a)
        || edges(&a).iter().any(|p| edges(&b).iter().any(|q| space.edges(p, q)))
}

fn edges([a, b, c]: &[[f64; 3]; 3]) -> [[[f64; 3]; 2]; 3] {
    [[*a, *b], [*b, *c], [*c, *a]]
}

/// The unit of all coordinates, and the square of the distance.
struct Space {
    grid: i32,
    squared: Integer,
}

impl Space {
    fn from(&self, p: &[f64; 3], to: &[f64; 3]) -> Vector {
        [0, 1, 2].map(|i| difference(to[i], p[i], self.grid))
    }

    /// Whether `square / whole` is at most the square of the distance.
    fn reaches(&self, square: &Integer, whole: &Integer) -> bool {
        square.minus(&self.squared.times(whole)).sign().is_le()
    }

    fn corners(&self, p: &[f64; 3], q: &[f64; 3]) -> bool {
        let way = self.from(p, q);
        dot(&way, &way).minus(&self.squared).sign().is_le()
    }

    /// A corner and its foot strictly inside an edge.
    fn corner_and_edge(&self, p: &[f64; 3], [a, b]: &[[f64; 3]; 2]) -> bool {
        let (along, from) = (self.from(a, b), self.from(a, p));
        let (whole, foot) = (dot(&along, &along), dot(&from, &along));
        if foot.sign().is_le() || foot.minus(&whole).sign().is_ge() {
            return false;
        }
        let square = dot(&from, &from).times(&whole).minus(&foot.times(&foot));
        self.reaches(&square, &whole)
    }

    /// A corner and its foot strictly inside a triangle.
    fn corner_and_face(&self, p: &[f64; 3], [a, b, c]: &[[f64; 3]; 3]) -> bool {
        let (u, v, from) = (self.from(a, b), self.from(a, c), self.from(a, p));
        let normal = cross(&u, &v);
        let whole = dot(&normal, &normal);
        let (s, t) = (dot(&cross(&from, &v), &normal), dot(&cross(&u, &from), &normal));
        if s.sign().is_le() || t.sign().is_le() || s.plus(&t).minus(&whole).sign().is_ge() {
            return false;
        }
        let height = dot(&normal, &from);
        self.reaches(&height.times(&height), &whole)
    }

    /// The feet of the common normal of two edges that are not parallel.
    fn edges(&self, [a, b]: &[[f64; 3]; 2], [c, d]: &[[f64; 3]; 2]) -> bool {
        let (u, v, between) = (self.from(a, b), self.from(c, d), self.from(a, c));
        let normal = cross(&u, &v);
        let whole = dot(&normal, &normal);
        if whole.sign().is_eq() {
            return false;
        }
        for share in [dot(&cross(&between, &v), &normal), dot(&cross(&between, &u), &normal)] {
            if share.sign().is_lt() || share.minus(&whole).sign().is_gt() {
                return false;
            }
        }
        let height = dot(&normal, &between);
        self.reaches(&height.times(&height), &whole)
    }
}

fn dot(u: &Vector, v: &Vector) -> Integer {
    u[0].times(&v[0]).plus(&u[1].times(&v[1])).plus(&u[2].times(&v[2]))
}

fn cross(u: &Vector, v: &Vector) -> Vector {
    let minor = |i: usize, j: usize| u[i].times(&v[j]).minus(&u[j].times(&v[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}
