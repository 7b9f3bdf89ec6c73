//! Boxes from coordinates: bounded deformation with sizes per axis.

use std::sync::Arc;

use glam::{DVec3, Vec3, Vec3A, Vec4};

use super::{BoundedDeformation, RowUnits, Table, rounding};
use crate::Mesh;
use crate::bound::Bounds;
use crate::bound::small_subtrees::SmallSubtrees;
use crate::deform::{Deformation, Modes, Reduced};
use crate::numeric::PowerOfTwo;
use crate::tree::{Tree, primitive_runs};
use crate::volume::{Aabb, CenteredBox, Fit as _};

/// Rows per pair of modes: two middles and two half sizes, twelve numbers.
const ROWS: usize = 3;

/// The block of a node that has no rows.
const NO_BLOCK: u32 = u32::MAX;

/// For each larger node, the middle and half size of its box at rest and of the box around its
/// displacements by each mode, in the units of the rows.
///
/// Along an axis the displacements of mode j lie in m_j - h_j .. m_j + h_j. So the coordinate q_j
/// moves vertices by at least q_j m_j - |q_j| h_j and at most q_j m_j + |q_j| h_j. That is as
/// tight as signed minima and maxima per axis and mode.
///
/// Nodes with few triangles have no rows. Their boxes are those of their vertices, which the test
/// of their triangles needs anyway. That is tighter and saves most of the memory.
#[derive(Debug, Clone)]
pub struct BoxTable {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    subtrees: SmallSubtrees,
    /// Rows per node that has any.
    stride: usize,
    /// The number of each node's block of rows, or [`NO_BLOCK`].
    block: Vec<u32>,
    rows: Vec<Vec4>,
}

/// The smallest and largest coordinates of a node at rest, and of its displacements by each mode.
#[derive(Clone)]
struct Extremes {
    rest: [DVec3; 2],
    modes: Vec<[Vec3; 2]>,
}

impl Extremes {
    fn none(modes: usize) -> Self {
        Self {
            rest: [DVec3::INFINITY, DVec3::NEG_INFINITY],
            modes: vec![[Vec3::INFINITY, Vec3::NEG_INFINITY]; modes],
        }
    }

    fn merge(&mut self, other: &Self) {
        let [min, max] = other.rest;
        self.rest = [self.rest[0].min(min), self.rest[1].max(max)];
        for (own, [min, max]) in self.modes.iter_mut().zip(&other.modes) {
            *own = [own[0].min(*min), own[1].max(*max)];
        }
    }

    fn take(&mut self, rest: DVec3, displacements: &[Vec3]) {
        self.rest = [self.rest[0].min(rest), self.rest[1].max(rest)];
        for (own, displacement) in self.modes.iter_mut().zip(displacements) {
            *own = [own[0].min(*displacement), own[1].max(*displacement)];
        }
    }

    /// The rows of a node: three for the rest box, half of them padding, then three per pair of
    /// modes.
    fn rows(&self, units: &RowUnits, rounding: f64) -> impl Iterator<Item = Vec4> {
        let side = |corners: [DVec3; 2], unit: PowerOfTwo| {
            let corners = corners.map(|corner| unit.vector_down(corner));
            let CenteredBox { center, half } = Aabb::rest_around(&corners, rounding);
            [Vec3::from(center), Vec3::from(half)]
        };
        let rest = [side(self.rest, units.rest), [Vec3::ZERO; 2]];
        let modes = self.modes.iter().enumerate();
        let modes: Vec<_> = modes
            .map(|(mode, corners)| side(corners.map(|c| c.as_dvec3()), units.mode(mode)))
            .collect();
        let mut pairs = vec![rest];
        pairs.extend(modes.chunks(2).map(|pair| match pair {
            [one, two] => [*one, *two],
            [one, ..] => [*one, [Vec3::ZERO; 2]],
            [] => [[Vec3::ZERO; 2]; 2],
        }));
        pairs.into_iter().flat_map(|[[m, h], [n, k]]| {
            [
                Vec4::new(m.x, m.y, m.z, n.x),
                Vec4::new(n.y, n.z, h.x, h.y),
                Vec4::new(h.z, k.x, k.y, k.z),
            ]
        })
    }
}

impl BoxTable {
    pub(super) fn new(mesh: Arc<Mesh>, tree: Arc<Tree>, modes: &Modes, units: &RowUnits) -> Self {
        let subtrees = SmallSubtrees::new(&tree, &mesh);
        let stride = ROWS * (1 + modes.count().div_ceil(2));
        let runs = primitive_runs(&tree);
        let mut block = vec![NO_BLOCK; tree.nodes.len()];
        let mut blocks = 0;
        for (node, block) in (0..).zip(&mut block) {
            if !subtrees.contains(node) && !tree.node(node).is_leaf() {
                *block = blocks;
                blocks += 1;
            }
        }
        let mut rows = vec![Vec4::ZERO; stride * blocks as usize];
        let rounding = rounding(modes.count());
        // Children come after parents, so from the end to the root their extremes are known.
        let mut known: Vec<Option<Extremes>> = vec![None; tree.nodes.len()];
        for node in (0..tree.nodes.len()).rev().filter(|&node| block[node] != NO_BLOCK) {
            let mut extremes = Extremes::none(modes.count());
            for child in tree.nodes[node].range() {
                if let Some(below) = known[child as usize].take() {
                    extremes.merge(&below);
                    continue;
                }
                let run = &runs[child as usize];
                for &triangle in &tree.primitives[run.start as usize..run.end as usize] {
                    for vertex in mesh.triangles()[triangle as usize].map(|v| v as usize) {
                        extremes.take(mesh.positions()[vertex], modes.of(vertex));
                    }
                }
            }
            let start = block[node] as usize * stride;
            rows[start..start + stride]
                .iter_mut()
                .zip(extremes.rows(units, rounding))
                .for_each(|(to, row)| *to = row);
            known[node] = Some(extremes);
        }
        Self { mesh, tree, subtrees, stride, block, rows }
    }
}

/// The factor of the rest rows, the rows that count in a state, three per pair of modes, and the
/// factors of each.
#[derive(Debug, Clone, Default)]
pub struct ActiveRows {
    rest: f32,
    numbers: Vec<u32>,
    factors: Vec<Vec4>,
}

impl ActiveRows {
    fn push(&mut self, row: usize, factors: Vec4) {
        self.numbers.push(row as u32);
        self.factors.push(factors);
    }
}

impl Table for BoxTable {
    type ActiveRows = ActiveRows;

    fn activate(&self, rest: f32, modes: &[f32], active: &mut ActiveRows) {
        active.rest = rest;
        active.numbers.clear();
        active.factors.clear();
        for (pair, q) in modes.chunks(2).enumerate() {
            let [q, r] = [q[0], q.get(1).copied().unwrap_or(0.0)];
            if q == 0.0 && r == 0.0 {
                continue;
            }
            let (a, b) = (q.abs(), r.abs());
            let row = ROWS * (pair + 1);
            active.push(row, Vec4::new(q, q, q, r));
            active.push(row + 1, Vec4::new(r, r, a, a));
            active.push(row + 2, Vec4::new(a, b, b, b));
        }
    }

    fn bytes_per_node(&self) -> usize {
        self.stride * size_of::<Vec4>()
    }
}

impl BoundedDeformation<Aabb, BoxTable> {
    /// A node's box in the body's own space, in the unit of the state, from its rows.
    #[inline]
    fn own_box(&self, block: u32) -> CenteredBox {
        let stride = self.table.stride;
        let start = block as usize * stride;
        let rows = &self.table.rows[start..start + stride];
        let ActiveRows { rest, numbers, factors } = &self.active;
        let mut sums = [rows[0] * *rest, rows[1] * *rest, rows[2] * *rest];
        let mut add = |rows: &[Vec4], factors: &[Vec4]| {
            for ((sum, row), factor) in sums.iter_mut().zip(rows).zip(factors) {
                *sum += *row * *factor;
            }
        };
        if factors.len() + ROWS == stride {
            let pairs = rows[ROWS..].chunks_exact(ROWS).zip(factors.chunks_exact(ROWS));
            pairs.for_each(|(rows, factors)| add(rows, factors));
        } else {
            for (numbers, factors) in numbers.chunks_exact(ROWS).zip(factors.chunks_exact(ROWS)) {
                let first = numbers[0] as usize;
                add(&rows[first..first + ROWS], factors);
            }
        }
        let [a, b, c] = sums;
        CenteredBox {
            center: Vec3A::new(a.x, a.y, a.z) + Vec3A::new(a.w, b.x, b.y),
            half: Vec3A::new(b.z, b.w, c.x) + Vec3A::new(c.y, c.z, c.w),
        }
    }

    /// The box of a leaf, or of a node of a small subtree, around its vertices.
    fn around_vertices(&self, state: &Reduced, node: u32) -> Aabb {
        let BoxTable { mesh, tree, subtrees, .. } = &*self.table;
        let error = Vec3A::splat(if self.error == 0.0 { 0.0 } else { self.motion.allowance() });
        let enlarge = |Aabb { min, max }| Aabb { min: min - error, max: max + error };
        if subtrees.contains(node) {
            return subtrees.fit(node, |vertex| state.position(mesh, vertex), enlarge, &self.memo);
        }
        let triangles = tree.leaf_primitives(tree.node(node)).iter();
        let corners = triangles.flat_map(|&triangle| state.triangle(mesh, triangle));
        let (min, max) = corners
            .fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(min, max), corner| {
                (min.min(corner.as_vec3a()), max.max(corner.as_vec3a()))
            });
        enlarge(Aabb::around_nearest(min, max))
    }
}

impl Bounds<Reduced> for BoundedDeformation<Aabb, BoxTable> {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, state: &Reduced, node: u32) -> Aabb {
        if !self.motion.is_bounded() {
            return Aabb::EVERYWHERE;
        }
        self.memo.get_or(node as usize, || {
            let block = self.table.block[node as usize];
            if block == NO_BLOCK {
                return self.around_vertices(state, node);
            }
            Aabb::moved(&self.own_box(block), &self.motion)
        })
    }
}
