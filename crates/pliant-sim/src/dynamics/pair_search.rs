//! Contacts between the proxies of two bodies: those of both that are near the other, each with each
//! (`flat_search`), or one descent through both trees if they are many; in `f32`.

use pliant::glam::{Mat3, Vec4};

use super::StepWork;
use super::carried::Carried;
use super::flat_search::{FlatScratch, Place, Shift, near_each_other};
use super::kept_pairs::KeptPair;
use super::snapshot::{Contact, MovedProxy, Snapshot};

/// The relative enlargement of the distance at which two nodes are kept. All lengths of a descent
/// are sums of at most 16 roundings of 2^-24 of the size of both bodies and their distance.
pub(super) const SLACK: f64 = 4e-6;

/// Memory of a thread, used again for every pair.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    stack: Vec<Entry>,
    pub(super) flat: FlatScratch,
    pub(super) candidates: Vec<[u32; 2]>,
    pub memos: [Memo; 2],
}

/// Two nodes that may hold a contact, with their spheres as centre and radius, in the first body's
/// axes.
#[derive(Debug, Clone, Copy)]
struct Entry {
    nodes: [u32; 2],
    a: Vec4,
    b: Vec4,
}

/// The spheres of one body, computed once each.
#[derive(Debug, Default)]
pub(super) struct Memo {
    body: Option<u32>,
    stamp: u32,
    /// Of each node the stamp of its sphere, and the sphere in own space.
    spheres: Vec<(u32, Vec4)>,
    /// The stamp of each proxy, and its place below.
    known: Vec<(u32, u32)>,
    moved: Vec<MovedProxy>,
}

impl Memo {
    /// Forgets everything, unless it is already about this body.
    pub(super) fn take(&mut self, snapshot: &Snapshot, body: u32) {
        if self.body == Some(body) {
            return;
        }
        let nodes = snapshot.model(body).proxies.nodes.len();
        self.body = Some(body);
        self.moved.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.known.len() < nodes || self.stamp == 0 {
            self.known = vec![(0, 0); nodes];
            self.spheres = vec![(0, Vec4::ZERO); nodes];
            self.stamp = 1;
        }
    }

    /// A sphere in own space around all proxies below a node.
    #[inline]
    pub(super) fn sphere(
        &mut self,
        snapshot: &Snapshot,
        body: u32,
        node: u32,
        work: &mut StepWork,
    ) -> Vec4 {
        match snapshot.sphere_at_rest(body, node) {
            Some(sphere) => sphere,
            None => self.tight_sphere(snapshot, body, node, work),
        }
    }

    /// The same from the coordinates in any case, which is smaller.
    #[inline]
    pub(super) fn tight_sphere(
        &mut self,
        snapshot: &Snapshot,
        body: u32,
        node: u32,
        work: &mut StepWork,
    ) -> Vec4 {
        let tree = &snapshot.model(body).proxies;
        if tree.stride == 1 {
            return tree.rows[node as usize];
        }
        let known = &mut self.spheres[node as usize];
        if known.0 != self.stamp {
            work.nodes_moved += 1;
            *known = (self.stamp, snapshot.moved_sphere(body, node));
        }
        known.1
    }

    /// The proxy where it is now.
    #[inline]
    fn get(
        &mut self,
        snapshot: &Snapshot,
        body: u32,
        node: u32,
        work: &mut StepWork,
    ) -> MovedProxy {
        let (stamp, place) = self.known[node as usize];
        if stamp == self.stamp {
            return self.moved[place as usize];
        }
        let moved = snapshot.moved(body, node);
        work.proxies_moved += 1;
        self.known[node as usize] = (self.stamp, self.moved.len() as u32);
        self.moved.push(moved);
        moved
    }

    /// Forgets the body: its state changed.
    pub(super) fn forget(&mut self) {
        self.body = None;
    }
}

/// Appends the contacts of two bodies, ascending by their nodes. `carried` are the forces of the step before
/// between them.
pub(super) fn pair_contacts(
    snapshot: &Snapshot,
    kept: &mut KeptPair,
    carried: &[Carried],
    scratch: &mut Scratch,
    found: &mut Vec<Contact>,
    work: &mut StepWork,
) {
    let [a, b] = kept.bodies;
    let margin = snapshot.margin(a, b);
    kept.update(snapshot, margin, scratch, work);
    if kept.near.is_empty() {
        return;
    }
    let [memo_a, memo_b] = &mut scratch.memos;
    memo_a.take(snapshot, a);
    memo_b.take(snapshot, b);
    for &nodes in &kept.near {
        let first = memo_a.get(snapshot, a, nodes[0], work);
        let second = memo_b.get(snapshot, b, nodes[1], work);
        let apart = first.radius + second.radius + margin;
        // Up to rounding, which the test below decides.
        if first.center.distance_squared(second.center) > apart * apart * (1.0 + 1e-12) {
            continue;
        }
        work.proxy_tests += 1;
        found.extend(snapshot.meet([a, b], nodes, [&first, &second], margin, carried));
    }
}

/// The pairs of proxies whose spheres are within the margin, up to rounding, ascending; and a distance within
/// which there are no others: not below the margin, and larger where the descent found nothing nearby.
pub(super) fn near_proxies<'a>(
    snapshot: &Snapshot,
    [a, b]: [u32; 2],
    margin: f64,
    scratch: &'a mut Scratch,
    work: &mut StepWork,
) -> (&'a [[u32; 2]], f64) {
    scratch.candidates.clear();
    scratch.memos[0].take(snapshot, a);
    scratch.memos[1].take(snapshot, b);
    let (tree_a, tree_b) = (&snapshot.model(a).proxies, &snapshot.model(b).proxies);
    let (pose_a, pose_b) = (snapshot.pose(a), snapshot.pose(b));
    // The second body in the axes of the first: differences in `f64`, so that places far from the
    // origin lose nothing.
    let inverse = pose_a.rotation.transpose();
    let rotation: Mat3 = (inverse * pose_b.rotation).as_mat3();
    let offset = inverse * (pose_b.position - pose_a.position);
    let size = offset.length() + pose_a.reach + pose_b.reach;
    let slack = SLACK * size;
    let pad = (margin + slack) as f32;
    let offset = offset.as_vec3();
    let shift = Shift::new(&rotation, offset);
    let [middle, half] = tree_a.moved_box(&snapshot.factors[a as usize * snapshot.stride..]);
    // Covers the roundings of the box.
    let around = Place::around([middle, half + (1e-5 * pose_a.reach) as f32]);
    let flat = near_each_other(snapshot, [a, b], &around, &shift, pad, scratch, work);
    let Scratch { stack, candidates, memos: [memo_a, memo_b], .. } = scratch;
    if let Some(beyond) = flat {
        candidates.sort_unstable();
        return (candidates, margin + (f64::from(beyond) - slack).max(0.0));
    }
    // How much farther apart than the pad the nearest nodes are that the descent passed by.
    let mut beyond = f32::INFINITY;
    let mut near = |entry: &Entry| {
        let reach = entry.a.w + entry.b.w + pad;
        let gap = entry.a.truncate().distance(entry.b.truncate()) - reach;
        if gap > 0.0 {
            beyond = beyond.min(gap);
        }
        gap <= 0.0
    };

    let first = memo_a.sphere(snapshot, a, 0, work);
    let second = shift.of(memo_b.sphere(snapshot, b, 0, work));
    let roots = Entry { nodes: [0, 0], a: first, b: second };
    let mut tests = 1;
    if near(&roots) {
        stack.push(roots);
    }
    while let Some(entry) = stack.pop() {
        let [number_a, number_b] = entry.nodes;
        let (node_a, node_b) = (&tree_a.nodes[number_a as usize], &tree_b.nodes[number_b as usize]);
        // Opens the larger of the two that are no proxies.
        if !node_a.is_proxy() && (node_b.is_proxy() || entry.a.w >= entry.b.w) {
            tests += u64::from(node_a.children);
            for child in node_a.child_range() {
                let sphere = memo_a.sphere(snapshot, a, child, work);
                let opened = Entry { nodes: [child, number_b], a: sphere, ..entry };
                if near(&opened) {
                    stack.push(opened);
                }
            }
        } else if !node_b.is_proxy() {
            tests += u64::from(node_b.children);
            for child in node_b.child_range() {
                let sphere = shift.of(memo_b.sphere(snapshot, b, child, work));
                let opened = Entry { nodes: [number_a, child], b: sphere, ..entry };
                if near(&opened) {
                    stack.push(opened);
                }
            }
        } else {
            candidates.push(entry.nodes);
        }
    }
    work.node_tests += tests;
    candidates.sort_unstable();
    (candidates, margin + (f64::from(beyond) - slack).max(0.0))
}
