//! The two kinds of volume that bounds of a skin can have.

use glam::{DVec3, Vec3, Vec3A};

use super::bottom_up::around_triangle;
use super::patches::Patches;
use super::skinned_bend::{bent_reach, left_over};
use super::skinned_place::{Bend, Measure, Place, length};
use super::skinned_pose::Joint;
use super::skinned_rest::Rest;
use crate::limits::F32_SLACK;
use crate::memo::{Memo, Remember};
use crate::volume::{Aabb, Sphere, Volume};

/// A volume that bounds of a skin can have.
pub(super) trait SkinVolume: Volume + Measure + Remember {
    /// Around everything.
    const ALL: Self;

    /// Whether [`Measure::growth`] is the norm of a joint.
    const ASKS_NORMS: bool;

    /// Whether weights may have slopes, and nodes are also bounded as a whole, beside joint set by
    /// joint set. Spheres become smaller by a tenth and cost twice as much. Boxes, which are tighter to
    /// begin with, become smaller by less than a hundredth and cost half as much again.
    const WITH_SLOPES: bool;

    /// Whether a node of so many triangles is bounded by its vertices, which the test of the
    /// triangles needs anyway.
    fn is_exact(patches: &Patches, node: u32, triangles: usize) -> bool;

    /// The volume of such a node if it belongs to a patch.
    fn of_patch(
        patches: &Patches,
        node: u32,
        position: impl Fn(u32) -> DVec3,
        known: &Memo,
    ) -> Option<Self>;

    /// The volume that is a box, if that is what it is.
    fn from_box(aabb: Aabb) -> Option<Self>;

    /// A box and a ball around points at rest, of which one matters.
    fn fit(points: &[DVec3]) -> Rest;

    /// Around points, at least one.
    fn around(points: impl Iterator<Item = DVec3> + Clone) -> Self;

    /// Around two.
    fn with(&self, other: &Self) -> Self;

    /// Around what is in both.
    fn in_both(&self, other: &Self) -> Self;

    /// Around the image of one part.
    fn around_place(place: &Place) -> Self;

    /// Around the images of parts, at least one.
    fn around_places(places: impl Iterator<Item = Place> + Clone) -> Self;
}

impl Measure for Aabb {
    #[inline(always)]
    fn length(v: Vec3A) -> Vec3A {
        v.abs()
    }

    #[inline(always)]
    fn growth(joint: &Joint) -> Vec3A {
        joint.rows
    }

    #[inline(always)]
    fn box_reach([x, y, z]: [Vec3A; 3]) -> Vec3A {
        x.abs() + y.abs() + z.abs()
    }

    #[inline(always)]
    fn upright_reach([x, y, z]: [Vec3A; 3], half: Vec3A) -> Vec3A {
        x.abs() * half.x + y.abs() * half.y + z.abs() * half.z
    }

    /// Boxes have no slopes.
    #[inline(always)]
    fn bent_reach(_: [Vec3A; 3], _: Vec3A, _: Vec3A, _: &Bend, _: &Rest) -> Vec3A {
        Vec3A::INFINITY
    }

    /// The sum of a row's magnitudes is at least its length.
    #[inline(always)]
    fn lengthening([x, y, z]: [Vec3A; 3]) -> Vec3A {
        x.abs() + y.abs() + z.abs()
    }
}

impl SkinVolume for Aabb {
    const ALL: Self = Self { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };
    const ASKS_NORMS: bool = false;
    const WITH_SLOPES: bool = false;

    #[inline]
    fn is_exact(patches: &Patches, node: u32, _: usize) -> bool {
        patches.contains(node)
    }

    #[inline]
    fn of_patch(
        patches: &Patches,
        node: u32,
        position: impl Fn(u32) -> DVec3,
        known: &Memo,
    ) -> Option<Self> {
        patches.contains(node).then(|| patches.fit(node, position, |fitted| fitted, known))
    }

    #[inline(always)]
    fn from_box(aabb: Aabb) -> Option<Self> {
        Some(aabb)
    }

    fn fit(points: &[DVec3]) -> Rest {
        Rest::oriented(points)
    }

    #[inline]
    fn around(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let (mut min, mut max) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        for point in points {
            let point = point.as_vec3a();
            min = min.min(point);
            max = max.max(point);
        }
        Self::around_nearest(min, max)
    }

    #[inline]
    fn with(&self, other: &Self) -> Self {
        self.merge(other)
    }

    #[inline]
    fn in_both(&self, other: &Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    #[inline]
    fn around_place(&Place { center, half }: &Place) -> Self {
        Self { min: center - half, max: center + half }
    }

    #[inline]
    fn around_places(places: impl Iterator<Item = Place> + Clone) -> Self {
        places.fold(Self::EMPTY, |all, place| all.merge(&Self::around_place(&place)))
    }
}

/// Lengths are the same along all axes: the first counts.
impl Measure for Sphere {
    #[inline(always)]
    fn length(v: Vec3A) -> Vec3A {
        Vec3A::splat(length(v))
    }

    #[inline(always)]
    fn growth(joint: &Joint) -> Vec3A {
        Vec3A::splat(joint.norm)
    }

    /// The radius is always smaller.
    #[inline(always)]
    fn box_reach(_: [Vec3A; 3]) -> Vec3A {
        Vec3A::INFINITY
    }

    #[inline(always)]
    fn upright_reach(_: [Vec3A; 3], _: Vec3A) -> Vec3A {
        Vec3A::INFINITY
    }

    #[inline(always)]
    fn bent_reach(base: [Vec3A; 3], growth: Vec3A, turn: Vec3A, bend: &Bend, rest: &Rest) -> Vec3A {
        let reach = bent_reach(base, bend.columns, growth.x, turn.x, rest.radius);
        Vec3A::splat(reach + left_over(reach, bend.near.x, bend.left.x, bend.all.x))
    }

    /// The root of all squares; entries whose squares vanish are below 1e-22.
    #[inline(always)]
    fn lengthening([x, y, z]: [Vec3A; 3]) -> Vec3A {
        Vec3A::splat((x.dot(x) + y.dot(y) + z.dot(z)).sqrt() + 1e-21)
    }
}

impl SkinVolume for Sphere {
    const ALL: Self = Self { center: Vec3::ZERO, radius: f32::INFINITY };
    const ASKS_NORMS: bool = true;
    const WITH_SLOPES: bool = true;

    /// On a character of 27,000 triangles, against bounds from joints down to the leaves, this
    /// takes a third off a contact query; twice as many gain little more.
    #[inline]
    fn is_exact(_: &Patches, _: u32, triangles: usize) -> bool {
        triangles <= 8
    }

    /// Spheres around spheres are loose.
    #[inline]
    fn of_patch(_: &Patches, _: u32, _: impl Fn(u32) -> DVec3, _: &Memo) -> Option<Self> {
        None
    }

    #[inline(always)]
    fn from_box(_: Aabb) -> Option<Self> {
        None
    }

    fn fit(points: &[DVec3]) -> Rest {
        Rest::ball(points)
    }

    #[inline]
    fn around(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let mut three = points.clone();
        if let (Some(a), Some(b), Some(c), None) =
            (three.next(), three.next(), three.next(), three.next())
        {
            return around_triangle([a, b, c]);
        }
        let (low, high) = points
            .clone()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |all, p| (all.0.min(p), all.1.max(p)));
        Self::around(low * 0.5 + high * 0.5, points)
    }

    #[inline]
    fn with(&self, other: &Self) -> Self {
        self.merge(other)
    }

    /// The smaller one.
    #[inline]
    fn in_both(&self, other: &Self) -> Self {
        if self.radius <= other.radius { *self } else { *other }
    }

    #[inline]
    fn around_place(place: &Place) -> Self {
        let radius = place.half.x;
        if !(place.center.is_finite() && radius.is_finite()) {
            return Self::ALL;
        }
        Self { center: Vec3::from(place.center), radius }
    }

    /// Around a point to which steps towards the farthest place lead, from the middle of the box
    /// around all.
    #[inline]
    fn around_places(places: impl Iterator<Item = Place> + Clone) -> Self {
        let mut few = [Place { center: Vec3A::ZERO, half: Vec3A::ZERO }; FEW_PLACES];
        let mut many = Vec::new();
        let mut count = 0;
        for place in places {
            match few.get_mut(count) {
                Some(free) => *free = place,
                None => many.push(place),
            }
            count += 1;
        }
        let places = || few[..count.min(FEW_PLACES)].iter().chain(&many);
        let around = Aabb::around_places(places().copied());
        let mut middle = around.min * 0.5 + around.max * 0.5;
        let mut best = (middle, f32::INFINITY);
        for step in 1..=CENTER_STEPS {
            let (mut far, mut radius) = (middle, 0.0_f32);
            for place in places() {
                let reach = length(place.center - middle) + place.half.x;
                if reach > radius {
                    (far, radius) = (place.center, reach);
                }
            }
            if radius < best.1 {
                best = (middle, radius);
            }
            // Each step is shorter than the one before, and does not go beyond the farthest.
            let way = far - middle;
            let share = radius / ((step + 1) as f32 * length(way).max(f32::MIN_POSITIVE));
            middle += way * share.min(1.0);
        }
        let (middle, radius) = (best.0, best.1 * (1.0 + F32_SLACK));
        // An unbounded part has no middle, and leaves none.
        if !(around.min.is_finite() && around.max.is_finite() && radius.is_finite()) {
            return Self::ALL;
        }
        Self { center: Vec3::from(middle), radius: radius + f32::MIN_POSITIVE }
    }
}

/// So many places are kept without asking for memory.
const FEW_PLACES: usize = 12;

/// Steps towards the farthest place. On a walking man four make spheres of the first level smaller by
/// 3 %, of the third by 1 %; twice as many gain half as much again.
const CENTER_STEPS: usize = 4;
