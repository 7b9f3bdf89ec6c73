//! Scenes as bodies in a world: for every method the vertices are those of the scene, bit for bit,
//! and the contacts are those of brute force.

use std::sync::Arc;

use pliant::deform::Blending;
use pliant::glam::{DAffine3, DQuat, DVec3, DVec4};
use pliant::world::{BodyContact, brute_force};
use pliant::{AnyBody, Mesh};
use pliant_io::*;

use crate::common::{busy_scene, gltf_files, grid, node, shared, trs};

const METHODS: [Method; 5] = [
    Method::Auto,
    Method::BoundedDeformation,
    Method::Skinned,
    Method::Keyframed,
    Method::BottomUp,
];

fn made(scene: &Scene, method: Method, self_contact: SelfContact) -> SceneBodies {
    let settings = BodySettings { method, self_contact, ..BodySettings::default() };
    SceneBodies::of_scenes(vec![scene.clone().into()], settings).unwrap()
}

/// Every vertex of every body against the scene's.
fn check_vertices(bodies: &SceneBodies, time: f64, name: &str) {
    let AnimatedScene { scene, animation } = &bodies.scenes()[0];
    let pose = scene.pose(*animation, time).unwrap();
    assert_eq!(bodies.poses(), std::slice::from_ref(&pose), "{name}");
    let mut expected = Vec::new();
    for (object, &id) in bodies.ids().iter().enumerate() {
        let body = bodies.world().get(id).unwrap();
        scene.posed(object, &pose).unwrap().positions(&mut expected);
        for (vertex, &p) in (0..).zip(&expected) {
            // Not bits: -0 and 0 are one place.
            assert_eq!(body.position(vertex), Some(p), "{name}: {object} {vertex} at {time}");
        }
    }
}

fn kinds(bodies: &SceneBodies) -> Vec<&'static str> {
    bodies.world().iter().map(|(_, body)| body.kind()).collect()
}

fn contacts(bodies: &SceneBodies) -> Vec<BodyContact> {
    bodies.world().contacts().contacts
}

/// Weights of two joints, blended along x.
fn two_joints(mesh: &Mesh) -> Arc<SkinWeights> {
    let mut weights = SkinWeights { starts: vec![0], influences: Vec::new() };
    for (vertex, _) in mesh.positions().iter().enumerate() {
        let second = (vertex % 4 + 1) as f64 / 8.0;
        for (joint, weight) in [(0, 1.0 - second), (1, second)] {
            weights.influences.push(Influence { joint, weight });
        }
        weights.starts.push(weights.influences.len() as u32);
    }
    Arc::new(weights)
}

fn sampler(values: Vec<f64>) -> Sampler {
    let keys = if values.len() > 8 { 3 } else { 2 };
    let times = (0..keys).map(f64::from).collect();
    Sampler { interpolation: Interpolation::Linear, times, values }
}

/// A mesh of so many columns under all deformations, near one another, each of which moves.
fn every_deformation(columns: usize) -> Scene {
    let mesh = Arc::new(grid(columns));
    let rest = mesh.positions();
    let wave = |frequency: f64| -> Vec<DVec3> {
        rest.iter().map(|p| DVec3::Z * (p.x * frequency).sin() * 0.5).collect()
    };
    let morph = Arc::new(MorphTargets { deltas: vec![wave(1.0), wave(0.3)] });
    let weights = two_joints(&mesh);
    let frame = |shift: f64| rest.iter().map(|p| *p + DVec3::new(shift, 0.1, shift)).collect();
    let keyframes = Keyframes { times: vec![0.0, 1.0], frames: vec![frame(0.3), frame(2.0)] };
    let mut nodes = vec![node("hip", None, trs([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3]))];
    nodes.push(node("knee", Some(0), trs([1.0, 0.0, 0.2], [0.0, 0.1, 0.0, 1.0], [1.0; 3])));
    let deformations = [
        Deformation::Rigid,
        Deformation::Rigid,
        Deformation::Morph(Arc::clone(&morph)),
        Deformation::Skin { skin: 0, weights: Arc::clone(&weights), morph: None },
        Deformation::Skin { skin: 0, weights, morph: Some(morph) },
        Deformation::Keyframes(Arc::new(keyframes)),
    ];
    let mut objects = Vec::new();
    for (number, deformation) in deformations.into_iter().enumerate() {
        let place = match deformation {
            Deformation::Keyframes(_) => NodeTransform::IDENTITY,
            _ => trs([0.1, 0.2, number as f64 * 0.4], [0.1, 0.2, 0.0, 1.0], [1.0, -1.0, 1.5]),
        };
        objects.push(Object::new(format!("{number}"), nodes.len(), mesh.clone(), deformation));
        nodes.push(node("", None, place));
    }
    let channel = |sampler, node, property| Channel { sampler, node, property };
    let channels = vec![
        channel(0, 1, Property::Rotation),
        channel(1, 3, Property::Translation),
        channel(2, 4, Property::Weights),
        channel(2, 6, Property::Weights),
    ];
    let samplers = vec![
        sampler(vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.4, 0.2, 0.8]),
        sampler(vec![0.0, 0.0, 0.0, 0.4, 0.2, 1.0, 30.0, 0.0, 0.0]),
        sampler(vec![0.0, 0.0, 1.0, -0.5]),
    ];
    let inverse_bind = vec![DAffine3::IDENTITY; 2];
    Scene::new(SceneParts {
        nodes,
        objects,
        skins: vec![Skin { joints: vec![0, 1], inverse_bind }],
        animations: vec![Animation::new("move", samplers, channels)],
        warnings: Vec::new(),
    })
    .unwrap()
}

#[test]
fn small_scenes_touch_where_brute_force_says() {
    for (name, scene) in [("busy", busy_scene()), ("every deformation", every_deformation(5))] {
        let mut found = 0;
        for method in METHODS {
            for self_contact in [SelfContact::Ignored, SelfContact::Counted, SelfContact::Prepared]
            {
                let mut bodies = made(&scene, method, self_contact);
                // Back and forth, between keys and beyond them.
                for time in [0.0, 1.3, 0.4, 0.4, 9.0, -1.0] {
                    bodies.set_time(time).unwrap();
                    check_vertices(&bodies, time, name);
                    let contacts = contacts(&bodies);
                    let expected = brute_force::contacts(bodies.world()).contacts;
                    assert!(contacts == expected, "{name} {method:?} {self_contact:?} {time}");
                    found += contacts.iter().map(|contact| contact.pairs.len()).sum::<usize>();
                }
            }
        }
        assert!(found > 500, "{name}: {found}");
    }
}

#[test]
fn large_objects_of_every_kind_touch_as_moved_vertices_do() {
    let scene = every_deformation(50);
    let times = [0.2, 1.1, 0.7];
    let mut moved = made(&scene, Method::BottomUp, SelfContact::Ignored);
    let expected: Vec<_> = times
        .iter()
        .map(|&time| {
            moved.set_time(time).unwrap();
            contacts(&moved)
        })
        .collect();
    assert!(expected.iter().all(|contacts| contacts.len() > 4));
    for (method, expected_kinds) in [
        (Method::Auto, ["affine", "affine", "reduced", "skinned", "skinned", "keyframed"]),
        (Method::BoundedDeformation, ["free", "free", "reduced", "free", "free", "free"]),
        (Method::Skinned, ["free", "free", "free", "skinned", "skinned", "free"]),
        (Method::Keyframed, ["free", "free", "free", "free", "free", "keyframed"]),
        (Method::BottomUp, ["free"; 6]),
    ] {
        let mut bodies = made(&scene, method, SelfContact::Ignored);
        assert_eq!(kinds(&bodies), expected_kinds, "{method:?}");
        for (&time, expected) in times.iter().zip(&expected) {
            bodies.set_time(time).unwrap();
            check_vertices(&bodies, time, &format!("{method:?}"));
            assert!(contacts(&bodies) == *expected, "{method:?} {time}");
            bodies.forget_history();
        }
    }
}

/// Two nodes with one mesh and skins of two and three joints: one body does not serve both.
#[test]
fn one_mesh_may_have_skins_of_different_sizes() {
    let mesh = Arc::new(grid(47));
    assert!(mesh.triangles().len() >= 4000);
    let weights = two_joints(&mesh);
    let turn = trs([0.0; 3], [0.0, 0.0, 0.3, 1.0], [1.0; 3]);
    let nodes = vec![
        node("a", None, NodeTransform::IDENTITY),
        node("b", None, NodeTransform::IDENTITY),
        node("c", None, NodeTransform::IDENTITY),
        node("joint 0", None, NodeTransform::IDENTITY),
        node("joint 1", None, turn),
        node("joint 2", None, turn),
    ];
    let skin = |joints: &[usize]| Skin {
        joints: joints.to_vec(),
        inverse_bind: vec![DAffine3::IDENTITY; joints.len()],
    };
    let object = |name: &str, node, skin| {
        let deformation = Deformation::Skin { skin, weights: Arc::clone(&weights), morph: None };
        Object::new(name, node, Arc::clone(&mesh), deformation)
    };
    let scene = Scene::new(SceneParts {
        nodes,
        objects: vec![object("a", 0, 0), object("b", 1, 1), object("c", 2, 2)],
        skins: vec![skin(&[3, 4]), skin(&[3, 4, 5]), skin(&[4, 5])],
        ..SceneParts::default()
    })
    .unwrap();
    // The same after it was written and read.
    let read = read_gltf_bytes(&glb_bytes(&scene).unwrap(), "skins.glb").unwrap();
    for scene in [scene, read] {
        let key = |object| scene.shape_key(object).unwrap();
        assert_ne!(key(0), key(1));
        assert_eq!(scene.shape_key(3), None);
        let mut bodies = SceneBodies::new(scene).unwrap();
        assert_eq!(kinds(&bodies), ["skinned"; 3]);
        bodies.set_time(0.0).unwrap();
        check_vertices(&bodies, 0.0, "skins");
    }
}

#[test]
fn objects_of_one_shape_share_their_memory() {
    let mesh = grid(5);
    let (shared, own) = (Arc::new(mesh.clone()), Arc::new(mesh));
    let object = |number: usize, mesh: &Arc<Mesh>| {
        Object::new(format!("{number}"), number, Arc::clone(mesh), Deformation::Rigid)
    };
    let scene = Scene::new(SceneParts {
        nodes: (0..3).map(|_| node("", None, NodeTransform::IDENTITY)).collect(),
        objects: vec![object(0, &shared), object(1, &shared), object(2, &own)],
        ..SceneParts::default()
    })
    .unwrap();
    let bodies = SceneBodies::new(scene).unwrap();
    let mesh = |object: usize| {
        std::ptr::from_ref(bodies.world().get(bodies.ids()[object]).unwrap().mesh())
    };
    assert_eq!(mesh(0), mesh(1));
    assert_ne!(mesh(0), mesh(2));
}

/// Coordinates beyond what affine bodies take are still answered, by free bodies.
#[test]
fn numbers_too_large_for_an_affine_body_are_moved_one_by_one() {
    let rest = vec![DVec3::ZERO, DVec3::X * 1e200, DVec3::Y * 1e200];
    let mesh = Mesh::new(rest, vec![[0, 1, 2]]).unwrap();
    let huge = NodeTransform::Trs {
        translation: DVec3::ZERO,
        rotation: DVec4::W,
        scale: DVec3::splat(1e105),
    };
    let scene = Scene::new(SceneParts {
        nodes: vec![node("a", None, huge), node("b", None, huge)],
        objects: vec![
            Object::new("a", 0, mesh.clone(), Deformation::Rigid),
            Object::new("b", 1, mesh, Deformation::Rigid),
        ],
        ..SceneParts::default()
    })
    .unwrap();
    let mut bodies = SceneBodies::new(scene).unwrap();
    assert_eq!(kinds(&bodies), ["affine"; 2]);
    bodies.set_time(0.0).unwrap();
    assert_eq!(kinds(&bodies), ["free"; 2]);
    check_vertices(&bodies, 0.0, "huge");
    assert_eq!(contacts(&bodies).len(), 1);
}

/// Positions and targets around 1e20 with a weight of 1e20 under a node of scale 1e-40: in its own
/// space the object leaves the range of `f32`. No pair was found.
#[test]
fn a_morph_that_its_node_brings_back_into_range_touches_as_moved_vertices_do() {
    let flat = grid(9);
    let scaled = |p: &DVec3| DVec3::new(p.x, p.y, 0.25 * p.x - 0.3) * 1e20;
    let huge: Vec<DVec3> = flat.positions().iter().map(scaled).collect();
    let mesh = Mesh::new(huge.clone(), flat.triangles().to_vec()).unwrap();
    let morph = Deformation::Morph(Arc::new(MorphTargets { deltas: vec![huge] }));
    let mut moved = Object::new("huge", 0, mesh, morph);
    moved.default_weights = vec![1e20];
    let still = Object::new("still", 1, flat, Deformation::Rigid);
    let scene = Scene::new(SceneParts {
        nodes: vec![
            node("tiny", None, trs([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1e-40; 3])),
            node("unit", None, trs([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3])),
        ],
        objects: vec![moved, still],
        skins: Vec::new(),
        animations: Vec::new(),
        warnings: Vec::new(),
    });
    let written = glb_bytes(&scene.unwrap()).unwrap();
    let scene = read_gltf_bytes(&written, "huge.glb").unwrap();
    let found = |method| {
        let mut bodies = made(&scene, method, SelfContact::Ignored);
        bodies.set_time(0.0).unwrap();
        contacts(&bodies)
    };
    let truth = found(Method::BottomUp);
    assert!(truth[0].pairs.len() > 4, "{truth:?}");
    for method in METHODS {
        assert!(found(method) == truth, "{method:?}");
    }
}

#[test]
fn several_scenes_share_a_world_and_removed_bodies_are_left_out() {
    let scenes = vec![busy_scene().into(), every_deformation(4).into()];
    let mut bodies = SceneBodies::of_scenes(scenes, BodySettings::default()).unwrap();
    assert_eq!((bodies.ids().len(), bodies.world().len()), (10, 10));
    let name = |object: usize| bodies.name(bodies.ids()[object]);
    assert_eq!((name(0), name(4)), (Some("left"), Some("0")));
    let removed = bodies.ids()[4];
    assert_eq!(bodies.object(removed), Some(4));
    bodies.world_mut().remove(removed).unwrap();
    bodies.set_time(0.5).unwrap();
    let other: AnyBody = pliant::Body::free(grid(3)).unwrap().into();
    let own = bodies.world_mut().insert(other).unwrap();
    assert_eq!((bodies.object(own), bodies.name(own)), (None, None));
    let error = bodies.set_time(f64::NAN).unwrap_err();
    assert_eq!((error.scene, error.to_string().as_str()), (0, "time: NaN is not finite"));
}

#[test]
fn files_touch_as_their_vertices_do() {
    let Some(folder) = shared("gltf") else { return };
    let (mut objects, mut exact, mut pairs) = (0, 0, 0);
    for file in gltf_files(&folder) {
        let Ok(scene) = load(&file) else { continue };
        let triangles: usize = scene.objects().iter().map(|o| o.mesh.triangles().len()).sum();
        if triangles > 100_000 {
            continue;
        }
        let name = file.file_name().unwrap().to_str().unwrap();
        let end = scene.animations().first().map_or(0.0, |animation| animation.end);
        let mut auto = made(&scene, Method::Auto, SelfContact::Ignored);
        let mut moved = made(&scene, Method::BottomUp, SelfContact::Ignored);
        objects += auto.ids().len();
        for part in [0.7, 0.2] {
            auto.set_time(end * part).unwrap();
            moved.set_time(end * part).unwrap();
            check_vertices(&auto, end * part, name);
            let found = contacts(&auto);
            assert!(found == contacts(&moved), "{name}");
            if triangles < 1500 {
                exact += 1;
                assert!(found == brute_force::contacts(auto.world()).contacts, "{name}");
            }
            pairs += found.iter().map(|contact| contact.pairs.len()).sum::<usize>();
        }
    }
    assert!(objects > 100 && exact > 20 && pairs > 1000, "{objects} {exact} {pairs}");
}

/// A vertex by dual quaternions, as Kavan and others wrote it in 2007.
fn by_dual_quaternions(own: &[Influence], joints: &[DAffine3], point: DVec3) -> DVec3 {
    let of = |joint: u32| {
        let map = &joints[joint as usize];
        let turn = DQuat::from_mat3(&map.matrix3).normalize();
        (turn, DQuat::from_vec4((0.5 * map.translation).extend(0.0)) * turn)
    };
    let pivot = of(own.iter().map(|influence| influence.joint).min().unwrap()).0;
    let (mut real, mut dual) = (DVec4::ZERO, DVec4::ZERO);
    for influence in own {
        let (turn, shift) = of(influence.joint);
        let weight = if turn.dot(pivot) < 0.0 { -influence.weight } else { influence.weight };
        real += weight * DVec4::from(turn);
        dual += weight * DVec4::from(shift);
    }
    let length = real.length();
    let (real, dual) = (DQuat::from_vec4(real / length), DQuat::from_vec4(dual / length));
    real * point + 2.0 * (dual * real.conjugate()).xyz()
}

#[test]
fn every_method_moves_other_blendings_alike_and_touches_as_brute_force_says() {
    let scene = every_deformation(5);
    for blending in [Blending::Spherical, Blending::DualQuaternion] {
        let (mut found, mut apart): (usize, f64) = (0, 0.0);
        for time in [0.0, 0.3, 0.9, 1.0] {
            let mut expected: Option<Vec<Vec<DVec3>>> = None;
            for method in METHODS {
                for self_contact in [SelfContact::Counted, SelfContact::Prepared] {
                    let settings = BodySettings { method, self_contact, blending };
                    let scenes = vec![scene.clone().into()];
                    let mut bodies = SceneBodies::of_scenes(scenes, settings).unwrap();
                    bodies.set_time(time).unwrap();
                    let truth = brute_force::contacts(bodies.world()).contacts;
                    assert_eq!(contacts(&bodies), truth, "{blending:?} {method:?} {time}");
                    found += truth.len();
                    let vertices = |(_, body): (_, &AnyBody)| {
                        let count = body.mesh().positions().len() as u32;
                        (0..count).map(|v| body.position(v).unwrap()).collect()
                    };
                    let now: Vec<Vec<DVec3>> = bodies.world().iter().map(vertices).collect();
                    assert_eq!(*expected.get_or_insert_with(|| now.clone()), now, "{method:?}");
                }
            }
            // The plain skin is the fourth object.
            let pose = scene.pose(Some(0), time).unwrap();
            let skin = &scene.objects()[3];
            let Deformation::Skin { weights, .. } = &skin.deformation else { panic!() };
            for (vertex, &place) in expected.unwrap()[3].iter().enumerate() {
                let (own, joints) = (weights.of(vertex), &pose.joints[0]);
                let rest = skin.mesh.positions()[vertex];
                if blending == Blending::DualQuaternion {
                    let by_hand = by_dual_quaternions(own, joints, rest);
                    assert!(by_hand.distance(place) < 1e-9, "{vertex} at {time}");
                }
                let linear = pliant::deform::blend_linear(own, joints, rest);
                apart = apart.max(linear.distance(place));
            }
        }
        assert!(found > 20 && apart > 1e-3, "{blending:?}: {found} contacts, {apart} from linear");
    }
}
