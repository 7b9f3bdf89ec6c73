//! The order of points in which each few lie together.

use glam::DVec3;

use crate::parallel::join;

/// Points from which on halves are ordered on two threads.
const MANY: usize = 4096;

/// Numbers of points so that every `few` of them, counted from the start, lie together: halved at the
/// median along the longest side of their box until so few are left.
pub(super) fn in_groups(points: &[DVec3], few: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    halve(points, &mut order, few);
    order
}

fn halve(points: &[DVec3], order: &mut [u32], few: usize) {
    if order.len() <= few {
        return;
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &at in &*order {
        let point = points[at as usize];
        (low, high) = (low.min(point), high.max(point));
    }
    // Halves, so that no difference overflows.
    let sides = 0.5 * high - 0.5 * low;
    let axis = if sides.x >= sides.y && sides.x >= sides.z {
        0
    } else if sides.y >= sides.z {
        1
    } else {
        2
    };
    // Whole groups on the left: the chunks of a block are then these groups.
    let middle = (order.len() / 2).next_multiple_of(few);
    if middle >= order.len() {
        return;
    }
    let key = |at: &u32| points[*at as usize][axis];
    order.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
    let (left, right) = order.split_at_mut(middle);
    if left.len() > MANY {
        join(|| halve(points, left, few), || halve(points, right, few));
    } else {
        halve(points, left, few);
        halve(points, right, few);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_there_once_whatever_the_points() {
        let far =
            [DVec3::splat(f64::MAX), DVec3::splat(-f64::MAX), DVec3::ZERO, DVec3::splat(1e-300)];
        for points in [&far[..], &[DVec3::ONE; 5], &[]] {
            let mut order = in_groups(points, 2);
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..points.len() as u32));
        }
    }

    #[test]
    fn neighbours_come_together() {
        let points = [0.0, 8.0, 1.0, 9.0, 20.0].map(|x| DVec3::X * x);
        let mut groups: Vec<Vec<u32>> =
            in_groups(&points, 2).chunks(2).map(<[u32]>::to_vec).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        assert_eq!(groups, [vec![0, 2], vec![1, 3], vec![4]]);
    }
}
