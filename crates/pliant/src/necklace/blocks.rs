//! Beads in groups of four in `f32`, and boxes over chain order.

use glam::{Vec3A, Vec4};

use super::layered::around;
use crate::volume::{Aabb, Ball};

/// Beads per block: as many as fit a register.
pub(super) const BLOCK: usize = 4;

/// Beads rounded outward to `f32`, in one array per coordinate.
///
/// Each `f32` ball contains the bead that it represents, so two touching beads are never missed.
/// After the last bead come [`PADDING`](Self::PADDING) balls whose radius is NaN, which touch
/// nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct FlatBeads {
    pub(super) x: Vec<f32>,
    pub(super) y: Vec<f32>,
    pub(super) z: Vec<f32>,
    pub(super) r: Vec<f32>,
}

impl FlatBeads {
    /// The number of balls after the last bead, so that a block may be read from any bead of a
    /// block or of the one after the last.
    const PADDING: usize = 3 * BLOCK;

    /// Replaces the beads; each is grown by `skin`.
    pub(super) fn fill(&mut self, beads: impl ExactSizeIterator<Item = Ball>, skin: f64) {
        let count = beads.len() + Self::PADDING;
        for (array, padding) in
            [(&mut self.x, 0.0), (&mut self.y, 0.0), (&mut self.z, 0.0), (&mut self.r, f32::NAN)]
        {
            array.clear();
            array.resize(count, padding);
        }
        let arrays = self.x.iter_mut().zip(&mut self.y).zip(&mut self.z).zip(&mut self.r);
        for (ball, (((x, y), z), r)) in beads.zip(arrays) {
            let sphere = around(ball.center, ball.radius + skin);
            [*x, *y, *z] = sphere.center.to_array();
            *r = sphere.radius;
        }
    }

    /// Returns which of the four balls from `start` on may touch a given one, as bits. A zero bit
    /// is certain, as in [`Overlap`](crate::volume::Overlap).
    #[inline(always)]
    pub(super) fn touch_four(&self, start: usize, [x, y, z, r]: [Vec4; 4]) -> u32 {
        let four = |array: &[f32]| Vec4::from_slice(&array[start..start + BLOCK]);
        let (dx, dy, dz) = (four(&self.x) - x, four(&self.y) - y, four(&self.z) - z);
        let reach = four(&self.r) + r;
        let apart = dx * dx + dy * dy + dz * dz;
        // As in `within` of `volume::overlap`: five roundings on each side.
        const SLACK: f32 = 1.0 + crate::numeric::F32_SLACK;
        let room = reach * reach * SLACK + f32::MIN_POSITIVE;
        apart.cmple(room).bitmask()
    }

    /// Calls `visit` with the number of each ball of a range that may touch a given one.
    #[inline(always)]
    pub(super) fn for_each_touching(
        &self,
        (start, end): (usize, usize),
        bead: [Vec4; 4],
        mut visit: impl FnMut(usize),
    ) {
        let mut four = start;
        while four < end {
            let mut hits = self.touch_four(four, bead);
            if end - four < BLOCK {
                hits &= (1 << (end - four)) - 1;
            }
            while hits != 0 {
                visit(four + hits.trailing_zeros() as usize);
                hits &= hits - 1;
            }
            four += BLOCK;
        }
    }

    /// One ball in all lanes.
    #[inline(always)]
    pub(super) fn splat(&self, bead: usize) -> [Vec4; 4] {
        [self.x[bead], self.y[bead], self.z[bead], self.r[bead]].map(Vec4::splat)
    }

    /// The four balls from `start` on.
    #[inline(always)]
    pub(super) fn four(&self, start: usize) -> [Vec4; 4] {
        let four = |array: &[f32]| Vec4::from_slice(&array[start..start + BLOCK]);
        [four(&self.x), four(&self.y), four(&self.z), four(&self.r)]
    }
}

/// Boxes over chain order: level 0 has one box per block, each next level one box per two of the
/// level below.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    pub(super) flat: FlatBeads,
    pub(super) levels: Vec<Vec<Aabb>>,
}

impl Blocks {
    /// Replaces the beads, each grown by `skin`, and computes all boxes.
    pub(super) fn fill(&mut self, beads: impl ExactSizeIterator<Item = Ball>, skin: f64) {
        let count = beads.len().div_ceil(BLOCK);
        self.flat.fill(beads, skin);
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        let boxes = &mut self.levels[0];
        boxes.clear();
        boxes.extend((0..count).map(|block| block_box(&self.flat, block * BLOCK)));
        let mut level = 0;
        while self.levels[level].len() > 1 {
            if self.levels.len() == level + 1 {
                self.levels.push(Vec::new());
            }
            let (below, above) = self.levels.split_at_mut(level + 1);
            let (below, above) = (&below[level], &mut above[0]);
            above.clear();
            let (pairs, rest) = below.as_chunks::<2>();
            above.extend(pairs.iter().map(|[a, b]| a.merge(b)));
            above.extend(rest);
            level += 1;
        }
        self.levels.truncate(level + 1);
    }
}

/// The box around four balls. Sides are differences of two `f32` numbers, rounded to nearest and
/// then widened. Padding, whose radius is NaN, does not change the box.
#[inline(always)]
fn block_box(flat: &FlatBeads, start: usize) -> Aabb {
    let [x, y, z, r] = flat.four(start);
    let known = r.cmpeq(r);
    let low = |c: Vec4| Vec4::select(known, c - r, Vec4::INFINITY).min_element();
    let high = |c: Vec4| Vec4::select(known, c + r, Vec4::NEG_INFINITY).max_element();
    Aabb::around_nearest(Vec3A::new(low(x), low(y), low(z)), Vec3A::new(high(x), high(y), high(z)))
}
