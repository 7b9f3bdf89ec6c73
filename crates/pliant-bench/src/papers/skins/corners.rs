//! Spheres by corners of weights: Algorithm 1 of Kavan and Žára 2006 as they wrote it, and what it is
//! for linear blending (their paper of 2005).
//!
//! A baseline in `f64`. A node keeps its smallest sphere at rest and, for each set of joints below it,
//! the corners of the polytope in which the weights lie (section 4.1).

use std::collections::BTreeMap;

use glam::{DAffine3, DMat3, DQuat, DVec3, DVec4};
use pliant::Mesh;
use pliant::deform::{Skin, SkinWeights};
use pliant::volume::{Ball, smallest_sphere};

/// Vertices below a node that the same joints move.
pub(crate) struct Group {
    pub(crate) joints: Vec<u32>,
    /// A weight for each joint.
    pub(crate) corners: Vec<Vec<f64>>,
    /// One of its vertices: all of them have one rotation centre.
    vertex: u32,
}

/// A node of the tree at rest.
pub(crate) struct Refit {
    center: DVec3,
    radius: f64,
    pub(crate) groups: Vec<Group>,
}

impl Refit {
    /// The node above some vertices.
    pub(crate) fn new(mesh: &Mesh, weights: &SkinWeights, vertices: &[u32]) -> Self {
        let ball = |&vertex: &u32| Ball::new(mesh.positions()[vertex as usize], 0.0);
        let around = smallest_sphere(&vertices.iter().map(ball).collect::<Vec<_>>());
        let mut sets: BTreeMap<Vec<u32>, (u32, Vec<Vec<f64>>)> = BTreeMap::new();
        for &vertex in vertices {
            let own = weights.of(vertex as usize).iter().filter(|own| own.weight > 0.0);
            let mut own: Vec<_> = own.collect();
            own.sort_by_key(|own| own.joint);
            let joints = own.iter().map(|own| own.joint).collect();
            let (_, rows) = sets.entry(joints).or_insert_with(|| (vertex, Vec::new()));
            rows.push(own.iter().map(|own| own.weight).collect());
        }
        let groups = sets.into_iter().map(|(joints, (vertex, rows))| {
            let corners = corners(joints.len(), &rows);
            Group { joints, corners, vertex }
        });
        Self { center: around.center, radius: around.radius, groups: groups.collect() }
    }

    /// The sphere in a pose of linear blending: the node's sphere at every corner.
    pub(crate) fn linear(&self, pose: &[DAffine3]) -> Ball {
        let spheres = self.groups.iter().flat_map(|group| {
            group.corners.iter().map(|weights| {
                let center = group.joints.iter().zip(weights).fold(DVec3::ZERO, |sum, (&j, &w)| {
                    sum + w * pose[j as usize].transform_point3(self.center)
                });
                (center, 0.0)
            })
        });
        bounding_sphere(&spheres.collect::<Vec<_>>(), self.radius)
    }

    /// Algorithm 1. The skin has the pose, blended spherically.
    pub(crate) fn spherical(&self, skin: &Skin) -> Ball {
        let pose = skin.joints();
        let mut first_list = Vec::new();
        for group in &self.groups {
            let rotation_center = skin.rotation_center_of(group.vertex).unwrap_or(self.center);
            let quaternions = signed_quaternions(group.joints.iter().map(|&j| pose[j as usize]));
            let (mut images, mut second_list) = (Vec::new(), Vec::new());
            for weights in &group.corners {
                let (mut image, mut blend) = (DVec3::ZERO, DVec4::ZERO);
                for ((&joint, &weight), &q) in group.joints.iter().zip(weights).zip(&quaternions) {
                    image += weight * pose[joint as usize].transform_point3(rotation_center);
                    blend += weight * q;
                }
                images.push(image);
                second_list.push(blend.normalize());
            }
            let mean = second_list.iter().sum::<DVec4>() / second_list.len() as f64;
            let radius = second_list.iter().map(|q| q.distance(mean)).fold(0.0, f64::max);
            let (offset, reach) = cap(mean, radius, self.center - rotation_center);
            first_list.extend(images.into_iter().map(|image| (image + offset, reach)));
        }
        bounding_sphere(&first_list, self.radius)
    }
}

/// Lines 12 to 15: the ball around all images of a vector under the rotations within a sphere of
/// quaternions. Their lemma 5 holds up to 90 degrees; beyond, the ball of all rotations takes its
/// place, or vertices would be lost.
fn cap(mean: DVec4, radius: f64, arm: DVec3) -> (DVec3, f64) {
    let length = mean.length();
    let height = (1.0 + length * length - radius * radius) / (2.0 * length);
    let angle = 2.0 * height.clamp(-1.0, 1.0).acos();
    if radius >= 1.0 || angle > std::f64::consts::FRAC_PI_2 {
        return (DVec3::ZERO, arm.length());
    }
    let turned = DMat3::from_quat(DQuat::from_vec4(mean / length)) * arm;
    (angle.cos() * turned, angle.sin() * arm.length())
}

/// The rotations of joints, each with the sign that brings it to the side of the first.
fn signed_quaternions(joints: impl Iterator<Item = DAffine3>) -> Vec<DVec4> {
    let quaternions = joints.map(|map| DVec4::from(DQuat::from_mat3(&map.matrix3).normalize()));
    let mut all: Vec<DVec4> = quaternions.collect();
    let pivot = all.first().copied().unwrap_or(DVec4::W);
    all.iter_mut().filter(|q| q.dot(pivot) < 0.0).for_each(|q| *q = -*q);
    all
}

/// BoundingSphere: around the mean of the centres, as small as that allows, then grown.
fn bounding_sphere(spheres: &[(DVec3, f64)], grown: f64) -> Ball {
    let center = spheres.iter().map(|&(c, _)| c).sum::<DVec3>() / spheres.len().max(1) as f64;
    let reach = spheres.iter().map(|&(c, r)| c.distance(center) + r).fold(0.0, f64::max);
    Ball::new(center, reach + grown)
}

/// The corners of the weights between the least and the largest of each joint that sum to 1:
/// all but one are at an end, and that one is between its ends.
pub(crate) fn corners(joints: usize, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let ends: Vec<[f64; 2]> = (0..joints)
        .map(|joint| {
            let own = rows.iter().map(|row| row[joint]);
            own.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], w| [l.min(w), h.max(w)])
        })
        .collect();
    let mut found: Vec<Vec<f64>> = Vec::new();
    for free in 0..joints {
        for choice in 0..1_u32 << joints {
            let mut corner: Vec<f64> =
                (0..joints).map(|joint| ends[joint][(choice >> joint & 1) as usize]).collect();
            let rest: f64 = (0..joints).filter(|&joint| joint != free).map(|j| corner[j]).sum();
            corner[free] = 1.0 - rest;
            let inside =
                corner[free] >= ends[free][0] - 1e-9 && corner[free] <= ends[free][1] + 1e-9;
            let near =
                |other: &Vec<f64>| corner.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-9);
            if inside && !found.iter().any(near) {
                found.push(corner);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::skins::duel::weights_of;
    use crate::papers::skins::radii::vertices_below;
    use crate::papers::skins::twists::twists;
    use pliant::Body;
    use pliant::deform::{Binding, Blending};
    use pliant::tree::BuildSettings;
    use pliant_scenes::man;

    #[test]
    fn spheres_by_corners_contain_their_vertices() {
        let man = man().unwrap();
        let weights = weights_of(&man);
        let free = Body::free_with(man.mesh.clone(), &BuildSettings::WIDE).unwrap();
        let below = vertices_below(&free);
        let nodes: Vec<usize> = (0..below.len()).step_by(7).collect();
        let refits: Vec<Refit> =
            nodes.iter().map(|&node| Refit::new(&man.mesh, &weights, &below[node])).collect();
        let mut poses = twists(&man);
        poses.push(("walk", man.pose(0.4)));
        let mut loosest: f64 = 0.0;
        for (name, pose) in poses {
            for blending in [Blending::Linear, Blending::Spherical] {
                let binding = Binding::new(weights.clone(), man.joints.len()).unwrap();
                let mut body = Body::skinned(man.mesh.clone(), binding, blending).unwrap();
                body.set_pose(&pose, &[]).unwrap();
                for (&node, refit) in nodes.iter().zip(&refits) {
                    let ball = match blending {
                        Blending::Linear => refit.linear(&pose),
                        _ => refit.spherical(body.deformation()),
                    };
                    for &vertex in &below[node] {
                        let away = body.position(vertex).unwrap().distance(ball.center);
                        assert!(away <= ball.radius * (1.0 + 1e-9), "{name} {blending:?} {node}");
                        loosest = loosest.max(away / ball.radius);
                    }
                }
            }
        }
        assert!(loosest > 0.99, "some sphere is tight: {loosest}");
    }
}
