//! Worlds of boxes, for broad phases.

use pliant::glam::DVec3;
use pliant::volume::Aabb;

use crate::Random;

/// How the boxes of a world lie. The mean distance of neighbours is about 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoxLayout {
    /// Evenly in a cube, with sides of 0.5 to 1.
    Uniform,
    /// In dense balls of about a thousand boxes, 40 sides apart.
    Clustered,
    /// In a cube, with sides of 0.2 to 64 times that; each size is half as frequent as half of it. The largest
    /// are as large in a world of ten thousand boxes as in one of a million: a box meets as many others.
    Mixed,
    /// Evenly in a square of height 2, with sides of 0.5 to 1.
    Flat,
}

impl BoxLayout {
    /// All layouts.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Clustered, Self::Mixed, Self::Flat];

    /// Its name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Clustered => "clustered",
            Self::Mixed => "mixed sizes",
            Self::Flat => "flat",
        }
    }
}

/// Boxes that move without turning, each with a speed of its own, and turn back at the walls.
#[derive(Debug, Clone)]
pub struct BoxWorld {
    boxes: Vec<MovingBox>,
    /// Walls are at 0 and here.
    walls: DVec3,
}

#[derive(Debug, Clone, Copy)]
struct MovingBox {
    start: DVec3,
    half: DVec3,
    /// Per step.
    velocity: DVec3,
}

/// Returns a world of boxes that move by up to `speed` along each axis per step.
///
/// Exact arithmetic and square roots alone: the same bits on every machine.
///
/// ```
/// use pliant_scenes::{BoxLayout, box_world};
/// let world = box_world(BoxLayout::Uniform, 1000, 0.02, 1);
/// assert_eq!(world.boxes(0).len(), 1000);
/// ```
#[must_use]
pub fn box_world(layout: BoxLayout, count: usize, speed: f64, seed: u64) -> BoxWorld {
    let mut random = Random::new(seed);
    let across = match layout {
        BoxLayout::Flat => root(count, 2),
        _ => root(count, 3),
    };
    let walls = match layout {
        BoxLayout::Flat => DVec3::new(across, 2.0, across),
        BoxLayout::Clustered => DVec3::splat(4.0 * across),
        _ => DVec3::splat(across),
    };
    let clusters: Vec<DVec3> =
        (0..(count / 1000).max(4)).map(|_| 0.5 * (random.in_cube() + 1.0) * walls).collect();
    let boxes = (0..count)
        .map(|number| {
            let place = 0.5 * (random.in_cube() + 1.0) * walls;
            let start = match layout {
                BoxLayout::Clustered => {
                    // The sum of three is denser in the middle.
                    let away = random.in_cube() + random.in_cube() + random.in_cube();
                    clusters[number % clusters.len()] + 2.0 * away
                }
                _ => place,
            };
            let side = match layout {
                BoxLayout::Mixed => {
                    let mut side = 0.2;
                    while random.unit() < 0.5 && side < 0.3 * across.min(22.0) {
                        side *= 2.0;
                    }
                    side
                }
                _ => 0.5,
            };
            let half = 0.5 * side * (1.5 + 0.5 * random.in_cube());
            MovingBox { start, half, velocity: speed * random.in_cube() }
        })
        .collect();
    BoxWorld { boxes, walls }
}

impl BoxWorld {
    /// The boxes at a step.
    #[must_use]
    pub fn boxes(&self, step: u32) -> Vec<Aabb> {
        self.boxes.iter().map(|moving| moving.at(step, self.walls)).collect()
    }
}

impl MovingBox {
    fn at(&self, step: u32, walls: DVec3) -> Aabb {
        let way = self.start + f64::from(step) * self.velocity;
        // Back and forth between the walls.
        let there = (way / (2.0 * walls) - (way / (2.0 * walls)).floor()) * 2.0 * walls;
        let middle = there.min(2.0 * walls - there);
        Aabb::around([middle - self.half, middle + self.half])
    }
}

/// The side of a square or cube of that area or volume, to the next integer.
fn root(count: usize, dimensions: u32) -> f64 {
    let mut side = 1_usize;
    while side.pow(dimensions) < count {
        side += 1;
    }
    side as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_move_by_their_speed_and_stay_within_the_walls() {
        for layout in BoxLayout::ALL {
            let world = box_world(layout, 300, 0.1, 5);
            let mut before = world.boxes(0);
            let mut moved = 0.0_f32;
            for step in 1..200 {
                let now = world.boxes(step);
                for (a, b) in before.iter().zip(&now) {
                    let way = (b.min - a.min).abs().max_element();
                    assert!(way < 0.1001, "{layout:?}: {way}");
                    moved = moved.max(way);
                    let middle = 0.5 * b.doubled_center().as_dvec3();
                    assert!(middle.cmpge(DVec3::splat(-0.001)).all());
                    assert!(middle.cmple(world.walls + 0.001).all());
                }
                before = now;
            }
            assert!(moved > 0.09, "{layout:?}");
        }
    }
}
