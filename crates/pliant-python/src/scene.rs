//! The class `Scene`: what a file holds, and its frames.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pliant_io::{AnimatedScene, BodySettings, SceneBodies, SelfContact, frame_times};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::body::{Body, lock};
use crate::error::refused;
use crate::interrupt::{Length, detached, run};
use crate::scene_frames::Frames;

/// What a model file holds: objects, skins and animations.
///
/// Load one with `pliant.load`. `check` finds the contacts of every frame.
#[pyclass(frozen, module = "pliant")]
pub(crate) struct Scene {
    pub(crate) scene: Arc<pliant_io::Scene>,
    /// Where it was loaded from.
    path: PathBuf,
    /// The point cache that moves it, and its frames per second.
    cache: Option<(PathBuf, f64)>,
    /// The bodies that were made last: meshes and trees serve all animations.
    made: Mutex<Option<(SelfContact, SceneBodies)>>,
}

/// Loads a model: glTF, GLB, VRM, OBJ, PLY, STL, MD2, numbered files; with `cache` the point cache
/// (PC2, MDD) that moves it.
#[pyfunction]
#[pyo3(signature = (path, *, cache=None, cache_fps=pliant_io::PC2_FRAMES_PER_SECOND))]
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    cache: Option<PathBuf>,
    cache_fps: f64,
) -> PyResult<Scene> {
    let cache = cache.map(|cache| (cache, cache_fps));
    let (model, moved_by) = (path.clone(), cache.clone());
    let scene = run(py, Length::Long, move || match moved_by {
        None => pliant_io::load(model),
        Some((cache, fps)) => pliant_io::load_with_cache(model, cache, fps),
    })?;
    Ok(Scene { scene: Arc::new(scene.map_err(refused)?), path, cache, made: Mutex::new(None) })
}

impl Scene {
    /// An animation by name or number; the first by default.
    pub(crate) fn animation(&self, name: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
        let known = self.scene.animations();
        let Some(name) = name else { return Ok((!known.is_empty()).then_some(0)) };
        let name = name.str()?.to_string();
        let found = self.scene.find_animation(&name).filter(|&number| number < known.len());
        let names: Vec<&str> = known.iter().map(|animation| animation.name.as_str()).collect();
        found
            .map(Some)
            .ok_or_else(|| refused(format!("no animation {name:?}; there are {names:?}")))
    }

    /// The scene's bodies.
    pub(crate) fn make_bodies(
        &self,
        animation: Option<usize>,
        self_contact: SelfContact,
    ) -> Result<SceneBodies, pliant_io::SceneBodiesError> {
        let known = lock(&self.made).clone();
        if let Some((_, mut bodies)) = known.filter(|(asked, _)| *asked == self_contact)
            && bodies.set_animation(0, animation).is_ok()
        {
            return Ok(bodies);
        }
        let scene = AnimatedScene { scene: self.scene.clone(), animation };
        let settings = BodySettings { self_contact, ..BodySettings::default() };
        let bodies = SceneBodies::of_scenes(vec![scene], settings)?;
        *lock(&self.made) = Some((self_contact, bodies.clone()));
        Ok(bodies)
    }
}

#[pymethods]
impl Scene {
    /// The names of the objects.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.scene.objects().iter().map(|object| object.name.clone()).collect()
    }

    /// The names of the animations and their lengths in seconds.
    #[getter]
    fn animations(&self) -> Vec<(String, f64)> {
        let animations = self.scene.animations().iter();
        animations.map(|animation| (animation.name.clone(), animation.seconds())).collect()
    }

    /// The times of the frames of an animation, `fps` per second, both ends included.
    #[pyo3(signature = (animation=None, *, fps=30.0))]
    fn frame_times(&self, animation: Option<&Bound<'_, PyAny>>, fps: f64) -> PyResult<Vec<f64>> {
        let played = self.animation(animation)?.map(|number| &self.scene.animations()[number]);
        let (start, end) = played.map_or((0.0, 0.0), |played| (played.start, played.end));
        let times = frame_times(start, end, fps);
        times.ok_or_else(|| refused(format!("no frames from {start} to {end} at {fps} per second")))
    }

    /// What was repaired or left out when the file was read.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.scene.warnings().iter().map(ToString::to_string).collect()
    }

    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The point cache that moves it, if there is one.
    #[getter]
    fn cache(&self) -> Option<PathBuf> {
        self.cache.as_ref().map(|(cache, _)| cache.clone())
    }

    /// A body of one object, by name or number, posed at a time of an animation.
    #[pyo3(signature = (object=None, *, animation=None, time=None))]
    fn body(
        &self,
        py: Python<'_>,
        object: Option<&Bound<'_, PyAny>>,
        animation: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
    ) -> PyResult<Body> {
        let names = self.objects();
        let number = match object {
            None if names.len() == 1 => Some(0),
            None => None,
            Some(object) => match object.extract::<usize>() {
                Ok(number) => Some(number).filter(|&number| number < names.len()),
                Err(_) => {
                    let name = object.str()?.to_string();
                    names.iter().position(|known| *known == name)
                }
            },
        };
        let number =
            number.ok_or_else(|| refused(format!("no such object; there are {names:?}")))?;
        let animation = match time {
            None => None,
            Some(_) => self.animation(animation)?,
        };
        let body = detached(py, || {
            let mut bodies = self.make_bodies(animation, SelfContact::Ignored)?;
            bodies.set_time(time.unwrap_or(0.0))?;
            Ok(bodies.ids().get(number).and_then(|&id| bodies.world().get(id).ok().cloned()))
        });
        let body = body.map_err(|error: pliant_io::SceneBodiesError| refused(error))?;
        body.map(Body::own).ok_or_else(|| refused(format!("no object {number}")))
    }

    /// The contacts of every frame: an iterator over `Frame`s.
    ///
    /// `animation` is a name or a number, the first by default. Frames are at `times`, or `fps` per
    /// second from `start` to `end`, both included: those of the animation by default, as `pliant
    /// check --fps` has them. With `regions=False` only pairs are found.
    #[pyo3(signature = (animation=None, *, fps=30.0, start=None, end=None, times=None, self_contacts=false, regions=true))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn check(
        &self,
        py: Python<'_>,
        animation: Option<&Bound<'_, PyAny>>,
        fps: f64,
        start: Option<f64>,
        end: Option<f64>,
        times: Option<Vec<f64>>,
        self_contacts: bool,
        regions: bool,
    ) -> PyResult<Frames> {
        let animation = self.animation(animation)?;
        let played = animation.map(|number| &self.scene.animations()[number]);
        let (first, last) = played.map_or((0.0, 0.0), |played| (played.start, played.end));
        let (start, end) = (start.unwrap_or(first), end.unwrap_or(last));
        let times = match times {
            Some(times) => times,
            None => frame_times(start, end, fps).ok_or_else(|| {
                refused(format!("no frames from {start} to {end} at {fps} per second"))
            })?,
        };
        Frames::new(py, self, animation, times, self_contacts, regions)
    }

    /// The contacts as a page, which a notebook shows inline: bodies, bounds and contacts, moving.
    /// `arguments` are those of `pliant check`, such as ["--self", "--fps", "10"].
    #[pyo3(signature = (*, arguments=Vec::new(), height=600))]
    fn show<'py>(
        slf: &Bound<'py, Self>,
        arguments: Vec<String>,
        height: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(slf.py());
        options.set_item("arguments", arguments)?;
        options.set_item("height", height)?;
        slf.py().import("pliant._show")?.getattr("show")?.call((slf,), Some(&options))
    }

    fn __repr__(&self) -> String {
        let (objects, animations) = (self.scene.objects().len(), self.scene.animations().len());
        let path = self.path.display();
        format!("<pliant.Scene {path}: {objects} objects, {animations} animations>")
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let restore = py.import("pliant._restore")?.getattr("restore_scene")?;
        let parts = PyDict::new(py);
        parts.set_item("path", &self.path)?;
        if let Some((cache, fps)) = &self.cache {
            parts.set_item("cache", cache)?;
            parts.set_item("cache_fps", fps)?;
        }
        Ok((restore, (parts,)))
    }
}
