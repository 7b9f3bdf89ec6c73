//! A mesh file as a scene: its vertices, the parts that become objects, and what moves them.

use std::path::Path;
use std::sync::Arc;

use pliant::Mesh;
use pliant::glam::DVec3;

use crate::polygons::mesh;
use crate::scene::{Animation, Deformation, Keyframes, MaterialRun, Node, NodeTransform, Object};
use crate::scene::{Scene, SceneParts, Warning};
use crate::{Error, Result};

/// The contents of a mesh file.
pub(crate) struct Model {
    /// The vertices, in the file's order.
    pub(crate) positions: Vec<DVec3>,
    /// The parts, of which each becomes an object.
    pub(crate) parts: Vec<Part>,
    /// What was left out.
    pub(crate) warnings: Vec<Warning>,
}

/// The triangles of one object.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) materials: Vec<MaterialRun>,
    /// The triangles, by the part's own vertex numbers.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The part's vertices by their numbers in the file; `None` for all of them.
    pub(crate) vertices: Option<Vec<u32>>,
}

impl Model {
    /// A mesh that is one object.
    pub(crate) fn of_mesh(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>, name: &str) -> Self {
        let part = Part { name: name.into(), materials: Vec::new(), triangles, vertices: None };
        Self { positions, parts: vec![part], warnings: Vec::new() }
    }

    /// The scene of a model that stands still, or that keyframes of all its vertices move.
    ///
    /// # Errors
    /// [`Error::Geometry`] if a part is no mesh.
    pub(crate) fn into_scene(self, motion: Option<Keyframes>, file: &Path) -> Result<Scene> {
        let Self { positions, parts, warnings } = self;
        let mut whole = Some((positions, motion));
        let mut objects = Vec::with_capacity(parts.len());
        for Part { name, materials, triangles, vertices } in parts {
            let own = match (&vertices, &whole) {
                (Some(vertices), Some((positions, motion))) => {
                    let motion = motion.as_ref().map(|motion| moved(motion, vertices));
                    Some((chosen(positions, vertices), motion))
                }
                // All vertices go to the one part that there is.
                _ => whole.take(),
            };
            let Some((positions, motion)) = own else { continue };
            let mesh = mesh(positions, triangles, file)?;
            objects.push(ModelObject { name, materials, mesh, motion });
        }
        scene(objects, warnings, file)
    }
}

/// An object of a mesh file.
pub(crate) struct ModelObject {
    pub(crate) name: String,
    pub(crate) materials: Vec<MaterialRun>,
    pub(crate) mesh: Mesh,
    /// What moves it; all objects of a file have the same times.
    pub(crate) motion: Option<Keyframes>,
}

/// The scene of these objects, each on a node of its own. If they move, its only animation lasts as
/// long as the keyframes.
pub(crate) fn scene(
    objects: Vec<ModelObject>,
    warnings: Vec<Warning>,
    file: &Path,
) -> Result<Scene> {
    let mut scene = SceneParts { warnings, ..SceneParts::default() };
    if let Some(Keyframes { times, .. }) = objects.first().and_then(|it| it.motion.as_ref()) {
        let start = times.first().copied().unwrap_or(0.0);
        let end = times.last().copied().unwrap_or(0.0);
        let (samplers, channels) = (Vec::new(), Vec::new());
        let name = "keyframes".into();
        scene.animations.push(Animation { name, start, end, samplers, channels });
    }
    for ModelObject { name, materials, mesh, motion } in objects {
        let deformation = match motion {
            Some(keyframes) => Deformation::Keyframes(Arc::new(keyframes)),
            None => Deformation::Rigid,
        };
        let mut object = Object::new(name.clone(), scene.nodes.len(), mesh, deformation);
        object.materials = materials.into();
        scene.objects.push(object);
        let (name, transform) = (Some(name), NodeTransform::IDENTITY);
        scene.nodes.push(Node { name, parent: None, transform });
    }
    Scene::new(scene).map_err(|wrong| Error::malformed(file, wrong.element, wrong.reason))
}

fn chosen(positions: &[DVec3], vertices: &[u32]) -> Vec<DVec3> {
    vertices.iter().map(|&vertex| positions[vertex as usize]).collect()
}

fn moved(motion: &Keyframes, vertices: &[u32]) -> Keyframes {
    let frames = motion.frames.iter().map(|frame| chosen(frame, vertices)).collect();
    Keyframes { times: motion.times.clone(), frames }
}
