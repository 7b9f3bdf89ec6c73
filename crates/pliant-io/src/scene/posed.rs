//! Where the vertices of one object are in a pose.

use pliant::deform::{blend_linear, blend_linear_all, map_all};
use pliant::glam::{DAffine3, DVec3};

use super::{
    Deformation, FrameBlend, Keyframes, MorphTargets, Pose, Scene, SceneError, SkinWeights,
};

/// One object in one pose: gives its vertices in the world.
///
/// Morph targets come first, then the joints or the node's frame.
/// [`Posed::position`] and [`Posed::positions`] agree bit by bit.
#[derive(Debug, Clone, Copy)]
pub struct Posed<'a> {
    shape: Shape<'a>,
    motion: Motion<'a>,
}

/// The shape in the object's own space.
#[derive(Debug, Clone, Copy)]
enum Shape<'a> {
    Rest(&'a [DVec3]),
    Morph(&'a [DVec3], &'a MorphTargets, &'a [f64]),
    Frames(&'a [DVec3], &'a [DVec3], f64),
}

/// What takes it to the world.
#[derive(Debug, Clone, Copy)]
enum Motion<'a> {
    Node(DAffine3),
    Skin(&'a SkinWeights, &'a [DAffine3]),
}

impl Scene {
    /// One object in a pose of this scene.
    ///
    /// # Errors
    /// An object that does not exist, or a pose of another scene.
    pub fn posed<'a>(&'a self, object: usize, pose: &'a Pose) -> Result<Posed<'a>, SceneError> {
        let element = || format!("object {object}");
        let foreign = || SceneError::new(element(), "the pose is of another scene");
        let chosen = self.objects().get(object).ok_or_else(|| {
            SceneError::new(element(), format!("there are {}", self.objects().len()))
        })?;
        let rest = chosen.mesh.positions();
        let weights = pose.weights.get(object).ok_or_else(foreign)?;
        if weights.len() != chosen.default_weights.len() {
            return Err(foreign());
        }
        let shape = match (&chosen.deformation, pose.frames.get(object)) {
            (Deformation::Keyframes(keyframes), Some(Some(blend))) => {
                between(keyframes, blend).ok_or_else(foreign)?
            }
            (deformation, _) => match deformation.morph_targets() {
                Some(targets) => Shape::Morph(rest, targets, weights),
                None => Shape::Rest(rest),
            },
        };
        let motion = match &chosen.deformation {
            Deformation::Skin { skin, weights, .. } => {
                let joints = pose.joints.get(*skin).ok_or_else(foreign)?;
                if joints.len() != self.skins()[*skin].joints.len() {
                    return Err(foreign());
                }
                Motion::Skin(weights, joints)
            }
            _ => Motion::Node(*pose.nodes.get(chosen.node).ok_or_else(foreign)?),
        };
        Ok(Posed { shape, motion })
    }
}

/// The two frames of a blend, if it is of these keyframes.
fn between<'a>(keyframes: &'a Keyframes, blend: &FrameBlend) -> Option<Shape<'a>> {
    let first = keyframes.frames.get(blend.first)?;
    let second = keyframes.frames.get(blend.second)?;
    Some(Shape::Frames(first, second, blend.fraction))
}

impl Posed<'_> {
    /// The number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        match self.shape {
            Shape::Rest(rest) | Shape::Morph(rest, ..) | Shape::Frames(rest, ..) => rest.len(),
        }
    }

    /// Where one vertex is in the world; `None` if there is no such vertex.
    #[must_use]
    pub fn position(&self, vertex: usize) -> Option<DVec3> {
        let own = match self.shape {
            Shape::Rest(rest) => *rest.get(vertex)?,
            Shape::Morph(rest, targets, weights) => {
                let mut sum = *rest.get(vertex)?;
                for (deltas, &weight) in active(targets, weights) {
                    sum += weight * deltas.get(vertex)?.as_vec3().as_dvec3();
                }
                sum
            }
            Shape::Frames(first, second, fraction) => {
                mix(*first.get(vertex)?, *second.get(vertex)?, fraction)
            }
        };
        Some(self.place(vertex, own))
    }

    /// Where all vertices are in the world; replaces the contents of `out`.
    pub fn positions(&self, out: &mut Vec<DVec3>) {
        out.clear();
        match self.shape {
            Shape::Rest(rest) => out.extend_from_slice(rest),
            Shape::Morph(rest, targets, weights) => {
                out.extend_from_slice(rest);
                // One target after the other reads memory in order; each vertex
                // still sees the same sums in the same order as alone.
                for (deltas, &weight) in active(targets, weights) {
                    for (sum, &delta) in out.iter_mut().zip(deltas) {
                        *sum += weight * delta.as_vec3().as_dvec3();
                    }
                }
            }
            Shape::Frames(first, second, fraction) => {
                out.extend(first.iter().zip(second).map(|(&a, &b)| mix(a, b, fraction)));
            }
        }
        match self.motion {
            Motion::Node(frame) => map_all(&frame, out),
            Motion::Skin(weights, joints) => blend_linear_all(weights, joints, out),
        }
    }

    /// Takes a vertex from the object's own space to the world.
    #[inline]
    fn place(&self, vertex: usize, own: DVec3) -> DVec3 {
        match self.motion {
            Motion::Node(frame) => frame.transform_point3(own),
            Motion::Skin(weights, joints) => blend_linear(weights.of(vertex), joints, own),
        }
    }
}

/// The targets that have a part in the sum. What is added for each is, bit by bit, what
/// `pliant::deform::Modes::displaced` adds: displacements count in `f32`, as files hold them.
fn active<'a>(
    targets: &'a MorphTargets,
    weights: &'a [f64],
) -> impl Iterator<Item = (&'a Vec<DVec3>, &'a f64)> {
    targets.deltas.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0)
}

/// Between two frames; exactly the first at 0.
fn mix(first: DVec3, second: DVec3, fraction: f64) -> DVec3 {
    first * (1.0 - fraction) + second * fraction
}
