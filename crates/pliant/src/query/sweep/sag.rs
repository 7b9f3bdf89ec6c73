//! How far one vertex may be from its chord, and how far all below a node.

use glam::{DVec3, Vec3A};

use crate::numeric::{round_down, round_up};

/// How a vertex leaves its chord during a step: at the time t by 4 t (1 - t) times `midway`, and by no
/// more than `error` besides.
///
/// Neighbours on one turning limb leave their chords alike. So what counts for two of them is the
/// difference of both.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sag {
    /// From the middle of the chord to about where the vertex is midway through the step.
    pub midway: DVec3,
    /// How far the vertex may be from there at any time.
    pub error: f64,
}

/// Bounds of the sags of some vertices, rounded outward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SagBox {
    min: Vec3A,
    max: Vec3A,
    /// The smallest error and the largest.
    errors: [f32; 2],
}

/// Three roundings of 2^-24 of each component of a difference, and some of 2^-53, cost less than this
/// part of its length.
const ROUNDING: f64 = 1e-6;

impl SagBox {
    /// Around no vertex.
    pub(super) const EMPTY: Self =
        Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY, errors: [f32::INFINITY, 0.0] };

    /// Around one vertex.
    pub(super) fn around(sag: &Sag) -> Self {
        let [x, y, z] = sag.midway.to_array();
        Self {
            min: Vec3A::new(round_down(x), round_down(y), round_down(z)),
            max: Vec3A::new(round_up(x), round_up(y), round_up(z)),
            errors: [round_down(sag.error), round_up(sag.error)],
        }
    }

    /// Around both.
    pub(super) fn with(&self, other: &Self) -> Self {
        let ([a, b], [c, d]) = (self.errors, other.errors);
        let (min, max) = (self.min.min(other.min), self.max.max(other.max));
        Self { min, max, errors: [a.min(c), b.max(d)] }
    }

    /// Not below how far apart a vertex of each may leave their chords.
    #[inline]
    pub(super) fn most(&self, other: &Self) -> f64 {
        let far = (self.max - other.min).max(other.max - self.min);
        let errors = f64::from(self.errors[1]) + f64::from(other.errors[1]);
        (far.as_dvec3().length() + errors) * (1.0 + ROUNDING)
    }

    /// Not above what is said of a vertex of each.
    #[inline]
    pub(super) fn least(&self, other: &Self) -> f64 {
        let near = (self.min - other.max).max(other.min - self.max).max(Vec3A::ZERO);
        let errors = f64::from(self.errors[0]) + f64::from(other.errors[0]);
        (near.as_dvec3().length() + errors) * (1.0 - ROUNDING)
    }
}
