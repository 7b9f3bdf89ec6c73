//! What touches in a world between two of its states, handed over while it is found.

use std::ops::ControlFlow;

use super::contacts::{Candidate, answered};
use super::swept::{BodiesSwept, swept_boxes};
use super::{BodyId, Member, World};
use crate::Result;
use crate::body::AnyBody;
use crate::query::pair_limit::PairLimit;
use crate::query::sweep::HandOver;
use crate::query::{Step, Strays, SweepSettings, Swept, Work};

/// Pairs of bodies that are asked at once, in parallel. All that they find is kept at once.
const TOGETHER: usize = 64;

/// What a pair of bodies may have to be asked together with others. A pair with more is asked again, by
/// itself, in batches.
const FEW: usize = 4096;

/// What is asked about all candidates.
struct Asked<'a> {
    members: &'a [(BodyId, &'a Member)],
    steps: &'a [Step<'a, AnyBody>],
    settings: &'a SweepSettings,
    limit: &'a PairLimit,
}

impl World {
    /// As [`World::sweep`], in batches: `hand_over` is given what touches while it is found, until it
    /// returns `Break`. A batch is about one pair of bodies, or one body and itself, and ascending;
    /// what a pair has may come in several batches, one after the other.
    ///
    /// Guarantee: the batches together are what [`World::sweep`] returns, each contact in one of them.
    /// Batches, their order and their work depend on the bodies and the broad phase alone, not on
    /// threads. Memory does not grow with what touches. Returns all work.
    ///
    /// # Errors
    /// Those of [`World::sweep`]. [`Error::TooManyPairs`](crate::Error::TooManyPairs) may come after
    /// some batches were handed over.
    pub fn sweep_streamed(
        &self,
        end: &Self,
        strays: &[Strays],
        settings: &SweepSettings,
        mut hand_over: impl FnMut(BodiesSwept) -> ControlFlow<()>,
    ) -> Result<Work> {
        let limit = &PairLimit::new(settings.most);
        let (members, steps) = (&*self.members(), &*self.steps(end, strays)?);
        let asked = Asked { members, steps, settings, limit };
        let (mut work, mut found_work) = (Work::default(), Work::default());
        let boxes = swept_boxes(members, steps, &mut work);
        let mut batch: Vec<Candidate> = Vec::with_capacity(TOGETHER);
        let mut add = |candidate: Option<Candidate>| {
            batch.extend(candidate);
            if batch.len() < TOGETHER && candidate.is_some() {
                return ControlFlow::Continue(());
            }
            let flow = asked.hand_over_all(&batch, &mut found_work, &mut hand_over);
            batch.clear();
            flow
        };
        let with_itself = |&at: &u32| members[at as usize].1.with_itself;
        let mut flow =
            (0..members.len() as u32).filter(with_itself).try_for_each(|at| add(Some([at; 2])));
        if flow.is_continue() {
            self.counting_pairs(members, &boxes, &mut work, &mut |pair| {
                flow = add(Some(pair));
                flow
            });
        }
        if flow.is_continue() {
            let _ = add(None);
        }
        work += found_work;
        limit.check(work)
    }
}

impl Asked<'_> {
    /// Asks about candidates and hands over what they have, in their order.
    fn hand_over_all(
        &self,
        candidates: &[Candidate],
        work: &mut Work,
        hand_over: &mut dyn FnMut(BodiesSwept) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let together = answered(candidates, &|candidate| (Work::default(), self.few(candidate)));
        for (&candidate, (_, few)) in candidates.iter().zip(together) {
            let bodies = candidate.map(|at| self.members[at as usize].0);
            let mut flow = ControlFlow::Continue(());
            let mut hand_over = |swept: Swept| {
                flow = hand_over(BodiesSwept { bodies, swept });
                flow
            };
            match few {
                Some(few) => {
                    *work += few.work;
                    let _ = self.limit.count(few.contacts.len() + few.pierced.len());
                    if !few.is_empty() {
                        let _ = hand_over(few);
                    }
                }
                None => *work += self.stream(candidate, &mut hand_over),
            }
            flow?;
            if self.limit.is_exceeded() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// All that a candidate has, if that is little.
    fn few(&self, [a, b]: Candidate) -> Option<Swept> {
        if self.limit.is_exceeded() {
            return None;
        }
        let limit = PairLimit::new(FEW);
        let found = match a == b {
            true => self.members[a as usize].1.self_sweep_within(
                &self.steps[a as usize],
                self.settings,
                &limit,
            ),
            false => {
                self.steps[a as usize].ask(Some(&self.steps[b as usize]), self.settings, &limit)
            }
        };
        limit.check(found).ok()
    }

    /// All that a candidate has, in batches.
    fn stream(&self, [a, b]: Candidate, hand_over: &mut HandOver) -> Work {
        let step = &self.steps[a as usize];
        let adjacency = self.settings.adjacency;
        if a != b {
            let other = Some(&self.steps[b as usize]);
            return step.stream(other, adjacency, self.limit, hand_over);
        }
        let prepared = self.members[a as usize].1.prepared_for(self.settings);
        let streamed = prepared.map(|prepared| prepared.any_stream(step, self.limit, hand_over));
        match streamed {
            Some(Ok(work)) => work,
            // Prepared for another body: nothing was handed over.
            _ => step.stream(None, adjacency, self.limit, hand_over),
        }
    }
}
