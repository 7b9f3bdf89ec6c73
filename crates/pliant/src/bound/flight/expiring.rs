//! Boxes that are linear functions of time and hold over a span of time.
//!
//! Between two keyframes every vertex of a node is `1 - f` times its position at the first plus
//! `f` times its position at the second. So it lies in `1 - f` times a box around all first
//! positions plus `f` times a box around all second positions. A node's box is six linear
//! functions of time, valid at every moment of the span, and advancing time costs O(1). Larsson
//! and Akenine-Möller (2003) blend boxes of morph targets by this argument. When the span ends the
//! boxes expire, and one bottom-up pass over the next keyframe makes the next boxes. The boxes at
//! the old end are those at the new start.
//!
//! For polynomial courses see [`super::chords`].

use std::sync::Arc;

use super::blend::Blend;
use super::body::FlightBounds;
use super::chords::Chords;
use super::replan::{Links, refit_around};
use super::span::Span;
use crate::bound::{BottomUp, Bounds, SphereForm};
use crate::deform::Flight;
use crate::numeric::F32_RANGE;
use crate::tree::Tree;
use crate::volume::Aabb;
use crate::{Mesh, Result};

/// Boxes of all nodes at both ends of a span of time. See [`Body::keyframed`](crate::Body::keyframed).
///
/// The box of a node is valid at every moment. At a keyframe it is as tight as that of a bottom-up
/// refit, up to rounding. Between keyframes it is looser.
///
/// Clones share the boxes until one of them enters another span or changes its plans.
#[derive(Debug, Clone)]
pub struct Expiring {
    start: BottomUp<Aabb>,
    end: BottomUp<Aabb>,
    span: Span,
    /// The blend at the current time, or `None` if the boxes are too large to be blended.
    blend: Option<Blend>,
    /// Made when plans change within a span for the first time.
    links: Option<Arc<Links>>,
    refits: u64,
}

/// If no more than 1 / this of the vertices change their plans, the boxes around them are fitted
/// alone. A refit of all nodes costs as much as the ways up from this share of the vertices.
const REPLANNED_SHARE: usize = 16;

impl Expiring {
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Self {
        let rest = BottomUp::new(tree, mesh, mesh.positions(), SphereForm::Layered);
        let mut made = Self {
            span: Span::new(tree, rest.volumes()),
            end: rest.clone(),
            start: rest,
            blend: None,
            links: None,
            refits: 0,
        };
        made.open(tree, mesh, flight);
        made
    }

    /// How many times all boxes of one moment have been computed.
    #[must_use]
    pub fn refits(&self) -> u64 {
        self.refits
    }

    /// The time at which the current boxes expire. Infinite if they never do.
    pub(crate) fn expires_at(&self) -> f64 {
        self.span.until
    }

    /// The boxes of a node at two times of the current span, or `None` if they are too large to
    /// be blended.
    pub(crate) fn at_times(&self, node: u32, times: [f64; 2]) -> Option<[Aabb; 2]> {
        self.blend?;
        let start = &self.start.volumes()[node as usize];
        // Where nothing moves only the boxes at the start count.
        let end = if self.span.rests() { start } else { &self.end.volumes()[node as usize] };
        Some(times.map(|time| Blend::at(self.span.fraction(time)).between(start, end)))
    }

    /// Follows the flight to its current time.
    pub(crate) fn follow(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        if self.span.contains(flight.time()) {
            self.blend_at(flight.time());
        } else {
            self.open(tree, mesh, flight);
        }
    }

    /// Fits the boxes of the span around the flight's current time.
    fn open(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        let before = self.span;
        if let Some([from, until]) = flight.keyframes_around(flight.now()) {
            self.span.open_keyframes(flight, from, until);
            let [first, second] = [flight.now().first, flight.now().second];
            if before.keyframes[1] == Some(first) {
                std::mem::swap(&mut self.start, &mut self.end);
            } else if before.keyframes[0] != Some(first) {
                self.refits += 1;
                self.start.refit(tree, flight.frame(first));
            }
            // Where nothing moves only the boxes at the start count.
            if first != second {
                self.refits += 1;
                self.end.refit(tree, flight.frame(second));
            }
        } else {
            self.span.open_any(flight);
            self.refits += 2;
            // From the start of the span, also if time jumped into its middle: boxes do not
            // depend on steps. Plans have not changed since the start.
            let chords = Chords::new(flight, flight.moment(self.span.from), &self.span);
            let boxes = [self.start.volumes_mut(), self.end.volumes_mut()];
            chords.fit_all(tree, mesh, boxes);
        }
        self.blend_at(flight.time());
    }

    /// Computes the blend at a time of the current span.
    fn blend_at(&mut self, time: f64) {
        // The boxes of the root contain all others, except for lines that were extended back
        // behind a change of plans. Those stay within 62 reaches of the flight.
        let largest = |b: &Aabb| b.min.abs().max(b.max.abs()).max_element();
        let roots = [&self.start.volumes()[0], &self.end.volumes()[0]];
        let bounded = roots.into_iter().all(|root| f64::from(largest(root)) < F32_RANGE);
        self.blend = bounded.then(|| Blend::at(self.span.fraction(time)));
    }
}

impl Bounds<Flight> for Expiring {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, _: &Flight, node: u32) -> Aabb {
        match &self.blend {
            Some(blend) => {
                let node = node as usize;
                blend.between(&self.start.volumes()[node], &self.end.volumes()[node])
            }
            None => Aabb::EVERYWHERE,
        }
    }
}

impl FlightBounds for Expiring {
    fn fit(tree: &Arc<Tree>, mesh: &Arc<Mesh>, flight: &Flight) -> Result<Self> {
        Ok(Self::new(tree, mesh, flight))
    }

    fn advance(&mut self, tree: &Tree, mesh: &Mesh, flight: &mut Flight, time: f64) -> Result<()> {
        flight.advance(time)?;
        self.follow(tree, mesh, flight);
        Ok(())
    }

    fn restart(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight) {
        self.open(tree, mesh, flight);
    }

    fn replan(&mut self, tree: &Tree, mesh: &Mesh, flight: &Flight, vertices: &[u32]) {
        let few = vertices.len() <= flight.vertices() / REPLANNED_SHARE;
        // Lines that are extended back must stay in the range of `f32`.
        let near = flight.reach() < F32_RANGE / 64.0;
        if !(few && near && self.span.can_replan(flight.time())) {
            return self.open(tree, mesh, flight);
        }
        let links = self.links.get_or_insert_with(|| Arc::new(Links::new(tree, mesh)));
        let chords = Chords::new(flight, *flight.now(), &self.span);
        let boxes = [self.start.volumes_mut(), self.end.volumes_mut()];
        refit_around(boxes, (tree, mesh), links, &chords, vertices);
        // The boxes are no longer those of plain keyframes.
        self.span.keyframes = [None; 2];
        self.blend_at(flight.time());
    }

    fn as_expiring(&self) -> Option<&Self> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::{Course, Keyframes, Plan};
    use crate::test_meshes::bumpy_sheet;
    use crate::{Body, Collide, KeyframedBody};
    use glam::DVec3;

    fn shares_boxes(a: &KeyframedBody, b: &KeyframedBody) -> [bool; 2] {
        let (a, b) = (&a.bounds, &b.bounds);
        let same = |a: &BottomUp<Aabb>, b: &BottomUp<Aabb>| std::ptr::eq(a.volumes(), b.volumes());
        [same(&a.start, &b.start), same(&a.end, &b.end)]
    }

    #[test]
    fn clones_share_boxes_until_they_part() {
        let mesh = bumpy_sheet(9, 0.0);
        let frames = (0..4).map(|k| bumpy_sheet(9, f64::from(k)).positions().to_vec()).collect();
        let keyframes = Keyframes::new(vec![0.0, 1.0, 2.0, 3.0], frames).unwrap();
        let mut body = Body::keyframed(mesh, keyframes).unwrap();
        body.advance(0.5).unwrap();
        let mut other = body.clone();
        assert_eq!(shares_boxes(&body, &other), [true; 2]);
        // Another time of the same span.
        other.advance(0.75).unwrap();
        assert_eq!(shares_boxes(&body, &other), [true; 2]);
        let kept: Vec<Aabb> = (0..body.nodes() as u32).map(|node| body.bound(node)).collect();
        // The next span of one: its boxes are as if it had been alone.
        other.advance(1.5).unwrap();
        assert_eq!(shares_boxes(&body, &other), [false; 2]);
        for (node, kept) in (0..).zip(&kept) {
            assert_eq!(body.bound(node), *kept);
        }
        body.advance(1.5).unwrap();
        assert!((0..body.nodes() as u32).all(|node| body.bound(node) == other.bound(node)));
        // A change of plans of one.
        let mut third = body.clone();
        let plan = Plan::Course(Course::linear(1.5, DVec3::splat(9.0), DVec3::X));
        third.set_plans(&[(0, plan)]).unwrap();
        assert_eq!(shares_boxes(&body, &third), [false; 2]);
        assert!((0..body.nodes() as u32).all(|node| body.bound(node) == other.bound(node)));
        assert!(third.bound(0) != body.bound(0));
        // What depends on the tree alone is shared.
        let fourth = third.clone();
        let links = |body: &KeyframedBody| body.bounds.links.clone().unwrap();
        assert!(Arc::ptr_eq(&links(&third), &links(&fourth)));
    }
}
