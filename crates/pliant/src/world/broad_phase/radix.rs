//! Sorting by numbers of few bits.

/// The bits of one pass: its counters fit the first-level cache.
const BITS: u32 = 11;

/// Values below which comparing is faster than counting.
const FEW: usize = 256;

/// A number whose order is that of the coordinates, -0 below 0. Must not be NaN.
#[inline]
pub(super) fn sortable(coordinate: f32) -> u32 {
    let bits = coordinate.to_bits();
    bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 }
}

/// Sorts values whose lower 32 bits ascend.
pub(super) fn sort_by_upper_half(values: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if values.len() < FEW {
        values.sort_unstable();
        return;
    }
    let all_or = values.iter().fold(0, |bits, value| bits | value);
    let all_and = values.iter().fold(u64::MAX, |bits, value| bits & value);
    let varies = all_or ^ all_and;
    for shift in [32, 32 + BITS, 32 + 2 * BITS] {
        if varies >> shift & ((1 << BITS) - 1) != 0 {
            pass(values, spare, 1 << BITS, |value| (value >> shift) as usize & ((1 << BITS) - 1));
        }
    }
}

/// Sorts by keys below `keys`, keeping the order of those that are equal.
pub(super) fn pass(
    values: &mut Vec<u64>,
    spare: &mut Vec<u64>,
    keys: usize,
    key: impl Fn(u64) -> usize,
) {
    let mut places = vec![0_u32; keys];
    for &value in values.iter() {
        places[key(value)] += 1;
    }
    let mut before = 0;
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    spare.resize(values.len(), 0);
    for &value in values.iter() {
        let place = &mut places[key(value)];
        spare[*place as usize] = value;
        *place += 1;
    }
    std::mem::swap(values, spare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library(
            keys in prop::collection::vec(prop_oneof![any::<u32>(), 0..50u32], 0..2000),
        ) {
            let mut values: Vec<u64> =
                (0..).zip(&keys).map(|(at, &key): (u64, _)| u64::from(key) << 32 | at).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            sort_by_upper_half(&mut values, &mut Vec::new());
            prop_assert_eq!(values, sorted);
        }

        #[test]
        fn coordinates_keep_their_order(a in any::<f32>(), b in any::<f32>()) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            prop_assert_eq!(a.total_cmp(&b), sortable(a).cmp(&sortable(b)));
        }
    }
}
