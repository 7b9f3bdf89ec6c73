//! Every kind of body behind one type.

use glam::DVec3;

use super::Collide;
use crate::bound::RayFrame;
use crate::query::{Clearance, FoundPair, Intersections};
use crate::tree::Tree;
use crate::volume::{Aabb, Ray};
use crate::{
    AffineBody, FreeBody, KeyframedBody, Mesh, ReducedBody, RigidBody, SkinnedBody, intersections,
    intersects, self_intersections,
};

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
            AnyBody::Rigid($body) => $run,
            AnyBody::Affine($body) => $run,
            AnyBody::Free($body) => $run,
            AnyBody::Reduced($body) => $run,
            AnyBody::Skinned($body) => $run,
            AnyBody::Keyframed($body) => $run,
        }
    };
}

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

    /// As [`intersections`](crate::intersections()), compiled for both kinds where pairs of these
    /// kinds are common, and for one kind otherwise: a descent for every pair of kinds takes
    /// minutes to compile.
    #[must_use]
    pub fn intersections(&self, other: &Self) -> Intersections {
        match (self, other) {
            (Self::Free(a), Self::Free(b)) => intersections(&**a, &**b),
            (Self::Affine(a), Self::Affine(b)) => intersections(&**a, &**b),
            (Self::Skinned(a), Self::Skinned(b)) => intersections(&**a, &**b),
            (Self::Reduced(a), Self::Affine(b)) => intersections(&**a, &**b),
            (Self::Affine(a), Self::Reduced(b)) => intersections(&**b, &**a).swapped(),
            (a, b) => with_body!(a, a => intersections(&**a, b)),
        }
    }

    /// As [`intersects`](crate::intersects()).
    #[must_use]
    pub fn intersects(&self, other: &Self) -> FoundPair {
        intersects(self, other)
    }

    /// As [`self_intersections`](crate::self_intersections()).
    #[must_use]
    pub fn self_intersections(&self) -> Intersections {
        with_body!(self, body => self_intersections(&**body))
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

    fn sight(&self, ray: &Ray) -> Option<RayFrame<'_>> {
        with_body!(self, body => body.sight(ray))
    }

    fn clearance(&self) -> Option<Clearance<'_>> {
        with_body!(self, body => body.clearance())
    }
}
