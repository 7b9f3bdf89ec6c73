//! Random skins and poses.

#![allow(dead_code)] // Each test file uses a part of this.

use pliant::deform::{Binding, Blending, Influence, Modes, SkinWeights};
use pliant::glam::{DAffine3, DMat3, DQuat, DVec3};
use pliant::{Body, Mesh, SkinnedBody};
use pliant_scenes::{Character, Random, icosphere};

pub(crate) const BLENDINGS: [Blending; 3] =
    [Blending::Linear, Blending::Spherical, Blending::DualQuaternion];

/// A mesh with random influences.
pub(crate) struct RandomSkin {
    pub(crate) mesh: Mesh,
    pub(crate) binding: Binding,
}

/// What the joints of a random pose do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Turns of a few degrees.
    Gentle,
    /// Turns of some ten degrees, about places nearby.
    Moderate,
    /// Any rotation, any translation.
    Any,
    /// Half turns about the axes: products of quaternions are zero.
    HalfTurns,
    /// All the same rotation, from quaternions of either sign.
    Antipodal,
    /// All joints are one and the same.
    Coincident,
    /// Any affine map: scaled, sheared, mirrored, flat.
    Affine,
    /// Far away.
    Far,
}

/// A ball of a random place and size whose vertices hang from up to `most` of the joints, some by
/// weights that vary with the place, some by a joint alone, some with influences of weight 0.
pub(crate) fn random_skin(
    random: &mut Random,
    refinements: u32,
    joints: usize,
    most: usize,
    targets: usize,
    size: f64,
) -> RandomSkin {
    let ball = icosphere(refinements).unwrap();
    let place = random.in_cube() * 3.0;
    let positions: Vec<DVec3> =
        ball.positions().iter().map(|&p| p + place + 0.05 * random.in_cube()).collect();
    let mut weights = SkinWeights::default();
    let centers: Vec<DVec3> = (0..joints).map(|_| random.in_cube() + place).collect();
    for p in &positions {
        let mut near: Vec<(f64, u32)> = (0u32..)
            .zip(&centers)
            .map(|(joint, center)| ((*p - *center).length(), joint))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.truncate(most);
        let alone = random.in_cube().x > 0.6;
        let share = |&(distance, joint): &(f64, u32), first: bool| Influence {
            joint,
            weight: match alone {
                true => f64::from(u8::from(first)),
                false => (-3.0 * distance).exp(),
            },
        };
        let mut own: Vec<Influence> =
            near.iter().enumerate().map(|(place, found)| share(found, place == 0)).collect();
        let sum: f64 = own.iter().map(|influence| influence.weight).sum();
        own.iter_mut().for_each(|influence| influence.weight /= sum);
        if random.in_cube().y > 0.5 {
            own.reverse();
        }
        weights.push(&own);
    }
    let vertices = positions.len();
    let positions = positions.into_iter().map(|p| p * size).collect();
    let mesh = Mesh::new(positions, ball.triangles().to_vec()).unwrap();
    let mut binding = Binding::new(weights, joints).unwrap();
    if targets > 0 {
        let small = if size.abs() < 1e30 { size } else { 1.0 };
        let mut field = |_| (0..vertices).map(|_| random.in_cube() * 0.3 * small).collect();
        let fields: Vec<Vec<DVec3>> = (0..targets).map(&mut field).collect();
        binding = binding.with_morph(Modes::from_fields(vertices, &fields).unwrap()).unwrap();
    }
    RandomSkin { mesh, binding }
}

/// A pose of so many joints.
pub(crate) fn random_joints(
    random: &mut Random,
    joints: usize,
    kind: Kind,
    size: f64,
) -> Vec<DAffine3> {
    let common = random.rotation();
    let all = random.in_cube() * size;
    let mut joint = |number: usize| {
        let shift = random.in_cube() * size;
        match kind {
            Kind::Gentle => {
                let turn = DQuat::IDENTITY.slerp(random.rotation(), 0.05);
                DAffine3::from_rotation_translation(turn, 0.1 * shift)
            }
            Kind::Moderate => {
                let turn = DQuat::IDENTITY.slerp(random.rotation(), 0.2);
                DAffine3::from_rotation_translation(turn, 0.3 * shift)
            }
            Kind::Any => DAffine3::from_rotation_translation(random.rotation(), shift),
            Kind::HalfTurns => {
                let axis = DVec3::AXES[number % 3];
                let turn = DMat3::from_diagonal(2.0 * axis - DVec3::ONE);
                DAffine3::from_mat3_translation(
                    turn,
                    if number.is_multiple_of(2) { all } else { shift },
                )
            }
            Kind::Antipodal => {
                let turn = if number.is_multiple_of(2) { common } else { -common };
                DAffine3::from_rotation_translation(turn, shift)
            }
            Kind::Coincident => DAffine3::from_rotation_translation(common, all),
            Kind::Affine => {
                let rows = [random.in_cube(), random.in_cube(), random.in_cube()];
                let flat = if number % 3 == 2 { DVec3::ZERO } else { rows[2] };
                DAffine3::from_mat3_translation(
                    DMat3::from_cols(2.0 * rows[0], 0.1 * rows[1], flat),
                    shift,
                )
            }
            Kind::Far => DAffine3::from_rotation_translation(random.rotation(), 1e5 * shift),
        }
    };
    (0..joints).map(&mut joint).collect()
}

/// A character of the scenes as a body.
pub(crate) fn bound_to_joints(character: &Character, blending: Blending) -> SkinnedBody {
    let influences = character.influences.iter();
    let influences =
        influences.map(|own| Influence { joint: own.joint, weight: own.weight }).collect();
    let weights = SkinWeights { starts: character.starts.clone(), influences };
    let binding = Binding::new(weights, character.joints.len()).unwrap();
    Body::skinned(character.mesh.clone(), binding, blending).unwrap()
}
