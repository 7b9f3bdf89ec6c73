//! Characters: a skin over joints, and walks for it.
//!
//! The sizes are those of Kavan and Žára 2006, section 6; the shapes and the walks
//! are our own, written down as formulas.

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

/// A joint of a character. At rest its axes are those of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// What it is called, `left_knee` say; left is +x, as the character faces +z.
    pub name: String,
    /// The joint that carries it, an earlier one; none for the root.
    pub parent: Option<usize>,
    /// Where it is at rest.
    pub rest: DVec3,
}

/// How much a joint moves a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// The joint's number.
    pub joint: u32,
    /// Its weight, above 0; those of a vertex sum to 1 up to the rounding of `f64`.
    pub weight: f64,
}

/// A closed skin over a hierarchy of joints, which walks.
///
/// A pose is one matrix a joint: the joint's place in the world times the inverse of
/// its place at rest. All are rotations and translations, without scale.
#[derive(Debug, Clone)]
pub struct Character {
    /// The skin at rest, standing on y = 0 and facing +z.
    pub mesh: Mesh,
    /// The joints, parents before children.
    pub joints: Vec<Joint>,
    /// For each vertex the start of its influences, and their end: vertices + 1 numbers.
    pub starts: Vec<u32>,
    /// The influences of all vertices, at most four each.
    pub influences: Vec<Influence>,
    gait: Gait,
}

impl Character {
    /// The influences of one vertex; none if there is no such vertex.
    #[must_use]
    pub fn influences_of(&self, vertex: usize) -> &[Influence] {
        match self.starts.get(vertex..vertex.saturating_add(2)) {
            Some(&[start, end]) => {
                self.influences.get(start as usize..end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The number of the joint of a name.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Seconds after which the walk repeats itself, but for the way covered.
    #[must_use]
    pub fn walk_period(&self) -> f64 {
        self.gait.period()
    }

    /// Metres a second along +z.
    #[must_use]
    pub fn walk_speed(&self) -> f64 {
        self.gait.speed()
    }

    /// The walking character's joint matrices at a time in seconds: one a joint,
    /// starting at z = 0.
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

    /// The joint matrices for a turn of each joint about its own place, in axes that
    /// are those of the world at rest, with the root moved by `root`. Joints beyond the
    /// end of `rotations` keep their rest.
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

    /// The matrices with the lowest joint at the height of the lowest at rest.
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

    /// Where every vertex is for given joint matrices, by linear blending. An influence of a
    /// joint that there is not, in a changed character, leaves its share at rest.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] for another number of matrices than joints.
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

/// Joints from a table of names, parents and places: names that begin with `left_`
/// occur a second time as `right_`, mirrored, directly after.
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
