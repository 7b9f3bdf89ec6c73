//! Boxes from coordinates.

use std::sync::Arc;

use glam::{DVec3, Vec3, Vec3A, Vec4};

use super::{BoundedDeformation, Table, Weights, rounding};
use crate::Mesh;
use crate::bound::Bounds;
use crate::bound::small_subtrees::SmallSubtrees;
use crate::deform::{Deformation, Modes, Reduced};
use crate::limits::F64_SLACK;
use crate::tree::{Tree, primitive_runs};
use crate::volume::{Aabb, round_up};

/// Rows for a pair of modes: twice middle and half sides, twelve numbers.
const ROWS: usize = 3;

/// A node without rows of its own.
const FROM_BELOW: u32 = u32::MAX;

/// For each larger node, middle and half sides of its box at rest and of the box of its
/// displacements by each mode.
///
/// Along an axis the displacements of mode j lie in m_j - h_j .. m_j + h_j, so the
/// coordinate q_j moves vertices by at least q_j m_j - |q_j| h_j and at most
/// q_j m_j + |q_j| h_j: what the signed extremes per axis give, and as tight.
///
/// Nodes with few triangles have no rows: their boxes are those of their vertices, which the
/// test of their triangles will ask for anyway. That is tighter, and it is most of the memory.
#[derive(Debug, Clone)]
pub struct BoxTable {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    subtrees: SmallSubtrees,
    /// Rows a node that has any.
    stride: usize,
    /// For each node the number of its block of rows, or [`FROM_BELOW`].
    block: Vec<u32>,
    rows: Vec<Vec4>,
}

/// The extremes of a node: at rest, and of each mode.
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

    /// As rows of a table: those of the rest box padded to three, then three a pair of modes.
    fn rows(&self, rounding: f64) -> impl Iterator<Item = Vec4> {
        let side = |[min, max]: [DVec3; 2]| {
            let middle = (min * 0.5 + max * 0.5).as_vec3();
            let middle = middle.clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
            let exact = middle.as_dvec3();
            let size = (max - exact).max(exact - min);
            let half = (size + exact.abs() * rounding) * ((1.0 + rounding) * (1.0 + F64_SLACK));
            [middle, Vec3::new(round_up(half.x), round_up(half.y), round_up(half.z))]
        };
        let rest = [side(self.rest), [Vec3::ZERO; 2]];
        let modes: Vec<_> =
            self.modes.iter().map(|sides| side(sides.map(|side| side.as_dvec3()))).collect();
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
    pub(super) fn new(mesh: Arc<Mesh>, tree: Arc<Tree>, modes: &Modes) -> Self {
        let subtrees = SmallSubtrees::new(&tree, &mesh);
        let stride = ROWS * (1 + modes.count().div_ceil(2));
        let runs = primitive_runs(&tree);
        let mut block = vec![FROM_BELOW; tree.nodes.len()];
        let mut blocks = 0;
        for (node, block) in (0..).zip(&mut block) {
            if !subtrees.contains(node) && !tree.node(node).is_leaf() {
                *block = blocks;
                blocks += 1;
            }
        }
        let mut rows = vec![Vec4::ZERO; stride * blocks as usize];
        let rounding = rounding(modes.count());
        // Children come after parents: from the end, theirs are known.
        let mut known: Vec<Option<Extremes>> = vec![None; tree.nodes.len()];
        for node in (0..tree.nodes.len()).rev().filter(|&node| block[node] != FROM_BELOW) {
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
                .zip(extremes.rows(rounding))
                .for_each(|(to, row)| *to = row);
            known[node] = Some(extremes);
        }
        Self { mesh, tree, subtrees, stride, block, rows }
    }
}

impl Table for BoxTable {
    fn weigh(&self, coordinates: &[f64], weights: &mut Weights) {
        weights.clear();
        for (pair, q) in coordinates.chunks(2).enumerate() {
            let [q, r] = [q[0] as f32, q.get(1).map_or(0.0, |&r| r as f32)];
            if q == 0.0 && r == 0.0 {
                continue;
            }
            let (a, b) = (q.abs(), r.abs());
            let row = ROWS * (pair + 1);
            weights.push(row, Vec4::new(q, q, q, r));
            weights.push(row + 1, Vec4::new(r, r, a, a));
            weights.push(row + 2, Vec4::new(a, b, b, b));
        }
    }

    fn bytes_a_node(&self) -> usize {
        self.stride * size_of::<Vec4>()
    }
}

impl BoundedDeformation<BoxTable> {
    /// Middle and half sides of a node's box in the body's own space, from its rows.
    #[inline]
    fn own_box(&self, block: u32) -> [Vec3A; 2] {
        let stride = self.table.stride;
        let start = block as usize * stride;
        let rows = &self.table.rows[start..start + stride];
        let mut sums = [rows[0], rows[1], rows[2]];
        let Weights { rows: numbers, factors, .. } = &self.weights;
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
        [
            Vec3A::new(a.x, a.y, a.z) + Vec3A::new(a.w, b.x, b.y),
            Vec3A::new(b.z, b.w, c.x) + Vec3A::new(c.y, c.z, c.w),
        ]
    }

    /// The box of a leaf, or of a node of a small subtree, around its vertices.
    fn around_below(&self, state: &Reduced, node: u32) -> Aabb {
        let BoxTable { mesh, tree, subtrees, .. } = &*self.table;
        let error = Vec3A::splat(if self.error == 0.0 { 0.0 } else { self.placement.allowance });
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

impl Bounds<Reduced> for BoundedDeformation<BoxTable> {
    type Volume = Aabb;

    #[inline]
    fn bound(&self, state: &Reduced, node: u32) -> Aabb {
        if !self.placement.bounded {
            return Aabb { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };
        }
        self.memo.get_or(node as usize, || {
            let block = self.table.block[node as usize];
            if block == FROM_BELOW {
                return self.around_below(state, node);
            }
            let [middle, half] = self.own_box(block);
            self.placement.boxed(middle, half)
        })
    }
}
