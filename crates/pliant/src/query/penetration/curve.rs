//! The curve in which two surfaces meet: segments joined to polylines.
//!
//! This describes contact that is already known to exist, and decides nothing. Ends of segments that
//! should be one point differ by rounding, so ends that are nearer than a small share of the
//! coordinates count as one.

use glam::DVec3;

use super::numbers::NumberMap;

/// How near ends of segments are that count as one point, in units of the largest coordinate. Ends
/// are off by a few 2^-53 of it, times the cotangent of the angle between the triangles.
const SAME_POINT: f64 = 1e-11;

/// Joins segments to polylines. Segments without length are points, which count only if no
/// polyline passes through them.
pub(super) fn polylines(segments: &[(DVec3, DVec3)]) -> Vec<Vec<DVec3>> {
    let largest = segments
        .iter()
        .fold(0.0f64, |most, (p, q)| most.max(p.abs().max_element()).max(q.abs().max_element()));
    let mut points = Points::new(largest * SAME_POINT);
    let mut links: Vec<[u32; 2]> = Vec::with_capacity(segments.len());
    for &(from, to) in segments {
        let mut link = [points.number(from), points.number(to)];
        link.sort_unstable();
        links.push(link);
    }
    links.sort_unstable();
    links.dedup();
    let mut at: Vec<Vec<u32>> = vec![Vec::new(); points.all.len()];
    for (number, &[p, q]) in (0u32..).zip(&links) {
        if p != q {
            at[p as usize].push(number);
            at[q as usize].push(number);
        }
    }
    let mut used = vec![false; links.len()];
    let mut found = Vec::new();
    // Ends and branchings first, so that what is left are closed curves.
    let ends = (0..at.len()).filter(|&point| at[point].len() != 2);
    for start in ends.chain(0..at.len()) {
        while let Some(&first) = at[start].iter().find(|&&link| !used[link as usize]) {
            let mut line = vec![points.all[start]];
            let (mut link, mut point) = (first, start);
            loop {
                used[link as usize] = true;
                let [p, q] = links[link as usize];
                point = if p as usize == point { q as usize } else { p as usize };
                line.push(points.all[point]);
                if at[point].len() != 2 {
                    break;
                }
                let Some(&next) = at[point].iter().find(|&&link| !used[link as usize]) else {
                    break;
                };
                link = next;
            }
            found.push(line);
        }
    }
    let alone = points.all.iter().zip(&at).filter(|(_, links)| links.is_empty());
    found.extend(alone.map(|(&point, _)| vec![point]));
    found
}

/// The area that polylines enclose: the sum of the lengths of their vector areas.
pub(super) fn enclosed_area(curve: &[Vec<DVec3>]) -> f64 {
    let of_line = |line: &Vec<DVec3>| {
        let Some(&origin) = line.first() else { return 0.0 };
        let twice: DVec3 =
            line.windows(2).map(|ends| (ends[0] - origin).cross(ends[1] - origin)).sum();
        0.5 * twice.length()
    };
    curve.iter().map(of_line).sum()
}

/// Points, of which near ones are one.
struct Points {
    near: f64,
    all: Vec<DVec3>,
    /// The points in each cell of a grid.
    cells: NumberMap<[i64; 3], Vec<u32>>,
}

/// How wide a cell is, in units of the distance of near points: so wide that a point seldom has
/// near points in another cell, and so narrow that a cell seldom has two points.
const CELL: f64 = 1024.0;

impl Points {
    fn new(near: f64) -> Self {
        // Never zero: all points at the origin are in one cell.
        let near = near.max(f64::MIN_POSITIVE);
        Self { near, all: Vec::new(), cells: NumberMap::default() }
    }

    /// The number of the first point that is near, or a new number.
    fn number(&mut self, point: DVec3) -> u32 {
        let width = self.near * CELL;
        let cell = |p: DVec3| (p / width).floor().to_array().map(|x| x as i64);
        let (low, high) = (cell(point - self.near), cell(point + self.near));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let numbers = self.cells.get(&[x, y, z]).map_or(&[][..], Vec::as_slice);
                    let same = |&&n: &&u32| self.all[n as usize].distance(point) <= self.near;
                    if let Some(&number) = numbers.iter().find(same) {
                        return number;
                    }
                }
            }
        }
        let number = self.all.len() as u32;
        self.all.push(point);
        self.cells.entry(cell(point)).or_default().push(number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_one_closed_line() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let near = |p: DVec3| p + DVec3::splat(1e-14);
        let side = |i: usize| (corners[i], near(corners[(i + 1) % 4]));
        // Out of order, one turned around, one twice.
        let (from, to) = side(3);
        let found = polylines(&[side(2), side(0), (to, from), side(1), side(0)]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].len(), 5);
        assert_eq!(found[0][0], found[0][4]);
        assert!((enclosed_area(&found) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn open_lines_and_points() {
        let found = polylines(&[
            (DVec3::X, DVec3::Y),
            (DVec3::Z, DVec3::Y),
            (DVec3::ONE, DVec3::ONE),
            (DVec3::X, DVec3::X),
        ]);
        assert_eq!(found, [vec![DVec3::X, DVec3::Y, DVec3::Z], vec![DVec3::ONE]]);
        assert_eq!(polylines(&[]), Vec::<Vec<DVec3>>::new());
        assert_eq!(polylines(&[(DVec3::ZERO, DVec3::ZERO)]), [vec![DVec3::ZERO]]);
    }
}
