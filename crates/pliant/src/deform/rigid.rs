//! Rigid motion: a rotation and a translation.

use glam::{DMat3, DQuat, DVec3};

use super::Deformation;
use crate::{Error, Mesh, Result};

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
}

impl Isometry {
    /// Nothing turns, nothing moves; every position keeps its bits, but for -0, which becomes 0.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// A rotation, normalised here, and then a translation.
    ///
    /// # Errors
    /// [`Error::InvalidRotation`] for a quaternion of length zero or not finite,
    /// [`Error::InvalidVector`] for a translation that is not finite.
    pub fn new(rotation: DQuat, translation: DVec3) -> Result<Self> {
        let unit = rotation.normalize();
        // A length of zero or beyond numbers leaves no direction: NaN, or zero again.
        if !unit.is_finite() || unit.length_squared() < 0.5 {
            return Err(Error::InvalidRotation { quaternion: rotation.to_array() });
        }
        if !translation.is_finite() {
            let vector = translation.to_array();
            return Err(Error::InvalidVector { what: "translation", vector, reason: "not finite" });
        }
        Ok(Self { rotation: DMat3::from_quat(unit), translation })
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
        self.rotation * point + self.translation
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
