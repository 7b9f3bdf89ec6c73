//! Which triangles of two bodies touch.

use super::Work;
use super::pair_limit::{LimitedList, PairLimit};
use super::share::{Gather, traverse_all};
use super::touching::{Touching, TouchingPairs};
use super::traverse::{Flow, NodePair, PairVisitor as _, Stride, traverse};
use crate::Result;
use crate::body::{Collide, Refitted};
use crate::volume::Overlap;

/// All pairs of triangles that touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intersections {
    /// Triangle of the first body, triangle of the second; ascending, each once.
    /// For a body with itself the smaller number comes first.
    pub pairs: Vec<[u32; 2]>,
    /// What the query did.
    pub work: Work,
}

impl Intersections {
    /// The same in other numbers: of the triangles of cells, for a
    /// [`CoveredBody`](crate::bound::CoveredBody). Ascending, each once.
    #[must_use]
    pub fn of_owners(mut self, of_a: impl Fn(u32) -> u32, of_b: impl Fn(u32) -> u32) -> Self {
        for [a, b] in &mut self.pairs {
            (*a, *b) = (of_a(*a), of_b(*b));
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self
    }

    /// The same with the bodies in the other order.
    pub(crate) fn swapped(mut self) -> Self {
        for pair in &mut self.pairs {
            pair.swap(0, 1);
        }
        self.pairs.sort_unstable();
        self
    }
}

/// One pair of triangles that touch, if there is any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FoundPair {
    /// Triangle of the first body, triangle of the second.
    pub pair: Option<[u32; 2]>,
    /// What the query did until it found it.
    pub work: Work,
}

/// All pairs of touching triangles of two bodies, of whatever kinds.
///
/// Guarantee: the same pairs as [`brute_force::intersections`](super::brute_force::intersections),
/// and the same bits for any number of threads. Small queries stay on the
/// calling thread; large ones use rayon's current pool.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3};
/// let corners = |z: f64| vec![DVec3::new(0.0, 0.0, z), DVec3::X, DVec3::new(0.0, 1.0, -z)];
/// let a = Body::rigid(Mesh::new(corners(1.0), vec![[0, 1, 2]])?)?;
/// let b = Body::free(Mesh::new(corners(-1.0), vec![[0, 1, 2]])?)?;
/// let hit = pliant::intersections(&a, &b);
/// assert_eq!(hit.pairs, [[0, 0]]);
/// assert_eq!(hit.work.primitive_tests, 1);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn intersections<A: Collide, B: Collide>(a: &A, b: &B) -> Intersections
where
    A::Volume: Overlap<B::Volume>,
{
    intersections_within(a, b, &PairLimit::none())
}

/// As [`intersections`], but stops where more pairs touch than are asked for: the number of pairs
/// may grow with the product of the numbers of triangles.
///
/// # Errors
/// [`Error::TooManyPairs`](crate::Error::TooManyPairs) if more than `most` pairs touch. No more
/// memory is used than for some thousand pairs above `most` per thread.
///
/// ```
/// use pliant::{Body, Error, Mesh, glam::DVec3, query::intersections_up_to};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
/// let stack = Body::rigid(Mesh::new(corners, vec![[0, 1, 2]; 10])?)?;
/// assert_eq!(intersections_up_to(&stack, &stack, 100)?.pairs.len(), 100);
/// let refused = intersections_up_to(&stack, &stack, 99);
/// assert_eq!(refused, Err(Error::TooManyPairs { limit: 99 }));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn intersections_up_to<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    most: usize,
) -> Result<Intersections>
where
    A::Volume: Overlap<B::Volume>,
{
    PairLimit::up_to(most, |limit| intersections_within(a, b, limit))
}

/// As [`intersections`]. Pairs are missing if the limit is exceeded, and only then.
pub(crate) fn intersections_within<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    limit: &PairLimit,
) -> Intersections
where
    A::Volume: Overlap<B::Volume>,
{
    match (a.refitted(), b.refitted()) {
        (Some(a), Some(b)) => of_refitted(&a, &b, limit),
        _ => all_below_roots(a, b, limit),
    }
}

/// As [`intersections_within`], compiled once for all bodies that are refitted as a whole.
#[inline(never)]
fn of_refitted(a: &Refitted<'_>, b: &Refitted<'_>, limit: &PairLimit) -> Intersections {
    all_below_roots(a, b, limit)
}

#[inline]
fn all_below_roots<A: Collide, B: Collide>(a: &A, b: &B, limit: &PairLimit) -> Intersections
where
    A::Volume: Overlap<B::Volume>,
{
    let mut found = Intersections::default();
    if roots_overlap(a, b, &mut found.work) {
        all_pairs(a, b, [[0, 0]], &mut found, limit, &|_| true);
        found.pairs.sort_unstable();
    }
    found
}

/// Whether any two triangles of two bodies touch: the first pair found.
///
/// Which pair that is depends on the trees, not on threads or time.
///
/// ```
/// use pliant::{Body, Isometry, Mesh, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let (a, mut b) = (Body::rigid(mesh.clone())?, Body::rigid(mesh)?);
/// assert_eq!(pliant::intersects(&a, &b).pair, Some([0, 0]));
/// b.set_isometry(Isometry::from_translation(DVec3::Z)?);
/// assert_eq!(pliant::intersects(&a, &b).pair, None);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn intersects<A: Collide, B: Collide>(a: &A, b: &B) -> FoundPair
where
    A::Volume: Overlap<B::Volume>,
{
    let mut found = FoundPair::default();
    if roots_overlap(a, b, &mut found.work) {
        let stride = Stride { steps: usize::MAX, block: 1 };
        let mut first = Touching(First(None));
        let _ = traverse(a, b, vec![[0, 0]], stride, &mut found.work, &mut first);
        found.pair = first.0.0;
        a.looked_at(found.work.bounds);
        b.looked_at(found.work.bounds);
    }
    found
}

/// Stops at the first pair.
struct First(Option<[u32; 2]>);

impl TouchingPairs for First {
    #[inline(always)]
    fn counts(&self, _: [u32; 2]) -> bool {
        true
    }

    #[inline(always)]
    fn found(&mut self, pair: [u32; 2]) -> Flow {
        self.0 = Some(pair);
        Flow::Stop
    }
}

/// Whether the volumes of two bodies' roots overlap.
#[inline]
pub(super) fn roots_overlap<A: Collide, B: Collide>(a: &A, b: &B, work: &mut Work) -> bool
where
    A::Volume: Overlap<B::Volume>,
{
    work.bounds += 2;
    work.overlap_tests += 1;
    a.bound(0).overlaps(&b.bound(0))
}

/// Collects all pairs that count, up to a limit.
struct All<'a, C> {
    pairs: LimitedList<'a, [u32; 2]>,
    counts: &'a C,
}

impl<C: Fn([u32; 2]) -> bool> TouchingPairs for All<'_, C> {
    #[inline(always)]
    fn counts(&self, pair: [u32; 2]) -> bool {
        (self.counts)(pair)
    }

    #[inline(always)]
    fn found(&mut self, pair: [u32; 2]) -> Flow {
        self.pairs.push(pair)
    }
}

impl<C: Sync> Gather for Touching<All<'_, C>> {
    fn fork(&self) -> Self {
        Self(All { pairs: self.0.pairs.fork(), counts: self.0.counts })
    }

    fn is_done(&self) -> bool {
        self.0.pairs.is_done()
    }

    fn join(&mut self, other: Self) {
        self.0.pairs.join(other.0.pairs);
    }
}

/// Adds all touching pairs of triangles that are below the given pairs of nodes and that
/// count, in no particular order. The limit knows of all pairs afterwards; pairs are missing if it
/// is exceeded, and only then.
///
/// Unless the limit is exceeded: what is visited, and so the work, does not depend on threads.
pub(crate) fn all_pairs<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    starts: impl AsRef<[NodePair]> + Into<Vec<NodePair>>,
    found: &mut Intersections,
    limit: &PairLimit,
    counts: &(impl Fn([u32; 2]) -> bool + Sync),
) where
    A::Volume: Overlap<B::Volume>,
{
    let pairs = std::mem::take(&mut found.pairs);
    let mut visitor = Touching(All { pairs: LimitedList::with(pairs, limit), counts });
    match *starts.as_ref() {
        // Two bodies of one leaf each, of which a file may have very many, need no lists of nodes.
        [[i, j]] if a.tree().node(i).is_leaf() && b.tree().node(j).is_leaf() => {
            let of_a = a.tree().leaf_primitives(a.tree().node(i));
            let of_b = b.tree().leaf_primitives(b.tree().node(j));
            let _ = visitor.meet_leaves((a, b), of_a, of_b, &mut found.work);
        }
        _ => traverse_all(a, b, starts.into(), &mut found.work, &mut visitor),
    }
    found.pairs = visitor.0.pairs.finish();
}
