//! Sweeps of bodies of any kind.

use super::brute_force;
use super::stream::{HandOver, self_stream, stream};
use super::{Adjacency, Step, Swept, first_impact, first_self_impact};
use super::{self_sweep_within, sweep_within};
use crate::body::AnyBody;
use crate::query::Work;
use crate::query::pair_limit::PairLimit;
use crate::{Error, Result};

/// How a sweep is asked in a world: which impacts, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Impacts {
    /// All of them.
    #[default]
    All,
    /// The first of each pair of bodies.
    First,
}

/// Settings of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SweepSettings {
    /// All impacts, or the first of each pair of bodies.
    pub impacts: Impacts,
    /// Which features of one body share a vertex.
    pub adjacency: Adjacency,
    /// An error if more features and triangles touch.
    pub most: usize,
}

impl Default for SweepSettings {
    /// All impacts, any number; seams are no contacts.
    fn default() -> Self {
        Self { impacts: Impacts::All, adjacency: Adjacency::ByPlace, most: usize::MAX }
    }
}

/// Evaluates an expression for the step of the body inside; an error if the two ends are of
/// different kinds.
macro_rules! with_step {
    ($step:expr, $one:ident => $run:expr) => {
        $crate::query::sweep::with_step!(@ $step, $one => $run, Rigid Affine Free Reduced Skinned Keyframed)
    };
    (@ $step:expr, $one:ident => $run:expr, $($kind:ident)*) => {
        match ($step.start(), $step.end()) {
            $(($crate::AnyBody::$kind(start), $crate::AnyBody::$kind(end)) => {
                let $one = $step.of_inner(&**start, &**end);
                $run
            })*
            _ => Default::default(),
        }
    };
}
pub(crate) use with_step;

impl<'a> Step<'a, AnyBody> {
    /// A step of a body of any kind.
    ///
    /// # Errors
    /// Those of [`Step::new`], and [`Error::PreparedForAnother`] if the two are of different kinds.
    pub fn of_any(start: &'a AnyBody, end: &'a AnyBody) -> Result<Self> {
        if start.kind() != end.kind() {
            return Err(Error::PreparedForAnother { what: "kind of body" });
        }
        Self::new(start, end)
    }

    /// As [`sweep`](crate::sweep()), compiled for the kinds inside where two of them are common.
    pub(crate) fn sweep_within(&self, other: &Self, limit: &PairLimit) -> Swept {
        use AnyBody::{Free, Skinned};
        match (self.start(), self.end(), other.start(), other.end()) {
            (Free(a), Free(b), Free(c), Free(d)) => {
                let (one, two) = (self.of_inner(&**a, &**b), other.of_inner(&**c, &**d));
                sweep_within(&one, &two, limit)
            }
            (Skinned(a), Skinned(b), Skinned(c), Skinned(d)) => {
                let (one, two) = (self.of_inner(&**a, &**b), other.of_inner(&**c, &**d));
                sweep_within(&one, &two, limit)
            }
            _ => sweep_within(self, other, limit),
        }
    }

    /// As [`self_sweep`](crate::self_sweep()), compiled for the kind inside.
    pub(crate) fn self_sweep_within(&self, adjacency: Adjacency, limit: &PairLimit) -> Swept {
        with_step!(self, step => self_sweep_within(&step, adjacency, limit))
    }

    /// All that a pair of bodies, or one with itself if there is no other, has, handed over in
    /// batches.
    pub(crate) fn stream(
        &self,
        other: Option<&Self>,
        adjacency: Adjacency,
        limit: &PairLimit,
        hand_over: &mut HandOver,
    ) -> Work {
        match other {
            Some(other) => stream(self, other, limit, hand_over),
            None => with_step!(self, step => self_stream(&step, adjacency, limit, hand_over)),
        }
    }

    /// What a pair of bodies, or one with itself if there is no other, has by some settings.
    pub(crate) fn ask(
        &self,
        other: Option<&Self>,
        settings: &SweepSettings,
        limit: &PairLimit,
    ) -> Swept {
        let found = match (settings.impacts, other) {
            (Impacts::All, Some(other)) => return self.sweep_within(other, limit),
            (Impacts::All, None) => return self.self_sweep_within(settings.adjacency, limit),
            (Impacts::First, Some(other)) => first_impact(self, other),
            (Impacts::First, None) => first_self_impact(self, settings.adjacency),
        };
        let _ = limit.count(found.contacts.len() + found.pierced.len());
        found
    }

    /// As [`Self::ask`], by looking at every pair of features.
    pub(crate) fn ask_brute_force(
        &self,
        other: Option<&Self>,
        settings: &SweepSettings,
        limit: &PairLimit,
    ) -> Swept {
        let found = match (settings.impacts, other) {
            (Impacts::All, Some(other)) => return brute_force::sweep_within(self, other, limit),
            (Impacts::All, None) => {
                return brute_force::self_sweep_within(self, settings.adjacency, limit);
            }
            (Impacts::First, Some(other)) => brute_force::first_impact(self, other),
            (Impacts::First, None) => brute_force::first_self_impact(self, settings.adjacency),
        };
        let _ = limit.count(found.contacts.len() + found.pierced.len());
        found
    }
}
