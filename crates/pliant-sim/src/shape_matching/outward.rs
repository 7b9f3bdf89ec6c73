//! Which way is out of a set of points.

use pliant::glam::DVec3;

/// How many distances of neighbours count around a point.
const REACH: f64 = 2.5;

/// For each point the direction out of the body: away from the points around it, smoothly weighted. Deep
/// inside, where these lie on all sides alike, away from the middle of the body. Zero for a body at one
/// place.
pub(super) fn outward_directions(points: &[DVec3], spacing: f64) -> Vec<DVec3> {
    let middle = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let reach = REACH * spacing;
    // Points of a cell and its neighbours, by a sort along one axis.
    let mut along: Vec<u32> = (0..points.len() as u32).collect();
    along.sort_by(|&a, &b| points[a as usize].x.total_cmp(&points[b as usize].x));
    let mut pulls = vec![(DVec3::ZERO, 0.0); points.len()];
    for (at, &i) in along.iter().enumerate() {
        let p = points[i as usize];
        let near = along[at + 1..].iter().take_while(|&&j| points[j as usize].x - p.x < reach);
        for &j in near {
            let way = points[j as usize] - p;
            let part = way.length_squared() / (reach * reach);
            if part < 1.0 {
                let weight = (1.0 - part) * (1.0 - part);
                pulls[i as usize].0 += weight * way;
                pulls[j as usize].0 -= weight * way;
                pulls[i as usize].1 += weight * way.length();
                pulls[j as usize].1 += weight * way.length();
            }
        }
    }
    let direction = |(&(pull, size), &point): (&(DVec3, f64), &DVec3)| {
        let from_middle = (point - middle).normalize_or_zero();
        let sided = if size > 0.0 { -pull / size } else { DVec3::ZERO };
        // On a flat side about half of the weight lies on one side.
        (sided + 0.05 * from_middle).normalize_or(from_middle)
    };
    pulls.iter().zip(points).map(direction).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sides_of_a_box_point_out() {
        let at = |i: usize| DVec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64);
        let points: Vec<DVec3> = (0..125).map(at).collect();
        let out = outward_directions(&points, 1.0);
        for (point, out) in points.iter().zip(out) {
            let from_middle = *point - DVec3::splat(2.0);
            if from_middle != DVec3::ZERO {
                assert!(out.dot(from_middle) > 0.5 * from_middle.length(), "{point} {out}");
            }
            if *point == DVec3::new(2.0, 4.0, 2.0) {
                assert!(out.y > 0.999);
            }
        }
        assert_eq!(outward_directions(&[DVec3::ONE; 3], 1.0), [DVec3::ZERO; 3]);
    }
}
