//! A sweep along one axis.

use glam::DVec3;

use super::BroadPhase;
use crate::query::Work;
use crate::volume::{Aabb, Overlap as _};

/// Sorts boxes by their lower ends along the axis where their middles spread most, and tests each
/// with those that begin before it ends. Sorting takes O(n log n); a world that is flat or
/// clustered along that axis has up to n² / 2 tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sweep;

impl BroadPhase for Sweep {
    fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: &mut dyn FnMut([u32; 2])) {
        let axis = widest_axis(boxes);
        // Ends stand beside one another, so that the loop below reads memory in order.
        // A start that is NaN excludes nothing: it comes first.
        let start = |around: &Aabb| match around.min[axis] {
            start if start.is_nan() => f32::NEG_INFINITY,
            start => start,
        };
        let mut by_start: Vec<(f32, u32)> =
            (0..).zip(boxes).map(|(number, around)| (start(around), number)).collect();
        by_start.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (at, &(_, a)) in by_start.iter().enumerate() {
            let around = &boxes[a as usize];
            let end = around.max[axis];
            // Of a box with an end that is NaN all that follow are tested.
            let begins_before = |&&(start, _): &&(f32, u32)| start <= end || end.is_nan();
            for &(_, b) in by_start[at + 1..].iter().take_while(begins_before) {
                work.overlap_tests += 1;
                if around.overlaps(&boxes[b as usize]) {
                    found([a.min(b), a.max(b)]);
                }
            }
        }
    }
}

/// The axis along which the middles of the boxes vary most, unbounded boxes left out.
fn widest_axis(boxes: &[Aabb]) -> usize {
    let middles = || {
        let doubled = boxes.iter().map(Aabb::doubled_center);
        doubled.filter(|middle| middle.is_finite()).map(|middle| middle.as_dvec3())
    };
    let count = middles().count().max(1) as f64;
    let mean = middles().sum::<DVec3>() / count;
    let spread: DVec3 = middles().map(|middle| (middle - mean) * (middle - mean)).sum();
    if spread.y > spread.x && spread.y >= spread.z {
        1
    } else if spread.z > spread.x {
        2
    } else {
        0
    }
}
