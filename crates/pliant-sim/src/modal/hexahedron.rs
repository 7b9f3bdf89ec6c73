//! The stiffness matrix of one cell: a cuboid with the unknowns at its corners.

use pliant::glam::DVec3;

use super::material::Material;

/// Corners per cell; corner 4i + 2j + k is at (i, j, k) in units of its sides.
pub(super) const CORNERS: usize = 8;
/// Displacement components of the corners.
pub(super) const UNKNOWNS: usize = 3 * CORNERS;
/// Corner functions, and one bubble function per axis.
const FUNCTIONS: usize = CORNERS + 3;

/// A cell's stiffness, with one row and one column per component of a corner.
pub(super) type CellMatrix = [[f64; UNKNOWNS]; UNKNOWNS];

/// The stiffness matrix of a cuboid with trilinear corner functions and incompatible modes.
///
/// Trilinear functions cannot represent bending: a bar that is one cell thick would be too stiff by
/// the square of the ratio of the cells' length to their thickness. Each axis therefore has one
/// more function, 1 - ξ², which is zero at the corners and lets a side curve (Wilson et al. 1973).
/// It belongs to one cell and is eliminated here. On cuboids the derivatives of these functions
/// have zero mean, so constant strains are reproduced, and pure bending is exact.
pub(super) fn stiffness(sides: DVec3, material: &Material) -> CellMatrix {
    let [first, second] = material.lame();
    let mut full = [[0.0; 3 * FUNCTIONS]; 3 * FUNCTIONS];
    // Two Gauss points per axis integrate all products of these derivatives exactly.
    let weight = sides.x * sides.y * sides.z / 8.0;
    for point in 0..8 {
        let at = 1.0 / 3.0f64.sqrt();
        let slopes = slopes(DVec3::from(signs(point)) * at).map(|slope| 2.0 * slope / sides);
        for (a, u) in slopes.iter().enumerate() {
            for (b, v) in slopes.iter().enumerate() {
                let shear = weight * second * u.dot(*v);
                for r in 0..3 {
                    for s in 0..3 {
                        let term = first * u[r] * v[s] + second * u[s] * v[r];
                        full[3 * a + r][3 * b + s] += weight * term;
                    }
                    full[3 * a + r][3 * b + r] += shear;
                }
            }
        }
    }
    eliminate_bubbles(&mut full);
    // Elimination rounds the two halves differently; the lower half is used for both.
    let symmetric = |row: usize, column: usize| full[row.max(column)][row.min(column)];
    std::array::from_fn(|row| std::array::from_fn(|column| symmetric(row, column)))
}

/// The cell coordinates of a corner, -1 or 1 per axis.
fn signs(corner: usize) -> [f64; 3] {
    [4, 2, 1].map(|bit| if corner & bit == 0 { -1.0 } else { 1.0 })
}

/// The derivatives of all functions with respect to cell coordinates from -1 to 1.
fn slopes(at: DVec3) -> [DVec3; FUNCTIONS] {
    std::array::from_fn(|function| {
        if let Some(axis) = function.checked_sub(CORNERS) {
            let mut slope = DVec3::ZERO;
            slope[axis] = -2.0 * at[axis];
            return slope;
        }
        let sign = DVec3::from(signs(function));
        let half = (1.0 + sign * at) / 2.0;
        sign / 2.0 * DVec3::new(half.y * half.z, half.x * half.z, half.x * half.y)
    })
}

/// Gaussian elimination of the bubble unknowns, which carry no external load. They are stiff for
/// every material, so the pivots are positive.
fn eliminate_bubbles(full: &mut [[f64; 3 * FUNCTIONS]; 3 * FUNCTIONS]) {
    for pivot in (UNKNOWNS..3 * FUNCTIONS).rev() {
        let pivot_row = full[pivot];
        for row in full[..pivot].iter_mut() {
            let factor = row[pivot] / pivot_row[pivot];
            for (entry, &above) in row[..pivot].iter_mut().zip(&pivot_row) {
                *entry -= factor * above;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: DVec3 = DVec3::new(0.3, 0.2, 0.5);
    const MATERIAL: Material = Material { young: 7.0, poisson: 0.3, density: 1.0 };

    fn energy(field: impl Fn(DVec3) -> DVec3) -> f64 {
        let matrix = stiffness(SIDES, &MATERIAL);
        let values: Vec<f64> =
            (0..8).flat_map(|c| field(DVec3::from(signs(c)) * SIDES / 2.0).to_array()).collect();
        let rows = matrix.iter().zip(&values);
        rows.map(|(row, u)| u * row.iter().zip(&values).map(|(k, v)| k * v).sum::<f64>())
            .sum::<f64>()
            / 2.0
    }

    #[test]
    fn rigid_motion_costs_nothing() {
        assert!(energy(|_| DVec3::new(1.0, -2.0, 3.0)).abs() < 1e-13);
        assert!(energy(|p| DVec3::new(0.3, 1.0, -0.7).cross(p)).abs() < 1e-13);
    }

    #[test]
    fn stretching_and_bending_cost_what_the_textbook_says() {
        let volume = SIDES.x * SIDES.y * SIDES.z;
        let (young, poisson) = (MATERIAL.young, MATERIAL.poisson);
        // A bar that is stretched along z and free to contract: E / 2 per unit of volume.
        let pulled = energy(|p| DVec3::new(-poisson * p.x, -poisson * p.y, p.z));
        assert!((pulled - young * volume / 2.0).abs() < 1e-12);
        // A bar along z bent about the y axis: strain x, so the energy density is E x² / 2, and x²
        // has the mean a² / 12. The bar bulges sideways; at the corners the components along x are
        // constant, which costs nothing.
        let bent = energy(|p| DVec3::new(0.0, -poisson * p.x * p.y, p.x * p.z));
        let textbook = young * volume * SIDES.x * SIDES.x / 24.0;
        assert!((bent / textbook - 1.0).abs() < 1e-12, "{bent} {textbook}");
    }
}
