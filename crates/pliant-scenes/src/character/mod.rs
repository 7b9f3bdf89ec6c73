//! Skinned characters and their gaits.
//!
//! The sizes are those of Kavan and Žára 2006, section 5. The shapes and the walks are defined here
//! by formulas.

mod bind;
mod creature;
mod gait;
mod man;
mod pairs;

use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::{Error, Mesh, Result};

pub use creature::creature;
pub use man::man;
pub use pairs::{
    CREATURE_FRAMES, PASSING_FRAMES, TWIST_FRAMES, TwoCharacters, large_twists, two_creatures,
    two_men_passing,
};

pub(crate) use bind::weights as bind_weights;
use gait::Gait;
pub(crate) use man::parts as parts_of_man;

use crate::implicit::{Meshing, Part, surface};

/// A joint of a character. At rest its axes are those of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Its name, for example `left_knee`; left is +x, since the character faces +z.
    pub name: String,
    /// The parent joint, which comes earlier; `None` for the root.
    pub parent: Option<usize>,
    /// The rest position.
    pub rest: DVec3,
}

/// The influence of a joint on a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// The joint's number.
    pub joint: u32,
    /// Its weight, above 0; the weights of a vertex sum to 1 up to `f64` rounding.
    pub weight: f64,
}

/// A closed skin over a hierarchy of joints, with a gait.
///
/// A pose is one matrix per joint: the joint's transform in the world times the inverse of its rest
/// transform. All matrices are rotations and translations without scale.
#[derive(Debug, Clone)]
pub struct Character {
    /// The skin at rest, standing on y = 0 and facing +z.
    pub mesh: Mesh,
    /// The joints, parents before children.
    pub joints: Vec<Joint>,
    /// The start of each vertex's influences, and the end of the last: vertices + 1 numbers.
    pub starts: Vec<u32>,
    /// The influences of all vertices, at most four each.
    pub influences: Vec<Influence>,
    gait: Gait,
}

impl Character {
    /// The influences of a vertex; empty if the vertex does not exist.
    #[must_use]
    pub fn influences_of(&self, vertex: usize) -> &[Influence] {
        match self.starts.get(vertex..vertex.saturating_add(2)) {
            Some(&[start, end]) => {
                self.influences.get(start as usize..end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The number of the joint with a name.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The period of the walk in seconds, after which it repeats except for the distance covered.
    #[must_use]
    pub fn walk_period(&self) -> f64 {
        self.gait.period()
    }

    /// The walking speed in metres per second along +z.
    #[must_use]
    pub fn walk_speed(&self) -> f64 {
        self.gait.speed()
    }

    /// The joint matrices of the walking character at a time in seconds, one per joint, starting at
    /// z = 0.
    ///
    /// ```
    /// let man = pliant_scenes::man()?;
    /// let (now, later) = (man.pose(0.2), man.pose(0.2 + man.walk_period()));
    /// let way = later[0].translation.z - now[0].translation.z;
    /// assert!((way - man.walk_speed() * man.walk_period()).abs() < 1e-9);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    #[must_use]
    pub fn pose(&self, time: f64) -> Vec<DAffine3> {
        let mut pose = self.grounded(&self.gait.rotations(&self.joints, time));
        let forward = DAffine3::from_translation(DVec3::Z * (self.gait.speed() * time));
        for joint in &mut pose {
            *joint = forward * *joint;
        }
        pose
    }

    /// The joint matrices for one rotation per joint about its rest position, in the world's axes
    /// at rest, with the root transformed by `root`. Joints beyond the end of `rotations` are not
    /// rotated.
    #[must_use]
    pub fn matrices(&self, root: DAffine3, rotations: &[DQuat]) -> Vec<DAffine3> {
        let mut matrices: Vec<DAffine3> = Vec::with_capacity(self.joints.len());
        for (number, joint) in self.joints.iter().enumerate() {
            let rotation = rotations.get(number).copied().unwrap_or(DQuat::IDENTITY);
            let about_rest = DAffine3::from_rotation_translation(rotation, joint.rest)
                * DAffine3::from_translation(-joint.rest);
            let carried = joint.parent.and_then(|parent| matrices.get(parent).copied());
            matrices.push(carried.unwrap_or(root) * about_rest);
        }
        matrices
    }

    /// The matrices, translated so that the lowest joint is at the height of the lowest joint at
    /// rest.
    fn grounded(&self, rotations: &[DQuat]) -> Vec<DAffine3> {
        let mut matrices = self.matrices(DAffine3::IDENTITY, rotations);
        let lowest = |heights: &mut dyn Iterator<Item = f64>| heights.fold(f64::INFINITY, f64::min);
        let at_rest = lowest(&mut self.joints.iter().map(|joint| joint.rest.y));
        let now = lowest(
            &mut self.joints.iter().zip(&matrices).map(|(j, m)| m.transform_point3(j.rest).y),
        );
        for matrix in &mut matrices {
            matrix.translation.y += at_rest - now;
        }
        matrices
    }

    /// The position of every vertex for given joint matrices, by linear blend skinning. The share
    /// of an influence whose joint does not exist, in a modified character, stays at rest.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the number of matrices is not the number of joints.
    pub fn positions(&self, matrices: &[DAffine3]) -> Result<Vec<DVec3>> {
        if matrices.len() != self.joints.len() {
            let (expected, given) = (self.joints.len(), matrices.len());
            return Err(Error::CountMismatch { what: "joint matrices", expected, given });
        }
        let blend = |(vertex, &rest): (usize, &DVec3)| {
            self.influences_of(vertex).iter().fold(DVec3::ZERO, |sum, influence| {
                let moved = matrices.get(influence.joint as usize);
                sum + moved.map_or(rest, |joint| joint.transform_point3(rest)) * influence.weight
            })
        };
        Ok(self.mesh.positions().iter().enumerate().map(blend).collect())
    }
}

/// The name of a joint without `left_` or `right_`.
pub(crate) fn bare_name(joint: &str) -> &str {
    joint.strip_prefix("left_").or(joint.strip_prefix("right_")).unwrap_or(joint)
}

/// Adds the mirror images of the parts from `first` on, which belong to joints on the left or in the
/// middle.
fn mirror_parts(parts: &mut Vec<Part>, first: usize, joints: &[Joint]) {
    for number in first..parts.len() {
        let of_left = joints[parts[number].joint].name.replacen("left_", "right_", 1);
        let joint = joints.iter().position(|joint| joint.name == of_left).unwrap_or_default();
        parts.push(parts[number].mirrored(joint));
    }
}

/// A character whose skin is the surface around its parts. Weights diffuse `rounds` times.
fn skinned(
    joints: Vec<Joint>,
    parts: &[Part],
    meshing: &Meshing<'_>,
    rounds: usize,
    gait: Gait,
) -> Result<Character> {
    let skin = surface(parts, meshing);
    let (starts, influences) = bind::weights(&skin, parts, joints.len(), rounds);
    let mesh = Mesh::new(skin.positions, skin.triangles)?;
    Ok(Character { mesh, joints, starts, influences, gait })
}

/// Joints from a table of names, parents and positions. Names that begin with `left_` occur a
/// second time as `right_`, mirrored, directly after.
fn joints(table: &[(&str, &str, [f64; 3])]) -> Vec<Joint> {
    let mut joints: Vec<Joint> = Vec::new();
    for &(name, parent, place) in table {
        let mut add = |name: String, parent: &str, rest: DVec3| {
            let parent = joints.iter().position(|joint| joint.name == parent);
            joints.push(Joint { name, parent, rest });
        };
        let rest = DVec3::from_array(place);
        add(name.to_owned(), parent, rest);
        if let Some(bare) = name.strip_prefix("left_") {
            let right = |bare: &str| format!("right_{bare}");
            let parent = parent.strip_prefix("left_").map_or(parent.to_owned(), right);
            add(right(bare), &parent, DVec3::new(-rest.x, rest.y, rest.z));
        }
    }
    joints
}
