//! Affine fits of patches whose vertices are given one by one.

use glam::{DMat3, DVec3, Vec3A};

use super::affine_fit::AffineFit;
use super::parts::Part;
use super::principal_axes::principal_axes;
use super::{FitParts, Fits, merge_all};
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
    part: u32,
    vertices: std::ops::Range<u32>,
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
    patches: Vec<Patch>,
    vertices: Vec<PatchVertex>,
}

impl FreeFits {
    pub(crate) fn new(tree: &Tree, mesh: &Mesh, parts: &[Part]) -> Self {
        let mut made = Self { patches: Vec::new(), vertices: Vec::new() };
        let at = |vertex: u32| mesh.positions()[vertex as usize];
        for (number, part) in (0..).zip(parts).filter(|(_, part)| part.is_patch()) {
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
            made.patches.push(Patch {
                part: number,
                vertices: start..made.vertices.len() as u32,
                frame: [axes[0].0, axes[1].0, axes[0].0.cross(axes[1].0)].map(|axis| axis.as_vec3a()),
            });
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
    /// magnitudes of their terms. The image of the centre is o + m, m the middle of
    /// all r, whose sum errs by 2^-53 of itself; then r - m is at most half the
    /// range of the r, up to 2w of |m| and of that range. Since |q| is at most
    /// |r| + sum |M_k| |l_k| up to such roundings, and |r| at most |m| and half the range, the
    /// true residual is at most half the range times 1 + 8w, and 11w (|m| + sum |M_k| |l_k|),
    /// and 2^-53 |o + m|. Allowed are 32w of all the former and 2^-50 of the last; and for
    /// what `f32` loses below its normal numbers the smallest of those, times 16 (1 + |M|).
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
        let allowed = (range + middle.abs() + reach) * FREE_FIT_ERROR + image.abs() * 8.0 * f64::EPSILON;
        // If a product overflows, minimum and maximum may have passed over NaN. If a q does,
        // M is not finite, and certifies nothing.
        let safe = reach.max_element() < f64::from(f32::MAX) / 16.0;
        let stray = if safe { (range + allowed + tiny).length() } else { f64::INFINITY };
        AffineFit::new(matrix, image, stray * (1.0 + 8.0 * f64::EPSILON))
    }
}

impl FitParts<Free> for FreeFits {
    fn fits<'a>(&'a self, parts: &'a [Part], _: &'a Mesh, state: &'a Free) -> Fits<'a> {
        let patches = self.patches.iter().map(|patch| {
            let half = parts[patch.part as usize].rest.half;
            (patch.part, self.fit(patch, half, &state.positions))
        });
        Fits::All(merge_all(parts, patches))
    }
}
