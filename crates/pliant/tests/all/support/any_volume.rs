//! A volume of any kind, and bodies that are bounded by it: queries between all kinds, compiled once. For
//! every two kinds of volumes they take minutes.

use pliant::Collide;
use pliant::glam::DVec3;
use pliant::tree::Tree;
use pliant::volume::{
    Aabb, Apart, Capsule, Dop6, Dop14, Dop18, Dop26, Hull, MovingBox, Obb, Overlap, Ray, RayEntry,
    Sphere, Volume,
};

/// A volume of any kind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AnyVolume {
    Aabb(Aabb),
    Sphere(Sphere),
    Dop6(Dop6),
    Dop14(Dop14),
    Dop18(Dop18),
    Dop26(Dop26),
    Obb(Obb),
    Capsule(Capsule),
    Hull(Hull),
}

/// Evaluates an expression for the volume.
macro_rules! with_volume {
    ($any:expr, $volume:ident => $run:expr) => {
        match $any {
            AnyVolume::Aabb($volume) => $run,
            AnyVolume::Sphere($volume) => $run,
            AnyVolume::Dop6($volume) => $run,
            AnyVolume::Dop14($volume) => $run,
            AnyVolume::Dop18($volume) => $run,
            AnyVolume::Dop26($volume) => $run,
            AnyVolume::Obb($volume) => $run,
            AnyVolume::Capsule($volume) => $run,
            AnyVolume::Hull($volume) => $run,
        }
    };
}

macro_rules! from_volume {
    ($($kind:ident),*) => { $(
        impl From<$kind> for AnyVolume {
            fn from(volume: $kind) -> Self {
                Self::$kind(volume)
            }
        }
    )* };
}
from_volume!(Aabb, Sphere, Dop6, Dop14, Dop18, Dop26, Obb, Capsule, Hull);

impl Volume for AnyVolume {
    fn corners(&self) -> [DVec3; 2] {
        with_volume!(self, volume => volume.corners())
    }

    fn bounding_box(&self) -> Aabb {
        with_volume!(self, volume => volume.bounding_box())
    }

    fn moving(&self) -> MovingBox {
        with_volume!(self, volume => volume.moving())
    }

    fn extent(&self) -> f32 {
        with_volume!(self, volume => volume.extent())
    }

    fn distance_squared_to_point(&self, point: DVec3) -> f64 {
        with_volume!(self, volume => volume.distance_squared_to_point(point))
    }

    fn point_error(&self) -> f64 {
        with_volume!(self, volume => volume.point_error())
    }
}

impl Overlap<Aabb> for AnyVolume {
    fn overlaps(&self, other: &Aabb) -> bool {
        with_volume!(self, volume => volume.overlaps(other))
    }
}

impl RayEntry for AnyVolume {
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        with_volume!(self, volume => volume.ray_entry(ray, until))
    }
}

impl Overlap<AnyVolume> for AnyVolume {
    fn overlaps(&self, other: &AnyVolume) -> bool {
        with_volume!(self, a => with_volume!(other, b => a.overlaps(b)))
    }
}

impl Apart<AnyVolume> for AnyVolume {
    fn distance_squared_to(&self, other: &AnyVolume) -> f64 {
        with_volume!(self, a => with_volume!(other, b => a.distance_squared_to(b)))
    }
}

/// A body whose kind of volume queries see only when they run.
pub(crate) struct Bounded<'a, V>(pub(crate) &'a dyn Collide<Volume = V>);

impl<V: Volume + Into<AnyVolume>> Collide for Bounded<'_, V> {
    type Volume = AnyVolume;

    fn tree(&self) -> &Tree {
        self.0.tree()
    }

    fn bound(&self, node: u32) -> AnyVolume {
        self.0.bound(node).into()
    }

    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.0.triangle(triangle)
    }

    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.0.adjacent(first, second)
    }
}
