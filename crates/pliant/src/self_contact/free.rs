//! Affine fits of clusters whose vertices are given one by one.

use std::ops::Range;

use glam::{DMat3, DVec3, Vec3A};

use super::FitClusters;
use super::affine_fit::{AffineFit, ResidualBox};
use super::cluster_fits::ClusterFits;
use super::clusters::{CLUSTER_TRIANGLES, Clusters};
use crate::Mesh;
use crate::deform::Free;
use crate::numeric::{FREE_FIT_ERROR, principal_axes};
use crate::tree::Tree;

/// A vertex of a smallest cluster.
#[derive(Debug, Clone, Copy)]
struct ClusterVertex {
    /// Its rest position, seen from the centre of the cluster's rest box.
    rest: [f32; 3],
    vertex: u32,
    /// What it adds to the images of the cluster's two tangents.
    weights: [f32; 2],
}

/// The vertices of a smallest cluster, and its tangents and normal at rest.
#[derive(Debug, Clone)]
struct ClusterFrame {
    vertices: Range<u32>,
    /// Two tangents and the normal.
    axes: [Vec3A; 3],
}

/// Vertices of a smallest cluster, unless leaves are large.
const USUAL_VERTICES: usize = 3 * CLUSTER_TRIANGLES as usize;

/// Least-squares fits of all smallest clusters, prepared on the rest shape.
///
/// Such clusters are nearly flat, and what is flat says nothing of how its normal is mapped. So
/// the images of two tangents are fitted, and the normal goes to the normal of these, with the
/// root of the area that they span as its length. Any map would be right; this one keeps the
/// residual small.
#[derive(Debug)]
pub struct FreeFits {
    /// One for each cluster; without vertices if the cluster is not a smallest one.
    frames: Vec<ClusterFrame>,
    vertices: Vec<ClusterVertex>,
}

impl FreeFits {
    pub(super) fn new(tree: &Tree, mesh: &Mesh, clusters: &Clusters) -> Self {
        let mut made = Self { frames: Vec::new(), vertices: Vec::new() };
        let at = |vertex: u32| mesh.positions()[vertex as usize];
        for cluster in &clusters.clusters {
            let start = made.vertices.len() as u32;
            if !cluster.is_smallest() {
                made.frames.push(ClusterFrame { vertices: start..start, axes: [Vec3A::ZERO; 3] });
                continue;
            }
            let run = &tree.primitives[cluster.run.start as usize..cluster.run.end as usize];
            let mut own: Vec<u32> =
                run.iter().flat_map(|&triangle| mesh.triangles()[triangle as usize]).collect();
            own.sort_unstable();
            own.dedup();
            // Scaled to a size of 1, so that nothing overflows.
            let size = cluster.rest.half.max_element();
            let unit = |p: DVec3| (p - cluster.rest.center) / size;
            let mean = own.iter().map(|&vertex| unit(at(vertex))).sum::<DVec3>() / own.len() as f64;
            let axes = principal_axes(own.iter().map(|&vertex| unit(at(vertex)) - mean));
            made.vertices.extend(own.iter().map(|&vertex| {
                let weight = |(axis, variance): (DVec3, f64)| {
                    ((unit(at(vertex)) - mean).dot(axis) / variance / size) as f32
                };
                ClusterVertex {
                    rest: (at(vertex) - cluster.rest.center).as_vec3().to_array(),
                    vertex,
                    weights: [weight(axes[0]), weight(axes[1])],
                }
            }));
            made.frames.push(ClusterFrame {
                vertices: start..made.vertices.len() as u32,
                axes: [axes[0].0, axes[1].0, axes[0].0.cross(axes[1].0)]
                    .map(|axis| axis.as_vec3a()),
            });
        }
        made
    }

    fn vertices(&self, frame: &ClusterFrame) -> &[ClusterVertex] {
        &self.vertices[frame.vertices.start as usize..frame.vertices.end as usize]
    }

    /// The fit of one cluster, whose vertices rest within `half` of its centre on each axis.
    #[inline]
    fn fit(&self, frame: &ClusterFrame, half: DVec3, positions: &[DVec3]) -> AffineFit {
        let vertices = self.vertices(frame);
        let origin = origin(vertices, positions);
        let (mut along_u, mut along_v) = (Vec3A::ZERO, Vec3A::ZERO);
        // Kept for the residuals: vertices of a cluster are apart in memory.
        let (mut few, mut many) = ([Vec3A::ZERO; USUAL_VERTICES], Vec::new());
        let all_seen = if vertices.len() <= few.len() {
            &mut few[..vertices.len()]
        } else {
            many.resize(vertices.len(), Vec3A::ZERO);
            &mut many[..]
        };
        for (vertex, q) in vertices.iter().zip(&mut *all_seen) {
            *q = seen(vertex, origin, positions);
            along_u += *q * vertex.weights[0];
            along_v += *q * vertex.weights[1];
        }
        let across = along_u.as_dvec3().cross(along_v.as_dvec3());
        let across = (across * across.length().sqrt().recip()).as_vec3a();
        let [u, v, n] = frame.axes;
        let column = |u: f32, v: f32, n: f32| along_u * u + along_v * v + across * n;
        let matrix = [column(u.x, v.x, n.x), column(u.y, v.y, n.y), column(u.z, v.z, n.z)];
        let all_seen = all_seen.iter().copied();
        let ResidualBox { center, half } = residuals(vertices, all_seen, origin, half, &matrix);
        let [x, y, z] = matrix.map(|axis| axis.as_dvec3());
        let residual = half.length() * (1.0 + 8.0 * f64::EPSILON);
        AffineFit::new(DMat3::from_cols(x, y, z), center, residual)
    }
}

fn origin(vertices: &[ClusterVertex], positions: &[DVec3]) -> DVec3 {
    vertices.first().map_or(DVec3::ZERO, |v| positions[v.vertex as usize])
}

/// A vertex as seen from another.
#[inline]
fn seen(vertex: &ClusterVertex, origin: DVec3, positions: &[DVec3]) -> Vec3A {
    (positions[vertex.vertex as usize] - origin).as_vec3a()
}

/// The residuals, with respect to a matrix M, of vertices that rest within `half` of the
/// cluster's centre. `all_seen` are the vertices as [`seen`] from the [`origin`].
///
/// # Rounding
/// Let o be the position of the first vertex, q = p' - o as rounded to `f32`, and l = p - c
/// the rest position as rounded to `f32`.
/// Per component, with w = 2^-24: q errs by w |q|; l by w |l|, which M takes to
/// w sum |M_k| |l_k|; the differences r = q - sum M_k l_k, as computed, by 4w of the
/// magnitudes of their terms. The image of the centre is o + m, rounded by 2^-53 of
/// itself, m the middle of all r; no r is farther from m than half their range. Since |q| is
/// at most |r| + sum |M_k| |l_k|, and |r| at most |m| and half the range, the true residual is
/// at most half the range, and 5w of it and of |m|, and 10w sum |M_k| |l_k|, and
/// 2^-53 |o + m|, up to terms of second order. Allowed are 32w of all the former and 2^-49
/// of the last; and for what `f32` loses below its normal numbers the smallest of
/// those, times 16 (1 + |M|).
///
/// If a q overflows, a matrix that was fitted to it is not finite, nor is a mean of that and
/// another. Such a matrix certifies nothing.
#[inline]
fn residuals(
    vertices: &[ClusterVertex],
    all_seen: impl Iterator<Item = Vec3A>,
    origin: DVec3,
    half: DVec3,
    matrix: &[Vec3A; 3],
) -> ResidualBox {
    let [x_axis, y_axis, z_axis] = *matrix;
    let (mut least, mut most) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    for (vertex, q) in vertices.iter().zip(all_seen) {
        let [x, y, z] = vertex.rest;
        let off = q - (x_axis * x + y_axis * y + z_axis * z);
        least = least.min(off);
        most = most.max(off);
    }
    let middle = (least * 0.5 + most * 0.5).as_dvec3();
    let range = (most.as_dvec3() - middle).max(middle - least.as_dvec3());
    let center = origin + middle;
    let [x, y, z] = matrix.map(|axis| axis.as_dvec3().abs());
    let reach = x * half.x + y * half.y + z * half.z;
    let tiny = 16.0 * f64::from(f32::MIN_POSITIVE) * (DVec3::ONE + x + y + z);
    let allowed =
        (range + middle.abs() + reach) * FREE_FIT_ERROR + center.abs() * 8.0 * f64::EPSILON;
    // If an l or a product overflows, minimum and maximum may have ignored NaN (an infinite l
    // times a 0 of M is NaN).
    let safe = half.max(reach).max_element() < f64::from(f32::MAX) / 16.0;
    let half = if safe { range + allowed + tiny } else { DVec3::INFINITY };
    ResidualBox { center, half }
}

/// The [`residuals`] of vertices that are read where they are.
fn residuals_at(
    vertices: &[ClusterVertex],
    half: DVec3,
    positions: &[DVec3],
    matrix: &[Vec3A; 3],
) -> ResidualBox {
    let origin = origin(vertices, positions);
    let all_seen = vertices.iter().map(|vertex| seen(vertex, origin, positions));
    residuals(vertices, all_seen, origin, half, matrix)
}

impl FreeFits {
    /// The fits of all clusters where vertices are at the given positions.
    pub(super) fn at<'a>(
        &'a self,
        clusters: &'a Clusters,
        positions: &'a [DVec3],
    ) -> ClusterFits<'a> {
        let half = |number: u32| clusters.get(number).rest.half;
        ClusterFits::from_smallest(
            clusters,
            |number| self.fit(&self.frames[number as usize], half(number), positions),
            move |number, matrix| {
                let vertices = self.vertices(&self.frames[number as usize]);
                residuals_at(vertices, half(number), positions, matrix)
            },
        )
    }
}

impl FitClusters for Free {
    type Prepared = FreeFits;

    fn prepare(tree: &Tree, mesh: &Mesh, clusters: &Clusters) -> FreeFits {
        FreeFits::new(tree, mesh, clusters)
    }

    fn fits<'a>(&'a self, prepared: &'a FreeFits, clusters: &'a Clusters) -> ClusterFits<'a> {
        prepared.at(clusters, &self.positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{BuildSettings, build_over_mesh};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Every vertex of every cluster is as near to its place under the map as the fit says.
        #[test]
        fn residuals_of_fits_hold(
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
            let clusters = Clusters::new(&tree, &mesh, 6);
            let free = Free::new(x.iter().map(now).collect());
            let made = FreeFits::new(&tree, &mesh, &clusters);
            let fits = free.fits(&made, &clusters);
            for (number, cluster) in (0..).zip(&clusters.clusters) {
                let fit = fits.get(number).into_owned();
                for &triangle in &tree.primitives[cluster.run.start as usize..cluster.run.end as usize] {
                    for vertex in mesh.triangles()[triangle as usize] {
                        let (p, now) = (mesh.positions()[vertex as usize], free.positions[vertex as usize]);
                        prop_assert!(fit.holds(&cluster.rest, p, now), "{number}: {fit:?} {p} {now}");
                    }
                }
            }
        }
    }

    proptest! {
        /// With respect to any matrix, the residual of every vertex is in its cluster's box.
        #[test]
        fn residual_boxes_hold(
            x in prop::collection::vec(prop::array::uniform6(-1.0..1.0f64), 40),
            entries in prop::array::uniform9(-2.0..2.0f32),
            exponents in prop::array::uniform4(-28..28i32),
        ) {
            let [size, size_now, far, far_now] = exponents.map(|e| 10f64.powi(e));
            let rest = |x: &[f64; 6]| DVec3::new(x[0], x[1], x[2]) * size + far;
            let now = |x: &[f64; 6]| DVec3::new(x[3], x[4], x[5]) * size_now + far_now;
            let mesh = Mesh::new(
                x.iter().map(rest).collect(),
                (0..38).map(|i| [i, i + 1, (i * 7) % 40]).collect(),
            ).unwrap();
            let tree = build_over_mesh(&mesh, &BuildSettings::default()).unwrap();
            let clusters = Clusters::new(&tree, &mesh, 6);
            let positions: Vec<DVec3> = x.iter().map(now).collect();
            let made = FreeFits::new(&tree, &mesh, &clusters);
            let matrix = [0, 3, 6].map(|k| Vec3A::from_slice(&entries[k..]));
            let [a, b, c] = matrix.map(|axis| axis.as_dvec3());
            for (cluster, frame) in clusters.clusters.iter().zip(&made.frames) {
                let vertices = made.vertices(frame);
                let ResidualBox { center, half } = residuals_at(vertices, cluster.rest.half, &positions, &matrix);
                for vertex in vertices {
                    let p = mesh.positions()[vertex.vertex as usize] - cluster.rest.center;
                    let mapped = a * p.x + b * p.y + c * p.z;
                    let at = positions[vertex.vertex as usize];
                    let off = (at - mapped - center).abs();
                    let slack = (at.abs() + mapped.abs() + center.abs()) * 1e-15;
                    prop_assert!(off.cmple(half + slack).all(), "{off} {half}");
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
        let clusters = Clusters::new(&tree, &mesh, 4);
        let turn = DMat3::from_rotation_y(2.0) * DMat3::from_rotation_x(1.0);
        for far in [0.0, 1e6] {
            let moved = mesh.positions().iter().map(|p| turn * *p + DVec3::splat(far)).collect();
            let free = Free::new(moved);
            let made = FreeFits::new(&tree, &mesh, &clusters);
            let fits = free.fits(&made, &clusters);
            for number in 0..clusters.clusters.len() as u32 {
                assert!(fits.get(number).clearance_in_itself().beyond() < 1e-3, "{number} {far}");
                assert!(fits.get(number).clearance_in_itself().beyond() > 1e-8, "{number} {far}");
            }
        }
    }
}
