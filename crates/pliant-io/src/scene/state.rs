//! The numbers that drive one object at a time, as a program that draws it takes them.

use pliant::glam::{DAffine3, DVec3};

use super::{Deformation, Object, Pose, Scene};

/// What moves an object: joints if it has any, else its frame after its weights.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectState {
    /// The frame of its node in the world, row by row.
    pub frame: [f32; 12],
    /// The weights of its morph targets; of keyframes, one per frame.
    pub weights: Vec<f32>,
    /// Twelve numbers per joint, from rest to the world; empty without a skin.
    pub joints: Vec<f32>,
}

impl Pose {
    /// The state of an object, which has this number in its scene. What the pose does not have, as one
    /// of another scene, is at rest.
    #[must_use]
    pub fn object_state(&self, object: &Object, number: usize) -> ObjectState {
        let frame = affine_rows(&self.nodes.get(object.node).copied().unwrap_or_default());
        let given = self.weights.get(number).map_or(&[][..], Vec::as_slice);
        let mut weights: Vec<f32> = given.iter().map(|&weight| weight as f32).collect();
        let mut joints = Vec::new();
        match &object.deformation {
            Deformation::Keyframes(keyframes) => {
                let start = weights.len();
                weights.resize(start + keyframes.frames.len(), 0.0);
                if let Some(Some(blend)) = self.frames.get(number) {
                    let parts =
                        [(blend.first, 1.0 - blend.fraction), (blend.second, blend.fraction)];
                    for (frame, part) in parts {
                        if let Some(weight) = weights.get_mut(start + frame) {
                            *weight += part as f32;
                        }
                    }
                }
            }
            Deformation::Skin { skin, .. } => {
                let maps = self.joints.get(*skin).map_or(&[][..], Vec::as_slice);
                joints.extend(maps.iter().flat_map(affine_rows));
            }
            Deformation::Rigid | Deformation::Morph(_) => {}
        }
        ObjectState { frame, weights, joints }
    }
}

impl Scene {
    /// The name of the joint that moves a vertex of an object most; `None` without a skin, or where the
    /// joint has no name.
    #[must_use]
    pub fn bone(&self, object: &Object, vertex: u32) -> Option<&str> {
        let Deformation::Skin { skin, weights, .. } = &object.deformation else { return None };
        let at = vertex as usize;
        let (start, end) = (*weights.starts.get(at)?, *weights.starts.get(at + 1)?);
        let influences = weights.influences.get(start as usize..end as usize)?;
        let strongest = influences.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))?;
        let node = *self.skins().get(*skin)?.joints.get(strongest.joint as usize)?;
        self.nodes().get(node)?.name.as_deref()
    }
}

/// The twelve numbers of an affine map, row by row.
#[must_use]
pub fn affine_rows(map: &DAffine3) -> [f32; 12] {
    let rows = map.matrix3.transpose();
    let t = map.translation;
    let row = |r: DVec3, t: f64| [r.x as f32, r.y as f32, r.z as f32, t as f32];
    let [x, y, z] = [row(rows.x_axis, t.x), row(rows.y_axis, t.y), row(rows.z_axis, t.z)];
    std::array::from_fn(|i| [x, y, z][i / 4][i % 4])
}
