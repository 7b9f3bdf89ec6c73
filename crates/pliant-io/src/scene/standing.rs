//! Keyframes told in the world, where nothing moves the node that they hang from.
//!
//! Every vertex goes on a straight line between two keyframes, and an affine map takes lines to
//! lines: a map that does not change with time can be applied to the keyframes once, instead of to
//! all vertices in every frame. It is done to the scene, not to a body, so that every way of
//! checking it, brute force too, sees the same numbers.

use std::sync::Arc;

use glam::{DAffine3, DVec3};
use pliant::Mesh;
use pliant_io::{Deformation, Node, NodeTransform, Property, Scene, SceneError};

/// The same scene, in which objects with keyframes whose nodes stand still, but not at the origin,
/// hang from nodes of their own at the origin. An object that this would take out of the range of
/// numbers stays as it is.
pub(super) fn settle_keyframes(scene: Scene) -> Result<Scene, SceneError> {
    let frames: Vec<Option<DAffine3>> = scene
        .objects()
        .iter()
        .map(|object| match object.deformation {
            Deformation::Keyframes(_) => standing_frame(&scene, object.node),
            _ => None,
        })
        .map(|frame| frame.filter(|&frame| frame != DAffine3::IDENTITY))
        .collect();
    if frames.iter().all(Option::is_none) {
        return Ok(scene);
    }
    let mut parts = scene.into_parts();
    for (object, frame) in parts.objects.iter_mut().zip(frames) {
        let (Deformation::Keyframes(keyframes), Some(frame)) = (&mut object.deformation, frame)
        else {
            continue;
        };
        let carried = |p: &DVec3| frame.transform_point3(*p);
        let in_range = |p: &DVec3| carried(p).is_finite();
        let rest = object.mesh.positions();
        if !(keyframes.frames.iter().flatten().all(in_range) && rest.iter().all(in_range)) {
            continue;
        }
        let rest = rest.iter().map(carried).collect();
        let Ok(mesh) = Mesh::new(rest, object.mesh.triangles().to_vec()) else { continue };
        // Rounded in the world two vertices may rest at one place, and would be neighbours.
        if mesh.places() != object.mesh.places() {
            continue;
        }
        object.mesh = Arc::new(mesh);
        for position in Arc::make_mut(keyframes).frames.iter_mut().flatten() {
            *position = carried(position);
        }
        object.node = parts.nodes.len();
        let transform = NodeTransform::IDENTITY;
        parts.nodes.push(Node { name: None, parent: None, transform });
    }
    Scene::new(parts)
}

/// Where a node is in the world, if no animation moves it or anything that it hangs from.
pub(crate) fn standing_frame(scene: &Scene, node: usize) -> Option<DAffine3> {
    let is_moved = |node: usize| {
        let mut channels = scene.animations().iter().flat_map(|animation| &animation.channels);
        channels.any(|channel| channel.node == node && channel.property != Property::Weights)
    };
    let mut next = Some(node);
    // Scenes have no loops of nodes.
    while let Some(node) = next {
        if is_moved(node) {
            return None;
        }
        next = scene.nodes()[node].parent;
    }
    // Nothing moves it: it is there at any time.
    scene.pose(None, 0.0).ok()?.nodes.get(node).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_io::{Animation, Channel, Interpolation, Keyframes, Object, Sampler, SceneParts};

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
                rotation: glam::DVec4::W,
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
        let after = settle_keyframes(before.clone()).unwrap();
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
        assert_eq!(settle_keyframes(moved.clone()).unwrap(), moved);
        let settled = settle_keyframes(rising(Vec::new())).unwrap();
        assert_eq!(settle_keyframes(settled.clone()).unwrap(), settled);
    }
}
