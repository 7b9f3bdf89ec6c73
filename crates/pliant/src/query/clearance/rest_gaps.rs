//! How far apart the parts of a surface are at rest, adjacent triangles excepted.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::affine_fit::RestBox;
use super::near_leaves::{LISTED, NearLists, Nearest};
use super::parts::{Part, Parts};
use crate::Mesh;
use crate::contact::triangle_distance;
use crate::numeric::REST_GAP_ERROR;
use crate::tree::Tree;
use crate::volume::{Aabb, Apart, round_down};

/// Two parts, or one and itself, with the least distance at rest of triangles that are
/// not adjacent.
#[derive(Debug, Clone)]
pub(crate) struct RestGap {
    /// The parts; twice the same for one and itself.
    pub(crate) parts: [u32; 2],
    /// Not above the distance of any triangle of the one and any of the other that is not
    /// adjacent to it; infinite if there are no such.
    pub(crate) gap: f32,
    /// Where to look closer.
    pub(crate) below: Below,
}

/// What a pair of parts consists of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Below {
    /// Pairs of smaller parts.
    Pairs(Range<u32>),
    /// Leaves of two patches, or of one; a list of those that are near.
    Leaves(u32),
    /// The parts are far apart; or nothing is known of patches but their gap.
    Far,
}

/// All pairs of parts that are near at rest, and the leaves that are near in pairs of patches.
#[derive(Debug)]
pub(crate) struct RestGaps {
    /// First the whole with itself, then, pair after pair, the pairs of their children, side by
    /// side.
    pub(crate) pairs: Vec<RestGap>,
    pub(crate) near: NearLists,
}

/// Pairs of parts farther apart than this share of the smaller one's size are not taken
/// apart further: that they are far apart is seen from their boxes.
const NEAR: f64 = 0.25;

/// Pairs of patches with lists, at the most, for each patch. On the surface of a body it is some ten.
const MOST_LISTS: usize = 64;

/// Every pair of triangles is in exactly one pair of parts that has no smaller ones below.
pub(crate) fn rest_gaps(tree: &Tree, mesh: &Mesh, parts: &Parts) -> RestGaps {
    let unknown = |parts| RestGap { parts, gap: f32::INFINITY, below: Below::Far };
    let mut pairs = vec![unknown([0, 0])];
    let mut at = 0;
    while at < pairs.len() {
        let first = pairs.len() as u32;
        let [a, b] = pairs[at].parts;
        if a == b || is_near(&parts.get(a).rest, &parts.get(b).rest) {
            pairs_of_children(parts, [a, b], |parts| pairs.push(unknown(parts)));
            if pairs.len() as u32 > first {
                pairs[at].below = Below::Pairs(first..pairs.len() as u32);
            }
        }
        at += 1;
    }
    let position = |vertex: u32| mesh.positions()[vertex as usize];
    let corners: Vec<[DVec3; 3]> = mesh.triangles().iter().map(|t| t.map(position)).collect();
    let boxes: Vec<Aabb> = corners.iter().map(|&corners| Aabb::around(corners)).collect();
    let middle = |t: &[DVec3; 3]| t[0] / 3.0 + t[1] / 3.0 + t[2] / 3.0;
    let middles = corners.iter().map(middle).collect();
    let surface = Surface { tree, mesh, corners, boxes, middles };
    let is_listed = |pair: &RestGap, far: f64| {
        let [a, b] = pair.parts.map(|part| parts.get(part));
        pair.below == Below::Far
            && a.is_patch()
            && b.is_patch()
            && far < a.rest.half.length().max(b.rest.half.length())
    };
    let far_of = |pair: &RestGap| {
        let [a, b] = pair.parts.map(|part| parts.get(part));
        box_gap(&a.rest, &b.rest)
    };
    // Of layers that lie on one another every patch is near every other. There is no room for
    // lists then, and they would hardly help.
    let patches = parts.parts.iter().filter(|part| part.is_patch()).count();
    let listed = pairs.par_iter().filter(|pair| is_listed(pair, far_of(pair))).count();
    let too_many = listed > MOST_LISTS * patches;
    let lists: Vec<Option<Nearest>> = pairs
        .par_iter_mut()
        .map(|pair| {
            if pair.below != Below::Far {
                return None;
            }
            let [a, b] = pair.parts.map(|part| parts.get(part));
            let far = far_of(pair);
            let near = pair.parts[0] == pair.parts[1] || !too_many && is_listed(pair, far);
            if !near {
                pair.gap = round_down(far);
                return None;
            }
            // The leaves of patches that are not side by side are seldom asked for.
            let listed = if is_near(&a.rest, &b.rest) { LISTED } else { 1 };
            let nearest = surface.nearest_leaves(a, b, listed);
            let (listed, beyond) = &nearest;
            let gap = listed.first().map_or(*beyond, |&(gap, _)| gap.min(*beyond));
            pair.gap = if gap < f64::INFINITY { round_down(gap) } else { f32::INFINITY };
            Some(nearest)
        })
        .collect();
    let mut near = NearLists::default();
    for (pair, list) in pairs.iter_mut().zip(lists) {
        if let Some(list) = list {
            let parts = pair.parts.map(|part| parts.get(part));
            pair.below = Below::Leaves(near.add(tree, parts, list));
        }
    }
    for at in (0..pairs.len()).rev() {
        if let Below::Pairs(children) = pairs[at].below.clone() {
            let children = &pairs[children.start as usize..children.end as usize];
            pairs[at].gap = children.iter().fold(f32::INFINITY, |least, pair| least.min(pair.gap));
        }
    }
    RestGaps { pairs, near }
}

/// Calls for each pair that two parts, or one with itself, consist of; for none if
/// both are patches.
#[inline]
pub(crate) fn pairs_of_children(parts: &Parts, [a, b]: [u32; 2], mut each: impl FnMut([u32; 2])) {
    let children = |part: u32| parts.get(part).children.clone();
    if a == b {
        for first in children(a) {
            each([first, first]);
            (first + 1..children(a).end).for_each(|second| each([first, second]));
        }
        return;
    }
    match (children(a).is_empty(), children(b).is_empty()) {
        (true, true) => {}
        (true, false) => children(b).for_each(|child| each([a, child])),
        (false, true) => children(a).for_each(|child| each([child, b])),
        (false, false) => {
            children(a).for_each(|first| children(b).for_each(|second| each([first, second])));
        }
    }
}

/// A lower bound of the distance of what rests in two boxes.
///
/// A difference of the boxes' ends errs by 2^-53 of each of its terms, the length by 2^-51
/// of itself: 2^-47 of the sums is more. It is finite: only where there are no triangles to be
/// apart is a gap infinite. And it is at most 1e150: where squares overflow, all that is known is that
/// the distance is more than that.
#[inline]
pub(crate) fn box_gap(a: &RestBox, b: &RestBox) -> f64 {
    let between = (a.center - b.center).abs();
    let reach = a.half + b.half;
    let sure = between - reach - (between + reach + f64::MIN_POSITIVE) * REST_GAP_ERROR;
    (sure.max(DVec3::ZERO).length() * (1.0 - REST_GAP_ERROR)).min(1e150)
}

fn is_near(a: &RestBox, b: &RestBox) -> bool {
    box_gap(a, b) <= NEAR * a.half.length().min(b.half.length())
}

/// A mesh at rest, with a box around each triangle and its middle.
struct Surface<'a> {
    tree: &'a Tree,
    mesh: &'a Mesh,
    corners: Vec<[DVec3; 3]>,
    boxes: Vec<Aabb>,
    middles: Vec<DVec3>,
}

impl Surface<'_> {
    /// The pairs of leaves of two parts, or of one, that are nearest, and how far apart all
    /// others are at the least. Only triangles that are not adjacent count.
    fn nearest_leaves(&self, a: &Part, b: &Part, listed: usize) -> Nearest {
        let (first, second) = (leaves_below(self.tree, a.node), leaves_below(self.tree, b.node));
        let mut near: Vec<(f64, [u32; 2])> = Vec::new();
        for (at, &i) in first.iter().enumerate() {
            for &j in if a.node == b.node { &first[at..] } else { &second } {
                let gap = self.leaf_gap([i, j], |i, j| self.quick_gap(i, j));
                if gap < f64::INFINITY {
                    near.push((gap, [i, j]));
                }
            }
        }
        let by_gap = |one: &(f64, [u32; 2]), other: &(f64, [u32; 2])| {
            one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
        };
        near.sort_unstable_by(by_gap);
        let beyond = near.get(listed).map_or(f64::INFINITY, |&(gap, _)| gap);
        near.truncate(listed);
        // Of a thousand few are left, and all lists are there at once.
        near.shrink_to_fit();
        for (gap, leaves) in &mut near {
            *gap = gap.max(self.leaf_gap(*leaves, |i, j| self.triangle_gap(i, j)));
        }
        near.sort_unstable_by(by_gap);
        (near, beyond)
    }

    /// The least gap of triangles of two leaves, or of one, that are not adjacent.
    fn leaf_gap(&self, leaves: [u32; 2], gap: impl Fn(u32, u32) -> f64) -> f64 {
        let [first, second] = leaves.map(|leaf| self.tree.leaf_primitives(self.tree.node(leaf)));
        let mut least = f64::INFINITY;
        for (at, &i) in first.iter().enumerate() {
            for &j in if leaves[0] == leaves[1] { &first[at + 1..] } else { second } {
                if !self.mesh.adjacent(i, j) {
                    least = least.min(gap(i, j));
                }
            }
        }
        least
    }

    /// A lower bound of the distance of two triangles.
    fn quick_gap(&self, i: u32, j: u32) -> f64 {
        let (from, to) = (self.middles[i as usize], self.middles[j as usize]);
        let along =
            gap_along(to - from, from, &self.corners[i as usize], &self.corners[j as usize]);
        let squared = self.boxes[i as usize].distance_squared_to(&self.boxes[j as usize]);
        along.max((squared.sqrt() * (1.0 - REST_GAP_ERROR)).min(f64::MAX))
    }

    fn triangle_gap(&self, i: u32, j: u32) -> f64 {
        triangle_gap(&self.corners[i as usize], &self.corners[j as usize])
    }
}

/// The leaves below a node, or the node if it is one.
fn leaves_below(tree: &Tree, node: u32) -> Vec<u32> {
    let mut open = vec![node];
    let mut leaves = Vec::new();
    while let Some(number) = open.pop() {
        let node = tree.node(number);
        if node.is_leaf() {
            leaves.push(number);
        } else {
            open.extend(node.range().rev());
        }
    }
    leaves
}

/// A lower bound of the distance of two triangles; 0 if they touch.
pub(super) fn triangle_gap(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let nearest = triangle_distance(a, b);
    gap_along(nearest.on_b - nearest.on_a, nearest.on_a, a, b)
}

/// A lower bound of the distance of two triangles: the gap between their projections along
/// a direction, whatever direction it is. It is the distance, up to rounding, if the direction is that
/// between their nearest points.
///
/// With u = 2^-53: for a direction n and a point o, n.(p - o) errs by less than 4u of
/// |n| |p - o|, the gap by twice that, and the quotient by 4u of itself.
fn gap_along(direction: DVec3, from: DVec3, a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let length = direction.length();
    let along = |p: &DVec3| direction.dot(*p - from);
    let end_of_a = a.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let start_of_b = b.iter().map(along).fold(f64::INFINITY, f64::min);
    let reach = a.iter().chain(b).map(|p| p.distance_squared(from)).fold(0.0, f64::max).sqrt();
    let sure = (start_of_b - end_of_a) / length - REST_GAP_ERROR * reach;
    // Tiny directions lose digits to underflow.
    if length > 1e-140 && sure > 0.0 { (sure * (1.0 - REST_GAP_ERROR)).min(f64::MAX) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{BuildSettings, build_over_mesh};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// Pairs without children hold each pair of triangles once, and no gap is above a distance
        /// in it, at any size.
        #[test]
        fn gaps_are_lower_bounds(
            x in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 30..90),
            stretch in 0.0..8.0f64, arity in 2..5usize, leaf_size in 1..5usize, exponent in -60..60i32,
        ) {
            let scale = 10f64.powi(exponent);
            let count = x.len() as u32;
            let at = |(i, x): (usize, &[f64; 3])| {
                (DVec3::from_array(*x) + DVec3::X * (i as f64 * stretch * 0.1)) * scale
            };
            let mesh = Mesh::new(
                x.iter().enumerate().map(at).collect(),
                (0..count - 2).map(|i| [i, i + 1, (i * 5) % count]).collect(),
            ).unwrap();
            let settings = BuildSettings { arity, leaf_size, ..BuildSettings::default() };
            let tree = build_over_mesh(&mesh, &settings).unwrap();
            let parts = Parts::new(&tree, &mesh, 5);
            let gaps = rest_gaps(&tree, &mesh, &parts);
            let corners = |t: u32| mesh.triangles()[t as usize].map(|v| mesh.positions()[v as usize]);
            let triangles = mesh.triangles().len();
            let mut met = vec![0; triangles * triangles];
            let (mut certain, mut complete) = (0, 0);
            for pair in &gaps.pairs {
                let [a, b] = pair.parts.map(|part| parts.get(part));
                let run = |part: &Part| &tree.primitives[part.run.start as usize..part.run.end as usize];
                for (at, &i) in run(a).iter().enumerate() {
                    let others = if a.node == b.node { &run(a)[at + 1..] } else { run(b) };
                    for &j in others {
                        if !matches!(pair.below, Below::Pairs(_)) {
                            met[i.min(j) as usize * triangles + i.max(j) as usize] += 1;
                        }
                        if !mesh.adjacent(i, j) {
                            let (first, second) = (corners(i), corners(j));
                            let touch = crate::contact::triangles_touch(&first, &second);
                            let apart = triangle_distance(&first, &second).distance_squared.sqrt();
                            let apart = if touch { 0.0 } else { apart * (1.0 + 1e-14) };
                            prop_assert!(f64::from(pair.gap) <= apart, "{i} {j} {} {apart}", pair.gap);
                            // A part of a pair may be nearer than the pair's boxes say, not much else.
                            certain += u32::from(f64::from(pair.gap) > 0.99 * apart && !touch);
                        }
                    }
                }
            }
            // Lists leave out nothing within reach, or say so.
            let leaf_of = |triangle: u32| {
                let held = |&n: &u32| tree.leaf_primitives(tree.node(n)).contains(&triangle);
                (0..tree.nodes.len() as u32).find(held).unwrap()
            };
            for pair in &gaps.pairs {
                let Below::Leaves(list) = pair.below else { continue };
                let [a, b] = pair.parts.map(|part| parts.get(part));
                let run = |part: &Part| &tree.primitives[part.run.start as usize..part.run.end as usize];
                for reach in [0.0, 0.05, 0.2, 0.5, 1.0, 10.0].map(|reach| reach * scale) {
                    let mut told = Vec::new();
                    if !gaps.near.within(list, reach, |leaves| told.push(leaves)) {
                        continue;
                    }
                    complete += 1;
                    for &i in run(a) {
                        for &j in run(b).iter().filter(|&&j| i != j && !mesh.adjacent(i, j)) {
                            let (first, second) = (corners(i), corners(j));
                            let near = crate::contact::triangles_touch(&first, &second)
                                || triangle_distance(&first, &second).distance_squared.sqrt() <= reach;
                            let (i, j) = (leaf_of(i), leaf_of(j));
                            prop_assert!(!near || told.contains(&[i, j]) || told.contains(&[j, i]));
                        }
                    }
                }
            }
            prop_assert!(complete > 0);
            // Beyond that, `f32` has no numbers for gaps.
            prop_assert!(certain > 0 || stretch < 2.0 || exponent.abs() > 36);
            for i in 0..triangles {
                prop_assert!((0..triangles).all(|j| met[i * triangles + j] == u8::from(i < j)));
            }
        }
    }
}
