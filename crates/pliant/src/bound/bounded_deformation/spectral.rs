//! Radii that grow with the length of the coordinates.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::{BoundedDeformation, SphereTable, rounding};
use crate::deform::{Modes, Reduced};
use crate::numeric::{F64_SLACK, distance_up, largest_eigenvalue, scaled_length};
use crate::tree::{Tree, level_of_nodes, primitive_runs};
use crate::volume::round_up;
use crate::{Body, Mesh};

impl Body<Reduced, BoundedDeformation<SphereTable>> {
    /// The same body with radii that grow by the sum over modes or by the length of the
    /// coordinates times a factor of the node, whichever is less.
    ///
    /// For tighter proxies where many modes swing alike: with a hundred of them the radii of
    /// large nodes are 7 % smaller. With ten or so hardly any is, and queries save few
    /// tests: see `pliant bench tightness` and `update`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::{Body, Collide, Mesh, deform::Modes, glam::DVec3};
    /// use pliant::{bound::Center, tree::BuildSettings};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let still = vec![DVec3::ZERO; 2];
    /// let field = |way: DVec3| [still.clone(), vec![way]].concat();
    /// let fields = [DVec3::X, DVec3::Y, DVec3::Z].map(field); // the last corner, any way
    /// let modes = Arc::new(Modes::from_fields(3, &fields)?);
    /// let mut sum = Body::reduced_spheres(mesh, modes, Center::Mean, &BuildSettings::default())?;
    /// let mut least = sum.clone().with_spectral_growth();
    /// sum.set_coordinates(&[1.0; 3])?;
    /// least.set_coordinates(&[1.0; 3])?;
    /// assert!(least.bound(0).radius < sum.bound(0).radius);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    #[must_use]
    pub fn with_spectral_growth(mut self) -> Self {
        let table = Arc::make_mut(&mut self.bounds.table);
        table.add_spectral(&self.mesh, &self.tree, self.deformation.modes());
        self.bounds.follow(&self.deformation);
        self
    }
}

impl SphereTable {
    /// Finds the factor of each node that is not enlarged for proxies: s with
    /// R' = R + s |q| around c' = c + sum u_j q_j.
    ///
    /// With A_i the 3 x M matrix of the columns U_ij - u_j, vertex i is at most
    /// |p_i - c| + |A_i q| away from c', and |A_i q| <= |A_i| |q| with the spectral norm. What is
    /// computed for c' errs by [`rounding`] times |c| + sum |u_j| |q_j|; R is enlarged
    /// for the first, and the sum is at most |u| |q|, u the list of all |u_j|, by Cauchy
    /// and Schwarz. So s = |A_i| + rounding |u| is enough in exact arithmetic. The factor
    /// one plus `rounding` on R and s is eight roundings of `f32` or more, and covers:
    ///
    /// - the product with |q|, which is rounded up, and the sum with R: two of them;
    /// - `f64` roundings of the vertices, at most (M + 2) 2^-53 of |p_i| + sum |U_ij| |q_j|, which
    ///   is below |c| + R + (|u| + sqrt(3) |A_i|) |q|, since no Frobenius norm of three rows is
    ///   more than sqrt(3) spectral norms;
    /// - those of A_i A_i^T, at most (M + 3) 2^-53 of its trace in every entry: 9 (M + 3) 2^-53
    ///   of its largest eigenvalue. Entries are `f32`, so that no square leaves `f64`.
    ///
    /// A product that underflows is covered as those of the sum are, by the placement.
    pub(super) fn add_spectral(&mut self, mesh: &Mesh, tree: &Tree, modes: &Modes) {
        let (stride, rounding) = (self.stride, rounding(modes.count()));
        let levels = level_of_nodes(tree);
        let factor = |(node, run): (usize, std::ops::Range<u32>)| {
            if levels[node] < self.wrapped && !tree.nodes[node].is_leaf() {
                return f32::INFINITY;
            }
            let rows = &self.rows[node * stride + 1..(node + 1) * stride];
            let middles: Vec<DVec3> = rows.iter().map(|row| row.truncate().as_dvec3()).collect();
            let lengths = middles.iter().map(|&u| distance_up(u, DVec3::ZERO).powi(2));
            let lost = rounding * lengths.sum::<f64>().sqrt();
            let slots = &tree.primitives[run.start as usize..run.end as usize];
            let mut vertices: Vec<u32> =
                slots.iter().flat_map(|&t| mesh.triangles()[t as usize]).collect();
            vertices.sort_unstable();
            vertices.dedup();
            let norm = |&vertex: &u32| {
                let mut square = DMat3::ZERO;
                for (u, middle) in modes.of(vertex as usize).iter().zip(&middles) {
                    let a = u.as_dvec3() - *middle;
                    square += DMat3::from_cols(a * a.x, a * a.y, a * a.z);
                }
                largest_eigenvalue(square).sqrt()
            };
            let norm = vertices.iter().map(norm).fold(0.0, f64::max);
            round_up((norm + lost) * (1.0 + rounding) * (1.0 + F64_SLACK))
        };
        let runs = primitive_runs(tree);
        self.spectral = runs.into_par_iter().enumerate().map(factor).collect();
    }
}

/// Not below the length of the coordinates: the factor is far larger than the errors, some 2^-53
/// per mode.
pub(super) fn length_up(coordinates: &[f64]) -> f32 {
    let length = scaled_length(coordinates.iter().copied());
    round_up(length * (1.0 + rounding(coordinates.len())))
}
