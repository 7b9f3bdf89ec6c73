//! Poses of four small files compared with numbers that were computed by hand from the files'
//! contents. No expected value comes from the code under test; the arithmetic is in the comments.
//!
//! The files are not part of the repository; without them the tests print a message.

use crate::common::shared;
use pliant::glam::DVec3;
use pliant_io::*;

fn load(path: &str) -> Option<Scene> {
    Some(read_gltf(shared("gltf")?.join(path)).unwrap())
}

/// Compares a vertex of an object with a position that was computed to six or more decimals.
fn assert_at(scene: &Scene, animation: &str, time: f64, node: usize, rows: &[(usize, [f64; 3])]) {
    let animation = scene.find_animation(animation);
    assert!(animation.is_some());
    let pose = scene.pose(animation, time).unwrap();
    let object = scene.objects().iter().position(|object| object.node == node).unwrap();
    let posed = scene.posed(object, &pose).unwrap();
    for &(vertex, expected) in rows {
        let (found, expected) = (posed.position(vertex).unwrap(), DVec3::from_array(expected));
        assert!(
            found.distance(expected) < 2e-6,
            "at {time} s, node {node}, vertex {vertex}: {found}, not {expected}"
        );
    }
}

/// A strip of ten vertices, two at each of the heights 0, 0.5, 1, 1.5 and 2, at x = -0.5 and 0.5.
/// Joint 0 does not move from the origin. Joint 1 is at (0, 1, 0), was bound there, and rotates
/// about z, so a point (x, y) that follows it alone moves to (x cos - (y - 1) sin, x sin + (y - 1)
/// cos + 1).
#[test]
fn simple_skin() {
    let Some(scene) = load("skinned/SimpleSkin-embedded.gltf") else { return };
    assert_eq!(scene.objects()[0].deformation.name(), "skin-linear");
    assert_eq!((scene.animations()[0].start, scene.animations()[0].end), (0.0, 5.5));
    // At the key of 1 s the quaternion is 0.707 (0, 0, 1, 1): a quarter turn.
    let quarter = [
        (0, [-0.5, 0.0, 0.0]),
        // Half of (-0.5, 1) and half of its image under joint 1, (0, 0.5).
        (4, [-0.25, 0.75, 0.0]),
        // A quarter of (0.5, 1.5) and three quarters of (-0.5, 1.5).
        (7, [-0.25, 1.5, 0.0]),
        (9, [-1.0, 1.5, 0.0]),
    ];
    assert_at(&scene, "0", 1.0, 0, &quarter);
    // 0.75 s is halfway between (0, 0, 0.383, 0.924), whose half angle is atan(0.383 / 0.924) =
    // 22.514113 degrees, and a half angle of 45. The interpolated angle is twice their mean:
    // 67.514113 degrees, with cosine 0.3824559 and sine 0.9239738.
    let between = [
        (1, [0.5, 0.0, 0.0]),
        // Half of (-0.5, 1) and half of (-0.5 cos, 1 - 0.5 sin).
        (4, [-0.3456140, 0.7690066, 0.0]),
        // A quarter of (0.5, 1.5), three quarters of (0.5 cos - 0.5 sin, 0.5 sin + 0.5 cos + 1).
        (7, [-0.0780692, 1.6149111, 0.0]),
        // (0.5 cos - sin, 0.5 sin + cos + 1).
        (9, [-0.7327458, 1.8444427, 0.0]),
    ];
    assert_at(&scene, "0", 0.75, 0, &between);
    // 3.75 s is the mirror image in x.
    assert_at(&scene, "0", 3.75, 0, &[(8, [0.7327458, 1.8444427, 0.0])]);
    // After the end the last key holds: no rotation.
    assert_at(&scene, "0", 99.0, 0, &[(9, [0.5, 2.0, 0.0])]);
}

/// A cylinder on two bones. Above them are a change of axes, (x, y, z) to (x, z, -y), and a quarter
/// turn, (x, y, z) to (y, -x, z); the first bone is moved by -4.1803298 along z.
#[test]
fn rigged_simple() {
    let Some(scene) = load("skinned/RiggedSimple.glb") else { return };
    assert_eq!(scene.skins()[0].joints.len(), 2);
    assert_eq!(scene.objects()[0].mesh.positions().len(), 160);
    // The first bone's inverse bind matrix maps (x, y, z) to (-y, x, z + 4.1803298); its
    // translation, the quarter turn and the change of axes then give (x, z, -y). It is not
    // animated.
    let first_bone = [
        // (0, -0.9999996, -4.5750771)
        (0, [0.0, -4.5750771, 0.9999996]),
        // (0.8314697, -0.5555698, -4.5750771)
        (9, [0.8314697, -4.5750771, 0.5555698]),
    ];
    // The first key, which holds before the animation starts, has the second bone as it was bound.
    let bound = [
        // (-0.4500791, -0.0000010, 4.5750771)
        (153, [-0.4500791, 4.5750771, 0.0000010]),
        // (0.4799817, 0.0954741, 0), on both bones.
        (18, [0.4799817, 0.0, -0.0954741]),
    ];
    assert_at(&scene, "0", 0.0, 2, &first_bone);
    assert_at(&scene, "0", 0.0, 2, &bound);
    // Halfway between the keys at 1 s and 1.0416670 s. Their rotations
    //     (0.2835392, 0.0002780, -0.0000822, -0.9589606)
    //     (0.2953396, 0.0002770, -0.0000856, -0.9553922)
    // add up to a direction of (0.2894449, 0.0002775, -0.0000839, -0.9571946), as a matrix
    //     0.9999998   0           -0.0005798
    //     0.0003213   0.8324433    0.5541102
    //     0.0004827  -0.5541103    0.8324431
    // The second bone's inverse bind matrix takes (x, y, z) to (-y + 0.0005798 z - 0.0000039,
    // x - 0.0279773, 0.0005798 y + z - 0.0067467); the bone itself stands at
    // (0, 0.0279775, 4.1870770 - 4.1803298).
    //
    // Vertex 153 so goes to (0.0026499, -0.4780564, 4.5683304), turned to
    // (0.0000010, 2.1334044, 4.0677725), moved to (0.0000010, 2.1613819, 4.0745197), and by the
    // two turns above to (2.1613819, 4.0745197, 0.0000010).
    //
    // Vertex 18 goes by the second bone to (0.4005071, -0.2493293, -0.0954741), of which it takes
    // 0.2613982, and 0.7386018 of (0.4799817, 0, -0.0954741).
    let middle = (1.0 + 1.041_666_984_558_105_5) / 2.0;
    let bent =
        [(153, [2.1613819, 4.0745197, 0.0000010]), (18, [0.4592072, -0.0651742, -0.0954741])];
    assert_at(&scene, "0", middle, 2, &first_bone);
    assert_at(&scene, "0", middle, 2, &bent);
}

/// Cubes of side 2 in a grid of spacing 3.4, one per kind of curve and property. Keys are at 0,
/// 0.5, 1, 1.5 and 2 s. Vertex 0 is the corner (-1, 1, 1).
#[test]
fn interpolation_test() {
    let Some(scene) = load("rigid-anim/InterpolationTest.glb") else { return };
    let at = |animation: &str, time: f64, node: usize, place: [f64; 3]| {
        assert_at(&scene, animation, time, node, &[(0, place)]);
    };
    // Scales of 1, 0, 1, 0, 1. A step keeps the earlier key until exactly the time of the later
    // one.
    at("Step Scale", 0.49, 0, [-1.0, 1.0, 1.0]);
    at("Step Scale", 0.5, 0, [0.0, 0.0, 0.0]);
    at("Step Scale", 0.99, 0, [0.0, 0.0, 0.0]);
    // A quarter of the way from 1 to 0, then three fifths from 0 to 1; the cube is at x = -3.4.
    at("Linear Scale", 0.125, 1, [-4.15, 0.75, 0.75]);
    at("Linear Scale", 0.8, 1, [-4.0, 0.6, 0.6]);
    // Zero tangents: at a quarter, 2/64 - 3/16 + 1 = 0.84375; at x = 3.4.
    at("CubicSpline Scale", 0.125, 2, [2.55625, 0.84375, 0.84375]);

    // Rotations about z by 0, -45, -90, -135 and -180 degrees. The corner's (-1, 1) moves to (-cos
    // - sin, cos - sin). The cubes are at y = 3.4.
    at("Step Rotation", 0.75, 3, [0.0, 4.8142136, 1.0]);
    // Halfway from -45: -67.5 degrees, cosine 0.3826834, sine -0.9238795.
    at("Linear Rotation", 0.75, 5, [-2.8588039, 4.7065630, 1.0]);
    // A fifth of the way: -54 degrees, cosine 0.5877853, sine -0.8090170. A fifth of the chord
    // would be at -53.9.
    at("Linear Rotation", 0.6, 5, [-3.1787683, 4.7968022, 1.0]);
    // Every tangent is (0, 0, 0, 1) a second, keys are half a second apart. At a quarter the
    // values count 0.84375 and 0.15625, the tangents 0.5 (1/64 - 2/16 + 1/4) = 0.0703125 and
    // 0.5 (1/64 - 1/16) = -0.0234375:
    //     z = 0.15625 * -0.3826834 = -0.0597943
    //     w = 0.84375 + 0.15625 * 0.9238795 + 0.0703125 - 0.0234375 = 1.0349812
    // As a rotation: cosine (ww - zz) / (ww + zz) = 0.9933467, sine 2wz / (ww + zz) = -0.1151622.
    at("CubicSpline Rotation", 0.125, 4, [3.4 - 0.8781845, 3.4 + 1.1085089, 1.0]);

    // Heights of 6.8, 10.8, 6.8, 10.8, 6.8.
    at("Step Translation", 0.25, 6, [-1.0, 7.8, 1.0]);
    at("Step Translation", 0.75, 6, [-1.0, 11.8, 1.0]);
    at("Linear Translation", 0.3, 8, [-4.4, 6.8 + 0.6 * 4.0 + 1.0, 1.0]);
    // As for the scale above: 0.15625 of the way.
    at("CubicSpline Translation", 0.125, 7, [2.4, 6.8 + 0.15625 * 4.0 + 1.0, 1.0]);
}

/// A cube of half side 0.01, scaled by 100 and rotated by half a turn about (0, 1, -1), which maps
/// (x, y, z) to (-x, -z, -y). Target "thin" raises the four corners with y < 0 by 0.0189325 in y;
/// "angle" raises the two of them with z < 0 by 0.0198908.
#[test]
fn animated_morph_cube() {
    let Some(scene) = load("morph/AnimatedMorphCube.glb") else { return };
    assert_eq!(scene.objects()[0].deformation.name(), "morph");
    // Between the keys at 0.3333333 s, weights (0.1121239, 0), and 0.3666667 s, (0.1334816, 0):
    // at a quarter, 0.1174633 of "thin".
    let quarter =
        0.333_333_343_267_440_8 + (0.366_666_674_613_952_64 - 0.333_333_343_267_440_8) / 4.0;
    let rows = [
        // (-0.01, 0.01, 0.01) does not move.
        (0, [1.0, -1.0, -1.0]),
        // (0.01, -0.01, 0.01): y is -0.01 + 0.1174633 * 0.0189325 = -0.0077761.
        (2, [-1.0, -1.0, 0.7776122]),
        // (0.01, -0.01, -0.01): the same, as "angle" has no weight yet.
        (6, [-1.0, 1.0, 0.7776122]),
    ];
    assert_at(&scene, "Square", quarter, 0, &rows);
    // Halfway between 1.9999994 s, weights (0.8055561, 0.1944439), and 2.0333328 s,
    // (0.7785900, 0.2214100): 0.7920731 and 0.2079269.
    let middle = (1.999_999_403_953_552_2 + 2.033_332_824_707_031_2) / 2.0;
    let rows = [
        (0, [1.0, -1.0, -1.0]),
        // -0.01 + 0.7920731 * 0.0189325 = 0.0049959.
        (2, [-1.0, -1.0, -0.4995948]),
        // -0.01 + 0.7920731 * 0.0189325 + 0.2079269 * 0.0198908 = 0.0091318.
        (6, [-1.0, 1.0, -0.9131788]),
    ];
    assert_at(&scene, "Square", middle, 0, &rows);
}
