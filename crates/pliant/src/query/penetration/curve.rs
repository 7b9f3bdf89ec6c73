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
    let at = LinksAtPoints::new(points.all.len(), &links);
    let mut used = vec![false; links.len()];
    let mut found = Vec::new();
    // Ends and branchings first, so that what is left are closed curves.
    let ends = (0..points.all.len()).filter(|&point| at.of(point).len() != 2);
    for start in ends.chain(0..points.all.len()) {
        while let Some(&first) = at.of(start).iter().find(|&&link| !used[link as usize]) {
            let mut line = vec![points.all[start]];
            let (mut link, mut point) = (first, start);
            loop {
                used[link as usize] = true;
                let [p, q] = links[link as usize];
                point = if p as usize == point { q as usize } else { p as usize };
                line.push(points.all[point]);
                if at.of(point).len() != 2 {
                    break;
                }
                let Some(&next) = at.of(point).iter().find(|&&link| !used[link as usize]) else {
                    break;
                };
                link = next;
            }
            found.push(line);
        }
    }
    let alone = (0..points.all.len()).filter(|&point| at.of(point).is_empty());
    found.extend(alone.map(|point| vec![points.all[point]]));
    found
}

/// For each point the numbers of the links that end there, ascending.
struct LinksAtPoints {
    /// Where the links of each point start, and the end of the last.
    starts: Vec<u32>,
    links: Vec<u32>,
}

impl LinksAtPoints {
    /// Links from a point to itself are left out.
    fn new(points: usize, links: &[[u32; 2]]) -> Self {
        let proper = || (0u32..).zip(links).filter(|(_, [p, q])| p != q);
        let mut starts = vec![0u32; points + 1];
        for (_, ends) in proper() {
            ends.iter().for_each(|&end| starts[end as usize + 1] += 1);
        }
        for point in 0..points {
            starts[point + 1] += starts[point];
        }
        let mut next = starts.clone();
        let mut at = vec![0; starts[points] as usize];
        for (number, ends) in proper() {
            for &end in ends {
                at[next[end as usize] as usize] = number;
                next[end as usize] += 1;
            }
        }
        Self { starts, links: at }
    }

    fn of(&self, point: usize) -> &[u32] {
        &self.links[self.starts[point] as usize..self.starts[point + 1] as usize]
    }
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
    /// The last point in each cell of a grid.
    last: NumberMap<[i64; 3], u32>,
    /// For each point the one before it in its cell.
    before: Vec<u32>,
}

/// How wide a cell is, in units of the distance of near points: so wide that a point seldom has
/// near points in another cell, and so narrow that a cell seldom has two points.
const CELL: f64 = 1024.0;

/// No point.
const NONE: u32 = u32::MAX;

impl Points {
    fn new(near: f64) -> Self {
        // Never zero: all points at the origin are in one cell.
        let near = near.max(f64::MIN_POSITIVE);
        Self { near, all: Vec::new(), last: NumberMap::default(), before: Vec::new() }
    }

    /// The number of the first point that is near, or a new number.
    fn number(&mut self, point: DVec3) -> u32 {
        let width = self.near * CELL;
        let cell = |p: DVec3| (p / width).floor().to_array().map(|x| x as i64);
        let own = cell(point);
        // Near points are in the same cell unless the point is near its sides.
        let inner = (point / width).to_array();
        let margin = 2.0 / CELL;
        let is_inner = (0..3).all(|axis| {
            let share = inner[axis] - own[axis] as f64;
            margin < share && share < 1.0 - margin
        });
        let (low, high) = match is_inner {
            true => (own, own),
            false => (cell(point - self.near), cell(point + self.near)),
        };
        let mut first = NONE;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let mut number = self.last.get(&[x, y, z]).copied().unwrap_or(NONE);
                    while number != NONE {
                        if self.all[number as usize].distance(point) <= self.near {
                            first = first.min(number);
                        }
                        number = self.before[number as usize];
                    }
                }
            }
        }
        if first != NONE {
            return first;
        }
        let number = self.all.len() as u32;
        self.all.push(point);
        self.before.push(self.last.insert(own, number).unwrap_or(NONE));
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
