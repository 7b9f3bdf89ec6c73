//! All vertices at once, with wide instructions, and on all threads where there are many.
//!
//! A vertex has the bits that it has alone: lanes are its coordinates, so each sum is the same sum in the
//! same order.

use std::array::from_fn;

use glam::{DAffine3, DVec3, Vec3};

use super::skin::SkinWeights;
use crate::parallel::*;
use crate::simd::{level, vectorize};

/// Vertices that a thread takes at a time. With fewer in all, one thread does it alone.
const SHARE: usize = 1 << 13;

/// A map as its four columns. The last lane only fills a register.
#[derive(Debug, Clone, Copy)]
struct Columns([[f64; 4]; 4]);

impl Columns {
    fn new(map: &DAffine3) -> Self {
        let DAffine3 { matrix3: m, translation } = map;
        Self([m.x_axis, m.y_axis, m.z_axis, *translation].map(|c| [c.x, c.y, c.z, 0.0]))
    }

    /// [`DAffine3::transform_point3`], bit by bit.
    #[inline(always)]
    fn image(&self, point: DVec3) -> [f64; 4] {
        let Self([x, y, z, translation]) = self;
        from_fn(|i| x[i] * point.x + y[i] * point.y + z[i] * point.z + translation[i])
    }
}

/// Maps all points, as [`DAffine3::transform_point3`] does each.
pub fn map_all(map: &DAffine3, points: &mut [DVec3]) {
    let columns = Columns::new(map);
    share(points, |_, points| vectorize!(level(), map_share(&columns, points)));
}

#[inline(always)]
fn map_share(columns: &Columns, points: &mut [DVec3]) {
    for point in points {
        let [x, y, z, _] = columns.image(*point);
        *point = DVec3::new(x, y, z);
    }
}

/// Blends all points linearly, as [`blend_linear`](super::blend_linear) does each. Points without weights
/// stay where they are.
///
/// ```
/// use pliant::deform::{Influence, SkinWeights, blend_linear, blend_linear_all};
/// use pliant::glam::{DAffine3, DVec3};
/// let mut weights = SkinWeights::default();
/// weights.push(&[0, 1].map(|joint| Influence { joint, weight: 0.5 }));
/// let joints = [DAffine3::IDENTITY, DAffine3::from_translation(DVec3::Y)];
/// let mut points = [DVec3::X];
/// blend_linear_all(&weights, &joints, &mut points);
/// assert_eq!(points, [blend_linear(weights.of(0), &joints, DVec3::X)]);
/// ```
///
/// # Panics
/// If an influence names a joint that does not exist.
pub fn blend_linear_all(weights: &SkinWeights, joints: &[DAffine3], points: &mut [DVec3]) {
    let columns: Vec<Columns> = joints.iter().map(Columns::new).collect();
    let known = points.len().min(weights.vertices());
    share(&mut points[..known], |first, points| {
        vectorize!(level(), blend_share(weights, &columns, first, points));
    });
}

#[inline(always)]
fn blend_share(weights: &SkinWeights, joints: &[Columns], first: usize, points: &mut [DVec3]) {
    for (vertex, point) in points.iter_mut().enumerate() {
        let mut sum = [0.0_f64; 4];
        for influence in weights.of(first + vertex) {
            let image = joints[influence.joint as usize].image(*point);
            sum = from_fn(|i| sum[i] + influence.weight * image[i]);
        }
        let [x, y, z, _] = sum;
        *point = DVec3::new(x, y, z);
    }
}

/// Adds q times a displacement to each point for each of `active`: a mode's number and its q.
/// `displacements` has `modes` for each point, one after another.
pub(super) fn displace_all(
    displacements: &[Vec3],
    modes: usize,
    active: &[(usize, f64)],
    points: &mut [DVec3],
) {
    share(points, |first, points| {
        vectorize!(level(), displace_share(displacements, modes, active, first, points));
    });
}

#[inline(always)]
fn displace_share(
    displacements: &[Vec3],
    modes: usize,
    active: &[(usize, f64)],
    first: usize,
    points: &mut [DVec3],
) {
    if modes == 0 {
        return;
    }
    let own = displacements[first * modes..].chunks_exact(modes);
    if active.len() < modes {
        for (point, own) in points.iter_mut().zip(own) {
            for &(mode, q) in active {
                *point += q * own[mode].as_dvec3();
            }
        }
        return;
    }
    // All modes: four at a time. A displacement is loaded with the number behind it, if there is one.
    let (fours, others) = active.as_chunks::<4>();
    for (point, own) in points.iter_mut().zip(own) {
        let (own_fours, own_others) = bytemuck::cast_slice::<_, f32>(own).as_chunks::<12>();
        let mut sum = [point.x, point.y, point.z, 0.0];
        for (own, four) in own_fours.iter().zip(fours) {
            let [x0, y0, z0, x1, y1, z1, x2, y2, z2, x3, y3, z3] = *own;
            let of_four = [[x0, y0, z0, x1], [x1, y1, z1, x2], [x2, y2, z2, x3], [x3, y3, z3, 0.0]];
            for (displacement, (_, q)) in of_four.iter().zip(four) {
                sum = from_fn(|i| sum[i] + q * f64::from(displacement[i]));
            }
        }
        for (displacement, (_, q)) in own_others.chunks_exact(3).zip(others) {
            for (sum, &displacement) in sum.iter_mut().zip(displacement) {
                *sum += q * f64::from(displacement);
            }
        }
        let [x, y, z, _] = sum;
        *point = DVec3::new(x, y, z);
    }
}

/// Gives each thread shares of the points, with the number of the first.
fn share(points: &mut [DVec3], each: impl Fn(usize, &mut [DVec3]) + Sync) {
    if points.len() <= SHARE || current_num_threads() == 1 {
        each(0, points);
    } else {
        let shares = points.par_chunks_mut(SHARE).enumerate();
        shares.for_each(|(share, points)| each(share * SHARE, points));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::{Influence, Modes, blend_linear};
    use crate::simd::{Level, levels};

    /// Numbers of many sizes, the same everywhere.
    fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let size = 2f64.powi((seed >> 59) as i32 - 16);
            ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * size
        }
    }

    fn bits(points: &[DVec3]) -> Vec<[u64; 3]> {
        points.iter().map(|point| point.to_array().map(f64::to_bits)).collect()
    }

    fn points(count: usize, next: &mut impl FnMut() -> f64) -> Vec<DVec3> {
        let mut points: Vec<DVec3> =
            (0..count).map(|_| DVec3::from_array([(); 3].map(|()| next()))).collect();
        points[0] = DVec3::splat(-0.0);
        points
    }

    #[test]
    fn vertices_have_the_bits_that_they_have_alone_at_every_level() {
        let mut next = numbers(3);
        for count in [1, 7, SHARE + 5, 3 * SHARE] {
            let at_rest = points(count, &mut next);
            let joints: Vec<DAffine3> = (0..5)
                .map(|_| DAffine3::from_cols_array(&[(); 12].map(|()| next())))
                .chain([DAffine3::IDENTITY])
                .collect();
            let mut weights = SkinWeights::default();
            for vertex in 0..count as u32 {
                let of_joint =
                    |joint| Influence { joint: (vertex + joint) % 6, weight: next().abs() };
                weights.push(&(0..1 + vertex % 5).map(of_joint).collect::<Vec<_>>());
            }
            let fields: Vec<Vec<DVec3>> = (0..6).map(|_| points(count, &mut next)).collect();
            let modes = Modes::from_fields(count, &fields).unwrap();
            let all = [(); 6].map(|()| next());
            let some = [next(), 0.0, next(), next(), 0.0, next()];
            let alone = at_rest.iter().enumerate();
            let mapped: Vec<_> = at_rest.iter().map(|&p| joints[0].transform_point3(p)).collect();
            let blended: Vec<_> =
                alone.clone().map(|(at, &p)| blend_linear(weights.of(at), &joints, p)).collect();
            let flat: Vec<Vec3> = (0..count).flat_map(|at| modes.of(at).to_vec()).collect();
            let columns: Vec<Columns> = joints.iter().map(Columns::new).collect();
            let check = |made: &dyn Fn(Level, &mut [DVec3]), expected: &[DVec3]| {
                for level in levels() {
                    let mut points = at_rest.clone();
                    made(level, &mut points);
                    assert!(bits(&points) == bits(expected), "{count} points, {level:?}");
                }
            };
            check(&|level, points| vectorize!(level, map_share(&columns[0], points)), &mapped);
            check(
                &|level, points| vectorize!(level, blend_share(&weights, &columns, 0, points)),
                &blended,
            );
            check(&|_, points| map_all(&joints[0], points), &mapped);
            check(&|_, points| blend_linear_all(&weights, &joints, points), &blended);
            for q in [all, some] {
                let displaced: Vec<_> =
                    alone.clone().map(|(at, &p)| modes.displaced(p, at, &q)).collect();
                let active: Vec<_> = q.into_iter().enumerate().filter(|&(_, q)| q != 0.0).collect();
                check(
                    &|level, points| {
                        vectorize!(level, displace_share(&flat, 6, &active, 0, points));
                    },
                    &displaced,
                );
                check(&|_, points| modes.displace_all(&q, points), &displaced);
            }
        }
    }
}
