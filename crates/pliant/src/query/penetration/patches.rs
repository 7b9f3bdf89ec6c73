//! Which parts of a surface lie inside the other.

use super::Deepest;
use super::edge_hits::EdgeHits;
use super::numbers::NumberMap;
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
    /// The patches that are inside by their side alone, with their deepest vertices where these are
    /// known.
    by_side: NumberMap<u32, Option<Deepest>>,
}

impl Patches {
    /// The patch of a place, if it was walked through.
    pub(super) fn of(&self, place: u32) -> Option<u32> {
        self.patch_of_place.get(&place).copied()
    }

    /// Walks through the patch of a place, unless it is known.
    pub(super) fn walk(&mut self, connectivity: &Connectivity, hits: &EdgeHits, place: u32) {
        self.walk_where(connectivity, hits, place, |_| true);
    }

    /// As [`walk`](Self::walk), through the places that belong to it.
    pub(super) fn walk_where(
        &mut self,
        connectivity: &Connectivity,
        hits: &EdgeHits,
        place: u32,
        mut belongs: impl FnMut(u32) -> bool,
    ) {
        if self.of(place).is_some() || !belongs(place) {
            return;
        }
        let mut all = vec![place];
        let patch = self.places.len() as u32;
        self.patch_of_place.insert(place, patch);
        let mut next = 0;
        while next < all.len() {
            for neighbour in neighbours(connectivity, hits, all[next]) {
                if self.of(neighbour).is_none() && belongs(neighbour) {
                    self.patch_of_place.insert(neighbour, patch);
                    all.push(neighbour);
                }
            }
            next += 1;
        }
        self.add(all);
    }

    /// Takes a part behind an open surface, which was walked through elsewhere, as a patch.
    pub(super) fn take(&mut self, all: Vec<u32>, deepest: Option<Deepest>) {
        let patch = self.places.len() as u32;
        self.patch_of_place.extend(all.iter().map(|&place| (place, patch)));
        self.by_side.insert(patch, deepest);
        self.add(all);
    }

    /// Whether a patch is inside by its side alone, and its deepest vertex if it is known.
    pub(super) fn by_side(&self, patch: u32) -> Option<Option<Deepest>> {
        self.by_side.get(&patch).copied()
    }

    fn add(&mut self, mut all: Vec<u32>) {
        all.sort_unstable();
        self.places.push(all);
    }
}

/// The places at the other ends of a place's edges that do not meet the other surface.
pub(super) fn neighbours<'a>(
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
