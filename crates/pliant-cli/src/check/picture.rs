//! What a picture of a frame needs beside the contacts.

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

/// Pairs of a frame that are drawn and listed, at the most.
const MOST_PAIRS: usize = 4000;

/// The pairs that are drawn and listed: all, or evenly chosen ones of too many.
pub(crate) fn shown_pairs(pairs: &[[u32; 4]]) -> impl Iterator<Item = [u32; 4]> {
    pairs.iter().copied().step_by(pairs.len().div_ceil(MOST_PAIRS).max(1))
}

/// One frame's segments, bounds and visited nodes.
#[derive(Debug)]
pub(crate) struct Picture {
    /// The ends of what the [`shown_pairs`] have in common: six numbers each.
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
    pub(super) fn new(bodies: &SceneBodies, nodes: usize, pairs: &[[u32; 4]]) -> Result<Self> {
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
        let segments = shown_pairs(pairs).flat_map(|[a, i, b, j]| {
            let corners = [all[a as usize].triangle(i), all[b as usize].triangle(j)];
            let (from, to) = intersection_segment(&corners[0], &corners[1]);
            [from, to].map(|end| end.as_vec3().to_array()).concat()
        });
        let levels = all.iter().zip(&visited).map(|(body, visited)| {
            let levels = shown_levels(body.tree(), nodes).into_iter();
            levels.map(|nodes| LevelState::new(body, &nodes, visited)).collect()
        });
        let nodes_visited = visited.iter().flatten().filter(|&&seen| seen).count();
        Ok(Self { segments: segments.collect(), levels: levels.collect(), nodes_visited })
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

/// How many nodes of an object are drawn in a run of so many frames.
pub(crate) fn nodes_shown(objects: usize, frames: usize) -> usize {
    (MOST_VOLUMES / (objects * frames).max(1)).clamp(1, MOST_NODES)
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
