//! Points on a surface, for shapes that come as meshes.

use std::collections::BTreeMap;

use pliant::Mesh;
use pliant::glam::DVec3;

/// Places on the surface that are looked at for each point that is kept.
const CANDIDATES_PER_POINT: usize = 24;

/// At most `count` points spread evenly over a surface, and the distance of neighbours: half of it is a
/// radius with which balls around them cover the surface but for small gaps.
///
/// The points lie on triangles. They depend on the mesh alone. A mesh without area is its first vertex.
#[must_use]
pub fn sample_surface(mesh: &Mesh, count: usize) -> (Vec<DVec3>, f64) {
    let candidates = candidates(mesh, count.max(1).saturating_mul(CANDIDATES_PER_POINT));
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &point in &candidates {
        (low, high) = (low.min(point), high.max(point));
    }
    let size = (high - low).max_element();
    if !(size > 0.0 && size.is_finite()) {
        return (candidates.into_iter().take(1).collect(), 1.0);
    }
    // The smallest cells, by halving, that are not more than may be kept.
    let (mut fine, mut coarse) = (size * 1e-3, size * 1.001);
    let mut kept = thin(&candidates, low, coarse);
    for _ in 0..24 {
        let middle = (fine * coarse).sqrt();
        let thinned = thin(&candidates, low, middle);
        if thinned.len() <= count.max(1) {
            (kept, coarse) = (thinned, middle);
        } else {
            fine = middle;
        }
    }
    (kept, coarse)
}

/// Points at equal shares of the area, in the order of the triangles.
fn candidates(mesh: &Mesh, count: usize) -> Vec<DVec3> {
    let corners = |triangle: &[u32; 3]| triangle.map(|vertex| mesh.positions()[vertex as usize]);
    let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
    let total: f64 = mesh.triangles().iter().map(|triangle| area(corners(triangle))).sum();
    let mut points = Vec::new();
    let share = total / count as f64;
    if !(share > 0.0 && share.is_finite()) {
        return mesh.positions().iter().take(1).copied().collect();
    }
    let (mut passed, mut next) = (0.0, 0.5 * share);
    for triangle in mesh.triangles() {
        let [a, b, c] = corners(triangle);
        passed += area([a, b, c]);
        while next <= passed && points.len() < count {
            // Two irrational steps fill the unit square evenly (Roberts 2018).
            let number = points.len() as f64;
            let (mut u, mut v) =
                ((number * 0.754_877_666).fract(), (number * 0.569_840_291).fract());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            points.push(a + u * (b - a) + v * (c - a));
            next += share;
        }
    }
    points
}

/// Of each cell the point that is nearest to the mean of its points.
fn thin(points: &[DVec3], low: DVec3, side: f64) -> Vec<DVec3> {
    let cell = |point: DVec3| ((point - low) / side).to_array().map(|at| at.floor() as i64);
    let mut cells: BTreeMap<[i64; 3], (DVec3, usize)> = BTreeMap::new();
    for &point in points {
        let (sum, count) = cells.entry(cell(point)).or_default();
        *sum += point;
        *count += 1;
    }
    let mut kept: BTreeMap<[i64; 3], (f64, DVec3)> = BTreeMap::new();
    for &point in points {
        let (sum, count) = cells[&cell(point)];
        let distance = point.distance_squared(sum / count as f64);
        let best = kept.entry(cell(point)).or_insert((f64::INFINITY, point));
        if distance < best.0 {
            *best = (distance, point);
        }
    }
    kept.into_values().map(|(_, point)| point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_covered() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
        let mesh = Mesh::new(corners, vec![[0, 1, 3], [0, 3, 2]]).unwrap();
        let (points, spacing) = sample_surface(&mesh, 100);
        assert!((60..=100).contains(&points.len()), "{}", points.len());
        let covered =
            |place: DVec3| points.iter().any(|point| point.distance(place) < 1.5 * spacing);
        let places = (0..100).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.0) / 9.0);
        assert!(places.into_iter().all(covered));
        assert_eq!(sample_surface(&mesh, 100).0, points);
    }

    #[test]
    fn a_mesh_without_area_is_a_point() {
        let mesh = Mesh::new(vec![DVec3::ONE; 3], vec![[0, 1, 2]]).unwrap();
        assert_eq!(sample_surface(&mesh, 10).0, [DVec3::ONE]);
    }
}
