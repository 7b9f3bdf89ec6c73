//! A pose: the numbers that drive every deformation at one time.

use pliant::glam::{DAffine3, DVec3, DVec4};

use super::animation::Span;
use super::{Animation, Deformation, NodeTransform, Property, Scene, SceneError};

/// The state of a whole scene at one time. No vertex is touched to make it.
#[derive(Debug, Clone, Default, PartialEq)]
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
        let mut pose = Pose::default();
        self.pose_into(animation, time, &mut pose)?;
        Ok(pose)
    }

    /// As [`Scene::pose`], in the memory of an earlier pose, of this scene or of another one. On an
    /// error the pose is of no use.
    ///
    /// # Errors
    /// Those of [`Scene::pose`].
    pub fn pose_into(
        &self,
        animation: Option<usize>,
        time: f64,
        pose: &mut Pose,
    ) -> Result<(), SceneError> {
        if !time.is_finite() {
            return Err(SceneError::new("time", format!("{time} is not finite")));
        }
        let mut local: Vec<NodeTransform> =
            self.nodes().iter().map(|node| node.transform).collect();
        pose.weights.resize_with(self.objects().len(), Vec::new);
        for (weights, object) in pose.weights.iter_mut().zip(self.objects()) {
            weights.clone_from(&object.default_weights);
        }
        if let Some(index) = animation {
            let chosen = self.animations().get(index).ok_or_else(|| {
                let count = self.animations().len();
                SceneError::new(format!("animation {index}"), format!("there are {count}"))
            })?;
            self.animate(chosen, time, &mut local, &mut pose.weights);
        }
        self.world_frames(&local, &mut pose.nodes)?;
        self.joint_matrices(&pose.nodes, &mut pose.joints)?;
        pose.frames.clear();
        pose.frames.extend(self.objects().iter().map(|object| match &object.deformation {
            Deformation::Keyframes(keyframes) if animation.is_some() => {
                Span::find(&keyframes.times, time).map(|span| FrameBlend {
                    first: span.first,
                    second: span.second,
                    fraction: span.fraction,
                })
            }
            _ => None,
        }));
        Ok(())
    }

    /// Lets every channel set its property.
    fn animate(
        &self,
        animation: &Animation,
        time: f64,
        local: &mut [NodeTransform],
        weights: &mut [Vec<f64>],
    ) {
        for channel in &animation.channels {
            let sampler = &animation.samplers[channel.sampler];
            if channel.property == Property::Weights {
                if let Some(object) = self.object_on[channel.node] {
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

    /// Local frames to world frames, parents first.
    fn world_frames(
        &self,
        local: &[NodeTransform],
        world: &mut Vec<DAffine3>,
    ) -> Result<(), SceneError> {
        world.clear();
        world.resize(local.len(), DAffine3::IDENTITY);
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
        Ok(())
    }

    /// The matrices of every skin.
    fn joint_matrices(
        &self,
        nodes: &[DAffine3],
        all: &mut Vec<Vec<DAffine3>>,
    ) -> Result<(), SceneError> {
        all.resize_with(self.skins().len(), Vec::new);
        for (index, (skin, matrices)) in self.skins().iter().zip(all).enumerate() {
            matrices.clear();
            for (&joint, &inverse_bind) in skin.joints.iter().zip(&skin.inverse_bind) {
                let matrix = nodes[joint] * inverse_bind;
                check_finite(&matrix, || format!("skin {index}"))?;
                matrices.push(matrix);
            }
        }
        Ok(())
    }
}

/// Refuses a frame that overflowed.
fn check_finite(frame: &DAffine3, element: impl Fn() -> String) -> Result<(), SceneError> {
    if frame.is_finite() {
        return Ok(());
    }
    Err(SceneError::new(element(), "its frame in the world is too large for a number"))
}
