//! When two objects have the same shape.

use std::sync::Arc;

use super::{Deformation, Object, Skin};

/// Names the shape of an object: its mesh and all that deforms it, but for the state.
///
/// Objects with equal keys share their large arrays, and one body made for one of them, cloned,
/// serves the others: same mesh, morph targets, skin weights and keyframes (the same memory, not
/// equal numbers), and the same number of joints. Two skins of one size count as one, since
/// their joints and matrices are part of the state.
///
/// A key is meaningful as long as the scenes of its objects live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShapeKey {
    /// Addresses of mesh, morph targets, skin weights and keyframes; 0 for what is not there.
    arrays: [usize; 4],
    /// How many joints move it; `None` without a skin.
    joints: Option<usize>,
}

impl ShapeKey {
    /// The key of an object that may name one of these skins.
    pub(crate) fn new(object: &Object, skins: &[Skin]) -> Self {
        let targets = object.deformation.morph_targets().map_or(0, |targets| address(targets));
        let (weights, keyframes, joints) = match &object.deformation {
            Deformation::Rigid | Deformation::Morph(_) => (0, 0, None),
            Deformation::Skin { skin, weights, .. } => {
                (address(&**weights), 0, skins.get(*skin).map(|skin| skin.joints.len()))
            }
            Deformation::Keyframes(keyframes) => (0, address(&**keyframes), None),
        };
        let mesh = Arc::as_ptr(&object.mesh) as usize;
        Self { arrays: [mesh, targets, weights, keyframes], joints }
    }
}

fn address<T>(value: &T) -> usize {
    std::ptr::from_ref(value) as usize
}
