//! The pair queries without their triangle tests: for telling where their time goes.

use glam::DVec3;

use super::pairs::{Intersections, all_pairs, roots_overlap};
use super::self_pairs::self_intersections;
use super::{Clearance, Work};
use crate::body::Collide;
use crate::tree::Tree;
use crate::volume::Overlap;

/// Goes through the nodes that [`intersections`](crate::intersections) goes through, and tests
/// no triangles.
///
/// Its work is that of the query but for the triangle tests; its time, taken from that of the
/// query, leaves the time of those tests and of moving their corners.
///
/// ```
/// use pliant::{Body, Mesh, Work, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let (a, b) = (Body::rigid(mesh.clone())?, Body::rigid(mesh)?);
/// let query = pliant::intersections(&a, &b).work;
/// assert_eq!(pliant::query::descent(&a, &b), Work { primitive_tests: 0, ..query });
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn descent<A: Collide, B: Collide>(a: &A, b: &B) -> Work
where
    A::Volume: Overlap<B::Volume>,
{
    let mut found = Intersections::default();
    if roots_overlap(a, b, &mut found.work) {
        all_pairs(a, b, vec![[0, 0]], &mut found, &|_| false);
    }
    found.work
}

/// As [`descent`], for [`self_intersections`](crate::self_intersections).
///
/// Whether triangles are neighbours is not asked either, so what that costs counts with the tests.
#[must_use]
pub fn self_descent<A: Collide>(body: &A) -> Work
where
    A::Volume: Overlap<A::Volume>,
{
    self_intersections(&Untested(body)).work
}

/// A body all of whose triangles are neighbours, so that none are tested with one another.
struct Untested<'a, A>(&'a A);

impl<A: Collide> Collide for Untested<'_, A> {
    type Volume = A::Volume;

    #[inline]
    fn clearance(&self) -> Option<Clearance<'_>> {
        self.0.clearance()
    }

    #[inline]
    fn tree(&self) -> &Tree {
        self.0.tree()
    }

    #[inline]
    fn bound(&self, node: u32) -> A::Volume {
        self.0.bound(node)
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.0.triangle(triangle)
    }

    #[inline]
    fn adjacent(&self, _: u32, _: u32) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::bumpy_sheet;
    use crate::{Body, intersections};

    #[test]
    fn the_work_is_that_of_the_query_but_for_the_tests() {
        let a = Body::free(bumpy_sheet(40, 0.0)).unwrap();
        let b = Body::rigid(bumpy_sheet(40, 0.3)).unwrap();
        let query = intersections(&a, &b).work;
        assert!(query.primitive_tests > 1000, "{query:?}");
        assert_eq!(descent(&a, &b), Work { primitive_tests: 0, ..query });
        let query = self_intersections(&a).work;
        assert!(query.primitive_tests > 1000, "{query:?}");
        assert_eq!(self_descent(&a), Work { primitive_tests: 0, ..query });
    }
}
