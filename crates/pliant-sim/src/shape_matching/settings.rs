//! What a shape-matching body is made of.

use crate::{Error, Result};

/// What the points of a cluster are drawn towards (Müller, Heidelberger, Teschner and Gross 2005,
/// sections 3 and 4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// The rest shape, turned and moved: `R q + c`.
    Rigid,
    /// Between the rigid goal (`beta` = 0) and the affine image of the rest shape that fits best
    /// (`beta` = 1), scaled to keep its volume.
    Linear {
        /// How much of the affine image, from 0 to 1.
        beta: f64,
    },
    /// Between the rigid goal and the image by nine monomials (x, y, z, their squares and products) that
    /// fits best. Clusters may also bend and twist. The volume is not kept.
    Quadratic {
        /// How much of the quadratic image, from 0 to 1.
        beta: f64,
    },
}

impl Goal {
    /// The share of what is not rigid.
    #[must_use]
    pub fn beta(&self) -> f64 {
        match *self {
            Self::Rigid => 0.0,
            Self::Linear { beta } | Self::Quadratic { beta } => beta,
        }
    }
}

/// How a cluster keeps part of a deformation for good (section 4.4 of the paper).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plasticity {
    /// The stretch (Frobenius norm of `S - I`) beyond which a deformation is kept.
    pub yield_stretch: f64,
    /// The share of the stretch that is kept per second.
    pub creep: f64,
    /// The largest stretch that is kept.
    pub largest: f64,
}

impl Plasticity {
    /// That of [`ShapeMaterial::CLAY`].
    pub const CLAY: Self = Self { yield_stretch: 0.1, creep: 20.0, largest: 0.6 };
}

/// A material of points without connectivity.
///
/// ```
/// use pliant_sim::shape_matching::{Goal, ShapeMaterial};
/// let soft = ShapeMaterial { goal: Goal::Quadratic { beta: 0.8 }, ..ShapeMaterial::JELLY };
/// assert!(soft.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeMaterial {
    /// What points are drawn towards.
    pub goal: Goal,
    /// The part of the way to its goal that a point takes per step, from 0 (free points) to 1.
    pub alpha: f64,
    /// The part of the velocity about the body's rigid motion that is lost per step, from 0 to 1.
    /// It changes neither momentum nor angular momentum.
    pub damping: f64,
    /// What remains of deformations; nothing if there is none.
    pub plasticity: Option<Plasticity>,
}

impl ShapeMaterial {
    /// Soft as a whole, keeps its volume, and swings a few times; stiff enough at 60 steps per second to carry
    /// a few of its own weight.
    pub const JELLY: Self =
        Self { goal: Goal::Linear { beta: 0.5 }, alpha: 1.0, damping: 0.05, plasticity: None };

    /// Nearly stiff.
    pub const STIFF: Self = Self { goal: Goal::Rigid, alpha: 1.0, damping: 0.1, plasticity: None };

    /// Dents that stay.
    pub const CLAY: Self = Self {
        goal: Goal::Linear { beta: 0.5 },
        alpha: 0.5,
        damping: 0.2,
        plasticity: Some(Plasticity::CLAY),
    };

    /// Refuses numbers outside their ranges.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] that names the number.
    pub fn check(&self) -> Result<()> {
        for (setting, value) in
            [("alpha", self.alpha), ("beta", self.goal.beta()), ("damping", self.damping)]
        {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::InvalidSetting { setting, value, range: "0 to 1" });
            }
        }
        let Some(plasticity) = self.plasticity else { return Ok(()) };
        for (setting, value) in
            [("yield_stretch", plasticity.yield_stretch), ("creep", plasticity.creep)]
        {
            not_negative(setting, value)?;
        }
        if !(0.0..=0.9).contains(&plasticity.largest) {
            // Beyond 1 a kept stretch could be singular.
            let value = plasticity.largest;
            return Err(Error::InvalidSetting { setting: "largest", value, range: "0 to 0.9" });
        }
        Ok(())
    }
}

/// Refuses a number that is negative, NaN or infinite.
pub(super) fn not_negative(setting: &'static str, value: f64) -> Result<()> {
    match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => {
            Err(Error::InvalidSetting { setting, value, range: "the finite numbers not below 0" })
        }
    }
}

/// Refuses a number that is not above 0, NaN or infinite.
pub(super) fn positive(setting: &'static str, value: f64) -> Result<()> {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err(Error::InvalidSetting { setting, value, range: "the finite numbers above 0" }),
    }
}
