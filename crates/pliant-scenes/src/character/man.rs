//! A man.

use pliant::Result;
use pliant::glam::DVec3;

use super::gait::Gait;
use super::{Character, Joint, joints, mirror_parts, skinned};
use crate::implicit::{Meshing, Part};

const TRIANGLES: usize = 8270;

/// At rest arms stand off by 45 degrees and legs slightly, so that no limbs touch.
const JOINTS: [(&str, &str, [f64; 3]); 16] = [
    ("hips", "", [0.0, 0.95, 0.0]),
    ("waist", "hips", [0.0, 1.08, 0.0]),
    ("chest", "waist", [0.0, 1.25, -0.01]),
    ("neck", "chest", [0.0, 1.49, -0.02]),
    ("head", "neck", [0.0, 1.59, 0.0]),
    ("left_collar", "chest", [0.04, 1.43, -0.01]),
    ("left_shoulder", "left_collar", [0.18, 1.42, -0.01]),
    ("left_elbow", "left_shoulder", [0.385, 1.215, -0.015]),
    ("left_wrist", "left_elbow", [0.57, 1.03, 0.0]),
    ("left_thumb", "left_wrist", [0.585, 1.012, 0.03]),
    ("left_fingers", "left_wrist", [0.637, 0.963, 0.005]),
    ("left_fingertips", "left_fingers", [0.67, 0.93, 0.005]),
    ("left_hip", "hips", [0.095, 0.91, 0.0]),
    ("left_knee", "left_hip", [0.125, 0.50, 0.01]),
    ("left_ankle", "left_knee", [0.145, 0.085, -0.03]),
    ("left_toes", "left_ankle", [0.165, 0.03, 0.095]),
];

/// Returns a walking man of 1.8 m with 27 joints, whose arms stand off at rest.
///
/// The surface is closed and connected, faces outward, and has no self-intersections at rest. It
/// has 8270 triangles, like the man of Kavan and Žára 2006. Theirs has 4435 vertices, which is
/// impossible for a closed surface: with F triangles and no handle it has F / 2 + 2 vertices, here
/// 4137. (More vertices require holes, loose parts or vertices repeated along texture seams.) Hands
/// are mittens with a thumb.
///
/// # Errors
/// None in practice; all generators have this type.
///
/// ```
/// let man = pliant_scenes::man()?;
/// assert_eq!((man.mesh.positions().len(), man.mesh.triangles().len()), (4137, 8270));
/// assert_eq!((man.joints.len(), man.pose(0.5).len()), (27, 27));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn man() -> Result<Character> {
    let joints = joints(&JOINTS);
    let parts = parts(&joints);
    // Hands, face and feet have finer triangles.
    let edge_length = |p: DVec3| {
        let hand = DVec3::new(0.62, 0.98, 0.0).distance(DVec3::new(p.x.abs(), p.y, p.z));
        let face = DVec3::new(0.0, 1.65, 0.08).distance(p);
        let foot = p.y + 0.1;
        let near = (hand / 0.25).min(face / 0.3).min(foot / 0.4).min(1.0);
        0.55 + 0.45 * near
    };
    let meshing = Meshing {
        low: DVec3::new(-0.78, -0.02, -0.2),
        high: DVec3::new(0.78, 1.86, 0.26),
        cell: 0.015,
        triangles: TRIANGLES,
        edge_length: &edge_length,
    };
    skinned(joints, &parts, &meshing, 14, Gait::Upright)
}

/// The round parts of the man's body at rest.
pub(crate) fn parts(joints: &[Joint]) -> Vec<Part> {
    let joint = |name: &str| joints.iter().position(|j| j.name == name).unwrap_or_default();
    let at = DVec3::new;
    // The normal of the palm, which faces the thigh when the arm hangs down.
    let palm = at(-1.0, -1.0, 0.0).normalize();
    let part = |name: &str, from, to, radii| Part::round(joint(name), from, to, radii);
    let rest = |name: &str| joints[joint(name)].rest;
    let middle = |name: &str, from: DVec3, to: DVec3, radii| {
        part(name, at(-from.x, from.y, from.z), to, radii)
    };
    let mut parts = vec![
        middle("hips", at(0.055, 0.94, 0.0), at(0.055, 0.94, 0.0), [0.125; 2]).flat(DVec3::Z, 0.9),
        middle("waist", at(0.04, 1.09, 0.005), at(0.04, 1.09, 0.005), [0.12; 2])
            .flat(DVec3::Z, 0.85)
            .blended(0.08),
        middle("chest", at(0.055, 1.24, 0.0), at(0.055, 1.24, 0.0), [0.125; 2])
            .flat(DVec3::Z, 0.82)
            .blended(0.08),
        middle("chest", at(0.075, 1.35, 0.0), at(0.075, 1.35, 0.0), [0.115; 2])
            .flat(DVec3::Z, 0.86)
            .blended(0.05),
        part("neck", at(0.0, 1.44, -0.02), at(0.0, 1.57, 0.0), [0.07, 0.056]),
        part("head", at(0.0, 1.68, -0.01), at(0.0, 1.705, 0.0), [0.098, 0.095])
            .flat(DVec3::X, 0.82),
        part("head", at(0.0, 1.65, 0.05), at(0.0, 1.605, 0.06), [0.055, 0.042]).blended(0.04),
        part("head", at(0.0, 1.68, 0.098), at(0.0, 1.645, 0.118), [0.01, 0.016]).blended(0.012),
    ];
    let first_paired = parts.len();
    let left = [
        ("left_collar", at(0.05, 1.42, -0.01), at(0.165, 1.415, -0.01), [0.062, 0.06], 0.05),
        ("left_shoulder", rest("left_shoulder"), at(0.275, 1.325, -0.01), [0.062, 0.05], 0.03),
        ("left_shoulder", at(0.275, 1.325, -0.01), rest("left_elbow"), [0.05, 0.041], 0.02),
        ("left_elbow", rest("left_elbow"), at(0.44, 1.16, -0.008), [0.041, 0.044], 0.02),
        ("left_elbow", at(0.44, 1.16, -0.008), at(0.565, 1.035, 0.0), [0.044, 0.028], 0.02),
        ("left_hip", at(0.085, 0.90, 0.0), at(0.105, 0.75, 0.005), [0.095, 0.085], 0.03),
        ("left_hip", at(0.105, 0.75, 0.005), rest("left_knee"), [0.085, 0.056], 0.02),
        ("left_knee", rest("left_knee"), at(0.132, 0.37, -0.02), [0.056, 0.06], 0.02),
        ("left_knee", at(0.132, 0.37, -0.02), at(0.145, 0.1, -0.03), [0.06, 0.037], 0.02),
        ("left_ankle", at(0.145, 0.05, -0.05), at(0.145, 0.1, -0.03), [0.042, 0.038], 0.02),
        ("left_ankle", at(0.147, 0.058, -0.02), at(0.163, 0.036, 0.08), [0.045, 0.036], 0.03),
    ];
    for (name, from, to, radii, blend) in left {
        parts.push(part(name, from, to, radii).blended(blend));
    }
    parts.extend([
        // Buttocks and breast.
        part("hips", at(0.07, 0.92, -0.05), at(0.07, 0.95, -0.045), [0.085, 0.08]).blended(0.05),
        part("chest", at(0.075, 1.33, 0.055), at(0.085, 1.35, 0.05), [0.055, 0.05]).blended(0.06),
        part("left_toes", at(0.163, 0.03, 0.09), at(0.172, 0.026, 0.15), [0.042, 0.034])
            .flat(DVec3::Y, 0.7),
        part("left_wrist", at(0.575, 1.025, 0.0), at(0.628, 0.972, 0.005), [0.034, 0.046])
            .flat(palm, 0.5)
            .blended(0.02),
        part("left_fingers", at(0.637, 0.963, 0.005), at(0.67, 0.93, 0.005), [0.045, 0.042])
            .flat(palm, 0.4)
            .blended(0.015),
        part("left_fingertips", at(0.67, 0.93, 0.005), at(0.695, 0.905, 0.005), [0.042, 0.03])
            .flat(palm, 0.38)
            .blended(0.015),
        part("left_thumb", at(0.59, 1.01, 0.025), at(0.625, 0.975, 0.068), [0.018, 0.013])
            .blended(0.015),
        // Ears.
        part("head", at(0.078, 1.675, -0.01), at(0.082, 1.655, -0.005), [0.018, 0.012])
            .blended(0.01),
    ]);
    mirror_parts(&mut parts, first_paired, joints);
    parts
}
