//! Contacts of two bodies that each move by one map: their boxes are compared in the frames of both.
//!
//! Seen from the other body, a box at rest is an oriented box, which needs no fit. Two such boxes are
//! told apart along the axes of either: six of the fifteen axes, the others rarely help (van den
//! Bergen 1997). Along the axes of the first body that is the overlap of its box at rest
//! with the box around the image of the other's, and the same the other way round. So a node has two
//! boxes, one in each frame, and two nodes may meet if both overlap.

use glam::{DAffine3, DMat3, DVec3};

use super::Intersections;
use super::pair_limit::PairLimit;
use super::pairs::{all_pairs, roots_overlap};
use crate::body::Collide;
use crate::bound::one_map::{MovedAsOne, OneMap};
use crate::numeric::{F32_SLACK, F64_SLACK};
use crate::tree::Tree;
use crate::volume::{Aabb, CenteredBox, Fit as _, Motion, Overlap, Ray, RayEntry, Volume};

/// Trees of fewer nodes are asked in the world: what the maps between two frames cost is not gained back.
const SMALL_TREE: usize = 20;

/// Sizes of bodies and scales of maps for which frames are used. Beyond, squares and inverses lose digits.
const USUAL: std::ops::Range<f64> = 1e-12..1e12;

/// All touching pairs of two bodies. Pairs are missing if the limit is exceeded, and only then.
pub(crate) fn intersections_in_frames<A: MovedAsOne, B: MovedAsOne>(
    a: &A,
    b: &B,
    limit: &PairLimit,
) -> Intersections {
    let mut found = Intersections::default();
    if !roots_overlap(a, b, &mut found.work) {
        return found;
    }
    let (of_a, of_b) = (a.one_map(), b.one_map());
    if let Some([to_a, to_b]) = maps_between(&of_a, &of_b) {
        let a = Framed::<A, 0> { body: a, rest: of_a.rest, to_other: to_b };
        let b = Framed::<B, 1> { body: b, rest: of_b.rest, to_other: to_a };
        if roots_overlap(&a, &b, &mut found.work) {
            all_pairs(&a, &b, [[0, 0]], &mut found, limit, &|_| true);
        }
    } else {
        all_pairs(a, b, [[0, 0]], &mut found, limit, &|_| true);
    }
    found.pairs.sort_unstable();
    found
}

/// The motions of boxes of the second body into the frame of the first, and of the first into that
/// of the second. `None` where the world's axes do as well, or numbers are unusual.
fn maps_between(a: &OneMap, b: &OneMap) -> Option<[Motion; 2]> {
    let small = a.rest.len().min(b.rest.len()) < SMALL_TREE;
    if small || (is_diagonal(&a.map.matrix3) && is_diagonal(&b.map.matrix3)) {
        return None;
    }
    Some([into_frame(a, b)?, into_frame(b, a)?])
}

/// Whether a map leaves boxes as tight as they are.
fn is_diagonal(m: &DMat3) -> bool {
    let off = [m.x_axis.y, m.x_axis.z, m.y_axis.x, m.y_axis.z, m.z_axis.x, m.z_axis.y];
    off == [0.0; 6]
}

/// The largest sum of magnitudes in a row: no coordinate grows by a larger factor.
fn norm(m: &DMat3) -> f64 {
    (m.x_axis.abs() + m.y_axis.abs() + m.z_axis.abs()).max_element()
}

/// The motion of another body's boxes into the frame of one.
///
/// The frame is that of y = N (x - t), where the body is moved by x = A p + t and N is near the
/// inverse of A. N need not be it: triangles with a common point in the world have one in any affine
/// image. Computed vertices of the body are A p + t + e with |e| below `F64_SLACK` times
/// |A| |p| + |t|, so y = p + (N A - 1) p + N e: the box at rest is off by |N A - 1| reach + |N e|.
/// Those of the other body are at N B q + N (s - t) + N e', and the products in `f64` err by less than
/// `F64_SLACK` times |N| (|B| |q| + |s| + |t|). All of that is added to the moved box, so that the
/// box at rest stays as it is. The rest of the allowance is that of [`Motion::rigid`]: 32 roundings
/// of `f32` of the largest magnitude on the way, that of the box at rest included, whose corners are
/// rounded too.
fn into_frame(one: &OneMap, other: &OneMap) -> Option<Motion> {
    let (map, theirs) = (&one.map, &other.map);
    let back = map.matrix3.inverse();
    let linear = back * theirs.matrix3;
    let shift = back * (theirs.translation - map.translation);
    let off = norm(&(back * map.matrix3 - DMat3::IDENTITY));
    let [n, a, b] = [&back, &map.matrix3, &theirs.matrix3].map(norm);
    let far = map.translation.abs().max_element() + theirs.translation.abs().max_element();
    let world = a * one.reach + b * other.reach + far;
    let lost = off * one.reach + F64_SLACK * n * (world + a * one.reach);
    let magnitude = one.reach + 2.0 * norm(&linear) * other.reach + shift.abs().max_element();
    let allowance = magnitude * f64::from(F32_SLACK) + 2.0 * lost;
    // Not true for NaN. A frame in which much is lost tells nothing apart.
    let usual = [n, a, b, one.reach, other.reach].iter().all(|x| USUAL.contains(x));
    let useful = usual && lost < magnitude * f64::from(F32_SLACK);
    let map = DAffine3 { matrix3: linear, translation: shift };
    useful.then(|| Motion::new(map, 2.0 * norm(&linear), allowance, magnitude))
}

/// A body as seen from two frames; its own is the first or the second.
struct Framed<'a, C, const OWN: usize> {
    body: &'a C,
    rest: &'a [CenteredBox],
    to_other: Motion,
}

/// The box of a node in the frames of two bodies, and in the world.
#[derive(Debug, Clone, Copy)]
struct FramedBox {
    frames: [Aabb; 2],
    world: Aabb,
}

impl<C: MovedAsOne, const OWN: usize> Collide for Framed<'_, C, OWN> {
    type Volume = FramedBox;

    #[inline]
    fn tree(&self) -> &Tree {
        self.body.tree()
    }

    /// Where nodes meet nodes, the box in the world is not asked for, and not computed.
    #[inline(always)]
    fn bound(&self, node: u32) -> FramedBox {
        let rest = &self.rest[node as usize];
        let own = Aabb { min: rest.center - rest.half, max: rest.center + rest.half };
        let image = Aabb::moved(rest, &self.to_other);
        let frames = if OWN == 0 { [own, image] } else { [image, own] };
        FramedBox { frames, world: self.body.bound(node) }
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.body.triangle(triangle)
    }

    #[inline]
    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.body.adjacent(first, second)
    }
}

impl Overlap<Self> for FramedBox {
    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        self.frames[0].overlaps(&other.frames[0]) & self.frames[1].overlaps(&other.frames[1])
    }
}

impl Overlap<Aabb> for FramedBox {
    #[inline(always)]
    fn overlaps(&self, other: &Aabb) -> bool {
        self.world.overlaps(other)
    }
}

impl RayEntry for FramedBox {
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        self.world.ray_entry(ray, until)
    }
}

impl Volume for FramedBox {
    #[inline(always)]
    fn corners(&self) -> [DVec3; 2] {
        self.world.corners()
    }
}

#[cfg(test)]
mod tests {
    use super::super::brute_force;
    use super::*;
    use crate::test_meshes::bumpy_sheet;
    use crate::{AnyBody, Body, Isometry, Mesh};
    use glam::DQuat;
    use proptest::prelude::*;

    /// A mesh as a rigid body and as an affine one, whose rest is stretched.
    fn bodies(mesh: &Mesh, place: Isometry, stretch: DVec3) -> [AnyBody; 2] {
        let mut rigid = Body::rigid(mesh.clone()).unwrap();
        rigid.set_isometry(place);
        let stretched = mesh.positions().iter().map(|p| *p * stretch).collect();
        let stretched = Mesh::new(stretched, mesh.triangles().to_vec()).unwrap();
        let mut affine = Body::affine(stretched).unwrap();
        let matrix3 = place.rotation() * DMat3::from_diagonal(stretch.recip());
        affine.set_map(DAffine3 { matrix3, translation: place.translation() }).unwrap();
        [rigid.into(), affine.into()]
    }

    /// Whether two bodies are compared in their frames.
    fn in_frames(a: &AnyBody, b: &AnyBody) -> bool {
        let maps = match (a, b) {
            (AnyBody::Rigid(a), AnyBody::Rigid(b)) => maps_between(&a.one_map(), &b.one_map()),
            (AnyBody::Affine(a), AnyBody::Affine(b)) => maps_between(&a.one_map(), &b.one_map()),
            _ => None,
        };
        maps.is_some()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Two sheets that are turned at rest and turned back by their maps lie on one another up to
        /// roundings: which triangles touch is decided by those, at any size and far away.
        #[test]
        fn sheets_on_one_another_touch_as_brute_force_says(
            turns in prop::array::uniform2(prop::array::uniform4(-1.0..1.0f64)),
            shift in prop::array::uniform3(-1.0..1.0f64),
            [size, away, gap] in [-6..6i32, -3..7i32, -17..1i32],
            stretch in prop::array::uniform3(0.3..3.0f64),
            is_flat in any::<bool>(),
        ) {
            let sheet = bumpy_sheet(7, 0.4);
            let scale = 10f64.powi(size);
            let shift = DVec3::from_array(shift) * scale * 10f64.powi(away);
            let gap = DVec3::Z * scale * 10f64.powi(gap);
            let placed = |turn: [f64; 4], lift: DVec3| {
                let turn = DQuat::from_array(turn);
                prop_assume!(turn.length() > 1e-3);
                let turn = turn.normalize();
                let flat = DVec3::new(1.0, 1.0, if is_flat { 0.0 } else { 1.0 });
                let rest = sheet.positions().iter().map(|&p| turn.inverse() * (p * flat * scale + lift));
                let mesh = Mesh::new(rest.collect(), sheet.triangles().to_vec()).unwrap();
                let place = Isometry::new(turn, shift).unwrap();
                Ok(bodies(&mesh, place, DVec3::from_array(stretch)))
            };
            let [a, b] = [placed(turns[0], DVec3::ZERO)?, placed(turns[1], gap)?];
            for (a, b) in a.iter().zip(&b) {
                prop_assert!(in_frames(a, b));
                let expected = brute_force::intersections(a, b).pairs;
                prop_assert_eq!(&a.intersections(b).pairs, &expected);
            }
        }
    }

    /// Maps that flatten, that are huge or tiny, or that leave axes in place are asked in the world.
    #[test]
    fn unusual_maps_are_asked_in_the_world() {
        let mesh = bumpy_sheet(7, 0.4);
        let usual = DMat3::from_quat(DQuat::from_rotation_x(0.3));
        let flat = DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::X + DVec3::Y);
        let bodies = [
            DMat3::IDENTITY,
            DMat3::ZERO,
            flat,
            usual * 1e20,
            usual * 1e-20,
            usual * f64::MIN_POSITIVE,
        ];
        let body = |matrix3: DMat3| -> AnyBody {
            let mut body = Body::affine(mesh.clone()).unwrap();
            body.set_map(DAffine3 { matrix3, translation: DVec3::ZERO }).unwrap();
            body.into()
        };
        for (number, &matrix) in bodies.iter().enumerate() {
            for &other in &[DMat3::IDENTITY, usual] {
                let (a, b) = (body(matrix), body(other));
                assert_same(&a, &b);
                assert_same(&b, &a);
                assert_eq!(in_frames(&a, &b), number == 0 && other == usual, "{matrix} {other}");
            }
        }
        let mut small = Body::rigid(bumpy_sheet(2, 0.0)).unwrap();
        let large: AnyBody = Body::rigid(mesh.clone()).unwrap().into();
        small.set_isometry(Isometry::new(DQuat::from_rotation_x(0.3), DVec3::ZERO).unwrap());
        assert!(!in_frames(&small.into(), &large));
    }

    #[track_caller]
    fn assert_same(a: &AnyBody, b: &AnyBody) {
        assert_eq!(a.intersections(b).pairs, brute_force::intersections(a, b).pairs);
    }
}
