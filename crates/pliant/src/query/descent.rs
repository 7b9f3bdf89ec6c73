//! The pair queries without their triangle tests, to measure where their time goes.

use super::Work;
use super::pair_limit::PairLimit;
use super::pairs::{Intersections, all_pairs, roots_overlap};
use super::self_pairs::pairs_within;
use crate::body::Collide;
use crate::volume::Overlap;

/// Visits the nodes that [`intersections`](crate::intersections) visits, and tests no
/// triangles.
///
/// Its work is that of the query without the triangle tests. The time of the query minus the
/// time of this is the time of those tests and of moving their corners.
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
        all_pairs(a, b, vec![[0, 0]], &mut found, &PairLimit::none(), &|_| false);
    }
    found.work
}

/// As [`descent`], for [`self_intersections`](crate::self_intersections).
///
/// It does not ask whether triangles are adjacent either: that counts as part of the tests.
#[must_use]
pub fn self_descent<A: Collide>(body: &A) -> Work
where
    A::Volume: Overlap<A::Volume>,
{
    pairs_within(body, &PairLimit::none(), &|_| false).work
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::bumpy_sheet;
    use crate::{Body, intersections, self_intersections};

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
