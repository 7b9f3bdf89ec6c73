//! A run of `check` as a view, built frame by frame.

use std::path::Path;

use anyhow::{Result, ensure};
use pliant::{AnyBody, Collide as _};
use pliant_io::SceneBodies;

use super::baked::Baked;
use super::base64;
use super::format::{Level, View, ViewContact, ViewFrame, ViewObject, ViewWork};
use super::looks::{Textures, add_looks};
use super::page::write_report;
use super::scene::{mesh_numbers, one_glb, state_numbers, states};
use super::size::tell_size;
use crate::check::Method;
use crate::check::frame::Frame;
use crate::check::picture::{LevelState, Picture, Shown, box_numbers, shown_levels};
use crate::check::row::{ContactRow, FrameRow};
use crate::check::times::Moment;
use crate::source::Input;
use crate::write::write_to;

/// Numbers of a page, at the most: about 180 MB of text, and what a browser can still show.
const MOST_NUMBERS: usize = 1 << 25;

/// What a pair of objects in contact takes on the page, counted in numbers: its text is as long as
/// that of so many numbers in bulk.
const CONTACT_NUMBERS: usize = 40;

/// A view that waits for its frames, which must hold pictures.
#[derive(Debug)]
pub(crate) struct ContactsView {
    view: View,
    /// For each object and level what is not encoded yet.
    levels: Vec<Vec<LevelNumbers>>,
    /// How many numbers the view holds.
    numbers: usize,
    /// How many frames it will have.
    frames: usize,
    /// Objects that the page shows by their vertices in every frame.
    baked: Baked,
}

#[derive(Debug)]
struct LevelNumbers {
    kind: &'static str,
    nodes: Vec<u32>,
    rest: Vec<f32>,
    volumes: Vec<f32>,
    visited: Vec<u32>,
}

impl ContactsView {
    /// The view before its first frame; `resting` were not moved yet.
    pub(crate) fn new(
        input: &Input,
        resting: &SceneBodies,
        method: Method,
        textures: Textures,
        blocks: &[&[Moment]],
    ) -> Result<Self> {
        let frames = blocks.iter().map(|block| block.len()).sum();
        let numbers = state_numbers(input, frames).saturating_mul(frames);
        ensure!(
            numbers <= MOST_NUMBERS,
            "{numbers} numbers move the objects of the page in {frames} frames, more than \
             {MOST_NUMBERS}: ask for fewer frames with a lower --fps, or --times"
        );
        let mut view = View::new(title(input));
        view.method = method.name().into();
        view.unit = "s";
        view.animations = input.takes().iter().map(|take| take.name.clone()).collect();
        view.frames_run = frames;
        let most = Shown::of(input.objects().len(), frames).nodes;
        let mut levels = Vec::new();
        let baked = Baked::new(input, resting, blocks)?;
        let meshes = mesh_numbers(input, &baked).into_iter();
        let meshes = meshes.zip(states(input, &baked, blocks)?);
        for (number, (mesh, states)) in meshes.enumerate() {
            let object = input.object(input.objects()[number]);
            let body = resting.world().get(resting.ids()[number])?;
            levels.push(at_rest(body, most));
            view.objects.push(ViewObject {
                name: object.name.clone(),
                vertices: object.mesh.positions().len(),
                triangles: object.mesh.triangles().len(),
                deformation: object.deformation.blended_name(input.blending()),
                method: method.name_for(body).into(),
                mesh,
                tree_nodes: body.tree().nodes.len(),
                look: None,
                states,
                levels: Vec::new(),
            });
        }
        add_looks(&mut view, input, textures)?;
        Ok(Self { view, levels, numbers, frames, baked })
    }

    /// Leaves out bounds.
    pub(super) fn omit_levels(&mut self) {
        self.levels.iter_mut().for_each(Vec::clear);
    }

    /// One frame more; an error if the page becomes too large.
    pub(crate) fn add(&mut self, frame: &Frame) -> Result<()> {
        self.make_room(frame_numbers(frame))?;
        if let Some(picture) = &frame.picture {
            let states = picture.levels.iter().flatten();
            for (level, state) in self.levels.iter_mut().flatten().zip(states) {
                level.volumes.extend_from_slice(&state.volumes);
                level.visited.extend_from_slice(&state.visited);
            }
        }
        self.view.frames.push(view_frame(&frame.row, frame.picture.as_ref()));
        Ok(())
    }

    /// One frame more of which everything is known but what levels of bounds do.
    pub(super) fn add_frame(&mut self, frame: ViewFrame, numbers: usize) -> Result<()> {
        self.make_room(numbers + CONTACT_NUMBERS * frame.contacts.len())?;
        self.view.frames.push(frame);
        Ok(())
    }

    /// Counts numbers; an error if the page becomes too large.
    fn make_room(&mut self, numbers: usize) -> Result<()> {
        self.numbers = self.numbers.saturating_add(numbers);
        ensure!(
            self.numbers <= MOST_NUMBERS,
            "the page has {} numbers at frame {} of {}, more than {MOST_NUMBERS}: ask for fewer \
             frames with a lower --fps, or --times",
            self.numbers,
            self.view.frames.len() + 1,
            self.frames
        );
        Ok(())
    }

    /// The whole view.
    pub(crate) fn finish(mut self) -> View {
        for (object, levels) in self.view.objects.iter_mut().zip(self.levels) {
            object.levels = levels
                .into_iter()
                .map(|level| Level {
                    kind: level.kind,
                    nodes: base64::integers(level.nodes),
                    rest: base64::floats(level.rest),
                    volumes: base64::floats(level.volumes),
                    visited: base64::integers(level.visited),
                })
                .collect();
        }
        self.view
    }

    /// The objects as one GLB.
    pub(super) fn scene(&self, input: &Input) -> Result<Vec<u8>> {
        one_glb(input, &self.baked)
    }

    /// Writes the whole view as one page.
    pub(crate) fn write(self, file: &Path, input: &Input) -> Result<()> {
        let scene = self.scene(input)?;
        let view = self.finish();
        write_to(file, |out| write_report(out, &view, Some(&scene)))?;
        tell_size(file, &view, scene.len());
        Ok(())
    }
}

/// The files by name.
fn title(input: &Input) -> String {
    let names = input.sources().iter().filter_map(|source| source.file.file_name());
    names.map(|name| name.to_string_lossy()).collect::<Vec<_>>().join(" + ")
}

/// The bounds of an object's first levels before anything moved.
fn at_rest(resting: &AnyBody, most: usize) -> Vec<LevelNumbers> {
    let levels = shown_levels(resting.tree(), most).into_iter();
    let level = |nodes: Vec<u32>| LevelNumbers {
        kind: "box",
        rest: nodes.iter().flat_map(|&node| box_numbers(&resting.bound(node))).collect(),
        volumes: Vec::new(),
        visited: Vec::new(),
        nodes,
    };
    levels.map(level).collect()
}

/// How many numbers a frame takes on the page.
fn frame_numbers(frame: &Frame) -> usize {
    let level = |state: &LevelState| state.volumes.len() + state.visited.len();
    let picture = frame.picture.as_ref().map_or(0, |picture| {
        let levels: usize = picture.levels.iter().flatten().map(level).sum();
        picture.segments.len() + 4 * picture.pairs.len() + levels
    });
    picture + CONTACT_NUMBERS * frame.row.contacts.len()
}

/// A frame without impacts.
pub(super) fn view_frame(row: &FrameRow, picture: Option<&Picture>) -> ViewFrame {
    let (pairs, segments) = picture.map_or((&[][..], &[][..]), |picture| {
        (picture.pairs.as_slice(), picture.segments.as_slice())
    });
    let mut contacts: Vec<&ContactRow> = row.contacts.iter().collect();
    contacts.sort_by(|a, b| b.badness().0.total_cmp(&a.badness().0));
    let contacts = contacts.into_iter().map(|contact| ViewContact {
        objects: contact.objects,
        pairs: contact.pairs,
        length: contact.longest_cut,
        middle: contact.cut_at,
        depth: contact.depth,
        kind: contact.kind,
        at: contact.at,
        bones: contact.bones.iter().any(Option::is_some).then(|| contact.bones.clone()),
    });
    ViewFrame {
        time: row.time,
        animation: row.animation,
        frame: row.frame,
        pairs: base64::integers(pairs.iter().flatten().copied()),
        pairs_found: row.pairs.len(),
        nodes_visited: picture.map_or(0, |picture| picture.nodes_visited),
        segments: base64::floats(segments.iter().copied()),
        contacts: contacts.collect(),
        clashes: String::new(),
        overlaps: String::new(),
        impacts: None,
        work: ViewWork {
            bounds: row.work.bounds,
            overlap_tests: row.work.overlap_tests,
            primitive_tests: row.work.primitive_tests,
            seconds: row.work.seconds,
        },
    }
}
