//! A body on its way from one state to the next.

use pliant::glam::DVec3;
use pliant::tree::Tree;
use pliant::volume::{Aabb, Volume as _};
use pliant::{AnyBody, Collide};

/// A body in its state now, or between the state before and that.
///
/// In between every vertex is on the straight line from where it was to where it is. Both states share
/// mesh and tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passing<'a> {
    pub(crate) now: &'a AnyBody,
    pub(crate) before: Option<&'a AnyBody>,
    /// 0 in the state before, 1 now.
    pub(crate) time: f64,
}

impl<'a> Passing<'a> {
    /// A body that rests in its state.
    #[cfg(test)]
    pub(crate) fn still(now: &'a AnyBody) -> Self {
        Self { now, before: None, time: 1.0 }
    }

    /// A box around everything below a node from this time on.
    pub(crate) fn span_bound(&self, node: u32) -> Aabb {
        match self.before {
            Some(_) => self.bound(node).merge(&self.now.bound(node)),
            None => self.now.bound(node),
        }
    }

    /// Where the corners of a triangle go from this time on.
    pub(crate) fn ahead(&self, triangle: u32) -> [DVec3; 3] {
        let (from, to) = (self.triangle(triangle), self.now.triangle(triangle));
        [to[0] - from[0], to[1] - from[1], to[2] - from[2]]
    }
}

impl Collide for Passing<'_> {
    type Volume = Aabb;

    #[inline]
    fn tree(&self) -> &Tree {
        self.now.tree()
    }

    /// The box between two boxes contains what is between their points. Four roundings of at most 2^-53
    /// of the sum of the coordinates happen here and in [`Passing::triangle`]; 2^-50 of it covers them.
    #[inline]
    fn bound(&self, node: u32) -> Aabb {
        let Some(before) = self.before else { return self.now.bound(node) };
        let ([low, high], [to_low, to_high]) =
            (before.bound(node).corners(), self.now.bound(node).corners());
        let slack = (low.abs() + to_low.abs()).max(high.abs() + to_high.abs()) * 8.0 * f64::EPSILON;
        let min = low + (to_low - low) * self.time - slack;
        let max = high + (to_high - high) * self.time + slack;
        // Boxes without an end give NaN, and the box of everything.
        Aabb::around([min, max])
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        let now = self.now.triangle(triangle);
        let Some(before) = self.before else { return now };
        let from = before.triangle(triangle);
        [0, 1, 2].map(|corner| from[corner] + (now[corner] - from[corner]) * self.time)
    }

    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.now.adjacent(first, second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::{Body, query};
    use pliant_scenes::{Random, icosphere};

    #[test]
    fn between_two_states_boxes_contain_what_is_between() {
        let mesh = icosphere(2).unwrap();
        let before = Body::free(mesh.clone()).unwrap();
        let mut now = before.clone();
        let mut random = Random::new(1);
        let moved: Vec<_> =
            mesh.positions().iter().map(|&p| p * 1.5 + random.in_cube() * 0.3).collect();
        now.set_positions(&moved).unwrap();
        let (before, now) = (AnyBody::from(before), AnyBody::from(now));
        for time in [0.0, 0.3, 0.7, 1.0] {
            let body = Passing { now: &now, before: Some(&before), time };
            for node in 0..body.tree().nodes.len() as u32 {
                let (around, span) = (body.bound(node), body.span_bound(node));
                assert!(span.contains(&around) && span.contains(&now.bound(node)));
                let node = body.tree().node(node);
                if node.is_leaf() {
                    for &triangle in body.tree().leaf_primitives(node) {
                        for corner in body.triangle(triangle) {
                            assert!(around.contains_point(corner), "{corner} {around:?}");
                        }
                    }
                }
            }
            let point = DVec3::new(0.3, 0.2, 1.1);
            let found = query::triangles_near(&body, point, 0.5).unwrap();
            let expected = query::brute_force::triangles_near(&body, point, 0.5).unwrap();
            assert_eq!(found.triangles, expected.triangles);
        }
        let still = Passing::still(&now);
        assert_eq!(still.triangle(3), now.triangle(3));
        assert_eq!(still.ahead(3), [DVec3::ZERO; 3]);
    }
}
