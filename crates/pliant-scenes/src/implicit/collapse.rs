//! Mesh simplification by collapsing the shortest edges.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use pliant::glam::DVec3;

use super::Surface;

/// Collapses edges, the relatively shortest first, until `target` triangles are left or no edge can
/// be collapsed. An edge is collapsed only if the result is still a surface (its ends share only
/// the two opposite corners) and no triangle flips.
pub(super) fn collapse(surface: &mut Surface, target: usize, edge_length: &dyn Fn(DVec3) -> f64) {
    let mut left = surface.triangles.len();
    let mut work = Work::new(surface, edge_length);
    while left >= target + 2 {
        let Some(Reverse(edge)) = work.queue.pop() else { break };
        let current = edge.ends.map(|end| work.stamp[end as usize]);
        if current == edge.stamps && work.try_collapse(edge.ends) {
            left -= 2;
        }
    }
    work.finish(surface);
}

struct Work<'a> {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    alive: Vec<bool>,
    /// The live triangles at each vertex.
    around: Vec<Vec<u32>>,
    /// The number of changes at each vertex; edges queued before the last change are stale.
    stamp: Vec<u32>,
    queue: BinaryHeap<Reverse<Edge>>,
    edge_length: &'a dyn Fn(DVec3) -> f64,
}

struct Edge {
    cost: f64,
    ends: [u32; 2],
    stamps: [u32; 2],
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Edge {}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By cost, then by number, so that ties are deterministic.
impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.ends.cmp(&other.ends))
    }
}

impl<'a> Work<'a> {
    fn new(surface: &mut Surface, edge_length: &'a dyn Fn(DVec3) -> f64) -> Self {
        let positions = std::mem::take(&mut surface.positions);
        let triangles = std::mem::take(&mut surface.triangles);
        let mut around = vec![Vec::new(); positions.len()];
        for (number, corners) in triangles.iter().enumerate() {
            for &corner in corners {
                around[corner as usize].push(number as u32);
            }
        }
        let mut work = Self {
            stamp: vec![0; positions.len()],
            alive: vec![true; triangles.len()],
            queue: BinaryHeap::with_capacity(triangles.len() * 2),
            positions,
            triangles,
            around,
            edge_length,
        };
        for triangle in 0..work.triangles.len() {
            let [a, b, c] = work.triangles[triangle];
            // A closed surface has every edge in both directions.
            for [from, to] in [[a, b], [b, c], [c, a]] {
                if from < to {
                    work.enqueue([from, to]);
                }
            }
        }
        work
    }

    fn enqueue(&mut self, ends: [u32; 2]) {
        let [a, b] = ends.map(|end| self.positions[end as usize]);
        let cost = a.distance(b) / (self.edge_length)((a + b) / 2.0);
        let stamps = ends.map(|end| self.stamp[end as usize]);
        self.queue.push(Reverse(Edge { cost, ends, stamps }));
    }

    fn neighbors(&self, vertex: u32) -> Vec<u32> {
        let triangles = self.around[vertex as usize].iter();
        let mut neighbors: Vec<u32> = triangles
            .flat_map(|&t| self.triangles[t as usize])
            .filter(|&corner| corner != vertex)
            .collect();
        neighbors.sort_unstable();
        neighbors.dedup();
        neighbors
    }

    fn try_collapse(&mut self, [keep, gone]: [u32; 2]) -> bool {
        let (of_keep, of_gone) = (self.neighbors(keep), self.neighbors(gone));
        let shared = of_keep.iter().filter(|n| of_gone.binary_search(n).is_ok()).count();
        // At least four neighbours on average per end; otherwise the opposite corners lose their
        // fan.
        if shared != 2 || of_keep.len() + of_gone.len() < 8 {
            return false;
        }
        let middle = (self.positions[keep as usize] + self.positions[gone as usize]) / 2.0;
        for (end, other) in [(keep, gone), (gone, keep)] {
            for &triangle in &self.around[end as usize] {
                let corners = self.triangles[triangle as usize];
                if !corners.contains(&other) && self.turns_over(corners, end, middle) {
                    return false;
                }
            }
        }

        self.positions[keep as usize] = middle;
        for triangle in std::mem::take(&mut self.around[gone as usize]) {
            let corners = &mut self.triangles[triangle as usize];
            if corners.contains(&keep) {
                self.alive[triangle as usize] = false;
                for corner in *corners {
                    self.around[corner as usize].retain(|&t| t != triangle);
                }
            } else {
                *corners = corners.map(|corner| if corner == gone { keep } else { corner });
                self.around[keep as usize].push(triangle);
            }
        }
        // Every changed edge is queued again; the stamps make the old entries stale.
        self.stamp[gone as usize] += 1;
        self.stamp[keep as usize] += 1;
        for neighbor in self.neighbors(keep) {
            self.enqueue([keep.min(neighbor), keep.max(neighbor)]);
        }
        true
    }

    /// Whether a triangle would turn by more than about 70 degrees or almost vanish.
    fn turns_over(&self, corners: [u32; 3], moved: u32, to: DVec3) -> bool {
        let before = corners.map(|corner| self.positions[corner as usize]);
        let mut after = before;
        for (position, corner) in after.iter_mut().zip(corners) {
            if corner == moved {
                *position = to;
            }
        }
        let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
        let (old, new) = (normal(before), normal(after));
        let longest = (0..3).map(|i| after[i].distance_squared(after[(i + 1) % 3]));
        new.dot(old) < 0.3 * new.length() * old.length()
            || new.length() < 0.05 * longest.fold(0.0, f64::max)
    }

    /// Returns the live triangles, with vertices numbered by first use.
    fn finish(self, surface: &mut Surface) {
        let mut number = vec![u32::MAX; self.positions.len()];
        for (corners, alive) in self.triangles.iter().zip(&self.alive) {
            if *alive {
                surface.triangles.push(corners.map(|corner| {
                    let slot = &mut number[corner as usize];
                    if *slot == u32::MAX {
                        *slot = surface.positions.len() as u32;
                        surface.positions.push(self.positions[corner as usize]);
                    }
                    *slot
                }));
            }
        }
    }
}
