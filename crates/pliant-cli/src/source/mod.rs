//! The files of the command line as one scene.

mod argument;
mod folder;
mod placement;
mod takes;
mod weights;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Error, Result, ensure};
use pliant::deform::Blending;
use pliant_io::{
    AnimatedScene, Deformation, Object, PC2_FRAMES_PER_SECOND, Pose, RestReaches, Sags, Scene,
    SceneBodies, SceneBodiesError, SceneError, is_sequence, load, load_frames, load_sequence,
    load_with_cache, printable,
};

use crate::check::BlendingArgument;
use crate::number::positive;
use crate::terminal::tell;
pub(crate) use argument::FileArgument;
use placement::{Placement, place};
pub(crate) use takes::Take;
use weights::{Weights, check_fitting, set_weights};

/// What `--help` says of files.
pub(crate) const FILES: &str = "\
Files: .gltf .glb .vrm (skins, morph targets, animations), .obj .ply .stl (rigid), .md2 (keyframes,
10 per second), each also with .gz. An .obj has an object per object, group and material in it.
A point cache (.pc2, .mdd) is joined to the mesh that it moves by a plus: `cloth.obj+cloth.pc2`.
Numbered .obj or .ply files are frames: `cloth_####.obj` or `cloth_%04d.ply` reads them all.";

/// Triangles of one scene, at the most. A body takes about a hundred bytes a triangle on each
/// thread, and a small file can name one mesh a million times.
const MAX_TRIANGLES: usize = 1 << 25;

/// What the command line says of files.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct InputArguments {
    /// The files, which form one scene: objects are numbered through them in this order.
    /// A folder stands for all models in it.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<FileArgument>,
    /// Move a file's objects by x, y, z and, before that, turn them by degrees about the y axis.
    /// For a file that is given several times, the first --place moves the first one, and so on.
    #[arg(long, value_name = "FILE@X,Y,Z[,DEGREES]")]
    place: Vec<Placement>,
    /// The animation: a name, a number, a pattern such as 'Run*', or `all`; may be given several
    /// times. FILE@NAME chooses for one file. Else each file plays its first.
    #[arg(long, value_name = "NAME|NUMBER|all")]
    pub(crate) animation: Vec<String>,
    /// Weights of morph targets where no animation sets them: 0.5,1 for all objects, or NAME=0.5,1.
    #[arg(long, value_name = "[NAME=]W,W...", allow_hyphen_values = true)]
    weights: Vec<Weights>,
    /// Frames per second of PC2 caches and numbered files.
    #[arg(long, value_name = "N", default_value_t = PC2_FRAMES_PER_SECOND, value_parser = positive)]
    cache_fps: f64,
}

/// A file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) file: PathBuf,
    pub(crate) scene: Arc<Scene>,
}

impl Source {
    /// The file, for messages.
    fn name(&self) -> String {
        printable(&self.file.to_string_lossy()).into_owned()
    }
}

/// Where an object comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectPlace {
    pub(crate) source: usize,
    pub(crate) object: usize,
}

/// All files: at least one object, at least one take.
#[derive(Debug)]
pub(crate) struct Input {
    sources: Vec<Source>,
    objects: Vec<ObjectPlace>,
    takes: Vec<Take>,
    /// How joints are blended.
    blending: Blending,
    /// What was decided for the user.
    notes: Vec<String>,
    /// How far vertices are from their joints, for each source. Made when it is first asked for.
    reaches: OnceLock<Vec<RestReaches>>,
}

impl InputArguments {
    /// Whether no file was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The only argument, if there is one and it is a text.
    pub(crate) fn only_text(&self) -> Option<&str> {
        match &self.files[..] {
            [only] if only.cache.is_none() => only.model.to_str(),
            _ => None,
        }
    }

    /// All arguments, for people.
    pub(crate) fn title(&self) -> String {
        let names: Vec<String> = self.files.iter().map(ToString::to_string).collect();
        printable(&names.join(" ")).into_owned()
    }

    /// The files, with folders opened.
    pub(crate) fn files(&self) -> Result<Vec<FileArgument>> {
        folder::opened(&self.files)
    }

    /// The scenes to look at, one after the other: one of all files, or each file on its own.
    pub(crate) fn scenes(&self, each: bool) -> Result<Vec<Vec<FileArgument>>> {
        let files = self.files()?;
        Ok(if each { files.into_iter().map(|file| vec![file]).collect() } else { vec![files] })
    }

    /// Loads one of the [`InputArguments::scenes`]. Of several, each must have only the files that
    /// it is made of placed.
    pub(crate) fn load(&self, files: &[FileArgument]) -> Result<Input> {
        let offsets = placement::assign(files, &self.place)?;
        let mut sources = Vec::with_capacity(files.len());
        let mut fitting = vec![false; self.weights.len()];
        for (file, offset) in files.iter().zip(offsets) {
            let scene = read(file, self.cache_fps)?;
            let scene = set_weights(scene, &self.weights, &mut fitting)?;
            let scene = match offset {
                Some(offset) => place(scene, offset).with_context(|| file.to_string())?,
                None => scene,
            };
            let scene = scene.with_keyframes_in_world().with_context(|| file.to_string())?;
            sources.push(Source { file: file.model.clone(), scene: Arc::new(scene) });
        }
        check_fitting(&self.weights, &fitting)?;
        Input::of(sources, &self.animation)
    }
}

impl Input {
    /// Loads all files as one scene.
    pub(crate) fn load(arguments: &InputArguments) -> Result<Self> {
        arguments.load(&arguments.files()?)
    }

    /// One scene that is in memory already.
    pub(crate) fn of_scene(name: &str, scene: Scene) -> Result<Self> {
        Self::of(vec![Source { file: name.into(), scene: Arc::new(scene) }], &[])
    }

    /// Files of one topology as the frames of one scene.
    pub(crate) fn of_frames(files: &[FileArgument]) -> Result<Self> {
        let paths: Vec<_> = files.iter().map(|file| &file.model).collect();
        let scene = load_frames(&paths)?;
        let file = files.first().map(|file| file.model.clone()).unwrap_or_default();
        Self::of(vec![Source { file, scene: Arc::new(scene) }], &[])
    }

    fn of(sources: Vec<Source>, animations: &[String]) -> Result<Self> {
        let mut objects = Vec::new();
        for (source, Source { scene, .. }) in sources.iter().enumerate() {
            objects.extend((0..scene.objects().len()).map(|object| ObjectPlace { source, object }));
        }
        ensure!(!objects.is_empty(), "there is nothing with a surface in these files");
        let mut notes = Vec::new();
        let takes = takes::takes(&sources, animations, &mut notes)?;
        let blending = Blending::Linear;
        let input = Self { sources, objects, takes, blending, notes, reaches: OnceLock::new() };
        let triangles = |&place: &ObjectPlace| input.object(place).mesh.triangles().len();
        check_size(input.objects.iter().map(triangles))?;
        Ok(input)
    }

    /// The same files with nothing played.
    pub(crate) fn at_rest(&self) -> Self {
        let take = Take { name: String::new(), animations: vec![None; self.sources.len()] };
        let sources = self.sources.iter().map(Source::clone).collect();
        let (objects, notes, blending) = (self.objects.clone(), Vec::new(), self.blending);
        let reaches = OnceLock::new();
        Self { sources, objects, takes: vec![take], blending, notes, reaches }
    }

    /// The same with joints blended in some way.
    pub(crate) fn blended(self, blending: BlendingArgument) -> Self {
        Self { blending: blending.of_bodies(), ..self }
    }

    /// How joints are blended.
    pub(crate) fn blending(&self) -> Blending {
        self.blending
    }

    /// What is played, one after the other.
    pub(crate) fn takes(&self) -> &[Take] {
        &self.takes
    }

    /// The files, in order.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// All objects: in the order of the files, then of the nodes.
    pub(crate) fn objects(&self) -> &[ObjectPlace] {
        &self.objects
    }

    pub(crate) fn object(&self, place: ObjectPlace) -> &Object {
        &self.sources[place.source].scene.objects()[place.object]
    }

    /// An object's name as the file has it.
    pub(crate) fn name(&self, object: u32) -> &str {
        &self.object(self.objects[object as usize]).name
    }

    /// The scenes of all files, to make bodies of; they play the first take.
    pub(crate) fn scenes(&self) -> Vec<AnimatedScene> {
        let scene = |(source, &animation): (&Source, &Option<usize>)| AnimatedScene {
            scene: Arc::clone(&source.scene),
            animation,
        };
        self.sources.iter().zip(&self.takes[0].animations).map(scene).collect()
    }

    /// Lets the bodies of [`Self::scenes`] play a take.
    pub(crate) fn play(&self, bodies: &mut SceneBodies, take: usize) -> Result<()> {
        for (scene, &animation) in self.takes[take].animations.iter().enumerate() {
            bodies.set_animation(scene, animation).map_err(|error| self.in_file(error))?;
        }
        Ok(())
    }

    /// An error of the bodies of [`Self::scenes`], with the file that it is about.
    pub(crate) fn in_file(&self, error: SceneBodiesError) -> Error {
        let file = self.sources.get(error.scene).map(Source::name);
        Error::new(error.error).context(file.unwrap_or_default())
    }

    /// The state of each file at a time of a take.
    pub(crate) fn poses(&self, take: usize, time: f64) -> Result<Vec<Pose>> {
        let pose = |(source, &animation): (&Source, &Option<usize>)| {
            let pose = source.scene.pose(animation, time);
            pose.with_context(|| source.name())
        };
        self.sources.iter().zip(&self.takes[take].animations).map(pose).collect()
    }

    /// From the first start of an animation of a take to the last end, if there is any.
    pub(crate) fn animated_span(&self, take: usize) -> Option<(f64, f64)> {
        let played = self.sources.iter().zip(&self.takes[take].animations);
        let played = played.filter_map(|(source, &animation)| {
            let animation = &source.scene.animations()[animation?];
            Some((animation.start, animation.end))
        });
        played.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// The times of the keyframes that a take plays, where nothing but keyframes moves and all
    /// have the same times.
    pub(crate) fn keyframe_times(&self, take: usize) -> Option<&[f64]> {
        let mut times: Option<&[f64]> = None;
        for (source, &animation) in self.sources.iter().zip(&self.takes[take].animations) {
            let Some(number) = animation else { continue };
            let is_moved = !source.scene.animations()[number].channels.is_empty();
            for object in source.scene.objects() {
                let Deformation::Keyframes(keyframes) = &object.deformation else { continue };
                if **times.get_or_insert(&keyframes.times) != keyframes.times[..] {
                    return None;
                }
            }
            if is_moved {
                return None;
            }
        }
        times
    }

    /// The times strictly between two at which a vertex of a take may turn from its line: keyframes
    /// of vertices, and with `keys` those of nodes and weights. Ascending, each once.
    pub(crate) fn knots(&self, take: usize, span: [f64; 2], keys: bool) -> Vec<f64> {
        let played = self.sources.iter().zip(&self.takes[take].animations);
        let mut knots: Vec<f64> = played
            .flat_map(|(source, &animation)| source.scene.knots(animation, span, keys))
            .collect();
        knots.sort_unstable_by(f64::total_cmp);
        knots.dedup();
        knots
    }

    /// For each object how far its vertices stray from straight lines between two times of a take
    /// that have no knots between them.
    pub(crate) fn strays(&self, take: usize, span: [f64; 2]) -> Result<Vec<f64>> {
        self.of_objects(take, |scene, reaches, animation| scene.strays(reaches, animation, span))
    }

    /// For each object how its vertices leave these lines, where that is known.
    pub(crate) fn sags(&self, take: usize, span: [f64; 2]) -> Result<Vec<Option<Sags>>> {
        self.of_objects(take, |scene, reaches, animation| scene.sags(reaches, animation, span))
    }

    /// As [`Self::sags`] between the first and the last of three times, with keys at the second.
    pub(crate) fn sags_past_key(
        &self,
        take: usize,
        times: [f64; 3],
    ) -> Result<Option<Vec<Option<Sags>>>> {
        let all = self.of_objects(take, |scene, reaches, animation| {
            let own = scene.sags_past_key(reaches, animation, times)?;
            let nothing = || vec![None; scene.objects().len()];
            Ok(own.map_or_else(nothing, |own| own.into_iter().map(Some).collect()))
        });
        Ok(all?.into_iter().collect())
    }

    /// What scenes say of their objects, one after the other.
    fn of_objects<T>(
        &self,
        take: usize,
        of: impl Fn(&Scene, &RestReaches, Option<usize>) -> Result<Vec<T>, SceneError>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::with_capacity(self.objects.len());
        let reaches = self.reaches.get_or_init(|| {
            self.sources.iter().map(|source| source.scene.rest_reaches()).collect()
        });
        let played = self.sources.iter().zip(reaches).zip(&self.takes[take].animations);
        for ((source, reaches), &animation) in played {
            let own = of(&source.scene, reaches, animation);
            all.extend(own.with_context(|| source.name())?);
        }
        Ok(all)
    }

    /// Tells on standard error what loaders mended and what was decided for the user.
    pub(crate) fn print_warnings(&self) {
        for source in &self.sources {
            for warning in source.scene.warnings() {
                tell(&format!("warning: {}: {warning}", source.name()));
            }
        }
        for note in &self.notes {
            tell(&format!("note: {note}"));
        }
    }
}

/// Refuses more triangles than the memory is likely to hold.
fn check_size(triangles: impl Iterator<Item = usize>) -> Result<()> {
    let all = triangles.fold(0, usize::saturating_add);
    ensure!(
        all <= MAX_TRIANGLES,
        "there are {all} triangles in these files: the limit is {MAX_TRIANGLES}"
    );
    Ok(())
}

/// Reads one file, with its cache if it has one.
pub(crate) fn read(file: &FileArgument, cache_fps: f64) -> Result<Scene> {
    Ok(match &file.cache {
        Some(cache) => load_with_cache(&file.model, cache, cache_fps)?,
        None if is_sequence(&file.model) => load_sequence(&file.model, cache_fps)?,
        None => load(&file.model)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mesh_named_too_often_is_refused() {
        check_size([1 << 24, 1 << 24].into_iter()).unwrap();
        let error = check_size(std::iter::repeat_n(1000, 50_000)).unwrap_err().to_string();
        assert_eq!(error, "there are 50000000 triangles in these files: the limit is 33554432");
        assert!(check_size([usize::MAX, usize::MAX].into_iter()).is_err());
    }
}
