//! Affine fits of what moves as one.

use super::FitParts;
use super::affine_fit::AffineFit;
use super::fits::Fits;
use super::parts::Parts;
use crate::Mesh;
use crate::deform::Rigid;

/// The motion itself fits every part.
#[derive(Debug)]
pub(crate) struct RigidFits;

impl FitParts<Rigid> for RigidFits {
    /// The matrix is the one that moves the vertices, so all that is left is rounding: with
    /// u = 2^-53 a component of R p + t, for a vertex as for a centre, errs by less than 4u
    /// of the magnitudes of its terms, which are at most those of R p and t. That is 8u
    /// for both, in length less than 14u; allowed are 64u, and the smallest normal number.
    fn fits<'a>(&'a self, parts: &'a Parts, _: &'a Mesh, state: &'a Rigid) -> Fits<'a> {
        let isometry = state.isometry;
        Fits::OnDemand(Box::new(move |part| {
            let rest = &parts.get(part).rest;
            let far = (rest.center.abs() + rest.half).element_sum();
            let magnitude = 2.0 * far + isometry.translation().abs().element_sum();
            let stray = magnitude * 32.0 * f64::EPSILON + f64::MIN_POSITIVE;
            AffineFit::new(isometry.rotation(), isometry.apply(rest.center), stray)
        }))
    }
}
