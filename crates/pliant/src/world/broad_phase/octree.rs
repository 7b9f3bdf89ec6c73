//! Octrees: cubes cut into eight.

use glam::Vec3A;

use super::box_tree::BoxTree;
use super::divide::{Item, grow};
use crate::volume::Aabb;

/// An octree over the middles of the boxes. A cube is cut into eight at its middle. A box belongs to
/// the cube of its middle, and each cube keeps the box around its boxes, so that none is cut or
/// stored twice. Cubes with boxes in only one eighth are left out: the depth follows the number of
/// boxes, not the ratio of sizes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Octree;

impl Octree {
    /// The tree of some boxes.
    #[must_use]
    pub fn tree(self, boxes: &[Aabb]) -> BoxTree {
        BoxTree::new(boxes, |boxes| {
            let mut spare = Vec::new();
            Ok(grow(boxes, None, |items, cube, parts| {
                // Where a cube does not divide its boxes, a tight one does.
                if cube.is_none_or(|cube| !divide(items, cube, &mut spare, parts)) {
                    parts.clear();
                    divide(items, Cube::around(items), &mut spare, parts);
                }
            }))
        })
    }
}

/// A cube, in doubled coordinates.
#[derive(Debug, Clone, Copy)]
struct Cube {
    middle: Vec3A,
    /// Half of its side.
    half: f32,
}

impl Cube {
    /// A cube around the middles of items, which its own middle divides unless they are all at
    /// one place.
    fn around(items: &[Item]) -> Self {
        let merge = |around: Aabb, item: &Item| {
            let middle = item.middle();
            around.merge(&Aabb { min: middle, max: middle })
        };
        let Aabb { min, max } = items.iter().fold(Aabb::EMPTY, merge);
        let middle = 0.5 * min + 0.5 * max;
        // Rounding must not put it at the lower end: what is not below the middle is above.
        let middle = Vec3A::select(middle.cmple(min), max, middle);
        Self { middle, half: 0.5 * (max - min).max_element() }
    }

    /// The eighth that an item belongs to.
    #[inline]
    fn eighth(&self, item: &Item) -> usize {
        item.middle().cmpge(self.middle).bitmask() as usize
    }

    fn part(&self, eighth: usize) -> Self {
        let side = |axis: usize| if eighth >> axis & 1 == 1 { 0.5 } else { -0.5 };
        let half = 0.5 * self.half;
        let middle = self.middle + self.half * Vec3A::new(side(0), side(1), side(2));
        Self { middle, half }
    }
}

/// Sorts items by eighths of a cube. Returns whether they are not all in one.
fn divide(
    items: &mut [Item],
    cube: Cube,
    spare: &mut Vec<Item>,
    parts: &mut Vec<(usize, Option<Cube>)>,
) -> bool {
    let mut counts = [0; 8];
    items.iter().for_each(|item| counts[cube.eighth(item)] += 1);
    let mut places = [0; 8];
    for eighth in 0..8 {
        places[eighth] = counts[..eighth].iter().sum::<usize>();
        parts.push((counts[eighth], Some(cube.part(eighth))));
    }
    if counts.contains(&items.len()) {
        return false;
    }
    spare.clear();
    spare.extend_from_slice(items);
    for item in spare.iter() {
        let place = &mut places[cube.eighth(item)];
        items[*place] = *item;
        *place += 1;
    }
    true
}
