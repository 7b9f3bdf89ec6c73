//! Two characters that meet.

use std::f64::consts::PI;

use pliant::Result;
use pliant::glam::{DAffine3, DQuat, DVec3};

use super::{Character, creature, man};
use crate::smooth_step::smooth_step;

/// Frames of [`two_men_passing`], 30 a second.
pub const PASSING_FRAMES: usize = 120;
/// Frames of [`two_creatures`], 30 a second.
pub const CREATURE_FRAMES: usize = 180;
/// Frames of [`large_twists`], 30 a second.
pub const TWIST_FRAMES: usize = 90;

/// How far the creatures' ways are off the middle, in metres: they do not meet quite head on.
const ASIDE: f64 = 0.06;

/// Two characters of the same kind and what they do.
#[derive(Debug, Clone)]
pub struct TwoCharacters {
    /// The shape of both.
    pub character: Character,
    /// For each frame the joint matrices of the first and of the second.
    pub frames: Vec<[Vec<DAffine3>; 2]>,
}

/// Two men who walk towards one another, brush past with their left arms, and walk on.
///
/// Apart in the first and in the last frames, in contact in some around the middle.
///
/// # Errors
/// None in practice; the type is that of every generator.
///
/// ```
/// let scene = pliant_scenes::two_men_passing()?;
/// assert_eq!(scene.frames.len(), pliant_scenes::PASSING_FRAMES);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn two_men_passing() -> Result<TwoCharacters> {
    let character = man()?;
    // Both walk two seconds before they are side by side.
    let half = (PASSING_FRAMES - 1) as f64 / 60.0;
    let aside = 0.24;
    let start = character.walk_speed() * half;
    let first = DAffine3::from_translation(DVec3::new(-aside, 0.0, -start));
    let second = DAffine3::from_rotation_translation(
        DQuat::from_rotation_y(PI),
        DVec3::new(aside, 0.0, start),
    );
    let frames = (0..PASSING_FRAMES)
        .map(|frame| {
            let time = frame as f64 / 30.0;
            // A third of a period apart, so that the two are no mirror images.
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

/// Two creatures that walk straight through one another, as ghosts would: apart at
/// first, deep inside one another in the middle, apart at the end.
///
/// # Errors
/// None in practice; the type is that of every generator.
pub fn two_creatures() -> Result<TwoCharacters> {
    let character = creature()?;
    // Twice their own pace: six seconds are enough to come, cross and go.
    let pace = 2.0;
    let half = (CREATURE_FRAMES - 1) as f64 / 60.0;
    let start = pace * character.walk_speed() * half;
    let first = DAffine3::from_translation(DVec3::new(-ASIDE, 0.0, -start));
    let second = DAffine3::from_rotation_translation(
        DQuat::from_rotation_y(PI),
        DVec3::new(ASIDE, 0.0, start),
    );
    let frames = (0..CREATURE_FRAMES)
        .map(|frame| {
            let pose = character.pose(pace * frame as f64 / 30.0);
            [first, second].map(|place| pose.iter().map(|&joint| place * joint).collect())
        })
        .collect();
    Ok(TwoCharacters { character, frames })
}

/// Two men side by side who do what tests skinning: the head turns by 180 degrees at the
/// neck, elbows bend until the forearm folds onto the upper arm, forearms and the
/// trunk twist. At the first frame both are at rest.
///
/// In the middle of the sequence every joint named has its largest turn.
///
/// # Errors
/// None in practice; the type is that of every generator.
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

/// The turns of the joints, from none at 0 to the largest at 1, or the other way at -1.
fn twist(character: &Character, amount: f64) -> Vec<DQuat> {
    let turn = |name: &str| match name {
        // Exactly half a turn in all, at the neck alone.
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
