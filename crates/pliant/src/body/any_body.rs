//! Every kind of body behind one type.

use glam::DVec3;

use super::{Collide, RayBounds, Refitted, Surface};
use crate::bound::FreeBodyF32;
use crate::tree::Tree;
use crate::volume::{Aabb, Ray};
use crate::{AffineBody, FreeBody, KeyframedBody, Mesh, ReducedBody, RigidBody, SkinnedBody};

/// A body of any kind that is bounded by boxes.
///
/// It collides as the body inside does: every question may be asked of it, at the price of a
/// match per call. [`AnyBody::intersections`] matches once per query where both kinds are common
/// together.
///
/// ```
/// use pliant::{AnyBody, Body, Mesh, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let bodies: Vec<AnyBody> = vec![Body::rigid(mesh.clone())?.into(), Body::free(mesh)?.into()];
/// assert_eq!(bodies[0].intersections(&bodies[1]).pairs, [[0, 0]]);
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AnyBody {
    /// Moved by an isometry.
    Rigid(Box<RigidBody>),
    /// Moved by any affine map.
    Affine(Box<AffineBody>),
    /// Positions given for every state.
    Free(Box<FreeBody>),
    /// Positions given for every state, in `f32`.
    FreeF32(Box<FreeBodyF32>),
    /// Deformed by modes.
    Reduced(Box<ReducedBody>),
    /// Moved by joints.
    Skinned(Box<SkinnedBody>),
    /// Moved as keyframes or flight plans say.
    Keyframed(Box<KeyframedBody>),
}

/// Evaluates an expression for the body inside, whatever its kind.
macro_rules! with_body {
    ($any:expr, $body:ident => $run:expr) => {
        match $any {
            $crate::AnyBody::Rigid($body) => $run,
            $crate::AnyBody::Affine($body) => $run,
            $crate::AnyBody::Free($body) => $run,
            $crate::AnyBody::FreeF32($body) => $run,
            $crate::AnyBody::Reduced($body) => $run,
            $crate::AnyBody::Skinned($body) => $run,
            $crate::AnyBody::Keyframed($body) => $run,
        }
    };
}
pub(crate) use with_body;

macro_rules! from_body {
    ($($kind:ident: $body:ty),*) => {
        $(impl From<$body> for AnyBody {
            fn from(body: $body) -> Self {
                Self::$kind(Box::new(body))
            }
        })*
    };
}

from_body!(
    Rigid: RigidBody,
    Affine: AffineBody,
    Free: FreeBody,
    FreeF32: FreeBodyF32,
    Reduced: ReducedBody,
    Skinned: SkinnedBody,
    Keyframed: KeyframedBody
);

impl AnyBody {
    /// The mesh at rest.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        with_body!(self, body => body.mesh())
    }

    /// The name of its kind, for people.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Rigid(_) => "rigid",
            Self::Affine(_) => "affine",
            Self::Free(_) => "free",
            Self::FreeF32(_) => "free f32",
            Self::Reduced(_) => "reduced",
            Self::Skinned(_) => "skinned",
            Self::Keyframed(_) => "keyframed",
        }
    }

    /// The current position of a vertex, or `None` if there is no such vertex.
    #[must_use]
    pub fn position(&self, vertex: u32) -> Option<DVec3> {
        with_body!(self, body => body.position(vertex))
    }

    /// A box around all of it in the current state.
    #[must_use]
    pub fn bounding_box(&self) -> Aabb {
        self.bound(0)
    }
}

impl Collide for AnyBody {
    type Volume = Aabb;

    #[inline]
    fn tree(&self) -> &Tree {
        with_body!(self, body => body.tree())
    }

    #[inline]
    fn bound(&self, node: u32) -> Aabb {
        with_body!(self, body => body.bound(node))
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        with_body!(self, body => body.triangle(triangle))
    }

    #[inline]
    fn adjacent(&self, first: u32, second: u32) -> bool {
        with_body!(self, body => body.adjacent(first, second))
    }

    fn for_ray(&self, ray: &Ray) -> Option<Box<dyn RayBounds + '_>> {
        with_body!(self, body => body.for_ray(ray))
    }

    fn refitted(&self) -> Option<Refitted<'_>> {
        with_body!(self, body => body.refitted())
    }

    fn looked_at(&self, bounds: u64) {
        with_body!(self, body => body.looked_at(bounds));
    }
}

impl Surface for AnyBody {
    fn mesh(&self) -> &Mesh {
        with_body!(self, body => body.mesh())
    }

    #[inline]
    fn vertex(&self, vertex: u32) -> DVec3 {
        with_body!(self, body => body.vertex(vertex))
    }
}
