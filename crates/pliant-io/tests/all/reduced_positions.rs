//! Morph targets as modes of a reduced body: vertices have the same bits as those of the posed
//! object.

use std::sync::Arc;

use pliant::Body;
use pliant::deform::Modes;
use pliant_io::{Deformation, Scene, load};

/// Compares all morphing objects of a scene at some times and returns their number.
fn compare(scene: &Scene) -> usize {
    let animations = scene.animations().iter().enumerate();
    let mut times = vec![(None, 0.0)];
    times.extend(animations.flat_map(|(number, animation)| {
        [0.0, 0.3, 0.77].map(|part| (Some(number), part * animation.end))
    }));
    let mut compared = 0;
    for (number, object) in scene.objects().iter().enumerate() {
        let Deformation::Morph(targets) = &object.deformation else { continue };
        let vertices = object.mesh.positions().len();
        let modes = Modes::from_fields(vertices, &targets.deltas).unwrap();
        let mut body = Body::reduced((*object.mesh).clone(), Arc::new(modes)).unwrap();
        for &(animation, time) in &times {
            let pose = scene.pose(animation, time).unwrap();
            body.set_state(&pose.weights[number], pose.nodes[object.node]).unwrap();
            let mut expected = Vec::new();
            scene.posed(number, &pose).unwrap().positions(&mut expected);
            for (vertex, expected) in (0..).zip(&expected) {
                let found = body.position(vertex).unwrap();
                assert_eq!(
                    found.to_array().map(f64::to_bits),
                    expected.to_array().map(f64::to_bits),
                    "object {number}, vertex {vertex}, time {time}: {found} and {expected}"
                );
            }
        }
        compared += 1;
    }
    compared
}

#[test]
fn a_busy_scene() {
    let scene = crate::common::busy_scene();
    assert!(compare(&scene) > 0);
}

#[test]
fn morphing_samples() {
    let Some(folder) = crate::common::shared("gltf/morph") else { return };
    for name in ["AnimatedMorphCube.glb", "MorphStressTest.glb"] {
        assert!(compare(&load(folder.join(name)).unwrap()) > 0, "{name}");
    }
}
