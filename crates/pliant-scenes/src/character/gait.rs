//! Gaits: the rotation of each joint at a time.

use std::f64::consts::{PI, TAU};

use pliant::glam::{DQuat, DVec3};

use super::Joint;

/// A gait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gait {
    /// On two legs, with swinging arms.
    Upright,
    /// On six legs, three of them on the ground at a time.
    SixLegged,
}

impl Gait {
    /// Seconds per two steps.
    pub(super) fn period(self) -> f64 {
        match self {
            Self::Upright => 1.1,
            Self::SixLegged => 1.2,
        }
    }

    /// Metres per second, matching the feet on the ground.
    pub(super) fn speed(self) -> f64 {
        match self {
            Self::Upright => 1.35,
            Self::SixLegged => 0.55,
        }
    }

    /// One rotation per joint.
    pub(super) fn rotations(self, joints: &[Joint], time: f64) -> Vec<DQuat> {
        let phase = TAU * (time / self.period());
        joints
            .iter()
            .map(|joint| match self {
                Self::Upright => upright(joint, phase),
                Self::SixLegged => six_legged(joint, phase),
            })
            .collect()
    }
}

/// 1 for left, -1 for right and 0 for central joints, and the name without its side.
fn side(joint: &Joint) -> (f64, &str) {
    if let Some(bare) = joint.name.strip_prefix("left_") {
        (1.0, bare)
    } else if let Some(bare) = joint.name.strip_prefix("right_") {
        (-1.0, bare)
    } else {
        (0.0, &joint.name)
    }
}

/// The axis about which an arm that stands off by 45 degrees at rest bends forward at the elbow:
/// perpendicular to the arm and to the forward direction.
fn elbow_axis(side: f64) -> DVec3 {
    DVec3::new(-1.0, -side, 0.0).normalize()
}

fn upright(joint: &Joint, phase: f64) -> DQuat {
    let (side, name) = side(joint);
    // The right leg is half a period behind the left; each arm swings with the opposite leg.
    let own = if side < 0.0 { phase + PI } else { phase };
    let swing = own.sin();
    match name {
        "hips" => DQuat::from_rotation_y(-0.07 * phase.sin()),
        "waist" => DQuat::from_rotation_y(0.1 * phase.sin()) * DQuat::from_rotation_x(0.03),
        "chest" => DQuat::from_rotation_y(0.08 * phase.sin()) * DQuat::from_rotation_x(0.02),
        "neck" => DQuat::from_rotation_y(-0.06 * phase.sin()) * DQuat::from_rotation_x(-0.03),
        "head" => DQuat::from_rotation_y(-0.05 * phase.sin()),
        // Arms are lowered to the sides, then swing.
        "collar" => DQuat::from_rotation_z(-0.06 * side),
        "shoulder" => DQuat::from_rotation_x(0.42 * swing) * DQuat::from_rotation_z(-0.55 * side),
        "elbow" => DQuat::from_axis_angle(elbow_axis(side), 0.42 - 0.22 * swing),
        "wrist" => DQuat::from_axis_angle(elbow_axis(side), 0.1),
        "fingers" => finger_bend(side, 0.3),
        "fingertips" => finger_bend(side, 0.35),
        // Legs: forward is a rotation about -x; they come together under the body.
        "hip" => {
            DQuat::from_rotation_x(-0.08 - 0.46 * swing) * DQuat::from_rotation_z(-0.05 * side)
        }
        "knee" => {
            // Bent most while the leg moves forward, and slightly when it takes the weight.
            let forward = own.cos() * 0.5 + 0.5;
            let lift = forward * forward * forward;
            DQuat::from_rotation_x(0.1 + 0.85 * lift + 0.12 * (1.0 - swing) / 2.0)
        }
        "ankle" => DQuat::from_rotation_x(-0.08 + 0.28 * (own + 0.9).sin().min(0.35)),
        "toes" => DQuat::from_rotation_x(-0.35 * (-(own - 0.3).sin()).max(0.0)),
        _ => DQuat::IDENTITY,
    }
}

/// Fingers bend towards the palm, about the axis across it.
fn finger_bend(side: f64, angle: f64) -> DQuat {
    DQuat::from_rotation_z(-side * angle)
}

fn six_legged(joint: &Joint, phase: f64) -> DQuat {
    let (side, name) = side(joint);
    if let Some(number) = name.strip_prefix("tail_").and_then(|n| n.parse::<f64>().ok()) {
        let wave = (phase - 0.55 * number).sin();
        return DQuat::from_rotation_y(0.13 * wave) * DQuat::from_rotation_x(-0.03);
    }
    if let Some((leg, bare)) = name.split_once('_') {
        // Front and hind legs of one side step together with the middle leg of the other.
        let tripod = if (leg == "middle") == (side > 0.0) { phase } else { phase + PI };
        let lift = tripod.cos().max(0.0);
        return match bare {
            "haunch" => DQuat::from_rotation_y(-side * 0.22 * tripod.sin()),
            "thigh" => DQuat::from_rotation_z(side * 0.3 * lift),
            "knee" => DQuat::from_rotation_z(-side * 0.12 * lift),
            "shin" => DQuat::from_rotation_z(-side * 0.2 * lift),
            "foot" => DQuat::from_rotation_x(0.3 * lift),
            _ => DQuat::IDENTITY,
        };
    }
    match name {
        "loin" => DQuat::from_rotation_y(0.05 * phase.sin()),
        "back" => DQuat::from_rotation_y(-0.06 * phase.sin()),
        "withers" => DQuat::from_rotation_y(0.04 * phase.sin()),
        "neck" => DQuat::from_rotation_x(0.08 * (2.0 * phase).sin()),
        "nape" => DQuat::from_rotation_y(0.12 * phase.sin()),
        "head" => DQuat::from_rotation_x(-0.1 * (2.0 * phase).sin()),
        "jaw" => DQuat::from_rotation_x(0.08 + 0.08 * phase.sin()),
        "shoulder" => DQuat::from_rotation_x(0.2 * (phase + side).sin()),
        "elbow" => DQuat::from_rotation_x(-0.25 * (phase + side).cos()),
        "claw" => DQuat::from_rotation_y(-side * 0.1 * (2.0 * phase).sin()),
        "spur" => DQuat::from_rotation_y(side * 0.1 * (2.0 * phase).sin()),
        _ => DQuat::IDENTITY,
    }
}
