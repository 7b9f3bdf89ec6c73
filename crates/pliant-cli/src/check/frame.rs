//! One frame: all objects posed, all contacts found.

use std::collections::HashMap;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use glam::DVec3;
use pliant::contact::intersection_segment;
use pliant::volume::{Aabb, Overlap as _};
use pliant::{Intersections, Work};

use super::body::{Collider, Method};
use super::picture::Picture;
use super::run::Question;
use crate::source::Input;

/// What was found at one time.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) time: f64,
    /// Object, triangle, object, triangle: ascending, the smaller (object, triangle) first.
    pub(crate) pairs: Vec<[u32; 4]>,
    /// The same by pairs of objects, ascending.
    pub(crate) contacts: Vec<Contact>,
    pub(crate) work: Work,
    pub(crate) spent: Spent,
    /// What only a picture needs, if one is wanted.
    pub(crate) picture: Option<Picture>,
}

/// Two objects in contact, or one with itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contact {
    pub(crate) objects: [u32; 2],
    /// Pairs of triangles.
    pub(crate) pairs: usize,
    pub(crate) longest: Segment,
}

/// A segment that two triangles have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) length: f64,
    pub(crate) middle: DVec3,
}

/// Where the time of a frame went.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    /// The animation: frames of nodes, joints, weights.
    pub(crate) pose: Duration,
    /// Moving the vertices.
    pub(crate) vertices: Duration,
    /// Fitting the bounds around them.
    pub(crate) refit: Duration,
    /// Descending the trees and testing triangles.
    pub(crate) query: Duration,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.pose += other.pose;
        self.vertices += other.vertices;
        self.refit += other.refit;
        self.query += other.query;
    }
}

impl Spent {
    pub(crate) fn total(&self) -> Duration {
        self.pose + self.vertices + self.refit + self.query
    }
}

/// How the time of queries divides, over some frames.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QueryParts {
    /// How many frames.
    pub(crate) frames: usize,
    /// Their queries, tests included.
    pub(crate) query: Duration,
    /// The triangle tests among that, with moving the triangles' corners.
    pub(crate) tests: Duration,
}

impl QueryParts {
    /// How often each part is measured.
    pub(crate) const ROUNDS: u32 = 3;

    /// The part of the queries that are triangle tests, from 0 to 1.
    pub(crate) fn share_of_tests(&self) -> f64 {
        let query = self.query.as_secs_f64();
        if query > 0.0 { (self.tests.as_secs_f64() / query).min(1.0) } else { 0.0 }
    }
}

impl AddAssign for QueryParts {
    fn add_assign(&mut self, other: Self) {
        self.frames += other.frames;
        self.query += other.query;
        self.tests += other.tests;
    }
}

/// Preparing bodies for contacts with themselves takes as long as it saves on 80 to 120 frames.
const MANY_FRAMES: usize = 120;

/// All objects of the input as bodies. Clones share meshes and trees.
#[derive(Debug, Clone)]
pub(crate) struct Bodies {
    colliders: Vec<Collider>,
    scratch: Vec<DVec3>,
}

impl Bodies {
    /// Builds one tree for each shape, however many objects share it.
    pub(crate) fn new(input: &Input, question: Question, frames: usize) -> Result<Self> {
        let prepared = question.with_self && frames >= MANY_FRAMES;
        let mut known: HashMap<_, Collider> = HashMap::new();
        let mut colliders = Vec::with_capacity(input.objects().len());
        for place in input.objects() {
            let object = input.object(*place);
            let scene = &input.sources()[place.source].scene;
            let key = Collider::key(scene, object, question.method, prepared);
            let collider = match known.get(&key) {
                Some(collider) => collider.clone(),
                None => Collider::new(scene, object, question.method, prepared)?,
            };
            known.entry(key).or_insert_with(|| collider.clone());
            colliders.push(collider);
        }
        Ok(Self { colliders, scratch: Vec::new() })
    }

    /// Moves everything to a time and finds all that touches.
    pub(crate) fn frame(&mut self, input: &Input, time: f64, question: Question) -> Result<Frame> {
        let mut spent = Spent::default();
        self.set_time(input, time, &mut spent).with_context(|| format!("at time {time} s"))?;
        let start = Instant::now();
        let mut work = Work::default();
        let hits = self.hits(question, &mut work);
        let mut pairs = Vec::with_capacity(hits.iter().map(|(_, hit)| hit.pairs.len()).sum());
        for ([a, b], hit) in &hits {
            pairs.extend(hit.pairs.iter().map(|&[i, j]| [*a, i, *b, j]));
        }
        pairs.sort_unstable();
        spent.query = start.elapsed();
        let contacts = hits.iter().map(|(objects, hit)| self.contact(*objects, hit)).collect();
        let picture = question.picture.map(|nodes| self.picture(question, nodes, &pairs));
        Ok(Frame { time, pairs, contacts, work, spent, picture })
    }

    /// The query: all pairs of objects with touching triangles.
    fn hits(&self, question: Question, work: &mut Work) -> Vec<([u32; 2], Intersections)> {
        let mut hits = Vec::new();
        for [a, b] in self.candidates(question, work) {
            let (first, second) = (&self.colliders[a as usize], &self.colliders[b as usize]);
            let found = if a == b { first.meet_itself() } else { first.meet(second) };
            *work += found.work;
            if !found.pairs.is_empty() {
                hits.push(([a, b], found));
            }
        }
        hits
    }

    /// The query without its triangle tests.
    fn descend(&self, question: Question) {
        for [a, b] in self.candidates(question, &mut Work::default()) {
            let (first, second) = (&self.colliders[a as usize], &self.colliders[b as usize]);
            if a == b {
                first.descend_itself();
            } else {
                first.descend(second);
            }
        }
    }

    /// Moves everything to a time and measures what part of the query there are its triangle tests.
    ///
    /// Tests are too short and too many to be timed one by one. So the query is asked as in a
    /// run, then again, then without its tests; what the second takes longer than the third are
    /// the tests, and they are a part of the first. A few times over, of which the shortest
    /// counts: whatever else the machine does only makes them longer.
    pub(crate) fn query_parts(
        &mut self,
        input: &Input,
        time: f64,
        question: Question,
    ) -> Result<QueryParts> {
        let [mut query, mut again, mut descent] = [Duration::MAX; 3];
        for _ in 0..QueryParts::ROUNDS {
            self.set_time(input, time, &mut Spent::default())?;
            let start = Instant::now();
            let _ = self.hits(question, &mut Work::default());
            let asked = Instant::now();
            let _ = self.hits(question, &mut Work::default());
            let asked_again = Instant::now();
            self.descend(question);
            query = query.min(asked - start);
            again = again.min(asked_again - asked);
            descent = descent.min(asked_again.elapsed());
        }
        Ok(QueryParts { frames: 1, query, tests: again.saturating_sub(descent) })
    }

    fn set_time(&mut self, input: &Input, time: f64, spent: &mut Spent) -> Result<()> {
        let start = Instant::now();
        let poses = input.poses(time)?;
        spent.pose = start.elapsed();
        for (collider, place) in self.colliders.iter_mut().zip(input.objects()) {
            let source = &input.sources()[place.source];
            let moved = collider
                .set_pose(
                    &source.scene,
                    place.object,
                    (time, &poses[place.source]),
                    &mut self.scratch,
                )
                .with_context(|| source.file.display().to_string())?;
            spent.vertices += moved.vertices;
            spent.refit += moved.refit;
        }
        Ok(())
    }

    /// Pairs of objects whose boxes overlap, and objects by themselves, ascending.
    ///
    /// Boxes are swept along x. Brute force does without: every pair.
    fn candidates(&self, question: Question, work: &mut Work) -> Vec<[u32; 2]> {
        let count = self.colliders.len() as u32;
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        if question.with_self {
            pairs.extend((0..count).map(|object| [object; 2]));
        }
        if question.method == Method::BruteForce {
            pairs.extend((0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])));
            pairs.sort_unstable();
            return pairs;
        }
        let boxes: Vec<Aabb> = self.colliders.iter().map(Collider::bounding_box).collect();
        work.bounds += u64::from(count);
        let mut by_start: Vec<u32> = (0..count).collect();
        let start = |object: u32| boxes[object as usize].min.x;
        by_start.sort_unstable_by(|&a, &b| start(a).total_cmp(&start(b)));
        for (at, &a) in by_start.iter().enumerate() {
            let around = &boxes[a as usize];
            for &b in by_start[at + 1..].iter().take_while(|&&b| start(b) <= around.max.x) {
                work.overlap_tests += 1;
                if around.overlaps(&boxes[b as usize]) {
                    pairs.push([a.min(b), a.max(b)]);
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// The objects as they are drawn: where pairs meet, bounds, and who was looked at.
    fn picture(&self, question: Question, nodes: usize, pairs: &[[u32; 4]]) -> Picture {
        let mut visited: Vec<Vec<bool>> = self
            .colliders
            .iter()
            .map(|collider| vec![false; collider.tree().nodes.len()])
            .collect();
        let mut note = |object: u32, seen: Vec<bool>| {
            for (known, seen) in visited[object as usize].iter_mut().zip(seen) {
                *known |= seen;
            }
        };
        for [a, b] in self.candidates(question, &mut Work::default()) {
            let (first, second) = (&self.colliders[a as usize], &self.colliders[b as usize]);
            if a == b {
                note(a, first.visited_by_itself());
            } else {
                let [seen_a, seen_b] = first.visited(second);
                note(a, seen_a);
                note(b, seen_b);
            }
        }
        let corners = |object: u32, triangle| self.colliders[object as usize].triangle(triangle);
        Picture::new(&self.colliders, &visited, pairs, nodes, corners)
    }

    /// The bodies, before they were moved first.
    pub(crate) fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// How deep two objects run into one another: the longest segment that two triangles share.
    fn contact(&self, objects: [u32; 2], hit: &Intersections) -> Contact {
        let [a, b] = objects.map(|object| &self.colliders[object as usize]);
        let mut longest = Segment { length: -1.0, middle: DVec3::ZERO };
        for &[i, j] in &hit.pairs {
            let (from, to) = intersection_segment(&a.triangle(i), &b.triangle(j));
            let length = from.distance(to);
            if length > longest.length {
                longest = Segment { length, middle: from.midpoint(to) };
            }
        }
        Contact { objects, pairs: hit.pairs.len(), longest }
    }
}
