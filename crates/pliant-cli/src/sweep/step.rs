//! One step: all objects posed at both ends, all impacts found.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use pliant::AnyBody;
use pliant::query::{Farther, Strays, SweepSettings, Work};
use pliant::world::{BodiesSwept, brute_force};
use pliant_io::SceneBodies;

use super::adjacency::PathArgument;
use super::parts::{LooksAt, Paths};
use super::picture::StepPicture;
use super::row::{ImpactRow, StepRow};
use crate::check::Method;
use crate::check::frame::object_number;
use crate::check::row::{ContactRow, FrameRow, Meeting, WorkRow};
use crate::check::times::Moment;
use crate::source::Input;

/// What is asked of every step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepQuestion {
    pub(crate) settings: SweepSettings,
    pub(crate) path: PathArgument,
    /// How far a path may stray from the straight lines that stand for it.
    pub(crate) within: f64,
    pub(crate) method: Method,
    /// Whether a page is wanted.
    pub(crate) pictured: bool,
}

/// What was found in a step.
#[derive(Debug)]
pub(crate) struct Stepped {
    pub(crate) row: StepRow,
    /// The same for rules about contacts: who touches whom.
    pub(crate) frame: FrameRow,
    /// What only a page needs, if one is wanted and something touches.
    pub(crate) picture: Option<StepPicture>,
}

/// The bodies of a run at both ends of a step.
#[derive(Debug, Clone)]
pub(crate) struct Ends {
    start: SceneBodies,
    end: SceneBodies,
}

impl Ends {
    pub(crate) fn new(bodies: &SceneBodies) -> Self {
        Self { start: bodies.clone(), end: bodies.clone() }
    }

    /// The steps between frames of one take that follow one another.
    pub(crate) fn steps<'a>(
        &'a mut self,
        input: &'a Input,
        moments: &'a [Moment],
        question: &'a StepQuestion,
    ) -> Result<impl Iterator<Item = Result<Stepped>> + 'a> {
        for bodies in [&mut self.start, &mut self.end] {
            bodies.forget_history();
            input.play(bodies, moments[0].take)?;
        }
        set_time(&mut self.end, input, moments[0].time)?;
        Ok(moments.windows(2).map(move |ends| self.step(input, [ends[0], ends[1]], question)))
    }

    /// The next step. Its start is where the last one ended.
    fn step(
        &mut self,
        input: &Input,
        [first, last]: [Moment; 2],
        question: &StepQuestion,
    ) -> Result<Stepped> {
        let since = Instant::now();
        let (from, to) = (first.time, last.time);
        let mut row = StepRow {
            number: 0,
            animation: first.take,
            from,
            to,
            first: None,
            contacts: Vec::new(),
            pierced: Vec::new(),
            work: WorkRow::default(),
        };
        let parts = super::parts::parts(input, first.take, [from, to], question)?;
        let share = |time: f64| if to == from { 0.0 } else { (time - from) / (to - from) };
        // The times of both ends, and how paths stray in the last look at a whole span.
        let (mut ends, mut whole) = ([f64::NAN, from], Vec::new());
        for part in &parts {
            if ends[0] != part.from {
                std::mem::swap(&mut self.start, &mut self.end);
                ends.swap(0, 1);
            }
            if ends[0] != part.from {
                set_time(&mut self.start, input, part.from)?;
            }
            if ends[1] != part.to {
                set_time(&mut self.end, input, part.to)?;
            }
            ends = [part.from, part.to];
            let is_whole = ends == [from, to];
            let shares = if is_whole { [0.0, 1.0] } else { [share(part.from), share(part.to)] };
            let strays = self.strays(&part.looks_at, question, &mut whole)?;
            let work = self.sweep(&strays, question, |found| {
                let objects = found.bodies.map(|id| object_number(&self.start, id));
                row.add(objects, &found, shares);
            });
            let work = work.map_err(|error| failed(&error, from))?;
            row.work.bounds += work.bounds;
            row.work.overlap_tests += work.overlap_tests;
            row.work.primitive_tests += work.primitive_tests;
        }
        row.finish();
        if question.settings.impacts == pliant::query::Impacts::First {
            row.keep_first();
        }
        row.work.seconds = since.elapsed().as_secs_f64();
        let mut frame = frame_of(&row, first);
        let picture = match question.pictured {
            true => StepPicture::new(&self.end, input, &row, &parts)?,
            false => None,
        };
        if let Some(picture) = &picture {
            picture.place(&mut frame.contacts);
        }
        Ok(Stepped { row, frame, picture })
    }

    /// How the paths of all bodies stray, and what is due. `whole` is that of the last look at a
    /// whole span.
    fn strays(
        &self,
        looks_at: &LooksAt,
        question: &StepQuestion,
        whole: &mut Vec<Strays>,
    ) -> pliant::Result<Vec<Strays>> {
        // Two features of which each strays by what is allowed.
        let within = 2.0 * question.within;
        let world = self.start.world();
        let bodies = || self.start.ids().iter().map(|&id| world.get(id));
        match looks_at {
            LooksAt::All(strays) => strays.iter().map(|&one| Strays::everywhere(one)).collect(),
            LooksAt::Near(paths) => {
                let of = |(body, paths): (pliant::Result<&AnyBody>, &Paths)| match paths {
                    Paths::Each(sags) => Strays::of_sags(body?, sags.vertices.clone()),
                    Paths::Everywhere(stray) => Strays::everywhere(*stray),
                };
                *whole = bodies().zip(paths).map(of).collect::<pliant::Result<_>>()?;
                let due = |(body, strays): (pliant::Result<&AnyBody>, &Strays)| {
                    strays.clone().due(body?, within, Farther::InParts, None)
                };
                bodies().zip(&*whole).map(due).collect()
            }
            LooksAt::Rest(strays) => {
                let due = |((body, whole), &stray): ((pliant::Result<&AnyBody>, &Strays), &f64)| {
                    Strays::everywhere(stray)?.due(body?, within, Farther::Here, Some(whole))
                };
                bodies().zip(&*whole).zip(strays).map(due).collect()
            }
        }
    }

    /// Hands over what touches, in batches.
    fn sweep(
        &self,
        strays: &[Strays],
        question: &StepQuestion,
        mut found: impl FnMut(BodiesSwept),
    ) -> pliant::Result<Work> {
        let (start, end) = (self.start.world(), self.end.world());
        match question.method {
            Method::BruteForce => {
                let swept = brute_force::sweep(start, end, strays, &question.settings)?;
                swept.bodies.into_iter().for_each(found);
                Ok(swept.work)
            }
            _ => start.sweep_streamed(end, strays, &question.settings, |batch| {
                found(batch);
                ControlFlow::Continue(())
            }),
        }
    }
}

pub(super) fn set_time(bodies: &mut SceneBodies, input: &Input, time: f64) -> Result<()> {
    let set = bodies.set_time(time).map_err(|error| input.in_file(error));
    set.with_context(|| format!("at time {time} s"))
}

fn failed(error: &pliant::Error, time: f64) -> anyhow::Error {
    match error {
        pliant::Error::TooManyPairs { .. } => {
            anyhow!("{error} after time {time} s; --max-pairs raises the limit")
        }
        _ => anyhow!("{error}, after time {time} s"),
    }
}

/// Who touches whom, as rules see it. How deep cannot be told of what touches between two frames.
fn frame_of(row: &StepRow, first: Moment) -> FrameRow {
    let mut objects: Vec<[u32; 2]> = row
        .contacts
        .iter()
        .map(ImpactRow::objects)
        .chain(row.pierced.iter().map(|&[a, _, b, _]| [a, b]))
        .collect();
    objects.sort_unstable();
    let contact = |of: &[[u32; 2]]| ContactRow::unmeasured(of[0], Meeting::Crossing, of.len());
    let contacts = objects.chunk_by(|a, b| a == b).map(contact).collect();
    let (animation, frame, time) = (row.animation, first.frame, row.from);
    FrameRow { number: 0, animation, frame, time, pairs: Vec::new(), contacts, work: row.work }
}
