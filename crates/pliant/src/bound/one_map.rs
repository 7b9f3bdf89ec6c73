//! Bodies that one map moves, as those see them who compare boxes at rest.

use glam::DAffine3;

use crate::body::Collide;
use crate::volume::{Aabb, CenteredBox};

/// A body that one map moves, with its boxes at rest.
pub(crate) trait MovedAsOne: Collide<Volume = Aabb> {
    /// The boxes at rest and the map that carries them.
    fn one_map(&self) -> OneMap<'_>;
}

/// Boxes at rest and the map from their space to the world.
pub(crate) struct OneMap<'a> {
    pub(crate) rest: &'a [CenteredBox],
    /// No coordinate of a box at rest is larger.
    pub(crate) reach: f64,
    pub(crate) map: DAffine3,
}
