//! The visitor that tests triangles of two bodies in their current states.

use super::Work;
use super::traverse::{Descent, Flow, PairVisitor, Side};
use crate::body::Collide;
use crate::contact::{PreparedTriangle, triangles_touch};
use crate::volume::{Aabb, Overlap, Volume};

/// What a query does with pairs of triangles that touch.
pub(crate) trait TouchingPairs {
    /// Whether a pair counts. Pairs that do not are not tested.
    fn counts(&self, pair: [u32; 2]) -> bool;

    /// Takes a pair that counts and touches.
    fn found(&mut self, pair: [u32; 2]) -> Flow;
}

/// Tests triangles of two bodies for contact.
pub(crate) struct Touching<P>(pub(crate) P);

/// A triangle with its plane and a box around it.
pub(crate) struct HeldTriangle {
    number: u32,
    triangle: PreparedTriangle,
    around: Aabb,
}

impl<A: Collide, B: Collide, P: TouchingPairs> PairVisitor<A, B> for Touching<P>
where
    A::Volume: Overlap<B::Volume>,
{
    type Held = HeldTriangle;

    #[inline(always)]
    fn meet_nodes(&self, a: &A::Volume, b: &B::Volume) -> Descent {
        Descent::when(a.overlaps(b))
    }

    #[inline(always)]
    fn meet_leaves(
        &mut self,
        (a, b): (&A, &B),
        of_a: &[u32],
        of_b: &[u32],
        work: &mut Work,
    ) -> Flow {
        for &i in of_a {
            for &j in of_b {
                if !self.0.counts([i, j]) {
                    continue;
                }
                work.primitive_tests += 1;
                if triangles_touch(&a.triangle(i), &b.triangle(j))
                    && self.0.found([i, j]) == Flow::Stop
                {
                    return Flow::Stop;
                }
            }
        }
        Flow::Continue
    }

    #[inline(always)]
    fn hold(&self, (a, b): (&A, &B), side: Side, number: u32) -> HeldTriangle {
        let corners = match side {
            Side::First => a.triangle(number),
            Side::Second => b.triangle(number),
        };
        let [p, q, r] = corners.map(|corner| corner.as_vec3a());
        let around = Aabb::around_nearest(p.min(q).min(r), p.max(q).max(r));
        HeldTriangle { number, triangle: PreparedTriangle::new(corners), around }
    }

    #[inline(always)]
    fn held_meets_node<V: Volume>(&self, held: &HeldTriangle, volume: &V) -> Descent {
        Descent::when(volume.overlaps(&held.around))
    }

    /// Tests the plane. For leaves this would be in vain: the exact test begins with the
    /// plane, and tests the corners instead of a box around them.
    #[inline(always)]
    fn held_enters_node<V: Volume>(&self, held: &HeldTriangle, volume: &V) -> Descent {
        let [min, max] = volume.corners();
        Descent::when(!held.triangle.is_beside(min, max))
    }

    #[inline(always)]
    fn held_meets_leaf(
        &mut self,
        (a, b): (&A, &B),
        held: &HeldTriangle,
        side: Side,
        others: &[u32],
        work: &mut Work,
    ) -> Flow {
        for &other in others {
            let pair = match side {
                Side::First => [held.number, other],
                Side::Second => [other, held.number],
            };
            if !self.0.counts(pair) {
                continue;
            }
            work.primitive_tests += 1;
            let corners = match side {
                Side::First => b.triangle(other),
                Side::Second => a.triangle(other),
            };
            if held.triangle.touches(&corners) && self.0.found(pair) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }
}
