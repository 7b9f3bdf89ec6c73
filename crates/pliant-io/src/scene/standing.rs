//! Keyframes in world coordinates, where nothing moves the node that they hang from.
//!
//! Between two keyframes every vertex moves along a straight line, and an affine map takes lines to
//! lines. So a map that does not change with time can be applied to the keyframes once, instead of
//! to all vertices in every frame. It is applied to the scene, not to a body, so that every method,
//! brute force included, sees the same numbers.

use std::sync::Arc;

use pliant::Mesh;
use pliant::glam::{DAffine3, DVec3};

use super::{Deformation, Node, NodeTransform, Property, Scene, SceneError};

impl Scene {
    /// The same scene, in which objects with keyframes whose nodes stand still, but not at the
    /// origin, hang from nodes of their own at the origin. Such objects can become keyframed
    /// bodies. Positions change by rounding alone. An object that this would take out of the range
    /// of numbers, or whose vertices would meet at rest, stays as it is.
    ///
    /// # Errors
    /// None for a scene whose keyframes are finite, as all checked ones are.
    pub fn with_keyframes_in_world(self) -> Result<Self, SceneError> {
        let frames: Vec<Option<DAffine3>> = self
            .objects()
            .iter()
            .map(|object| match object.deformation {
                Deformation::Keyframes(_) => self.standing_frame(object.node),
                _ => None,
            })
            .map(|frame| frame.filter(|&frame| frame != DAffine3::IDENTITY))
            .collect();
        if frames.iter().all(Option::is_none) {
            return Ok(self);
        }
        let mut parts = self.into_parts();
        for (object, frame) in parts.objects.iter_mut().zip(frames) {
            let (Deformation::Keyframes(keyframes), Some(frame)) = (&mut object.deformation, frame)
            else {
                continue;
            };
            let placed = |p: &DVec3| frame.transform_point3(*p);
            let in_range = |p: &DVec3| placed(p).is_finite();
            let rest = object.mesh.positions();
            if !(keyframes.frames.iter().flatten().all(in_range) && rest.iter().all(in_range)) {
                continue;
            }
            let rest = rest.iter().map(placed).collect();
            let Ok(mesh) = Mesh::new(rest, object.mesh.triangles().to_vec()) else { continue };
            // After rounding two vertices may rest at one place, and would be neighbours.
            if mesh.places() != object.mesh.places() {
                continue;
            }
            object.mesh = Arc::new(mesh);
            for position in Arc::make_mut(keyframes).frames.iter_mut().flatten() {
                *position = placed(position);
            }
            object.node = parts.nodes.len();
            let transform = NodeTransform::IDENTITY;
            parts.nodes.push(Node { name: None, parent: None, transform });
        }
        Self::new(parts)
    }

    /// Where a node is in the world, if no animation moves it or any node above it; `None` if one
    /// does, or if there is no such node.
    #[must_use]
    pub fn standing_frame(&self, node: usize) -> Option<DAffine3> {
        let is_moved = |node: usize| {
            let mut channels = self.animations().iter().flat_map(|animation| &animation.channels);
            channels.any(|channel| channel.node == node && channel.property != Property::Weights)
        };
        let mut next = Some(node);
        // Scenes have no loops of nodes.
        while let Some(node) = next {
            if is_moved(node) {
                return None;
            }
            next = self.nodes().get(node)?.parent;
        }
        // Nothing moves it: it is there at any time.
        self.pose(None, 0.0).ok()?.nodes.get(node).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Animation, Channel, Interpolation, Keyframes, Object, Sampler, SceneParts};
    use pliant::glam::DVec4;

    /// A triangle that rises, on a node that hangs from another.
    fn rising(channels: Vec<Channel>) -> Scene {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let risen = corners.iter().map(|p| p + DVec3::Z).collect();
        let keyframes = Keyframes { times: vec![0.0, 1.0], frames: vec![corners.clone(), risen] };
        let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
        let node = |parent, translation| Node {
            name: None,
            parent,
            transform: NodeTransform::Trs {
                translation,
                rotation: DVec4::W,
                scale: DVec3::splat(2.0),
            },
        };
        let sampler = Sampler {
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values: vec![1.0, 0.0, 0.0, 5.0, 0.0, 0.0],
        };
        let deformation = Deformation::Keyframes(Arc::new(keyframes));
        Scene::new(SceneParts {
            nodes: vec![node(None, DVec3::X), node(Some(0), DVec3::Y)],
            objects: vec![Object::new("sheet", 1, mesh, deformation)],
            animations: vec![Animation::new("rise", vec![sampler], channels)],
            ..SceneParts::default()
        })
        .unwrap()
    }

    fn positions(scene: &Scene, animation: Option<usize>) -> Vec<DVec3> {
        let pose = scene.pose(animation, 0.5).unwrap();
        let mut positions = Vec::new();
        scene.posed(0, &pose).unwrap().positions(&mut positions);
        positions
    }

    #[test]
    fn what_stands_is_told_in_the_world() {
        let before = rising(Vec::new());
        let after = before.clone().with_keyframes_in_world().unwrap();
        let object = &after.objects()[0];
        assert_eq!(after.nodes()[object.node].transform.affine(), Some(DAffine3::IDENTITY));
        for animation in [None, Some(0)] {
            // These numbers are exact.
            assert_eq!(positions(&after, animation), positions(&before, animation));
        }
        assert_eq!(positions(&after, Some(0))[0], DVec3::new(1.0, 2.0, 2.0));
    }

    #[test]
    fn what_moves_or_stands_at_the_origin_stays() {
        let channel = Channel { sampler: 0, node: 0, property: Property::Translation };
        let moved = rising(vec![channel]);
        assert_eq!(moved.clone().with_keyframes_in_world().unwrap(), moved);
        let settled = rising(Vec::new()).with_keyframes_in_world().unwrap();
        assert_eq!(settled.clone().with_keyframes_in_world().unwrap(), settled);
    }
}
