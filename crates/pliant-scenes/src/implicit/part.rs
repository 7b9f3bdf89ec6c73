//! Round parts and their smooth union.

use pliant::glam::{DAffine3, DVec3};

/// A cone with round ends, possibly flattened, that follows one joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    /// The joint that it follows.
    pub(crate) joint: usize,
    /// The centres and radii of its two ends.
    pub(crate) from: DVec3,
    pub(crate) to: DVec3,
    pub(crate) radius_from: f64,
    pub(crate) radius_to: f64,
    /// A unit vector along which the part is flattened by the factor `flatness`.
    pub(crate) flat_along: DVec3,
    pub(crate) flatness: f64,
    /// The width of the smooth blend with the parts before it, in metres.
    pub(crate) blend: f64,
}

impl Part {
    /// A round part with a blend of three centimetres.
    pub(crate) fn round(joint: usize, from: DVec3, to: DVec3, radii: [f64; 2]) -> Self {
        Self {
            joint,
            from,
            to,
            radius_from: radii[0],
            radius_to: radii[1],
            flat_along: DVec3::Z,
            flatness: 1.0,
            blend: 0.03,
        }
    }

    /// The same part, flattened along a direction.
    pub(crate) fn flat(self, along: DVec3, flatness: f64) -> Self {
        Self { flat_along: along, flatness, ..self }
    }

    /// The same part with another blend.
    pub(crate) fn blended(self, blend: f64) -> Self {
        Self { blend, ..self }
    }

    /// The mirror image of the part, for the opposite side of the body.
    pub(crate) fn mirrored(self, joint: usize) -> Self {
        let mirror = |v: DVec3| DVec3::new(-v.x, v.y, v.z);
        Self {
            joint,
            from: mirror(self.from),
            to: mirror(self.to),
            flat_along: mirror(self.flat_along),
            ..self
        }
    }

    /// The part under a rigid motion, enlarged by a margin.
    pub(crate) fn moved(self, motion: &DAffine3, margin: f64) -> Self {
        Self {
            from: motion.transform_point3(self.from),
            to: motion.transform_point3(self.to),
            flat_along: motion.transform_vector3(self.flat_along),
            // A flattened part grows less along its thin side; the flatness compensates for that.
            radius_from: self.radius_from + margin,
            radius_to: self.radius_to + margin,
            flatness: (self.flatness * self.radius_from + margin) / (self.radius_from + margin),
            ..self
        }
    }

    /// Below 0 inside, 0 on the surface, above 0 outside. Outside flattened parts it grows faster
    /// than the distance, by a factor of at most 1 / flatness.
    pub(crate) fn distance(&self, point: DVec3) -> f64 {
        let (off_axis, radius) = self.off_axis(point);
        off_axis.length() - radius
    }

    /// A lower bound of the distance to points outside.
    pub(crate) fn clearance(&self, point: DVec3) -> f64 {
        self.distance(point) * self.flatness
    }

    /// The vector from the nearest point of the axis to `point`, in the space in which the part is
    /// round, and the radius there.
    fn off_axis(&self, point: DVec3) -> (DVec3, f64) {
        let along = self.stretch(self.to - self.from);
        let from = self.stretch(point - self.from);
        let length = along.length_squared();
        let t = if length > 0.0 { (from.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        (from - t * along, self.radius_from + t * (self.radius_to - self.radius_from))
    }

    fn stretch(&self, v: DVec3) -> DVec3 {
        v + (1.0 / self.flatness - 1.0) * v.dot(self.flat_along) * self.flat_along
    }
}

/// The signed distance of the union with smooth blends; accurate enough to find the surface.
pub(crate) fn distance(parts: &[Part], point: DVec3) -> f64 {
    parts.iter().fold(f64::INFINITY, |union, part| {
        let distance = part.distance(point);
        let seam = (part.blend - (union - distance).abs()).max(0.0);
        union.min(distance) - seam * seam / (4.0 * part.blend)
    })
}

/// The signed distance of the union and its gradient. The gradient neglects the taper of cones,
/// which Newton steps tolerate.
pub(crate) fn distance_and_slope(parts: &[Part], point: DVec3) -> (f64, DVec3) {
    let mut union = (f64::INFINITY, DVec3::ZERO);
    for part in parts {
        let (off_axis, radius) = part.off_axis(point);
        let distance = off_axis.length() - radius;
        if distance > union.0 + part.blend {
            continue;
        }
        let slope = part.stretch(off_axis.normalize_or_zero());
        let seam = (part.blend - (union.0 - distance).abs()).max(0.0);
        let share = seam / (2.0 * part.blend);
        let [near, far] = if distance < union.0 {
            [(distance, slope), union]
        } else {
            [union, (distance, slope)]
        };
        union = (near.0 - seam * share / 2.0, near.1.lerp(far.1, share));
    }
    union
}

/// A point of the surface close to `point`, by Newton steps along the gradient.
pub(crate) fn onto_surface(parts: &[Part], point: DVec3) -> DVec3 {
    let mut point = point;
    for _ in 0..2 {
        let (distance, slope) = distance_and_slope(parts, point);
        point -= distance / slope.length_squared().max(0.1) * slope;
    }
    point
}

/// The part with the smallest signed distance at a point.
pub(crate) fn nearest_part(parts: &[Part], point: DVec3) -> usize {
    let mut nearest = (f64::INFINITY, 0);
    for (number, part) in parts.iter().enumerate() {
        let distance = part.distance(point);
        if distance < nearest.0 {
            nearest = (distance, number);
        }
    }
    nearest.1
}
