//! The recorded motion as GLB, for any program that reads glTF 2.0.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use glam::{DVec3, DVec4};
use pliant::deform::SkinWeights;
use pliant_io::{
    Animation, Channel, Deformation, Interpolation, MorphTargets, Node, NodeTransform, Object,
    Property, Sampler, SceneParts, glb_bytes,
};

use super::glb_obstacles::obstacle_parts;
use super::motion::Reader;
use super::scene::{FRAME, JOINT, Look, LookMotion, Scene};
use crate::write::write_to;

/// Bytes of JSON per body and channel: accessor, view, sampler, channel and node. Rounded up.
const JSON_PER_CHANNEL: usize = 420;
const JSON_PER_BODY: usize = 160;

/// Writes obstacles, and the motion of as many bodies as fit so many bytes; returns what was left out.
pub(super) fn write(file: &Path, scene: &Scene, motion: &Path, most: usize) -> Result<Vec<String>> {
    let mut reader = Reader::open(motion)?;
    let numbers = reader.numbers;
    let looks: Vec<LookParts> = scene.looks.iter().map(LookParts::new).collect();
    let times = times_of_frames(motion, scene.step_length())?;
    let (obstacles, not_shown) = obstacle_parts(scene.obstacles(), &times)?;
    let room = most.saturating_sub(obstacles.iter().map(|obstacle| obstacle.bytes()).sum());
    let shown = bodies_that_fit(scene, &looks, times.len(), room);
    ensure!(shown > 0, "{}: not one body fits {most} bytes: see --max-size", file.display());
    let mut tracks: Vec<Track> = vec![Track::default(); shown];
    while let Some(frame) = reader.next()? {
        for ((track, of), look) in
            tracks.iter_mut().zip(frame.bodies.chunks(numbers.max(1))).zip(&scene.look_of)
        {
            track.add(of, &looks[*look as usize]);
        }
    }
    let mut parts = SceneParts::default();
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (number, (track, &look)) in tracks.into_iter().zip(&scene.look_of).enumerate() {
        let look = &looks[look as usize];
        let name = format!("{} {number}", look.name);
        let transform = NodeTransform::IDENTITY;
        parts.nodes.push(Node { name: Some(name.clone()), parent: None, transform });
        parts.objects.push(Object::new(
            name,
            number,
            Arc::clone(&look.mesh),
            look.deformation.clone(),
        ));
        let mut channel = |property, values: Vec<f64>| {
            if !values.is_empty() {
                channels.push(Channel { sampler: samplers.len(), node: number, property });
                let interpolation = Interpolation::Linear;
                samplers.push(Sampler { interpolation, times: times.clone(), values });
            }
        };
        channel(Property::Translation, track.translations);
        channel(Property::Rotation, track.rotations);
        channel(Property::Weights, track.weights);
    }
    for obstacle in obstacles {
        let (number, transform) = (parts.nodes.len(), NodeTransform::IDENTITY);
        let name = Some(obstacle.name.clone());
        parts.nodes.push(Node { name, parent: None, transform });
        parts.objects.push(Object::new(obstacle.name, number, obstacle.mesh, obstacle.deformation));
        if !obstacle.weights.is_empty() {
            let (sampler, property) = (samplers.len(), Property::Weights);
            channels.push(Channel { sampler, node: number, property });
            let (interpolation, values) = (Interpolation::Linear, obstacle.weights);
            samplers.push(Sampler { interpolation, times: times.clone(), values });
        }
    }
    parts.animations.push(Animation::new("simulation", samplers, channels));
    let bytes = glb_bytes(&pliant_io::Scene::new(parts)?)?;
    write_to(file, |out| out.write_all(&bytes))?;
    let left = scene.bodies() - shown;
    let fits_not = (left > 0)
        .then(|| format!("{left} of {} bodies, which do not fit --max-size", scene.bodies()));
    let all = fits_not.into_iter().chain(not_shown);
    Ok(all.map(|what| format!("{}: {what}", file.display())).collect())
}

/// The times of all frames in seconds.
fn times_of_frames(motion: &Path, step: f64) -> Result<Vec<f64>> {
    let mut reader = Reader::open(motion)?;
    let mut times = Vec::new();
    while let Some(frame) = reader.next()? {
        times.push(frame.counters.step as f64 * step);
    }
    Ok(times)
}

/// How many of the first bodies fit.
fn bodies_that_fit(scene: &Scene, looks: &[LookParts], frames: usize, most: usize) -> usize {
    let meshes: usize = looks.iter().map(LookParts::bytes).sum();
    let mut left = most.saturating_sub(meshes + 1000);
    let mut bodies = 0;
    for &look in &scene.look_of {
        let look = &looks[look as usize];
        // Times are written once per channel.
        let channels = look.channels();
        let bytes = frames * 4 * (look.values() + channels)
            + channels * JSON_PER_CHANNEL
            + JSON_PER_BODY
            + 24 * look.targets;
        if bytes > left {
            break;
        }
        left -= bytes;
        bodies += 1;
    }
    bodies
}

/// A look in the words of a scene.
struct LookParts {
    name: String,
    mesh: Arc<pliant::Mesh>,
    deformation: Deformation,
    targets: usize,
    /// A skin's middle at rest, and its number of joints.
    skin: Option<(DVec3, usize)>,
}

impl LookParts {
    fn new(look: &Look) -> Self {
        let (deltas, skin) = match &look.motion {
            LookMotion::Modal(model) => {
                let modes = model.modes();
                let of = |mode: usize| {
                    (0..modes.vertices()).map(|vertex| modes.of(vertex)[mode].as_dvec3()).collect()
                };
                ((0..modes.count()).map(of).collect(), None)
            }
            LookMotion::Skin(weights) => {
                let positions = look.mesh.positions();
                let middle = positions.iter().sum::<DVec3>() / positions.len().max(1) as f64;
                let joints =
                    1 + weights.influences.iter().map(|one| one.joint).max().unwrap_or(0) as usize;
                (affine_targets(positions, weights, middle, joints), Some((middle, joints)))
            }
        };
        let deltas: Vec<Vec<DVec3>> = deltas;
        let targets = deltas.len();
        let deformation = match targets {
            0 => Deformation::Rigid,
            _ => Deformation::Morph(Arc::new(MorphTargets { deltas })),
        };
        Self { name: look.name.clone(), mesh: Arc::clone(&look.mesh), deformation, targets, skin }
    }

    fn bytes(&self) -> usize {
        let vertices = self.mesh.positions().len();
        12 * vertices * (1 + self.targets)
            + 12 * self.mesh.triangles().len()
            + 300 * (2 + self.targets)
    }

    fn channels(&self) -> usize {
        1 + usize::from(self.skin.is_none()) + usize::from(self.targets > 0)
    }

    /// Numbers per frame.
    fn values(&self) -> usize {
        3 + if self.skin.is_none() { 4 } else { 0 } + self.targets
    }
}

/// The joints of a linear skin as morph targets. The sum over joints of weight times map is linear in the
/// numbers of the maps: each of the 12 of a joint is a target. Nodes of glTF could not shear.
fn affine_targets(
    positions: &[DVec3],
    weights: &SkinWeights,
    middle: DVec3,
    joints: usize,
) -> Vec<Vec<DVec3>> {
    let mut targets = vec![vec![DVec3::ZERO; positions.len()]; JOINT * joints];
    for (vertex, &position) in positions.iter().enumerate() {
        let offset = position - middle;
        let factors = [offset.x, offset.y, offset.z, 1.0];
        for influence in weights.of(vertex) {
            for (column, factor) in factors.iter().enumerate() {
                let first = JOINT * influence.joint as usize + 3 * column;
                for (row, target) in targets[first..first + 3].iter_mut().enumerate() {
                    target[vertex][row] = influence.weight * factor;
                }
            }
        }
    }
    targets
}

/// What moves a body, frame after frame.
#[derive(Debug, Clone, Default)]
struct Track {
    translations: Vec<f64>,
    rotations: Vec<f64>,
    weights: Vec<f64>,
}

impl Track {
    fn add(&mut self, numbers: &[f32], look: &LookParts) {
        let number = |at: usize| f64::from(numbers[at]);
        let Some((middle, joints)) = look.skin else {
            let rotation = DVec4::new(number(0), number(1), number(2), number(3));
            // The shorter way from the frame before.
            let before = self
                .rotations
                .len()
                .checked_sub(4)
                .map(|at| DVec4::from_slice(&self.rotations[at..]));
            let sign =
                if before.is_some_and(|before| before.dot(rotation) < 0.0) { -1.0 } else { 1.0 };
            self.rotations.extend((sign * rotation.normalize_or(DVec4::W)).to_array());
            self.translations.extend([4, 5, 6].map(number));
            self.weights.extend((0..look.targets).map(|mode| number(FRAME + mode)));
            return;
        };
        // Joints about the middle of the surface: `M middle + t`, from the first joint's.
        let image = |joint: usize| {
            let at = JOINT * joint;
            let row = |row: usize| {
                (0..3).map(|column| number(at + 3 * column + row) * middle[column]).sum::<f64>()
                    + number(at + 9 + row)
            };
            DVec3::new(row(0), row(1), row(2))
        };
        let center = image(0);
        self.translations.extend((center - middle).to_array());
        for joint in 0..joints {
            // Targets are added to the rest shape: the map less the identity.
            for at in 0..9 {
                let identity = if at % 4 == 0 { 1.0 } else { 0.0 };
                self.weights.push(number(JOINT * joint + at) - identity);
            }
            self.weights.extend((image(joint) - center).to_array());
        }
    }
}
