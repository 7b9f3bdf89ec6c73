//! Where the joints of a skin are.

use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::{Affine3A, Mat4};
use bevy_mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy_transform::components::GlobalTransform;
use pliant::glam::{DAffine3, DMat3, DVec3};

use crate::Refused;

pub(crate) fn affine(place: &GlobalTransform) -> DAffine3 {
    let Affine3A { matrix3, translation } = place.affine();
    of_columns([
        matrix3.x_axis.into(),
        matrix3.y_axis.into(),
        matrix3.z_axis.into(),
        translation.into(),
    ])
}

/// The last row of a bind pose is 0 0 0 1, and is not read.
fn of_matrix(matrix: &Mat4) -> DAffine3 {
    of_columns(matrix.to_cols_array_2d().map(|[x, y, z, _]| [x, y, z]))
}

fn of_columns(columns: [[f32; 3]; 4]) -> DAffine3 {
    let [x, y, z, translation] = columns.map(|column| DVec3::from_array(column.map(f64::from)));
    DAffine3 { matrix3: DMat3::from_cols(x, y, z), translation }
}

/// For each joint the map from the mesh at rest to the world, in `f64`: Bevy's renderer computes the same in `f32`.
pub(crate) fn joint_maps(
    skin: &SkinnedMesh,
    bind_poses: &Assets<SkinnedMeshInverseBindposes>,
    transforms: &Query<&GlobalTransform>,
) -> Result<Vec<DAffine3>, Refused> {
    let inverses = bind_poses.get(&skin.inverse_bindposes).ok_or(Refused::BindPoses)?;
    if inverses.len() < skin.joints.len() {
        let (given, expected) = (inverses.len(), skin.joints.len());
        return Err(Refused::Count { what: "inverse bind poses", given, expected });
    }
    let joints = skin.joints.iter().zip(inverses.iter()).enumerate();
    joints
        .map(|(number, (&entity, inverse))| {
            let place = transforms.get(entity).map_err(|_| Refused::Joint { number, entity })?;
            Ok(affine(place) * of_matrix(inverse))
        })
        .collect()
}
