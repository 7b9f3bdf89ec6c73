//! Smooth weights: how much each cluster counts at a place.

use pliant::glam::DVec3;

/// Where clusters are, and how far they reach.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Centers {
    pub(super) places: Vec<DVec3>,
    /// The distance from a centre at which its weight becomes 0.
    pub(super) reach: f64,
}

/// The reach of a cluster in units of the largest distance of a point from its nearest centre. At 1
/// the farthest point would have no weight; at 2 neighbours overlap by about half.
const OVERLAP: f64 = 2.0;

impl Centers {
    /// As many of the points as there are to be clusters, each as far as possible from those before it
    /// (Gonzalez 1985). The first is the one farthest from the mean.
    pub(super) fn spread(points: &[DVec3], clusters: usize) -> Self {
        let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let mut distances: Vec<f64> = points.iter().map(|p| p.distance_squared(mean)).collect();
        let mut places = Vec::new();
        let mut farthest = f64::INFINITY;
        while places.len() < clusters && farthest > 0.0 {
            let Some(at) = position_of_largest(&distances) else { break };
            if places.is_empty() {
                distances.fill(f64::INFINITY);
            }
            places.push(points[at]);
            for (distance, point) in distances.iter_mut().zip(points) {
                *distance = distance.min(point.distance_squared(points[at]));
            }
            farthest = position_of_largest(&distances).map_or(0.0, |at| distances[at]);
        }
        if places.len() == 1 {
            // One cluster is the whole body.
            return Self { places, reach: f64::INFINITY };
        }
        Self { places, reach: OVERLAP * farthest.sqrt() }
    }

    /// The clusters that count at a place and how much, most of all first named: weights that are not
    /// negative and sum to 1. Beyond the reach of every cluster the nearest counts alone.
    pub(super) fn weights_at(&self, place: DVec3, weights: &mut Vec<(u32, f64)>) {
        weights.clear();
        let reach_squared = self.reach * self.reach;
        let mut nearest = (0, f64::INFINITY);
        for (number, center) in (0..).zip(&self.places) {
            let distance = place.distance_squared(*center);
            if distance < nearest.1 {
                nearest = (number, distance);
            }
            let part = if reach_squared == f64::INFINITY { 0.0 } else { distance / reach_squared };
            if part < 1.0 {
                // Smooth to the second derivative where it ends.
                weights.push((number, (1.0 - part).powi(3)));
            }
        }
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        if sum.is_nan() || sum <= 0.0 {
            weights.clear();
            weights.push((nearest.0, 1.0));
            return;
        }
        for (_, weight) in &mut *weights {
            *weight /= sum;
        }
        weights.retain(|(_, weight)| *weight > 0.0);
    }
}

/// The first place of the largest number.
fn position_of_largest(numbers: &[f64]) -> Option<usize> {
    let mut best = None;
    for (at, &number) in numbers.iter().enumerate() {
        if best.is_none_or(|best: usize| number > numbers[best]) {
            best = Some(at);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn weights_are_convex_and_change_smoothly(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 2..40),
            clusters in 1..9usize,
            place in prop::array::uniform3(-3.0..3.0f64),
        ) {
            let points: Vec<DVec3> = points.into_iter().map(DVec3::from_array).collect();
            let centers = Centers::spread(&points, clusters);
            prop_assert_eq!(centers.places.len(), clusters.min(points.len()));
            let mut weights = Vec::new();
            for &at in points.iter().chain([&DVec3::from_array(place)]) {
                centers.weights_at(at, &mut weights);
                let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
                prop_assert!((sum - 1.0).abs() < 1e-12, "{weights:?}");
                prop_assert!(weights.iter().all(|&(_, weight)| weight > 0.0));
            }
        }
    }

    #[test]
    fn equal_points_are_one_cluster() {
        let centers = Centers::spread(&[DVec3::ONE; 5], 3);
        assert_eq!(centers.places, [DVec3::ONE]);
    }

    #[test]
    fn a_weight_fades_from_one_cluster_to_the_next() {
        let line: Vec<DVec3> = (0..11).map(|x| DVec3::X * f64::from(x)).collect();
        let centers = Centers::spread(&line, 2);
        let mut weights = Vec::new();
        let mut before = 2.0;
        for &point in &line {
            centers.weights_at(point, &mut weights);
            let first =
                weights.iter().find(|(number, _)| centers.places[*number as usize].x == 0.0);
            let first = first.map_or(0.0, |&(_, weight)| weight);
            assert!(first <= before && before - first < 1.5, "{first} after {before}");
            before = first;
        }
        assert_eq!(before, 0.0);
    }
}
