//! The periodic cell of a crystal or a simulation box.

use pliant::glam::{DMat3, DVec3};

/// Three edge vectors in ångströms; everything in the cell repeats along them.
///
/// The edges may be skewed in any way. They are reduced once to the shortest edges of the same
/// lattice, so that the shortest difference of two points is found among 27 images.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    edges: [DVec3; 3],
    /// Edges of the same lattice, as short as possible, as columns.
    reduced: DMat3,
    inverse: DMat3,
}

/// Cells with a smaller ratio of volume to the product of their edges are flat.
const FLATTEST: f64 = 1e-6;

/// The range of the lengths of edges, in ångströms.
const SHORTEST: f64 = 1e-3;
const LONGEST: f64 = 1e9;

/// Steps of the reduction; a lattice of edges in this range needs far fewer.
const MOST_STEPS: usize = 1000;

impl Cell {
    /// A cell with these edges; `None` if they are not finite, do not span a volume, or one is
    /// shorter than 0.001 or longer than 10⁹ ångströms.
    ///
    /// ```
    /// use pliant_io::Cell;
    /// use pliant::glam::DVec3;
    ///
    /// let cell = Cell::new([DVec3::X * 10.0, DVec3::Y * 20.0, DVec3::Z * 30.0]).unwrap();
    /// assert_eq!(cell.shortest(DVec3::new(9.0, 9.0, -16.0)), DVec3::new(-1.0, 9.0, 14.0));
    /// ```
    #[must_use]
    pub fn new(edges: [DVec3; 3]) -> Option<Self> {
        let lengths = edges.map(DVec3::length);
        let in_range = |length: &f64| (SHORTEST..=LONGEST).contains(length);
        let volume = edges[0].dot(edges[1].cross(edges[2])).abs();
        if !lengths.iter().all(in_range) || volume < FLATTEST * lengths.iter().product::<f64>() {
            return None;
        }
        let [a, b, c] = reduce(edges);
        let reduced = DMat3::from_cols(a, b, c);
        let inverse = reduced.inverse();
        inverse.is_finite().then_some(Self { edges, reduced, inverse })
    }

    /// A cell with edges of these lengths in ångströms and the angles alpha, beta and gamma in
    /// degrees, as in CRYST1: the first edge lies along x, the second in the plane of x and y.
    #[must_use]
    pub fn from_angles(lengths: [f64; 3], angles: [f64; 3]) -> Option<Self> {
        if !angles.iter().all(|angle| *angle > 0.0 && *angle < 180.0) {
            return None;
        }
        // The cosine of 90° is exactly 0.
        let cosine = |angle: f64| if angle == 90.0 { 0.0 } else { angle.to_radians().cos() };
        Self::from_cosines(lengths, angles.map(cosine))
    }

    /// The same as [`from_angles`](Self::from_angles), from the cosines of the angles.
    #[must_use]
    pub fn from_cosines([a, b, c]: [f64; 3], [alpha, beta, gamma]: [f64; 3]) -> Option<Self> {
        let sine = (1.0 - gamma * gamma).sqrt();
        let y = (alpha - beta * gamma) / sine;
        let z = (1.0 - beta * beta - y * y).sqrt();
        Self::new([
            DVec3::new(a, 0.0, 0.0),
            DVec3::new(b * gamma, b * sine, 0.0),
            DVec3::new(c * beta, c * y, c * z),
        ])
    }

    /// The edges as they were given.
    #[must_use]
    pub fn edges(&self) -> [DVec3; 3] {
        self.edges
    }

    /// The edges of the same lattice that are as short as possible.
    pub(super) fn reduced(&self) -> DMat3 {
        self.reduced
    }

    /// Coordinates along the reduced edges.
    pub(super) fn fractions(&self, place: DVec3) -> DVec3 {
        self.inverse * place
    }

    /// The distances between opposite faces of the reduced cell.
    pub(super) fn heights(&self) -> [f64; 3] {
        let rows = self.inverse.transpose();
        [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| 1.0 / row.length())
    }

    /// The shortest of all differences that are equal up to edges.
    ///
    /// Proof that 27 images suffice: in three dimensions a point of the Voronoi cell of a
    /// Minkowski-reduced basis has coordinates of at most 1 (Nguyen and Stehlé 2009, section 4).
    /// After rounding, the coordinates are at most 1/2. So the nearest lattice point has integer
    /// coordinates of at most 3/2, hence at most 1.
    #[must_use]
    pub fn shortest(&self, difference: DVec3) -> DVec3 {
        let fractions = self.fractions(difference);
        // Whole edges are taken away, so that a difference that is short already stays as it is.
        let start = difference - self.reduced * fractions.round();
        let mut best = start;
        for x in [-1.0, 0.0, 1.0] {
            for y in [-1.0, 0.0, 1.0] {
                for z in [-1.0, 0.0, 1.0] {
                    let image = start + self.reduced * DVec3::new(x, y, z);
                    if image.length_squared() < best.length_squared() {
                        best = image;
                    }
                }
            }
        }
        best
    }
}

/// The greedy reduction of Nguyen and Stehlé 2009 (figure 5), whose result is Minkowski-reduced in
/// three dimensions: the longest vector is shortened by the lattice of the other two until it
/// cannot be.
fn reduce(mut edges: [DVec3; 3]) -> [DVec3; 3] {
    for _ in 0..MOST_STEPS {
        edges.sort_by(|p, q| p.length_squared().total_cmp(&q.length_squared()));
        let [mut a, mut b, c] = edges;
        // Lagrange's reduction of the two shorter ones.
        for _ in 0..MOST_STEPS {
            if b.length_squared() < a.length_squared() {
                (a, b) = (b, a);
            }
            let times = (a.dot(b) / a.length_squared()).round();
            if times == 0.0 {
                break;
            }
            b -= times * a;
        }
        let shorter = c - nearest_in_plane(a, b, c);
        edges = [a, b, c];
        if shorter.length_squared() >= c.length_squared() * (1.0 - 1e-12) {
            break;
        }
        edges[2] = shorter;
    }
    edges
}

/// The point of the lattice of `a` and `b`, which is reduced, that is nearest to `c`.
fn nearest_in_plane(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
    let (ac, bc) = (a.dot(c), b.dot(c));
    let determinant = aa * bb - ab * ab;
    let x = ((ac * bb - bc * ab) / determinant).round();
    let y = ((bc * aa - ac * ab) / determinant).round();
    let mut best = DVec3::ZERO;
    for dx in [-1.0, 0.0, 1.0] {
        for dy in [-1.0, 0.0, 1.0] {
            let point = (x + dx) * a + (y + dy) * b;
            if (c - point).length_squared() < (c - best).length_squared() {
                best = point;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cells_that_span_nothing_are_refused() {
        let edges = |z| [DVec3::X, DVec3::Y, z];
        assert!(Cell::new(edges(DVec3::Z)).is_some());
        assert!(Cell::new(edges(DVec3::X + DVec3::Y)).is_none());
        assert!(Cell::new(edges(DVec3::ZERO)).is_none());
        assert!(Cell::new(edges(DVec3::Z * f64::NAN)).is_none());
        assert!(Cell::new(edges(DVec3::Z * 1e300)).is_none());
        assert!(Cell::from_angles([1.0; 3], [90.0, 90.0, 180.0]).is_none());
        assert!(Cell::from_angles([1.0; 3], [150.0, 150.0, 150.0]).is_none());
        assert_eq!(
            Cell::from_angles([1.0, 2.0, 3.0], [90.0; 3]).unwrap().edges(),
            [DVec3::X, DVec3::Y * 2.0, DVec3::Z * 3.0]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        /// The shortest image, also in cells whose edges are far from reduced.
        #[test]
        fn no_image_is_shorter(
            lengths in [3.0_f64..30.0, 3.0..30.0, 3.0..30.0],
            angles in [50.0_f64..130.0, 50.0..130.0, 50.0..130.0],
            skew in [-3_i32..4, -3..4, -3..4],
            place in [-1.0_f64..1.0, -1.0..1.0, -1.0..1.0],
        ) {
            let Some(plain) = Cell::from_angles(lengths, angles) else { return Ok(()) };
            let [a, b, c] = plain.edges();
            let [i, j, k] = skew.map(f64::from);
            let Some(skewed) = Cell::new([a, b + i * a, c + j * a + k * b]) else { return Ok(()) };
            let difference = 40.0 * DVec3::from_array(place);
            let found = skewed.shortest(difference);
            // The result differs from the input by whole edges.
            let steps = DMat3::from_cols(a, b, c).inverse() * (found - difference);
            prop_assert!((steps - steps.round()).abs().max_element() < 1e-6);
            let near = DMat3::from_cols(a, b, c).inverse() * difference;
            for x in -4..=4 {
                for y in -4..=4 {
                    for z in -4..=4 {
                        let offset = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                        let image = difference - DMat3::from_cols(a, b, c) * (near.round() + offset);
                        prop_assert!(found.length() <= image.length() + 1e-9);
                    }
                }
            }
        }
    }
}
