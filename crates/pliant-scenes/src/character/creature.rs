//! A creature with six legs, two arms and a tail.

use pliant::Result;
use pliant::glam::DVec3;

use super::gait::Gait;
use super::{Character, Joint, joints, mirror_parts, skinned};
use crate::implicit::{Meshing, Part};

const TRIANGLES: usize = 13_590;

/// The three pairs of legs from the front: name, carrying joint, and position along the body.
const LEGS: [(&str, &str, f64); 3] =
    [("front", "withers", 0.42), ("middle", "back", 0.0), ("hind", "hips", -0.42)];

/// The joints of a leg; z is relative to the leg's own position.
const LEG_JOINTS: [(&str, [f64; 3]); 5] = [
    ("haunch", [0.15, 0.74, 0.0]),
    ("thigh", [0.28, 0.76, 0.0]),
    ("knee", [0.50, 0.92, 0.01]),
    ("shin", [0.66, 0.46, -0.02]),
    ("foot", [0.70, 0.09, 0.0]),
];

const SPINE: [(&str, &str, [f64; 3]); 16] = [
    ("hips", "", [0.0, 0.75, -0.42]),
    ("loin", "hips", [0.0, 0.77, -0.2]),
    ("back", "loin", [0.0, 0.78, 0.05]),
    ("withers", "back", [0.0, 0.8, 0.35]),
    ("neck", "withers", [0.0, 0.92, 0.56]),
    ("nape", "neck", [0.0, 1.12, 0.68]),
    ("head", "nape", [0.0, 1.28, 0.74]),
    ("jaw", "head", [0.0, 1.25, 0.79]),
    ("tail_1", "hips", [0.0, 0.74, -0.62]),
    ("tail_2", "tail_1", [0.0, 0.71, -0.78]),
    ("tail_3", "tail_2", [0.0, 0.67, -0.94]),
    ("tail_4", "tail_3", [0.0, 0.64, -1.1]),
    ("tail_5", "tail_4", [0.0, 0.62, -1.26]),
    ("tail_6", "tail_5", [0.0, 0.62, -1.42]),
    ("tail_7", "tail_6", [0.0, 0.64, -1.57]),
    ("tail_8", "tail_7", [0.0, 0.68, -1.71]),
];

const ARM: [(&str, &str, [f64; 3]); 5] = [
    ("left_shoulder", "withers", [0.15, 0.88, 0.56]),
    ("left_elbow", "left_shoulder", [0.36, 0.8, 0.7]),
    ("left_wrist", "left_elbow", [0.34, 0.94, 0.94]),
    ("left_claw", "left_wrist", [0.3, 1.0, 1.06]),
    ("left_spur", "left_wrist", [0.35, 0.98, 1.04]),
];

/// Returns a creature that is 3 m long and has 56 joints: six legs, two arms with claws, a jaw and
/// a tail.
///
/// The surface is closed and connected, faces outward, and has no self-intersections at rest. It
/// has 13,590 triangles, like the creature of Kavan and Žára 2006. Theirs has 6682 vertices. A
/// closed surface without handles has F / 2 + 2, here 6797, and each handle removes two, so no
/// closed surface has the even number 6682.
///
/// # Errors
/// None in practice; all generators have this type.
///
/// ```
/// let beast = pliant_scenes::creature()?;
/// assert_eq!((beast.mesh.positions().len(), beast.mesh.triangles().len()), (6797, 13_590));
/// assert_eq!((beast.joints.len(), beast.pose(0.5).len()), (56, 56));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn creature() -> Result<Character> {
    let joints = skeleton();
    let parts = parts(&joints);
    // Thin limbs have finer triangles than the trunk.
    let edge_length = |p: DVec3| {
        let off_trunk = (p.x.abs() - 0.12).max(p.z - 0.6).max(-0.7 - p.z) / 0.3;
        1.0 - 0.4 * off_trunk.clamp(0.0, 1.0)
    };
    let meshing = Meshing {
        low: DVec3::new(-0.86, -0.04, -1.96),
        high: DVec3::new(0.86, 1.5, 1.3),
        cell: 0.022,
        triangles: TRIANGLES,
        edge_length: &edge_length,
    };
    skinned(joints, &parts, &meshing, 12, Gait::SixLegged)
}

fn skeleton() -> Vec<Joint> {
    let mut table: Vec<(String, String, [f64; 3])> = Vec::new();
    let mut add = |(name, parent, place): (&str, &str, [f64; 3])| {
        table.push((name.to_owned(), parent.to_owned(), place));
    };
    SPINE.into_iter().for_each(&mut add);
    for (leg, carrier, z) in LEGS {
        let mut parent = carrier.to_owned();
        for (name, [x, y, dz]) in LEG_JOINTS {
            let name = format!("left_{leg}_{name}");
            add((&name, &parent, [x, y, z + dz]));
            parent = name;
        }
    }
    ARM.into_iter().for_each(&mut add);
    let table: Vec<(&str, &str, [f64; 3])> = table
        .iter()
        .map(|(name, parent, place)| (name.as_str(), parent.as_str(), *place))
        .collect();
    joints(&table)
}

/// The round parts of the creature's body at rest.
fn parts(joints: &[Joint]) -> Vec<Part> {
    let joint = |name: &str| joints.iter().position(|j| j.name == name).unwrap_or_default();
    let rest = |name: &str| joints[joint(name)].rest;
    let at = DVec3::new;
    let part = |name: &str, from, to, radii| Part::round(joint(name), from, to, radii);
    let mut parts = vec![
        part("hips", at(0.0, 0.75, -0.5), rest("loin"), [0.15, 0.15]).blended(0.08),
        part("loin", rest("loin"), rest("back"), [0.15, 0.17]).blended(0.06),
        part("back", rest("back"), rest("withers"), [0.17, 0.18]).blended(0.06),
        part("withers", rest("withers"), rest("neck"), [0.18, 0.12]).blended(0.06),
        part("neck", rest("neck"), rest("nape"), [0.11, 0.08]).blended(0.05),
        part("nape", rest("nape"), rest("head"), [0.08, 0.075]).blended(0.04),
        part("head", at(0.0, 1.31, 0.74), at(0.0, 1.29, 0.98), [0.095, 0.05]).blended(0.04),
        part("jaw", at(0.0, 1.215, 0.8), at(0.0, 1.165, 0.95), [0.05, 0.032]).blended(0.02),
    ];
    let mut radius = 0.12;
    for number in 1..=8 {
        let name = format!("tail_{number}");
        let from = rest(&name);
        let to =
            if number == 8 { at(0.0, 0.75, -1.87) } else { rest(&format!("tail_{}", number + 1)) };
        let thinner = 0.84 * radius;
        parts.push(part(&name, from, to, [radius, thinner]).blended(0.04));
        radius = thinner;
    }
    let first_paired = parts.len();
    for (leg, _, z) in LEGS {
        let name = |bare: &str| format!("left_{leg}_{bare}");
        let place = |bare: &str| rest(&name(bare));
        let toe = at(0.715, 0.03, z + 0.09);
        for (bare, to, radii) in [
            ("haunch", place("thigh"), [0.085, 0.075]),
            ("thigh", place("knee"), [0.075, 0.055]),
            ("knee", place("shin"), [0.055, 0.038]),
            ("shin", place("foot"), [0.038, 0.03]),
            ("foot", toe, [0.034, 0.026]),
        ] {
            let from = place(bare);
            parts.push(part(&name(bare), from, to, radii).blended(0.025));
        }
    }
    parts.extend([
        part("left_shoulder", rest("left_shoulder"), rest("left_elbow"), [0.06, 0.045]),
        part("left_elbow", rest("left_elbow"), rest("left_wrist"), [0.045, 0.035]).blended(0.02),
        part("left_wrist", rest("left_wrist"), at(0.32, 0.985, 1.04), [0.04, 0.035]).blended(0.02),
        part("left_claw", rest("left_claw"), at(0.24, 1.03, 1.2), [0.028, 0.014]).blended(0.015),
        part("left_spur", rest("left_spur"), at(0.4, 1.0, 1.19), [0.028, 0.014]).blended(0.015),
        // Eyes and horns.
        part("head", at(0.06, 1.36, 0.83), at(0.062, 1.365, 0.84), [0.03, 0.028]).blended(0.01),
        part("head", at(0.05, 1.37, 0.72), at(0.11, 1.45, 0.62), [0.03, 0.016]).blended(0.02),
    ]);
    mirror_parts(&mut parts, first_paired, joints);
    parts
}
