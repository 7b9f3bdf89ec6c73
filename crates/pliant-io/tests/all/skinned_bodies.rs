//! Every skinned file of the data folder as a skinned body: its vertices have the same bits as
//! those of the scene, and it touches the same triangles as a body with given positions.

use crate::common::{gltf_files, shared};
use pliant::deform::{Binding, Blending, Modes};
use pliant::glam::DAffine3;
use pliant::query::brute_force;
use pliant::tree::primitive_runs;
use pliant::{Body, Collide as _, SkinnedBody, intersections, self_intersections};
use pliant_io::{Deformation, Object, read_gltf};

/// The binding of an object, if it is a skin.
fn binding(object: &Object, joints: usize) -> Option<Binding> {
    let Deformation::Skin { weights, morph, .. } = &object.deformation else { return None };
    let binding = Binding::new(weights.as_ref().clone(), joints).unwrap();
    Some(match morph {
        Some(targets) => {
            let modes = Modes::from_fields(object.mesh.positions().len(), &targets.deltas);
            binding.with_morph(modes.unwrap()).unwrap()
        }
        None => binding,
    })
}

fn check_enclosure(body: &SkinnedBody, name: &str) {
    for (node, run) in primitive_runs(body.tree()).into_iter().enumerate() {
        let bound = body.bound(node as u32);
        for &triangle in &body.tree().primitives[run.start as usize..run.end as usize] {
            let corners = body.triangle(triangle);
            assert!(corners.iter().all(|&p| bound.contains_point(p)), "{name}: node {node}");
        }
    }
}

#[test]
fn skinned_files_collide_as_their_vertices_do() {
    let Some(folder) = shared("gltf") else { return };
    let (mut skins, mut pairs, mut exact) = (0, 0, 0);
    for file in gltf_files(&folder) {
        let Ok(scene) = read_gltf(&file) else { continue };
        let name = file.file_name().unwrap().to_str().unwrap();
        for (number, object) in scene.objects().iter().enumerate() {
            let Deformation::Skin { skin, .. } = &object.deformation else { continue };
            let Some(bound) = binding(object, scene.skins()[*skin].joints.len()) else { continue };
            skins += 1;
            let end = scene.animations().first().map_or(0.0, |animation| animation.end);
            let animation = (!scene.animations().is_empty()).then_some(0);
            let small = object.mesh.triangles().len() < 1500;
            for blending in [Blending::Linear, Blending::Spherical, Blending::DualQuaternion] {
                let mesh = object.mesh.as_ref().clone();
                let mut body = Body::skinned(mesh.clone(), bound.clone(), blending).unwrap();
                let mut other = body.clone();
                let mut free = [Body::free(mesh.clone()).unwrap(), Body::free(mesh).unwrap()];
                for part in [0.2, 0.7] {
                    let pose = scene.pose(animation, end * part).unwrap();
                    let (joints, weights) = (&pose.joints[*skin], &pose.weights[number]);
                    if let Err(error) = body.set_pose(joints, weights) {
                        assert_ne!(blending, Blending::Linear, "{name}: {error}");
                        assert!(error.to_string().contains("scale"), "{name}: {error}");
                        continue;
                    }
                    let mut positions = Vec::new();
                    if blending == Blending::Linear {
                        scene.posed(number, &pose).unwrap().positions(&mut positions);
                        for (vertex, p) in (0u32..).zip(&positions) {
                            // Not bits, since -0 equals 0.
                            assert_eq!(body.position(vertex).unwrap(), *p, "{name} {vertex}");
                        }
                    }
                    let count = body.mesh().positions().len() as u32;
                    positions = (0..count).map(|v| body.position(v).unwrap()).collect();
                    free[0].set_positions(&positions).unwrap();
                    let size = body.bound(0);
                    let aside = f64::from(size.max.x - size.min.x) * 0.13;
                    let aside = DAffine3::from_translation(pliant::glam::DVec3::X * aside);
                    let moved: Vec<_> = joints.iter().map(|joint| aside * *joint).collect();
                    other.set_pose(&moved, weights).unwrap();
                    positions = (0..count).map(|v| other.position(v).unwrap()).collect();
                    free[1].set_positions(&positions).unwrap();
                    check_enclosure(&body, name);
                    let found = intersections(&body, &other).pairs;
                    assert!(
                        found == intersections(&free[0], &free[1]).pairs,
                        "{name} {blending:?}"
                    );
                    let own = self_intersections(&body).pairs;
                    assert!(own == self_intersections(&free[0]).pairs, "{name} {blending:?}");
                    if small {
                        exact += 1;
                        assert!(found == brute_force::intersections(&body, &other).pairs, "{name}");
                        assert!(own == brute_force::self_intersections(&body).pairs, "{name}");
                    }
                    pairs += found.len();
                }
            }
        }
    }
    assert!(skins >= 20 && pairs > 1000 && exact > 20, "{skins} skins, {pairs} pairs, {exact}");
}
