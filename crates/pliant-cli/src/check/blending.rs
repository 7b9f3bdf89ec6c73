//! `--blending`: how the joints of skins are blended.

use pliant::deform::Blending;

/// How the joints of skins are blended. Where vertices go depends on it, and so does what touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BlendingArgument {
    /// Images of a vertex are blended: what glTF means and most programs do. Twisted joints
    /// lose volume.
    #[default]
    Linear,
    /// Rotations are blended, about a centre for each set of joints (Kavan and Žára 2005).
    /// Joints must be rigid.
    Spherical,
    /// Rigid motions are blended (Kavan and others 2007), as Blender's "preserve volume" does.
    /// Joints must be rigid.
    DualQuaternion,
}

impl BlendingArgument {
    pub(crate) fn of_bodies(self) -> Blending {
        match self {
            Self::Linear => Blending::Linear,
            Self::Spherical => Blending::Spherical,
            Self::DualQuaternion => Blending::DualQuaternion,
        }
    }
}
