//! Prepared self-contact of bodies of any kind.

use std::sync::{Arc, OnceLock};

use glam::DAffine3;

use super::{PreparedSelfContact, RestPairs, check_same};
use crate::body::{AnyBody, Body, Collide};
use crate::deform::Free;
use crate::query::pair_limit::PairLimit;
use crate::query::{Intersections, Work, self_intersections_within};
use crate::tree::Tree;
use crate::volume::Aabb;
use crate::{Error, Mesh, Result};

/// What speeds up self-intersections of a body of any kind, and of its clones.
#[derive(Debug)]
pub struct AnySelfContact(Kind);

#[derive(Debug)]
enum Kind {
    /// A rigid or affine body: one map moves all of it.
    OneMap(OneMap),
    /// A freely moved body.
    Free(PreparedSelfContact<Free>),
}

/// The pairs that rest almost at one place, listed when they are first asked for.
#[derive(Debug)]
struct OneMap {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    /// `None` if there are too many.
    pairs: OnceLock<Option<RestPairs>>,
}

impl AnySelfContact {
    /// Prepares for self-intersections of a body and of its clones. For rigid and affine bodies
    /// that costs nothing before the first query. `None` for kinds that cannot be prepared:
    /// reduced, skinned and keyframed bodies.
    #[must_use]
    pub fn new(body: &AnyBody) -> Option<Self> {
        let one_map = |mesh: &Arc<Mesh>, tree: &Arc<Tree>| {
            let (mesh, tree) = (Arc::clone(mesh), Arc::clone(tree));
            Some(Self(Kind::OneMap(OneMap { mesh, tree, pairs: OnceLock::new() })))
        };
        match body {
            AnyBody::Rigid(body) => one_map(&body.mesh, &body.tree),
            AnyBody::Affine(body) => one_map(&body.mesh, &body.tree),
            AnyBody::Free(body) => Some(Self(Kind::Free(PreparedSelfContact::new(body)))),
            _ => None,
        }
    }

    /// All pairs of touching triangles within a body, except adjacent ones.
    ///
    /// Guarantee: the pairs that [`AnyBody::self_intersections`] finds, and the same bits for any
    /// number of threads. Of a rigid or affine body it looks only at pairs that rest so near to
    /// one another that rounding could make them touch.
    ///
    /// # Errors
    /// [`Error::PreparedForAnother`] if the body has another kind, mesh or tree than the one that
    /// this was made of.
    pub fn self_intersections(&self, body: &AnyBody) -> Result<Intersections> {
        self.self_intersections_within(body, &PairLimit::none())
    }

    /// As [`Self::self_intersections`]. Pairs are missing if the limit is exceeded, and only then.
    pub(crate) fn self_intersections_within(
        &self,
        body: &AnyBody,
        limit: &PairLimit,
    ) -> Result<Intersections> {
        match (&self.0, body) {
            (Kind::OneMap(prepared), AnyBody::Rigid(body)) => {
                let isometry = body.deformation.isometry;
                let (matrix3, translation) = (isometry.rotation(), isometry.translation());
                prepared.self_intersections(body, &DAffine3 { matrix3, translation }, limit)
            }
            (Kind::OneMap(prepared), AnyBody::Affine(body)) => {
                prepared.self_intersections(body, &body.deformation.map(), limit)
            }
            (Kind::Free(prepared), AnyBody::Free(body)) => {
                prepared.self_intersections_within(&**body, limit)
            }
            _ => Err(Error::PreparedForAnother { what: "kind" }),
        }
    }

    /// Visits the nodes that [`Self::self_intersections`] visits, and tests no triangles: none of a
    /// rigid or affine body, whose pairs are listed.
    ///
    /// # Errors
    /// As [`Self::self_intersections`].
    pub fn self_descent(&self, body: &AnyBody) -> Result<Work> {
        match (&self.0, body) {
            (Kind::OneMap(_), AnyBody::Rigid(_) | AnyBody::Affine(_)) => Ok(Work::default()),
            (Kind::Free(prepared), AnyBody::Free(body)) => prepared.self_descent(&**body),
            _ => Err(Error::PreparedForAnother { what: "kind" }),
        }
    }
}

impl OneMap {
    fn self_intersections<D, B>(
        &self,
        body: &Body<D, B>,
        map: &DAffine3,
        limit: &PairLimit,
    ) -> Result<Intersections>
    where
        Body<D, B>: Collide<Volume = Aabb>,
    {
        check_same(&self.mesh, &self.tree, body)?;
        let pairs = self.pairs.get_or_init(|| RestPairs::new(&self.mesh, &self.tree));
        // There are few listed pairs, so that they count when all are found.
        Ok(match pairs.as_ref().and_then(|pairs| pairs.self_intersections(map, body)) {
            Some(found) => {
                let _ = limit.count(found.pairs.len());
                found
            }
            None => self_intersections_within(body, limit),
        })
    }
}
