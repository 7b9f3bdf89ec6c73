//! Spheres of a level as contact proxies (James and Pai 2004, section 3.4).

use std::sync::Arc;

use glam::{DVec3, Vec4};

use super::{BoundedDeformation, RestTable, rounding};
use crate::Body;
use crate::deform::Reduced;
use crate::numeric::{F64_SLACK, distance_up};
use crate::tree::{Tree, level_of_nodes};
use crate::volume::{Sphere, round_up};

impl Body<Reduced, BoundedDeformation<Sphere>> {
    /// The same body with the spheres of a level as contact proxies. Coarser spheres are enlarged
    /// to contain the proxies in every state, so that
    /// [`proxy_contacts`](crate::query::proxy_contacts) at that level misses none.
    #[must_use]
    pub fn with_proxies(mut self, level: u32) -> Self {
        Arc::make_mut(&mut self.bounds.table).wrap_proxies(&self.tree, level);
        self.bounds.memo.forget();
        self
    }

    /// The rows of a node, from which its sphere follows in every state: a sphere around the
    /// vertices at rest, then one per mode around their displacements by a coordinate of 1.
    ///
    /// With (c, R) the first and (u_j, r_j) the others, the vertices for coordinates q lie around
    /// c + sum u_j q_j within R + sum r_j |q_j|, in the body's own space. This holds for sums in
    /// `f32` too, in the order of the modes, while nothing overflows. `None` if there is no such
    /// node, or if a row does not fit `f32`.
    #[must_use]
    pub fn sphere_rows(&self, node: u32) -> Option<Vec<Sphere>> {
        let RestTable { stride, rows } = &*self.bounds.table;
        let start = (node as usize).checked_mul(*stride)?;
        let rows = rows.get(start..start.checked_add(*stride)?)?;
        let units = &self.bounds.units;
        let scaled = |(number, row): (usize, &Vec4)| {
            let unit = if number == 0 { units.rest() } else { units.mode(number - 1) };
            let row = unit
                .vector_up(row.truncate().as_dvec3())
                .as_vec3()
                .extend(unit.up(f64::from(row.w)) as f32);
            row.is_finite().then(|| Sphere { center: row.truncate(), radius: row.w })
        };
        rows.iter().enumerate().map(scaled).collect()
    }
}

impl RestTable<Sphere> {
    /// Enlarges the nodes above a level until each contains, in every state, all proxies below it:
    /// the spheres of that level, and of leaves above that level.
    ///
    /// Let (c, R), (u_j, r_j) be the rows of a node and (d, S), (v_j, s_j) those of a proxy. The
    /// moved middles are no farther apart than |d - c| + sum |v_j - u_j| |q_j|. So
    /// R >= |d - c| + S and r_j >= |v_j - u_j| + s_j are enough. Both spheres are computed in
    /// `f32`: both middles err, the proxy's radius may be too large and the node's radius too
    /// small, each by the factor of [`rounding`].
    fn wrap_proxies(&mut self, tree: &Tree, level: u32) {
        let (stride, rounding) = (self.stride, rounding(self.stride));
        let levels = level_of_nodes(tree);
        let ends = |node: u32| levels[node as usize] == level || tree.node(node).is_leaf();
        let mut below = Vec::new();
        for node in (0..tree.nodes.len()).filter(|&n| levels[n] < level && !ends(n as u32)) {
            let own = node * stride;
            below.push(node as u32);
            while let Some(next) = below.pop() {
                if !ends(next) {
                    below.extend(tree.node(next).range());
                    continue;
                }
                let proxy = next as usize * stride;
                for row in 0..stride {
                    let (outer, inner) = (self.rows[own + row], self.rows[proxy + row]);
                    let [c, d] = [outer, inner].map(|row| row.truncate().as_dvec3());
                    let lost = distance_up(c, DVec3::ZERO) + distance_up(d, DVec3::ZERO);
                    let reach = distance_up(c, d) + f64::from(inner.w) * (1.0 + rounding);
                    let needed = (reach + rounding * lost) * (1.0 + 2.0 * rounding);
                    self.rows[own + row].w = outer.w.max(round_up(needed * (1.0 + F64_SLACK)));
                }
            }
        }
    }
}
