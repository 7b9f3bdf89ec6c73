//! What bodies fall on: planes, balls and boxes, and surfaces that move by themselves.

use pliant::AnyBody;
use pliant::glam::{DAffine3, DQuat, DVec3};

use super::surface::SurfaceObstacle;
use crate::Result;
use crate::error::refuse;

/// A constant motion.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Movement {
    /// The velocity of the middle.
    pub velocity: DVec3,
    /// The angular velocity about the middle.
    pub spin: DVec3,
}

/// Something that pushes bodies and is not pushed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Obstacle {
    /// The half space of points p with `normal · p <= offset`.
    Plane {
        /// The outward normal, of length 1.
        normal: DVec3,
        /// Where the plane is along the normal.
        offset: f64,
    },
    /// A solid ball.
    Ball {
        /// The middle at time 0.
        center: DVec3,
        /// The radius.
        radius: f64,
        /// How it moves.
        movement: Movement,
    },
    /// A solid box.
    Cuboid {
        /// The middle at time 0.
        center: DVec3,
        /// The rotation at time 0.
        rotation: DQuat,
        /// Half the size along each of its axes.
        half: DVec3,
        /// How it moves.
        movement: Movement,
    },
    /// A surface: a body of any kind, keyframed, skinned and reduced ones moving.
    Surface(Box<SurfaceObstacle>),
}

impl Obstacle {
    /// The floor y <= height.
    #[must_use]
    pub const fn floor(height: f64) -> Self {
        Self::Plane { normal: DVec3::Y, offset: height }
    }

    /// A ball that stands.
    #[must_use]
    pub fn ball(center: DVec3, radius: f64) -> Self {
        Self::Ball { center, radius, movement: Movement::default() }
    }

    /// A box along the axes that stands.
    #[must_use]
    pub fn cuboid(center: DVec3, half: DVec3) -> Self {
        let rotation = DQuat::IDENTITY;
        Self::Cuboid { center, rotation, half, movement: Movement::default() }
    }

    pub(crate) fn check(&self) -> Result<()> {
        let unit = |length: f64| (length - 1.0).abs() < 1e-9;
        let still = Movement::default();
        let (numbers, movement) = match self {
            Self::Plane { normal, offset } => {
                if !unit(normal.length()) {
                    return refuse("length of a plane's normal", normal.length(), "1");
                }
                (*offset, &still)
            }
            Self::Ball { center, radius, movement } => {
                if radius.is_nan() || *radius < 0.0 {
                    return refuse("radius of a ball", *radius, "numbers from 0, finite");
                }
                (center.length() + radius, movement)
            }
            Self::Cuboid { center, rotation, half, movement } => {
                if !unit(rotation.length()) {
                    return refuse("length of a rotation", rotation.length(), "1");
                }
                if half.is_nan() || half.min_element() < 0.0 {
                    return refuse("half size", half.min_element(), "numbers from 0, finite");
                }
                (center.length() + half.length(), movement)
            }
            Self::Surface(_) => (0.0, &still),
        };
        let size = numbers + movement.velocity.length() + movement.spin.length();
        match size.is_finite() {
            true => Ok(()),
            false => refuse("size of an obstacle", size, "finite numbers"),
        }
    }

    /// Moves a surface to a time, and to one step later.
    pub(super) fn follow(&mut self, time: f64, step: f64) -> Result<()> {
        match self {
            Self::Surface(surface) => surface.follow(time, step),
            _ => Ok(()),
        }
    }

    /// The obstacle at a time.
    pub(crate) fn placed(&self, time: f64, step: f64) -> PlacedObstacle<'_> {
        match *self {
            Self::Plane { normal, offset } => PlacedObstacle::Plane { normal, offset },
            Self::Ball { center, radius, movement } => {
                let center = center + time * movement.velocity;
                PlacedObstacle::Ball { center, radius, movement }
            }
            Self::Cuboid { center, rotation, half, movement } => {
                let center = center + time * movement.velocity;
                let rotation = DQuat::from_scaled_axis(movement.spin * time) * rotation;
                let frame = DAffine3::from_rotation_translation(rotation.normalize(), center);
                PlacedObstacle::Cuboid { frame, half, movement }
            }
            Self::Surface(ref surface) => {
                let [now, ahead] = surface.bodies();
                PlacedObstacle::Surface { now, ahead, rate: 1.0 / step }
            }
        }
    }
}

/// An obstacle at a time.
#[derive(Debug)]
pub(crate) enum PlacedObstacle<'a> {
    Plane { normal: DVec3, offset: f64 },
    Ball { center: DVec3, radius: f64, movement: Movement },
    Cuboid { frame: DAffine3, half: DVec3, movement: Movement },
    Surface { now: &'a AnyBody, ahead: &'a AnyBody, rate: f64 },
}

impl PlacedObstacle<'_> {
    /// The signed distance of a point, negative inside, and the outward normal there. A surface has
    /// none.
    #[inline]
    pub(crate) fn distance(&self, point: DVec3) -> (f64, DVec3) {
        match *self {
            Self::Plane { normal, offset } => (normal.dot(point) - offset, normal),
            Self::Ball { center, radius, .. } => {
                let from = point - center;
                let length = from.length();
                (length - radius, if length > 0.0 { from / length } else { DVec3::Y })
            }
            Self::Cuboid { frame, half, .. } => {
                let m = frame.matrix3;
                let (distance, normal) =
                    from_box(m.transpose() * (point - frame.translation), half);
                (distance, m * normal)
            }
            Self::Surface { .. } => (f64::INFINITY, DVec3::Y),
        }
    }

    /// The velocity of the obstacle at a point.
    #[inline]
    pub(crate) fn velocity(&self, point: DVec3) -> DVec3 {
        match self {
            Self::Ball { center, movement, .. } => moving(movement, *center, point),
            Self::Cuboid { frame, movement, .. } => moving(movement, frame.translation, point),
            _ => DVec3::ZERO,
        }
    }

    /// At least the speed of the obstacle within a distance of a point.
    pub(super) fn speed_near(&self, point: DVec3, reach: f64) -> f64 {
        let around = |movement: &Movement, center: DVec3| {
            movement.velocity.length() + movement.spin.length() * (center.distance(point) + reach)
        };
        match self {
            Self::Ball { center, movement, .. } => around(movement, *center),
            Self::Cuboid { frame, movement, .. } => around(movement, frame.translation),
            _ => 0.0,
        }
    }
}

fn moving(movement: &Movement, center: DVec3, point: DVec3) -> DVec3 {
    movement.velocity + movement.spin.cross(point - center)
}

/// The signed distance of a point from a box around the origin, and the outward normal.
fn from_box(point: DVec3, half: DVec3) -> (f64, DVec3) {
    let sign = DVec3::select(point.cmpge(DVec3::ZERO), DVec3::ONE, DVec3::NEG_ONE);
    let beyond = point.abs() - half;
    let outside = beyond.max(DVec3::ZERO);
    let length = outside.length();
    if length > 0.0 {
        return (length, sign * outside / length);
    }
    // Inside: the nearest side.
    let axis = if beyond.x >= beyond.y && beyond.x >= beyond.z {
        DVec3::X
    } else if beyond.y >= beyond.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (beyond.max_element(), sign * axis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_boxes() {
        let half = DVec3::new(1.0, 2.0, 3.0);
        let cases = [
            (DVec3::new(2.0, 0.0, 0.0), 1.0, DVec3::X),
            (DVec3::new(0.0, -1.5, 0.0), -0.5, DVec3::NEG_Y),
            (DVec3::new(4.0, 6.0, 0.0), 5.0, DVec3::new(0.6, 0.8, 0.0)),
            (DVec3::new(0.0, 0.0, 3.0), 0.0, DVec3::Z),
        ];
        for (point, distance, normal) in cases {
            assert_eq!(from_box(point, half), (distance, normal), "{point}");
        }
    }

    #[test]
    fn wrong_obstacles_are_refused() {
        let plane = |normal, offset| Obstacle::Plane { normal, offset };
        assert!(plane(DVec3::Y * 2.0, 0.0).check().is_err());
        assert!(plane(DVec3::NAN, 0.0).check().is_err());
        assert!(plane(DVec3::Y, f64::NAN).check().is_err());
        assert!(Obstacle::ball(DVec3::ZERO, -1.0).check().is_err());
        assert!(Obstacle::ball(DVec3::NAN, 1.0).check().is_err());
        assert!(Obstacle::cuboid(DVec3::ZERO, DVec3::new(1.0, -1.0, 1.0)).check().is_err());
        assert!(Obstacle::floor(0.0).check().is_ok());
    }
}
