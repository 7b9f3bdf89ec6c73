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
use crate::tree::{Node, Tree};

/// A coordinate of a vertex. Low sides have negated values: the largest wins.
#[inline]
fn value(positions: &[DVec3], vertex: u32, side: usize) -> f64 {
    let p = positions[vertex as usize];
    [-p.x, -p.y, -p.z, p.x, p.y, p.z][side]
}

/// Whether the certificate of any side of a node may fail, given where vertices will be. Without a branch per
/// side: most nodes have no event.
#[inline]
fn any_fails(
    (tree, mesh): (&Tree, &Mesh),
    node: Node,
    end: &[DVec3],
    segment: &Segment,
    (own, winners): (&[u32; 6], &[u32]),
) -> bool {
    let fails = |side: usize, rival: f64| segment.may_fail(value(end, own[side], side), rival);
    if node.is_leaf() {
        let triangles = tree.leaf_primitives(node).iter();
        let corners = triangles.flat_map(|&triangle| mesh.triangles()[triangle as usize]);
        let mut all = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        for corner in corners {
            let p = end[corner as usize];
            all = [all[0].min(p), all[1].max(p)];
        }
        let [low, high] = all;
        let largest = [-low.x, -low.y, -low.z, high.x, high.y, high.z];
        return (0..6).fold(false, |any, side| any | fails(side, largest[side]));
    }
    let first = 6 * node.range().start as usize;
    let below = winners.get(first..first + 6 * node.count() as usize).unwrap_or(&[]);
    if let Some((a, b)) = below.first_chunk::<6>().zip(below.last_chunk::<6>())
        && node.count() == 2
    {
        // A winner is that of one child. The rival is the other one, or the same vertex.
        let rival = |side: usize| value(end, a[side] ^ b[side] ^ own[side], side);
        return (0..6).fold(false, |any, side| any | fails(side, rival(side)));
    }
    let contestants = below.iter().enumerate();
    contestants.fold(false, |any, (at, &vertex)| any | fails(at % 6, value(end, vertex, at % 6)))
}

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
    let (six, _) = winners.as_chunks::<6>();
    for ((number, &node), own) in (0u32..).zip(&tree.nodes).zip(six) {
        let children = if node.is_leaf() { 0..0 } else { node.range() };
        debug_assert!(
            node.is_leaf()
                || (0..6).all(|s| children.clone().any(|c| six[c as usize][s] == own[s])),
            "a winner of node {number} takes no part"
        );
        if !any_fails((tree, mesh), node, end, segment, (own, winners)) {
            continue;
        }
        for side in 0..6 {
            let winner = own[side];
            let won = value(end, winner, side);
            let place =
                |vertex: u32, end: f64| Place { vertex, now: value(now, vertex, side), end };
            let mut failure = f64::INFINITY;
            let mut compare = |vertex: u32| {
                let rival = value(end, vertex, side);
                if vertex != winner && segment.may_fail(won, rival) {
                    let [w, v] = [place(winner, won), place(vertex, rival)];
                    failure = failure.min(segment.failure(flight, Side::number(side), &w, &v));
                }
            };
            for &triangle in tree.leaf_primitives(node) {
                mesh.triangles()[triangle as usize].into_iter().for_each(&mut compare);
            }
            children.clone().for_each(|child| compare(six[child as usize][side]));
            if failure < f64::INFINITY {
                tell(6 * number + side as u32, failure);
            }
        }
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
    // Coordinates apart: a slot looks at one axis of many vertices.
    let coordinates = [0, 1, 2].map(|axis| end.iter().map(|p| p[axis]).collect::<Vec<f64>>());
    // Where the winner of each slot will be: its vertex is not looked up again.
    let mut ends = vec![0.0; winners.len()];
    for slot in (0..winners.len()).rev() {
        let side = contests.side(slot as u32);
        let coordinates = &coordinates[side.axis][..];
        let value = |vertex: u32| side.sign * coordinates[vertex as usize];
        let winner = winners[slot];
        let won = value(winner);
        ends[slot] = won;
        let mut largest = won;
        contests.contestants(slot as u32, |contestant| {
            let rival = match contestant {
                Contestant::Vertex(vertex) => value(vertex),
                Contestant::Winner(below) => ends[below as usize],
            };
            largest = if rival > largest { rival } else { largest };
        });
        if !segment.may_fail(won, largest) {
            continue;
        }
        let place = |vertex: u32, end: f64| {
            let now = side.sign * now[vertex as usize][side.axis];
            Place { vertex, now, end }
        };
        let holder = place(winner, won);
        let mut failure = f64::INFINITY;
        contests.contestants(slot as u32, |contestant| {
            let (vertex, end) = match contestant {
                Contestant::Vertex(vertex) => (vertex, value(vertex)),
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
