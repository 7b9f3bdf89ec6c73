//! What both tests have in common: three vectors that move, their products and magnitudes.

use glam::DVec3;

/// Which features meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Features {
    VertexFace,
    EdgeEdge,
}

impl Features {
    /// The points whose differences are the vectors a, b and c: from the vertex to the corners; the
    /// first edge, the way from it to the second edge, and the second edge. In both cases the
    /// points are coplanar where `a . (b x c)` is zero.
    pub(super) const fn vectors(self) -> [[usize; 2]; 3] {
        match self {
            Self::VertexFace => [[0, 1], [0, 2], [0, 3]],
            Self::EdgeEdge => [[0, 1], [0, 2], [2, 3]],
        }
    }
}

/// How much the plane of one edge and an end of the other counts beside the directions of both.
const PARALLEL: f64 = 1.0 / 1024.0;

/// The three vectors of a test at the start and at the end, rounded.
pub(super) struct Motion {
    pub(super) features: Features,
    pub(super) start: [DVec3; 3],
    pub(super) end: [DVec3; 3],
    /// The largest magnitude along each axis.
    pub(super) largest: DVec3,
}

/// Whether the features are apart along an axis during the whole step: every corner of one is on
/// the same side of every corner of the other, at both ends. This is exact, because comparisons
/// are, and because the differences are linear in time.
#[inline(always)]
pub(super) fn apart_along_axis(features: Features, start: &[DVec3; 4], end: &[DVec3; 4]) -> bool {
    let sides = |[a, b, c, d]: &[DVec3; 4]| match features {
        Features::VertexFace => [[*a, *a], [b.min(*c).min(*d), b.max(*c).max(*d)]],
        Features::EdgeEdge => [[a.min(*b), a.max(*b)], [c.min(*d), c.max(*d)]],
    };
    let ([p, q], [r, s]) = (sides(start), sides(end));
    let below = p[1].cmplt(q[0]) & r[1].cmplt(s[0]);
    let above = p[0].cmpgt(q[1]) & r[0].cmpgt(s[1]);
    (below | above).any()
}

impl Motion {
    #[inline(always)]
    pub(super) fn new(features: Features, start: &[DVec3; 4], end: &[DVec3; 4]) -> Self {
        let [a, b, c] = features.vectors();
        let of = |points: &[DVec3; 4], [from, to]: [usize; 2]| points[to] - points[from];
        let start = [of(start, a), of(start, b), of(start, c)];
        let end = [of(end, a), of(end, b), of(end, c)];
        let most = |[a, b, c]: [DVec3; 3]| a.abs().max(b.abs()).max(c.abs());
        Self { features, start, end, largest: most(start).max(most(end)) }
    }

    /// The Bernstein coefficients of the coplanarity cubic.
    ///
    /// Written as `a . (b x c)` with vectors that are linear in time, and expanded.
    #[inline(always)]
    pub(super) fn cubic(&self) -> [f64; 4] {
        let ([a, b, c], [d, e, f]) = (self.start, self.end);
        let (first, last) = (b.cross(c), e.cross(f));
        let mixed = b.cross(f) + e.cross(c);
        let third = 1.0 / 3.0;
        [
            a.dot(first),
            (d.dot(first) + a.dot(mixed)) * third,
            (a.dot(last) + d.dot(mixed)) * third,
            d.dot(last),
        ]
    }

    /// The axis along which the normal of the features is longest at a time, roughly. Areas along any
    /// axis decide rightly; along this one they decide most often.
    #[inline(always)]
    pub(super) fn axis(&self, time: f64) -> usize {
        let at = |i: usize| self.start[i] + (self.end[i] - self.start[i]) * time;
        let normal = match self.features {
            Features::VertexFace => {
                let a = at(0);
                (at(1) - a).cross(at(2) - a)
            }
            // Parallel edges have a plane, too, if they are not on one line.
            Features::EdgeEdge => {
                let edge = at(0);
                edge.cross(at(2)).abs() + edge.cross(at(1)).abs() * PARALLEL
            }
        };
        normal.abs().max_position()
    }

    /// The Bernstein coefficients of the areas along an axis: three for a face; four for edges. The
    /// fourth repeats the third for a face.
    ///
    /// With the products x = b x c, y = c x a and z = a x b these are x, y and z for a face. For
    /// edges they are -z, z - y, x and -(x + y): each edge spans them with the ends of the other,
    /// the second and fourth reversed, so that edges that cross have four areas of one sign.
    #[inline(always)]
    pub(super) fn areas(&self, axis: usize) -> [[f64; 3]; 4] {
        let flat = |v: DVec3| match axis {
            0 => (v.y, v.z),
            1 => (v.z, v.x),
            _ => (v.x, v.y),
        };
        let product = |i: usize, j: usize| {
            let (a, b, c, d) =
                (flat(self.start[i]), flat(self.end[i]), flat(self.start[j]), flat(self.end[j]));
            let cross = |p: (f64, f64), q: (f64, f64)| p.0 * q.1 - p.1 * q.0;
            [cross(a, c), (cross(a, d) + cross(b, c)) * 0.5, cross(b, d)]
        };
        let (x, y, z) = (product(1, 2), product(2, 0), product(0, 1));
        match self.features {
            Features::VertexFace => [x, y, z, z],
            Features::EdgeEdge => {
                [z.map(|z| -z), combine(z, y, |z, y| z - y), x, combine(x, y, |x, y| -(x + y))]
            }
        }
    }
}

#[inline(always)]
fn combine(a: [f64; 3], b: [f64; 3], with: impl Fn(f64, f64) -> f64) -> [f64; 3] {
    [with(a[0], b[0]), with(a[1], b[1]), with(a[2], b[2])]
}
