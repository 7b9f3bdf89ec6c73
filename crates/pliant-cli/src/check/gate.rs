//! What fails a build: rules about contacts, and what violates them.

use std::collections::BTreeMap;

use super::baseline::Baseline;
use super::row::{ContactRow, FrameRow, Meeting, RunRow};
use crate::number::short;
use crate::pattern::PairPattern;
use crate::terminal::plain;

/// Whether objects that merely touch are in contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Touching {
    /// They are: triangles that have a point in common.
    #[default]
    Count,
    /// They are not, unless a triangle runs through another.
    Ignore,
}

/// Which contacts count, and which of those fail.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate {
    pub(crate) touching: Touching,
    /// Contacts that are known to be less deep do not count.
    pub(crate) min_depth: f64,
    /// Whether every contact that counts fails.
    pub(crate) fail_on_contact: bool,
    /// What pairs of objects may do.
    pub(crate) limits: Vec<Limit>,
    /// What is known and may stay.
    pub(crate) baseline: Option<Baseline>,
}

/// How deep some pairs of objects may be.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    pub(crate) objects: PairPattern,
    pub(crate) depth: f64,
}

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// Nothing may touch.
    Contact,
    /// Not deeper than a limit.
    Limit,
    /// Not where the baseline has nothing.
    New,
    /// Not deeper than in the baseline.
    Deeper,
}

impl Rule {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Contact => "contact",
            Self::Limit => "limit",
            Self::New => "new-contact",
            Self::Deeper => "deeper-contact",
        }
    }

    /// What it asks for.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Contact => "objects do not touch",
            Self::Limit => "objects are no deeper in one another than their limit",
            Self::New => "objects touch nowhere but where they are known to",
            Self::Deeper => "objects are no deeper in one another than they are known to be",
        }
    }
}

/// A rule that two objects violate in an animation, at its worst.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Violation {
    pub(crate) rule: Rule,
    pub(crate) animation: usize,
    pub(crate) objects: [u32; 2],
    /// Frames of the animation in which it is violated.
    pub(crate) frames: usize,
    /// The worst.
    pub(crate) frame: usize,
    pub(crate) time: f64,
    pub(crate) contact: ContactRow,
    /// The depth that would be allowed.
    pub(crate) allowed: f64,
}

impl Gate {
    /// Whether a contact counts at all.
    pub(crate) fn counts(&self, contact: &ContactRow) -> bool {
        match (contact.kind, contact.depth) {
            (Meeting::Touching, _) if self.touching == Touching::Ignore => false,
            (Meeting::Near, _) | (_, None) => true,
            (_, Some(depth)) => depth >= self.min_depth || contact.is_partly_unknown(),
        }
    }

    /// Whether anything can fail.
    pub(crate) fn is_set(&self) -> bool {
        self.fail_on_contact || !self.limits.is_empty() || self.baseline.is_some()
    }

    /// The rules that a contact violates, each with the depth that would be allowed.
    fn violated(&self, run: &RunRow, animation: &str, contact: &ContactRow) -> Vec<(Rule, f64)> {
        if !self.counts(contact) {
            return Vec::new();
        }
        let names = run.names(contact.objects);
        // What cannot be told is taken for the worst: a build must not pass by that.
        let depth = match contact.kind {
            Meeting::Near | Meeting::Touching => 0.0,
            _ if contact.is_partly_unknown() => f64::INFINITY,
            _ => contact.depth.unwrap_or(f64::INFINITY),
        };
        let limit = self.limits.iter().find(|limit| limit.objects.matches(names));
        if let Some(limit) = limit {
            let violated = depth > limit.depth;
            return if violated { vec![(Rule::Limit, limit.depth)] } else { Vec::new() };
        }
        if let Some(baseline) = &self.baseline {
            return baseline.violated(run, animation, contact).into_iter().collect();
        }
        if self.fail_on_contact { vec![(Rule::Contact, 0.0)] } else { Vec::new() }
    }
}

/// All violations of a run, gathered frame by frame. Grows with pairs of objects and animations,
/// not with frames.
#[derive(Debug, Default)]
pub(crate) struct Verdict(BTreeMap<(usize, [u32; 2], Rule), Violation>);

impl Verdict {
    /// Takes in the next frame.
    pub(crate) fn add(&mut self, gate: &Gate, run: &RunRow, frame: &FrameRow) {
        if !gate.is_set() {
            return;
        }
        let animation = run.animations.get(frame.animation).map_or("", |one| &one.name);
        for contact in &frame.contacts {
            for (rule, allowed) in gate.violated(run, animation, contact) {
                let key = (frame.animation, contact.objects, rule);
                let fresh = || Violation {
                    rule,
                    animation: frame.animation,
                    objects: contact.objects,
                    frames: 0,
                    frame: frame.frame,
                    time: frame.time,
                    contact: contact.clone(),
                    allowed,
                };
                let violation = self.0.entry(key).or_insert_with(fresh);
                violation.frames += 1;
                if contact.is_worse_than(&violation.contact) {
                    let frames = violation.frames;
                    *violation = Violation { frames, ..fresh() };
                }
            }
        }
    }

    /// In the order of animations, objects and rules.
    pub(crate) fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.0.values()
    }

    pub(crate) fn fails(&self) -> bool {
        !self.0.is_empty()
    }

    /// A line for each violated rule.
    pub(crate) fn text(&self, run: &RunRow) -> String {
        self.violations().map(|one| format!("{}\n", one.text(run))).collect()
    }
}

impl Violation {
    /// What happens, in a line.
    pub(crate) fn text(&self, run: &RunRow) -> String {
        format!("{}: {}", self.rule.name(), self.message(run))
    }

    /// Who, how deep, when and where.
    pub(crate) fn message(&self, run: &RunRow) -> String {
        let who = who(run, self.objects);
        let contact = &self.contact;
        let how = match (contact.kind, contact.depth) {
            (Meeting::Near, _) => format!("are {} apart", short(contact.distance)),
            (Meeting::Touching, _) => "touch".into(),
            (_, Some(depth)) => format!("{} deep", short(depth)),
            (_, None) => "cross, how deep cannot be told".into(),
        };
        let allowed = match self.rule {
            Rule::Limit | Rule::Deeper => format!(" ({} allowed)", short(self.allowed)),
            Rule::Contact | Rule::New => String::new(),
        };
        let [x, y, z] = contact.at.map(short);
        let animation = run.animations.get(self.animation).map_or("", |one| &one.name);
        let played = match animation {
            "" => String::new(),
            name => format!(" of \"{}\"", plain(name)),
        };
        format!(
            "{who} {how}{allowed} at {} s{played} (frame {}, {} in all), at {x}, {y}, {z}",
            short(self.time),
            self.frame,
            self.frames
        )
    }
}

/// Two objects, for people; with their numbers where others have the same name.
pub(crate) fn who(run: &RunRow, objects: [u32; 2]) -> String {
    let label = |id: u32, name: &str| {
        let same = run.objects.iter().filter(|object| object.name == name).count();
        if same > 1 { format!("{} #{id}", plain(name)) } else { plain(name) }
    };
    let [a, b] = run.names(objects);
    let [first, second] = objects;
    match first == second {
        true => format!("{} with itself", label(first, a)),
        false => format!("{} and {}", label(first, a), label(second, b)),
    }
}
