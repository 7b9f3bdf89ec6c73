//! Joint sets: the vertices that the same joints move.

use std::collections::HashMap;

use glam::DVec3;

use super::SkinWeights;
use crate::numeric::F64_SLACK;

/// All joint sets of a mesh. A vertex belongs to the set of the joints that have weight in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JointSets {
    /// The set of each vertex.
    of_vertex: Vec<u32>,
    /// The start of each set's joints, and the end of the last.
    starts: Vec<u32>,
    /// The joints of all sets, ascending within a set. The first joint of a set is its pivot.
    joints: Vec<u32>,
    /// The mean of each set's vertices at rest. Rotation centres are sought from there.
    anchors: Vec<DVec3>,
    /// For each set the largest distance from its anchor to a vertex that any of its joints moves.
    reaches: Vec<f64>,
    /// For each joint the mean of the vertices that it moves; the origin if there are none.
    joint_anchors: Vec<DVec3>,
    /// Whether all of these are below 1e100, far from where sums overflow.
    moderate: bool,
}

impl JointSets {
    /// The sets of checked weights, numbered by their first vertices.
    pub(super) fn new(weights: &SkinWeights, joint_count: usize) -> Self {
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let (mut starts, mut joints) = (vec![0], Vec::new());
        let of_vertex = (0..weights.vertices()).map(|vertex| {
            let own = weights.of(vertex).iter().filter(|influence| influence.weight > 0.0);
            let mut set: Vec<u32> = own.map(|influence| influence.joint).collect();
            set.sort_unstable();
            set.dedup();
            let next = numbers.len() as u32;
            *numbers.entry(set).or_insert_with_key(|set| {
                joints.extend_from_slice(set);
                starts.push(joints.len() as u32);
                next
            })
        });
        let of_vertex = of_vertex.collect();
        let anchors = vec![DVec3::ZERO; starts.len() - 1];
        let reaches = vec![0.0; starts.len() - 1];
        let joint_anchors = vec![DVec3::ZERO; joint_count];
        Self { of_vertex, starts, joints, anchors, reaches, joint_anchors, moderate: true }
    }

    /// Takes means and distances from the rest positions.
    pub(super) fn measure(&mut self, positions: &[DVec3]) {
        // Running means, because sums of large coordinates overflow.
        let mut counts = vec![0_u32; self.anchors.len()];
        let mut joint_counts = vec![0_u32; self.joint_anchors.len()];
        let update = |mean: &mut DVec3, count: &mut u32, p: DVec3| {
            *count += 1;
            *mean += p / f64::from(*count) - *mean / f64::from(*count);
        };
        for (&set, &p) in self.of_vertex.iter().zip(positions) {
            update(&mut self.anchors[set as usize], &mut counts[set as usize], p);
            for &joint in joints_of(&self.starts, &self.joints, set) {
                let joint = joint as usize;
                update(&mut self.joint_anchors[joint], &mut joint_counts[joint], p);
            }
        }
        self.moderate = self.joint_anchors.iter().all(|anchor| anchor.abs().max_element() < 1e100);
        let mut farthest = vec![0_f64; self.joint_anchors.len()];
        for (&set, &p) in self.of_vertex.iter().zip(positions) {
            for &joint in joints_of(&self.starts, &self.joints, set) {
                let joint = joint as usize;
                farthest[joint] = farthest[joint].max(p.distance(self.joint_anchors[joint]));
            }
        }
        for set in 0..self.anchors.len() {
            let anchor = self.anchors[set];
            let joints = joints_of(&self.starts, &self.joints, set as u32).iter();
            let reach = joints.map(|&joint| {
                let joint = joint as usize;
                self.joint_anchors[joint].distance(anchor) + farthest[joint]
            });
            self.reaches[set] = reach.fold(0.0, f64::max) * (1.0 + F64_SLACK);
        }
    }

    /// The number of sets.
    pub(crate) fn len(&self) -> usize {
        self.anchors.len()
    }

    /// The set of a vertex.
    #[inline]
    pub(crate) fn of_vertex(&self, vertex: usize) -> u32 {
        self.of_vertex[vertex]
    }

    /// The joints of a set, at least one.
    #[inline]
    pub(crate) fn joints(&self, set: u32) -> &[u32] {
        joints_of(&self.starts, &self.joints, set)
    }

    /// The largest distance from a set's anchor to a vertex that any of its joints moves.
    #[inline]
    pub(crate) fn reach(&self, set: u32) -> f64 {
        self.reaches[set as usize]
    }

    /// The mean of a set's vertices at rest.
    #[inline]
    pub(crate) fn anchor(&self, set: u32) -> DVec3 {
        self.anchors[set as usize]
    }

    /// Whether the anchors of all joints are below 1e100.
    #[inline]
    pub(super) fn joint_anchors_are_moderate(&self) -> bool {
        self.moderate
    }

    /// The mean of the vertices that a joint moves.
    #[inline]
    pub(super) fn joint_anchor(&self, joint: usize) -> DVec3 {
        self.joint_anchors[joint]
    }
}

#[inline]
fn joints_of<'a>(starts: &[u32], joints: &'a [u32], set: u32) -> &'a [u32] {
    let set = set as usize;
    &joints[starts[set] as usize..starts[set + 1] as usize]
}
