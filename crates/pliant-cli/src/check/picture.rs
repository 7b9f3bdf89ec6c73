//! What a picture of a frame needs beside the contacts.

use std::collections::HashMap;

use anyhow::Result;
use pliant::contact::intersection_segment;
use pliant::query::Watched;
use pliant::tree::Tree;
use pliant::volume::Aabb;
use pliant::{AnyBody, Collide as _, intersections, self_intersections};
use pliant_io::SceneBodies;

use super::frame::object_number;
use super::query_parts::for_asked_pairs;

/// Volumes of all objects in all frames, at the most: about two megabytes of a page.
const MOST_VOLUMES: usize = 60_000;

/// Nodes of one object that are drawn, at the most: more are a thicket.
const MOST_NODES: usize = 511;

/// Pairs of a frame that are drawn and listed, about the most.
const MOST_PAIRS: usize = 4000;

/// Pairs of all frames that are drawn and listed, about the most: 20 megabytes of a page.
const MOST_PAIRS_OF_ALL: usize = 400_000;

/// Pairs of a frame that are drawn and listed in any case: fewer do not show where a contact is.
const FEWEST_PAIRS: usize = 200;

/// How much of a frame is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Nodes of one object, at the most.
    pub(crate) nodes: usize,
    /// Pairs of triangles, about the most.
    pub(crate) pairs: usize,
}

impl Shown {
    /// What is drawn of each frame in a run of so many objects and frames.
    pub(crate) fn of(objects: usize, frames: usize) -> Self {
        Self {
            nodes: (MOST_VOLUMES / (objects * frames).max(1)).clamp(1, MOST_NODES),
            pairs: (MOST_PAIRS_OF_ALL / frames.max(1)).clamp(FEWEST_PAIRS, MOST_PAIRS),
        }
    }
}

/// The pairs that are drawn and listed: all, or evenly chosen ones of too many. Any two objects
/// in contact keep at least one, so that no contact is left out.
fn shown_pairs(pairs: &[[u32; 4]], most: usize) -> Vec<[u32; 4]> {
    let step = pairs.len().div_ceil(most.max(1)).max(1);
    let mut seen: HashMap<[u32; 2], usize> = HashMap::new();
    let is_shown = |&[a, _, b, _]: &[u32; 4]| {
        let before = seen.entry([a, b]).or_insert(0);
        *before += 1;
        (*before - 1).is_multiple_of(step)
    };
    pairs.iter().copied().filter(is_shown).collect()
}

/// One frame's pairs, segments, bounds and visited nodes.
#[derive(Debug)]
pub(crate) struct Picture {
    /// Object, triangle, object, triangle: as many as are shown.
    pub(crate) pairs: Vec<[u32; 4]>,
    /// The ends of what each of `pairs` has in common: six numbers each.
    pub(crate) segments: Vec<f32>,
    /// For each object and each of its [`shown_levels`].
    pub(crate) levels: Vec<Vec<LevelState>>,
    /// Nodes of all objects that were looked at, each counted once.
    pub(crate) nodes_visited: usize,
}

/// The bounds of a level in a frame.
#[derive(Debug)]
pub(crate) struct LevelState {
    pub(crate) volumes: Vec<f32>,
    /// One bit per node, in words of 32.
    pub(crate) visited: Vec<u32>,
}

impl Picture {
    /// The objects as they are drawn: where pairs meet, bounds, and which nodes a query visits.
    pub(super) fn new(bodies: &SceneBodies, shown: Shown, pairs: &[[u32; 4]]) -> Result<Self> {
        let world = bodies.world();
        let all = bodies.ids().iter().map(|&id| world.get(id));
        let all: Vec<&AnyBody> = all.collect::<pliant::Result<_>>()?;
        let mut visited: Vec<Vec<bool>> =
            all.iter().map(|body| vec![false; body.tree().nodes.len()]).collect();
        let mut note = |object: u32, seen: Vec<bool>| {
            for (known, seen) in visited[object as usize].iter_mut().zip(seen) {
                *known |= seen;
            }
        };
        for_asked_pairs(world, |pair, [first, second]| {
            let [a, b] = pair.map(|id| object_number(bodies, id));
            let first = Watched::new(first);
            if a == b {
                let _ = self_intersections(&first);
            } else {
                let second = Watched::new(second);
                let _ = intersections(&first, &second);
                note(b, second.visited());
            }
            note(a, first.visited());
        });
        let pairs = shown_pairs(pairs, shown.pairs);
        let segments = pairs.iter().flat_map(|&[a, i, b, j]| {
            let corners = [all[a as usize].triangle(i), all[b as usize].triangle(j)];
            let (from, to) = intersection_segment(&corners[0], &corners[1]);
            [from, to].map(|end| end.as_vec3().to_array()).concat()
        });
        let segments = segments.collect();
        let levels = all.iter().zip(&visited).map(|(body, visited)| {
            let levels = shown_levels(body.tree(), shown.nodes).into_iter();
            levels.map(|nodes| LevelState::new(body, &nodes, visited)).collect()
        });
        let nodes_visited = visited.iter().flatten().filter(|&&seen| seen).count();
        Ok(Self { pairs, segments, levels: levels.collect(), nodes_visited })
    }
}

impl LevelState {
    fn new(body: &AnyBody, nodes: &[u32], visited: &[bool]) -> Self {
        let bits = |word: &[u32]| {
            let seen = word.iter().enumerate().filter(|&(_, &node)| visited[node as usize]);
            seen.fold(0, |bits, (at, _)| bits | 1 << at)
        };
        let volumes = nodes.iter().flat_map(|&node| box_numbers(&body.bound(node)));
        Self { volumes: volumes.collect(), visited: nodes.chunks(32).map(bits).collect() }
    }
}

/// A box as the page wants it: lowest corner, highest corner.
pub(crate) fn box_numbers(aabb: &Aabb) -> [f32; 6] {
    let (min, max) = (aabb.min, aabb.max);
    [min.x, min.y, min.z, max.x, max.y, max.z]
}

/// The nodes of the first levels, root first, as many levels as have so many nodes together.
pub(crate) fn shown_levels(tree: &Tree, most: usize) -> Vec<Vec<u32>> {
    let mut levels: Vec<Vec<u32>> = vec![vec![0]];
    let mut shown = 1;
    loop {
        let last = &levels[levels.len() - 1];
        let inner = last.iter().map(|&node| tree.node(node)).filter(|node| !node.is_leaf());
        let next: Vec<u32> = inner.flat_map(|node| node.range()).collect();
        shown += next.len();
        if next.is_empty() || shown > most {
            return levels;
        }
        levels.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three pairs between two objects among thousands of others, none was shown.
    #[test]
    fn a_selection_of_pairs_leaves_no_contact_out() {
        let many = (0..10_000).map(|i| [0, i, 1, i]);
        let pairs: Vec<[u32; 4]> = many.chain([[0, 7, 2, 1], [1, 3, 2, 1]]).collect();
        let shown = shown_pairs(&pairs, 400);
        assert_eq!(shown.len(), 387);
        assert!(shown.contains(&[0, 7, 2, 1]) && shown.contains(&[1, 3, 2, 1]));
        assert_eq!(shown_pairs(&pairs, 20_000), pairs);
    }

    #[test]
    fn long_runs_show_less_of_each_frame() {
        assert_eq!(Shown::of(2, 10), Shown { nodes: 511, pairs: 4000 });
        assert_eq!(Shown::of(2, 1000), Shown { nodes: 30, pairs: 400 });
        assert_eq!(Shown::of(2, 1_000_000), Shown { nodes: 1, pairs: 200 });
    }
}
