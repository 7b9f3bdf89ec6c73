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

/// A place that was joined to a known one may lie a little farther from it after a new export.
const SAME_PLACE_AGAIN: f64 = 1.1 * SAME_PLACE;

/// A place that is near no known one may be as deep as those within this part.
const NEXT_PLACE: f64 = 2.0 * SAME_PLACE;

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
                let within = |reach: f64| known.deepest(at, reach * size);
                within(SAME_PLACE_AGAIN).or_else(|| within(NEXT_PLACE))
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

impl Known {
    /// The largest depth of places within reach; `None` if there are none. Not that of the nearest:
    /// a contact may have been joined to a place before a nearer one became known.
    fn deepest(&self, at: [f64; 3], reach: f64) -> Option<Option<f64>> {
        let places = self.places.iter().zip(&self.depths);
        let near = places.filter(|(place, _)| distance(**place, at) <= reach);
        near.map(|(_, &depth)| depth).reduce(deeper)
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
    let near = places
        .iter()
        .map(|&place| distance(place, at))
        .enumerate()
        .filter(|&(_, distance)| distance <= reach);
    near.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place)
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    point_distance(DVec3::from_array(a), DVec3::from_array(b))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::row::{AnimationRow, ObjectRow, WorkRow};

    fn run() -> RunRow {
        let object = |id: usize, name: &str| ObjectRow {
            id,
            name: name.into(),
            file: 0,
            vertices: 0,
            triangles: 0,
            deformation: String::new(),
            size: 1.0,
        };
        let animation = AnimationRow { name: "walk".into(), files: [0, 1], frames: 3 };
        RunRow {
            objects: vec![object(0, "arm"), object(1, "body")],
            animations: vec![animation],
            ..RunRow::default()
        }
    }

    fn contact(x: f64, depth: f64) -> ContactRow {
        ContactRow {
            objects: [0, 1],
            kind: Meeting::Crossing,
            pairs: 1,
            depth: Some(depth),
            distance: 0.0,
            at: [x, 0.0, 0.0],
            bones: [None, None],
            materials: [None, None],
            longest_cut: 0.0,
            cut_at: [x, 0.0, 0.0],
            regions: Vec::new(),
        }
    }

    fn learned(contacts: &[(f64, f64)]) -> Baseline {
        let mut baseline = Baseline::new();
        for (number, &(x, depth)) in contacts.iter().enumerate() {
            let contacts = vec![contact(x, depth)];
            let (time, pairs, work) = (0.0, Vec::new(), WorkRow::default());
            let frame =
                FrameRow { number, animation: 0, frame: number, time, pairs, contacts, work };
            baseline.learn(&run(), &frame, |_| true);
        }
        baseline
    }

    /// The second contact is joined to the first place, and then lies nearer to the third, which is
    /// less deep: the run that was learned failed at once.
    #[test]
    fn what_was_learned_passes() {
        let contacts = [(0.0, 0.01), (0.09, 0.5), (0.15, 0.02), (0.3, 0.1), (0.22, 0.3)];
        let baseline = learned(&contacts);
        for (x, depth) in contacts {
            assert_eq!(baseline.violated(&run(), "walk", &contact(x, depth)), None, "{x}");
        }
        // Deeper than anything near, elsewhere, and in another animation.
        let violated = |x, depth, animation| {
            baseline.violated(&run(), animation, &contact(x, depth)).map(|(rule, _)| rule)
        };
        assert_eq!(violated(0.09, 0.52, "walk"), Some(Rule::Deeper));
        assert_eq!(violated(0.35, 0.32, "walk"), Some(Rule::Deeper));
        assert_eq!(violated(0.6, 0.01, "walk"), Some(Rule::New));
        assert_eq!(violated(0.0, 0.01, "run"), Some(Rule::New));
    }

    #[test]
    fn any_learned_run_passes() {
        // A fixed sequence that looks random.
        let number = |at: usize| (at as f64 * 12.9898).sin().abs();
        let contacts: Vec<(f64, f64)> =
            (0..400).map(|at| (number(at), number(7 * at + 3))).collect();
        let baseline = learned(&contacts);
        for &(x, depth) in &contacts {
            assert_eq!(baseline.violated(&run(), "walk", &contact(x, depth)), None, "{x}");
        }
    }
}
