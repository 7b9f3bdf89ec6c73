//! How k-DOPs are fitted and moved.

use std::array::from_fn;

use glam::{DVec3, Vec3A};

use super::Dop;
use super::cone::cone;
use crate::numeric::{F32_SLACK, F64_SLACK, round_up};
use crate::volume::{Fit, Motion, UnitCost};

/// A k-DOP at rest: the middle of each slab and half its width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CenteredDop<const N: usize> {
    pub(crate) middle: [f32; N],
    pub(crate) half: [f32; N],
}

/// A motion, prepared for k-DOPs: for each direction, three slabs at rest whose sum bounds it.
///
/// The coordinate of an image A p + t along n is w . p + n . t with w = A^T n. With w as a sum of
/// directions at rest (`cone`) it lies within the same sum of slabs. That costs three products
/// per slab and side, and is exact if the vertex that is farthest along w lies on all three slabs.
#[derive(Debug, Clone)]
pub struct DopMap<const N: usize> {
    /// Slabs at rest, by number, with their factors.
    terms: [[(u8, f32); 3]; N],
    shift: [f32; N],
    /// The motion's allowance along each direction.
    allowance: [f32; N],
    turns: bool,
}

impl<const N: usize> Dop<N> {
    /// The k-DOP around points, given the lowest and highest of their coordinates along all
    /// directions after rounding to the nearest `f32`.
    ///
    /// Along the axes this is [`Aabb::around_nearest`](crate::volume::Aabb::around_nearest). Along a
    /// diagonal, let S = |x| + |y| + |z| and w = 2^-24. The sum errs by 2^-52 S, rounding it to
    /// `f32` by w S, and the last difference by w of at most S (1 + 4w), together less than
    /// 2.01 w S; below the normal numbers by a few 2^-150. The largest coordinates along the axes sum
    /// to at least S (1 - 4w) in `f32`. The growth is 3w times that, and the smallest normal number.
    /// Where it overflows, the slab is unbounded: the minimum keeps infinity from meeting
    /// itself.
    #[inline(always)]
    pub(crate) fn around_nearest(low: [f32; N], high: [f32; N]) -> Self {
        let low = low.map(|x| x.min(f32::MAX));
        let high = high.map(|x| x.max(-f32::MAX));
        let size = |i: usize| low[i].abs().max(high[i].abs());
        let sum = size(0) + size(1) + size(2);
        let diagonal = 1.5 * f32::EPSILON * sum + f32::MIN_POSITIVE;
        let own = |x: f32| x.abs() * f32::EPSILON + f32::MIN_POSITIVE;
        let growth = |i: usize, x: f32| if i < 3 { own(x) } else { diagonal };
        Self {
            low: from_fn(|i| low[i] - growth(i, low[i])),
            high: from_fn(|i| high[i] + growth(i, high[i])),
        }
    }
}

impl<const N: usize> Dop<N> {
    /// Around points in `f32`, with an allowance per axis on all sides.
    #[inline]
    pub(crate) fn around_images(points: impl Iterator<Item = Vec3A>, allowance: f32) -> Self {
        let mut around = Self::EMPTY;
        for point in points {
            let along = Self::coordinates_f32(point);
            around.low = from_fn(|i| least(around.low[i], along[i]));
            around.high = from_fn(|i| most(around.high[i], along[i]));
        }
        let reach = Self::SQUARED.map(|sum| allowance * sum as f32);
        around.low = from_fn(|i| around.low[i] - reach[i]);
        around.high = from_fn(|i| around.high[i] + reach[i]);
        around
    }
}

impl<const N: usize> Fit for Dop<N> {
    const EMPTY: Self = Self { low: [f32::INFINITY; N], high: [f32::NEG_INFINITY; N] };
    const EVERYWHERE: Self = Self { low: [f32::NEG_INFINITY; N], high: [f32::INFINITY; N] };
    /// Two comparisons per slab; a minimum and a maximum per slab.
    const COST: UnitCost = UnitCost { test: 2 * N as u32, fit: 2 * N as u32 };

    /// The coordinates along all directions, rounded to the nearest `f32`.
    type Point = [f32; N];

    #[inline(always)]
    fn point(position: DVec3) -> [f32; N] {
        Self::coordinates(position).map(|x| x as f32)
    }

    #[inline]
    fn fit_points(points: impl Iterator<Item = [f32; N]> + Clone) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for point in points {
            low = from_fn(|i| low[i].min(point[i]));
            high = from_fn(|i| high[i].max(point[i]));
        }
        // Without points: lowering infinity would leave it a finite box.
        if low[0] > high[0] { Self::EMPTY } else { Self::around_nearest(low, high) }
    }

    #[inline(always)]
    fn fit_triangle([a, b, c]: [[f32; N]; 3]) -> Self {
        let low = from_fn(|i| least(least(a[i], b[i]), c[i]));
        let high = from_fn(|i| most(most(a[i], b[i]), c[i]));
        Self::around_nearest(low, high)
    }

    #[inline(always)]
    fn fit_two(&self, other: &Self) -> Self {
        Self {
            low: from_fn(|i| least(self.low[i], other.low[i])),
            high: from_fn(|i| most(self.high[i], other.high[i])),
        }
    }

    type Rest = CenteredDop<N>;

    fn at_rest(&self) -> CenteredDop<N> {
        let middle: [f32; N] = from_fn(|i| self.low[i] * 0.5 + self.high[i] * 0.5);
        let half = from_fn(|i| {
            let half = (self.high[i] - middle[i]).max(middle[i] - self.low[i]);
            half * (1.0 + F32_SLACK) + f32::MIN_POSITIVE
        });
        CenteredDop { middle, half }
    }

    type Map = DopMap<N>;

    fn map(motion: &Motion) -> DopMap<N> {
        let map = motion.exact();
        let row = |i: usize| {
            let normal = DVec3::from_array(Self::DIRECTIONS[i].map(f64::from));
            let turned = cone::<N>(map.matrix3.transpose() * normal);
            turned.map(|(number, factor)| (number as u8, factor as f32))
        };
        let along = Self::coordinates(map.translation);
        DopMap {
            terms: from_fn(row),
            shift: along.map(|x| x as f32),
            allowance: Self::SQUARED.map(|sum| motion.allowance() * sum as f32),
            turns: motion.turns(),
        }
    }

    /// The slabs of the image, from those at rest.
    ///
    /// Let r be the largest coordinate at rest, w = 2^-24 and |n| the sum of the magnitudes of n. No
    /// slab at rest reaches farther than |n_j| r along its direction, and the factors times |n_j| sum
    /// to the sum of magnitudes of A^T n, which is at most |n| times the largest row sum of |A|: that
    /// times r, plus |n| |t|, bounds every number on the way. These are rounded: the factors (three
    /// roundings in `f64`, one to `f32`), the shift (one), the products and the sums (at most four
    /// in a row), the width likewise, and the two ends (one): fewer than 16 roundings of w. The
    /// motion's allowance covers 32 of the same magnitude per axis, and counts |n| times here.
    #[inline]
    fn moved(rest: &CenteredDop<N>, map: &DopMap<N>) -> Self {
        let CenteredDop { middle, half } = rest;
        let mut moved = Self::EMPTY;
        for i in 0..N {
            let (mut at, mut reach) = (middle[i], half[i]);
            if map.turns {
                (at, reach) = (0.0, 0.0);
                for &(number, factor) in &map.terms[i] {
                    let number = usize::from(number).min(N - 1);
                    at += middle[number] * factor;
                    reach += half[number] * factor.abs();
                }
            }
            (at, reach) = (at + map.shift[i], reach + map.allowance[i]);
            (moved.low[i], moved.high[i]) = (at - reach, at + reach);
        }
        moved
    }

    fn rest_around(points: &[DVec3], rounding: f64) -> CenteredDop<N> {
        let (mut low, mut high) = ([f64::INFINITY; N], [f64::NEG_INFINITY; N]);
        for &point in points {
            let along = Self::coordinates(point);
            // What sums of three lose.
            let loss = 4.0 * f64::EPSILON * point.abs().element_sum();
            for i in 0..N {
                low[i] = low[i].min(along[i] - loss);
                high[i] = high[i].max(along[i] + loss);
            }
        }
        let middle: [f32; N] = from_fn(|i| (low[i] * 0.5 + high[i] * 0.5) as f32);
        let half = from_fn(|i| {
            let exact = f64::from(middle[i]);
            let size = (high[i] - exact).max(exact - low[i]);
            round_up((size + rounding * exact.abs()) * ((1.0 + rounding) * (1.0 + F64_SLACK)))
        });
        CenteredDop { middle, half }
    }

    type Factor = [f32; 2];

    #[inline(always)]
    fn factor(factor: f32) -> [f32; 2] {
        [factor, factor.abs()]
    }

    #[inline(always)]
    fn scaled(rest: &CenteredDop<N>, [factor, size]: [f32; 2]) -> CenteredDop<N> {
        CenteredDop { middle: rest.middle.map(|x| x * factor), half: rest.half.map(|x| x * size) }
    }

    #[inline(always)]
    fn add_scaled(rest: &mut CenteredDop<N>, by: &CenteredDop<N>, [factor, size]: [f32; 2]) {
        for i in 0..N {
            rest.middle[i] += by.middle[i] * factor;
            rest.half[i] += by.half[i] * size;
        }
    }
}

/// The smaller of two numbers that are not NaN: one instruction, where `f32::min` takes several.
#[inline(always)]
fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two numbers that are not NaN.
#[inline(always)]
fn most(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
