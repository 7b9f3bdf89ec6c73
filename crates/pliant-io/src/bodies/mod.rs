//! From a scene to bodies in a world, posed at any time.

mod method;
mod set_state;

use std::collections::HashMap;
use std::sync::Arc;

use pliant::deform::Blending;
use pliant::glam::{DAffine3, DVec3};
use pliant::query::Adjacency;
use pliant::{AnyBody, AnySelfContact, BodyId, PreparedSelfSweep, World};

use crate::scene::{Deformation, Object, Pose, Scene, SceneError};
use method::Kind;
pub use method::Method;

/// A scene and the animation that it plays.
#[derive(Debug, Clone)]
pub struct AnimatedScene {
    /// The scene.
    pub scene: Arc<Scene>,
    /// The animation, a number into [`Scene::animations`]; `None` for the pose at rest.
    pub animation: Option<usize>,
}

impl From<Scene> for AnimatedScene {
    /// The scene with its first animation, if it has one.
    fn from(scene: Scene) -> Self {
        let animation = (!scene.animations().is_empty()).then_some(0);
        Self { scene: Arc::new(scene), animation }
    }
}

/// Whether contacts of bodies with themselves count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SelfContact {
    /// They do not.
    #[default]
    Ignored,
    /// They do.
    Counted,
    /// They do, and bodies are prepared for being asked often: that takes as long as it saves on
    /// 80 to 120 states.
    Prepared,
    /// They do, and bodies are prepared for sweeps by this adjacency: that takes as long as it saves
    /// on about a hundred steps.
    PreparedForSteps(Adjacency),
}

/// How bodies are made from scenes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BodySettings {
    /// How bounds are made.
    pub method: Method,
    /// Whether contacts of bodies with themselves count.
    pub self_contact: SelfContact,
    /// How joints are blended. glTF means linear blending; programs that play a file with another
    /// one put vertices elsewhere, and other triangles touch.
    pub blending: Blending,
}

/// Why an object did not become a body, or did not take its state at a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct SceneBodiesError {
    /// The scene, by its place among those given.
    pub scene: usize,
    /// The element in it and the reason.
    pub error: SceneError,
}

/// What [`SceneBodies::set_time_noting`] has just done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SettingStep {
    /// Frames of nodes, joints and weights were computed.
    Pose,
    /// The vertices of a free body were computed.
    Vertices,
    /// States of bodies were set, and bounds refitted where the kind of body asks for it.
    Bounds,
}

/// The objects of one or several scenes as bodies in a [`World`].
///
/// Objects are numbered through the scenes in their order. Objects of the same shape
/// ([`Scene::shape_key`]) share mesh, tree and tables. A clone shares them too, and can be moved to
/// another time on another thread.
///
/// Guarantee: every vertex of every body is, bit for bit, where [`Posed`](crate::Posed) says. With
/// a blending other than linear, those of skins are where [`SkinnedBody`](pliant::SkinnedBody) says,
/// for every method.
///
/// ```
/// use pliant::{Mesh, glam::DVec3};
/// use pliant_io::*;
///
/// // A triangle that flies through another one from z = -1 to z = 1 within a second.
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let node = Node { name: None, parent: None, transform: NodeTransform::IDENTITY };
/// let path = Sampler {
///     interpolation: Interpolation::Linear,
///     times: vec![0.0, 1.0],
///     values: vec![0.0, 0.0, -1.0, 0.0, 0.0, 1.0],
/// };
/// let channel = Channel { sampler: 0, node: 1, property: Property::Translation };
/// let scene = Scene::new(SceneParts {
///     nodes: vec![node.clone(), node],
///     objects: vec![
///         Object::new("still", 0, mesh.clone(), Deformation::Rigid),
///         Object::new("flying", 1, mesh, Deformation::Rigid),
///     ],
///     animations: vec![Animation::new("fly", vec![path], vec![channel])],
///     ..SceneParts::default()
/// })?;
///
/// let mut bodies = SceneBodies::new(scene)?;
/// for (time, touching) in [(0.0, 0), (0.5, 1), (1.0, 0)] {
///     bodies.set_time(time)?;
///     assert_eq!(bodies.world().contacts().contacts.len(), touching);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SceneBodies {
    world: World,
    sources: Arc<[AnimatedScene]>,
    objects: Vec<Placed>,
    /// Ascending; the body of each object.
    ids: Vec<BodyId>,
    /// For each scene the pose at the last time.
    poses: Vec<Pose>,
    /// The vertices of one body on their way.
    vertices: Vec<DVec3>,
}

/// What objects of one shape share.
#[derive(Debug, Clone)]
struct Shape {
    body: AnyBody,
    prepared: Option<Arc<AnySelfContact>>,
    prepared_sweep: Option<Arc<PreparedSelfSweep>>,
}

/// What speeds up contacts of a body with itself, as far as it is wanted. Of a body that one map
/// moves it costs nothing before the first query.
fn prepare(body: &AnyBody, self_contact: SelfContact) -> Option<Arc<AnySelfContact>> {
    let wanted = match self_contact {
        SelfContact::Ignored => false,
        SelfContact::Counted | SelfContact::PreparedForSteps(_) => {
            matches!(body, AnyBody::Affine(_))
        }
        SelfContact::Prepared => true,
    };
    if wanted { AnySelfContact::new(body).map(Arc::new) } else { None }
}

/// The same for sweeps of a body with itself.
fn prepare_sweep(body: &AnyBody, self_contact: SelfContact) -> Option<Arc<PreparedSelfSweep>> {
    let SelfContact::PreparedForSteps(adjacency) = self_contact else { return None };
    Some(Arc::new(PreparedSelfSweep::of_any(body, adjacency)))
}

/// An object that is a body.
#[derive(Debug, Clone, Copy)]
struct Placed {
    source: usize,
    /// Its number in its scene.
    object: usize,
    /// Where a rigid object is now: it stays as long as its node does.
    frame: Option<DAffine3>,
}

impl SceneBodies {
    /// The objects of a scene at rest, which plays its first animation, with the settings that suit
    /// each object best.
    ///
    /// # Errors
    /// A [`SceneBodiesError`] that names the object: numbers too large, too many vertices.
    pub fn new(scene: Scene) -> Result<Self, SceneBodiesError> {
        Self::of_scenes(vec![scene.into()], BodySettings::default())
    }

    /// The objects of several scenes at rest, in one world.
    ///
    /// # Errors
    /// Those of [`SceneBodies::new`].
    pub fn of_scenes(
        scenes: Vec<AnimatedScene>,
        settings: BodySettings,
    ) -> Result<Self, SceneBodiesError> {
        let self_contact = settings.self_contact;
        let mut world = World::new();
        let mut known: HashMap<_, Shape> = HashMap::new();
        let (mut objects, mut ids) = (Vec::new(), Vec::new());
        for (number, source) in scenes.iter().enumerate() {
            let scene = &source.scene;
            for (index, object) in scene.objects().iter().enumerate() {
                let fail = |error| SceneBodiesError::of_object(number, &object.name, &error);
                let kind = Kind::choose(settings, source, object);
                // Objects of one shape differ in kind where the node of one moves its keyframes.
                let key = (scene.shape_key(index), kind);
                let Shape { body, prepared, prepared_sweep } = match known.get(&key) {
                    Some(shape) => shape.clone(),
                    None => {
                        let body = kind.body(scene, object, settings.blending).map_err(fail)?;
                        let prepared = prepare(&body, self_contact);
                        let prepared_sweep = prepare_sweep(&body, self_contact);
                        let shape = Shape { body, prepared, prepared_sweep };
                        known.insert(key, shape.clone());
                        shape
                    }
                };
                let id = world.insert(body).map_err(fail)?;
                let counted = self_contact != SelfContact::Ignored;
                world.set_prepared(id, prepared).map_err(fail)?;
                world.set_prepared_sweep(id, prepared_sweep).map_err(fail)?;
                world.set_self_contact(id, counted).map_err(fail)?;
                ids.push(id);
                objects.push(Placed { source: number, object: index, frame: None });
            }
        }
        let poses = vec![Pose::default(); scenes.len()];
        let sources = scenes.into();
        Ok(Self { world, sources, objects, ids, poses, vertices: Vec::new() })
    }

    /// The bodies.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The bodies, to set groups and filters, or to add bodies of other origin. A body of an object
    /// may be removed; it is left out from then on.
    #[must_use]
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The scenes, as they were given.
    #[must_use]
    pub fn scenes(&self) -> &[AnimatedScene] {
        &self.sources
    }

    /// Lets a scene play another animation from the next time on; `None` is the pose at rest.
    /// Bodies keep their trees and tables.
    ///
    /// # Errors
    /// A [`SceneBodiesError`] if there is no such scene or animation, or if the scene holds
    /// keyframes that would begin or cease to be played: other bodies suit it then.
    pub fn set_animation(
        &mut self,
        scene: usize,
        animation: Option<usize>,
    ) -> Result<(), SceneBodiesError> {
        let fail = |reason: String| {
            let element = match animation {
                Some(number) => format!("animation {number}"),
                None => "no animation".into(),
            };
            Err(SceneBodiesError { scene, error: SceneError::new(element, reason) })
        };
        let Some(source) = self.sources.get(scene) else {
            return fail(format!("there are {} scenes", self.sources.len()));
        };
        if source.animation == animation {
            return Ok(());
        }
        let known = source.scene.animations().len();
        if animation.is_some_and(|number| number >= known) {
            return fail(format!("the scene has {known}"));
        }
        let keyframes = |object: &Object| matches!(object.deformation, Deformation::Keyframes(_));
        if source.animation.is_some() != animation.is_some()
            && source.scene.objects().iter().any(keyframes)
        {
            return fail("keyframes must be played by all animations, or by none".into());
        }
        let mut sources = self.sources.to_vec();
        sources[scene].animation = animation;
        self.sources = sources.into();
        Ok(())
    }

    /// The body of each object, in ascending order.
    #[must_use]
    pub fn ids(&self) -> &[BodyId] {
        &self.ids
    }

    /// The object that a body was made of; `None` for a body of other origin.
    #[must_use]
    pub fn object(&self, id: BodyId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// The name of the object that a body was made of; `None` for a body of other origin.
    #[must_use]
    pub fn name(&self, id: BodyId) -> Option<&str> {
        let Placed { source, object, .. } = &self.objects[self.object(id)?];
        Some(&self.sources[*source].scene.objects()[*object].name)
    }

    /// The state of each scene at the last time: empty before the first.
    #[must_use]
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Moves every body to a time.
    ///
    /// Costs O(nodes + joints + weights + channels), and O(vertices) for free bodies. Rigid objects
    /// whose nodes stay are not touched. Any time may follow any other.
    ///
    /// # Errors
    /// Those of [`Scene::pose`], or a state that takes a vertex out of the range of numbers. Some
    /// bodies may have been moved then, each as a whole.
    pub fn set_time(&mut self, time: f64) -> Result<(), SceneBodiesError> {
        self.set_time_noting(time, |_| {})
    }

    /// Lets every later state depend on nothing that was asked before.
    ///
    /// Skins decide from the states before which way to bound the next one. No contact depends on
    /// it, but the counts of work do.
    pub fn forget_history(&mut self) {
        for &id in &self.ids {
            if let Ok(AnyBody::Skinned(body)) = self.world.get_mut(id) {
                body.reset_refit_history();
            }
        }
    }
}

impl SceneBodiesError {
    fn of_object(scene: usize, name: &str, error: &pliant::Error) -> Self {
        let error = SceneError::new(format!("object {name:?}"), error.to_string());
        Self { scene, error }
    }
}
