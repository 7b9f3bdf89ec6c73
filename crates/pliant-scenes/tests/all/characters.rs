//! The man and the creature, alone and in pairs.

use std::sync::OnceLock;

use crate::support::hash;
use pliant::glam::{DAffine3, DVec3};
use pliant::{Body, Mesh};
use pliant_scenes::{
    Character, Topology, TwoCharacters, creature, large_twists, man, two_creatures, two_men_passing,
};

fn the_man() -> &'static Character {
    static MAN: OnceLock<Character> = OnceLock::new();
    MAN.get_or_init(|| man().unwrap())
}

fn the_creature() -> &'static Character {
    static CREATURE: OnceLock<Character> = OnceLock::new();
    CREATURE.get_or_init(|| creature().unwrap())
}

fn volume(positions: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let six = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|vertex| positions[vertex as usize]);
        a.cross(b).dot(c)
    };
    triangles.iter().map(six).sum::<f64>() / 6.0
}

/// The properties that hold for both characters.
fn check(character: &Character, triangles: usize, joints: usize) {
    let topology = Topology::of(&character.mesh);
    assert!(topology.is_closed(), "{topology:?}");
    assert_eq!((topology.components, topology.euler_characteristic()), (1, 2));
    assert_eq!((topology.triangles, topology.vertices), (triangles, triangles / 2 + 2));
    assert_eq!(character.mesh.positions().len(), topology.vertices, "no vertex is left over");

    assert_eq!(character.joints.len(), joints);
    for (number, joint) in character.joints.iter().enumerate() {
        assert_eq!(joint.parent.is_none(), number == 0, "{joint:?}");
        assert!(joint.parent.is_none_or(|parent| parent < number), "{joint:?}");
        assert_eq!(character.joint(&joint.name), Some(number), "names are unique");
    }

    assert_eq!(character.starts.len(), topology.vertices + 1);
    let mut used = vec![false; joints];
    for vertex in 0..topology.vertices {
        let influences = character.influences_of(vertex);
        assert!((1..=4).contains(&influences.len()), "vertex {vertex}");
        let sum: f64 = influences.iter().map(|influence| influence.weight).sum();
        assert!((sum - 1.0).abs() < 1e-12, "vertex {vertex}: {sum}");
        for influence in influences {
            assert!(influence.weight > 0.0);
            used[influence.joint as usize] = true;
        }
    }
    assert!(used.iter().all(|&used| used), "every joint moves something: {used:?}");

    let body = Body::rigid(character.mesh.clone()).unwrap();
    assert_eq!(pliant::self_intersections(&body).pairs, [] as [[u32; 2]; 0]);
}

#[test]
fn the_man_is_a_closed_skin_over_27_joints() {
    let man = the_man();
    check(man, 8270, 27);
    let litres = 1000.0 * volume(man.mesh.positions(), man.mesh.triangles());
    assert!((60.0..110.0).contains(&litres), "{litres}");
    let heights = man.mesh.positions().iter().map(|p| p.y);
    let (low, high) = heights.fold((1.0f64, 1.0f64), |(low, high), y| (low.min(y), high.max(y)));
    assert!(low.abs() < 0.02 && (1.75..1.85).contains(&high), "{low} to {high}");
}

#[test]
fn the_creature_is_a_closed_skin_over_56_joints() {
    check(the_creature(), 13_590, 56);
}

#[test]
fn neighbors_have_similar_weights() {
    for character in [the_man(), the_creature()] {
        for &[a, b, _] in character.mesh.triangles() {
            let [one, other] = [a, b].map(|vertex| character.influences_of(vertex as usize));
            let weight = |of: &[pliant_scenes::Influence], joint| {
                of.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
            };
            for influence in one.iter().chain(other) {
                let joint = influence.joint;
                let step = (weight(one, joint) - weight(other, joint)).abs();
                assert!(step < 0.45, "joint {joint} between {a} and {b}: {step}");
            }
        }
    }
}

#[test]
fn poses_are_rigid_and_leave_rest_to_rest() {
    for character in [the_man(), the_creature()] {
        let rest = character.matrices(DAffine3::IDENTITY, &[]);
        for (before, after) in
            character.mesh.positions().iter().zip(character.positions(&rest).unwrap())
        {
            assert!(before.distance(after) < 1e-12);
        }
        for step in 0..20 {
            for joint in character.pose(0.1 * f64::from(step)) {
                let turn = joint.matrix3;
                let square = turn.transpose() * turn;
                assert!(square.abs_diff_eq(pliant::glam::DMat3::IDENTITY, 1e-12));
                assert!(turn.determinant() > 0.0 && joint.translation.is_finite());
            }
        }
    }
    assert!(the_man().positions(&[]).is_err());
}

#[test]
fn walkers_stay_on_the_ground_and_get_on() {
    for character in [the_man(), the_creature()] {
        let way = character.walk_speed() * character.walk_period();
        for step in 0..12 {
            let time = character.walk_period() * f64::from(step) / 12.0;
            let now = character.positions(&character.pose(time)).unwrap();
            let lowest = now.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            assert!((-0.05..0.05).contains(&lowest), "{lowest} at {time}");
            let later = character.positions(&character.pose(time + character.walk_period()));
            for (now, later) in now.iter().zip(later.unwrap()) {
                assert!(later.distance(*now + way * DVec3::Z) < 1e-9);
            }
            let change = volume(&now, character.mesh.triangles())
                / volume(character.mesh.positions(), character.mesh.triangles());
            assert!((0.9..1.1).contains(&change), "{change} at {time}");
        }
    }
}

fn body(scene: &TwoCharacters, matrices: &[DAffine3]) -> pliant::FreeBody {
    let positions = scene.character.positions(matrices).unwrap();
    let mesh = Mesh::new(positions, scene.character.mesh.triangles().to_vec()).unwrap();
    Body::free(mesh).unwrap()
}

/// The number of crossing pairs in every `stride`th frame, with the frame's number.
fn contacts(scene: &TwoCharacters, stride: usize) -> Vec<(usize, usize)> {
    let frames = scene.frames.iter().enumerate().step_by(stride);
    frames
        .map(|(frame, [first, second])| {
            let hit = pliant::intersections(&body(scene, first), &body(scene, second));
            (frame, hit.pairs.len())
        })
        .collect()
}

#[test]
fn two_men_are_apart_brush_and_are_apart_again() {
    let scene = two_men_passing().unwrap();
    let contacts = contacts(&scene, 2);
    // The left arms pass one another on the inner side; nothing else touches.
    let arms = [
        "left_shoulder",
        "left_elbow",
        "left_wrist",
        "left_thumb",
        "left_fingers",
        "left_fingertips",
    ];
    let [first, second] = &scene.frames[56];
    for pair in pliant::intersections(&body(&scene, first), &body(&scene, second)).pairs {
        for triangle in pair {
            let vertex = scene.character.mesh.triangles()[triangle as usize][0] as usize;
            let joint = scene.character.influences_of(vertex)[0].joint as usize;
            assert!(arms.contains(&scene.character.joints[joint].name.as_str()), "{joint}");
        }
    }
    let touching: Vec<usize> =
        contacts.iter().filter(|(_, pairs)| *pairs > 0).map(|(frame, _)| *frame).collect();
    assert!(!touching.is_empty(), "{contacts:?}");
    assert!(touching.iter().all(|frame| (40..80).contains(frame)), "{contacts:?}");
    let most = contacts.iter().map(|(_, pairs)| *pairs).max().unwrap();
    assert!((20..600).contains(&most), "a brush, not a crash: {contacts:?}");
}

#[test]
fn two_creatures_walk_through_one_another() {
    let scene = two_creatures().unwrap();
    let contacts = contacts(&scene, 8);
    assert_eq!((contacts[0].1, contacts[contacts.len() - 1].1), (0, 0), "{contacts:?}");
    let most = contacts.iter().map(|(_, pairs)| *pairs).max().unwrap();
    assert!(most > 500, "{contacts:?}");
}

#[test]
fn twists_reach_half_a_turn() {
    let scene = large_twists().unwrap();
    let neck = scene.character.joint("neck").unwrap();
    let chest = scene.character.joint("chest").unwrap();
    let turn = |frame: usize, who: usize| {
        let matrices = &scene.frames[frame][who];
        let relative = matrices[chest].matrix3.inverse() * matrices[neck].matrix3;
        // The trace of a rotation by an angle is 1 + 2 cos(angle).
        let trace = relative.x_axis.x + relative.y_axis.y + relative.z_axis.z;
        ((trace - 1.0) / 2.0).clamp(-1.0, 1.0).acos().to_degrees()
    };
    for who in 0..2 {
        assert!(turn(0, who) < 1e-3);
        let most = (0..scene.frames.len()).map(|frame| turn(frame, who)).fold(0.0, f64::max);
        assert!(most > 179.0, "{most}");
    }
    let hit = pliant::intersections(
        &body(&scene, &scene.frames[0][0]),
        &body(&scene, &scene.frames[0][1]),
    );
    assert!(hit.pairs.is_empty(), "apart at rest");
}

#[test]
fn characters_are_the_same_each_time() {
    for (made, again) in [(the_man(), man().unwrap()), (the_creature(), creature().unwrap())] {
        assert_eq!(hash(made.mesh.positions()), hash(again.mesh.positions()));
        assert_eq!(made.mesh.triangles(), again.mesh.triangles());
        assert_eq!((&made.starts, &made.influences), (&again.starts, &again.influences));
        assert_eq!(made.pose(0.7), again.pose(0.7));
    }
}
