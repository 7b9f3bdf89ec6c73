//! How far the patches of a body move from one state to another.

mod extent;
mod keyframes;
mod maps;
mod reduced;

use std::sync::Arc;

use glam::{DAffine3, DVec3};

use crate::Mesh;
use crate::body::AnyBody;
use crate::deform::{Binding, Blending, Influence, Isometry, Modes};
use crate::numeric::VANISHED_LENGTH;
use crate::query::front::Patches;
use extent::{MAP_ERROR, mapped_reach};
use keyframes::{KeyframedMotion, KeyframedState};
use maps::{MapMotion, MapTable};
use reduced::{ModeMotion, ModeTable};

/// Coordinates beyond this are not watched: squares of them, and sums of squares, stay finite.
const MAX_WATCHED_REACH: f64 = 1e120;

/// What the positions of a body's vertices are computed from.
#[derive(Debug, Clone)]
pub(super) enum State {
    /// Rest positions, mapped.
    Mapped { map: DAffine3, table: Arc<MapTable> },
    /// Positions.
    Free { positions: Arc<Vec<DVec3>> },
    /// Coordinates and a frame.
    Reduced { modes: Arc<Modes>, q: Vec<f64>, frame: DAffine3, table: Arc<ModeTable> },
    /// Joints that are blended linearly.
    Skinned { binding: Arc<Binding>, joints: Vec<DAffine3>, table: Arc<MapTable> },
    /// A time among keyframes.
    Keyframed(KeyframedState),
}

impl State {
    /// The state of a body. What does not change is taken from its last state. `None` for kinds of
    /// bodies whose motion has no cheap bound, and for coordinates that are too large.
    pub(super) fn of(body: &AnyBody, patches: &Patches, last: Option<&Self>) -> Option<Self> {
        let mesh = body.mesh();
        let state = match body {
            AnyBody::Rigid(own) => {
                Self::mapped(as_map(&own.deformation().isometry), mesh, patches, last)
            }
            AnyBody::Affine(own) => Self::mapped(own.deformation().map(), mesh, patches, last),
            AnyBody::Free(own) => Self::Free { positions: own.deformation().positions.clone() },
            AnyBody::FreeF32(_) => return None,
            AnyBody::Reduced(own) => {
                let now = own.deformation();
                let table = match last {
                    Some(Self::Reduced { modes, table, .. }) if Arc::ptr_eq(modes, now.modes()) => {
                        table.clone()
                    }
                    _ => Arc::new(ModeTable::new(mesh, patches, now.modes())),
                };
                let (modes, q) = (now.modes().clone(), now.coordinates().to_vec());
                Self::Reduced { modes, q, frame: now.frame(), table }
            }
            AnyBody::Skinned(own) => {
                let now = own.deformation();
                let binding = now.shared_binding();
                if now.blending() != Blending::Linear || binding.targets() > 0 {
                    return None;
                }
                let table = match last {
                    Some(Self::Skinned { binding: before, table, .. })
                        if Arc::ptr_eq(before, binding) =>
                    {
                        table.clone()
                    }
                    _ => {
                        let influences = |vertex: u32| binding.weights().of(vertex as usize);
                        Arc::new(MapTable::new(mesh, patches, binding.joints(), influences))
                    }
                };
                Self::Skinned { binding: binding.clone(), joints: now.joints().to_vec(), table }
            }
            AnyBody::Keyframed(own) => {
                let last = match last {
                    Some(Self::Keyframed(last)) => Some(last),
                    _ => None,
                };
                Self::Keyframed(KeyframedState::of(own.deformation(), patches, last)?)
            }
        };
        (state.reach() <= MAX_WATCHED_REACH).then_some(state)
    }

    fn mapped(map: DAffine3, mesh: &Mesh, patches: &Patches, last: Option<&Self>) -> Self {
        const ALONE: [Influence; 1] = [Influence { joint: 0, weight: 1.0 }];
        let table = match last {
            Some(Self::Mapped { table, .. }) => table.clone(),
            _ => Arc::new(MapTable::new(mesh, patches, 1, |_| &ALONE)),
        };
        Self::Mapped { map, table }
    }

    /// A bound of all coordinates. Of free bodies nothing is said: too long a way of a vertex is
    /// infinite.
    fn reach(&self) -> f64 {
        match self {
            Self::Mapped { map, table } => table.reach(std::slice::from_ref(map)),
            Self::Free { .. } => 0.0,
            Self::Reduced { q, frame, table, .. } => mapped_reach(frame, table.own_reach(q)),
            Self::Skinned { joints, table, .. } => table.reach(joints),
            Self::Keyframed(state) => state.reach,
        }
    }

    /// The motion to another state of the same body; `None` if the states have nothing in common.
    pub(super) fn motion_to<'a>(&'a self, other: &'a Self) -> Option<Motion<'a>> {
        Some(match (self, other) {
            (Self::Mapped { map, table }, Self::Mapped { map: to, .. }) => {
                let [from, to] = [map, to].map(std::slice::from_ref);
                Motion::Maps(MapMotion::new(table, from, to))
            }
            (Self::Free { positions: from }, Self::Free { positions: to }) => {
                if Arc::ptr_eq(from, to) { Motion::None } else { Motion::Free { from, to } }
            }
            (
                Self::Reduced { modes, q, frame, table },
                Self::Reduced { modes: same, q: to, frame: placed, .. },
            ) if Arc::ptr_eq(modes, same) && q.len() == to.len() => {
                if q == to && frame == placed {
                    Motion::None
                } else {
                    Motion::Modes(ModeMotion::new(table, (q, frame), (to, placed)))
                }
            }
            (
                Self::Skinned { binding, joints, table },
                Self::Skinned { binding: same, joints: to, .. },
            ) if Arc::ptr_eq(binding, same) && joints.len() == to.len() => {
                Motion::Maps(MapMotion::new(table, joints, to))
            }
            (Self::Keyframed(from), Self::Keyframed(to)) => Motion::Keyframes(from.motion_to(to)?),
            _ => return None,
        })
    }
}

fn as_map(isometry: &Isometry) -> DAffine3 {
    DAffine3 { matrix3: isometry.rotation(), translation: isometry.translation() }
}

/// A motion from one state to another.
#[derive(Debug)]
pub(super) enum Motion<'a> {
    None,
    Maps(MapMotion<'a>),
    Modes(ModeMotion<'a>),
    Keyframes(KeyframedMotion<'a>),
    Free { from: &'a [DVec3], to: &'a [DVec3] },
}

impl Motion<'_> {
    /// How far a computed vertex of a patch moves at most.
    #[inline]
    pub(super) fn of(&self, patch: usize, patches: &Patches) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Maps(motion) => motion.of(patch),
            Self::Modes(motion) => motion.of(patch),
            Self::Keyframes(motion) => motion.of(patch, patches),
            Self::Free { from, to } => {
                if from.len() != to.len() {
                    return f64::INFINITY;
                }
                let vertices = patches.vertices(patch).iter().map(|&vertex| vertex as usize);
                longest_way(vertices.map(|vertex| (from[vertex], to[vertex])))
            }
        }
    }
}

/// How long the longest of some ways is at most, each from one point to another. Infinite or NaN if one
/// is.
#[inline]
pub(super) fn longest_way(ways: impl Iterator<Item = (DVec3, DVec3)>) -> f64 {
    // Squares are not negative: their bits order them, and NaN is the largest. A maximum of integers
    // takes one comparison.
    let square = |(from, to): (DVec3, DVec3)| (to - from).length_squared().abs().to_bits();
    let longest = ways.map(square).fold(0, u64::max);
    f64::from_bits(longest).sqrt() * (1.0 + MAP_ERROR) + VANISHED_LENGTH
}

/// The larger of two numbers, and NaN if one of them is.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}
