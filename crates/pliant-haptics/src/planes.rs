//! The point nearest to a target that is not behind any of a few planes.
//!
//! The nearest point of a convex set is unique. So if the nearest point under the first planes is
//! behind the next plane, the nearest point under all of them lies on that plane (Seidel's argument for
//! linear programs, 1991). That gives the solution with at most three active planes by projections
//! onto planes and lines, without a choice of subsets, in time linear in the planes for most orders.

use pliant::glam::DVec3;

/// A half-space: points y with `normal . y >= offset`. The normal is a unit vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// Where it lies.
    pub normal: DVec3,
    /// How far from the origin it begins, along the normal.
    pub offset: f64,
}

impl HalfSpace {
    /// How far a point is in front; negative behind.
    #[inline]
    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// The nearest point and what holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The point.
    pub point: DVec3,
    /// The planes that hold it, as numbers in the list that was given, each with its multiplier:
    /// `point = target + sum multiplier * normal`.
    pub active: Active,
}

/// At most three planes and their multipliers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Active {
    planes: [(usize, f64); 3],
    count: usize,
}

impl Active {
    fn new(numbers: &[usize]) -> Self {
        let mut made = Self::default();
        for (place, &number) in made.planes.iter_mut().zip(numbers) {
            *place = (number, 0.0);
        }
        made.count = numbers.len().min(3);
        made
    }

    /// The planes and their multipliers.
    #[must_use]
    pub fn as_slice(&self) -> &[(usize, f64)] {
        &self.planes[..self.count]
    }
}

/// Sines below this are those of parallel planes: their line of intersection is lost in rounding.
const PARALLEL: f64 = 1e-9;

/// The point of the half-spaces' intersection that is nearest to the target, or `None` if they have
/// no point in common.
///
/// Up to rounding: a point behind a plane by less than 2^-40 of the lengths given counts as in front.
///
/// ```
/// use pliant::glam::DVec3;
/// use pliant_haptics::{HalfSpace, nearest_in};
/// let floor = HalfSpace { normal: DVec3::Z, offset: 0.0 };
/// let wall = HalfSpace { normal: DVec3::X, offset: 0.0 };
/// let nearest = nearest_in(DVec3::new(-1.0, 2.0, -3.0), &[floor, wall]).unwrap();
/// assert_eq!(nearest.point, DVec3::new(0.0, 2.0, 0.0));
/// assert_eq!(nearest.active.as_slice(), [(1, 1.0), (0, 3.0)]);
/// ```
#[must_use]
pub fn nearest_in(target: DVec3, planes: &[HalfSpace]) -> Option<Nearest> {
    let reach = planes.iter().fold(target.length(), |most, plane| most.max(plane.offset.abs()));
    let slack = reach / (1u64 << 40) as f64;
    let mut best = (target, Active::new(&[]));
    for (number, plane) in planes.iter().enumerate() {
        if plane.height(best.0) < -slack {
            best = on_plane(target, planes, number, slack)?;
        }
    }
    let (point, mut active) = best;
    multipliers(target, point, planes, &mut active);
    Some(Nearest { point, active })
}

/// The nearest point on plane `first` that is not behind the planes before it.
fn on_plane(
    target: DVec3,
    planes: &[HalfSpace],
    first: usize,
    slack: f64,
) -> Option<(DVec3, Active)> {
    let plane = planes[first];
    let mut best = (target - plane.normal * plane.height(target), Active::new(&[first]));
    for second in 0..first {
        if planes[second].height(best.0) >= -slack {
            continue;
        }
        let along = plane.normal.cross(planes[second].normal);
        if along.length_squared() < PARALLEL * PARALLEL {
            if plane.normal.dot(planes[second].normal) < 0.0 {
                return None;
            }
            // The same plane up to rounding: the first is the tighter one.
            continue;
        }
        best = on_line(target, planes, [first, second], along.normalize(), slack)?;
    }
    Some(best)
}

/// The nearest point on the line of two planes that is not behind the planes before the second.
fn on_line(
    target: DVec3,
    planes: &[HalfSpace],
    [first, second]: [usize; 2],
    along: DVec3,
    slack: f64,
) -> Option<(DVec3, Active)> {
    let (a, b) = (planes[first], planes[second]);
    let cosine = a.normal.dot(b.normal);
    let sine_squared = a.normal.cross(b.normal).length_squared();
    let (up, across) = (-a.height(target), -b.height(target));
    let of_a = (up - cosine * across) / sine_squared;
    let of_b = (across - cosine * up) / sine_squared;
    let origin = target + a.normal * of_a + b.normal * of_b;
    let (mut low, mut high) = ((f64::NEG_INFINITY, None), (f64::INFINITY, None));
    for (third, plane) in planes[..second].iter().enumerate() {
        let (height, rate) = (plane.height(origin), plane.normal.dot(along));
        if rate.abs() < PARALLEL {
            if height < -slack {
                return None;
            }
            continue;
        }
        let reached = -height / rate;
        if rate > 0.0 && reached > low.0 {
            low = (reached, Some(third));
        } else if rate < 0.0 && reached < high.0 {
            high = (reached, Some(third));
        }
    }
    if low.0 > high.0 + slack {
        return None;
    }
    let (step, third) = if low.0 > 0.0 {
        low
    } else if high.0 < 0.0 {
        high
    } else {
        (0.0, None)
    };
    let active = match third {
        Some(third) => Active::new(&[first, second, third]),
        None => Active::new(&[first, second]),
    };
    Some((origin + along * step, active))
}

/// Fills in the multipliers of the active planes: `point - target` as a sum of their normals.
fn multipliers(target: DVec3, point: DVec3, planes: &[HalfSpace], active: &mut Active) {
    let way = point - target;
    let normal = |at: usize| planes[active.planes[at].0].normal;
    let found = match active.count {
        0 => [0.0; 3],
        1 => [way.dot(normal(0)), 0.0, 0.0],
        2 => {
            let (a, b) = (normal(0), normal(1));
            let cosine = a.dot(b);
            let share = 1.0 / a.cross(b).length_squared();
            let (on_a, on_b) = (way.dot(a), way.dot(b));
            [(on_a - cosine * on_b) * share, (on_b - cosine * on_a) * share, 0.0]
        }
        _ => {
            let [a, b, c] = [normal(0), normal(1), normal(2)];
            let share = 1.0 / a.dot(b.cross(c));
            [b.cross(c), c.cross(a), a.cross(b)].map(|across| way.dot(across) * share)
        }
    };
    for (plane, found) in active.planes.iter_mut().zip(found) {
        plane.1 = if found > 0.0 && found.is_finite() { found } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_scenes::Random;

    /// Every subset of at most three planes: the nearest point that is in front of all.
    fn by_subsets(target: DVec3, planes: &[HalfSpace]) -> Option<DVec3> {
        let mut candidates = vec![target];
        for a in planes {
            candidates.push(target - a.normal * a.height(target));
            for b in planes {
                let along = a.normal.cross(b.normal);
                if along.length() < 1e-6 {
                    continue;
                }
                let unit = along.normalize();
                let point = (b.normal.cross(unit) * a.offset - a.normal.cross(unit) * b.offset)
                    / b.normal.cross(unit).dot(a.normal);
                let point = point + unit * unit.dot(target - point);
                candidates.push(point);
                for c in planes {
                    let rate = c.normal.dot(unit);
                    if rate.abs() > 1e-6 {
                        candidates.push(point - unit * (c.height(point) / rate));
                    }
                }
            }
        }
        candidates.retain(|&point| planes.iter().all(|plane| plane.height(point) >= -1e-9));
        let far = |point: &DVec3| point.distance_squared(target);
        candidates.into_iter().min_by(|p, q| far(p).total_cmp(&far(q)))
    }

    #[test]
    fn the_nearest_of_all_subsets() {
        let mut random = Random::new(5);
        let mut counts = [0; 4];
        for case in 0..20_000 {
            let count = case % 9;
            let plane = |random: &mut Random| {
                let normal = random.in_cube().normalize();
                HalfSpace { normal, offset: random.between(-0.5, 0.2) }
            };
            let planes: Vec<_> = (0..count).map(|_| plane(&mut random)).collect();
            let target = random.in_cube() * 2.0;
            let expected = by_subsets(target, &planes);
            let found = nearest_in(target, &planes);
            assert_eq!(found.is_some(), expected.is_some(), "{planes:?} {target}");
            let (Some(found), Some(expected)) = (found, expected) else { continue };
            let apart = found.point.distance(expected);
            assert!(apart < 1e-7, "{apart} {found:?} {expected} {planes:?}");
            counts[found.active.as_slice().len()] += 1;
            let sum: DVec3 =
                found.active.as_slice().iter().map(|&(i, m)| planes[i].normal * m).sum();
            assert!((target + sum).distance(found.point) < 1e-6, "{found:?}");
        }
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }

    #[test]
    fn what_has_no_point_in_common() {
        let above = HalfSpace { normal: DVec3::Z, offset: 1.0 };
        let below = HalfSpace { normal: -DVec3::Z, offset: 1.0 };
        assert_eq!(nearest_in(DVec3::X, &[above, below]), None);
        assert_eq!(nearest_in(DVec3::X, &[]).map(|nearest| nearest.point), Some(DVec3::X));
    }
}
