//! All sides of all nodes at once, where each node has six slots of its own and vertices move on
//! lines: a keyframe in the kinetic AABB tree.
//!
//! The tree is walked from the leaves to the root. A vertex is looked up once for six sides, and
//! what a node found stays on a stack until its parent takes it, so that the walk reads positions and
//! writes winners and nothing else.

use super::certificate::{Place, Segment, Side};
use crate::Mesh;
use crate::deform::Flight;
use crate::tree::Tree;

/// For each of the six sides a vertex and its values now and at the end of a segment.
#[derive(Debug, Clone, Copy)]
struct Six {
    vertex: [u32; 6],
    now: [f64; 6],
    end: [f64; 6],
}

impl Six {
    /// One vertex on all sides. Low sides have negated values: the largest wins.
    #[inline]
    fn of_vertex(segment: &Segment, flight: &Flight, vertex: u32) -> Self {
        let [now, end] = segment.ends(flight, vertex).map(|p| [-p.x, -p.y, -p.z, p.x, p.y, p.z]);
        Self { vertex: [vertex; 6], now, end }
    }

    /// The winner of each side. Of equal contestants the previous winner stays, else the first wins.
    #[inline]
    fn best(contestants: &[Self], before: &[u32; 6]) -> Option<Self> {
        let (first, others) = contestants.split_first()?;
        let mut best = *first;
        for other in others {
            for (side, &before) in before.iter().enumerate() {
                let (a, b) = (other.now[side], best.now[side]);
                if a > b || (a == b && other.vertex[side] == before) {
                    best.vertex[side] = other.vertex[side];
                    best.now[side] = a;
                    best.end[side] = other.end[side];
                }
            }
        }
        Some(best)
    }

    fn place(&self, side: usize) -> Place {
        Place { vertex: self.vertex[side], now: self.now[side], end: self.end[side] }
    }
}

/// The bit of a number on the stack that says that the children of the node are done.
const DONE: u32 = 1 << 31;

/// Decides all slots: slot 6 n + s is side s of node n. Winners are those of the last plan, or any
/// other numbers; they count where contestants are equal. Tells the events, slot and time.
pub(super) fn decide_all(
    (tree, mesh): (&Tree, &Mesh),
    flight: &Flight,
    segment: &Segment,
    winners: &mut [u32],
    mut tell: impl FnMut(u32, f64),
) {
    let mut open = vec![0];
    let mut found: Vec<Six> = Vec::new();
    while let Some(top) = open.pop() {
        let number = top & !DONE;
        let node = tree.node(number);
        let count = if node.is_leaf() {
            let triangles = tree.leaf_primitives(node);
            for &triangle in triangles {
                let corners = mesh.triangles()[triangle as usize];
                found.extend(corners.map(|vertex| Six::of_vertex(segment, flight, vertex)));
            }
            3 * triangles.len()
        } else if top & DONE == 0 {
            open.push(number | DONE);
            open.extend(node.range());
            continue;
        } else {
            node.count() as usize
        };
        let first = found.len() - count;
        let (contestants, slot) = (&found[first..], 6 * number);
        let Some(own) = winners[slot as usize..].first_chunk_mut::<6>() else { continue };
        let Some(best) = Six::best(contestants, own) else { continue };
        *own = best.vertex;
        for side in 0..6 {
            let threatens = |rival: &&Six| segment.may_fail(best.end[side], rival.end[side]);
            let rivals = contestants.iter().filter(threatens);
            let failure = rivals.fold(f64::INFINITY, |failure, rival| {
                let [w, v] = [best.place(side), rival.place(side)];
                failure.min(segment.failure(flight, Side::number(side), &w, &v))
            });
            if failure < f64::INFINITY {
                tell(slot + side as u32, failure);
            }
        }
        found.truncate(first);
        found.push(best);
    }
}

#[cfg(test)]
mod tests {
    use super::super::KineticAabb;
    use crate::deform::{Flight, Keyframes};
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::BuildSettings;
    use crate::{Body, Collide as _};

    fn flight() -> Flight {
        let frames = [0.0, 0.7, 1.9, 2.4].map(|phase| bumpy_sheet(9, phase).positions().to_vec());
        Flight::keyframed(Keyframes::new(vec![0.0, 1.0, 2.0, 3.0], frames.to_vec()).unwrap())
    }

    /// Slot by slot and node by node the same winners and events are found.
    #[test]
    fn nodes_and_slots_decide_alike() {
        for settings in [
            BuildSettings::default(),
            BuildSettings::WIDE,
            BuildSettings { leaf_size: 5, ..BuildSettings::CLASSIC },
        ] {
            let mesh = bumpy_sheet(9, 0.0);
            let mut body = Body::<_, KineticAabb>::flying(mesh, flight(), &settings).unwrap();
            for time in [0.0, 0.3, 1.0, 1.5, 2.0, 2.99, 3.0] {
                body.rewind(time).unwrap();
                let mut slot_by_slot = body.clone();
                slot_by_slot.bounds.restart_by_slots(&slot_by_slot.deformation);
                assert_eq!(body.bounds.state(), slot_by_slot.bounds.state(), "{time}");
            }
        }
    }

    /// A keyframe leaves winners in place: as after a restart, but for vertices at one height.
    #[test]
    fn a_keyframe_keeps_winners() {
        let mesh = bumpy_sheet(9, 0.0);
        let settings = BuildSettings::default();
        let mut body = Body::<_, KineticAabb>::flying(mesh, flight(), &settings).unwrap();
        let mut before = 0;
        for knot in [1.0_f64, 2.0, 3.0] {
            body.advance(knot.next_down()).unwrap();
            let held = body.bounds.state().0;
            body.advance(knot).unwrap();
            let now = body.bounds.state().0;
            let changed = held.iter().zip(&now).filter(|(a, b)| a != b).count();
            assert!(changed * 100 < held.len(), "{changed} of {} at {knot}", held.len());
            let count = body.bounds.count();
            assert!(count.replanned > before, "{count:?}");
            before = count.replanned;
            for node in 0..body.tree().nodes.len() as u32 {
                let _ = body.bound(node);
            }
        }
        assert!(body.bounds.count().events > 10);
    }
}
