//! Which points of a body are closest to many given points.
//!
//! A few are asked one by one. For many, the triangles of the state are prepared once: four at a time are
//! then compared with a point in `f32`, and one or two per point remain for the exact test.
//!
//! | file | content |
//! | --- | --- |
//! | `order` | in which order points are asked |
//! | `lanes` | how far a point is from four boxes and from four triangles |
//! | `wide_tree` | a tree of four children per node, for one call |
//! | `search` | one point after the other |

mod lanes;
mod order;
mod search;
mod wide_tree;

use crate::parallel::*;
use glam::DVec3;

use super::Work;
use super::closest::{ClosestPoint, check_point};
use super::closest_point;
use crate::body::Collide;
use crate::contact::PointOnTriangle;
use crate::{AnyBody, Result};
use search::Search;
use wide_tree::{WIDTH, WideTree};

/// Points that are answered one after the other, so that each starts from what the one before found.
/// The size is fixed: counts of work do not depend on the number of threads.
const BLOCK: usize = 1024;

/// Triangles per point up to which it pays to prepare them: that takes a twentieth of the time of a
/// point that is asked by itself.
const PREPARED: usize = 16;

/// The points of a body that are closest to given points, in the order of those.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClosestPoints {
    /// The triangles that they lie on; of several at the same computed distance the smallest number.
    pub triangles: Vec<u32>,
    /// The points, their weights and their squared distances.
    pub found: Vec<PointOnTriangle>,
    /// What the query did.
    pub work: Work,
}

/// The points of a body's surface that are closest to given points.
///
/// Guarantee: for each point what [`closest_point`](super::closest_point) returns, bit for bit. Counts
/// of work are the same for any number of threads.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let body = Body::rigid(mesh)?;
/// let points = [DVec3::new(0.25, 0.25, -2.0), DVec3::new(3.0, 0.0, 0.0)];
/// let closest = pliant::closest_points(&body, &points)?;
/// assert_eq!(closest.found[1].point, DVec3::X);
/// assert_eq!(closest.found[0], pliant::closest_point(&body, points[0])?.found);
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) for the first point that is not finite.
pub fn closest_points<A: Collide>(body: &A, points: &[DVec3]) -> Result<ClosestPoints> {
    points.iter().try_for_each(|&point| check_point(point))?;
    let is_many = points.len().saturating_mul(PREPARED) >= body.tree().primitives.len();
    let Some(tree) = (is_many && points.len() > 1).then(|| WideTree::new(body)).flatten() else {
        return one_by_one(body, points);
    };
    let order = order::along_a_curve(points);
    let answers: Vec<(Vec<ClosestPoint>, Work)> = order
        .par_chunks(BLOCK)
        .map(|block| {
            let mut search = Search::default();
            let ask = |&at: &u32| search.closest(body, &tree, points[at as usize]);
            let answers = block.iter().map(ask).collect();
            (answers, search.work)
        })
        .collect();
    let mut all = ClosestPoints {
        triangles: vec![0; points.len()],
        found: vec![ClosestPoint::FARTHEST.found; points.len()],
        work: Work { bounds: (WIDTH * tree.nodes.len()) as u64, ..Work::default() },
    };
    for (block, (answers, work)) in order.chunks(BLOCK).zip(answers) {
        all.work += work;
        for (&at, answer) in block.iter().zip(answers) {
            all.triangles[at as usize] = answer.triangle;
            all.found[at as usize] = answer.found;
        }
    }
    Ok(all)
}

/// The answers to points that each start at the root of the body's own tree.
fn one_by_one<A: Collide>(body: &A, points: &[DVec3]) -> Result<ClosestPoints> {
    let answers: Result<Vec<ClosestPoint>> =
        points.par_iter().map(|&point| closest_point(body, point)).collect();
    let mut all = ClosestPoints::default();
    for ClosestPoint { triangle, found, work } in answers? {
        all.triangles.push(triangle);
        all.found.push(found);
        all.work += work;
    }
    Ok(all)
}

impl AnyBody {
    /// As [`closest_points`], compiled for the kinds that are asked most.
    ///
    /// # Errors
    /// Those of [`closest_points`].
    pub fn closest_points(&self, points: &[DVec3]) -> Result<ClosestPoints> {
        match self {
            Self::Free(body) => closest_points(&**body, points),
            Self::Skinned(body) => closest_points(&**body, points),
            other => closest_points(other, points),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::closest_point;
    use crate::{Body, Mesh};

    /// Numbers from 0 to 1 by a recurrence, the same everywhere.
    fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
        move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Triangles all over a cube.
    fn soup(triangles: u32, size: f64) -> Mesh {
        let mut next = numbers(u64::from(triangles));
        let mut place = move || DVec3::new(next(), next(), next());
        let corners = (0..triangles).flat_map(|_| {
            let at = place();
            [at, at + 0.1 * place(), at + 0.1 * place()].map(|corner| corner * size)
        });
        let faces = (0..triangles).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        Mesh::new(corners.collect(), faces).unwrap()
    }

    #[track_caller]
    fn check<A: Collide>(body: &A, points: &[DVec3]) {
        let many = closest_points(body, points).unwrap();
        for (at, &point) in points.iter().enumerate() {
            let single = closest_point(body, point).unwrap();
            assert_eq!(many.triangles[at], single.triangle, "point {at}: {point}");
            assert_eq!(many.found[at], single.found, "point {at}: {point}");
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| closest_points(body, points).unwrap()) == many, "{threads}");
        }
    }

    #[test]
    fn the_answers_are_those_of_single_points_at_every_size() {
        for size in [1e-200, 1e-90, 1e-30, 1e-3, 1.0, 1e3, 1e17, 1e25, 1e90, 1e150] {
            let body = Body::free(soup(300, size)).unwrap();
            let mut next = numbers(7);
            let mut point = |reach: f64| {
                DVec3::new(next(), next(), next()) * reach * size - DVec3::splat(0.3 * size)
            };
            // Near, around, and all but at one place; some far away.
            let mut points: Vec<DVec3> = (0..700).map(|_| point(1.6)).collect();
            points.extend((0..50).map(|_| point(40.0)));
            points.extend(vec![DVec3::splat(0.4 * size); 40]);
            check(&body, &points);
        }
    }

    #[test]
    fn ties_go_to_the_smallest_triangle() {
        // A grid of squares: points above corners are as near to six triangles.
        let side = 12_u32;
        let corner = |at: u32| DVec3::new(f64::from(at % side), f64::from(at / side), 0.0);
        let vertices: Vec<DVec3> = (0..side * side).map(corner).collect();
        let first = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
        let faces = first.flat_map(|a| [[a, a + 1, a + side], [a + 1, a + side + 1, a + side]]);
        let body = Body::rigid(Mesh::new(vertices.clone(), faces.collect()).unwrap()).unwrap();
        let above = |height: f64| vertices.iter().map(move |&v| v + DVec3::Z * height);
        check(&body, &above(0.0).chain(above(2.0)).chain(above(-1e-9)).collect::<Vec<_>>());
    }

    #[test]
    fn slivers_and_points_hide_nothing() {
        let mut next = numbers(3);
        let mut vertices = Vec::new();
        for _ in 0..200 {
            let at = DVec3::new(next(), next(), next());
            let along = DVec3::new(next(), next(), next()) - 0.5;
            // From no area at all to a width of a millionth.
            let width = if next() < 0.3 { 0.0 } else { 10_f64.powf(-6.0 - 12.0 * next()) };
            let across = DVec3::new(next(), next(), next()) * width;
            vertices.extend([at, at + 0.3 * along, at + 0.1 * along + across]);
        }
        let faces = (0..200).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let body = Body::free(Mesh::new(vertices, faces).unwrap()).unwrap();
        let points: Vec<DVec3> = (0..500).map(|_| DVec3::new(next(), next(), next())).collect();
        check(&body, &points);
    }

    #[test]
    fn none_is_none_and_wrong_ones_are_refused() {
        let body = Body::rigid(soup(3, 1.0)).unwrap();
        assert_eq!(closest_points(&body, &[]).unwrap(), ClosestPoints::default());
        assert!(closest_points(&body, &[DVec3::ZERO, DVec3::NAN]).is_err());
    }
}
