//! Boxes of a mesh under an affine map, from its boxes at rest.

use std::sync::Arc;

use glam::{DAffine3, DMat3, Mat3A, Vec3A};

use super::one_map::{MovedAsOne, OneMap};
use super::{BottomUp, Bounds, SphereForm};
use crate::deform::{Affine, row_sums};
use crate::numeric::{F32_RANGE, F32_SLACK, PowerOfTwo};
use crate::tree::{BuildSettings, build_over_mesh};
use crate::volume::{Aabb, CenteredBox, Fit as _};
use crate::{Body, Mesh, Result};

/// The boxes of a mesh at rest, shared between all clones of a body, and the current map.
///
/// The box of a node is computed when it is asked for. Boxes at rest are scaled by a power of two
/// so that the largest coordinate lies between 1/2 and 1. A mesh of any size under a map of any
/// scale then has boxes as soon as its image fits `f32`.
#[derive(Debug, Clone)]
pub struct AffineBoxes {
    rest: Arc<[CenteredBox]>,
    map: ScaledMap,
}

/// A body under any affine map, bounded by boxes: what [`Body::affine`] makes.
pub type AffineBody = Body<Affine, AffineBoxes>;

impl AffineBody {
    /// A body that any affine map moves, at rest, bounded by boxes.
    ///
    /// ```
    /// use pliant::{Body, Mesh, glam::{DAffine3, DVec3}};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let still = Body::affine(mesh)?;
    /// let mut moved = still.clone(); // shares mesh, tree and boxes at rest
    /// moved.set_map(DAffine3::from_scale(DVec3::new(-2.0, 1.0, 1.0)))?; // mirrored, twice as wide
    /// assert_eq!(moved.position(1), Some(DVec3::new(-2.0, 0.0, 0.0)));
    /// assert!(pliant::intersects(&still, &moved).pair.is_some());
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) if a coordinate exceeds
    /// [`MAX_REACH`](crate::limits::MAX_REACH).
    pub fn affine(mesh: Mesh) -> Result<Self> {
        Self::affine_with(mesh, &BuildSettings::default())
    }

    /// As [`Body::affine`], with a tree of the caller's choice.
    ///
    /// # Errors
    /// Those of [`Body::affine`], and
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn affine_with(mesh: Mesh, settings: &BuildSettings) -> Result<Self> {
        let tree = build_over_mesh(&mesh, settings)?;
        let mut deformation = Affine::new(&mesh);
        deformation.set(DAffine3::IDENTITY)?;
        let scale = PowerOfTwo::above(deformation.reach());
        let scaled: Vec<_> = mesh.positions().iter().map(|&p| scale.vector_down(p)).collect();
        let boxes: BottomUp<Aabb> = BottomUp::new(&tree, &mesh, &scaled, SphereForm::Layered);
        let rest = boxes.volumes().iter().map(Aabb::at_rest).collect();
        let map = ScaledMap::new(&deformation, scale);
        Ok(Self {
            mesh: Arc::new(mesh),
            tree: Arc::new(tree),
            deformation,
            bounds: AffineBoxes { rest, map },
        })
    }

    /// Places the body by any finite affine map. Costs nothing per vertex and nothing per node.
    /// On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::InvalidVector`](crate::Error::InvalidVector) for a map that is not finite,
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) if a coordinate of the image may exceed
    /// [`MAX_REACH`](crate::limits::MAX_REACH).
    pub fn set_map(&mut self, map: DAffine3) -> Result<()> {
        self.deformation.set(map)?;
        self.bounds.map = ScaledMap::new(&self.deformation, self.bounds.map.scale);
        Ok(())
    }
}

/// A map from scaled rest coordinates to the world, prepared for boxes in `f32`.
#[derive(Debug, Clone, Copy)]
struct ScaledMap {
    scale: PowerOfTwo,
    linear: Mat3A,
    /// The entries of the linear part without their signs.
    spread: Mat3A,
    translation: Vec3A,
    /// What `f32` arithmetic can lose on any box of the body.
    allowance: f32,
    /// Whether all of it stays in the range of `f32`.
    bounded: bool,
}

impl ScaledMap {
    /// In scaled coordinates no coordinate at rest exceeds 1. So no coordinate of the image exceeds
    /// r = |A| 1 + |t|, and no middle or half side of a box exceeds 2 (boxes are rounded outward).
    ///
    /// The allowance covers, with u = 2^-24: rounding the entries of A and t to `f32` (u each), the
    /// products and the sums (at most four roundings in a row for the middle, as many for the half
    /// sides, one for the corner). That is at most 6u (|A| |c| + |t|) + 5u |A| h + u r, less than
    /// 32u (2 |A| 1 + |t|). `F32_SLACK` is 32u, and the magnitude has |A| 1 four times. The `f64`
    /// vertices err by a few 2^-53 of the same. Entries of A below the normal range of `f32` lose
    /// up to 2^-150 each, times coordinates of at most 2: `f32::MIN_POSITIVE` is 2^24 times as much.
    /// The scaled coordinates themselves lose at most 2^-1074, or 2^-150 in `f32`, which is less
    /// than the outward rounding of the boxes.
    fn new(deformation: &Affine, scale: PowerOfTwo) -> Self {
        let map = deformation.map();
        let m = &map.matrix3;
        let columns = [m.x_axis, m.y_axis, m.z_axis].map(|column| scale.vector_up(column));
        let linear = DMat3::from_cols(columns[0], columns[1], columns[2]);
        let scaled = DAffine3 { matrix3: linear, translation: map.translation };
        let magnitude = 4.0 * row_sums(&scaled).max_element() + map.translation.abs().max_element();
        let linear = Mat3A::from(linear.as_mat3());
        Self {
            scale,
            linear,
            spread: Mat3A::from_cols(linear.x_axis.abs(), linear.y_axis.abs(), linear.z_axis.abs()),
            translation: map.translation.as_vec3a(),
            allowance: magnitude as f32 * F32_SLACK + f32::MIN_POSITIVE,
            // NaN is not bounded.
            bounded: magnitude < F32_RANGE,
        }
    }
}

impl MovedAsOne for AffineBody {
    /// From scaled coordinates, in which boxes reach past 1 by their rounding outward.
    fn one_map(&self) -> OneMap<'_> {
        let AffineBoxes { rest, map: ScaledMap { scale, .. } } = &self.bounds;
        let map = self.deformation.map();
        let m = map.matrix3;
        let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(|column| scale.vector_up(column));
        let map = DAffine3 { matrix3: DMat3::from_cols(x, y, z), ..map };
        OneMap { rest, reach: 1.5, map }
    }
}

impl Bounds<Affine> for AffineBoxes {
    type Volume = Aabb;

    /// The box around the image of the box at rest.
    ///
    /// Along an axis the image of a box with middle c and half sides h lies within |A| h of
    /// A c + t. `ScaledMap::new` says why the allowance suffices.
    #[inline]
    fn bound(&self, _: &Affine, node: u32) -> Aabb {
        let CenteredBox { center, half } = self.rest[node as usize];
        let ScaledMap { linear, spread, translation, allowance, bounded, .. } = self.map;
        if !bounded {
            return Aabb::EVERYWHERE;
        }
        let center = linear * center + translation;
        let reach = spread * half + Vec3A::splat(allowance);
        Aabb { min: center - reach, max: center + reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Collide as _;
    use glam::DVec3;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Any map of any scale, meshes of any size: the box of every node contains what is
        /// computed, and is not everything as long as the image fits.
        #[test]
        fn boxes_contain_the_image(
            corners in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 12),
            entries in prop::array::uniform9(prop_oneof![Just(0.0), Just(1.0), -1.0..1.0f64]),
            shift in prop::array::uniform3(-1.0..1.0f64),
            [size, stretch, away] in prop::array::uniform3(-300..300i32),
        ) {
            let ten = |e: i32| 10f64.powi(e);
            let corners: Vec<DVec3> =
                corners.into_iter().map(|p| DVec3::from_array(p) * ten(size)).collect();
            let triangles = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            let mut body = Body::affine(Mesh::new(corners, triangles).unwrap()).unwrap();
            let map = DAffine3 {
                matrix3: DMat3::from_cols_array(&entries.map(|x| x * ten(stretch))),
                translation: DVec3::from_array(shift) * ten(away),
            };
            let before = *body.deformation();
            if body.set_map(map).is_err() {
                prop_assert_eq!(*body.deformation(), before);
                prop_assert!(size + stretch > 299 || away > 299);
            }
            let largest = (0..12).map(|v| body.position(v).unwrap().abs().max_element());
            let largest = largest.fold(0.0, f64::max);
            for vertex in 0..12 {
                let p = body.position(vertex).unwrap();
                let root = body.bound(0);
                prop_assert!(p.is_finite());
                prop_assert!(root.contains_point(p), "{root:?} misses {p}");
            }
            if largest < 1e36 && map.translation.abs().max_element() < 1e36 && size + stretch < 35 {
                prop_assert!(body.bound(0).max.is_finite());
            }
        }
    }

    /// Every node of a mesh of many, under mirrors, shears and collapses.
    #[test]
    fn every_node_contains_its_triangles() {
        let mesh = crate::test_meshes::bumpy_sheet(9, 0.0);
        let mut body = Body::affine(mesh).unwrap();
        let shear =
            DMat3::from_cols(DVec3::X, DVec3::new(3.0, 1.0, -2.0), DVec3::new(0.1, 7.0, 1.0));
        let diagonal = |x, y, z| DMat3::from_diagonal(DVec3::new(x, y, z));
        for matrix in [
            DMat3::IDENTITY,
            DMat3::ZERO,
            shear,
            diagonal(-1.0, 1.0, 1.0),
            diagonal(1e20, 1e-20, 0.0),
            diagonal(1e-20, 1e-20, 1e-20),
            diagonal(1e20, 1e20, 1e20),
        ] {
            for translation in [DVec3::ZERO, DVec3::new(5.0, -1e10, 1e-30)] {
                body.set_map(DAffine3 { matrix3: matrix, translation }).unwrap();
                let runs = crate::tree::primitive_runs(body.tree());
                for node in 0..body.nodes() as u32 {
                    let run = &runs[node as usize];
                    let own = &body.tree().primitives[run.start as usize..run.end as usize];
                    for p in own.iter().flat_map(|&triangle| body.triangle(triangle)) {
                        assert!(body.bound(node).contains_point(p), "{matrix}: node {node}");
                    }
                }
            }
        }
    }

    #[test]
    fn maps_out_of_range_are_refused() {
        let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        let mut body = Body::affine(mesh).unwrap();
        let scaled = |s: f64| DAffine3::from_scale(DVec3::splat(s));
        for bad in [f64::NAN, f64::INFINITY, 1e305] {
            assert!(body.set_map(scaled(bad)).is_err());
            assert!(body.set_map(DAffine3::from_translation(DVec3::X * bad)).is_err());
            assert_eq!(body.position(1), Some(DVec3::X));
        }
        body.set_map(scaled(1e300)).unwrap();
        assert_eq!(body.bound(0).max.x, f32::INFINITY);
    }
}
