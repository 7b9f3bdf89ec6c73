//! Rigid motion: a rotation and a translation.

use glam::{DMat3, DQuat, DVec3, DVec4};

use super::Deformation;
use crate::{Error, Mesh, Result};

/// How far products of rows of a rotation's matrix may be from 0 and 1: what the rounding of a
/// quaternion's matrix gives.
const MATRIX_SLACK: f64 = 8.0 * f64::EPSILON;

/// A rotation followed by a translation.
///
/// ```
/// use pliant::{Isometry, glam::{DQuat, DVec3}};
/// let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
/// let placed = Isometry::new(quarter, DVec3::new(0.0, 0.0, 5.0))?;
/// assert!((placed.apply(DVec3::X) - DVec3::new(0.0, 1.0, 5.0)).length() < 1e-15);
/// assert!(Isometry::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DVec3::ZERO).is_err());
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Isometry {
    rotation: DMat3,
    translation: DVec3,
    /// Whether the rotation does anything: without, a point is moved in a third of the time.
    turns: bool,
}

impl Isometry {
    /// Nothing turns, nothing moves; every position keeps its bits, but for -0, which becomes 0.
    pub const IDENTITY: Self =
        Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO, turns: false };

    /// A rotation, normalised here, and then a translation.
    ///
    /// # Errors
    /// [`Error::InvalidRotation`] for a quaternion of length zero or not finite,
    /// [`Error::InvalidVector`] for a translation that is not finite.
    pub fn new(rotation: DQuat, translation: DVec3) -> Result<Self> {
        // First to components of at most 1: squares of tiny ones lose their digits or vanish,
        // those of huge ones overflow, and bounds rely on a matrix that changes no length.
        let largest = DVec4::from(rotation).abs().max_element();
        let unit = DQuat::from_vec4(DVec4::from(rotation) / largest).normalize();
        // A zero or infinite component leaves no direction: NaN.
        if !unit.is_finite() {
            return Err(Error::InvalidRotation { quaternion: rotation.to_array() });
        }
        if !translation.is_finite() {
            let vector = translation.to_array();
            return Err(Error::InvalidVector { what: "translation", vector, reason: "not finite" });
        }
        let rotation = DMat3::from_quat(unit);
        Ok(Self { rotation, translation, turns: rotation != DMat3::IDENTITY })
    }

    /// A rotation by a matrix that is one up to rounding, and then a translation. The matrix is kept
    /// bit for bit.
    ///
    /// `None` if it mirrors, if a product of two of its rows is off by more than 8 times the rounding
    /// of 1 (as for every rotation that [`Isometry::new`] makes), or if a number is not finite.
    #[must_use]
    pub fn from_matrix(rotation: DMat3, translation: DVec3) -> Option<Self> {
        let off = (rotation * rotation.transpose() - DMat3::IDENTITY).to_cols_array();
        let is_rotation =
            off.iter().all(|x| x.abs() <= MATRIX_SLACK) && rotation.determinant() > 0.0;
        let turns = rotation != DMat3::IDENTITY;
        (is_rotation && translation.is_finite()).then_some(Self { rotation, translation, turns })
    }

    /// A translation alone.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] if it is not finite.
    pub fn from_translation(translation: DVec3) -> Result<Self> {
        Self::new(DQuat::IDENTITY, translation)
    }

    /// Where a point goes.
    #[must_use]
    #[inline]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        if self.turns { self.rotation * point + self.translation } else { point + self.translation }
    }

    /// The rotation as a matrix, orthonormal up to rounding.
    #[must_use]
    pub fn rotation(&self) -> DMat3 {
        self.rotation
    }

    /// The translation.
    #[must_use]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }
}

/// A body that keeps its rest shape and moves as one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rigid {
    /// Where the rest shape is now.
    pub isometry: Isometry,
}

impl Deformation for Rigid {
    #[inline]
    fn position(&self, mesh: &Mesh, vertex: u32) -> DVec3 {
        self.isometry.apply(mesh.positions()[vertex as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Of whatever length the quaternion is: spheres are carried with the radius that they have.
        #[test]
        fn a_rotation_changes_no_length(
            direction in proptest::array::uniform4(-1.0..1.0f64), exponent in -1050..1020i32,
        ) {
            prop_assume!(DQuat::from_array(direction).length() > 1e-3);
            let scale = |x: f64| x * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
            let quaternion = DQuat::from_array(direction.map(scale));
            let isometry = Isometry::new(quaternion, DVec3::ZERO).unwrap();
            let off = isometry.rotation() * isometry.rotation().transpose() - DMat3::IDENTITY;
            prop_assert!(off.to_cols_array().iter().all(|x| x.abs() <= MATRIX_SLACK), "{off}");
            // Such a matrix makes the same isometry again.
            prop_assert_eq!(Isometry::from_matrix(isometry.rotation(), DVec3::ZERO), Some(isometry));
        }
    }

    #[test]
    fn what_is_no_rotation_is_refused() {
        let twice = DMat3::from_diagonal(DVec3::new(1.0, 1.0 + 1e-14, 1.0));
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0));
        let nan = DMat3::from_diagonal(DVec3::new(1.0, f64::NAN, 1.0));
        for matrix in [twice, mirror, nan] {
            assert_eq!(Isometry::from_matrix(matrix, DVec3::ZERO), None);
        }
        assert_eq!(Isometry::from_matrix(DMat3::IDENTITY, DVec3::NAN), None);
        assert_eq!(Isometry::from_matrix(DMat3::IDENTITY, DVec3::ZERO), Some(Isometry::IDENTITY));
    }

    #[test]
    fn what_has_no_direction_is_refused() {
        for [x, w] in [[0.0, 0.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0], [f64::NEG_INFINITY; 2]] {
            assert!(Isometry::new(DQuat::from_xyzw(x, 0.0, -0.0, w), DVec3::ZERO).is_err());
        }
    }
}
