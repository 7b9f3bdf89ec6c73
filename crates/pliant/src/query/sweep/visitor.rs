//! The visitors that test triangles of two steps.

use std::borrow::Cow;

use super::impact::{Impact, Swept};
use super::moving_triangle::{MovingTriangle, Reach};
use super::pair::PairQuestion;
use super::step::{Step, StepBox, stray_and_meet};
use super::strays::growth;
use crate::body::Surface;
use crate::query::Work;
use crate::query::pair_limit::{LimitedList, PairLimit};
use crate::query::share::Gather;
use crate::query::traverse::{Descent, Flow, PairVisitor, Side};
use crate::volume::{MovingBox, Volume};

/// What names the corners of each side's triangles: their vertices, or their places.
pub(super) type Names<'a> = [&'a [[u32; 3]]; 2];

/// What a query does with what it finds.
pub(super) trait Findings {
    /// Takes an impact.
    fn impact(&mut self, impact: Impact) -> Flow;

    /// Takes two triangles that touch at the start.
    fn pierced(&mut self, pair: [u32; 2]) -> Flow;

    /// What may touch later than this does not matter.
    fn until(&self) -> f32;
}

/// Tests triangles of two steps for impacts.
pub(super) struct Sweeping<'a, F> {
    pub(super) findings: F,
    pub(super) question: PairQuestion<'a>,
    pub(super) names: Names<'a>,
    /// All triangles, if both sides are one body: neighbours meet whatever the body does, so that
    /// each is asked for many times.
    pub(super) prepared: Option<&'a [MovingTriangle]>,
    /// Triangles of two leaves.
    pub(super) leaves: [Vec<MovingTriangle>; 2],
}

impl<F: Findings> Sweeping<'_, F> {
    /// Tests all triangles of one group against all of another.
    #[inline]
    fn meet_groups<'t>(
        &mut self,
        firsts: impl Iterator<Item = &'t MovingTriangle>,
        seconds: &(impl Iterator<Item = &'t MovingTriangle> + Clone),
        work: &mut Work,
    ) -> Flow {
        let Some(around) = seconds.clone().map(Reach::of).reduce(|a, b| a.with(&b)) else {
            return Flow::Continue;
        };
        // Each second may stray from the first by another distance.
        let strays_matter = self.question.strays_matter();
        for first in firsts {
            if !strays_matter && !first.may_reach(&around, self.question.until) {
                continue;
            }
            for second in seconds.clone() {
                if self.meet(first, second, work) == Flow::Stop {
                    return Flow::Stop;
                }
            }
        }
        Flow::Continue
    }

    /// Tests two triangles.
    #[inline]
    pub(super) fn meet(&mut self, a: &MovingTriangle, b: &MovingTriangle, work: &mut Work) -> Flow {
        let mut flow = Flow::Continue;
        let findings = &mut self.findings;
        let pierced = self.question.meet(a, b, work, |impact| {
            if findings.impact(impact) == Flow::Stop {
                flow = Flow::Stop;
            }
        });
        if let Some(pair) = pierced
            && self.findings.pierced(pair) == Flow::Stop
        {
            flow = Flow::Stop;
        }
        self.question.until = self.findings.until();
        flow
    }
}

impl<F: Findings> Sweeping<'_, F> {
    /// Tests two triangles of one body.
    pub(super) fn meet_own<A: Surface>(
        &mut self,
        step: &Step<A>,
        pair: [u32; 2],
        work: &mut Work,
    ) -> Flow {
        match self.prepared {
            Some(all) => self.meet(&all[pair[0] as usize], &all[pair[1] as usize], work),
            None => {
                let [a, b] = pair.map(|number| MovingTriangle::new(step, number, self.names[0]));
                self.meet(&a, &b, work)
            }
        }
    }
}

/// A triangle with boxes around it.
pub(super) struct HeldTriangle<'a> {
    triangle: Cow<'a, MovingTriangle>,
    around: MovingBox,
}

impl<'a, A: Surface, B: Surface, F: Findings> PairVisitor<Step<'_, A>, Step<'_, B>>
    for Sweeping<'a, F>
{
    type Held = HeldTriangle<'a>;

    #[inline(always)]
    fn meet_nodes(&self, a: &StepBox, b: &StepBox) -> Descent {
        let PairQuestion { strays: [one, two], until, .. } = &self.question;
        Descent::when(match self.question.strays_matter() {
            false => a.boxes.may_meet_by(&b.boxes, *until),
            true => stray_and_meet([one, two], [a, b], *until),
        })
    }

    fn meet_leaves(
        &mut self,
        (a, b): (&Step<A>, &Step<B>),
        of_a: &[u32],
        of_b: &[u32],
        work: &mut Work,
    ) -> Flow {
        if let Some(all) = self.prepared {
            let one = |&number: &u32| &all[number as usize];
            // The boxes of the leaves are those of the triangles.
            if let ([first], [second]) = (of_a, of_b) {
                return self.meet(one(first), one(second), work);
            }
            return self.meet_groups(of_a.iter().map(one), &of_b.iter().map(one), work);
        }
        let mut leaves = std::mem::take(&mut self.leaves);
        leaves.iter_mut().for_each(Vec::clear);
        leaves[0].extend(of_a.iter().map(|&i| MovingTriangle::new(a, i, self.names[0])));
        leaves[1].extend(of_b.iter().map(|&j| MovingTriangle::new(b, j, self.names[1])));
        let flow = self.meet_groups(leaves[0].iter(), &leaves[1].iter(), work);
        self.leaves = leaves;
        flow
    }

    fn hold(&self, (a, b): (&Step<A>, &Step<B>), side: Side, number: u32) -> HeldTriangle<'a> {
        let triangle = match (self.prepared, side) {
            (Some(all), _) => Cow::Borrowed(&all[number as usize]),
            (None, Side::First) => Cow::Owned(MovingTriangle::new(a, number, self.names[0])),
            (None, Side::Second) => Cow::Owned(MovingTriangle::new(b, number, self.names[1])),
        };
        let mut around = triangle.around();
        if self.question.strays_matter() {
            let [one, two] = self.question.strays.map(|strays| strays.now);
            let (own, other) = match side {
                Side::First => (one, two),
                Side::Second => (two, one),
            };
            around = around.grown(growth(own.triangle(number), other.node(0)));
        }
        HeldTriangle { triangle, around }
    }

    #[inline(always)]
    fn held_meets_node<V: Volume>(&self, held: &HeldTriangle, volume: &V) -> Descent {
        Descent::when(held.around.may_meet_by(&volume.moving(), self.question.until))
    }

    fn held_meets_leaf(
        &mut self,
        (a, b): (&Step<A>, &Step<B>),
        held: &HeldTriangle,
        side: Side,
        others: &[u32],
        work: &mut Work,
    ) -> Flow {
        for &other in others {
            let made;
            let other = match (self.prepared, side) {
                (Some(all), _) => &all[other as usize],
                (None, Side::First) => {
                    made = MovingTriangle::new(b, other, self.names[1]);
                    &made
                }
                (None, Side::Second) => {
                    made = MovingTriangle::new(a, other, self.names[0]);
                    &made
                }
            };
            let flow = match side {
                Side::First => self.meet(&held.triangle, other, work),
                Side::Second => self.meet(other, &held.triangle, work),
            };
            if flow == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }
}

/// Collects everything, up to a limit.
pub(super) struct All<'a> {
    pub(super) contacts: LimitedList<'a, Impact>,
    pub(super) pierced: LimitedList<'a, [u32; 2]>,
}

impl<'a> All<'a> {
    pub(super) fn new(limit: &'a PairLimit) -> Self {
        Self { contacts: LimitedList::new(limit), pierced: LimitedList::new(limit) }
    }

    /// Everything in canonical order.
    pub(super) fn swept(self, work: Work) -> Swept {
        let (contacts, pierced) = (self.contacts.finish(), self.pierced.finish());
        Swept { contacts, pierced, work }.sorted()
    }
}

impl Findings for All<'_> {
    #[inline]
    fn impact(&mut self, impact: Impact) -> Flow {
        self.contacts.push(impact)
    }

    #[inline]
    fn pierced(&mut self, pair: [u32; 2]) -> Flow {
        self.pierced.push(pair)
    }

    #[inline(always)]
    fn until(&self) -> f32 {
        f32::INFINITY
    }
}

impl Gather for Sweeping<'_, All<'_>> {
    fn fork(&self) -> Self {
        let All { contacts, pierced } = &self.findings;
        let findings = All { contacts: contacts.fork(), pierced: pierced.fork() };
        let (question, names, prepared) = (self.question, self.names, self.prepared);
        Self { findings, question, names, prepared, leaves: Default::default() }
    }

    fn is_done(&self) -> bool {
        self.findings.contacts.is_done()
    }

    fn join(&mut self, other: Self) {
        self.findings.contacts.join(other.findings.contacts);
        self.findings.pierced.join(other.findings.pierced);
    }
}

/// Keeps what comes first.
#[derive(Default)]
pub(super) struct First {
    impact: Option<Impact>,
    pierced: Option<[u32; 2]>,
}

impl First {
    pub(super) fn swept(self, work: Work) -> Swept {
        let pierced: Vec<_> = self.pierced.into_iter().collect();
        let contacts = self.impact.into_iter().filter(|_| pierced.is_empty()).collect();
        Swept { contacts, pierced, work }
    }
}

impl Findings for First {
    fn impact(&mut self, impact: Impact) -> Flow {
        if self.impact.is_none_or(|best| impact.is_before(&best)) {
            self.impact = Some(impact);
        }
        Flow::Continue
    }

    /// Nothing comes before the start.
    fn pierced(&mut self, pair: [u32; 2]) -> Flow {
        self.pierced = Some(pair);
        Flow::Stop
    }

    #[inline]
    fn until(&self) -> f32 {
        // Rounded to the nearest `f32`, by less than the slack of the times that it is compared
        // with; boxes that meet a little too late are let in.
        self.impact.map_or(f32::INFINITY, |best| best.time.lo as f32 + 2e-6)
    }
}
