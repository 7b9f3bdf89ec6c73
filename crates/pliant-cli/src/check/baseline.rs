//! Contacts that are known and may stay: `--baseline`.
//!
//! A baseline must survive a new export of the same model: other triangles, merged vertices, the
//! noise of `f32`. So contacts are known by the names of objects and animation, by place and by
//! depth, and never by the numbers of triangles. How near a place and how much deeper a contact may
//! be is a choice, written beside it; nothing exact depends on it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use glam::DVec3;
use pliant::contact::point_distance;
use serde::{Deserialize, Serialize};

use super::gate::Rule;
use super::row::{ContactRow, FrameRow, Meeting, RunRow};
use crate::write::write_to;

/// The version of the file.
const VERSION: u32 = 1;

/// Places nearer than this part of the smaller object are the same place.
const SAME_PLACE: f64 = 0.1;

/// A contact is as deep as a known one up to this part of its depth,
const SAME_DEPTH: f64 = 0.01;

/// and this part of the smaller object: the noise of `f32` coordinates, tenfold.
const NOISE: f64 = 1e-5;

/// Known contacts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    #[serde(rename = "pliant-baseline")]
    version: u32,
    contacts: Vec<Known>,
}

/// Where two objects are known to meet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// The smaller name first.
    objects: [String; 2],
    /// `None` for all animations.
    animation: Option<String>,
    /// Empty for any place.
    places: Vec<[f64; 3]>,
    /// The depth at each place, or one for all; `None` where it cannot be told.
    depths: Vec<Option<f64>>,
}

impl Baseline {
    /// A baseline without contacts.
    pub(crate) fn new() -> Self {
        Self { version: VERSION, contacts: Vec::new() }
    }

    /// Reads a file that `--update-baseline` has written.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let baseline: Self =
            serde_json::from_str(&text).with_context(|| file.display().to_string())?;
        ensure!(
            baseline.version == VERSION,
            "{}: version {} of baselines is not known, only {VERSION}",
            file.display(),
            baseline.version
        );
        for known in &baseline.contacts {
            ensure!(
                known.depths.len() == known.places.len().max(1),
                "{}: {:?}: there are {} depths for {} places",
                file.display(),
                known.objects,
                known.depths.len(),
                known.places.len()
            );
        }
        Ok(baseline)
    }

    /// Writes it, one line for each pair of objects.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let mut text = format!("{{\"pliant-baseline\":{},\"contacts\":[", self.version);
        for (number, known) in self.contacts.iter().enumerate() {
            text += if number == 0 { "\n" } else { ",\n" };
            text += &serde_json::to_string(known)?;
        }
        text += "\n]}\n";
        write_to(file, |out| out.write_all(text.as_bytes()))
    }

    /// How many pairs of objects it knows, each counted once per animation.
    pub(crate) fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Takes in the contacts of a frame that count.
    pub(crate) fn learn(
        &mut self,
        run: &RunRow,
        frame: &FrameRow,
        counts: impl Fn(&ContactRow) -> bool,
    ) {
        let animation = run.animations.get(frame.animation).map_or("", |one| &one.name);
        for contact in frame.contacts.iter().filter(|contact| counts(contact)) {
            let objects = sorted(run.names(contact.objects));
            let of_pair = self.contacts.iter().position(|known| {
                known.objects == objects && known.animation.as_deref() == Some(animation)
            });
            let at = of_pair.unwrap_or_else(|| {
                let animation = Some(animation.into());
                let (places, depths) = (Vec::new(), Vec::new());
                self.contacts.push(Known { objects, animation, places, depths });
                self.contacts.len() - 1
            });
            let known = &mut self.contacts[at];
            let size = smaller(run, contact.objects);
            for (at, depth) in places(contact) {
                match nearest(&known.places, at, SAME_PLACE * size) {
                    Some(place) => known.depths[place] = deeper(known.depths[place], depth),
                    None => {
                        known.places.push(at);
                        known.depths.push(depth);
                    }
                }
            }
        }
    }

    /// Takes in the contacts of a pose at rest: bodies move afterwards, so they are known in every
    /// animation and at every place.
    pub(crate) fn learn_rest(
        &mut self,
        run: &RunRow,
        contacts: &[ContactRow],
        counts: impl Fn(&ContactRow) -> bool,
    ) {
        for contact in contacts.iter().filter(|contact| counts(contact)) {
            let objects = sorted(run.names(contact.objects));
            let depths = vec![depth_of(contact.kind, contact.depth)];
            self.contacts.push(Known { objects, animation: None, places: Vec::new(), depths });
        }
    }

    /// The rule that a contact violates, with the depth that is known.
    pub(super) fn violated(
        &self,
        run: &RunRow,
        animation: &str,
        contact: &ContactRow,
    ) -> Option<(Rule, f64)> {
        let objects = sorted(run.names(contact.objects));
        let size = smaller(run, contact.objects);
        let known: Vec<&Known> = self
            .contacts
            .iter()
            .filter(|known| {
                known.objects == objects
                    && known.animation.as_deref().is_none_or(|one| one == animation)
            })
            .collect();
        let mut worst = None;
        for (at, depth) in places(contact) {
            let allowed = known.iter().filter_map(|known| {
                if known.places.is_empty() {
                    return known.depths.first().copied();
                }
                // Twice the reach: a place that was joined to a known one may have moved as far.
                Some(known.depths[nearest(&known.places, at, 2.0 * SAME_PLACE * size)?])
            });
            let Some(allowed) = allowed.reduce(deeper) else { return Some((Rule::New, 0.0)) };
            let allowed = allowed.unwrap_or(f64::INFINITY);
            let slack = SAME_DEPTH * allowed + NOISE * size;
            if depth.unwrap_or(f64::INFINITY) > allowed + slack {
                worst = Some((Rule::Deeper, allowed));
            }
        }
        worst
    }
}

/// The places of a contact: its regions, or the contact itself if it has none.
fn places(contact: &ContactRow) -> Vec<([f64; 3], Option<f64>)> {
    if contact.regions.is_empty() {
        return vec![(contact.at, depth_of(contact.kind, contact.depth))];
    }
    contact.regions.iter().map(|one| (one.at, depth_of(one.kind, one.depth))).collect()
}

fn depth_of(kind: Meeting, depth: Option<f64>) -> Option<f64> {
    match kind {
        Meeting::Near | Meeting::Touching => Some(0.0),
        _ => depth,
    }
}

/// The larger depth; what cannot be told is the largest.
fn deeper(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a?.max(b?))
}

/// The nearest of some places, if one is within reach.
fn nearest(places: &[[f64; 3]], at: [f64; 3], reach: f64) -> Option<usize> {
    let distance = |&[x, y, z]: &[f64; 3]| point_distance(DVec3::new(x, y, z), at.into());
    let near = places.iter().map(distance).enumerate().filter(|&(_, distance)| distance <= reach);
    near.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place)
}

fn sorted([a, b]: [&str; 2]) -> [String; 2] {
    let [first, second] = if a <= b { [a, b] } else { [b, a] };
    [first.into(), second.into()]
}

/// The size of the smaller of two objects.
fn smaller(run: &RunRow, objects: [u32; 2]) -> f64 {
    let [a, b] = objects.map(|id| run.objects.get(id as usize).map_or(0.0, |object| object.size));
    a.min(b)
}
