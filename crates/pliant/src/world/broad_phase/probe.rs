//! What boxes are asked for: a box, a point, a segment or a ray.

use glam::DVec3;

use super::solid::{is_solid, solid};
use crate::Result;
use crate::query::check_point;
use crate::volume::{Aabb, Overlap as _, Ray, RayEntry as _};

/// A box, a point, a segment or a ray that boxes may meet.
///
/// ```
/// use pliant::{glam::DVec3, volume::Aabb, world::Probe};
/// let cube = Aabb::around([DVec3::ZERO, DVec3::ONE]);
/// assert!(Probe::point(DVec3::ONE)?.meets(&cube));
/// assert!(Probe::segment(-DVec3::ONE, DVec3::splat(2.0))?.meets(&cube));
/// assert!(!Probe::segment(-DVec3::ONE, DVec3::splat(-0.5))?.meets(&cube));
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe(Kind);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Box(Aabb),
    Point(DVec3),
    /// A ray up to a `t`.
    Ray(Ray, f64),
}

impl Probe {
    /// All boxes that overlap a box. A side that is NaN excludes nothing; an empty box meets nothing.
    #[must_use]
    pub fn overlapping(volume: Aabb) -> Self {
        Self(Kind::Box(volume))
    }

    /// All boxes that contain a point.
    ///
    /// # Errors
    /// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
    pub fn point(point: DVec3) -> Result<Self> {
        check_point(point)?;
        Ok(Self(Kind::Point(point)))
    }

    /// All boxes that a segment meets. See [`Probe::meets`].
    ///
    /// # Errors
    /// [`Error::InvalidVector`](crate::Error::InvalidVector) if an end or the difference of the ends
    /// is not finite.
    pub fn segment(from: DVec3, to: DVec3) -> Result<Self> {
        check_point(to)?;
        if from == to {
            return Self::point(from);
        }
        Ok(Self(Kind::Ray(Ray::new(from, to - from)?, 1.0)))
    }

    /// All boxes that a ray meets. See [`Probe::meets`].
    #[must_use]
    pub fn ray(ray: Ray) -> Self {
        Self(Kind::Ray(ray, f64::INFINITY))
    }

    /// Whether the probe may have a point in common with a box.
    ///
    /// `false` means that it has none, whatever was rounded. For boxes and points `true` means that
    /// there is one. For segments and rays it may be spurious, by the slack of
    /// [`RayEntry`](crate::volume::RayEntry) for boxes, about 2^-48 of the largest distance: the
    /// difference of a segment's ends is rounded by 2^-53, which that slack covers.
    ///
    /// A side that is NaN counts as infinite; an empty box is never met.
    ///
    /// If a box is met, so is every box that contains it, whatever is rounded: every step of the
    /// test is monotone in the sides of the box. Hierarchies rely on that.
    #[must_use]
    #[inline]
    pub fn meets(&self, volume: &Aabb) -> bool {
        if is_solid(volume) {
            self.meets_solid(volume)
        } else {
            solid(volume).is_some_and(|volume| self.meets_solid(&volume))
        }
    }

    #[inline]
    fn meets_solid(&self, volume: &Aabb) -> bool {
        match &self.0 {
            Kind::Box(own) => own.overlaps(volume) && !own.is_empty(),
            Kind::Point(point) => volume.contains_point(*point),
            Kind::Ray(ray, until) => volume.ray_entry(ray, *until).is_some(),
        }
    }

    /// A box around the probe, if it is bounded.
    pub(super) fn bounds(&self) -> Option<Aabb> {
        match &self.0 {
            Kind::Box(own) => solid(own),
            Kind::Point(point) => Some(Aabb::around([*point])),
            Kind::Ray(..) => None,
        }
    }
}
