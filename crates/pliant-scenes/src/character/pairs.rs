//! Two characters that meet.

use std::f64::consts::PI;

use pliant::Result;
use pliant::glam::{DAffine3, DQuat, DVec3};

use super::{Character, creature, man};
use crate::smooth_step::smooth_step;

/// Frames of [`two_men_passing`], at 30 frames per second.
pub const PASSING_FRAMES: usize = 120;
/// Frames of [`two_creatures`], at 30 frames per second.
pub const CREATURE_FRAMES: usize = 180;
/// Frames of [`large_twists`], at 30 frames per second.
pub const TWIST_FRAMES: usize = 90;

/// The lateral offset of the creatures' paths in metres: they do not meet exactly head on.
const ASIDE: f64 = 0.06;

/// Two characters with the same shape, and their motion.
#[derive(Debug, Clone)]
pub struct TwoCharacters {
    /// The shape of both.
    pub character: Character,
    /// For each frame, the joint matrices of the first and of the second.
    pub frames: Vec<[Vec<DAffine3>; 2]>,
}

/// Returns two men who walk towards one another, touch with their left arms as they pass, and walk
/// on.
///
/// They are apart in the first and last frames, and in contact in some frames around the middle.
///
/// # Errors
/// None in practice; all generators have this type.
///
/// ```
/// let scene = pliant_scenes::two_men_passing()?;
/// assert_eq!(scene.frames.len(), pliant_scenes::PASSING_FRAMES);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn two_men_passing() -> Result<TwoCharacters> {
    let character = man()?;
    // Both walk for two seconds before they are side by side.
    let half = (PASSING_FRAMES - 1) as f64 / 60.0;
    let aside = 0.24;
    let start = character.walk_speed() * half;
    let [first, second] = face_to_face(aside, start);
    let frames = (0..PASSING_FRAMES)
        .map(|frame| {
            let time = frame as f64 / 30.0;
            // A third of a period apart, so that the two are not mirror images.
            let later = character.walk_period() / 3.0;
            let mut other = character.pose(time + later);
            let back = DAffine3::from_translation(DVec3::NEG_Z * (character.walk_speed() * later));
            other.iter_mut().for_each(|joint| *joint = second * back * *joint);
            let one = character.pose(time).into_iter().map(|joint| first * joint).collect();
            [one, other]
        })
        .collect();
    Ok(TwoCharacters { character, frames })
}

/// Returns two creatures that walk straight through one another: apart at first, deeply overlapping
/// in the middle, apart at the end.
///
/// # Errors
/// None in practice; all generators have this type.
pub fn two_creatures() -> Result<TwoCharacters> {
    let character = creature()?;
    // Twice their normal speed: six seconds suffice to approach, cross and leave.
    let pace = 2.0;
    let half = (CREATURE_FRAMES - 1) as f64 / 60.0;
    let start = pace * character.walk_speed() * half;
    let places = face_to_face(ASIDE, start);
    let frames = (0..CREATURE_FRAMES)
        .map(|frame| {
            let pose = character.pose(pace * frame as f64 / 30.0);
            places.map(|place| pose.iter().map(|&joint| place * joint).collect())
        })
        .collect();
    Ok(TwoCharacters { character, frames })
}

/// The transforms of two characters that face one another: `start` metres from the middle each, and
/// `aside` metres off the line between them.
fn face_to_face(aside: f64, start: f64) -> [DAffine3; 2] {
    let turned = DQuat::from_rotation_y(PI);
    [
        DAffine3::from_translation(DVec3::new(-aside, 0.0, -start)),
        DAffine3::from_rotation_translation(turned, DVec3::new(aside, 0.0, start)),
    ]
}

/// Returns two men side by side with extreme joint rotations: the head turns by 180 degrees at the
/// neck, elbows bend until the forearm folds onto the upper arm, and forearms and trunk twist. At
/// the first frame both are at rest.
///
/// In the middle of the sequence every one of these joints has its largest rotation.
///
/// # Errors
/// None in practice; all generators have this type.
pub fn large_twists() -> Result<TwoCharacters> {
    let character = man()?;
    let frames = (0..TWIST_FRAMES)
        .map(|frame| {
            let t = frame as f64 / (TWIST_FRAMES - 1) as f64;
            let amount = smooth_step(2.0 * t.min(1.0 - t));
            [-1.0, 1.0].map(|place| {
                let root = DAffine3::from_translation(DVec3::X * (0.75 * place));
                character.matrices(root, &twist(&character, place * amount))
            })
        })
        .collect();
    Ok(TwoCharacters { character, frames })
}

/// The rotations of the joints, from none at 0 to the largest at 1, or in the other direction at
/// -1.
fn twist(character: &Character, amount: f64) -> Vec<DQuat> {
    let turn = |name: &str| match name {
        // Exactly half a turn, at the neck alone.
        "neck" => DQuat::from_rotation_y(PI * amount),
        "waist" => DQuat::from_rotation_y(-0.9 * amount),
        "left_elbow" => {
            DQuat::from_axis_angle(DVec3::new(-1.0, -1.0, 0.0).normalize(), 2.6 * amount.abs())
        }
        "right_elbow" => {
            DQuat::from_axis_angle(DVec3::new(-1.0, 1.0, 0.0).normalize(), 2.6 * amount.abs())
        }
        // About the arm's own axis.
        "left_wrist" => {
            DQuat::from_axis_angle(DVec3::new(1.0, -1.0, 0.0).normalize(), 2.4 * amount)
        }
        "right_shoulder" => {
            DQuat::from_axis_angle(DVec3::new(-1.0, -1.0, 0.0).normalize(), 1.8 * amount)
        }
        "left_knee" => DQuat::from_rotation_x(2.2 * amount.abs()),
        _ => DQuat::IDENTITY,
    };
    character.joints.iter().map(|joint| turn(&joint.name)).collect()
}
