//! Contacts between the proxies of two bodies: one descent through both trees, in `f32`.

use pliant::glam::{Mat3, Vec3};

use super::snapshot::{Contact, MovedProxy, Snapshot};
use super::{ProxyNode, StepWork};

/// The relative enlargement of the distance at which two nodes are kept. All lengths of a descent
/// are sums of at most 16 roundings of 2^-24 of the size of both bodies and their distance.
const SLACK: f64 = 4e-6;

/// Memory of a thread, used again for every pair.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    stack: Vec<Entry>,
    candidates: Vec<[u32; 2]>,
    pub memos: [Memo; 2],
}

/// Two nodes that may hold a contact: the second with its middle in the first body's axes.
#[derive(Debug, Clone, Copy)]
struct Entry {
    a: u32,
    b: u32,
    center: Vec3,
    radius: f32,
}

/// The proxies of one body, moved once each.
#[derive(Debug, Default)]
pub(super) struct Memo {
    body: Option<u32>,
    stamp: u32,
    /// The stamp of each node, and its place below.
    known: Vec<(u32, u32)>,
    moved: Vec<MovedProxy>,
}

impl Memo {
    /// Forgets everything, unless it is already about this body.
    fn take(&mut self, snapshot: &Snapshot, body: u32) {
        if self.body == Some(body) {
            return;
        }
        let nodes = snapshot.model(body).proxies.nodes.len();
        self.body = Some(body);
        self.moved.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.known.len() < nodes || self.stamp == 0 {
            self.known = vec![(0, 0); nodes];
            self.stamp = 1;
        }
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
        let moved = snapshot.moved(body, &snapshot.model(body).proxies.nodes[node as usize]);
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

/// Appends the contacts of two bodies, ascending by their nodes.
pub(super) fn pair_contacts(
    snapshot: &Snapshot,
    [a, b]: [u32; 2],
    scratch: &mut Scratch,
    found: &mut Vec<Contact>,
    work: &mut StepWork,
) {
    let margin = snapshot.margin(a, b);
    if near_proxies(snapshot, [a, b], margin, scratch, work).is_empty() {
        return;
    }
    let Scratch { candidates, memos: [memo_a, memo_b], .. } = scratch;
    memo_a.take(snapshot, a);
    memo_b.take(snapshot, b);
    for &nodes in &*candidates {
        let first = memo_a.get(snapshot, a, nodes[0], work);
        let second = memo_b.get(snapshot, b, nodes[1], work);
        work.proxy_tests += 1;
        found.extend(snapshot.meet([a, b], nodes, [&first, &second], margin));
    }
}

/// The pairs of proxies whose spheres at rest, grown by the stretch, are within the margin,
/// ascending.
pub(super) fn near_proxies<'a>(
    snapshot: &Snapshot,
    [a, b]: [u32; 2],
    margin: f64,
    scratch: &'a mut Scratch,
    work: &mut StepWork,
) -> &'a [[u32; 2]] {
    scratch.candidates.clear();
    let (tree_a, tree_b) = (&snapshot.model(a).proxies, &snapshot.model(b).proxies);
    let (pose_a, pose_b) = (snapshot.pose(a), snapshot.pose(b));
    // The second body in the axes of the first: differences in `f64`, so that places far from the
    // origin lose nothing.
    let inverse = pose_a.rotation.transpose();
    let rotation: Mat3 = (inverse * pose_b.rotation).as_mat3();
    let offset = inverse * (pose_b.position - pose_a.position);
    let size = offset.length() + pose_a.reach + pose_b.reach;
    let pad = (margin + SLACK * size) as f32;
    let offset = offset.as_vec3();
    let (stretch_a, stretch_b) = (pose_a.stretch, pose_b.stretch);
    let reach_a = |node: &ProxyNode| node.radius + node.growth * stretch_a + pad;
    let placed = |number: u32, node: &ProxyNode| Entry {
        a: 0,
        b: number,
        center: rotation * node.center + offset,
        radius: node.radius + node.growth * stretch_b,
    };
    let near = |node: &ProxyNode, entry: &Entry| {
        let reach = reach_a(node) + entry.radius;
        node.center.distance_squared(entry.center) <= reach * reach
    };

    let root = placed(0, &tree_b.nodes[0]);
    let mut tests = 1;
    if near(&tree_a.nodes[0], &root) {
        scratch.stack.push(root);
    }
    while let Some(entry) = scratch.stack.pop() {
        let (node_a, node_b) = (&tree_a.nodes[entry.a as usize], &tree_b.nodes[entry.b as usize]);
        // Opens the larger of the two that are no proxies.
        if !node_a.is_proxy() && (node_b.is_proxy() || node_a.radius >= node_b.radius) {
            tests += u64::from(node_a.children);
            for child in node_a.child_range() {
                let opened = Entry { a: child, ..entry };
                if near(&tree_a.nodes[child as usize], &opened) {
                    scratch.stack.push(opened);
                }
            }
        } else if !node_b.is_proxy() {
            tests += u64::from(node_b.children);
            for child in node_b.child_range() {
                let opened = Entry { a: entry.a, ..placed(child, &tree_b.nodes[child as usize]) };
                if near(node_a, &opened) {
                    scratch.stack.push(opened);
                }
            }
        } else {
            scratch.candidates.push([entry.a, entry.b]);
        }
    }
    work.node_tests += tests;
    scratch.candidates.sort_unstable();
    &scratch.candidates
}
