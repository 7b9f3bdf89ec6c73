//! What rays along the axes cross.

use glam::DVec3;

use crate::body::Surface;
use crate::contact::{axis_crossing, point_on_triangle};
use crate::query::Work;
use crate::volume::Volume as _;

/// A direction along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Direction {
    pub(crate) axis: usize,
    pub(crate) forward: bool,
}

impl Direction {
    /// All six.
    pub(crate) const ALL: [Self; 6] = [
        Self { axis: 0, forward: true },
        Self { axis: 0, forward: false },
        Self { axis: 1, forward: true },
        Self { axis: 1, forward: false },
        Self { axis: 2, forward: true },
        Self { axis: 2, forward: false },
    ];

    /// How far a ray goes from a point to the end of a box.
    pub(super) fn way_out(self, point: DVec3, min: DVec3, max: DVec3) -> f64 {
        let (point, min, max) = (point[self.axis], min[self.axis], max[self.axis]);
        if self.forward { max - point } else { point - min }
    }

    /// Whether the ray from a point may meet something in a box. The comparisons are exact.
    #[inline]
    pub(crate) fn meets(self, point: DVec3, min: DVec3, max: DVec3) -> bool {
        let (below, above) = (min.cmple(point), point.cmple(max));
        let others = (below & above) | AXES[self.axis];
        others.all() && if self.forward { above.test(self.axis) } else { below.test(self.axis) }
    }
}

/// For each axis, the mask of that axis alone.
const AXES: [glam::BVec3; 3] = [
    glam::BVec3::new(true, false, false),
    glam::BVec3::new(false, true, false),
    glam::BVec3::new(false, false, true),
];

/// What a ray from a point sees of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The point lies on a triangle.
    On,
    /// For each piece of the mesh that the ray crosses front sides minus back sides, where these
    /// are not equally many; by ascending piece.
    Crossed(Vec<(u32, i64)>),
}

/// Adds up the crossings of a ray from a point.
#[derive(Debug)]
pub(crate) struct Count {
    direction: Direction,
    crossings: Vec<(u32, i64)>,
}

impl Count {
    pub(crate) fn new(direction: Direction) -> Self {
        Self { direction, crossings: Vec::new() }
    }

    /// Takes a triangle into account. `false` if the point lies on it.
    #[inline]
    pub(crate) fn add<A: Surface>(&mut self, body: &A, point: DVec3, triangle: u32) -> bool {
        let corners = body.triangle(triangle);
        if point_on_triangle(point, &corners) {
            return false;
        }
        let Direction { axis, forward } = self.direction;
        if let Some(crossing) = axis_crossing(point, axis, &corners)
            && crossing.ahead == forward
        {
            let leaving = if forward { crossing.facing } else { -crossing.facing };
            self.crossings.push((body.mesh().connectivity().piece(triangle), leaving));
        }
        true
    }

    pub(crate) fn seen(mut self) -> Seen {
        self.crossings.sort_unstable();
        let of_piece = |a: &(u32, i64), b: &(u32, i64)| a.0 == b.0;
        let sums = self.crossings.chunk_by(of_piece).map(|of_piece| {
            let sum: i64 = of_piece.iter().map(|crossing| crossing.1).sum();
            (of_piece[0].0, sum)
        });
        Seen::Crossed(sums.filter(|sum| sum.1 != 0).collect())
    }
}

/// What a ray from a point sees: only nodes that it may meet are opened.
pub(crate) fn see<A: Surface>(
    body: &A,
    point: DVec3,
    direction: Direction,
    work: &mut Work,
) -> Seen {
    let mut count = Count::new(direction);
    let is_off = all_ahead(body, point, direction, work, |triangle, work| {
        work.primitive_tests += 1;
        count.add(body, point, triangle)
    });
    if is_off { count.seen() } else { Seen::On }
}

/// Shows `test` the triangles of all leaves whose bounds a ray from a point may meet, until it says
/// no. Returns whether it never did.
pub(crate) fn all_ahead<A: Surface>(
    body: &A,
    point: DVec3,
    direction: Direction,
    work: &mut Work,
    mut test: impl FnMut(u32, &mut Work) -> bool,
) -> bool {
    let tree = body.tree();
    let mut stack = Vec::with_capacity(32);
    stack.push(0_u32);
    while let Some(number) = stack.pop() {
        work.bounds += 1;
        work.overlap_tests += 1;
        let [min, max] = body.bound(number).corners();
        if !direction.meets(point, min, max) {
            continue;
        }
        let node = tree.node(number);
        if !node.is_leaf() {
            stack.extend(node.range());
            continue;
        }
        if !tree.leaf_primitives(node).iter().all(|&triangle| test(triangle, work)) {
            return false;
        }
    }
    true
}
