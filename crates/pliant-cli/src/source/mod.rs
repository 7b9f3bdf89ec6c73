//! The files of the command line as one scene.

mod argument;
mod placement;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Error, Result, bail, ensure};
use pliant_io::{
    AnimatedScene, Object, PC2_FRAMES_PER_SECOND, Pose, Scene, SceneBodiesError, is_sequence, load,
    load_sequence, load_with_cache, printable,
};

use crate::number::positive;
use crate::terminal::{plain, tell};
pub(crate) use argument::FileArgument;
use placement::{Placement, place};

/// What `--help` says at its end.
pub(crate) const CACHES: &str = "\
Files: .gltf .glb .vrm (skins, morph targets, animations), .obj .ply .stl (rigid), .md2 (keyframes,
10 per second), each also with .gz. An .obj has an object per object, group and material in it.
A point cache (.pc2, .mdd) is joined to the mesh that it moves by a plus: `cloth.obj+cloth.pc2`.
Numbered .obj or .ply files are frames: `cloth_####.obj` or `cloth_%04d.ply` reads them all.

Examples:
  pliant check walk.glb --self                      does a walking body cut itself?
  pliant check fox.glb --animation Run --fps 60     finer, in another animation
  pliant check a.glb b.glb --place b.glb@1,0,0,90   b one metre aside, turned by 90 degrees
  pliant check cloth.obj+cloth.pc2 ball.stl --json pairs.json
  pliant check robot.glb --fail-on-contact --quiet  for a build: exit code 1 if it touches

RAYON_NUM_THREADS sets the number of threads; the result does not depend on it.
Exit code: 0 fine, 1 contacts where --fail-on-contact asks for it, 2 bad input or usage.";

/// Triangles of one scene, at the most. A body takes about a hundred bytes a triangle on each
/// thread, and a small file can name one mesh a million times.
const MAX_TRIANGLES: usize = 1 << 25;

/// What the command line says of files.
#[derive(Debug, clap::Args)]
pub(crate) struct InputArguments {
    /// The files, which form one scene: objects are numbered through them in this order.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<FileArgument>,
    /// Move a file's objects by x, y, z and, before that, turn them by degrees about the y axis.
    /// For a file that is given several times, the first --place moves the first one, and so on.
    #[arg(long, value_name = "FILE@X,Y,Z[,DEGREES]")]
    place: Vec<Placement>,
    /// The animation, by name or number; else each file plays its first.
    #[arg(long, value_name = "NAME|NUMBER")]
    animation: Option<String>,
    /// Frames per second of PC2 caches and numbered files.
    #[arg(long, value_name = "N", default_value_t = PC2_FRAMES_PER_SECOND, value_parser = positive)]
    cache_fps: f64,
}

/// A file and the animation that it plays.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) file: PathBuf,
    pub(crate) scene: Arc<Scene>,
    pub(crate) animation: Option<usize>,
}

impl Source {
    /// A file that plays its first animation.
    fn new(file: PathBuf, scene: Scene) -> Self {
        let AnimatedScene { scene, animation } = scene.into();
        Self { file, scene, animation }
    }

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

/// All files: at least one object.
#[derive(Debug)]
pub(crate) struct Input {
    sources: Vec<Source>,
    objects: Vec<ObjectPlace>,
    /// What was decided for the user.
    notes: Vec<String>,
}

impl Input {
    /// Loads, places and animates the files.
    pub(crate) fn load(arguments: &InputArguments) -> Result<Self> {
        let offsets = placement::assign(&arguments.files, &arguments.place)?;
        let mut sources = Vec::with_capacity(arguments.files.len());
        for (file, offset) in arguments.files.iter().zip(offsets) {
            let scene = read(file, arguments.cache_fps)?;
            let scene = match offset {
                Some(offset) => place(scene, offset).with_context(|| file.to_string())?,
                None => scene,
            };
            let scene = scene.with_keyframes_in_world().with_context(|| file.to_string())?;
            sources.push(Source::new(file.model.clone(), scene));
        }
        let mut notes = Vec::new();
        if let Some(wanted) = &arguments.animation {
            choose_animation(&mut sources, wanted, &mut notes)?;
        }
        Self::of(sources, notes)
    }

    /// One scene that is in memory already.
    pub(crate) fn of_scene(name: &str, scene: Scene) -> Result<Self> {
        Self::of(vec![Source::new(name.into(), scene)], Vec::new())
    }

    fn of(sources: Vec<Source>, notes: Vec<String>) -> Result<Self> {
        let mut objects = Vec::new();
        for (source, Source { scene, .. }) in sources.iter().enumerate() {
            objects.extend((0..scene.objects().len()).map(|object| ObjectPlace { source, object }));
        }
        ensure!(!objects.is_empty(), "there is nothing with a surface in these files");
        let input = Self { sources, objects, notes };
        let triangles = |&place: &ObjectPlace| input.object(place).mesh.triangles().len();
        check_size(input.objects.iter().map(triangles))?;
        Ok(input)
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

    /// An object's number and name, for people.
    pub(crate) fn label(&self, object: u32) -> String {
        let name = &self.object(self.objects[object as usize]).name;
        format!("{object} {}", plain(name))
    }

    /// The scenes of all files, to make bodies of.
    pub(crate) fn scenes(&self) -> Vec<AnimatedScene> {
        let scene = |source: &Source| AnimatedScene {
            scene: Arc::clone(&source.scene),
            animation: source.animation,
        };
        self.sources.iter().map(scene).collect()
    }

    /// An error of the bodies of [`Self::scenes`], with the file that it is about.
    pub(crate) fn in_file(&self, error: SceneBodiesError) -> Error {
        let file = self.sources.get(error.scene).map(Source::name);
        Error::new(error.error).context(file.unwrap_or_default())
    }

    /// The state of each file at a time.
    pub(crate) fn poses(&self, time: f64) -> Result<Vec<Pose>> {
        let pose = |source: &Source| {
            let pose = source.scene.pose(source.animation, time);
            pose.with_context(|| source.name())
        };
        self.sources.iter().map(pose).collect()
    }

    /// From the first start of an animation to the last end, if there is any.
    pub(crate) fn animated_span(&self) -> Option<(f64, f64)> {
        let played = self.sources.iter().filter_map(|source| {
            let animation = &source.scene.animations()[source.animation?];
            Some((animation.start, animation.end))
        });
        played.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
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

/// Lets each file that has the animation play it; at least one must.
fn choose_animation(sources: &mut [Source], wanted: &str, notes: &mut Vec<String>) -> Result<()> {
    let mut found = false;
    for source in &mut *sources {
        match (source.scene.find_animation(wanted), source.animation) {
            (Some(animation), _) => {
                source.animation = Some(animation);
                found = true;
            }
            (None, Some(first)) => notes.push(format!(
                "{}: has no animation {wanted:?}; it plays its first, \"{}\"",
                source.name(),
                plain(&source.scene.animations()[first].name)
            )),
            (None, None) => {}
        }
    }
    if found {
        return Ok(());
    }
    let mut known = String::new();
    for source in &*sources {
        let names = source.scene.animations().iter().enumerate();
        let names: Vec<String> =
            names.map(|(number, one)| format!("{number} \"{}\"", plain(&one.name))).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        known += &format!("\n  {}: {names}", source.name());
    }
    bail!("there is no animation {wanted:?}; known are:{known}")
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
