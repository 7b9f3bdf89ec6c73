//! A keyframe in a kinetic tree: all winners stay, and only the times at which their certificates fail are
//! new.
//!
//! Why no winner changes: at the end of a span every certificate of it holds, so a winner is at most one
//! slack below each rival (`certificate`). The next span begins with the same positions. So the walk reads
//! where vertices are at the end of the next span and nowhere else; where they are now counts only for
//! the few certificates that fail within the span.

use glam::DVec3;

use super::certificate::{Place, Segment, Side};
use super::tournament::{Contestant, Contests};
use crate::Mesh;
use crate::deform::Flight;
use crate::tree::Tree;

/// Values of one vertex, or of the winners of a node, on the six sides at the end of a segment. Low sides have
/// negated values: the largest wins.
type Ends = [f64; 6];

#[inline]
fn values(p: DVec3) -> Ends {
    [-p.x, -p.y, -p.z, p.x, p.y, p.z]
}

/// The winners of a node beside all who take part.
#[derive(Clone, Copy)]
struct Kept {
    winners: Ends,
    largest: Ends,
}

impl Kept {
    #[inline]
    fn with(first: &Ends) -> Self {
        Self { winners: *first, largest: *first }
    }

    /// Another contestant: its vertices, and where they will be.
    #[inline]
    fn add(&mut self, own: &[u32; 6], vertices: &[u32; 6], ends: &Ends) {
        for side in 0..6 {
            let end = ends[side];
            let is_winner = vertices[side] == own[side];
            self.winners[side] = if is_winner { end } else { self.winners[side] };
            self.largest[side] = if end > self.largest[side] { end } else { self.largest[side] };
        }
    }

    /// Whether a certificate of any side fails. Without a branch per side: most nodes have no event.
    #[inline]
    fn fails(&self, segment: &Segment) -> bool {
        let sides = self.winners.iter().zip(&self.largest);
        sides.fold(false, |any, (&winner, &rival)| any | segment.may_fail(winner, rival))
    }
}

/// The bit of a number on the stack that says that the children of the node are done.
const DONE: u32 = 1 << 31;

/// Tells the events of a segment, slot and time, given the winners of the segment before. Slot 6 n + s is
/// side s of node n. Returns whether the segment goes from keyframe to keyframe: else nothing is told.
pub(super) fn find_failures(
    (tree, mesh): (&Tree, &Mesh),
    flight: &Flight,
    segment: &Segment,
    winners: &[u32],
    mut tell: impl FnMut(u32, f64),
) -> bool {
    let Some([now, end]) = segment.keyframes(flight) else { return false };
    let six = |node: u32| winners[6 * node as usize..].first_chunk::<6>();
    let mut open = vec![0];
    // What a node found stays on a stack until its parent takes it.
    let mut found: Vec<Ends> = Vec::new();
    while let Some(top) = open.pop() {
        let number = top & !DONE;
        let node = tree.node(number);
        let Some(own) = six(number) else { continue };
        let mut kept: Option<Kept> = None;
        let mut take_part = |vertices: &[u32; 6], ends: &Ends| match &mut kept {
            Some(kept) => kept.add(own, vertices, ends),
            None => kept = Some(Kept::with(ends)),
        };
        let count = if node.is_leaf() {
            for &triangle in tree.leaf_primitives(node) {
                for vertex in mesh.triangles()[triangle as usize] {
                    take_part(&[vertex; 6], &values(end[vertex as usize]));
                }
            }
            0
        } else if top & DONE == 0 {
            open.push(number | DONE);
            // The first child on top, so that the last one is done last.
            open.extend(node.range().rev());
            continue;
        } else {
            debug_assert!(
                (0..6).all(|s| node.range().any(|child| winners[6 * child as usize + s] == own[s])),
                "a winner of node {number} takes no part"
            );
            let first = found.len() - node.count() as usize;
            for (child, ends) in node.range().zip(&found[first..]) {
                if let Some(vertices) = six(child) {
                    take_part(vertices, ends);
                }
            }
            node.count() as usize
        };
        let Some(kept) = kept else { continue };
        let first = found.len() - count;
        if kept.fails(segment) {
            let sides = (0..6).filter(|&s| segment.may_fail(kept.winners[s], kept.largest[s]));
            for side in sides {
                let place = |vertex: u32, end: f64| Place {
                    vertex,
                    now: values(now[vertex as usize])[side],
                    end,
                };
                let winner = place(own[side], kept.winners[side]);
                let mut failure = f64::INFINITY;
                let mut compare = |vertex: u32, end: f64| {
                    if vertex != winner.vertex {
                        let rival = place(vertex, end);
                        let time = segment.failure(flight, Side::number(side), &winner, &rival);
                        failure = failure.min(time);
                    }
                };
                for &triangle in tree.leaf_primitives(node) {
                    for vertex in mesh.triangles()[triangle as usize] {
                        compare(vertex, values(end[vertex as usize])[side]);
                    }
                }
                let children = if node.is_leaf() { 0..0 } else { node.range() };
                for (child, ends) in children.zip(&found[first..]) {
                    compare(winners[6 * child as usize + side], ends[side]);
                }
                if failure < f64::INFINITY {
                    tell(6 * number + side as u32, failure);
                }
            }
        }
        found.truncate(first);
        found.push(kept.winners);
    }
    true
}

/// As [`find_failures`], for slots of any kind, from those further down to those above them.
pub(super) fn find_failures_by_slots(
    contests: &impl Contests,
    flight: &Flight,
    segment: &Segment,
    winners: &[u32],
    mut tell: impl FnMut(u32, f64),
) -> bool {
    let Some([now, end]) = segment.keyframes(flight) else { return false };
    // Where the winner of each slot will be: its vertex is not looked up again.
    let mut ends = vec![0.0; winners.len()];
    for slot in (0..winners.len()).rev() {
        let side = contests.side(slot as u32);
        let value = |p: &DVec3| side.sign * p[side.axis];
        let winner = winners[slot];
        let won = value(&end[winner as usize]);
        ends[slot] = won;
        let mut largest = won;
        contests.contestants(slot as u32, |contestant| {
            let rival = match contestant {
                Contestant::Vertex(vertex) => value(&end[vertex as usize]),
                Contestant::Winner(below) => ends[below as usize],
            };
            largest = if rival > largest { rival } else { largest };
        });
        if !segment.may_fail(won, largest) {
            continue;
        }
        let place =
            |vertex: u32, end: f64| Place { vertex, now: value(&now[vertex as usize]), end };
        let holder = place(winner, won);
        let mut failure = f64::INFINITY;
        contests.contestants(slot as u32, |contestant| {
            let (vertex, end) = match contestant {
                Contestant::Vertex(vertex) => (vertex, value(&end[vertex as usize])),
                Contestant::Winner(below) => (winners[below as usize], ends[below as usize]),
            };
            if vertex != winner && segment.may_fail(won, end) {
                let time = segment.failure(flight, side, &holder, &place(vertex, end));
                failure = failure.min(time);
            }
        });
        if failure < f64::INFINITY {
            tell(slot as u32, failure);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::KineticAabb;
    use crate::Body;
    use crate::deform::{Flight, Keyframes};
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::BuildSettings;

    /// Past a keyframe there are the events that a restart finds, for all sides whose contestants are the
    /// same.
    #[test]
    fn failures_are_those_of_a_restart() {
        let frames = [0.0, 0.7, 1.9, 2.4, 2.4].map(|at| bumpy_sheet(9, at).positions().to_vec());
        let keyframes = Keyframes::new(vec![0.0, 1.0, 2.0, 3.0, 4.0], frames.to_vec()).unwrap();
        for settings in [
            BuildSettings::default(),
            BuildSettings::WIDE,
            BuildSettings { leaf_size: 5, ..BuildSettings::CLASSIC },
        ] {
            let (mesh, flight) = (bumpy_sheet(9, 0.0), Flight::keyframed(keyframes.clone()));
            let mut body = Body::<_, KineticAabb>::flying(mesh, flight, &settings).unwrap();
            let mut events = 0;
            for knot in [1.0, 2.0, 3.0, 4.0] {
                body.advance(knot).unwrap();
                let (winners, failures) = body.bounds.state();
                let mut anew = body.clone();
                anew.bounds.restart_by_slots(&anew.deformation);
                let (others, expected) = anew.bounds.state();
                let nodes = body.tree.nodes.iter().enumerate();
                for (number, node) in nodes {
                    let children = match node.is_leaf() {
                        true => 0..0,
                        false => node.range().start as usize..node.range().end as usize,
                    };
                    for side in 0..6 {
                        let slots = children.clone().chain([number]).map(|node| 6 * node + side);
                        if slots.clone().all(|slot| winners[slot] == others[slot]) {
                            let slot = 6 * number + side;
                            assert_eq!(failures[slot], expected[slot], "slot {slot} at {knot}");
                            events += usize::from(failures[slot].is_finite());
                        }
                    }
                }
            }
            assert!(events > 50, "{events}");
        }
    }
}
