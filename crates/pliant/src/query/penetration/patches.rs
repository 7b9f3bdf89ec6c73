//! Which parts of a surface lie inside the other.

use std::collections::VecDeque;

use super::edge_hits::EdgeHits;
use super::numbers::NumberMap;
use crate::contact::EdgeHit;
use crate::shape::{Connectivity, DisjointSets};

/// Vertices that are connected by edges which do not meet the other surface: all of them lie on the
/// same side of it.
///
/// A patch grows only when it is asked for, so that only what is inside is walked through.
#[derive(Debug, Default)]
pub(super) struct Patches {
    /// The patch of each place that was walked through.
    patch_of_place: NumberMap<u32, u32>,
    /// The places of each patch, ascending.
    pub(super) places: Vec<Vec<u32>>,
    /// The patches that are inside by their side alone: the smaller parts behind open surfaces.
    pub(super) by_side: Vec<u32>,
}

impl Patches {
    /// The patch of a place, if it was walked through.
    pub(super) fn of(&self, place: u32) -> Option<u32> {
        self.patch_of_place.get(&place).copied()
    }

    /// Walks through the patch of a place, unless it is known.
    pub(super) fn walk(&mut self, connectivity: &Connectivity, hits: &EdgeHits, place: u32) -> u32 {
        if let Some(patch) = self.of(place) {
            return patch;
        }
        let mut all = vec![place];
        let patch = self.places.len() as u32;
        self.patch_of_place.insert(place, patch);
        let mut next = 0;
        while next < all.len() {
            for neighbour in neighbours(connectivity, hits, all[next]) {
                if self.patch_of_place.insert(neighbour, patch).is_none() {
                    all.push(neighbour);
                }
            }
            next += 1;
        }
        self.add(patch, all)
    }

    /// Takes a part that was walked through elsewhere as a patch.
    pub(super) fn take(&mut self, all: Vec<u32>) -> u32 {
        let patch = self.places.len() as u32;
        self.patch_of_place.extend(all.iter().map(|&place| (place, patch)));
        self.by_side.push(patch);
        self.add(patch, all)
    }

    fn add(&mut self, patch: u32, mut all: Vec<u32>) -> u32 {
        all.sort_unstable();
        self.places.push(all);
        patch
    }
}

/// The places at the other ends of a place's edges that do not meet the other surface.
fn neighbours<'a>(
    connectivity: &'a Connectivity,
    hits: &'a EdgeHits,
    place: u32,
) -> impl Iterator<Item = u32> + 'a {
    let edges = connectivity.edges_at(place).iter().filter(|&&edge| !hits.blocks(edge));
    edges.map(move |&edge| {
        let [a, b] = connectivity.ends(edge);
        if a == place { b } else { a }
    })
}

/// The places of touching triangles, in classes that are connected by edges of touching triangles
/// which do not meet the other surface. One question answers for a class.
#[derive(Debug)]
pub(super) struct Classes {
    places: Vec<u32>,
    class: Vec<u32>,
    /// The places of each class, ascending.
    pub(super) members: Vec<Vec<u32>>,
}

impl Classes {
    /// The classes of some triangles, each given once by its number.
    pub(super) fn new(
        connectivity: &Connectivity,
        places_of_triangles: &[[u32; 3]],
        triangles: &[u32],
        hits: &EdgeHits,
    ) -> Self {
        let corners = triangles.iter().flat_map(|&t| places_of_triangles[t as usize]);
        let mut places: Vec<u32> = corners.collect();
        places.sort_unstable();
        places.dedup();
        let local = |place: u32| places.partition_point(|&p| p < place) as u32;
        let mut sets = DisjointSets::new(places.len());
        for &triangle in triangles {
            for edge in connectivity.edges(triangle) {
                if edge != crate::shape::NO_EDGE && !hits.blocks(edge) {
                    let [a, b] = connectivity.ends(edge);
                    sets.join(local(a), local(b));
                }
            }
        }
        let (class, firsts) = sets.numbered();
        let mut members = vec![Vec::new(); firsts.len()];
        for (&place, &class) in places.iter().zip(&class) {
            members[class as usize].push(place);
        }
        Self { places, class, members }
    }

    /// The class of a place of a touching triangle.
    pub(super) fn of(&self, place: u32) -> Option<u32> {
        let at = self.places.binary_search(&place).ok()?;
        Some(self.class[at])
    }
}

/// Seeds of the parts before and behind the other surface: the ends of edges that pass through it.
/// `None` if a place is on both sides.
pub(super) fn sides<'a>(
    connectivity: &Connectivity,
    passing: impl Iterator<Item = &'a [super::edge_hits::Hit]>,
) -> Option<[Vec<u32>; 2]> {
    let mut sides = [Vec::new(), Vec::new()];
    for hits in passing {
        // An edge that meets several triangles says nothing about which end is where.
        let &[hit] = hits else { continue };
        let [first, second] = connectivity.ends(hit.edge);
        match hit.how {
            EdgeHit::Inward => {
                sides[0].push(first);
                sides[1].push(second);
            }
            EdgeHit::Outward => {
                sides[0].push(second);
                sides[1].push(first);
            }
            EdgeHit::Touch => {}
        }
    }
    sides.iter_mut().for_each(|side| {
        side.sort_unstable();
        side.dedup();
    });
    let both = sides[0].iter().any(|place| sides[1].binary_search(place).is_ok());
    (!both && !sides[0].is_empty()).then_some(sides)
}

/// The smaller of two parts of a surface, each given by seeds: its places. `None` if the two are
/// connected.
///
/// Both are walked through at once, a place of each in turn, until one is done. Of two of the same
/// size it is the second.
pub(super) fn smaller_part(
    connectivity: &Connectivity,
    hits: &EdgeHits,
    seeds: [Vec<u32>; 2],
) -> Option<Vec<u32>> {
    let mut part_of: NumberMap<u32, usize> = NumberMap::default();
    for (part, seeds) in seeds.iter().enumerate() {
        part_of.extend(seeds.iter().map(|&seed| (seed, part)));
    }
    let mut all = seeds.clone();
    let mut open = seeds.map(VecDeque::from);
    loop {
        for part in [1, 0] {
            let Some(place) = open[part].pop_front() else {
                return Some(std::mem::take(&mut all[part]));
            };
            for neighbour in neighbours(connectivity, hits, place) {
                match part_of.insert(neighbour, part) {
                    None => {
                        all[part].push(neighbour);
                        open[part].push_back(neighbour);
                    }
                    Some(same) if same == part => {}
                    Some(_) => return None,
                }
            }
        }
    }
}
