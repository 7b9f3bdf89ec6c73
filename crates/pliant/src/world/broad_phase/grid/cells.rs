//! Where the cells of a grid are.

use crate::parallel::*;
use glam::Vec3A;

use super::super::row::turned;
use crate::volume::Aabb;

/// Cells per axis at most: two cell numbers fit 32 bits.
const MAX_CELLS: f32 = 32_767.0;

/// The sides of cells, in units of a usual box and of the distance of neighbours. Smaller cells have
/// fewer tests, but more boxes cover several.
const SIDE_IN_BOXES: f32 = 2.0;
const SIDE_IN_SPACINGS: f32 = 3.0;

/// In units of a usual box, the sides of cells where boxes seem far apart: they may be in clusters.
const LARGEST_SIDE_IN_BOXES: f32 = 4.0;

/// Boxes that are looked at to choose cells, at most.
const SAMPLE: usize = 512;

/// Boxes that one thread takes at a time.
pub(super) const CHUNK: usize = 1 << 14;

/// Levels at most: columns of the last one are 4^8 as wide as the first level's, more than there are.
pub(super) const LEVELS: usize = 9;

/// The grid of the first level. Boxes have the axis of the columns first.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    /// Along which columns extend.
    pub(super) axis: usize,
    origin: Vec3A,
    /// Cells per length. Zero where there is one cell.
    scale: Vec3A,
    /// The last cell.
    last: [u32; 2],
}

/// The level of each box.
pub(super) struct Levels {
    pub(super) of_box: Vec<u8>,
    pub(super) counts: [usize; LEVELS],
}

/// The columns that a box covers, from the lowest to the highest along both axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cover {
    pub(super) low: [u32; 2],
    pub(super) high: [u32; 2],
}

impl Cover {
    /// In columns of a level.
    #[inline]
    pub(super) fn at(self, level: u32) -> Self {
        let shift = |cell: u32| cell >> (2 * level);
        Self { low: self.low.map(shift), high: self.high.map(shift) }
    }

    /// The first level at which the box covers at most two by two columns.
    #[inline]
    fn level(self) -> u8 {
        let mut level = 0;
        let mut cover = self;
        while cover.high[0] - cover.low[0] > 1 || cover.high[1] - cover.low[1] > 1 {
            level += 1;
            cover = cover.at(1);
        }
        level
    }
}

impl Cells {
    /// Cells that suit the boxes. Chosen from a sample, so that a few boxes that are far away or
    /// large do not matter.
    pub(super) fn of(boxes: &[Aabb]) -> Self {
        let stride = boxes.len().div_ceil((boxes.len() / 8).clamp(64, SAMPLE)).max(1);
        let sample = || {
            let finite = |volume: &&Aabb| volume.min.is_finite() && volume.max.is_finite();
            boxes.iter().step_by(stride).filter(finite)
        };
        let quantiles = |value: &dyn Fn(&Aabb) -> f32, parts: [usize; 2]| {
            let mut values: Vec<f32> = sample().map(value).collect();
            let last = values.len().saturating_sub(1);
            parts.map(|part| match values.len() {
                0 => 0.0,
                _ => *values.select_nth_unstable_by(part * last / 64, f32::total_cmp).1,
            })
        };
        let ends = [0, 1, 2].map(|axis| quantiles(&|volume| volume.min[axis], [1, 63]));
        let [low, high] = [0, 1].map(|end| Vec3A::from_array(ends.map(|ends| ends[end])));
        let side = Vec3A::from_array([0, 1, 2].map(|axis| {
            let [_, side] = quantiles(&|volume| volume.max[axis] - volume.min[axis], [32, 32]);
            side
        }));
        let range = high - low;
        let axis = range.max_position();
        let spacing = spacing(range + side, boxes.len()) as f32;
        let sparse = Vec3A::splat(SIDE_IN_SPACINGS * spacing);
        // Points have no size that cells could be measured by.
        let largest = Vec3A::select(side.cmpgt(Vec3A::ZERO), LARGEST_SIDE_IN_BOXES * side, sparse);
        let cell = (SIDE_IN_BOXES * side).max(sparse.min(largest));
        // A quarter more on each side than most boxes take. Others are in the outermost cells.
        let Aabb { min: origin, .. } = turned(&Aabb { min: low - 0.25 * range, max: high }, axis);
        let Aabb { min: cell, max: range } = turned(&Aabb { min: cell, max: 1.5 * range }, axis);
        let mut cells = Self { axis, origin, scale: Vec3A::ZERO, last: [0; 2] };
        for along in [1, 2] {
            let count = (range[along] / cell[along]).clamp(1.0, MAX_CELLS);
            let scale = count / range[along];
            // Neither is so if the range is zero, or past the largest number.
            if count.is_finite() && scale.is_finite() && origin[along].is_finite() {
                cells.scale[along] = scale;
                cells.last[along - 1] = count as u32;
            }
        }
        cells
    }

    /// The columns of the first level that a turned box covers.
    ///
    /// Never decreasing in any coordinate: difference, product and conversion, which saturates, never
    /// are. Infinity less a number is infinity; infinity times zero is NaN, which converts to 0,
    /// as does everything else where the scale is zero.
    #[inline]
    pub(super) fn cover(&self, volume: &Aabb) -> Cover {
        let low = ((volume.min - self.origin) * self.scale).to_array();
        let high = ((volume.max - self.origin) * self.scale).to_array();
        let [y, z] = self.last;
        Cover {
            low: [(low[1] as u32).min(y), (low[2] as u32).min(z)],
            high: [(high[1] as u32).min(y), (high[2] as u32).min(z)],
        }
    }

    /// The level of each box.
    pub(super) fn levels(&self, boxes: &[Aabb]) -> Levels {
        let mut of_box = vec![0; boxes.len()];
        let level = |(levels, boxes): (&mut [u8], &[Aabb])| {
            let mut counts = [0; LEVELS];
            for (level, volume) in levels.iter_mut().zip(boxes) {
                *level = self.cover(&turned(volume, self.axis)).level();
                counts[usize::from(*level)] += 1;
            }
            counts
        };
        let sum = |a: [usize; LEVELS], b: [usize; LEVELS]| std::array::from_fn(|at| a[at] + b[at]);
        // Waking other threads takes longer than one chunk.
        let counts = if boxes.len() <= CHUNK {
            level((&mut of_box, boxes))
        } else {
            let chunks = of_box.par_chunks_mut(CHUNK).zip(boxes.par_chunks(CHUNK));
            chunks.map(level).reduce(|| [0; LEVELS], sum)
        };
        Levels { of_box, counts }
    }

    /// The bits of a column's number along the second axis, and the number of columns, at a level.
    pub(super) fn columns(&self, level: u32) -> (u32, u32) {
        let [y, z] = self.last.map(|last| last >> (2 * level));
        let bits = u32::BITS - z.leading_zeros();
        (bits, (y + 1) << bits)
    }
}

/// The distance of neighbours if so many boxes were evenly spread, in fewer dimensions where the
/// spread is zero along an axis.
fn spacing(spread: Vec3A, count: usize) -> f64 {
    let along = spread.as_dvec3().to_array().into_iter().filter(|&side| side > 0.0);
    let volume: f64 = along.clone().product();
    (volume / count.max(1) as f64).powf(1.0 / along.count().max(1) as f64)
}
