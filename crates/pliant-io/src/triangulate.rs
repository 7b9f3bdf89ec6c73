//! Triangulation of polygons.

use pliant::glam::DVec3;
use robust::{Coord, orient2d};

/// The largest number of corners of a polygon that is triangulated by ear clipping, whose time is
/// quadratic. A larger polygon becomes a fan.
pub const MAX_EAR_CLIPPED_CORNERS: usize = 1024;

/// Triangulates polygons and reuses its memory from one polygon to the next.
///
/// A polygon of n corners gives n - 2 triangles with the polygon's own winding. Consider its
/// projection along the axis in which its area is largest. If this is a simple polygon of at most
/// [`MAX_EAR_CLIPPED_CORNERS`] corners, or one for which a fan fits, the triangles tile the
/// projection exactly: the predicates have no tolerance. For a flat polygon they tile the polygon.
/// Any other polygon (without area, with crossing edges, or too large) becomes a fan about the
/// first corner, as in most programs.
#[derive(Default)]
pub(crate) struct Triangulator {
    flat: Vec<Coord<f64>>,
    previous: Vec<usize>,
    next: Vec<usize>,
    is_ear: Vec<bool>,
    ears: Vec<[usize; 3]>,
}

impl Triangulator {
    /// Appends the triangles of a polygon. Its corners must be indices of `positions`.
    pub(crate) fn triangulate(
        &mut self,
        corners: &[u32],
        positions: &[DVec3],
        triangles: &mut Vec<[u32; 3]>,
    ) {
        let count = corners.len();
        if count > 3 && self.project(corners, positions) && !self.fan_fits() && self.clip_ears() {
            triangles.extend(self.ears.iter().map(|ear| ear.map(|corner| corners[corner])));
        } else {
            triangles.extend((2..count).map(|i| [corners[0], corners[i - 1], corners[i]]));
        }
    }

    /// Projects the polygon onto the coordinate plane in which its area is largest,
    /// counterclockwise. Returns `false` if it has no area in `f64`.
    fn project(&mut self, corners: &[u32], positions: &[DVec3]) -> bool {
        let at = |corner: u32| positions[corner as usize];
        let origin = at(corners[0]);
        let reach =
            corners.iter().map(|&c| (at(c) - origin).abs().max_element()).fold(0.0, f64::max);
        // The sum of the fan's cross products is twice the polygon's vector area (Newell).
        let arm = |corner: u32| (at(corner) - origin) / reach;
        let area: DVec3 = corners.windows(2).map(|edge| arm(edge[0]).cross(arm(edge[1]))).sum();
        let axis =
            (0..3).fold(0, |best, i| if area[i].abs() > area[best].abs() { i } else { best });
        if !area.is_finite() || area[axis] == 0.0 {
            return false;
        }
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        self.flat.clear();
        self.flat.extend(corners.iter().map(|&c| Coord { x: at(c)[u], y: at(c)[v] }));
        if self.is_clockwise().unwrap_or(area[axis] < 0.0) {
            self.flat.iter_mut().for_each(|p| (p.x, p.y) = (p.y, p.x));
        }
        true
    }

    /// The exact orientation of a simple polygon: the lowest of its leftmost corners is a corner of
    /// its convex hull and turns as the polygon does. `None` if that corner does not turn: two
    /// corners coincide, or there is a spike.
    fn is_clockwise(&self) -> Option<bool> {
        let flat = &self.flat;
        let key = |i: usize| (flat[i].x, flat[i].y);
        let leftmost = (1..flat.len()).fold(0, |best, i| if key(i) < key(best) { i } else { best });
        let before = flat[(leftmost + flat.len() - 1) % flat.len()];
        let turn = orient2d(before, flat[leftmost], flat[(leftmost + 1) % flat.len()]);
        (turn != 0.0).then_some(turn < 0.0)
    }

    /// Whether the fan about the first corner tiles the polygon, if that is simple.
    ///
    /// The winding number of a polygon about a point is the sum over the fan's triangles that
    /// contain the point of +1 or -1, by their orientation. If no triangle is clockwise, the number
    /// of triangles that contain a point is the polygon's winding number: one inside a simple
    /// polygon, zero outside.
    fn fan_fits(&self) -> bool {
        let flat = &self.flat;
        flat.windows(2).all(|edge| orient2d(flat[0], edge[0], edge[1]) >= 0.0)
    }

    /// Clips ears until a triangle is left. Returns `false` if the polygon has no ear left to clip,
    /// which does not happen for a simple polygon.
    ///
    /// After an ear is clipped, only its two neighbours can become ears: a vertex that alone blocks
    /// another corner's triangle enters it through the side opposite to that corner. The polygon's
    /// inside is then in the vertex's reflex angle, and a reflex corner is not an ear. There are
    /// therefore three tests per corner, each over all corners.
    fn clip_ears(&mut self) -> bool {
        let count = self.flat.len();
        if count > MAX_EAR_CLIPPED_CORNERS {
            return false;
        }
        self.ears.clear();
        self.next.clear();
        self.next.extend((0..count).map(|i| (i + 1) % count));
        self.previous.clear();
        self.previous.extend((0..count).map(|i| (i + count - 1) % count));
        self.is_ear.clear();
        for corner in 0..count {
            let is_ear = self.is_ear_now(corner);
            self.is_ear.push(is_ear);
        }

        let (mut corner, mut left, mut passed) = (0, count, 0);
        while left > 3 {
            let (before, after) = (self.previous[corner], self.next[corner]);
            if self.is_ear[corner] {
                self.ears.push([before, corner, after]);
                self.next[before] = after;
                self.previous[after] = before;
                self.is_ear[before] = self.is_ear_now(before);
                self.is_ear[after] = self.is_ear_now(after);
                (left, passed) = (left - 1, 0);
            } else if passed == left {
                return false;
            } else {
                passed += 1;
            }
            corner = after;
        }
        self.ears.push([self.previous[corner], corner, self.next[corner]]);
        true
    }

    /// Whether the triangle of a corner and its neighbours turns left and contains no other corner,
    /// not even on its border. Corners at the position of one of the triangle's corners do not
    /// count, since a hole is often opened by a doubled edge.
    fn is_ear_now(&self, corner: usize) -> bool {
        let (before, after) = (self.previous[corner], self.next[corner]);
        let [a, b, c] = [before, corner, after].map(|i| self.flat[i]);
        if orient2d(a, b, c) <= 0.0 {
            return false;
        }
        let (low_x, high_x) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
        let (low_y, high_y) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
        let blocks = |p: Coord<f64>| {
            (low_x <= p.x && p.x <= high_x && low_y <= p.y && p.y <= high_y)
                && (p != a && p != b && p != c)
                && orient2d(a, b, p) >= 0.0
                && orient2d(b, c, p) >= 0.0
                && orient2d(c, a, p) >= 0.0
        };
        let mut other = self.next[after];
        while other != before {
            if blocks(self.flat[other]) {
                return false;
            }
            other = self.next[other];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    type Point = [i64; 2];

    fn area(points: &[Point]) -> i64 {
        let ends = points.iter().zip(points.iter().cycle().skip(1));
        ends.map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum()
    }

    /// The triangles, computed through a shear into space that keeps integers exact.
    fn triangles_of(polygon: &[Point], axis: usize) -> Vec<[u32; 3]> {
        let lift = |p: &Point| {
            let (x, y) = (p[0] as f64, p[1] as f64);
            let mut lifted = [0.0; 3];
            lifted[axis] = 0.5 * x - 0.25 * y;
            lifted[(axis + 1) % 3] = x;
            lifted[(axis + 2) % 3] = y;
            DVec3::from_array(lifted)
        };
        let positions: Vec<DVec3> = polygon.iter().map(lift).collect();
        let corners: Vec<u32> = (0..polygon.len() as u32).collect();
        let mut triangles = Vec::new();
        Triangulator::default().triangulate(&corners, &positions, &mut triangles);
        triangles
    }

    /// If no triangle is flipped and their borders sum to the polygon's border, the triangles cover
    /// each point as often as the polygon winds about it.
    fn assert_tiles(polygon: &[Point], triangles: &[[u32; 3]]) {
        assert_eq!(triangles.len(), polygon.len() - 2);
        let winding = area(polygon).signum();
        let mut border = HashMap::new();
        let mut add = |from: u32, to: u32, sign: i32| {
            let (key, sign) = if from < to { ((from, to), sign) } else { ((to, from), -sign) };
            *border.entry(key).or_insert(0) += sign;
        };
        for &[a, b, c] in triangles {
            let corners = [a, b, c].map(|i| polygon[i as usize]);
            assert!(area(&corners) * winding >= 0, "{corners:?} is turned over in {polygon:?}");
            [(a, b), (b, c), (c, a)].into_iter().for_each(|(from, to)| add(from, to, 1));
        }
        let count = polygon.len() as u32;
        (0..count).for_each(|i| add(i, (i + 1) % count, -1));
        assert!(border.values().all(|&times| times == 0), "{triangles:?} leave {border:?}");
    }

    #[test]
    fn convex_polygons_become_fans() {
        let hexagon = [[2, 0], [4, 0], [6, 2], [4, 4], [2, 4], [0, 2]];
        let fan = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
        assert_eq!(triangles_of(&hexagon, 2), fan);
    }

    #[test]
    fn an_arrowhead_is_cut_through_its_notch() {
        let arrowhead = [[0, 0], [4, -4], [2, 0], [4, 4]];
        assert_eq!(triangles_of(&arrowhead, 0), [[0, 1, 2], [0, 2, 3]]);
        let turned = [[4, -4], [2, 0], [4, 4], [0, 0]];
        let triangles = triangles_of(&turned, 0);
        assert_tiles(&turned, &triangles);
        assert!(triangles.iter().all(|t| t.contains(&1) && t.contains(&3)), "{triangles:?}");
    }

    #[test]
    fn a_spiral_is_tiled() {
        // Two arms around one another, as wide as the gap between them.
        let outer = [[0, 0], [100, 0], [100, 100], [0, 100], [0, 20], [80, 20], [80, 80], [20, 80]];
        let inner = [[20, 70], [70, 70], [70, 30], [10, 30], [10, 90], [90, 90], [90, 10], [0, 10]];
        let spiral: Vec<Point> = outer.into_iter().chain(inner).collect();
        for start in 0..spiral.len() {
            let mut turned = spiral.clone();
            turned.rotate_left(start);
            assert_tiles(&turned, &triangles_of(&turned, start % 3));
        }
    }

    #[test]
    fn a_polygon_thinner_than_rounding_is_tiled() {
        // Counterclockwise, but so thin that its area, summed in `f64`, is negative.
        let thin = [
            [26.794810733154634, 26.794810733154637],
            [13.284959881137148, 13.28495988113715],
            [20.009292464555113, 20.009292464555113],
            [15.500164523245672, 15.500164523245674],
        ];
        let positions = thin.map(|[x, y]| DVec3::new(x, y, 0.0));
        let flat = thin.map(|[x, y]| Coord { x, y });
        let mut triangles = Vec::new();
        for start in 0..4 {
            let mut corners = [0, 1, 2, 3];
            corners.rotate_left(start);
            triangles.clear();
            Triangulator::default().triangulate(&corners, &positions, &mut triangles);
            let turns = triangles.iter().map(|t| t.map(|v| flat[v as usize]));
            assert!(turns.clone().all(|[a, b, c]| orient2d(a, b, c) >= 0.0), "{triangles:?}");
        }
    }

    #[test]
    fn what_is_no_simple_polygon_becomes_a_fan() {
        let fan = [[0, 1, 2], [0, 2, 3]];
        let bow_tie = [[0, 0], [2, 2], [2, 0], [0, 2]];
        let line = [[0, 0], [1, 1], [2, 2], [3, 3]];
        let point = [[5, 5]; 4];
        for polygon in [bow_tie, line, point] {
            assert_eq!(triangles_of(&polygon, 1), fan, "{polygon:?}");
        }
        let huge = [[0.0, 0.0], [f64::MAX, 0.0], [1.0, 1.0], [0.0, f64::MAX]];
        let positions = huge.map(|[x, y]| DVec3::new(x, y, 0.0));
        let mut triangles = Vec::new();
        Triangulator::default().triangulate(&[0, 1, 2, 3], &positions, &mut triangles);
        assert_eq!(triangles.len(), 2);
    }

    #[test]
    fn only_polygons_above_the_limit_lose_their_ears() {
        // A comb of which the first corner sees little.
        let comb = |teeth: i64| -> Vec<Point> {
            let base = [[2 * teeth, -1], [0, -1]];
            let top = (0..2 * teeth).map(|i| [i, if i % 2 == 0 { 0 } else { 9 }]);
            top.chain(base).collect()
        };
        let largest = comb(MAX_EAR_CLIPPED_CORNERS as i64 / 2 - 1);
        assert_eq!(largest.len(), MAX_EAR_CLIPPED_CORNERS);
        assert_tiles(&largest, &triangles_of(&largest, 2));
        let above = comb(MAX_EAR_CLIPPED_CORNERS as i64 / 2);
        let fan: Vec<_> = (2..above.len() as u32).map(|i| [0, i - 1, i]).collect();
        assert_eq!(triangles_of(&above, 2), fan);
    }

    /// Corners by angle about the origin, at which none lies: star-shaped.
    fn star() -> impl Strategy<Value = Vec<Point>> {
        prop::collection::vec([-9i64..=9, -9i64..=9], 4..24).prop_filter_map(
            "simple",
            |mut points| {
                let half = |p: &Point| (p[1], p[0]) < (0, 0);
                let turn = |p: &Point, q: &Point| q[0] * p[1] - p[0] * q[1];
                points.retain(|&p| p != [0, 0]);
                points.sort_by(|p, q| half(p).cmp(&half(q)).then(turn(p, q).cmp(&0)));
                points.dedup_by(|p, q| turn(p, q) == 0 && half(p) == half(q));
                let mut gaps = points.iter().zip(points.iter().cycle().skip(1));
                let simple = points.len() > 3 && gaps.all(|(p, q)| turn(q, p) > 0);
                simple.then_some(points)
            },
        )
    }

    /// A lower and an upper chain that do not meet: monotone in x.
    fn mountain() -> impl Strategy<Value = Vec<Point>> {
        prop::collection::vec((-4i64..=0, 1i64..=5), 2..16).prop_map(|heights| {
            let columns = (0..).zip(heights);
            let lower = columns.clone().map(|(x, (low, _))| [x, low]);
            let upper: Vec<Point> = columns.map(|(x, (_, high))| [x, high]).collect();
            lower.chain(upper.into_iter().rev()).collect()
        })
    }

    proptest! {
        #[test]
        fn simple_polygons_are_tiled(
            polygon in prop_oneof![star(), mountain()],
            start in 0usize..64,
            axis in 0usize..3,
            clockwise: bool,
        ) {
            let mut polygon = polygon;
            let count = polygon.len();
            polygon.rotate_left(start % count);
            if clockwise {
                polygon.reverse();
            }
            assert_tiles(&polygon, &triangles_of(&polygon, axis));
        }

        #[test]
        fn any_polygon_gives_its_number_of_triangles(
            polygon in prop::collection::vec([-3i64..=3, -3i64..=3], 3..40),
        ) {
            let triangles = triangles_of(&polygon, 0);
            prop_assert_eq!(triangles.len(), polygon.len() - 2);
        }
    }
}
