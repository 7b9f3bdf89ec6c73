//! A pose: the numbers that drive every deformation at one time.

use pliant::glam::{DAffine3, DVec3, DVec4};

use super::animation::Span;
use super::{Animation, Deformation, NodeTransform, Property, Scene, SceneError};

/// The state of a whole scene at one time. No vertex is touched to make it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pose {
    /// For each node its frame in the world.
    pub nodes: Vec<DAffine3>,
    /// For each object the weights of its morph targets.
    pub weights: Vec<Vec<f64>>,
    /// For each skin and joint the map from mesh space at bind time to the world:
    /// the joint's frame times its inverse bind matrix.
    pub joints: Vec<Vec<DAffine3>>,
    /// For each object that follows keyframes and is animated, where it is among them.
    pub frames: Vec<Option<FrameBlend>>,
}

/// A place between two keyframes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameBlend {
    /// The frame before.
    pub first: usize,
    /// The frame after.
    pub second: usize,
    /// How far between them, 0 at `first`.
    pub fraction: f64,
}

impl Scene {
    /// The pose at a time of an animation or, without one, at rest.
    ///
    /// Costs O(nodes + joints + weights + channels * log keys). Outside its keys
    /// an animation holds its first or last value. Objects with keyframes play
    /// them under any animation, and have their rest shape without one.
    ///
    /// # Errors
    /// An animation that does not exist, a time that is not finite, a rotation that
    /// vanishes between two keys, or a frame too large for `f64`.
    pub fn pose(&self, animation: Option<usize>, time: f64) -> Result<Pose, SceneError> {
        if !time.is_finite() {
            return Err(SceneError::new("time", format!("{time} is not finite")));
        }
        let mut local: Vec<NodeTransform> =
            self.nodes().iter().map(|node| node.transform).collect();
        let mut weights: Vec<Vec<f64>> =
            self.objects().iter().map(|object| object.default_weights.clone()).collect();
        if let Some(index) = animation {
            let chosen = self.animations().get(index).ok_or_else(|| {
                let count = self.animations().len();
                SceneError::new(format!("animation {index}"), format!("there are {count}"))
            })?;
            self.animate(chosen, time, &mut local, &mut weights);
        }
        let nodes = self.world_frames(&local)?;
        let joints = self.joint_matrices(&nodes)?;
        let frames = self.objects().iter().map(|object| match &object.deformation {
            Deformation::Keyframes(keyframes) if animation.is_some() => {
                Span::find(&keyframes.times, time).map(|span| FrameBlend {
                    first: span.first,
                    second: span.second,
                    fraction: span.fraction,
                })
            }
            _ => None,
        });
        let frames = frames.collect();
        Ok(Pose { nodes, weights, joints, frames })
    }

    /// Lets every channel set its property.
    fn animate(
        &self,
        animation: &Animation,
        time: f64,
        local: &mut [NodeTransform],
        weights: &mut [Vec<f64>],
    ) {
        let object_on = self.object_on_node();
        for channel in &animation.channels {
            let sampler = &animation.samplers[channel.sampler];
            if channel.property == Property::Weights {
                if let Some(object) = object_on[channel.node] {
                    sampler.sample(time, channel.property, &mut weights[object]);
                }
                continue;
            }
            let NodeTransform::Trs { translation, rotation, scale } = &mut local[channel.node]
            else {
                continue;
            };
            let mut value = [0.0; 4];
            sampler.sample(time, channel.property, &mut value);
            match channel.property {
                Property::Translation => *translation = DVec3::from_slice(&value),
                Property::Scale => *scale = DVec3::from_slice(&value),
                Property::Rotation => *rotation = DVec4::from_slice(&value),
                Property::Weights => {}
            }
        }
    }

    /// For each node the object that hangs from it.
    fn object_on_node(&self) -> Vec<Option<usize>> {
        let mut object_on = vec![None; self.nodes().len()];
        for (index, object) in self.objects().iter().enumerate() {
            object_on[object.node] = Some(index);
        }
        object_on
    }

    /// Local frames to world frames, parents first.
    fn world_frames(&self, local: &[NodeTransform]) -> Result<Vec<DAffine3>, SceneError> {
        let mut world = vec![DAffine3::IDENTITY; local.len()];
        for &index in &self.order {
            let own = local[index].affine().ok_or_else(|| {
                SceneError::new(format!("node {index}"), "its rotation vanishes at this time")
            })?;
            world[index] = match self.nodes()[index].parent {
                Some(parent) => world[parent] * own,
                None => own,
            };
            check_finite(&world[index], || format!("node {index}"))?;
        }
        Ok(world)
    }

    /// The matrices of every skin.
    fn joint_matrices(&self, nodes: &[DAffine3]) -> Result<Vec<Vec<DAffine3>>, SceneError> {
        let matrices = self.skins().iter().enumerate().map(|(index, skin)| {
            let joints = skin.joints.iter().zip(&skin.inverse_bind);
            let matrices = joints.map(|(&joint, &inverse_bind)| {
                let matrix = nodes[joint] * inverse_bind;
                check_finite(&matrix, || format!("skin {index}"))?;
                Ok(matrix)
            });
            matrices.collect()
        });
        matrices.collect()
    }
}

/// Refuses a frame that overflowed.
fn check_finite(frame: &DAffine3, element: impl Fn() -> String) -> Result<(), SceneError> {
    if frame.is_finite() {
        return Ok(());
    }
    Err(SceneError::new(element(), "its frame in the world is too large for a number"))
}
