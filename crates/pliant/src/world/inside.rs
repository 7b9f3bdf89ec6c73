//! Which bodies of a world enclose a point.

use glam::DVec3;

use super::{BodyId, World};
use crate::Result;
use crate::query::{Inside, Work, inside};

/// Which bodies enclose a point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorldInside {
    /// All bodies that the point is not outside of, by ascending id.
    pub bodies: Vec<(BodyId, Inside)>,
    /// What the query did.
    pub work: Work,
}

impl World {
    /// Which bodies enclose a point, have it on their surface, or have a border that decides it.
    ///
    /// Guarantee: for each body the answer of [`inside`](crate::inside()).
    ///
    /// # Errors
    /// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
    pub fn inside(&self, point: DVec3) -> Result<WorldInside> {
        let mut found = WorldInside::default();
        for (id, body) in self.iter() {
            let location = inside(body, point)?;
            found.work += location.work;
            if location.inside != Inside::Out {
                found.bodies.push((id, location.inside));
            }
        }
        Ok(found)
    }
}
