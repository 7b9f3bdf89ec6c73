//! The visitor that tests triangles of two bodies against a distance.

use glam::DVec3;

use super::WithinPair;
use crate::body::Collide;
use crate::contact::{NearTriangle, Reach, near_points};
use crate::query::Work;
use crate::query::share::Gather;
use crate::query::traverse::{Descent, Flow, PairVisitor, Side};
use crate::volume::{Aabb, Apart, Volume};

/// Collects all pairs within reach that count.
pub(super) struct Near<'a, C> {
    pub(super) pairs: Vec<WithinPair>,
    reach: Reach,
    /// Whether both bodies are one: the smaller triangle comes first.
    one_body: bool,
    counts: &'a C,
}

impl<'a, C: Fn([u32; 2]) -> bool> Near<'a, C> {
    pub(super) fn new(reach: Reach, one_body: bool, counts: &'a C) -> Self {
        Self { pairs: Vec::new(), reach, one_body, counts }
    }

    /// Tests a pair. The order of the two does not depend on which is held, so that the same pair
    /// has the same bits however it is met.
    #[inline]
    fn meet(&mut self, pair: [u32; 2], a: &[DVec3; 3], b: &[DVec3; 3]) {
        let (pair, a, b) = if self.one_body && pair[0] > pair[1] {
            ([pair[1], pair[0]], b, a)
        } else {
            (pair, a, b)
        };
        self.pairs.extend(pair_within(pair, a, b, self.reach));
    }
}

/// A pair of triangles, if they are within reach.
pub(in crate::query) fn pair_within(
    triangles: [u32; 2],
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    reach: Reach,
) -> Option<WithinPair> {
    let near = near_points(a, b, reach)?;
    let normal = if near.distance == 0.0 {
        (b[1] - b[0]).cross(b[2] - b[0]).normalize_or_zero()
    } else {
        (near.on_a - near.on_b).normalize_or_zero()
    };
    let (on_a, on_b) = (near.on_a, near.on_b);
    Some(WithinPair { triangles, distance: near.distance, on_a, on_b, normal })
}

/// Whether the box of a triangle overlaps a box, given by its lowest and its highest corner.
#[inline]
fn may_overlap([low, high]: &[DVec3; 2], triangle: &[DVec3; 3]) -> bool {
    let apart = |axis: usize| {
        let all =
            |is: fn(&f64, &f64) -> bool, end: f64| triangle.iter().all(|p| is(&p[axis], &end));
        all(f64::lt, low[axis]) || all(f64::gt, high[axis])
    };
    !(apart(0) || apart(1) || apart(2))
}

/// A triangle with its plane, and a box around all that is within reach of it.
pub(super) struct HeldTriangle {
    number: u32,
    corners: [DVec3; 3],
    triangle: NearTriangle,
    around: Aabb,
}

impl<A: Collide, B: Collide, C: Fn([u32; 2]) -> bool> PairVisitor<A, B> for Near<'_, C>
where
    A::Volume: Apart<B::Volume>,
{
    type Held = HeldTriangle;

    #[inline(always)]
    fn meet_nodes(&self, a: &A::Volume, b: &B::Volume) -> Descent {
        Descent::when(self.reach.may_reach(a.distance_squared_to(b)))
    }

    #[inline(always)]
    fn meet_leaves(
        &mut self,
        (a, b): (&A, &B),
        of_a: &[u32],
        of_b: &[u32],
        work: &mut Work,
    ) -> Flow {
        let one = of_a.len() * of_b.len() == 1;
        for &i in of_a {
            let corners = a.triangle(i);
            // The boxes of single triangles were tested as those of their leaves.
            let around = (!one).then(|| self.reach.around(&corners));
            for &j in of_b {
                if !(self.counts)([i, j]) {
                    continue;
                }
                work.primitive_tests += 1;
                let other = b.triangle(j);
                if around.is_none_or(|around| may_overlap(&around, &other)) {
                    self.meet([i, j], &corners, &other);
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
        let [min, max] = self.reach.around(&corners);
        let around = Aabb::from_corners(min, max);
        HeldTriangle { number, corners, triangle: NearTriangle::new(corners, self.reach), around }
    }

    #[inline(always)]
    fn held_meets_node<V: Volume>(&self, held: &HeldTriangle, volume: &V) -> Descent {
        Descent::when(volume.overlaps(&held.around))
    }

    #[inline(always)]
    fn held_enters_node<V: Volume>(&self, held: &HeldTriangle, volume: &V) -> Descent {
        let [min, max] = volume.corners();
        Descent::when(!held.triangle.is_far_from_box(min, max))
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
            if !(self.counts)(pair) {
                continue;
            }
            work.primitive_tests += 1;
            let corners = match side {
                Side::First => b.triangle(other),
                Side::Second => a.triangle(other),
            };
            if held.triangle.is_far_from(&corners) {
                continue;
            }
            match side {
                Side::First => self.meet(pair, &held.corners, &corners),
                Side::Second => self.meet(pair, &corners, &held.corners),
            }
        }
        Flow::Continue
    }
}

impl<C: Fn([u32; 2]) -> bool + Sync> Gather for Near<'_, C> {
    fn fork(&self) -> Self {
        Self { pairs: Vec::new(), ..*self }
    }

    fn is_done(&self) -> bool {
        false
    }

    fn join(&mut self, mut other: Self) {
        self.pairs.append(&mut other.pairs);
    }
}
