//! How far apart clusters of a surface are at rest, adjacent triangles excepted; or features of them
//! that do not share a vertex ([`Counted`]).

use std::ops::Range;

use crate::parallel::*;

use super::clusters::{Clusters, RestBox};
use super::near_leaves::{LISTED, NearLists, Nearest};
use super::rest_surface::{Counted, RestSurface, box_gap};
use crate::Mesh;
use crate::tree::Tree;
use crate::volume::round_down;

/// Two clusters, or one and itself, with the least distance at rest of triangles that are
/// not adjacent.
#[derive(Debug, Clone)]
pub(super) struct RestGap {
    /// The clusters; twice the same for one and itself.
    pub(super) clusters: [u32; 2],
    /// Not above the distance of any triangle of the one and any triangle of the other that is
    /// not adjacent to it; infinite if there are no such triangles.
    pub(super) gap: f32,
    /// Where to look closer.
    pub(super) below: Below,
}

/// What a pair of clusters consists of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Below {
    /// Pairs of smaller clusters.
    Pairs(Range<u32>),
    /// The list of near leaves of two smallest clusters, or of one.
    Leaves(u32),
    /// The clusters are far apart, or there are too many pairs that are near; or only the gap of two
    /// smallest clusters is known.
    Far,
}

/// All pairs of clusters that are near at rest, and the leaves that are near in pairs of
/// smallest clusters.
///
/// Every pair of triangles is in exactly one pair of clusters that has no pairs below.
#[derive(Debug)]
pub(super) struct RestGaps {
    /// First the whole surface with itself; then, pair after pair, the pairs of their children,
    /// side by side.
    pub(super) pairs: Vec<RestGap>,
    pub(super) near: NearLists,
}

/// Pairs of clusters farther apart than this share of the smaller one's size are not divided
/// further: their boxes show that they are far apart.
const NEAR: f64 = 0.25;

/// Pairs of smallest clusters with lists, per smallest cluster, at most. On the surface of a
/// body there are some ten.
const MOST_LISTS: usize = 64;

/// Pairs of clusters that are kept, per cluster, at most. On the surface of a body there are some
/// twenty. If layers lie on one another every cluster is near every other: then the largest are
/// kept, and a query opens them as it opens pairs that are far apart.
const MOST_PAIRS: usize = 64;

/// Pairs whose leaves are listed at once: enough for all threads, and few enough that what is
/// computed for them takes no memory to speak of.
const LISTED_AT_ONCE: usize = 1 << 13;

impl RestGaps {
    pub(super) fn new(tree: &Tree, mesh: &Mesh, clusters: &Clusters, counted: Counted) -> Self {
        let mut pairs = near_pairs(clusters);
        let surface = RestSurface::new(tree, mesh, counted);
        let near = list_leaves(tree, &surface, clusters, &mut pairs);
        for at in (0..pairs.len()).rev() {
            if let Below::Pairs(children) = pairs[at].below.clone() {
                let children = &pairs[children.start as usize..children.end as usize];
                pairs[at].gap =
                    children.iter().fold(f32::INFINITY, |least, pair| least.min(pair.gap));
            }
        }
        Self { pairs, near }
    }
}

/// All pairs of clusters that are near, with unknown gaps.
fn near_pairs(clusters: &Clusters) -> Vec<RestGap> {
    let unknown = |clusters| RestGap { clusters, gap: f32::INFINITY, below: Below::Far };
    let most = MOST_PAIRS * clusters.clusters.len();
    let mut pairs = vec![unknown([0, 0])];
    let mut at = 0;
    while at < pairs.len() {
        let first = pairs.len() as u32;
        let [a, b] = pairs[at].clusters;
        // Pairs of one cluster with itself, of which there are as many as clusters, are always
        // divided: their gap at rest is zero.
        let is_divided =
            || pairs.len() < most && is_near(&clusters.get(a).rest, &clusters.get(b).rest);
        if a == b || is_divided() {
            pairs_of_children(clusters, [a, b], |pair| pairs.push(unknown(pair)));
            if pairs.len() as u32 > first {
                pairs[at].below = Below::Pairs(first..pairs.len() as u32);
            }
        }
        at += 1;
    }
    pairs
}

/// Lists the near leaves of pairs of smallest clusters, and sets the gaps of all pairs that
/// have no pairs below.
fn list_leaves(
    tree: &Tree,
    surface: &RestSurface,
    clusters: &Clusters,
    pairs: &mut [RestGap],
) -> NearLists {
    let of = |pair: &RestGap| pair.clusters.map(|cluster| clusters.get(cluster));
    let far_of = |pair: &RestGap| {
        let [a, b] = of(pair);
        box_gap(&a.rest, &b.rest)
    };
    let is_listed = |pair: &RestGap, far: f64| {
        let [a, b] = of(pair);
        pair.below == Below::Far
            && a.is_smallest()
            && b.is_smallest()
            && far < a.rest.half.length().max(b.rest.half.length())
    };
    // If layers lie on one another, every cluster is near every other. Lists would then take
    // too much memory, and would hardly help.
    let smallest = clusters.clusters.iter().filter(|cluster| cluster.is_smallest()).count();
    let listed = pairs.par_iter().filter(|pair| is_listed(pair, far_of(pair))).count();
    let too_many = listed > MOST_LISTS * smallest;
    let nearest = |pair: &mut RestGap| {
        if pair.below != Below::Far {
            return None;
        }
        let [a, b] = of(pair);
        let far = far_of(pair);
        let near = a.node == b.node || !too_many && is_listed(pair, far);
        if !near {
            pair.gap = round_down(far);
            return None;
        }
        // The leaves of clusters that are not side by side are seldom asked for.
        let listed = if is_near(&a.rest, &b.rest) { LISTED } else { 1 };
        let nearest = surface.nearest_leaves(a, b, listed);
        let beyond = nearest.beyond;
        let gap = nearest.near.first().map_or(beyond, |&(gap, _)| gap.min(beyond));
        pair.gap = if gap < f64::INFINITY { round_down(gap) } else { f32::INFINITY };
        Some(nearest)
    };
    let mut near = NearLists::default();
    for pairs in pairs.chunks_mut(LISTED_AT_ONCE) {
        let lists: Vec<Option<Nearest>> = pairs.par_iter_mut().map(nearest).collect();
        for (pair, list) in pairs.iter_mut().zip(lists) {
            if let Some(list) = list {
                pair.below = Below::Leaves(near.add(tree, of(pair), list));
            }
        }
    }
    near
}

/// Calls `each` for each pair of children of two clusters, or of one with itself; for none if
/// both are smallest.
#[inline]
pub(super) fn pairs_of_children(
    clusters: &Clusters,
    [a, b]: [u32; 2],
    mut each: impl FnMut([u32; 2]),
) {
    let children = |cluster: u32| clusters.get(cluster).children.clone();
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

fn is_near(a: &RestBox, b: &RestBox) -> bool {
    box_gap(a, b) <= NEAR * a.half.length().min(b.half.length())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::triangle_distance;
    use crate::self_contact::clusters::Cluster;
    use crate::tree::{BuildSettings, build_over_mesh};
    use glam::DVec3;
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
            let clusters = Clusters::new(&tree, &mesh, 5);
            let gaps = RestGaps::new(&tree, &mesh, &clusters, Counted::Triangles);
            let corners = |t: u32| mesh.triangles()[t as usize].map(|v| mesh.positions()[v as usize]);
            let triangles = mesh.triangles().len();
            let mut met = vec![0; triangles * triangles];
            let (mut certain, mut complete) = (0, 0);
            for pair in &gaps.pairs {
                let [a, b] = pair.clusters.map(|cluster| clusters.get(cluster));
                let run = |of: &Cluster| &tree.primitives[of.run.start as usize..of.run.end as usize];
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
                            // Counts gaps that are nearly as large as the distance.
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
                let [a, b] = pair.clusters.map(|cluster| clusters.get(cluster));
                let run = |of: &Cluster| &tree.primitives[of.run.start as usize..of.run.end as usize];
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
