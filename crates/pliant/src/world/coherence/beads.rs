//! Fronts of necklaces: what a world keeps of their beads from one query to the next.
//!
//! Beads of one necklace: a [`ClashFront`]. Beads of two: the separating family of the last search, from
//! which the next one starts ([`Separation::again`]; Guibas et al. 2002, section 4.1). Both are used only
//! where beads moved little for [`CALM_STEPS`] queries. Beads and triangles: a front as that of two
//! bodies.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use glam::DVec3;

use super::course::Course;
use super::kept_pair::KeptPair;
use super::motion::longest_way;
use super::track::{KeptTracks, Tracks};
use super::{CALM_STEPS, most_of_each};
use crate::body::{AnyBody, with_body};
use crate::necklace::{
    BeadTriangles, BeadsAndBody, Cages as _, ClashFront, Layered, Separation, bead_patches,
    beads_against, clashes, separate,
};
use crate::query::Intersections;
use crate::query::pair_limit::PairLimit;
use crate::shape::Necklace;
use crate::world::beads::{BeadPartner, NecklaceMember};
use crate::world::{BodyId, Member};

/// A step of beads is short if none moves farther than this part of their mean radius.
const SHORT_STEP: f64 = 0.25;

/// A necklace, and what it meets.
type Key = (BodyId, BeadPartner);

/// What is kept of all necklaces.
#[derive(Debug, Default)]
pub(super) struct KeptBeads {
    tracks: HashMap<BodyId, Track>,
    bodies: KeptTracks,
    /// How many courses were ever started.
    started: u64,
    fronts: HashMap<Key, BeadFront>,
}

impl KeptBeads {
    /// How many pairs of nodes and beads all fronts hold together.
    pub(super) fn front_pairs(&self) -> usize {
        let of = |front: &BeadFront| match front {
            BeadFront::Own { front, .. } => front.family().count() + front.watched().len(),
            BeadFront::Between(found) => found.family().len() + found.clashes().len(),
            BeadFront::Body(pair) => pair.front_pairs(),
        };
        self.fronts.values().map(of).sum()
    }
}

/// Where beads were, and how far they went.
#[derive(Debug)]
struct Track {
    centers: Vec<DVec3>,
    calm: u32,
    course: Course,
}

impl Track {
    /// The track of a necklace, up to where its beads are now.
    fn follow(last: Option<Self>, cages: &Layered, number: u64) -> Self {
        let beads = cages.necklace().beads();
        let same = last.filter(|last| last.centers.len() == beads.len());
        let Some(mut track) = same else {
            let mean =
                beads.iter().map(|bead| bead.radius).sum::<f64>() / beads.len().max(1) as f64;
            let course = Course::new(Arc::new(bead_patches(cages)), mean, number);
            let centers = beads.iter().map(|bead| bead.center).collect();
            return Self { centers, calm: 0, course };
        };
        let Course { patches, size, .. } = &track.course;
        let (patches, short) = (patches.clone(), SHORT_STEP * size);
        let ways = |patch: usize| {
            let own = patches.vertices(patch).iter().map(|&bead| bead as usize);
            longest_way(own.map(|bead| (track.centers[bead], beads[bead].center)))
        };
        let ways: Vec<f64> = (0..patches.count()).map(ways).collect();
        // Also false for NaN.
        let is_short = ways.iter().all(|&way| way <= short);
        track.calm = if is_short { track.calm.saturating_add(1) } else { 0 };
        track.course.advance(number, |patch| ways[patch]);
        track.centers.iter_mut().zip(beads).for_each(|(center, bead)| *center = bead.center);
        track
    }
}

/// Where the search for the contacts of beads ended.
#[derive(Debug)]
enum BeadFront {
    Own { min_gap: u32, front: ClashFront },
    Between(Separation),
    Body(KeptPair),
}

/// What one query knows of the queries before.
pub(in crate::world) struct BeadSession<'a> {
    tracks: HashMap<BodyId, Track>,
    bodies: Tracks<'a>,
    started: u64,
    /// The most pairs of a front.
    most: usize,
    before: Mutex<HashMap<Key, BeadFront>>,
    after: Mutex<HashMap<Key, BeadFront>>,
}

impl<'a> BeadSession<'a> {
    pub(super) fn new(
        kept: KeptBeads,
        chains: &[(BodyId, &NecklaceMember)],
        members: &'a [(BodyId, &'a Member)],
    ) -> Self {
        let KeptBeads { tracks: mut last, bodies, started, fronts } = kept;
        let follow = |(number, &(id, member)): (u64, &(BodyId, &NecklaceMember))| {
            (id, Track::follow(last.remove(&id), &member.cages, number))
        };
        Self {
            tracks: (started..).zip(chains).map(follow).collect(),
            bodies: Tracks::new(bodies, members),
            started: started + chains.len() as u64,
            most: most_of_each(fronts.len()),
            before: Mutex::new(fronts),
            after: Mutex::default(),
        }
    }

    pub(super) fn end(self) -> KeptBeads {
        let fronts = self.after.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (bodies, started) = (self.bodies.end(), self.started);
        KeptBeads { tracks: self.tracks, bodies, started, fronts }
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

    /// The beads that touch triangles of a body.
    pub(in crate::world) fn against_body(
        &self,
        key: Key,
        cages: &Layered,
        (id, body): (BodyId, &AnyBody),
    ) -> BeadTriangles {
        let from_scratch = || {
            let BeadTriangles { pairs, work } = beads_against(cages, body);
            Intersections { pairs, work }
        };
        let mut pair = match self.take(&key) {
            Some(BeadFront::Body(pair)) => pair,
            _ => KeptPair::default(),
        };
        let found = if pair.rests() {
            pair.start_over(from_scratch)
        } else {
            let place = self.bodies.members.binary_search_by_key(&id, |(id, _)| *id).ok();
            let of_body = place.and_then(|at| self.bodies.course(at));
            let of_beads = self.tracks.get(&key.0).map(|track| &track.course);
            match (of_beads, of_body) {
                (Some(of_beads), Some(of_body)) => with_body!(body, body => {
                    let sides = BeadsAndBody { cages, body: &**body };
                    let none = PairLimit::none();
                    pair.ask(&sides, [of_beads, of_body], self.most, &none, from_scratch)
                }),
                _ => {
                    pair.is_not_watched();
                    from_scratch()
                }
            }
        };
        self.keep(key, BeadFront::Body(pair));
        BeadTriangles { pairs: found.pairs, work: found.work }
    }
}
