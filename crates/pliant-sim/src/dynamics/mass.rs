//! Mass, centre of mass and inertia of a mesh.

use pliant::Mesh;
use pliant::glam::{DMat3, DVec3};

use crate::Result;
use crate::error::refuse;
use crate::modal::is_closed;

/// What the mass of a mesh was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// The volume inside a closed surface, which counts as solid.
    Volume,
    /// The area of an open surface, which counts as a wall.
    Area,
}

/// Mass properties of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// The mass in kilograms.
    pub mass: f64,
    /// The centre of mass, in the mesh's coordinates.
    pub center: DVec3,
    /// The inertia about the centre of mass, along the mesh's axes.
    pub inertia: DMat3,
    /// What the mass was computed from.
    pub measured: Measured,
}

/// Computes the mass properties of a mesh.
///
/// A closed surface, each of whose edges has an even number of triangles, is solid: `density` counts
/// per volume. Parts that overlap count twice. An open surface, and a closed one that encloses no
/// volume, is a wall of the thickness `wall`: `density * wall` counts per area.
///
/// ```
/// use pliant::{Mesh, glam::DVec3};
/// use pliant_sim::dynamics::{Measured, mass_properties};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let solid = Mesh::new(corners.clone(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let found = mass_properties(&solid, 6.0, 0.1)?;
/// assert_eq!((found.measured, found.mass), (Measured::Volume, 1.0));
/// let sheet = Mesh::new(corners, vec![[0, 1, 2]])?;
/// let found = mass_properties(&sheet, 6.0, 0.1)?;
/// assert_eq!(found.measured, Measured::Area);
/// assert!((found.mass - 0.3).abs() < 1e-15);
/// # Ok::<(), pliant_sim::Error>(())
/// ```
///
/// # Errors
/// [`InvalidSetting`](crate::Error::InvalidSetting) for a density or wall that is not positive and finite, and for a mass
/// or inertia that is not (a mesh without area, or one that overflows).
pub fn mass_properties(mesh: &Mesh, density: f64, wall: f64) -> Result<MassProperties> {
    for (setting, value) in [("density", density), ("wall", wall)] {
        if !(value > 0.0 && value.is_finite()) {
            return refuse(setting, value, "positive, finite numbers");
        }
    }
    let positions = mesh.positions();
    // Sums about a point of the mesh, which keeps rounding small far from the origin.
    let origin = positions.iter().sum::<DVec3>() / positions.len() as f64;
    let corners =
        || mesh.triangles().iter().map(|t| t.map(|vertex| positions[vertex as usize] - origin));
    let mut measured = Measured::Area;
    let mut sums = Moments::ZERO;
    if is_closed(mesh) {
        corners().for_each(|[a, b, c]| sums.add_tetrahedron([a, b, c], a.dot(b.cross(c)) / 6.0));
        let extent = corners().flatten().fold(0.0, |most: f64, p| most.max(p.length()));
        // A surface that encloses nothing leaves a rounding error.
        if sums.size.abs() > 1e-12 * extent.powi(3) {
            measured = Measured::Volume;
            // A surface that faces inward encloses a negative volume.
            sums = sums.scaled(density * sums.size.signum());
        }
    }
    if measured == Measured::Area {
        sums = Moments::ZERO;
        corners().for_each(|[a, b, c]| {
            sums.add_triangle([a, b, c], 0.5 * (b - a).cross(c - a).length());
        });
        sums = sums.scaled(density * wall);
    }
    let found = sums.properties(origin, measured);
    let stiff = found.inertia.determinant();
    if !(found.mass > 0.0 && found.mass.is_finite() && stiff > 0.0 && stiff.is_finite()) {
        let value = if found.mass > 0.0 { stiff } else { found.mass };
        return refuse("mass or inertia", value, "positive, finite numbers");
    }
    Ok(found)
}

/// Zeroth, first and second moments of a set.
#[derive(Debug, Clone, Copy)]
struct Moments {
    size: f64,
    first: DVec3,
    /// The integral of p pᵀ.
    second: DMat3,
}

impl Moments {
    /// Those of nothing.
    const ZERO: Self = Self { size: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// The tetrahedron of the origin and three corners: its second moments are
    /// V / 20 (sum of p pᵀ over the corners + s sᵀ), with s the sum of the corners.
    fn add_tetrahedron(&mut self, corners: [DVec3; 3], volume: f64) {
        self.add(corners, volume, 4.0, 20.0);
    }

    /// A triangle: A / 12 (sum of p pᵀ over the corners + s sᵀ).
    fn add_triangle(&mut self, corners: [DVec3; 3], area: f64) {
        self.add(corners, area, 3.0, 12.0);
    }

    fn add(&mut self, corners: [DVec3; 3], size: f64, first: f64, second: f64) {
        let sum: DVec3 = corners.iter().sum();
        self.size += size;
        self.first += sum * (size / first);
        let squares = corners.iter().fold(outer(sum), |all, &p| all + outer(p));
        self.second += squares * (size / second);
    }

    fn scaled(self, factor: f64) -> Self {
        let Self { size, first, second } = self;
        Self { size: size * factor, first: first * factor, second: second * factor }
    }

    fn properties(&self, origin: DVec3, measured: Measured) -> MassProperties {
        let middle = self.first / self.size;
        let about_middle = self.second - outer(middle) * self.size;
        let trace = about_middle.x_axis.x + about_middle.y_axis.y + about_middle.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - about_middle;
        MassProperties { mass: self.size, center: origin + middle, inertia, measured }
    }
}

fn outer(p: DVec3) -> DMat3 {
    DMat3::from_cols(p * p.x, p * p.y, p * p.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cuboid with a corner at `from`.
    fn cuboid(from: DVec3, size: DVec3, flipped: bool) -> Mesh {
        let corner = |n: u32| {
            let bit = |shift: u32| f64::from(n >> shift & 1);
            from + size * DVec3::new(bit(0), bit(1), bit(2))
        };
        let sides =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let mut triangles: Vec<[u32; 3]> =
            sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        if flipped {
            triangles.iter_mut().for_each(|t| t.swap(0, 1));
        }
        Mesh::new((0..8).map(corner).collect(), triangles).unwrap()
    }

    #[test]
    fn a_cuboid_has_the_inertia_of_the_textbook() {
        let size = DVec3::new(1.0, 2.0, 3.0);
        for (from, flipped) in [(DVec3::splat(-50.0), false), (DVec3::ZERO, true)] {
            let found = mass_properties(&cuboid(from, size, flipped), 10.0, 1.0).unwrap();
            assert_eq!(found.measured, Measured::Volume);
            assert!((found.mass - 60.0).abs() < 1e-10);
            assert!(found.center.distance(from + size / 2.0) < 1e-10);
            let square = size * size;
            let expected =
                DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y)
                    * (60.0 / 12.0);
            let expected = DMat3::from_diagonal(expected);
            assert!(found.inertia.abs_diff_eq(expected, 1e-9), "{:?}", found.inertia);
        }
    }

    #[test]
    fn an_open_surface_is_a_wall() {
        let corners = vec![DVec3::ZERO, DVec3::X * 2.0, DVec3::new(2.0, 1.0, 0.0), DVec3::Y];
        let sheet = Mesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let found = mass_properties(&sheet, 1000.0, 0.003).unwrap();
        assert_eq!(found.measured, Measured::Area);
        assert!((found.mass - 6.0).abs() < 1e-12);
        assert!(found.center.distance(DVec3::new(1.0, 0.5, 0.0)) < 1e-12);
        let expected = DMat3::from_diagonal(DVec3::new(1.0, 4.0, 5.0) * 0.5);
        assert!(found.inertia.abs_diff_eq(expected, 1e-12), "{:?}", found.inertia);
    }

    #[test]
    fn wrong_input_is_refused() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        let line = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        assert!(mass_properties(&line, 1.0, 1.0).is_err());
        let solid = cuboid(DVec3::ZERO, DVec3::ONE, false);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(mass_properties(&solid, bad, 1.0).is_err());
            assert!(mass_properties(&solid, 1.0, bad).is_err());
        }
    }
}
