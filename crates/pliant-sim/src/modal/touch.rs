//! Test whether a triangle meets a grid cell.

use pliant::glam::DVec3;

/// Whether a triangle, in units of cells, meets a cell that is enlarged by `margin` on each side.
///
/// The separating axis theorem: the two are apart if and only if they are apart along one of
/// thirteen axes, which are the cell's axes, the triangle's normal, and the cross products of their
/// edges. Rounding may decide for a surface that grazes the cell. Then one cell more or less is
/// filled, and both results are valid embeddings.
pub(super) fn cell_meets_triangle(cell: [usize; 3], margin: f64, triangle: &[DVec3; 3]) -> bool {
    let center = DVec3::from_array(cell.map(|number| number as f64 + 0.5));
    let half = 0.5 + margin;
    let [a, b, c] = triangle.map(|corner| corner - center);
    let apart = |axis: DVec3| {
        let [x, y, z] = [axis.dot(a), axis.dot(b), axis.dot(c)];
        let reach = half * (axis.x.abs() + axis.y.abs() + axis.z.abs());
        x.min(y).min(z) > reach || x.max(y).max(z) < -reach
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let edges = [b - a, c - b, a - c];
    !(axes.into_iter().any(apart)
        || apart(edges[0].cross(edges[1]))
        || axes.into_iter().any(|axis| edges.into_iter().any(|edge| apart(axis.cross(edge)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_near_a_corner_of_the_cell() {
        // It cuts off the corner (1, 1, 1), at increasing distances.
        let cut = |s: f64| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| DVec3::splat(s) + 2.0 * axis);
        assert!(cell_meets_triangle([0; 3], 0.0, &cut(0.3)));
        assert!(!cell_meets_triangle([0; 3], 0.0, &cut(0.34)));
        // A side of the cell, in the plane between two cells.
        let side = [DVec3::ZERO, DVec3::Y, DVec3::Z];
        assert!(cell_meets_triangle([0; 3], 1e-6, &side));
        assert!(!cell_meets_triangle([0; 3], -1e-6, &side));
        assert!(cell_meets_triangle([0; 3], -1e-6, &side.map(|p| p + 0.01 * DVec3::X)));
    }
}
