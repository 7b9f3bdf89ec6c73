//! The vertices of a k-DOP.

use glam::DVec3;

use super::Dop;

impl<const N: usize> Dop<N> {
    /// Points whose hull contains the k-DOP, up to 1e-11 of its largest coordinate: its vertices, each once, and maybe
    /// others as close to it. None for an empty one or one that is not finite.
    ///
    /// Every three planes with different directions meet in a point; it is a vertex if no slab excludes it.
    /// Directions are integers, so determinants are exact and at least 1 where they are not 0. A point
    /// errs by less than 2^-44 of the largest coordinate; 1e-11 decides whether it lies in a slab
    /// and whether two points are one, so that no vertex is lost.
    pub(crate) fn vertices(&self) -> Vec<DVec3> {
        let sizes = self.low.iter().chain(&self.high).map(|x| f64::from(x.abs()));
        let largest = sizes.fold(0.0, |most: f64, size| if size <= most { most } else { size });
        if !largest.is_finite() || (0..N).any(|i| self.low[i] > self.high[i]) {
            return Vec::new();
        }
        let tolerance = 1e-11 * largest;
        let normals = Self::DIRECTIONS.map(|d| DVec3::from_array(d.map(f64::from)));
        let ends = |i: usize| [self.low[i], self.high[i]].map(f64::from);
        let inside = |p: DVec3| {
            let along = Self::coordinates(p);
            (0..N).all(|i| {
                let [low, high] = ends(i);
                low - tolerance <= along[i] && along[i] <= high + tolerance
            })
        };
        let mut found: Vec<DVec3> = Vec::new();
        for i in 0..N {
            for j in 0..i {
                for k in 0..j {
                    let (a, b, c) = (normals[i], normals[j], normals[k]);
                    let determinant = a.dot(b.cross(c));
                    if determinant == 0.0 {
                        continue;
                    }
                    for side in 0..8 {
                        let [x, y, z] =
                            [ends(i)[side & 1], ends(j)[side >> 1 & 1], ends(k)[side >> 2]];
                        let p = (b.cross(c) * x + c.cross(a) * y + a.cross(b) * z) / determinant;
                        let known = |q: &DVec3| (*q - p).abs().max_element() <= tolerance;
                        if inside(p) && !found.iter().any(known) {
                            found.push(p);
                        }
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Fit as _;

    #[test]
    fn a_ball_has_the_vertices_of_the_polytope() {
        // Slabs at a distance of 1 from the origin: a cube, and the cube with corners, edges or both cut.
        fn ball<const N: usize>() -> usize {
            let ends = Dop::<N>::SQUARED.map(|squared| squared.sqrt() as f32);
            let dop = Dop { low: ends.map(|x| -x), high: ends };
            let vertices = dop.vertices();
            for p in &vertices {
                let along = Dop::<N>::coordinates(*p);
                let on = (0..N).filter(|&i| (along[i].abs() - f64::from(ends[i])).abs() < 1e-6);
                assert!(on.count() >= 3);
            }
            vertices.len()
        }
        assert_eq!([ball::<3>(), ball::<7>(), ball::<9>(), ball::<13>()], [8, 24, 32, 48]);
        assert!(Dop::<9>::EMPTY.vertices().is_empty());
        assert!(Dop::<9>::EVERYWHERE.vertices().is_empty());
    }
}
