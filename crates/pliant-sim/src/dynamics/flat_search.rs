//! The near proxies of two bodies where few of each come near the other: each with each.
//!
//! A descent through two trees tests one pair of spheres after the other, each of which waits for a root and
//! a branch. Bodies of some hundred proxies have few where they meet: these are found by a descent of each
//! tree against one box, and then tested four at a time.

use pliant::glam::{Mat3, Vec3, Vec4};

use super::StepWork;
use super::pair_search::{Memo, Scratch};
use super::snapshot::Snapshot;

/// Pairs of proxies above which two trees are descended together instead.
const MOST: usize = 1 << 14;

/// Memory of a thread: of both bodies the proxies that may be near the other, with their spheres in the axes of
/// the first.
#[derive(Debug, Default)]
pub(super) struct FlatScratch {
    stack: Vec<u32>,
    proxies: [Vec<(u32, Vec4)>; 2],
    fours: Vec<Four>,
}

/// Four spheres, by axis.
#[derive(Debug, Clone, Copy)]
struct Four {
    center: [Vec4; 3],
    radius: Vec4,
}

/// A box, by its lowest and highest corner; the fourth numbers let every radius be inside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    low: Vec4,
    high: Vec4,
}

impl Place {
    const EMPTY: Self = Self { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    /// By its middle and half its size.
    pub(super) fn around([middle, half]: [Vec3; 2]) -> Self {
        let (low, high) = (middle - half, middle + half);
        Self { low: low.extend(f32::NEG_INFINITY), high: high.extend(f32::INFINITY) }
    }

    fn add(&mut self, sphere: Vec4) {
        self.low = self.low.min(sphere - sphere.w);
        self.high = self.high.max(sphere + sphere.w);
    }

    fn closed(mut self) -> Self {
        (self.low.w, self.high.w) = (f32::NEG_INFINITY, f32::INFINITY);
        self
    }

    /// How far a sphere is from the box at least; negative if it reaches in.
    #[inline]
    fn gap(&self, sphere: Vec4) -> f32 {
        (self.low - sphere).max(sphere - self.high).max(Vec4::ZERO).length() - sphere.w
    }
}

/// A rotation and a shift of spheres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shift {
    columns: [Vec4; 3],
    offset: Vec4,
}

impl Shift {
    pub(super) fn new(rotation: &Mat3, offset: Vec3) -> Self {
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        Self { columns: columns.map(|column| column.extend(0.0)), offset: offset.extend(0.0) }
    }

    /// The sphere there: the radius stays.
    #[inline]
    pub(super) fn of(&self, sphere: Vec4) -> Vec4 {
        let [x, y, z] = self.columns;
        let radius = sphere * Vec4::W;
        x * sphere.x + y * sphere.y + z * sphere.z + (self.offset + radius)
    }
}

/// Appends the pairs of proxies within a pad, in no order, and returns how much farther apart than the pad all
/// others are at least; `None` if they are too many to be tested each with each. All proxies of the first
/// body are in a box in its own axes; the shift takes spheres of the second there.
pub(super) fn near_each_other(
    snapshot: &Snapshot,
    [a, b]: [u32; 2],
    around: &Place,
    shift: &Shift,
    pad: f32,
    scratch: &mut Scratch,
    work: &mut StepWork,
) -> Option<f32> {
    let Scratch { flat, candidates: found, memos: [memo_a, memo_b], .. } = scratch;
    let FlatScratch { stack, proxies: [first, second], fours } = flat;
    let mut beyond = f32::INFINITY;
    let mut collect = |(memo, body): (&mut Memo, u32),
                       around: &Place,
                       shift: Option<&Shift>,
                       near: &mut Vec<(u32, Vec4)>| {
        near.clear();
        let tree = &snapshot.model(body).proxies;
        let mut all = Place::EMPTY;
        stack.push(0);
        while let Some(number) = stack.pop() {
            let node = &tree.nodes[number as usize];
            let sphere = match node.is_proxy() {
                true => memo.tight_sphere(snapshot, body, number, work),
                false => memo.sphere(snapshot, body, number, work),
            };
            let sphere = shift.map_or(sphere, |shift| shift.of(sphere));
            work.node_tests += 1;
            let gap = around.gap(sphere) - pad;
            if gap > 0.0 {
                beyond = beyond.min(gap);
            } else if node.is_proxy() {
                all.add(sphere);
                near.push((number, sphere));
            } else {
                stack.extend(node.child_range());
            }
        }
        all.closed()
    };
    // First those of the second body, then those of the first that are near them, and again.
    let common = collect((memo_b, b), around, Some(shift), second);
    let common = collect((memo_a, a), &common, None, first);
    second.retain(|&(_, sphere)| {
        let gap = common.gap(sphere) - pad;
        if gap > 0.0 {
            beyond = beyond.min(gap);
        }
        gap <= 0.0
    });
    if first.len() * second.len() > MOST {
        return None;
    }
    work.node_tests += (first.len() * second.len()) as u64;
    fours.clear();
    fours.extend(first.chunks(4).map(Four::of));
    let largest = first.iter().fold(0.0f32, |most, (_, sphere)| most.max(sphere.w));
    for &(node_b, sphere) in &*second {
        let reach = sphere.w + pad;
        let mut farther = Vec4::INFINITY;
        for (four, numbers) in fours.iter().zip(first.chunks(4)) {
            let excess = four.excess(sphere, reach);
            let near = excess.cmple(Vec4::ZERO);
            let mut bits = near.bitmask();
            if bits == 0 {
                farther = farther.min(excess);
                continue;
            }
            farther = farther.min(Vec4::select(near, Vec4::INFINITY, excess));
            while bits != 0 {
                // The lanes after the last one are never near.
                if let Some((node_a, _)) = numbers.get(bits.trailing_zeros() as usize) {
                    found.push([*node_a, node_b]);
                }
                bits &= bits - 1;
            }
        }
        // With r the sum of radii and pad, the gap is sqrt(r² + excess) - r: less for larger r.
        let (most, excess) = (largest + reach, farther.min_element());
        beyond = beyond.min((most * most + excess).sqrt() - most);
    }
    Some(beyond)
}

impl Four {
    fn of(spheres: &[(u32, Vec4)]) -> Self {
        // Behind the last one spheres without end away, which nothing is near.
        let away = Vec3::INFINITY.extend(0.0);
        let at = |lane: usize| spheres.get(lane).map_or(away, |(_, sphere)| *sphere);
        let [a, b, c, d] = [0, 1, 2, 3].map(at);
        let [x, y, z, w] = [0, 1, 2, 3].map(|axis| Vec4::new(a[axis], b[axis], c[axis], d[axis]));
        Self { center: [x, y, z], radius: w }
    }

    /// The squares of the distances from a sphere less those of radii and reach together; not above zero where
    /// they are near.
    #[inline]
    fn excess(&self, sphere: Vec4, reach: f32) -> Vec4 {
        let [x, y, z] = self.center;
        let (dx, dy, dz) = (x - sphere.x, y - sphere.y, z - sphere.z);
        let apart = self.radius + reach;
        dx * dx + dy * dy + dz * dz - apart * apart
    }
}
