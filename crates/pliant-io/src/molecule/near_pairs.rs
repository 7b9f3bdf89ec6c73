//! All pairs of places that are near each other, in space or in a periodic cell.

use std::ops::ControlFlow;

use pliant::glam::{DVec3, Vec4};

use super::Cell;
use crate::{Error, Result};

/// Places sorted into cubes that are a little wider than the reach, so that near places lie in the
/// same cube or in neighbours.
struct Cubes {
    /// The places in the order of their cubes, and their numbers.
    places: Vec<DVec3>,
    numbers: Vec<u32>,
    /// The cube of each: along x first, then y, then z. Cubes side by side along x have numbers in a row.
    keys: Vec<u64>,
    /// The places from the centre in reaches, rounded, by axis; a few more at the end. All zero where
    /// rounding could hide a pair.
    rounded: [Vec<f32>; 3],
    /// From one cube to the next along y and z.
    strides: [u64; 2],
    /// The first place of each cube and the end of the last, where the cubes are few.
    starts: Option<Vec<u32>>,
}

/// By this share, cubes are wider than the reach: more than the rounding of a cube's number, which
/// is below 2^-30 of a cube.
const MARGIN: f64 = 1e-3;

/// Places that are looked at together.
const LANES: usize = 4;

/// The farthest place from the centre, in reaches, up to which rounded places decide which pairs are
/// looked at. A coordinate is then off by less than 1000 * 2^-24 = 6e-5 of the reach, so is its
/// rounded difference, and a distance by less than 3e-4: less than the margin.
const MOST_ROUNDED: f64 = 1000.0;

/// Bits of a cube's number per axis.
const BITS: u32 = 21;

/// Cubes on either side of the centre. Places beyond them share the last cube: that keeps
/// neighbours neighbours.
const MOST_CUBES: f64 = ((1_u32 << (BITS - 1)) - 2) as f64;

/// Cubes per place, empty ones included, up to which each has an entry in a table. Where they are
/// more, the places of a row are searched for.
const MOST_PER_PLACE: u64 = 16;

impl Cubes {
    fn new(places: &[DVec3], reach: f64) -> Self {
        let scale = 1.0 / (reach * (1.0 + MARGIN));
        let centre = middle(places);
        // The least is 1, also of NaN, where a reach is next to nothing.
        let cube =
            |x: f64| (x.floor().clamp(-MOST_CUBES, MOST_CUBES) + MOST_CUBES + 1.0).max(1.0) as u64;
        let cubes: Vec<[u64; 3]> =
            places.iter().map(|place| ((*place - centre) * scale).to_array().map(cube)).collect();
        let (low, sides) = around(&cubes);
        let count = sides[0] * sides[1] * sides[2];
        let is_table = count <= MOST_PER_PLACE * places.len() as u64;
        let (keys, numbers, starts);
        let strides =
            if is_table { [sides[0], sides[0] * sides[1]] } else { [1 << BITS, 1 << (2 * BITS)] };
        let key = |[x, y, z]: &[u64; 3]| {
            (z - low[2]) * strides[1] + (y - low[1]) * strides[0] + (x - low[0])
        };
        if is_table {
            let of_places: Vec<u64> = cubes.iter().map(key).collect();
            let table = count_sorted(&of_places, count as usize);
            numbers = table.0;
            starts = Some(table.1);
            keys = numbers.iter().map(|&number| of_places[number as usize]).collect();
        } else {
            let mut order: Vec<(u64, u32)> = cubes.iter().map(key).zip(0..).collect();
            order.sort_unstable();
            (keys, numbers) = order.into_iter().unzip();
            starts = None;
        }
        let places: Vec<DVec3> = numbers.iter().map(|&number| places[number as usize]).collect();
        let rounded = rounded(&places, centre, reach);
        Self { places, numbers, keys, rounded, strides, starts }
    }

    /// The places of the cubes from one number to another.
    #[inline]
    fn row(&self, first: u64, last: u64) -> (usize, usize) {
        match &self.starts {
            Some(starts) => (starts[first as usize] as usize, starts[last as usize + 1] as usize),
            None => {
                let start = self.keys.partition_point(|&key| key < first);
                (start, start + self.keys[start..].partition_point(|&key| key <= last))
            }
        }
    }

    /// Which of the places from `start` on may be within the reach of another, one bit each.
    #[inline(always)]
    fn may_be_near(&self, [x, y, z]: [Vec4; 3], start: usize) -> u32 {
        const LIMIT: f32 = ((1.0 + MARGIN) * (1.0 + MARGIN)) as f32;
        let [dx, dy, dz] = [
            Vec4::from_slice(&self.rounded[0][start..]) - x,
            Vec4::from_slice(&self.rounded[1][start..]) - y,
            Vec4::from_slice(&self.rounded[2][start..]) - z,
        ];
        (dx * dx + dy * dy + dz * dz).cmple(Vec4::splat(LIMIT)).bitmask()
    }

    /// Visits every pair whose squared distance is at most `limit`, once, and returns the number of
    /// pairs that were looked at.
    #[inline]
    fn for_each_near<B>(
        &self,
        limit: f64,
        mut visit: impl FnMut(u32, u32, f64) -> ControlFlow<B>,
    ) -> ControlFlow<B, u64> {
        let [y, z] = self.strides;
        let mut tests = 0;
        // The rest of its own row, and half of the rows around; the other half sees it from there.
        let mut ranges = [(0, 0); 5];
        let mut last = None;
        for (at, &key) in self.keys.iter().enumerate() {
            if last != Some(key) {
                last = Some(key);
                ranges[0] = self.row(key, key + 1);
                for (range, row) in ranges[1..].iter_mut().zip([y, z - y, z, z + y]) {
                    *range = self.row(key + row - 1, key + row + 1);
                }
            }
            ranges[0].0 = at + 1;
            let place = self.places[at];
            let rounded = [0, 1, 2].map(|axis| Vec4::splat(self.rounded[axis][at]));
            for (start, end) in ranges {
                tests += (end - start) as u64;
                for start in (start..end).step_by(LANES) {
                    let mut hits = self.may_be_near(rounded, start);
                    hits &= (1 << (end - start).min(LANES)) - 1;
                    while hits != 0 {
                        let other = start + hits.trailing_zeros() as usize;
                        hits &= hits - 1;
                        let squared = (place - self.places[other]).length_squared();
                        if squared <= limit {
                            visit(self.numbers[at], self.numbers[other], squared)?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(tests)
    }
}

/// The lowest cube less one along each axis, and how many there are with an empty one on either side:
/// a cube's neighbours have numbers then, and rows do not run into each other.
fn around(cubes: &[[u64; 3]]) -> ([u64; 3], [u64; 3]) {
    let (mut low, mut high) = ([u64::MAX; 3], [0; 3]);
    for cube in cubes {
        for axis in 0..3 {
            low[axis] = low[axis].min(cube[axis]);
            high[axis] = high[axis].max(cube[axis]);
        }
    }
    // Numbers of cubes begin with 1, and there are places.
    (low.map(|low| low - 1), [0, 1, 2].map(|axis| high[axis] + 3 - low[axis]))
}

/// The numbers of places in the order of their cubes, and where each cube begins and the last ends.
fn count_sorted(cubes: &[u64], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; count + 1];
    for &cube in cubes {
        starts[cube as usize + 1] += 1;
    }
    let mut end = 0;
    for start in &mut starts {
        end += *start;
        *start = end;
    }
    // Backwards, so that `starts` ends where it should: first each is the end of its cube.
    let mut numbers = vec![0; cubes.len()];
    for (number, &cube) in (0..cubes.len() as u32).zip(cubes).rev() {
        let slot = &mut starts[cube as usize + 1];
        *slot -= 1;
        numbers[*slot as usize] = number;
    }
    starts.rotate_left(1);
    if let Some(last) = starts.last_mut() {
        *last = cubes.len() as u32;
    }
    (numbers, starts)
}

/// The places from the centre in reaches by axis, and a few more numbers; all zero if one is far.
fn rounded(places: &[DVec3], centre: DVec3, reach: f64) -> [Vec<f32>; 3] {
    let is_near = |place: &DVec3| (*place - centre).abs().max_element() < MOST_ROUNDED * reach;
    let mut rounded = [0, 1, 2].map(|_| vec![0.0; places.len() + LANES]);
    if places.iter().all(is_near) {
        let [xs, ys, zs] = &mut rounded;
        for (((place, x), y), z) in places.iter().zip(xs).zip(ys).zip(zs) {
            let from = ((*place - centre) / reach).as_vec3();
            (*x, *y, *z) = (from.x, from.y, from.z);
        }
    }
    rounded
}

/// A place amid the others, also if some are far away: the median of a sample on each axis.
fn middle(places: &[DVec3]) -> DVec3 {
    let step = (places.len() / 99).max(1);
    let sample: Vec<DVec3> = places.iter().copied().step_by(step).collect();
    let median = |axis: usize| {
        let mut numbers: Vec<f64> = sample.iter().map(|place| place[axis]).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
    };
    DVec3::new(median(0), median(1), median(2))
}

/// Visits every two places `i < j` whose squared distance is at most `reach` squared, with that
/// squared distance, in an order that depends on the places alone. In a cell, every image of one
/// near the other is visited. Returns the number of pairs that were looked at.
///
/// # Errors
/// [`Error::Atoms`] if the cell is thinner than half of the reach.
pub(super) fn for_each_near<B>(
    places: &[DVec3],
    cell: Option<&Cell>,
    reach: f64,
    mut visit: impl FnMut(u32, u32, f64) -> ControlFlow<B>,
) -> Result<ControlFlow<B, u64>> {
    if reach.is_nan() || reach <= 0.0 || places.is_empty() {
        return Ok(ControlFlow::Continue(0));
    }
    let limit = reach * reach;
    let Some(cell) = cell else {
        let cubes = Cubes::new(places, reach);
        return Ok(cubes.for_each_near(limit, |i, j, squared| visit(i.min(j), i.max(j), squared)));
    };
    let (all, origins) = with_images(places, cell, reach)?;
    let own = places.len() as u32;
    Ok(Cubes::new(&all, reach).for_each_near(limit, |i, j, squared| {
        // A pair of a place and an image is seen from both places; the one with the smaller number
        // counts it. A place does not meet its own image.
        let (low, high) = (i.min(j), i.max(j));
        let other = origins[high as usize];
        match low < own && low < other {
            true => visit(low, other, squared),
            false => ControlFlow::Continue(()),
        }
    }))
}

/// The places moved into the cell, then their images within `reach` of it; and for each the number
/// of the place that it is.
///
/// Two places within `reach` differ by at most reach / height along each edge. So every image near
/// a place of the cell has coordinates from -reach / height to 1 + reach / height.
fn with_images(places: &[DVec3], cell: &Cell, reach: f64) -> Result<(Vec<DVec3>, Vec<u32>)> {
    let edges = cell.reduced();
    let heights = cell.heights();
    // The margin exceeds the rounding of coordinates.
    let border = DVec3::from_array(heights.map(|height| reach / height + 1e-6));
    if border.max_element() > 2.0 {
        let thin = heights.into_iter().fold(f64::INFINITY, f64::min);
        let reason = format!("is {thin:.3} Å thin, less than half of the reach of {reach:.3} Å");
        return Err(Error::atoms("cell", reason));
    }
    let wrapped: Vec<DVec3> = places
        .iter()
        .map(|&place| {
            let fractions = cell.fractions(place);
            let inside = fractions - fractions.floor();
            // A place beyond 10^15 cells has no coordinate within its cell.
            if inside.is_finite() { inside } else { DVec3::ZERO }
        })
        .collect();
    let mut all: Vec<DVec3> = wrapped.iter().map(|&inside| edges * inside).collect();
    let mut origins: Vec<u32> = (0..places.len() as u32).collect();
    for (origin, &inside) in (0_u32..).zip(&wrapped) {
        // Most places are far from the faces.
        let near_low = inside.cmple(border).any();
        let near_high = inside.cmpge(DVec3::ONE - border).any();
        if !near_low && !near_high {
            continue;
        }
        let range = |axis: usize| {
            let low = (-border[axis] - inside[axis]).ceil() as i32;
            let high = (1.0 + border[axis] - inside[axis]).floor() as i32;
            low..=high
        };
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    if [x, y, z] != [0; 3] {
                        let steps = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                        all.push(edges * (inside + steps));
                        origins.push(origin);
                    }
                }
            }
        }
    }
    Ok((all, origins))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(places: &[DVec3], cell: Option<&Cell>, reach: f64) -> Vec<(u32, u32, f64)> {
        let mut found = Vec::new();
        let outcome = for_each_near(places, cell, reach, |i, j, squared| {
            found.push((i, j, squared));
            ControlFlow::<()>::Continue(())
        });
        assert!(outcome.unwrap().is_continue());
        found.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        found
    }

    fn every_pair(places: &[DVec3], reach: f64) -> Vec<(u32, u32, f64)> {
        let mut found = Vec::new();
        for (i, p) in (0..).zip(places) {
            for (j, q) in (0..).zip(places).skip(i as usize + 1) {
                let squared = (*p - *q).length_squared();
                if squared <= reach * reach {
                    found.push((i, j, squared));
                }
            }
        }
        found
    }

    #[test]
    fn far_places_do_no_harm() {
        let mut places: Vec<DVec3> = (0..50).map(|x| DVec3::X * f64::from(x)).collect();
        places.extend([DVec3::splat(1e300), DVec3::splat(-1e300), DVec3::Y * 1e12]);
        places.extend([DVec3::Y * 1e12 + DVec3::X, DVec3::splat(1e300)]);
        assert_eq!(pairs(&places, None, 1.5), every_pair(&places, 1.5));
        assert_eq!(pairs(&[], None, 1.0), []);
        assert_eq!(pairs(&places, None, 0.0), []);
    }

    #[test]
    fn thin_cells_are_refused() {
        let cell = Cell::from_angles([1.0, 20.0, 20.0], [90.0; 3]).unwrap();
        let visit = |_, _, _| ControlFlow::<()>::Continue(());
        let error = for_each_near(&[DVec3::ZERO], Some(&cell), 3.0, visit).unwrap_err();
        assert!(error.to_string().starts_with("cell: is 1.000 Å thin"), "{error}");
    }

    proptest! {
        #[test]
        fn the_pairs_are_those_of_brute_force(
            places in prop::collection::vec([-9.0_f64..9.0, -9.0..9.0, -9.0..9.0], 0..120),
            reach in 0.1_f64..6.0,
        ) {
            let places: Vec<DVec3> = places.into_iter().map(DVec3::from_array).collect();
            prop_assert_eq!(pairs(&places, None, reach), every_pair(&places, reach));
        }

        /// The nearest image of every pair is that of [`Cell::shortest`].
        #[test]
        fn the_pairs_of_a_cell_have_the_shortest_distances(
            places in prop::collection::vec([-30.0_f64..30.0, -30.0..30.0, -30.0..30.0], 0..40),
            lengths in [5.0_f64..14.0, 5.0..14.0, 5.0..14.0],
            angles in [50.0_f64..130.0, 50.0..130.0, 50.0..130.0],
            reach in 0.5_f64..4.0,
        ) {
            let Some(cell) = Cell::from_angles(lengths, angles) else { return Ok(()) };
            if cell.heights().iter().any(|&height| height < reach / 1.9) {
                return Ok(());
            }
            let places: Vec<DVec3> = places.into_iter().map(DVec3::from_array).collect();
            let mut found = pairs(&places, Some(&cell), reach);
            found.dedup_by_key(|&mut (i, j, _)| (i, j));
            let mut expected = Vec::new();
            for i in 0..places.len() {
                for j in i + 1..places.len() {
                    let squared = cell.shortest(places[i] - places[j]).length_squared();
                    if squared <= reach * reach {
                        expected.push((i as u32, j as u32, squared));
                    }
                }
            }
            prop_assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert_eq!((found.0, found.1), (expected.0, expected.1));
                prop_assert!((found.2 - expected.2).abs() < 1e-9);
            }
        }
    }
}
