//! The power test in integers: the arithmetic of last resort for its sign.

use std::cmp::Ordering;

use crate::contact::exact_integer::{Integer, difference, finest_grid, odd_part};
use crate::volume::Ball;

/// Bits of coordinates on their common grid for which 128 bits hold the determinant: heights
/// then take 48, minors of three rows 72, their products 120 and the sum of four 122.
const SMALL_BITS: u32 = 23;

/// The sign of the determinant that decides a power test; see
/// [`power_side`](super::power_side).
#[cold]
pub(super) fn exact_side(corners: [&Ball; 4], ball: &Ball) -> Ordering {
    let numbers = |ball: &Ball| {
        let [x, y, z] = ball.center.to_array();
        [x, y, z, ball.radius]
    };
    let (rows, own) = (corners.map(numbers), numbers(ball));
    let grid = finest_grid(rows.as_flattened().iter().chain(&own));
    if let Some(sign) = small_side(&rows, own, grid) {
        return sign;
    }
    let zero = || difference(0.0, 0.0, 0);
    let square = |x: &Integer| x.times(x);
    let own_weight = square(&difference(own[3], 0.0, grid));
    let rows = rows.map(|row| {
        let [x, y, z] = [0, 1, 2].map(|axis| difference(row[axis], own[axis], grid));
        let weight = square(&difference(row[3], 0.0, grid));
        let height =
            square(&x).plus(&square(&y)).plus(&square(&z)).minus(&weight).plus(&own_weight);
        ([x, y, z], height)
    });
    let flat = |i: usize, j: usize| {
        let ([x, y, _], [v, w, _]) = (&rows[i].0, &rows[j].0);
        x.times(w).minus(&y.times(v))
    };
    // The volume of three rows, from the areas of two.
    let mut sum = zero();
    for (left_out, [i, j, k]) in
        [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]].into_iter().enumerate()
    {
        let height_of = |row: usize| &rows[row].0[2];
        let volume = height_of(i)
            .times(&flat(j, k))
            .minus(&height_of(j).times(&flat(i, k)))
            .plus(&height_of(k).times(&flat(i, j)));
        let term = rows[left_out].1.times(&volume);
        sum = if left_out % 2 == 0 { sum.plus(&term) } else { sum.minus(&term) };
    }
    sum.sign()
}

/// [`exact_side`] in 128 bits, for balls on a lattice.
fn small_side(rows: &[[f64; 4]; 4], own: [f64; 4], grid: i32) -> Option<Ordering> {
    let small = |x: f64| {
        let (mantissa, exponent) = odd_part(x);
        let shift = exponent.abs_diff(grid);
        if mantissa == 0 {
            return Some(0i128);
        }
        // One bit less than the differences may have.
        (mantissa.ilog2() + shift < SMALL_BITS - 1).then(|| {
            let size = i128::from(mantissa) << shift;
            if x.is_sign_negative() { -size } else { size }
        })
    };
    let all = |numbers: [f64; 4]| {
        let [x, y, z, r] = numbers.map(small);
        Some([x?, y?, z?, r?])
    };
    let own = all(own)?;
    let [a, b, c, d] = rows.map(|row| {
        let [x, y, z, r] = all(row)?;
        let [x, y, z] = [x - own[0], y - own[1], z - own[2]];
        Some([x, y, z, x * x + y * y + z * z - r * r + own[3] * own[3]])
    });
    let [a, b, c, d] = [a?, b?, c?, d?];
    let volume = |p: [i128; 4], q: [i128; 4], s: [i128; 4]| {
        p[2] * (q[0] * s[1] - q[1] * s[0]) - q[2] * (p[0] * s[1] - p[1] * s[0])
            + s[2] * (p[0] * q[1] - p[1] * q[0])
    };
    let value = a[3] * volume(b, c, d) - b[3] * volume(a, c, d) + c[3] * volume(a, b, d)
        - d[3] * volume(a, b, c);
    Some(value.cmp(&0))
}
