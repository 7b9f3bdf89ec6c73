//! What a page shows of a step: features that touch, and where they are on their way.

use std::collections::BTreeSet;

use anyhow::Result;
use glam::DVec3;
use pliant_io::SceneBodies;

use super::parts::Part;
use super::row::{Feature, ImpactRow, StepRow};
use super::step::set_time;
use crate::check::row::ContactRow;
use crate::source::Input;

/// Contacts of one step that a page shows, at the most.
const SHOWN: usize = 200;

/// Moments of a step at which features are drawn, at the most.
const MOMENTS: usize = 33;

/// Features that touch within a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StepPicture {
    /// The first of each pair of objects, then the earliest, in order of time.
    pub(crate) shown: Vec<ImpactRow>,
    /// How many there are, shown or not.
    pub(crate) found: usize,
    /// Moments of the step, from 0 to 1. Between two of them everything moves along straight lines,
    /// or nearly so.
    pub(crate) times: Vec<f64>,
    /// For each that is shown and each moment four places: a vertex and the corners of a face, or the
    /// ends of two edges.
    pub(crate) places: Vec<[DVec3; 4]>,
}

impl StepPicture {
    /// The picture of a step with contacts, which was looked at in these parts.
    pub(super) fn new(
        bodies: &SceneBodies,
        input: &Input,
        row: &StepRow,
        parts: &[Part],
    ) -> Result<Option<Self>> {
        if row.contacts.is_empty() {
            return Ok(None);
        }
        let shown = earliest(&row.contacts);
        let mut moments: Vec<f64> = parts.iter().map(|part| part.from).collect();
        // A part may begin where the look at its whole does.
        moments.dedup();
        let every = moments.len().div_ceil(MOMENTS - 1);
        moments = moments.into_iter().step_by(every.max(1)).collect();
        moments.push(row.to);
        let mut bodies = bodies.clone();
        bodies.forget_history();
        let mut places = vec![[DVec3::ZERO; 4]; shown.len() * moments.len()];
        for (at, &moment) in moments.iter().enumerate() {
            set_time(&mut bodies, input, moment)?;
            for (number, impact) in shown.iter().enumerate() {
                places[number * moments.len() + at] = points(&bodies, impact)?;
            }
        }
        let length = row.to - row.from;
        let share = |time: &f64| if length > 0.0 { (time - row.from) / length } else { 0.0 };
        let times = moments.iter().map(share).collect();
        Ok(Some(Self { shown, found: row.contacts.len(), times, places }))
    }

    /// Puts contacts of objects where their first features touch.
    pub(super) fn place(&self, contacts: &mut [ContactRow]) {
        for contact in contacts {
            let first = self.shown.iter().position(|one| one.objects() == contact.objects);
            let Some(number) = first else { continue };
            contact.at = self.first_place(number).to_array();
            contact.cut_at = contact.at;
        }
    }

    /// Where the first of four places is when they touch.
    fn first_place(&self, number: usize) -> DVec3 {
        let count = self.times.len();
        let time = self.shown[number].toi[0];
        let after = self.times.partition_point(|&moment| moment <= time).clamp(1, count - 1);
        let [from, to] = [self.times[after - 1], self.times[after]];
        let [p, q] = [after - 1, after].map(|at| self.places[number * count + at][0]);
        if to > from { p.lerp(q, ((time - from) / (to - from)).clamp(0.0, 1.0)) } else { p }
    }
}

/// The first contact of each pair of objects and the earliest of all, in order of time.
fn earliest(contacts: &[ImpactRow]) -> Vec<ImpactRow> {
    let mut order: Vec<&ImpactRow> = contacts.iter().collect();
    order.sort_by(|a, b| a.toi[0].total_cmp(&b.toi[0]));
    let mut met = BTreeSet::new();
    let (mut chosen, rest): (Vec<_>, Vec<_>) =
        order.into_iter().partition(|one| met.insert(one.objects()));
    let left = SHOWN.saturating_sub(chosen.len());
    chosen.extend(rest.into_iter().take(left));
    chosen.sort_by(|a, b| a.toi[0].total_cmp(&b.toi[0]));
    chosen.into_iter().cloned().collect()
}

/// Where two features are now.
fn points(bodies: &SceneBodies, impact: &ImpactRow) -> Result<[DVec3; 4]> {
    let place = |object: u32, vertex: u32| -> Result<DVec3> {
        let body = bodies.world().get(bodies.ids()[object as usize])?;
        Ok(body.position(vertex).unwrap_or_default())
    };
    let ((a, first), (b, second)) = (impact.a, impact.b);
    Ok(match (first, second) {
        (Feature::Edge([p, q]), Feature::Edge([r, s])) => {
            [place(a, p)?, place(a, q)?, place(b, r)?, place(b, s)?]
        }
        (Feature::Number(vertex), Feature::Number(face)) => {
            let mesh = bodies.world().get(bodies.ids()[b as usize])?.mesh();
            let [p, q, r] = mesh.triangles()[face as usize];
            [place(a, vertex)?, place(b, p)?, place(b, q)?, place(b, r)?]
        }
        // A vertex meets faces, and an edge meets edges.
        _ => [DVec3::ZERO; 4],
    })
}
