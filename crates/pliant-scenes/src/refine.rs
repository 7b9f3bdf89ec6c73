//! Refinement that cuts each triangle into four at the midpoints of its edges.

use std::collections::HashMap;

/// Cuts every triangle into four.
///
/// Old points keep their numbers; new ones follow in the order in which their edges first occur.
/// `middle` makes the point of an edge from its two ends, the one with the smaller number first, so
/// that both triangles at an edge get the same point. The children of triangle `t` are
/// `4t..4t + 4`: those of the three corners in their order, then the central one. All have the
/// orientation of `t`.
pub(crate) fn refine<P: Copy>(
    points: &mut Vec<P>,
    triangles: &[[u32; 3]],
    middle: impl Fn(P, P) -> P,
) -> Vec<[u32; 3]> {
    let mut middle_of_edge: HashMap<[u32; 2], u32> = HashMap::with_capacity(triangles.len() * 2);
    let mut number = |a: u32, b: u32| {
        let edge = [a.min(b), a.max(b)];
        *middle_of_edge.entry(edge).or_insert_with(|| {
            let point = middle(points[edge[0] as usize], points[edge[1] as usize]);
            points.push(point);
            (points.len() - 1) as u32
        })
    };
    let mut finer = Vec::with_capacity(triangles.len() * 4);
    for &[a, b, c] in triangles {
        let (ab, bc, ca) = (number(a, b), number(b, c), number(c, a));
        finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    finer
}
