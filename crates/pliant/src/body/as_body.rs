//! A body inside whatever wraps it.

use super::{Body, Bounds, Collide};
use crate::deform::Deformation;

/// A body, or a wrapper that collides as the body inside.
///
/// Must hold for a wrapper: tree and corners are those of the body inside. It may call more
/// triangles adjacent.
pub trait AsBody: Collide {
    /// The kind of deformation.
    type Deformation;
    /// The kind of bounds.
    type Bounds;

    /// The body inside.
    fn as_body(&self) -> &Body<Self::Deformation, Self::Bounds>;
}

impl<D: Deformation, B: Bounds<D>> AsBody for Body<D, B> {
    type Deformation = D;
    type Bounds = B;

    #[inline]
    fn as_body(&self) -> &Self {
        self
    }
}

impl<C: AsBody> AsBody for &C {
    type Deformation = C::Deformation;
    type Bounds = C::Bounds;

    #[inline]
    fn as_body(&self) -> &Body<C::Deformation, C::Bounds> {
        (**self).as_body()
    }
}
