//! Fronts of necklaces: what a world keeps of their beads from one query to the next.
//!
//! Beads of one necklace: a [`ClashFront`]. Beads of two: the separating family of the last search, from
//! which the next one starts ([`Separation::again`]; Guibas et al. 2002, section 4.1). Both are used only
//! where beads moved little for [`CALM_STEPS`] queries. Beads against triangles start from scratch.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use glam::DVec3;

use super::CALM_STEPS;
use crate::necklace::{
    BeadTriangles, Cages as _, ClashFront, Layered, Separation, clashes, separate,
};
use crate::shape::Necklace;
use crate::world::BodyId;
use crate::world::beads::{BeadPartner, NecklaceMember};

/// A step of beads is short if none moves farther than this part of their mean radius.
const SHORT_STEP: f64 = 0.25;

/// A necklace, and what it meets.
type Key = (BodyId, BeadPartner);

/// What is kept of all necklaces.
#[derive(Debug, Default)]
pub(super) struct KeptBeads {
    tracks: HashMap<BodyId, Track>,
    fronts: HashMap<Key, BeadFront>,
}

impl KeptBeads {
    /// How many pairs of nodes and beads all fronts hold together.
    pub(super) fn front_pairs(&self) -> usize {
        let of = |front: &BeadFront| match front {
            BeadFront::Own { front, .. } => front.family().count() + front.watched().len(),
            BeadFront::Between(found) => found.family().len() + found.clashes().len(),
        };
        self.fronts.values().map(of).sum()
    }
}

/// Where beads were, and for how many queries they moved little.
#[derive(Debug)]
struct Track {
    centers: Vec<DVec3>,
    calm: u32,
}

impl Track {
    /// The track of a necklace, up to where its beads are now.
    fn follow(last: Option<Self>, necklace: &Necklace) -> Self {
        let beads = necklace.beads();
        let same = last.filter(|last| last.centers.len() == beads.len());
        let Some(mut track) = same else {
            return Self { centers: beads.iter().map(|bead| bead.center).collect(), calm: 0 };
        };
        let mean = beads.iter().map(|bead| bead.radius).sum::<f64>() / beads.len().max(1) as f64;
        let mut is_short = true;
        for (center, bead) in track.centers.iter_mut().zip(beads) {
            // Also false for NaN.
            is_short &= center.distance(bead.center) <= SHORT_STEP * mean;
            *center = bead.center;
        }
        track.calm = if is_short { track.calm.saturating_add(1) } else { 0 };
        track
    }
}

/// Where the search for the contacts of beads ended.
#[derive(Debug)]
enum BeadFront {
    Own { min_gap: u32, front: ClashFront },
    Between(Separation),
}

/// What one query knows of the queries before.
pub(in crate::world) struct BeadSession {
    tracks: HashMap<BodyId, Track>,
    before: Mutex<HashMap<Key, BeadFront>>,
    after: Mutex<HashMap<Key, BeadFront>>,
}

impl BeadSession {
    pub(super) fn new(kept: KeptBeads, members: &[(BodyId, &NecklaceMember)]) -> Self {
        let KeptBeads { tracks: mut last, fronts } = kept;
        let follow = |&(id, member): &(BodyId, &NecklaceMember)| {
            (id, Track::follow(last.remove(&id), member.cages.necklace()))
        };
        let tracks = members.iter().map(follow).collect();
        Self { tracks, before: Mutex::new(fronts), after: Mutex::default() }
    }

    pub(super) fn end(self) -> KeptBeads {
        let fronts = self.after.into_inner().unwrap_or_else(PoisonError::into_inner);
        KeptBeads { tracks: self.tracks, fronts }
    }

    fn is_calm(&self, id: BodyId) -> bool {
        self.tracks.get(&id).is_some_and(|track| track.calm >= CALM_STEPS)
    }

    fn take(&self, key: &Key) -> Option<BeadFront> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).remove(key)
    }

    fn keep(&self, key: Key, front: BeadFront) {
        self.after.lock().unwrap_or_else(PoisonError::into_inner).insert(key, front);
    }

    /// The clashes within a necklace.
    pub(in crate::world) fn own_clashes(
        &self,
        key: Key,
        necklace: &Necklace,
        min_gap: u32,
    ) -> BeadTriangles {
        let last = self.take(&key);
        let tracked = self.tracks.get(&key.0).filter(|_| self.is_calm(key.0));
        let stepped = tracked.and_then(|track| {
            let mut front = match last {
                Some(BeadFront::Own { min_gap: same, front }) if same == min_gap => front,
                _ => ClashFront::new(necklace.clone(), min_gap),
            };
            let found = front.step(&track.centers).ok()?;
            self.keep(key, BeadFront::Own { min_gap, front });
            Some(found)
        });
        let found = stepped.unwrap_or_else(|| clashes(necklace, min_gap));
        BeadTriangles { pairs: found.pairs, work: found.work }
    }

    /// The clashes between two necklaces.
    pub(in crate::world) fn clashes_between(
        &self,
        key: Key,
        [first, second]: [&Layered; 2],
        other: BodyId,
    ) -> BeadTriangles {
        let last = match self.take(&key) {
            Some(BeadFront::Between(last)) => last.again(first, second),
            _ => None,
        };
        let found = last.unwrap_or_else(|| separate(first, second));
        let answer = BeadTriangles { pairs: found.clashes().to_vec(), work: found.work() };
        if self.is_calm(key.0) && self.is_calm(other) {
            self.keep(key, BeadFront::Between(found));
        }
        answer
    }
}
