//! A keyframe in the kinetic AABB tree: all winners stay, and only the times at which their
//! certificates fail are new.
//!
//! Why no winner changes: at the end of a span every certificate of it holds, so a winner is at most one
//! slack below each rival (`certificate`). The next span begins with the same positions. So the walk reads
//! where vertices are at the end of the next span and nowhere else; where they are now counts only for
//! the few certificates that fail within the span.

use glam::DVec3;

use super::certificate::{Place, Segment, Side};
use crate::Mesh;
use crate::deform::Flight;
use crate::tree::Tree;

/// For each of the six sides a vertex and its value at the end of a segment.
#[derive(Debug, Clone, Copy)]
struct Ends {
    vertex: [u32; 6],
    end: [f64; 6],
}

impl Ends {
    /// One vertex on all sides. Low sides have negated values: the largest wins.
    #[inline]
    fn of_vertex(vertex: u32, end: &[DVec3]) -> Self {
        Self { vertex: [vertex; 6], end: values(end[vertex as usize]) }
    }

    /// What is known of the winners, and the largest values of all contestants.
    #[inline]
    fn of_winners(contestants: &[Self], winners: &[u32; 6]) -> Option<(Self, [f64; 6])> {
        let (first, others) = contestants.split_first()?;
        let (mut own, mut largest) = (first.end, first.end);
        for other in others {
            for side in 0..6 {
                let is_winner = other.vertex[side] == winners[side];
                own[side] = if is_winner { other.end[side] } else { own[side] };
                largest[side] = largest[side].max(other.end[side]);
            }
        }
        Some((Self { vertex: *winners, end: own }, largest))
    }
}

#[inline]
fn values(p: DVec3) -> [f64; 6] {
    [-p.x, -p.y, -p.z, p.x, p.y, p.z]
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
    let mut open = vec![0];
    let mut found: Vec<Ends> = Vec::new();
    while let Some(top) = open.pop() {
        let number = top & !DONE;
        let node = tree.node(number);
        let count = if node.is_leaf() {
            let triangles = tree.leaf_primitives(node);
            for &triangle in triangles {
                let corners = mesh.triangles()[triangle as usize];
                found.extend(corners.map(|vertex| Ends::of_vertex(vertex, end)));
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
        let Some(own) = winners[slot as usize..].first_chunk::<6>() else { continue };
        let Some((own, largest)) = Ends::of_winners(contestants, own) else { continue };
        debug_assert!(
            (0..6).all(|side| contestants.iter().any(|c| c.vertex[side] == own.vertex[side])),
            "the winners of node {number} take no part"
        );
        let fails = |side: usize| segment.may_fail(own.end[side], largest[side]);
        // Without a branch per side: most nodes have no event.
        if (0..6).fold(false, |any, side| any | fails(side)) {
            for side in (0..6).filter(|&side| fails(side)) {
                let place = |of: &Ends| {
                    let vertex = of.vertex[side];
                    let now = values(now[vertex as usize])[side];
                    Place { vertex, now, end: of.end[side] }
                };
                let winner = place(&own);
                let rivals = contestants.iter().filter(|rival| rival.vertex[side] != winner.vertex);
                let failures =
                    rivals.map(|r| segment.failure(flight, Side::number(side), &winner, &place(r)));
                let failure = failures.fold(f64::INFINITY, f64::min);
                if failure < f64::INFINITY {
                    tell(slot + side as u32, failure);
                }
            }
        }
        found.truncate(first);
        found.push(own);
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
