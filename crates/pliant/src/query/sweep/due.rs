//! Which pairs of features are due in a step, and which in parts of it.
//!
//! A step is divided until its paths are near its chords. What strays little from one another needs no
//! division. So a long step and its parts share the work: a pair of features is *due* in the longest step
//! in which both stray from one another by no more than a distance, and in no part of that step.

use std::sync::Arc;

use super::sag::SagBox;
use super::strays::{Farther, Field, Straying, View};

/// Which pairs of features are looked at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Due {
    /// How far two features that are due may stray from one another.
    pub(super) within: f64,
    /// Where the others are looked at.
    pub(super) farther: Farther,
    /// How vertices strayed in the step that was divided.
    pub(super) before: Option<Arc<Field>>,
}

/// What two bodies, or one twice, say of what is due.
struct Both<'a> {
    within: f64,
    /// Whether farther ones are looked at in parts of this step.
    in_parts: bool,
    before: Option<[View<'a>; 2]>,
}

impl<'a> Both<'a> {
    /// `None` if everything is due.
    #[inline]
    fn of([a, b]: [&Straying<'a>; 2]) -> Option<Self> {
        if a.due.is_none() && b.due.is_none() {
            return None;
        }
        let within = |one: &Straying| one.due.map_or(f64::INFINITY, |due| due.within);
        let in_parts = |one: &Straying| one.due.is_some_and(|due| due.farther == Farther::InParts);
        let before = |one: &Straying<'a>| one.due.and_then(|due| due.before.as_deref());
        let view = |one: &Straying<'a>| before(one).map_or(one.now, Field::view);
        let is_part = before(a).is_some() || before(b).is_some();
        Some(Self {
            within: within(a).min(within(b)),
            in_parts: in_parts(a) || in_parts(b),
            before: is_part.then(|| [view(a), view(b)]),
        })
    }
}

/// Whether a pair of features with these vertices is looked at.
pub(super) fn are_due(strays: [&Straying; 2], [first, second]: [&[u32]; 2]) -> bool {
    let Some(both) = Both::of(strays) else { return true };
    let stray = |[a, b]: [View; 2]| a.between(first, &b, second);
    let is_past = both.before.is_some_and(|before| stray(before) <= both.within);
    !is_past && (!both.in_parts || stray(strays.map(|one| one.now)) <= both.within)
}

/// Whether any features may be for which `sag` has bounds on either side.
#[inline]
fn may_be_due(strays: [&Straying; 2], sag: impl Fn(&View, usize) -> SagBox) -> bool {
    let Some(both) = Both::of(strays) else { return true };
    let of_both = |[a, b]: [&View; 2]| [sag(a, 0), sag(b, 1)];
    if let Some([a, b]) = &both.before {
        let [a, b] = of_both([a, b]);
        if a.most(&b) <= both.within {
            return false;
        }
    }
    let [a, b] = of_both(strays.map(|one| &one.now));
    !both.in_parts || a.least(&b) <= both.within
}

/// Whether any features of two triangles may be.
#[inline]
pub(super) fn triangles_may_be_due(strays: [&Straying; 2], triangles: [u32; 2]) -> bool {
    may_be_due(strays, |view, side| *view.triangle(triangles[side]))
}

/// Whether any features below two nodes may be.
#[inline]
pub(super) fn nodes_may_be_due(strays: [&Straying; 2], nodes: [u32; 2]) -> bool {
    may_be_due(strays, |view, side| *view.node(nodes[side]))
}
