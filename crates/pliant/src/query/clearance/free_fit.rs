//! Affine fits of patches whose vertices are given one by one.

use std::ops::Range;

use glam::{DMat3, DVec3, Vec3A};

use super::FitParts;
use super::affine_fit::AffineFit;
use super::fits::Fits;
use super::parts::Parts;
use super::principal_axes::principal_axes;
use crate::Mesh;
use crate::deform::Free;
use crate::limits::FREE_FIT_ERROR;
use crate::tree::Tree;

/// A vertex of a patch.
#[derive(Debug, Clone, Copy)]
struct PatchVertex {
    /// Its rest position, seen from the centre of the patch's rest box.
    rest: [f32; 3],
    vertex: u32,
    /// What it adds to the images of the patch's two tangents.
    weights: [f32; 2],
}

/// A patch: its vertices, and its tangents and normal at rest.
#[derive(Debug, Clone)]
struct Patch {
    vertices: Range<u32>,
    /// Two tangents and the normal.
    frame: [Vec3A; 3],
}

/// Least-squares fits of all patches, prepared on the rest shape.
///
/// Patches are nearly flat, and what is flat says nothing of how its normal is mapped. So
/// the images of two tangents are fitted, and the normal goes to the normal of these, as long
/// as the root of the area that they span. Any map would do; this one
/// keeps the stray small.
#[derive(Debug)]
pub(crate) struct FreeFits {
    /// None for parts that are too large to be fitted by themselves.
    patches: Vec<Option<Patch>>,
    vertices: Vec<PatchVertex>,
}

impl FreeFits {
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, parts: &Parts) -> Self {
        let mut made = Self { patches: Vec::new(), vertices: Vec::new() };
        let at = |vertex: u32| mesh.positions()[vertex as usize];
        for (number, part) in (0..).zip(&parts.parts) {
            if number < parts.coarse && part.children.start < parts.coarse && !part.is_patch() {
                made.patches.push(None);
                continue;
            }
            let run = &tree.primitives[part.run.start as usize..part.run.end as usize];
            let mut own: Vec<u32> =
                run.iter().flat_map(|&triangle| mesh.triangles()[triangle as usize]).collect();
            own.sort_unstable();
            own.dedup();
            // Sizes of 1, so that nothing overflows.
            let size = part.rest.half.max_element();
            let unit = |p: DVec3| (p - part.rest.center) / size;
            let mean = own.iter().map(|&vertex| unit(at(vertex))).sum::<DVec3>() / own.len() as f64;
            let axes = principal_axes(own.iter().map(|&vertex| unit(at(vertex)) - mean));
            let start = made.vertices.len() as u32;
            made.vertices.extend(own.iter().map(|&vertex| {
                let weight = |(axis, spread): (DVec3, f64)| {
                    ((unit(at(vertex)) - mean).dot(axis) / spread / size) as f32
                };
                PatchVertex {
                    rest: (at(vertex) - part.rest.center).as_vec3().to_array(),
                    vertex,
                    weights: [weight(axes[0]), weight(axes[1])],
                }
            }));
            made.patches.push(Some(Patch {
                vertices: start..made.vertices.len() as u32,
                frame: [axes[0].0, axes[1].0, axes[0].0.cross(axes[1].0)]
                    .map(|axis| axis.as_vec3a()),
            }));
        }
        made
    }

    /// The fit of one patch, whose vertices rest within `half` of its centre on each axis.
    ///
    /// # Rounding
    /// Let o be the position of the first vertex, q = p' - o as rounded to `f32`, l = p - c
    /// the rest position as rounded to `f32`, and M the matrix as computed: it is the map's.
    /// Per component, with w = 2^-24: q errs by w |q|; l by w |l|, which M takes to
    /// w sum |M_k| |l_k|; the differences r = q - sum M_k l_k, as computed, by 4w of the
    /// magnitudes of their terms. The image of the centre is o + m, rounded by 2^-53 of
    /// itself, m the middle of all r; from m no r is farther than half their range. Since |q| is at
    /// most |r| + sum |M_k| |l_k|, and |r| at most |m| and half the range, the true residual is
    /// at most half the range, and 5w of it and of |m|, and 10w sum |M_k| |l_k|, and
    /// 2^-53 |o + m|, but for terms of second order. Allowed are 32w of all the former and 2^-49
    /// of the last; and for what `f32` loses below its normal numbers the smallest of
    /// those, times 16 (1 + |M|).
    #[inline]
    fn fit(&self, patch: &Patch, half: DVec3, positions: &[DVec3]) -> AffineFit {
        let vertices = &self.vertices[patch.vertices.start as usize..patch.vertices.end as usize];
        let origin = vertices.first().map_or(DVec3::ZERO, |v| positions[v.vertex as usize]);
        let seen = |vertex: &PatchVertex| (positions[vertex.vertex as usize] - origin).as_vec3a();
        let (mut along_u, mut along_v) = (Vec3A::ZERO, Vec3A::ZERO);
        for vertex in vertices {
            let q = seen(vertex);
            along_u += q * vertex.weights[0];
            along_v += q * vertex.weights[1];
        }
        let across = along_u.as_dvec3().cross(along_v.as_dvec3());
        let across = (across / across.length().sqrt()).as_vec3a();
        let [u, v, n] = patch.frame;
        let column = |u: f32, v: f32, n: f32| along_u * u + along_v * v + across * n;
        let x_axis = column(u.x, v.x, n.x);
        let y_axis = column(u.y, v.y, n.y);
        let z_axis = column(u.z, v.z, n.z);
        let (mut least, mut most) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        for vertex in vertices {
            let [x, y, z] = vertex.rest;
            let off = seen(vertex) - (x_axis * x + y_axis * y + z_axis * z);
            least = least.min(off);
            most = most.max(off);
        }
        let middle = (least * 0.5 + most * 0.5).as_dvec3();
        let range = (most.as_dvec3() - middle).max(middle - least.as_dvec3());
        let matrix = DMat3::from_cols(x_axis.as_dvec3(), y_axis.as_dvec3(), z_axis.as_dvec3());
        let image = origin + middle;
        let [x, y, z] = [x_axis, y_axis, z_axis].map(|axis| axis.as_dvec3().abs());
        let reach = x * half.x + y * half.y + z * half.z;
        let tiny = 16.0 * f64::from(f32::MIN_POSITIVE) * (DVec3::ONE + x + y + z);
        let allowed =
            (range + middle.abs() + reach) * FREE_FIT_ERROR + image.abs() * 8.0 * f64::EPSILON;
        // If an l or a product overflows, minimum and maximum may have passed over NaN (an
        // infinite l times a 0 of M is NaN). If a q does, M is not finite, and certifies nothing.
        let safe = half.max(reach).max_element() < f64::from(f32::MAX) / 16.0;
        let stray = if safe { (range + allowed + tiny).length() } else { f64::INFINITY };
        AffineFit::new(matrix, image, stray * (1.0 + 8.0 * f64::EPSILON))
    }
}

impl FitParts<Free> for FreeFits {
    fn fits<'a>(&'a self, parts: &'a Parts, _: &'a Mesh, state: &'a Free) -> Fits<'a> {
        Fits::from_small(parts, move |number| {
            let patch = self.patches[number as usize].as_ref()?;
            Some(self.fit(patch, parts.get(number).rest.half, &state.positions))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{BuildSettings, build_over_mesh};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Every vertex of every part is as near to its place under the map as the fit says.
        #[test]
        fn strays_hold(
            x in prop::collection::vec(prop::array::uniform6(-1.0..1.0f64), 90),
            flat in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
            [rough, away, away_now] in [0.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64],
            exponents in prop::array::uniform4(-28..28i32),
        ) {
            let [size, size_now, far, far_now] = exponents.map(|e| 10f64.powi(e));
            let rest = |x: &[f64; 6]| DVec3::new(x[0], x[1] * flat, x[2]) * size + away * far;
            let now = |x: &[f64; 6]| {
                let turned = DVec3::new(-x[1] * flat, x[2], x[0] * 2.0);
                (turned + DVec3::new(x[3], x[4], x[5]) * rough) * size_now + away_now * far_now
            };
            let mesh = Mesh::new(
                x.iter().map(rest).collect(),
                (0..88).map(|i| [i, i + 1, (i * 7) % 90]).collect(),
            ).unwrap();
            let tree = build_over_mesh(&mesh, &BuildSettings::default()).unwrap();
            let parts = Parts::new(&tree, &mesh, 20, 6);
            let free = Free::new(x.iter().map(now).collect());
            let made = FreeFits::new(&tree, &mesh, &parts);
            let mut fits = made.fits(&parts, &mesh, &free);
            for (number, part) in (0..).zip(&parts.parts) {
                let fit = *fits.get(number);
                for &triangle in &tree.primitives[part.run.start as usize..part.run.end as usize] {
                    for vertex in mesh.triangles()[triangle as usize] {
                        let (p, now) = (mesh.positions()[vertex as usize], free.positions[vertex as usize]);
                        prop_assert!(fit.holds(&part.rest, p, now), "{number}: {fit:?} {p} {now}");
                    }
                }
            }
        }
    }

    /// Rigid motions are fitted up to rounding, also far away.
    #[test]
    fn rigid_motions_fit() {
        let mesh = Mesh::new(
            (0..60).map(f64::from).map(|t| DVec3::new(t.sin(), t.cos(), 0.1 * t)).collect(),
            (0..58).map(|i| [i, i + 1, i + 2]).collect(),
        )
        .unwrap();
        let tree = build_over_mesh(&mesh, &BuildSettings::default()).unwrap();
        let parts = Parts::new(&tree, &mesh, 16, 4);
        let turn = DMat3::from_rotation_y(2.0) * DMat3::from_rotation_x(1.0);
        for far in [0.0, 1e6] {
            let moved = mesh.positions().iter().map(|p| turn * *p + DVec3::splat(far)).collect();
            let free = Free::new(moved);
            let made = FreeFits::new(&tree, &mesh, &parts);
            let mut fits = made.fits(&parts, &mesh, &free);
            for number in 0..parts.parts.len() as u32 {
                assert!(fits.get(number).is_clear_of_itself(1e-3), "{number} {far}");
                assert!(!fits.get(number).is_clear_of_itself(1e-8), "{number} {far}");
            }
        }
    }
}
