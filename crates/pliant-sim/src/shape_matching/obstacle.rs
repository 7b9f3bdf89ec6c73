//! Things that do not move and that points cannot enter.

use pliant::glam::DVec3;

use crate::{Error, Result};

/// Something solid that stays where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Obstacle {
    /// All that is below a plane.
    HalfSpace {
        /// Unit length, out of the ground.
        normal: DVec3,
        /// How far from the origin the plane is, along the normal.
        offset: f64,
    },
    /// A ball.
    Ball {
        /// Its middle.
        center: DVec3,
        /// Its radius.
        radius: f64,
    },
    /// A box along the axes.
    Box {
        /// The corner with the least coordinates.
        min: DVec3,
        /// The corner with the greatest.
        max: DVec3,
    },
}

impl Obstacle {
    /// Refuses numbers that are no obstacle.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] that names the number.
    pub fn check(&self) -> Result<()> {
        let (setting, value, is_usable, range) = match *self {
            Self::HalfSpace { normal, offset } => {
                let is_unit = (normal.length() - 1.0).abs() <= 1e-9 && offset.is_finite();
                ("normal", normal.length(), is_unit, "unit length, with a finite offset")
            }
            Self::Ball { center, radius } => {
                let is_usable = center.is_finite() && radius.is_finite() && radius >= 0.0;
                ("radius", radius, is_usable, "not below 0, with a finite centre")
            }
            Self::Box { min, max } => {
                let is_usable = min.is_finite() && max.is_finite() && min.cmple(max).all();
                ("box", (max - min).min_element(), is_usable, "finite corners, least first")
            }
        };
        if is_usable { Ok(()) } else { Err(Error::InvalidSetting { setting, value, range }) }
    }

    /// How far a point is from the surface, negative inside, and the direction out.
    #[must_use]
    pub fn distance(&self, point: DVec3) -> (f64, DVec3) {
        match *self {
            Self::HalfSpace { normal, offset } => (normal.dot(point) - offset, normal),
            Self::Ball { center, radius } => {
                let way = point - center;
                (way.length() - radius, way.normalize_or(DVec3::Y))
            }
            Self::Box { min, max } => {
                let way = point - point.clamp(min, max);
                if way != DVec3::ZERO {
                    return (way.length(), way.normalize_or(DVec3::Y));
                }
                // Inside: out through the nearest side, up if two are equally near.
                let sides = [
                    (max.y - point.y, DVec3::Y),
                    (point.x - min.x, DVec3::NEG_X),
                    (max.x - point.x, DVec3::X),
                    (point.z - min.z, DVec3::NEG_Z),
                    (max.z - point.z, DVec3::Z),
                    (point.y - min.y, DVec3::NEG_Y),
                ];
                let mut nearest = sides[0];
                for side in sides {
                    if side.0 < nearest.0 {
                        nearest = side;
                    }
                }
                (-nearest.0, nearest.1)
            }
        }
    }
}

impl Obstacle {
    /// Whether something in a box may touch it; in doubt yes.
    pub(super) fn may_touch(&self, min: DVec3, max: DVec3) -> bool {
        match *self {
            Self::HalfSpace { normal, offset } => {
                let lowest = DVec3::select(normal.cmpgt(DVec3::ZERO), min, max);
                normal.dot(lowest) <= offset + 1e-9 * (offset.abs() + lowest.abs().max_element())
            }
            Self::Ball { center, radius } => {
                center.cmpge(min - radius).all() && center.cmple(max + radius).all()
            }
            Self::Box { min: low, max: high } => low.cmple(max).all() && high.cmpge(min).all(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn obstacles() -> [Obstacle; 3] {
        let normal = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        [
            Obstacle::HalfSpace { normal, offset: 0.3 },
            Obstacle::Ball { center: DVec3::new(0.2, 0.1, 0.0), radius: 0.5 },
            Obstacle::Box { min: DVec3::new(-0.5, -0.2, -1.0), max: DVec3::new(0.5, 0.9, 0.0) },
        ]
    }

    proptest! {
        #[test]
        fn the_way_out_ends_on_the_surface(point in prop::array::uniform3(-2.0..2.0f64)) {
            let point = DVec3::from_array(point);
            for obstacle in obstacles() {
                let (distance, normal) = obstacle.distance(point);
                prop_assert!((normal.length() - 1.0).abs() < 1e-12);
                let (left, _) = obstacle.distance(point - distance * normal);
                prop_assert!(left.abs() < 1e-12, "{obstacle:?} {left}");
                let half = DVec3::splat(0.1);
                prop_assert!(distance >= 0.1 || obstacle.may_touch(point - half, point + half));
            }
        }
    }

    #[test]
    fn bad_numbers_are_refused() {
        assert!(obstacles().iter().all(|obstacle| obstacle.check().is_ok()));
        let bad = [
            Obstacle::HalfSpace { normal: DVec3::ZERO, offset: 0.0 },
            Obstacle::HalfSpace { normal: DVec3::Y, offset: f64::NAN },
            Obstacle::Ball { center: DVec3::ZERO, radius: -1.0 },
            Obstacle::Box { min: DVec3::ONE, max: DVec3::ZERO },
        ];
        assert!(bad.iter().all(|obstacle| obstacle.check().is_err()));
    }
}
