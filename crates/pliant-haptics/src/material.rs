//! How a surface feels.

use crate::Result;
use crate::error::{check_amount, check_positive};

/// How the surface of an object feels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Newtons per metre between the proxy and the device.
    pub stiffness: f64,
    /// Newton seconds per metre against the device's speed across the surface. The surface never pulls.
    pub damping: f64,
    /// Ratio of tangential to normal force up to which the proxy sticks.
    pub static_friction: f64,
    /// Ratio of tangential to normal force while the proxy slides; at most the static one.
    pub dynamic_friction: f64,
    /// Newton seconds per metre against the proxy's speed along the surface.
    pub viscosity: f64,
    /// Which normals the force follows.
    pub shading: Shading,
}

/// Which normals the force follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shading {
    /// Those of the triangles, edges and corners that are touched.
    #[default]
    Facets,
    /// Those of the vertices, interpolated over the triangle: facets feel smooth.
    Smooth,
}

impl Default for Material {
    /// Frictionless, 500 N/m.
    fn default() -> Self {
        Self {
            stiffness: 500.0,
            damping: 0.0,
            static_friction: 0.0,
            dynamic_friction: 0.0,
            viscosity: 0.0,
            shading: Shading::Facets,
        }
    }
}

impl Material {
    /// The same material with friction: ratios of tangential to normal force.
    #[must_use]
    pub fn with_friction(self, static_friction: f64, dynamic_friction: f64) -> Self {
        Self { static_friction, dynamic_friction, ..self }
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) names the first that cannot be used.
    pub fn check(&self) -> Result<()> {
        check_positive("stiffness", self.stiffness)?;
        check_amount("damping", self.damping)?;
        check_amount("static_friction", self.static_friction)?;
        check_amount("dynamic_friction", self.dynamic_friction)?;
        check_amount("viscosity", self.viscosity)?;
        if self.dynamic_friction > self.static_friction {
            let (setting, value) = ("dynamic_friction", self.dynamic_friction);
            return Err(crate::Error::Setting { setting, value, reason: "above the static one" });
        }
        Ok(())
    }
}
