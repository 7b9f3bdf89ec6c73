//! Parts: vertices of a node that are bounded together, in lists that all nodes share.

use std::ops::Range;

use glam::Vec3A;

use super::rest_shape::RestShape;
use super::weight_bounds::WeightBounds;

/// Elements `start .. end` of a list. (A `Range` is not `Copy`.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The elements that a list gets by appending some.
    pub(super) fn append<T>(list: &mut Vec<T>, own: impl IntoIterator<Item = T>) -> Self {
        let start = list.len() as u32;
        list.extend(own);
        Self { start, end: list.len() as u32 }
    }

    /// The elements.
    #[inline(always)]
    pub(super) fn of<T>(self, list: &[T]) -> &[T] {
        &list[Range::from(self)]
    }
}

impl From<Span> for Range<usize> {
    #[inline(always)]
    fn from(span: Span) -> Self {
        span.start as usize..span.end as usize
    }
}

/// Bounds of the displacement of a part's vertices by a morph target of weight 1: within `deviation` of
/// `mean`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MorphBounds {
    pub(super) target: u32,
    pub(super) deviation: f32,
    pub(super) mean: Vec3A,
}

/// Vertices of a node that are bounded together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) rest: RestShape,
    /// The joint set; without meaning if the part holds all vertices of one joint, or several sets
    /// of a linear skin. For a node part the set whose rotation centre is used.
    pub(super) set: u32,
    /// What `f32` arithmetic can lose, as a fraction of the magnitudes involved.
    pub(super) slack: f32,
    /// Whether all weights are equal to their means.
    pub(super) constant_weights: bool,
    /// Whether it is a node part: all vertices of a node, beside the parts of its joint sets.
    pub(super) is_node_part: bool,
    weights: Span,
    morphs: Span,
}

/// A part on its way into the lists.
#[derive(Debug, Clone)]
pub(super) struct PartDraft {
    pub(super) rest: RestShape,
    pub(super) set: u32,
    pub(super) is_node_part: bool,
    pub(super) weights: Vec<WeightBounds>,
    pub(super) morphs: Vec<MorphBounds>,
}

impl PartDraft {
    /// The slack of [`Part::slack`]: four times (2n + 32 + D (4n + 40) + G (3n + 12)) 2^-24 for n joints.
    /// The module [`part_image`](super::part_image) says why.
    pub(super) fn slack(&self) -> f32 {
        let count = self.weights.len() as f32;
        let gradients: f32 = self.weights.iter().map(|own| own.gradient.abs().element_sum()).sum();
        let slack = 2.0 * count
            + 32.0
            + self.variation() * (4.0 * count + 40.0)
            + gradients * self.rest.radius * (3.0 * count + 12.0);
        slack * 2.0 * f32::EPSILON
    }

    /// The sum of all deviations and residuals.
    fn variation(&self) -> f32 {
        self.weights.iter().map(|own| own.deviation + own.residual).sum()
    }

    /// The sum of all deviations.
    pub(super) fn deviation(&self) -> f32 {
        self.weights.iter().map(|own| own.deviation).sum()
    }
}

/// The parts of all nodes, and what they refer to.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PartLists {
    pub(super) parts: Vec<Part>,
    weights: Vec<WeightBounds>,
    morphs: Vec<MorphBounds>,
}

impl PartLists {
    /// Adds parts of one node.
    pub(super) fn add(&mut self, drafts: impl IntoIterator<Item = PartDraft>) -> Span {
        let Self { parts, weights, morphs } = self;
        let part = |draft: PartDraft| Part {
            slack: draft.slack(),
            constant_weights: draft.variation() == 0.0,
            rest: draft.rest,
            set: draft.set,
            is_node_part: draft.is_node_part,
            weights: Span::append(weights, draft.weights),
            morphs: Span::append(morphs, draft.morphs),
        };
        Span::append(parts, drafts.into_iter().map(part))
    }

    /// The weight bounds of a part's joints.
    #[inline]
    pub(super) fn weights(&self, part: &Part) -> &[WeightBounds] {
        part.weights.of(&self.weights)
    }

    /// The morph targets that move a part.
    #[inline]
    pub(super) fn morphs(&self, part: &Part) -> &[MorphBounds] {
        part.morphs.of(&self.morphs)
    }
}
