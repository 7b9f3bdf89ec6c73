//! Binary space partitions: planes taken from the boxes.

use super::box_tree::BoxTree;
use super::divide::{Item, grow};
use crate::volume::Aabb;

/// A binary space partition whose planes are faces of the boxes, as planes of polygons are for
/// polygons: of those looked at, the one that cuts the fewest boxes and divides the others most
/// evenly. A plane divides boxes into those below it, those above it, and those that it cuts, which
/// are divided further among themselves: none is stored twice. Each part keeps the box around its
/// boxes.
///
/// Building takes several times as long as that of other trees.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bsp;

/// Boxes whose faces are tried, and boxes on which a plane is tried, at most.
const PLANES_OF: usize = 8;
const TRIED_ON: usize = 128;

/// What a cut costs beside one box too many on one side.
const CUT_COST: usize = 2;

impl Bsp {
    /// The tree of some boxes.
    #[must_use]
    pub fn tree(self, boxes: &[Aabb]) -> BoxTree {
        BoxTree::new(boxes, |boxes| {
            let mut spare = Vec::new();
            Ok(grow(boxes, (), |items, (), parts| {
                let Some(plane) = best_plane(items) else { return };
                let mut counts = [0; 3];
                items.iter().for_each(|item| counts[plane.side(item) as usize] += 1);
                let mut places = [0, counts[0], counts[0] + counts[1]];
                spare.clear();
                spare.extend_from_slice(items);
                for item in &spare {
                    let place = &mut places[plane.side(item) as usize];
                    items[*place] = *item;
                    *place += 1;
                }
                parts.extend(counts.map(|count| (count, ())));
            }))
        })
    }
}

/// A plane across an axis.
#[derive(Debug, Clone, Copy)]
struct Plane {
    axis: usize,
    at: f32,
}

/// Where a box is.
#[derive(Debug, Clone, Copy)]
enum Side {
    Below,
    Cut,
    Above,
}

impl Plane {
    #[inline]
    fn side(self, item: &Item) -> Side {
        let Aabb { min, max } = item.volume;
        // A flat box in the plane is below.
        if max[self.axis] <= self.at {
            Side::Below
        } else if min[self.axis] >= self.at {
            Side::Above
        } else {
            Side::Cut
        }
    }
}

/// The best plane of those tried, `None` if none divides what it is tried on.
fn best_plane(items: &[Item]) -> Option<Plane> {
    let planes_of = items.iter().step_by(items.len().div_ceil(PLANES_OF));
    let stride = items.len().div_ceil(TRIED_ON);
    let mut best: Option<(usize, Plane)> = None;
    for Item { volume, .. } in planes_of {
        for (axis, face) in (0..3).flat_map(|axis| [(axis, volume.min), (axis, volume.max)]) {
            let plane = Plane { axis, at: face[axis] };
            let mut counts = [0; 3];
            for item in items.iter().step_by(stride) {
                counts[plane.side(item) as usize] += 1;
            }
            let [below, cut, above] = counts;
            if counts.iter().filter(|&&count| count > 0).count() < 2 {
                continue;
            }
            let cost = CUT_COST * cut + below.abs_diff(above);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, plane));
            }
        }
    }
    best.map(|(_, plane)| plane)
}
