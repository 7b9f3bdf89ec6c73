//! Which triangles of two bodies touch.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::Work;
use super::traverse::{BLOCK, Flow, NodePair, PairVisitor, Stride, descend};
use crate::body::Collide;
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
    let mut found = Intersections::default();
    if roots_overlap(a, b, &mut found.work) {
        all_pairs(a, b, vec![[0, 0]], &mut found, &|_| true);
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
        let FoundPair { pair, work } = &mut found;
        let stride = Stride { steps: usize::MAX, block: 1 };
        let _ = descend(a, b, vec![[0, 0]], stride, work, &mut First(pair));
    }
    found
}

/// Stops at the first pair.
struct First<'a>(&'a mut Option<[u32; 2]>);

impl PairVisitor for First<'_> {
    fn counts(&self, _: [u32; 2]) -> bool {
        true
    }

    fn found(&mut self, pair: [u32; 2]) -> Flow {
        *self.0 = Some(pair);
        Flow::Stop
    }
}

#[inline]
pub(super) fn roots_overlap<A: Collide, B: Collide>(a: &A, b: &B, work: &mut Work) -> bool
where
    A::Volume: Overlap<B::Volume>,
{
    work.bounds += 2;
    work.overlap_tests += 1;
    a.bound(0).overlaps(&b.bound(0))
}

/// Node pairs opened on the calling thread before other threads are asked: below
/// this, waking them costs more than the query.
const SEQUENTIAL_STEPS: usize = 8192;

/// Node pairs that are handed out to threads: enough to share evenly.
const SHARED_PAIRS: usize = 256;

/// Collects all pairs that count.
struct All<'a, C> {
    pairs: &'a mut Vec<[u32; 2]>,
    counts: &'a C,
}

impl<C: Fn([u32; 2]) -> bool> PairVisitor for All<'_, C> {
    #[inline(always)]
    fn counts(&self, pair: [u32; 2]) -> bool {
        (self.counts)(pair)
    }

    #[inline(always)]
    fn found(&mut self, pair: [u32; 2]) -> Flow {
        self.pairs.push(pair);
        Flow::Continue
    }
}

/// Adds all touching pairs of triangles below the given pairs of nodes, as far as
/// they count, and sorts what is then there.
///
/// What is visited, and so the work, does not depend on threads; only the order
/// does.
pub(super) fn all_pairs<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    starts: Vec<NodePair>,
    found: &mut Intersections,
    counts: &(impl Fn([u32; 2]) -> bool + Sync),
) where
    A::Volume: Overlap<B::Volume>,
{
    let go = |starts: Vec<NodePair>, steps: usize, found: &mut Intersections| {
        let Intersections { pairs, work } = found;
        let stride = Stride { steps, block: BLOCK };
        descend(a, b, starts, stride, work, &mut All { pairs, counts })
    };
    let rest = go(starts, SEQUENTIAL_STEPS, found);
    if rayon::current_num_threads() == 1 {
        let _ = go(rest, usize::MAX, found);
    } else if !rest.is_empty() {
        // A descent leaves few pairs, some far larger than others: open the
        // oldest in turn until there are enough to share.
        let mut front = VecDeque::from(rest);
        while front.len() < SHARED_PAIRS
            && let Some(pair) = front.pop_front()
        {
            front.extend(go(vec![pair], 1, found));
        }
        let rest = Vec::from(front);
        let parts: Vec<Intersections> = rest
            .par_chunks(rest.len().div_ceil(SHARED_PAIRS).max(1))
            .fold(Intersections::default, |mut part, pairs| {
                let _ = go(pairs.to_vec(), usize::MAX, &mut part);
                part
            })
            .collect();
        for mut part in parts {
            found.pairs.append(&mut part.pairs);
            found.work += part.work;
        }
    }
    found.pairs.sort_unstable();
}
