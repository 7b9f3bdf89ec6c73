//! Self-contact of a body under one affine map: only pairs that rounding could change.
//!
//! An affine map that is not singular keeps triangles apart that are apart at rest, and takes
//! triangles that touch to triangles that touch. What changes contact is the rounding of the
//! computed corners. It is so small that few pairs need a second look: those that rest almost at
//! one place.

use glam::{DAffine3, DMat3, DVec3};

use crate::Mesh;
use crate::body::Collide;
use crate::bound::{BottomUp, SphereForm};
use crate::contact::{certain_gap, triangles_touch};
use crate::query::Intersections;
use crate::tree::Tree;
use crate::volume::Aabb;

/// The pairs of triangles of a mesh that rest almost at one place.
#[derive(Debug, Clone)]
pub(super) struct RestPairs {
    /// By ascending gap.
    pairs: Vec<RestPair>,
    /// All other pairs of triangles that are not neighbours are farther apart than this at rest.
    horizon: f64,
    /// No coordinate at rest is larger.
    reach: f64,
}

/// Two triangles, not neighbours, the smaller number first.
#[derive(Debug, Clone, Copy)]
struct RestPair {
    /// They are farther apart than this at rest, or negative.
    gap: f64,
    pair: [u32; 2],
}

/// Pairs nearer than this part of the largest coordinate are listed: 2^-20. Rounding takes away
/// 2^-47 of the coordinates, so that maps that shrink one direction by a factor of a million more
/// than others, and places a million times as far away as the body is large, are still told.
const HORIZON: f64 = 1.0 / (1u64 << 20) as f64;

/// Pairs of nodes that are looked at per triangle before listing is given up: parts that lie in one
/// another, or meshes outside the range of `f32`, have no short list.
const MOST_STEPS: usize = 256;

impl RestPairs {
    /// Lists the pairs of a mesh. `None` if there are too many: then every query looks everywhere.
    pub(super) fn new(mesh: &Mesh, tree: &Tree) -> Option<Self> {
        let positions = mesh.positions();
        let reach = positions.iter().fold(0.0, |most: f64, p| most.max(p.abs().max_element()));
        let horizon = HORIZON * reach;
        let boxes: BottomUp<Aabb> = BottomUp::new(tree, mesh, positions, SphereForm::Layered);
        let mut listed =
            Listing { mesh, tree, boxes: boxes.volumes(), horizon, reach, pairs: Vec::new() };
        listed.all()?;
        let mut pairs = listed.pairs;
        pairs.sort_unstable_by(|a, b| a.gap.total_cmp(&b.gap).then(a.pair.cmp(&b.pair)));
        // The gap of two triangles errs by 2^-48 of the sum of their coordinates.
        let horizon = horizon - gap_error(reach);
        Some(Self { pairs, horizon, reach })
    }

    /// All touching pairs of a body whose corners are the images under a map, up to a few roundings
    /// of `f64`, of the mesh at rest. `None` if the map leaves too little room for that: it is
    /// singular, or nearly so, or takes the body far away.
    ///
    /// Guarantee: the pairs that brute force finds on the computed corners.
    pub(super) fn self_intersections(
        &self,
        map: &DAffine3,
        body: &impl Collide,
    ) -> Option<Intersections> {
        let doubtful = self.doubtful(map)?;
        let mut found = Intersections::default();
        for &RestPair { pair: [i, j], .. } in doubtful {
            found.work.primitive_tests += 1;
            if triangles_touch(&body.triangle(i), &body.triangle(j)) {
                found.pairs.push([i, j]);
            }
        }
        found.pairs.sort_unstable();
        Some(found)
    }

    /// The pairs that may touch under a map; `None` if others may, too.
    ///
    /// # Why no pair is missed
    /// Let s be the least stretch of the map's linear part A, d the distance of two triangles at
    /// rest, w = |A| 1 r + |t| with the largest coordinate r. Exact images are at least s d apart. A
    /// computed corner passes at most five roundings of 2^-53 of at most w per coordinate (three
    /// products, three sums; isometries whose matrix is rounded once more included), which is less
    /// than 2^-50 w, in length less than 2^-49 w. Two triangles come nearer by twice that, 2^-48 w.
    /// So they are apart if s d > 2^-48 w; here it is 2^-47 w, for the roundings below. Underflow
    /// adds less than 2^-1000.
    fn doubtful(&self, map: &DAffine3) -> Option<&[RestPair]> {
        let rows = row_sums(&map.matrix3).max_element();
        let farthest = rows * self.reach + map.translation.abs().max_element();
        let lost = farthest * 2f64.powi(-47) + 2f64.powi(-1000);
        let needed = lost / least_stretch(&map.matrix3)?;
        // NaN and infinity are told here.
        if !(self.horizon > needed) {
            return None;
        }
        let count = self.pairs.partition_point(|near| near.gap <= needed);
        Some(&self.pairs[..count])
    }
}

fn gap_error(reach: f64) -> f64 {
    2.0 * reach * 2f64.powi(-48)
}

fn row_sums(m: &DMat3) -> DVec3 {
    m.x_axis.abs() + m.y_axis.abs() + m.z_axis.abs()
}

/// A length that no vector of length 1 falls below under a linear map, or `None` if none is certain.
///
/// With a computed inverse B and the rest R = I - A B: A (B (I - R)^-1) = I, so that the true inverse
/// is no longer than |B| / (1 - |R|), and the least stretch is the inverse of that. Lengths of
/// matrices are roots of sums of squares here. The computed R errs by less than 2^-49 |A| |B|. The
/// last factor covers the roundings of the lengths. It is at least a half of the true one for maps
/// that are not nearly singular.
fn least_stretch(a: &DMat3) -> Option<f64> {
    let length = |m: &DMat3| {
        let squares = [m.x_axis, m.y_axis, m.z_axis].map(DVec3::length_squared);
        squares.iter().sum::<f64>().sqrt()
    };
    // Entries of about 1, so that no determinant leaves the range.
    let largest = [a.x_axis, a.y_axis, a.z_axis]
        .iter()
        .fold(0.0, |most: f64, c| most.max(c.abs().max_element()));
    if !(largest > 1e-300 && largest < 1e300) {
        return None;
    }
    let scale = 2f64.powi(largest.log2().floor() as i32);
    let a = *a * (1.0 / scale);
    let inverse = a.inverse();
    let rest = DMat3::IDENTITY - a * inverse;
    let off = length(&rest) + length(&a) * length(&inverse) * 2f64.powi(-49);
    // NaN is told here.
    if !(off < 0.5) {
        return None;
    }
    Some((1.0 - off) / length(&inverse) * (1.0 - 2f64.powi(-40)) * scale)
}

/// The search for the pairs of a list.
struct Listing<'a> {
    mesh: &'a Mesh,
    tree: &'a Tree,
    boxes: &'a [Aabb],
    horizon: f64,
    reach: f64,
    pairs: Vec<RestPair>,
}

impl Listing<'_> {
    /// Any two leaves part at one node, in two of its children. `None` after too many steps.
    fn all(&mut self) -> Option<()> {
        let mut steps = MOST_STEPS * self.mesh.triangles().len() + 10_000;
        for number in 0..self.tree.nodes.len() as u32 {
            let node = self.tree.node(number);
            if node.is_leaf() {
                let own = self.tree.leaf_primitives(node);
                for (at, &i) in own.iter().enumerate() {
                    own[at + 1..].iter().for_each(|&j| self.add(i, j));
                }
                steps = steps.checked_sub(own.len() * own.len())?;
                continue;
            }
            let mut stack = Vec::new();
            for a in node.range() {
                stack.extend((a + 1..node.range().end).map(|b| [a, b]));
            }
            while let Some([a, b]) = stack.pop() {
                steps = steps.checked_sub(1)?;
                if self.are_far([a, b]) {
                    continue;
                }
                let (first, second) = (self.tree.node(a), self.tree.node(b));
                match (first.is_leaf(), second.is_leaf()) {
                    (true, true) => {
                        let pairs = (first.count() * second.count()) as usize;
                        steps = steps.checked_sub(pairs)?;
                        for &i in self.tree.leaf_primitives(first) {
                            self.tree.leaf_primitives(second).iter().for_each(|&j| self.add(i, j));
                        }
                    }
                    (false, _) => stack.extend(first.range().map(|child| [child, b])),
                    (true, false) => stack.extend(second.range().map(|child| [a, child])),
                }
            }
        }
        Some(())
    }

    /// Whether the triangles below two nodes are certainly farther apart than the horizon.
    fn are_far(&self, pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|node| &self.boxes[node as usize]);
        let below = a.min.as_dvec3() - b.max.as_dvec3();
        let above = b.min.as_dvec3() - a.max.as_dvec3();
        below.max(above).max_element() > self.horizon
    }

    /// Lists two triangles if they are near and not neighbours.
    fn add(&mut self, i: u32, j: u32) {
        if self.mesh.adjacent(i, j) {
            return;
        }
        let corners = |triangle: u32| {
            self.mesh.triangles()[triangle as usize].map(|v| self.mesh.positions()[v as usize])
        };
        let gap = certain_gap(&corners(i), &corners(j));
        if gap <= self.horizon {
            let gap = gap - gap_error(self.reach);
            self.pairs.push(RestPair { gap, pair: [i.min(j), i.max(j)] });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::brute_force;
    use crate::{Body, Isometry};
    use glam::DQuat;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn least_stretch_is_a_lower_bound(
            columns in prop::array::uniform3(vector()), flat in 0.0..1.0f64, exponent in -80..80i32, way in vector(),
        ) {
            let [x, y, z] = columns;
            // From any matrix to a singular one.
            let z = z * flat.powi(8) + (x + y) * (1.0 - flat.powi(8));
            let matrix = DMat3::from_cols(x, y, z) * 10f64.powi(exponent);
            if let Some(least) = least_stretch(&matrix) {
                let image = (matrix * way).length();
                prop_assert!(image >= least * way.length() * (1.0 - 1e-12), "{image} {least}");
            }
        }

        /// Parts that touch, almost touch, or coincide, under maps up to singular ones.
        #[test]
        fn what_touches_is_what_brute_force_finds(
            corners in prop::collection::vec(prop::array::uniform3(-2..3i8), 3..18),
            nudges in prop::collection::vec((0..18usize, vector(), 4..60i32), 0..4),
            columns in prop::array::uniform3(vector()), flat in prop_oneof![Just(1.0), 0.0..1.0f64],
            shift in vector(), away in -3..12i32, size in prop_oneof![Just(0), -40..40i32],
        ) {
            let count = corners.len() / 3 * 3;
            let mut positions: Vec<DVec3> =
                corners[..count].iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
            for (at, way, exponent) in nudges {
                positions[at % count] += way * 2f64.powi(-exponent);
            }
            let positions: Vec<DVec3> = positions.iter().map(|p| *p * 10f64.powi(size)).collect();
            let triangles = (0..count as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mesh = Mesh::new(positions, triangles).unwrap();
            let mut body = Body::affine(mesh).unwrap();
            let Some(rest) = RestPairs::new(body.mesh(), body.tree()) else { return Ok(()) };
            let [x, y, z] = columns;
            let matrix3 = DMat3::from_cols(x, y, z * flat.powi(9));
            let map = DAffine3 { matrix3, translation: shift * 10f64.powi(away) };
            body.set_map(map).unwrap();
            if let Some(found) = rest.self_intersections(&map, &body) {
                prop_assert_eq!(found.pairs, brute_force::self_intersections(&body).pairs);
            }
            // A rigid body, too.
            let turn = DQuat::from_scaled_axis(x * 3.0);
            let isometry = Isometry::new(turn, map.translation).unwrap();
            let mut rigid = Body::rigid(body.mesh().clone()).unwrap();
            rigid.set_isometry(isometry);
            let map = DAffine3 { matrix3: isometry.rotation(), translation: isometry.translation() };
            if let Some(found) = rest.self_intersections(&map, &rigid) {
                prop_assert_eq!(found.pairs, brute_force::self_intersections(&rigid).pairs);
            }
        }
    }

    /// A body that does not touch itself costs nothing when it is moved, and one that does costs a
    /// test per pair.
    #[test]
    fn ordinary_maps_ask_for_few_pairs() {
        let mesh = crate::test_meshes::bumpy_sheet(20, 0.0);
        let mut body = Body::affine(mesh).unwrap();
        let rest = RestPairs::new(body.mesh(), body.tree()).unwrap();
        let shear =
            DMat3::from_cols(DVec3::X, DVec3::new(2.0, 1.0, 0.0), DVec3::new(0.0, 3.0, -1.0));
        for scale in [1.0, 1e-20, 1e20] {
            let map = DAffine3 { matrix3: shear * scale, translation: DVec3::ONE * 100.0 * scale };
            body.set_map(map).unwrap();
            let found = rest.self_intersections(&map, &body).unwrap();
            assert!(found.pairs.is_empty() && found.work.primitive_tests == 0, "{:?}", found.work);
        }
        let flat = DAffine3::from_scale(DVec3::new(1.0, 1.0, 0.0));
        assert!(rest.self_intersections(&flat, &body).is_none(), "singular: everything may touch");
    }

    /// All triangles at one place: no list, and no quadratic time.
    #[test]
    fn what_has_no_short_list_is_given_up() {
        let positions: Vec<DVec3> = (0..60_000)
            .map(|i| [DVec3::ZERO, DVec3::X, DVec3::Y][i % 3] + DVec3::Z * 1e-9 * (i / 3) as f64)
            .collect();
        let triangles = (0..20_000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let body = Body::affine(Mesh::new(positions, triangles).unwrap()).unwrap();
        assert!(RestPairs::new(body.mesh(), body.tree()).is_none());
    }
}
