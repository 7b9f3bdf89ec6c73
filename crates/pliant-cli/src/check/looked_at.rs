//! All that a run looks at: scenes, takes and frames, numbered through.

use anyhow::{Result, ensure};

use super::baseline::Baseline;
use super::frame::frame;
use super::row::{AnimationRow, FrameRow, ObjectRow, RunRow, SCHEMA};
use super::run::{Question, blocks};
use super::times::{Moment, TimeArguments};
use super::{Gates, Method, Shard};
use crate::source::Input;

/// Scenes, animations and frames of a run.
#[derive(Debug)]
pub(crate) struct LookedAt {
    pub(crate) run: RunRow,
    /// One for each scene.
    pub(crate) parts: Vec<Part>,
    /// Frames of the whole run, other shards included.
    pub(crate) total: usize,
}

/// The frames of one scene.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) moments: Vec<Moment>,
    /// What stands before it in the run.
    first_object: u32,
    first_animation: usize,
    first_frame: usize,
    first_block: usize,
    shard: Option<Shard>,
}

impl LookedAt {
    pub(crate) fn new(
        scenes: &[Input],
        times: &TimeArguments,
        method: Method,
        shard: Option<Shard>,
    ) -> Result<Self> {
        let mut run = RunRow {
            pliant: env!("CARGO_PKG_VERSION").into(),
            schema: SCHEMA,
            method: method.name().into(),
            shard: shard.map(Shard::row),
            ..RunRow::default()
        };
        let mut parts = Vec::with_capacity(scenes.len());
        let (mut first_frame, mut first_block) = (0, 0);
        for input in scenes {
            let moments = times.choose(input)?;
            parts.push(Part {
                first_object: u32::try_from(run.objects.len())?,
                first_animation: run.animations.len(),
                first_frame,
                first_block,
                shard,
                moments,
            });
            let moments = &parts[parts.len() - 1].moments;
            first_frame += moments.len();
            first_block += blocks(moments).len();
            add_rows(&mut run, input, moments);
        }
        let looked_at = Self { run, parts, total: first_frame };
        ensure!(looked_at.total > 0, "there is no frame to look at");
        Ok(looked_at)
    }

    /// Frames that this program looks at.
    pub(crate) fn frames(&self) -> usize {
        self.parts.iter().map(|part| part.numbers().count()).sum()
    }

    /// The names of all objects.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.run.objects.iter().map(|object| object.name.as_str()).collect()
    }

    /// What is in contact before anything is played.
    pub(crate) fn at_rest(
        &self,
        scenes: &[Input],
        question: &Question,
        gates: &Gates,
    ) -> Result<Baseline> {
        let question = Question { picture: None, ..*question };
        let mut baseline = Baseline::new();
        for (input, part) in scenes.iter().zip(&self.parts) {
            let input = input.at_rest();
            let mut bodies = question.bodies(&input, 1)?;
            gates.filter.apply(&input, &mut bodies)?;
            let rest = Moment { take: 0, frame: 0, time: 0.0 };
            let mut found = frame(&mut bodies, &input, rest, &question)?;
            part.number(&mut found.row, 0);
            let counts = |contact: &_| gates.gate.counts(contact);
            baseline.learn_rest(&self.run, &found.row.contacts, counts);
        }
        Ok(baseline)
    }
}

impl Part {
    /// The blocks of frames that are looked at.
    pub(crate) fn blocks(&self) -> Vec<&[Moment]> {
        self.numbered().into_iter().map(|(_, block)| block).collect()
    }

    /// The number in the run of each of their frames.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> + use<> {
        let numbered = self.numbered().into_iter();
        let ranges: Vec<_> = numbered.map(|(number, block)| number..number + block.len()).collect();
        ranges.into_iter().flatten()
    }

    /// The blocks with the number of their first frame.
    fn numbered(&self) -> Vec<(usize, &[Moment])> {
        let mut number = self.first_frame;
        let mut taken = Vec::new();
        for (at, block) in blocks(&self.moments).into_iter().enumerate() {
            if self.shard.is_none_or(|shard| shard.takes(self.first_block + at)) {
                taken.push((number, block));
            }
            number += block.len();
        }
        taken
    }

    /// Numbers what was found as in the whole run.
    pub(crate) fn number(&self, row: &mut FrameRow, number: usize) {
        row.number = number;
        row.animation += self.first_animation;
        if self.first_object == 0 {
            return;
        }
        for [a, _, b, _] in &mut row.pairs {
            *a += self.first_object;
            *b += self.first_object;
        }
        for contact in &mut row.contacts {
            contact.objects = contact.objects.map(|object| object + self.first_object);
        }
    }
}

/// Adds the files, objects and animations of a scene.
fn add_rows(run: &mut RunRow, input: &Input, moments: &[Moment]) {
    let first_file = run.files.len();
    run.files.extend(input.sources().iter().map(|source| source.file.display().to_string()));
    for &place in input.objects() {
        let object = input.object(place);
        run.objects.push(ObjectRow {
            id: run.objects.len(),
            name: object.name.clone(),
            file: first_file + place.source,
            vertices: object.mesh.positions().len(),
            triangles: object.mesh.triangles().len(),
            deformation: object.deformation.blended_name(input.blending()).into(),
            size: size(object.mesh.positions()),
        });
    }
    for (number, take) in input.takes().iter().enumerate() {
        run.animations.push(AnimationRow {
            name: take.name.clone(),
            files: [first_file, run.files.len()],
            frames: moments.iter().filter(|moment| moment.take == number).count(),
        });
    }
}

/// The diagonal of a box around points; large, but finite, where it overflows.
fn size(points: &[glam::DVec3]) -> f64 {
    let low = points.iter().copied().reduce(glam::DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(glam::DVec3::max).unwrap_or_default();
    pliant::contact::point_distance(low, high).min(f64::MAX)
}
