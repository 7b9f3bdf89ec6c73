//! How far apart two bodies are.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::Work;
use crate::body::Collide;
use crate::contact::{common_point, computed_distance_floor, triangle_distance, triangles_touch};
use crate::tree::Node;
use crate::volume::{Apart, Volume};

/// The shortest way between two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// The nearest triangles: of the first body, of the second. Of several pairs
    /// at the same computed distance the smallest.
    pub pair: [u32; 2],
    /// The nearest point of the first body.
    pub on_a: DVec3,
    /// The nearest point of the second body.
    pub on_b: DVec3,
    /// The squared length between the two points; 0 exactly if the bodies touch.
    pub squared: f64,
    /// What the query did.
    pub work: Work,
}

impl Distance {
    /// The distance itself.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.squared.sqrt()
    }

    /// Takes a pair of triangles into account. The order of pairs does not matter.
    #[inline]
    pub(super) fn consider<A: Collide, B: Collide>(&mut self, a: &A, b: &B, pair: [u32; 2]) {
        self.work.primitive_tests += 1;
        if self.squared == 0.0 && pair > self.pair {
            return;
        }
        let (first, second) = (a.triangle(pair[0]), b.triangle(pair[1]));
        let (on_a, on_b, squared) = if triangles_touch(&first, &second) {
            let point = common_point(&first, &second);
            (point, point, 0.0)
        } else if self.squared == 0.0 {
            return;
        } else {
            let found = triangle_distance(&first, &second);
            // Apart by the exact test: squares that vanish must not say otherwise.
            (found.on_a, found.on_b, found.distance_squared.max(f64::from_bits(1)))
        };
        let nearer = squared.total_cmp(&self.squared).then_with(|| pair.cmp(&self.pair));
        if nearer == Ordering::Less {
            *self = Self { pair, on_a, on_b, squared, work: self.work };
        }
    }

    /// Farther than anything, with a pair after all others.
    pub(super) const FARTHEST: Self = Self {
        pair: [u32::MAX; 2],
        on_a: DVec3::ZERO,
        on_b: DVec3::ZERO,
        squared: f64::INFINITY,
        work: Work { bounds: 0, overlap_tests: 0, primitive_tests: 0 },
    };
}

/// The distance of two bodies, with the nearest points and the triangles that they lie on.
///
/// Guarantee: the minimum, over all pairs of triangles, of the distance as
/// [`triangle_distance`] computes it, bit for bit what
/// [`brute_force::distance`](super::brute_force::distance) finds; zero if and
/// only if two triangles touch by the exact test.
///
/// ```
/// use pliant::{Body, Isometry, Mesh, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let (a, mut b) = (Body::rigid(mesh.clone())?, Body::rigid(mesh)?);
/// b.set_isometry(Isometry::from_translation(DVec3::new(0.0, 0.0, 2.5))?);
/// assert_eq!(pliant::distance(&a, &b).length(), 2.5);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn distance<A: Collide, B: Collide>(a: &A, b: &B) -> Distance
where
    A::Volume: Apart<B::Volume>,
{
    let mut nearest = Distance::FARTHEST;
    // Nearest first: no pair is opened that is farther than the answer.
    let mut queue = BinaryHeap::new();
    let candidate = |pair: [u32; 2], work: &mut Work| {
        let (volume_a, volume_b) = (a.bound(pair[0]), b.bound(pair[1]));
        work.bounds += 2;
        work.overlap_tests += 1;
        let apart = volume_a.distance_squared_to(&volume_b);
        let floor = computed_distance_floor(apart, volume_a.point_error() + volume_b.point_error());
        let open_a = volume_a.extent() >= volume_b.extent();
        Candidate { floor, pair, open_a }
    };
    queue.push(candidate([0, 0], &mut nearest.work));
    while let Some(next) = queue.pop() {
        // A floor that equals the best may hide an equal distance of a smaller pair.
        if next.floor > nearest.squared {
            break;
        }
        let [number_a, number_b] = next.pair;
        let (node_a, node_b) = (a.tree().node(number_a), b.tree().node(number_b));
        if node_a.is_leaf() && node_b.is_leaf() {
            for &i in a.tree().leaf_primitives(node_a) {
                for &j in b.tree().leaf_primitives(node_b) {
                    nearest.consider(a, b, [i, j]);
                }
            }
            continue;
        }
        let children = |node: Node, other: u32, first: bool| {
            node.range().map(move |child| if first { [child, other] } else { [other, child] })
        };
        let open_a = !node_a.is_leaf() && (next.open_a || node_b.is_leaf());
        let pairs = if open_a {
            children(node_a, number_b, true)
        } else {
            children(node_b, number_a, false)
        };
        for pair in pairs {
            let candidate = candidate(pair, &mut nearest.work);
            if candidate.floor <= nearest.squared {
                queue.push(candidate);
            }
        }
    }
    nearest
}

/// A pair of nodes, the smaller floor first, then the smaller numbers.
struct Candidate {
    /// No triangles below are computed to be nearer than this, squared.
    floor: f64,
    pair: [u32; 2],
    /// Whether the first node is the larger one.
    open_a: bool,
}

impl Ord for Candidate {
    /// The heap gives the greatest first: what is nearest counts as greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.floor.total_cmp(&self.floor).then_with(|| other.pair.cmp(&self.pair))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}
