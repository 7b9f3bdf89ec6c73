//! Elastic materials.

use crate::{Error, Result};

/// A homogeneous, isotropic, linearly elastic material, in SI units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Young's modulus in pascals; positive.
    pub young: f64,
    /// Poisson's ratio; above -1 and below 0.5.
    pub poisson: f64,
    /// Density in kilograms per cubic metre; positive.
    pub density: f64,
}

impl Material {
    /// A plastic that is common in garden furniture.
    pub const POLYPROPYLENE: Self = Self { young: 1.4e9, poisson: 0.4, density: 905.0 };
    /// Structural steel.
    pub const STEEL: Self = Self { young: 2.1e11, poisson: 0.3, density: 7850.0 };

    pub(super) fn check(&self) -> Result<()> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let wrong = |setting, value, range| Err(Error::InvalidSetting { setting, value, range });
        if !positive(self.young) {
            return wrong("Young's modulus", self.young, "positive, finite numbers");
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return wrong("Poisson's ratio", self.poisson, "the open interval from -1 to 0.5");
        }
        if !positive(self.density) {
            return wrong("density", self.density, "positive, finite numbers");
        }
        Ok(())
    }

    /// Lamé's two constants: stress = first * trace(strain) * 1 + 2 * second * strain.
    pub(super) fn lame(&self) -> [f64; 2] {
        let Self { young, poisson, .. } = *self;
        let second = young / (2.0 * (1.0 + poisson));
        [young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), second]
    }
}
