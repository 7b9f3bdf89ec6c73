//! A vector as a sum of directions of a k-DOP.

use glam::DVec3;

use super::Dop;

/// Three directions, by number, and factors whose sum is a vector. The sign of a factor is that of the
/// direction's side that faces the vector; the sum of magnitudes is the least among such sums of
/// neighbours.
///
/// Let x >= y >= z >= 0 be the magnitudes of the coordinates, and e, f, g the axes that they are
/// along, with their signs. Then the vector is each of these, with factors that are not negative:
///
/// - x e + y f + z g
/// - (x - z) e + (y - z) f + z (e + f + g), if corners are cut off
/// - (x - y - z) e + y (e + f) + z (e + g), if edges are cut off and x >= y + z
/// - (x + y - z)/2 (e + f) + (x + z - y)/2 (e + g) + (y + z - x)/2 (f + g), if x < y + z
/// - (x - y) e + (y - z) (e + f) + z (e + f + g), if both are cut off
///
/// Each factor passes at most three roundings.
pub(super) fn cone<const N: usize>(vector: DVec3) -> [(usize, f64); 3] {
    let magnitudes = vector.abs().to_array();
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| magnitudes[j].total_cmp(&magnitudes[i]));
    let [x, y, z] = order.map(|axis| magnitudes[axis]);
    let sign = |axis: usize| if vector[axis] < 0.0 { -1 } else { 1 };
    // The sum of some of e, f and g.
    let sum = |counts: [i8; 3]| {
        let mut direction = [0; 3];
        for (count, axis) in counts.into_iter().zip(order) {
            direction[axis] = count * sign(axis);
        }
        direction
    };
    const E: [i8; 3] = [1, 0, 0];
    const F: [i8; 3] = [0, 1, 0];
    const G: [i8; 3] = [0, 0, 1];
    const EF: [i8; 3] = [1, 1, 0];
    const EG: [i8; 3] = [1, 0, 1];
    const FG: [i8; 3] = [0, 1, 1];
    const ALL: [i8; 3] = [1, 1, 1];
    let terms = match (Dop::<N>::CUTS_CORNERS, Dop::<N>::CUTS_EDGES) {
        (false, false) => [(E, x), (F, y), (G, z)],
        (true, false) => [(E, x - z), (F, y - z), (ALL, z)],
        (false, true) if x >= y + z => [(E, x - y - z), (EF, y), (EG, z)],
        (false, true) => {
            [(EF, 0.5 * (x + y - z)), (EG, 0.5 * (x + z - y)), (FG, 0.5 * (y + z - x))]
        }
        (true, true) => [(E, x - y), (EF, y - z), (ALL, z)],
    };
    terms.map(|(counts, factor)| {
        let direction = sum(counts);
        let opposite = direction.map(|c| -c);
        // Rounding may leave a factor just below zero, which a bound must not use.
        let factor = factor.max(0.0);
        let place = |d: [i8; 3]| Dop::<N>::DIRECTIONS.iter().position(|&other| other == d);
        match (place(direction), place(opposite)) {
            (Some(i), _) => (i, factor),
            (None, Some(i)) => (i, -factor),
            // Unreachable: every sum of the table above is a direction or the opposite of one.
            (None, None) => (0, f64::INFINITY),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sums<const N: usize>(vector: DVec3) {
        let mut sum = DVec3::ZERO;
        for (i, factor) in cone::<N>(vector) {
            sum += DVec3::from_array(Dop::<N>::DIRECTIONS[i].map(f64::from)) * factor;
        }
        assert!((sum - vector).abs().max_element() <= 1e-15 * vector.abs().element_sum(), "{sum}");
    }

    proptest! {
        #[test]
        fn directions_sum_to_the_vector(
            vector in prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), -1.0..1.0f64]),
        ) {
            let vector = DVec3::from_array(vector);
            sums::<3>(vector);
            sums::<7>(vector);
            sums::<9>(vector);
            sums::<13>(vector);
        }
    }
}
