//! The parts of a step in which every vertex is near a straight line.

use anyhow::{Result, ensure};
use pliant_io::Sags;

use super::adjacency::PathArgument;
use super::step::StepQuestion;
use crate::source::Input;

/// A look at a step, or at a part of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) looks_at: LooksAt,
}

/// Which pairs of features a look is for, and what is known of their paths.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LooksAt {
    /// All of them. For each object how far its vertices stray from straight lines; none do if this is
    /// empty.
    All(Vec<f64>),
    /// Those that stray little from one another, such as neighbours on a limb.
    Near(Vec<Paths>),
    /// Those that the look before, at the whole of which this is a part, left to its parts.
    Rest(Vec<f64>),
}

/// What is known of the paths of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Paths {
    /// How each vertex leaves its straight line.
    Each(Sags),
    /// How far any may.
    Everywhere(f64),
}

/// Parts of one step, at the most.
const MOST_PARTS: usize = 10_000;

/// A piece of a step beside a key that is shorter than this part of the other is not looked at by itself.
const SHORT: f64 = 1e-3;

/// Where nothing strays by more than this part of what is allowed, it does not pay to ask how each
/// vertex does.
const LITTLE: f64 = 0.125;

/// Divides a step: at keyframes, and along true paths at all keys; then into equal parts, since a
/// stray goes with the square of the length, and these in halves, until no vertex strays from its
/// straight line by more than the question allows. What strays little from one another is looked at
/// before, without parts.
pub(super) fn parts(
    input: &Input,
    take: usize,
    [from, to]: [f64; 2],
    question: &StepQuestion,
) -> Result<Vec<Part>> {
    let follows_keys = question.path == PathArgument::True;
    let mut times = vec![from];
    times.extend(input.knots(take, [from, to], follows_keys));
    times.push(to);
    let mut parts = Vec::with_capacity(times.len() - 1);
    let mut at = 0;
    while let [from, to, ..] = times[at..] {
        at += 1;
        if !follows_keys {
            parts.push(Part { from, to, looks_at: LooksAt::All(Vec::new()) });
            continue;
        }
        if let Some(&end) = times.get(at + 1)
            && let Some(sags) = past_key(input, take, [from, to, end], question)?
        {
            at += 1;
            let whole = Whole { span: [from, end], sags: &sags, has_key: true };
            look(input, take, &whole, &[], question, &mut parts)?;
            continue;
        }
        let span = [from, to];
        let strays = input.strays(take, span)?;
        let mut sags = Vec::new();
        if largest(&strays) > LITTLE * question.within {
            sags = input.sags(take, span)?;
        }
        let whole = Whole { span, sags: &sags, has_key: false };
        if sags.iter().all(Option::is_none) {
            let whole = Whole { sags: &[], ..whole };
            divide(input, take, &whole, question, &mut parts)?;
        } else {
            look(input, take, &whole, &strays, question, &mut parts)?;
        }
    }
    Ok(parts)
}

/// A span of which it is known how vertices leave their lines, or nothing.
struct Whole<'a> {
    span: [f64; 2],
    sags: &'a [Option<Sags>],
    /// Whether there is a key in it, near an end.
    has_key: bool,
}

/// How vertices sag between the first and the last of three times, if keys are at the second and this
/// is so near an end that they matter little.
fn past_key(
    input: &Input,
    take: usize,
    times: [f64; 3],
    question: &StepQuestion,
) -> Result<Option<Vec<Option<Sags>>>> {
    let [before, after] = [times[1] - times[0], times[2] - times[1]];
    if before.min(after) > SHORT * before.max(after) {
        return Ok(None);
    }
    let sags = input.sags_past_key(take, times)?;
    let matters = |sags: &Vec<Option<Sags>>| {
        sags.iter().flatten().any(|sags| sags.in_part(0.0) > 0.5 * question.within)
    };
    Ok(sags.filter(|sags| !matters(sags)))
}

/// Looks at a whole span, and at what is left in parts of it. `strays` are those of objects whose sags
/// are not known; without them, none stray.
fn look(
    input: &Input,
    take: usize,
    whole: &Whole,
    strays: &[f64],
    question: &StepQuestion,
    parts: &mut Vec<Part>,
) -> Result<()> {
    let stray = |at: usize| strays.get(at).copied().unwrap_or(0.0);
    let known = whole.sags.iter().enumerate();
    let largest = known.map(|(at, sags)| sags.as_ref().map_or(stray(at), Sags::largest));
    let all_near = largest.fold(0.0, f64::max) <= question.within;
    let paths = whole.sags.iter().enumerate().map(|(at, sags)| match sags {
        Some(sags) => Paths::Each(sags.clone()),
        None => Paths::Everywhere(stray(at)),
    });
    let [from, to] = whole.span;
    parts.push(Part { from, to, looks_at: LooksAt::Near(paths.collect()) });
    if all_near { Ok(()) } else { divide(input, take, whole, question, parts) }
}

/// Divides a span without knots: all of it, or what is left of it where sags are known.
fn divide(
    input: &Input,
    take: usize,
    whole: &Whole,
    question: &StepQuestion,
    parts: &mut Vec<Part>,
) -> Result<()> {
    let Whole { span: [start, end], sags, has_key } = *whole;
    let mut waiting = vec![([start, end], MOST_PARTS as f64)];
    while let Some(([from, to], most)) = waiting.pop() {
        let share = (to - from) / (end - start);
        let strays: Vec<f64> = if has_key {
            sags.iter().map(|sags| sags.as_ref().map_or(0.0, |sags| sags.in_part(share))).collect()
        } else {
            let mut strays = input.strays(take, [from, to])?;
            for (stray, sags) in strays.iter_mut().zip(sags) {
                *stray = sags.as_ref().map_or(*stray, |sags| stray.min(sags.in_part(share)));
            }
            strays
        };
        let stray = largest(&strays);
        let count = (stray / question.within).sqrt().ceil().clamp(2.0, most);
        let step = (to - from) / count;
        if stray <= question.within || !(from < from + step && to - step < to) {
            let looks_at = match sags {
                [] => LooksAt::All(strays),
                _ => LooksAt::Rest(strays),
            };
            parts.push(Part { from, to, looks_at });
        } else {
            let ends = |i: usize| if i == count as usize { to } else { from + step * i as f64 };
            let spans = (0..count as usize).map(|i| ([ends(i), ends(i + 1)], 2.0));
            waiting.extend(spans.rev());
        }
        ensure!(
            parts.len() + waiting.len() <= MOST_PARTS,
            "the step from {start} s needs more than {MOST_PARTS} parts: a larger --within needs fewer"
        );
    }
    Ok(())
}

fn largest(strays: &[f64]) -> f64 {
    strays.iter().copied().fold(0.0, f64::max)
}
