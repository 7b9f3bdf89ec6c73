//! The power test in integers, for the cases that `f64` cannot decide.

use std::cmp::Ordering;

use crate::numeric::Wide;
use crate::numeric::exact_integer::{Integer, difference, finest_grid, on_grid};
use crate::volume::Ball;

/// The largest number of bits, on the common grid, for [`wide_side`]. Magnitudes are then below
/// 2^124 and differences below 2^125. A lifted height, which is three squares of differences and
/// two of radii, is below 2^252, and a 2x2 minor is below 2^251: both fit 256 bits. 3x3 minors are
/// below 2^378 and fit 384 bits. The sum of four products with heights is below 2^632 and fits 640
/// bits.
const WIDE_BITS: u32 = 124;

/// The sign of the determinant of the power test; see [`power_side`](super::power_side).
#[cold]
pub(super) fn exact_side(corners: [&Ball; 4], ball: &Ball) -> Ordering {
    let numbers = |ball: &Ball| {
        let [x, y, z] = ball.center.to_array();
        [x, y, z, ball.radius]
    };
    let (rows, own) = (corners.map(numbers), numbers(ball));
    let grid = finest_grid(rows.as_flattened().iter().chain(&own));
    wide_side(&rows, &own, grid).unwrap_or_else(|| long_side(&rows, &own, grid))
}

/// [`exact_side`] with integers of any length.
fn long_side(rows: &[[f64; 4]; 4], own: &[f64; 4], grid: i32) -> Ordering {
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
    // 3x3 minors from 2x2 minors.
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

/// [`exact_side`] without heap memory, for numbers with a common grid of at most [`WIDE_BITS`]
/// bits; for example numbers whose magnitudes differ by at most a factor of 2^70.
fn wide_side(rows: &[[f64; 4]; 4], own: &[f64; 4], grid: i32) -> Option<Ordering> {
    let (own, own_weight) = lattice_row(own, grid)?;
    let mut places = [[Wide::new(0); 3]; 4];
    let mut heights = [own_weight; 4];
    for ((row, place), height) in rows.iter().zip(&mut places).zip(&mut heights) {
        let (center, weight) = lattice_row(row, grid)?;
        *height = height.minus(&weight);
        for axis in 0..3 {
            let away = Wide::new(center[axis] - own[axis]);
            *height = height.plus(&away.times(&away));
            place[axis] = away;
        }
    }
    let flat = |p: usize, q: usize| -> Wide<4> {
        let ([px, py, _], [qx, qy, _]) = (&places[p], &places[q]);
        px.times::<2, 4>(qy).minus(&py.times(qx))
    };
    let (ab, ac, ad, bc, bd, cd) =
        (flat(0, 1), flat(0, 2), flat(0, 3), flat(1, 2), flat(1, 3), flat(2, 3));
    let [a, b, c, d] = [0, 1, 2, 3].map(|row: usize| places[row][2]);
    let volume = |[(z, p), (y, q), (x, r)]: [(Wide<2>, &Wide<4>); 3]| -> Wide<6> {
        z.times::<4, 6>(p).minus(&y.times(q)).plus(&x.times(r))
    };
    let terms: [Wide<10>; 4] = [
        heights[0].times(&volume([(b, &cd), (c, &bd), (d, &bc)])),
        heights[1].times(&volume([(a, &cd), (c, &ad), (d, &ac)])),
        heights[2].times(&volume([(a, &bd), (b, &ad), (d, &ab)])),
        heights[3].times(&volume([(a, &bc), (b, &ac), (c, &ab)])),
    ];
    Some(terms[0].minus(&terms[1]).plus(&terms[2]).minus(&terms[3]).sign())
}

/// A centre on the grid and its squared radius; `None` if they need too many bits.
fn lattice_row(&[x, y, z, radius]: &[f64; 4], grid: i32) -> Option<([i128; 3], Wide<4>)> {
    let on_grid = |x: f64| on_grid(x, grid, WIDE_BITS);
    let radius = Wide::new(on_grid(radius)?);
    Some(([on_grid(x)?, on_grid(y)?, on_grid(z)?], radius.times(&radius)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers up to the largest that still fit on a grid of ones, and small ones that cancel.
    fn number() -> impl Strategy<Value = f64> {
        let mantissa = prop_oneof![-4..=4i64, -(1i64 << 53)..=1i64 << 53, Just((1i64 << 53) - 1)];
        let shift = prop_oneof![4 => Just(0), 1 => 0..=71i32, 1 => Just(71)];
        (mantissa, shift).prop_map(|(m, shift)| {
            let x = m as f64 * 2f64.powi(shift);
            if x.abs() < 2f64.powi(124) { x } else { x / 2.0 }
        })
    }

    fn row() -> impl Strategy<Value = [f64; 4]> {
        [number(), number(), number(), number()].prop_map(|[x, y, z, r]| [x, y, z, r.abs()])
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

        #[test]
        fn wide_integers_agree_with_long_ones(rows in [row(), row(), row(), row()], own in row(),
            like in 0..8usize, sum in any::<bool>())
        {
            let (mut rows, own) = (rows, own);
            // A row equal to the tested ball's, or two equal rows: the sign is then zero or depends
            // on few bits.
            match like {
                0 => rows[1] = rows[2],
                1 => rows[3] = own,
                2 => rows[0] = [own[0], own[1], own[2] + 1.0, own[3]],
                _ => {}
            }
            if sum {
                rows[2][0] = rows[1][0];
                rows[2][1] = rows[1][1];
            }
            let grid = finest_grid(rows.as_flattened().iter().chain(&own));
            let wide = wide_side(&rows, &own, grid);
            prop_assert_eq!(wide.unwrap_or_else(|| long_side(&rows, &own, grid)), long_side(&rows, &own, grid));
            prop_assert!(wide.is_some() || grid < 0);
        }
    }

    #[test]
    fn numbers_too_far_apart_are_left_to_long_integers() {
        let far = 2f64.powi(124);
        let rows = [
            [far, 1.0, 0.0, 0.0],
            [0.0, 1.0, 1.0, 0.0],
            [1.0, 0.0, 1.0, 0.0],
            [1.0, 1.0, 1.0, 0.0],
        ];
        assert_eq!(wide_side(&rows, &[0.0; 4], 0), None);
        let near = rows.map(|row| row.map(|x| x.min(far / 2.0)));
        let long = long_side(&near, &[0.0; 4], 0);
        assert_eq!(wide_side(&near, &[0.0; 4], 0), Some(long));
    }
}
